import pytest
from cli import run


def test_text():
    assert run("text", [["a", "b"], ["c", "d"]]) == "a b\nc d"


def test_unknown():
    with pytest.raises(ValueError, match="xml"):
        run("xml", [])
