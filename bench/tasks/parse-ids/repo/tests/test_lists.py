from fetch import fetch
from ids import parse


def test_list():
    assert parse([1, 2]) == [1, 2]
    assert fetch([2]) == ["two"]
