from fetch import fetch
from ids import parse


def test_text():
    assert parse("1,2") == [1, 2]
    assert fetch(" 1,3 ") == ["one", "three"]
