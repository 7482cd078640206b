from auth.config import SessionConfig
from auth.session import SessionManager


def ends_after(seconds, config=None):
    now = [0.0]
    manager = SessionManager(config, clock=lambda: now[0])
    manager.touch("ada")
    now[0] = seconds - 1.0
    assert manager.alive("ada")
    now[0] = seconds
    assert not manager.alive("ada")


def test_a_session_ends_after_thirty_seconds():
    ends_after(30.0)


def test_a_session_ends_after_its_timeout():
    ends_after(5.0, SessionConfig(timeout=5.0))
