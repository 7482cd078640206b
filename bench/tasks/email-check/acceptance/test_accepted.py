import checks
import pytest
from users import create


def test_is_email():
    assert checks.is_email("x@y.org")
    assert not checks.is_email("")


def test_create():
    assert create("bob", "b@c.org")["email"] == "b@c.org"
    for name, email in (("bob", "bc.org"), ("b0b", "b@c.org")):
        with pytest.raises(ValueError):
            create(name, email)
