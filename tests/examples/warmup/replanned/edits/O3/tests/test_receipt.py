from shop.order import Line
from shop.receipt import receipt


def test_a_receipt_ends_with_the_total():
    assert receipt([Line("tea", 250), Line("milk", 120)]).endswith("total           3.70")


def test_a_receipt_shows_the_discount():
    shown = receipt([Line("tea", 250, discount=10)]).splitlines()
    assert shown[1:] == ["  discount     -0.25", "total           2.25"]
