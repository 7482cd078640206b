def price(amount, currency="EUR"):
    return f"{amount:.2f} {currency}"
