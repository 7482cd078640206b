from api import show


def test_missing():
    assert show("zzz") == (404, "not found")


def test_store():
    import errors
    import pytest
    import store

    with pytest.raises(errors.NotFound):
        store.get("zzz")
