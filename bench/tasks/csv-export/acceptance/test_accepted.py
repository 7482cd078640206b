import export
import pytest
from cli import run


def test_csv():
    assert export.to_csv([]) == ""
    assert run("csv", [["1"], ["2", "3"]]) == "1\n2,3"


def test_others_stay():
    assert run("text", [["1", "2"]]) == "1 2"
    with pytest.raises(ValueError):
        run("xml", [])
