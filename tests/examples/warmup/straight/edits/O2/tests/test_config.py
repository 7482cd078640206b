from auth.config import SessionConfig


def test_the_timeout_can_be_set():
    assert SessionConfig(timeout=5.0).timeout == 5.0


def test_the_default_is_thirty_seconds():
    assert SessionConfig().timeout == 30.0
