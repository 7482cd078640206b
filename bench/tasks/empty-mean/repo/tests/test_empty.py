from report import line
from stats import mean


def test_empty():
    assert mean([]) is None
    assert line("a", []) == "a: n/a"
