from cart import Cart
from checkout import pay


def test_discounts():
    assert Cart([50, 50]).total(10) == 90
    assert float(pay(Cart([100]), discount=75).split()[1]) == 25


def test_without():
    assert Cart([2, 3]).total() == 5
    assert float(pay(Cart([2])).split()[1]) == 2
