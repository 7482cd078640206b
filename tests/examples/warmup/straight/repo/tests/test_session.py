from auth.session import SessionManager


def test_a_session_ends_after_thirty_seconds():
    now = [0.0]
    manager = SessionManager(clock=lambda: now[0])
    manager.touch("ada")
    now[0] = 29.0
    assert manager.alive("ada")
    now[0] = 30.0
    assert not manager.alive("ada")
