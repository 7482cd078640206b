from report import line
from stats import mean


def test_empty():
    assert mean([]) is None
    assert line("load", []) == "load: n/a"


def test_zero_is_a_value():
    assert mean([0]) == 0
    assert line("load", [0]) == "load: 0.0"
