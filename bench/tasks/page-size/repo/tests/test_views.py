from paging import page
from views import listing


def test_pages():
    assert page("abcd", 2) == "d"
    assert listing(["a", "b", "c", "d"], 1) == "a, b, c"
