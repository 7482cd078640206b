from config import Config
from session import Session


def test_long_timeout():
    session = Session(Config("a", timeout=90))
    assert not session.expired(90)
    assert session.expired(91)


def test_default_stays():
    assert Config("a").timeout == 30
    assert Session(Config("a")).expired(31)
