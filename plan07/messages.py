"""The words of every violation and every piece of advice, in one table keyed by code.

Rules derive codes and details; what a person reads is here. Texts come from a model or a
repository, so each is quoted, shortened and freed of control characters before it is shown.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from plan07.errors import Finding
from plan07.facts import Fact, Term

_SHORT = 80


class Message(NamedTuple):
    """How a code is told.

    In `message` and `fix`, `{subject}` and the details stand quoted, `{name:raw}` stands bare,
    `{name:roomy}` is half as much again, and lists are joined.

    Args:
        message: one sentence.
        fix: one safe thing to do.
        fields: names of the details, in the order of the code's arguments.
        collect: atoms that differ only in the arguments after `fields` are told as one; this
            detail lists those arguments.
        names_subject: the subject stands in the details too, under this name.
    """

    message: str
    fix: str
    fields: tuple[str, ...] = ()
    collect: str = ""
    names_subject: str = ""


def printable(text: str) -> str:
    r"""Return a text in which nothing acts on a terminal.

    Control and format characters (escapes, newlines, right-to-left marks) become `\uXXXX`.

    >>> printable("a\x1b[31mb\u202e")
    'a\\u001b[31mb\\u202e'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        char if char.isprintable() and unicodedata.category(char) != "Cf" else _escaped(char)
        for char in text
    )


def quoted(text: str) -> str:
    r"""Return a text as one short line in double quotes, its special characters escaped.

    >>> quoted('a\n## Output')
    '"a\\n## Output"'
    """
    shown = text if len(text) <= _SHORT else text[: _SHORT - 3] + "..."
    return printable(json.dumps(shown, ensure_ascii=False))


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def findings(
    rows: Iterable[tuple[Term, ...]], rename: Mapping[str, str], order: Mapping[str, int]
) -> list[Finding]:
    """Return the findings behind `violation(Code, Subject)` or `advice(Code, Subject)` atoms.

    Args:
        rows: the arguments of the atoms.
        rename: subjects that are units of the rules, to their ids in the plan.
        order: obligation ids to their natural order, in which findings are sorted.
    """
    merged: dict[tuple[str, str, tuple[Any, ...]], list[list[Any]]] = {}
    for term, subject in rows:
        # A rule of the user's own may bring its words along.
        code = term if isinstance(term, Fact) else Fact("overlay", (term,))
        spec = _TABLE.get(code.name, _OTHER)
        args = [_plain(arg) for arg in code.args]
        kept = len(spec.fields) if spec.collect else len(args)
        key = (code.name, str(_plain(subject)), tuple(args[:kept]))
        merged.setdefault(key, []).append(args[kept:])
    ranks = {code: rank for rank, code in enumerate(_TABLE)}
    found = [
        (
            ranks.get(code, len(ranks)),
            order.get(subject, 0),
            _finding(code, rename.get(subject, subject), args, more),
        )
        for (code, subject, args), more in merged.items()
    ]
    found.sort(key=lambda each: (each[0], each[1], each[2].subject, each[2].message))
    return [finding for _, _, finding in found]


def _finding(code: str, subject: str, args: tuple[Any, ...], more: list[list[Any]]) -> Finding:
    spec = _TABLE.get(code, _OTHER)
    names = spec.fields or tuple(f"argument_{index + 1}" for index in range(len(args)))
    detail: dict[str, Any] = {spec.names_subject: subject} if spec.names_subject else {}
    detail.update(zip(names, args, strict=False))
    if spec.collect:
        rows = sorted(more, key=json.dumps)
        detail[spec.collect] = [row[0] if len(row) == 1 else row for row in rows]
    if spec.collect == "causes":
        detail["causes"] = [camel(str(cause)) for cause in detail["causes"]]
    return _told(Finding(code.upper(), subject, "", "", detail), spec)


def noticed(notices: Iterable[str]) -> list[Finding]:
    """Return as advice what clingo remarked about rules, such as an atom that nothing derives."""
    found = []
    for notice in dict.fromkeys(notices):
        text = " ".join(notice.split())
        place, _, said = text.partition(": info: ")
        subject = place.replace("\\", "/").rpartition("/")[2] if said else "the rules"
        found.append(
            Finding(
                "RULE_NOTICE",
                subject,
                f"{subject}: {said or text}"[:300],
                "look for a misspelt name, a wrong number of arguments or another stage's atom",
                {"place": place if said else None},
            )
        )
    return found


def retold(finding: Finding, detail: dict[str, Any]) -> Finding:
    """Return a finding told again with other details."""
    spec = _TABLE.get(finding.code.lower(), _OTHER)
    return _told(finding._replace(detail=detail), spec)


def _told(finding: Finding, spec: Message) -> Finding:
    shown = _Details({name: _Shown(value) for name, value in finding.detail.items()})
    shown["subject"] = _Shown(finding.subject)
    shown["chain"] = _Shown(_chained(finding.detail.get("chain", [])))
    return finding._replace(message=spec.message.format_map(shown), fix=spec.fix.format_map(shown))


class _Details(dict[str, "_Shown"]):
    """The parts of a sentence; a rule of an overlay may leave some out."""

    def __missing__(self, name: str) -> _Shown:
        return _Shown(f"({name})")


class _Shown:
    """A detail as it stands in a sentence."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __format__(self, spec: str) -> str:
        value = self._value
        if isinstance(value, list):
            return ", ".join(_item(each) for each in value)
        if spec == "roomy" and isinstance(value, int):
            # Resolved dependencies make an artifact larger than what was measured first.
            return str(value + value // 2)
        if isinstance(value, str) and spec != "raw":
            return quoted(value)
        return printable(str(value))


def _chained(value: list[str]) -> str:
    return " -> ".join(printable(each) for each in value)


def _item(value: Any) -> str:
    if isinstance(value, list):
        return " before ".join(printable(str(each)) for each in value)
    return printable(str(value))


def _plain(term: Term) -> Any:
    return term.name if isinstance(term, Fact) else term


def camel(name: str) -> str:
    """Return a constant of the rules as the wire writes it.

    >>> camel("called_by")
    'CalledBy'
    """
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def chain(edges: Iterable[tuple[str, str]], start: str, order: Mapping[str, int]) -> list[str]:
    """Return the shortest cycle through a node, lowest ids first, as the ids along it.

    >>> chain([("O2", "O1"), ("O1", "O2")], "O1", {"O1": 1, "O2": 2})
    ['O1', 'O2', 'O1']

    Args:
        edges: (dependency, dependent) pairs within one component.
        start: a node of it.
        order: ids to their natural order.
    """
    needs: dict[str, set[str]] = {}
    for dependency, dependent in edges:
        needs.setdefault(dependent, set()).add(dependency)
    came_from: dict[str, str] = {}
    layer = [start]
    while layer:
        following: list[str] = []
        for node in layer:
            for other in sorted(needs.get(node, ()), key=lambda each: order.get(each, 0)):
                if other == start:
                    path = [node]
                    while path[-1] != start:
                        path.append(came_from[path[-1]])
                    return [*reversed(path), start]
                if other not in came_from:
                    came_from[other] = node
                    following.append(other)
        layer = following
    return [start]


# In the order in which they are told, and in which the first names the refusal.
_TABLE: dict[str, Message] = {
    "re_decompose": Message(
        "the plan holds no obligation", "decompose the request again, in a smaller scope"
    ),
    "cap_exceeded": Message(
        "{subject}: {field:raw} has {count}, the cap is {limit}",
        "re-scope or shorten it, or raise the cap with --limit max_{field:raw}={count}",
        ("field", "count", "limit"),
    ),
    "id_invalid": Message(
        "the id {subject} is not one",
        "use letters, digits, dots, dashes and underscores, a letter or digit first, at most 64",
    ),
    "duplicate_id": Message(
        "the id {subject} is used {count} times",
        "give each obligation an id of its own",
        ("count",),
    ),
    "unknown_dependency": Message(
        "{subject} depends on {missing}, which the plan does not hold",
        "add the obligation {missing}, or remove the dependency",
        ("missing",),
        names_subject="id",
    ),
    "self_dependency": Message("{subject} depends on itself", "remove the dependency"),
    "depends_on_alternative": Message(
        "{subject} depends on the alternative {alternative}, which is not executed",
        "depend on the obligation that {alternative} stands in for",
        ("alternative",),
    ),
    "ungrounded": Message(
        "{subject} names neither a cause nor a dependency",
        "say in caused_by what demands it, or remove it",
    ),
    "artifact_cap": Message(
        "the plan takes {bytes} bytes with its {nodes} nodes, the artifact has room for {limit}",
        "re-scope the request into smaller plans, or raise the cap with "
        "--limit max_static_bytes={bytes:roomy}",
        ("bytes", "limit", "nodes"),
    ),
    "ambiguous_target": Message(
        "{subject} targets {target}, which may be any of {candidates}",
        "write the full name",
        ("target",),
        "candidates",
    ),
    "unknown_change": Message(
        "{subject} changes its target by {change}, which the impact table does not know, and "
        "others depend on that target",
        "use a change kind of impact.lp, or add rows for it in an overlay",
        ("change",),
    ),
    "temporal_inconsistent": Message(
        "an order would leave the repository invalid: {edges}",
        "remove the flagged dependencies, or let --repair drop the fewest of them",
        collect="edges",
    ),
    "ladder_conflict": Message(
        "the ladder contradicts itself: {edges}",
        "state the changes as evidence, or change the rungs in an overlay of ladder.lp",
        collect="edges",
    ),
    "breaking_gap": Message(
        "{subject} breaks what {dependents} must mend, and neither order is valid alone",
        "add a preserve obligation on the changed entity, or allow breaking_policy=atomic",
        collect="dependents",
    ),
    "unresolved_dependent": Message(
        "{subject} breaks {entity} ({causes}), and no obligation mends it",
        "add an obligation that modifies {entity}; unless something is deleted, a preserve "
        "obligation on the changed entity does too; if {subject} changes it in a way that breaks "
        "nothing, name that in evidence.changes",
        ("entity",),
        "causes",
        "node",
    ),
    "undefined_test": Message(
        "{subject} validates with {test}, which neither the repository nor an obligation defines",
        "add an obligation that modifies the file of {test}",
        ("test",),
        names_subject="node",
    ),
    "decomposition_cycle": Message(
        "obligations depend on each other: {chain:raw}",
        "remove one of the dependencies, or allow cycle_policy=collapse",
        collect="members",
    ),
    "cycle_through_alternative": Message(
        "{subject} is a cycle through {alternatives}, an alternative",
        "remove the dependency on the alternative",
        collect="alternatives",
    ),
    "cycle_through_complete": Message(
        "{subject} must land in one step, but {complete} is complete already",
        "validate what is left in an obligation of its own",
        collect="complete",
    ),
    "composite_over_bounds": Message(
        "{subject} must land in one step and touches {files} files, a step may edit {limit}",
        "split it: add the new form beside the old one (expand), move the dependents over in "
        "small obligations (migrate), delete the old form last (contract); or add a preserve "
        "obligation on the changed entity",
        ("files", "limit"),
    ),
    # Advice.
    "dependency_dropped": Message(
        "the dependency of {subject} on {dependency} was dropped to make the plan consistent",
        "record the revision, or write the plan anew",
        ("dependency",),
    ),
    "assumed_body": Message(
        "nothing says how {subject} changes its target, so it counts as a change of the body",
        "name the change in evidence.changes, or in caused_by (rename, new parameter, ...)",
    ),
    "target_unresolved": Message(
        "{subject} targets {target}, which the repository does not hold ({grounding:raw})",
        "check the name, unless the obligation creates it",
        ("target", "grounding"),
    ),
    "target_ambiguous": Message(
        "{subject} targets {target}, which may be any of {candidates}",
        "write the full name; --strict-grounding refuses such plans",
        ("target", "grounding"),
        "candidates",
    ),
    "uncertain_dependent": Message(
        "{subject} may break {entity} ({causes}, not certain)",
        "look at it, and add an obligation if it breaks",
        ("entity",),
        "causes",
    ),
    "no_effect_known": Message(
        "the impact table does not say what the {change:raw} of {subject} does along {cause:raw} "
        "to {entity}",
        "add a row to impact.lp in an overlay, or strength and order to the edge",
        ("cause", "change", "entity"),
    ),
    "shim_after_change": Message(
        "{shim} keeps the old form alive but lands after {subject}",
        "let {subject} keep the old form, or drop that dependency",
        ("shim",),
    ),
    "unverified_test": Message(
        "{subject} validates with {test}; whether that test exists is not known",
        "list the tests of the repository in evidence.tests",
        ("test",),
    ),
    "validates_before_change": Message(
        "{subject} waits for nothing, so it runs before {change} changes what it validates",
        "depend on {change}, unless it pins the old behaviour",
        ("change",),
    ),
    "complete_too_early": Message(
        "{subject} is complete although {dependency} is not",
        "check the states of the artifact",
        ("dependency",),
    ),
    "evidence_truncated": Message(
        "the evidence holds {kept} of {total} dependents of what {subject} changes ({cause:raw})",
        "group the dependents by file, or read more of them",
        ("cause", "kept", "total"),
    ),
    "dependents_unknown": Message(
        "{calls} calls that may concern what {subject} changes could not be resolved",
        "look for dependents that the evidence does not list",
        ("calls",),
    ),
}

CODES = tuple(code.upper() for code in _TABLE)

_TABLE["overlay"] = Message(
    "{subject}: {text:raw}", "see the rule of the overlay that says so", ("text",)
)

# A rule of the user's own may refuse or advise; its words are in the user's rule file.
_OTHER = Message("{subject}: a rule of the overlay says so", "see the rule")
