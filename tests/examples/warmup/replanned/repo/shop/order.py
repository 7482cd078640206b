from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    name: str
    cents: int
