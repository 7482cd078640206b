from config import Config
from session import Session


def test_custom_timeout():
    assert Session(Config("a", timeout=5)).expired(6)
