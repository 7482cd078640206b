def total(items):
    return sum(items)


def old_total(items):
    result = 0
    for item in items:
        result += item
    return result
