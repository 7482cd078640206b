from dataclasses import dataclass


@dataclass(frozen=True)
class SessionConfig:
    cookie: str = "sid"
