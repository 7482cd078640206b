from cart import Cart
from checkout import pay


def test_discount():
    assert Cart([100]).total(discount=25) == 75
    assert pay(Cart([200]), 50) == "paid 100.0"
