SIZE = 3


def page(items, number):
    start = (number - 1) * SIZE
    return items[start : start + SIZE]
