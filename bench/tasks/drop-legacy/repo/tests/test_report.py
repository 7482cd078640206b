import totals
from report import summary


def test_summary():
    assert summary([1, 2]) == "2 items, 3 in total"


def test_total():
    assert totals.total([4, 5]) == 9
