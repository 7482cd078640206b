from auth.config import SessionConfig


def test_the_timeout_can_be_set():
    assert SessionConfig(timeout=5.0).timeout == 5.0
