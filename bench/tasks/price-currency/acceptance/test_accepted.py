from invoice import line
from money import price


def test_defaults():
    assert price(1) == "1.00 EUR"
    assert line("a", 1) == "a: 1.00 EUR"


def test_named():
    assert price(1.5, currency="CHF") == "1.50 CHF"
    assert line("a", 0.5, "CHF") == "a: 0.50 CHF"
