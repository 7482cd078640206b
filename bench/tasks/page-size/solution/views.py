from paging import page


def listing(items, number, size=3):
    return ", ".join(page(items, number, size))
