import export
from cli import run


def test_to_csv():
    assert export.to_csv([["a", "b"]]) == "a,b"


def test_run():
    assert run("csv", [["a", "b"], ["c", "d"]]) == "a,b\nc,d"
