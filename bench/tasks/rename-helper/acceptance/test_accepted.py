import text
from labels import label
from search import find


def test_renamed():
    assert text.normalize("  Bc ") == "bc"
    assert not hasattr(text, "norm")


def test_callers():
    assert find(["X", "y "], " x") == ["X"]
    assert label("Top ") == "#top"
