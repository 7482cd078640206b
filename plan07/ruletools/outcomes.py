"""What came of a rule test."""

from __future__ import annotations

from typing import Any, NamedTuple

PASSED, FAILED, ERROR = "passed", "failed", "error"


class Missing(NamedTuple):
    """An atom that was expected and is not derived.

    Args:
        pattern: as the test writes it.
        line: where it stands in the test file, or None if the test spells it out by a rule.
        nearest: derived atoms of the same predicate, the most similar first.
    """

    pattern: str
    line: int | None
    nearest: tuple[str, ...]


class Outcome(NamedTuple):
    """What came of a test.

    Args:
        path: the test file.
        name: of the test.
        line: where it stands.
        status: passed; failed, the rules do something else; error, it could not be run.
        missing: what they should derive.
        unexpected: what they should not derive.
        problems: what else is wrong, as sentences.
    """

    path: str
    name: str
    line: int
    status: str
    missing: tuple[Missing, ...] = ()
    unexpected: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        missing = [{**each._asdict(), "nearest": list(each.nearest)} for each in self.missing]
        return {
            **self._asdict(),
            "missing": missing,
            "unexpected": list(self.unexpected),
            "problems": list(self.problems),
        }


def outcome_from(value: dict[str, Any]) -> Outcome:
    """Return the outcome of a wire form."""
    missing = tuple(
        Missing(each["pattern"], each["line"], tuple(each["nearest"])) for each in value["missing"]
    )
    unexpected, problems = tuple(value["unexpected"]), tuple(value["problems"])
    return Outcome(**{**value, "missing": missing, "unexpected": unexpected, "problems": problems})


def told(outcome: Outcome) -> list[str]:
    """Return what is wrong, line by line; nothing for a test that passes."""
    lines = list(outcome.problems)
    for missing in outcome.missing:
        place = "" if missing.line is None else f"line {missing.line}: "
        lines.append(f"{place}expected, not derived: {missing.pattern}")
        lines += [f"  nearest: {atom}" for atom in missing.nearest]
        if not missing.nearest:
            lines.append(f"  nothing of {missing.pattern.partition('(')[0]} is derived")
    lines += [f"derived, not expected: {atom}" for atom in outcome.unexpected]
    return lines
