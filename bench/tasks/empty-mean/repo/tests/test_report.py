from report import line
from stats import mean


def test_line():
    assert mean([1, 2]) == 1.5
    assert line("a", [1, 2]) == "a: 1.5"
