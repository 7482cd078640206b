from search import find


def test_find():
    assert find(["Ab ", "c"], "ab") == ["Ab "]
