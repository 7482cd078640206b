"""The words of every violation and every piece of advice, in one table keyed by code.

Rules derive codes and details; what a person reads is here. Texts come from a model or a
repository, so each is quoted, shortened and freed of control characters before it is shown.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from plan07.errors import Finding
from plan07.facts import Fact, Term

_SHORT = 80


class Message(NamedTuple):
    """How a code is told.

    Args:
        fields: names of the details, in the order of the code's arguments.
        collect: the last fields of several findings that are one: a list of them, under this name.
        message: the sentence, from the subject and the details.
        fix: one safe thing to do, likewise.
    """

    fields: tuple[str, ...]
    message: Callable[[str, dict[str, Any]], str]
    fix: Callable[[str, dict[str, Any]], str]
    collect: str = ""


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
        rename: names of units in the rules to their ids in the plan.
        order: obligation ids to their natural order, in which findings are sorted.
    """
    merged: dict[tuple[str, str, tuple[Any, ...]], list[list[Any]]] = {}
    for code, subject in rows:
        if not isinstance(code, Fact):
            continue
        spec = _TABLE.get(code.name)
        name = subject.name if isinstance(subject, Fact) else str(subject)
        args = [_plain(arg, rename) for arg in code.args]
        kept = len(spec.fields) if spec and not spec.collect else _kept(spec, len(args))
        key = (code.name, name, tuple(args[:kept]))
        merged.setdefault(key, []).append(args[kept:])
    found = [
        (_rank(code), order.get(subject, 0), _finding(code, rename.get(subject, subject), args, more))
        for (code, subject, args), more in merged.items()
    ]
    found.sort(key=lambda each: (each[0], each[1], each[2].subject, each[2].message))
    return [finding for _, _, finding in found]


def _kept(spec: Message | None, count: int) -> int:
    return len(spec.fields) if spec else count


def _rank(code: str) -> int:
    known = list(_TABLE)
    return known.index(code) if code in _TABLE else len(known)


def _finding(code: str, subject: str, args: tuple[Any, ...], more: list[list[Any]]) -> Finding:
    spec = _TABLE.get(code, _OTHER)
    names = spec.fields or tuple(f"argument_{index + 1}" for index in range(len(args)))
    detail: dict[str, Any] = dict(zip(names, args, strict=False))
    if spec.collect:
        unique = {json.dumps(row): row for row in more}
        rows = [unique[key] for key in sorted(unique)]
        detail[spec.collect] = [row[0] if len(row) == 1 else row for row in rows]
    return Finding(
        code.upper(), subject, spec.message(subject, detail), spec.fix(subject, detail), detail
    )


def retold(finding: Finding, detail: dict[str, Any]) -> Finding:
    """Return a finding told again with more detail."""
    spec = _TABLE.get(finding.code.lower(), _OTHER)
    return finding._replace(message=spec.message(finding.subject, detail), detail=detail)


def _plain(term: Term, rename: Mapping[str, str]) -> Any:
    if isinstance(term, str):
        return rename.get(term, term)
    if isinstance(term, int):
        return term
    return term.name


def chain(edges: Iterable[tuple[str, str]], start: str, order: Mapping[str, int]) -> list[str]:
    """Return the shortest cycle through a node, lowest ids first, as the ids along it.

    Args:
        edges: (dependency, dependent) pairs within one component.
        start: a node of it.
        order: ids to their natural order.
    """
    needs: dict[str, list[str]] = {}
    for dependency, dependent in edges:
        needs.setdefault(dependent, []).append(dependency)
    came_from: dict[str, str] = {}
    layer = [start]
    while layer:
        following: list[str] = []
        for node in layer:
            for other in sorted(needs.get(node, []), key=lambda each: order.get(each, 0)):
                if other == start:
                    path = [start, node]
                    while path[-1] != start:
                        path.append(came_from[path[-1]])
                    return list(reversed(path)) + [start] if node != start else [start, start]
                if other not in came_from:
                    came_from[other] = node
                    following.append(other)
        layer = following
    return [start]


def _ids(values: Iterable[str]) -> str:
    return ", ".join(printable(value) for value in values)


def _arrows(detail: dict[str, Any]) -> str:
    return ", ".join(f"{printable(a)} before {printable(b)}" for a, b in detail["edges"])


def _always(text: str) -> Callable[[str, dict[str, Any]], str]:
    return lambda subject, detail: text


_EXPAND = (
    "split it: add the new form beside the old one (expand), move the dependents over in small "
    "obligations (migrate), delete the old form last (contract); or add a preserve obligation on "
    "the changed entity"
)

# In the order in which they are told, and in which the first names the refusal.
_TABLE: dict[str, Message] = {
    "re_decompose": Message(
        (),
        _always("the plan holds no obligation"),
        _always("decompose the request again, in a smaller scope"),
    ),
    "cap_exceeded": Message(
        ("field", "count", "limit"),
        lambda s, d: f"{quoted(s)}: {d['field']} has {d['count']}, the cap is {d['limit']}",
        lambda s, d: (
            "re-scope the request into smaller plans"
            if d["field"] == "obligations"
            else f"shorten {d['field']}, or raise the cap with "
            f"--limit max_{d['field']}={d['count']}"
        ),
    ),
    "id_invalid": Message(
        (),
        lambda s, d: f"the id {quoted(s)} is not one",
        _always(
            "use letters, digits, dots, dashes and underscores, a letter or digit first, at most "
            "64 of them"
        ),
    ),
    "duplicate_id": Message(
        ("count",),
        lambda s, d: f"the id {quoted(s)} is used {d['count']} times",
        _always("give each obligation an id of its own"),
    ),
    "unknown_dependency": Message(
        ("missing",),
        lambda s, d: f"{quoted(s)} depends on {quoted(d['missing'])}, which the plan does not hold",
        lambda s, d: f"add the obligation {quoted(d['missing'])}, or remove the dependency",
    ),
    "self_dependency": Message(
        (),
        lambda s, d: f"{quoted(s)} depends on itself",
        _always("remove the dependency"),
    ),
    "depends_on_alternative": Message(
        ("alternative",),
        lambda s, d: f"{quoted(s)} depends on the alternative {quoted(d['alternative'])}, "
        "which is not executed",
        lambda s, d: f"depend on the obligation that {quoted(d['alternative'])} stands in for",
    ),
    "ungrounded": Message(
        (),
        lambda s, d: f"{quoted(s)} names neither a cause nor a dependency",
        _always("say in caused_by what demands it, or remove it"),
    ),
    "artifact_cap": Message(
        ("bytes", "limit", "nodes"),
        lambda s, d: f"the plan takes {d['bytes']} bytes with its {d['nodes']} nodes, the artifact "
        f"has room for {d['limit']}",
        _always(
            "re-scope the request into smaller plans, or raise the cap with "
            "--limit max_static_bytes=N"
        ),
    ),
    "ambiguous_target": Message(
        ("target",),
        lambda s, d: f"{quoted(s)} targets {quoted(d['target'])}, which may be any of "
        f"{_ids(d['candidates'])}",
        _always("write the full name"),
        "candidates",
    ),
    "unknown_change": Message(
        ("change",),
        lambda s, d: f"{quoted(s)} changes its target by {quoted(d['change'])}, which the impact "
        "table does not know, and others depend on that target",
        _always("use a change kind of impact.lp, or add rows for it in an overlay"),
    ),
    "temporal_inconsistent": Message(
        (),
        lambda s, d: f"the order {_arrows(d)} would leave the repository invalid",
        lambda s, d: "remove the flagged dependencies, or let --repair drop the fewest of them",
        "edges",
    ),
    "ladder_conflict": Message(
        (),
        lambda s, d: f"the ladder contradicts itself: {_arrows(d)}",
        _always("state the changes as evidence, or change the rungs in an overlay of ladder.lp"),
        "edges",
    ),
    "breaking_gap": Message(
        (),
        lambda s, d: f"{quoted(s)} breaks what {_ids(d['dependents'])} mends, and neither order "
        "is valid",
        _always("add a preserve obligation on the changed entity, or allow breaking_policy=atomic"),
        "dependents",
    ),
    "unresolved_dependent": Message(
        ("entity",),
        lambda s, d: f"{quoted(s)} breaks {quoted(d['entity'])} ({_causes(d)}), and no obligation "
        "mends it",
        lambda s, d: f"add an obligation that modifies {quoted(d['entity'])}, or a preserve "
        "obligation on the changed entity",
        "causes",
    ),
    "undefined_test": Message(
        ("test",),
        lambda s, d: f"{quoted(s)} validates with {quoted(d['test'])}, which neither the "
        "repository nor an obligation defines",
        lambda s, d: f"add an obligation that modifies {quoted(d['test'].split('::')[0])}",
    ),
    "decomposition_cycle": Message(
        (),
        lambda s, d: "obligations depend on each other: "
        + " -> ".join(printable(each) for each in d.get("chain", d["members"])),
        _always("remove one of the dependencies, or allow cycle_policy=collapse"),
        "members",
    ),
    "cycle_through_alternative": Message(
        (),
        lambda s, d: f"{quoted(s)} is a cycle through the alternative {_ids(d['alternatives'])}",
        _always("remove the dependency on the alternative"),
        "alternatives",
    ),
    "cycle_through_complete": Message(
        (),
        lambda s, d: f"{quoted(s)} must land in one step, but {_ids(d['complete'])} is complete",
        _always("validate what is left in an obligation of its own"),
        "complete",
    ),
    "composite_over_bounds": Message(
        ("files", "limit"),
        lambda s, d: f"{quoted(s)} must land in one step and touches {d['files']} files, a step "
        f"may edit {d['limit']}",
        _always(_EXPAND),
    ),
    "unrepairable": Message(
        (),
        lambda s, d: "no declared dependency can be dropped to make the plan consistent",
        _always("look at the evidence and the ladder: they contradict each other"),
    ),
    # Advice.
    "dependency_dropped": Message(
        ("dependency",),
        lambda s, d: f"the dependency of {quoted(s)} on {quoted(d['dependency'])} was dropped to "
        "make the plan consistent",
        _always("record the revision, or write the plan anew"),
    ),
    "assumed_body": Message(
        (),
        lambda s, d: f"nothing says how {quoted(s)} changes its target, so it counts as a change "
        "of the body",
        _always("name the change in evidence.changes, or in caused_by (rename, new parameter, …)"),
    ),
    "target_unresolved": Message(
        ("target", "grounding"),
        lambda s, d: f"{quoted(s)} targets {quoted(d['target'])}, which the repository does not "
        f"hold ({d['grounding']})",
        _always("check the name, unless the obligation creates it"),
    ),
    "target_ambiguous": Message(
        ("target", "grounding"),
        lambda s, d: f"{quoted(s)} targets {quoted(d['target'])}, which may be any of "
        f"{_ids(d['candidates'])}",
        _always("write the full name; --strict-grounding refuses such plans"),
        "candidates",
    ),
    "uncertain_dependent": Message(
        ("entity",),
        lambda s, d: f"{quoted(s)} may break {quoted(d['entity'])} ({_causes(d)}, not certain)",
        _always("look at it, and add an obligation if it breaks"),
        "causes",
    ),
    "no_effect_known": Message(
        ("cause", "change", "entity"),
        lambda s, d: f"the impact table does not say what {d['change']} does along {d['cause']} "
        f"to {quoted(d['entity'])}",
        _always("add a row to impact.lp in an overlay, or strength and order to the edge"),
    ),
    "shim_after_change": Message(
        ("shim",),
        lambda s, d: f"{quoted(d['shim'])} keeps the old form alive but lands after {quoted(s)}",
        lambda s, d: f"let {quoted(s)} keep the old form, or drop that dependency",
    ),
    "unverified_test": Message(
        ("test",),
        lambda s, d: f"{quoted(s)} validates with {quoted(d['test'])}; whether that test exists "
        "is not known",
        _always("list the tests of the repository in evidence.tests"),
    ),
    "validates_before_change": Message(
        ("change",),
        lambda s, d: f"{quoted(s)} waits for nothing, so it runs before {quoted(d['change'])} "
        "changes what it validates",
        lambda s, d: f"depend on {quoted(d['change'])}, unless it pins the old behaviour",
    ),
    "complete_too_early": Message(
        ("dependency",),
        lambda s, d: f"{quoted(s)} is complete although {quoted(d['dependency'])} is not",
        _always("check the states of the artifact"),
    ),
    "evidence_truncated": Message(
        ("cause", "kept", "total"),
        lambda s, d: f"the evidence holds {d['kept']} of {d['total']} dependents of {quoted(s)} "
        f"({d['cause']})",
        _always("group the dependents by file, or read more of them"),
    ),
    "dependents_unknown": Message(
        ("calls",),
        lambda s, d: f"{d['calls']} calls that may concern {quoted(s)} could not be resolved",
        _always("look for dependents that the evidence does not list"),
    ),
}

_OTHER = Message(
    (),
    lambda s, d: f"{quoted(s)}: a rule of the overlay says so ({', '.join(map(str, d.values()))})"
    if d
    else f"{quoted(s)}: a rule of the overlay says so",
    _always("see the rule"),
)

CODES = tuple(code.upper() for code in _TABLE)


def _causes(detail: dict[str, Any]) -> str:
    return ", ".join(camel(cause) for cause in detail["causes"])


def camel(name: str) -> str:
    """Return a constant of the rules as the wire writes it.

    >>> camel("called_by")
    'CalledBy'
    """
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
