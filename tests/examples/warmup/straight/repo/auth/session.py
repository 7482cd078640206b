import time

from auth.config import SessionConfig

TIMEOUT = 30.0


class SessionManager:
    def __init__(self, config=None, clock=time.monotonic):
        self.config = config or SessionConfig()
        self._clock = clock
        self._seen = {}

    def touch(self, user):
        self._seen[user] = self._clock()

    def alive(self, user):
        seen = self._seen.get(user)
        return seen is not None and self._clock() - seen < TIMEOUT
