"""What an atom says in words: reasons of edges, violations and advice have sentences."""

from __future__ import annotations

from collections.abc import Sequence

from plan07 import explain, messages
from plan07.errors import Finding
from plan07.facts import Atoms, Fact, parse

_FINDINGS, _EDGES = ("violation", "advice"), ("precedes", "atomic")


def sentence(atom: str) -> str:
    """Return an atom in words, or "" where plan07 has none for it.

    >>> sentence('precedes("O1","O2",declared)')
    'the plan says so'

    Args:
        atom: as the solver writes it.
    """
    name = atom.partition("(")[0]
    if name in _FINDINGS:
        return sentences([atom])[0]
    if name in _EDGES:
        because = parse(atom).args[-1]
        if isinstance(because, Fact):
            return explain.sentence(explain.reason_of(because))
    return ""


def sentences(findings: Sequence[str]) -> list[str]:
    """Return violations, or advice, in words; what the command would tell as one is one."""
    atoms = Atoms(findings)
    rows = [row for name in _FINDINGS for row in atoms.rows(name, 2)]
    return [_told(each).message for each in messages.findings(rows, {}, {})]


def _told(finding: Finding) -> Finding:
    """Tell of a cycle who is on it; the shortest way around it is known to the schedule alone."""
    if "members" not in finding.detail:
        return finding
    return messages.retold(finding, {**finding.detail, "chain": finding.detail["members"]})
