from config import Config
from session import Session


def test_default():
    session = Session(Config("a"))
    assert session.expired(31)
    assert not session.expired(30)
