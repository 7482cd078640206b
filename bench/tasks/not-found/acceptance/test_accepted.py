import errors
import pytest
import store
from api import show


def test_raises():
    assert issubclass(errors.NotFound, Exception)
    with pytest.raises(errors.NotFound):
        store.get("")


def test_answers():
    assert show("a") == (200, 1)
    assert show("b") == (404, "not found")
