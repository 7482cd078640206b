from paging import page
from views import listing


def test_sizes():
    assert page([1, 2, 3, 4, 5], 3, size=2) == [5]
    assert listing(["a", "b"], 2, 1) == "b"


def test_defaults():
    assert page([1, 2, 3, 4], 1) == [1, 2, 3]
    assert listing(["a", "b", "c", "d"], 2) == "d"
