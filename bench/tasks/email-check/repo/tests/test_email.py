import checks
import pytest
from users import create


def test_is_email():
    assert checks.is_email("a@b")
    assert not checks.is_email("ab")


def test_create():
    with pytest.raises(ValueError):
        create("ann", "nowhere")
