from fetch import fetch
from ids import parse


def test_texts():
    assert parse("3") == [3]
    assert fetch("2,1 ") == ["two", "one"]


def test_lists():
    assert parse([]) == []
    assert fetch([3, 1]) == ["three", "one"]
