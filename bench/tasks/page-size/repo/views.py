from paging import page


def listing(items, number):
    return ", ".join(page(items, number))
