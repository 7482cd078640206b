SIZE = 3


def page(items, number, size=SIZE):
    start = (number - 1) * size
    return items[start : start + size]
