from money import price


def line(name, amount):
    return f"{name}: {price(amount)}"
