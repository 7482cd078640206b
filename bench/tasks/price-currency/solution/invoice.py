from money import price


def line(name, amount, currency="EUR"):
    return f"{name}: {price(amount, currency)}"
