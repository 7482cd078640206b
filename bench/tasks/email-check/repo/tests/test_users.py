import pytest
from users import create


def test_create():
    assert create("ann", "ann@b.org") == {"name": "ann", "email": "ann@b.org"}


def test_name():
    with pytest.raises(ValueError):
        create("1", "ann@b.org")
