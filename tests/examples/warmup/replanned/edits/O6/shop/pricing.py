from shop.money import per_cent


def price(line):
    """Return what a line costs in cents."""
    return per_cent(line.cents, 100 - line.discount)


def total(lines):
    """Return the sum in cents."""
    return sum(price(line) for line in lines)
