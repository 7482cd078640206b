from invoice import line
from money import price


def test_price():
    assert price(3, "USD") == "3.00 USD"


def test_line():
    assert line("tea", 2, currency="USD") == "tea: 2.00 USD"
