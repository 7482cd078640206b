from cart import Cart
from checkout import pay


def test_pay():
    assert Cart([1, 2]).total() == 3
    assert pay(Cart([1, 2])) == "paid 3"
