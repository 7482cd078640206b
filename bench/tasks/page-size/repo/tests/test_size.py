from paging import page
from views import listing


def test_size():
    assert page("abcd", 2, 2) == "cd"
    assert listing(["a", "b", "c"], 2, size=2) == "c"
