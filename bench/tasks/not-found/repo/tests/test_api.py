from api import show


def test_show():
    assert show("a") == (200, 1)
