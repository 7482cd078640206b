"""The prompt of the one model call: the requirement, then evidence in lines, within a budget.

Build spec 4: first the requirement, then one-line summaries of components 06, 05, 04 and 03, in
this order; signatures, never bodies. Within each, the most relevant lines come first, by strength
and soft ranks; what did not fit is counted in a line of its own. Every text of a request or a
repository stands on one line as a JSON string, so nothing in it can end its quotes, open a fence
or pass for a line of plan07's own.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from plan07 import lexis
from plan07.errors import InputError
from plan07.evidence import Evidence
from plan07.instructions import instructions
from plan07.rulebook import Rulebook

# Tokens are estimated, not counted, since each model has a tokenizer of its own.
BYTES_PER_TOKEN = 4
DEFAULT_BUDGET = 4000
_LONGEST_TEXT = 240

_BARE = re.compile(r"[A-Za-z0-9_][\w.:/\[\]-]*\Z", re.ASCII)
_WORD = re.compile(r"[\w.:/\[\]-]+")
_STRENGTHS = ("must", "should", "", "check", "revalidate")
# How the room for evidence is shared between 06, 05, 04 and 03 before leftovers go round.
_SHARES = (5, 1, 1, 3)


class Prompt(NamedTuple):
    """What is sent.

    Args:
        system: the instructions, the same for every request under the same rules.
        user: the requirement and the evidence.
        left_out: lines of evidence that did not fit.
    """

    system: str
    user: str
    left_out: int

    @property
    def scope(self) -> str:
        """SHA-256 of the fragment and its evidence; a scope is decomposed once."""
        return hashlib.sha256(self.user.encode()).hexdigest()

    @property
    def tokens(self) -> int:
        """An estimate: four bytes of UTF-8 to a token, rounded up."""
        return tokens(self.system) + tokens(self.user)


class Fragment(NamedTuple):
    """The part of a plan that is decomposed again after a failure.

    Args:
        nodes: the affected obligations in their wire form, the failed one first.
        failed: id of the failed one.
        said: the last line of what its validation said.
        untouched: ids and entities that must not show in the prompt.
    """

    nodes: Sequence[Mapping[str, Any]]
    failed: str
    said: str = ""
    untouched: frozenset[str] = frozenset()


def tokens(text: str) -> int:
    """Return how many tokens a text takes, by estimate.

    >>> tokens("four"), tokens("fours")
    (1, 2)
    """
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def build(
    requirement: Mapping[str, Any],
    evidence: Evidence,
    rules: Rulebook,
    *,
    budget: int = DEFAULT_BUDGET,
    fragment: Fragment | None = None,
) -> Prompt:
    """Return the prompt for a request, or for the part of a plan that failed.

    Args:
        requirement: in its wire form.
        evidence: merged from every origin.
        rules: whose vocabulary the model is told.
        budget: tokens that the whole prompt may take, by estimate.
        fragment: the part of a plan, for a scoped call.

    Raises:
        InputError: the requirement alone does not fit into the budget.
    """
    system = instructions(rules)
    head = [*_requirement(requirement, fragment), *_fragment(fragment)]
    sections = _sections(evidence, fragment)
    # The counts in the headings are at their longest when everything is left out.
    headings = [_heading(name, lines, 0) for name, lines in sections if lines]
    fixed = "\n\n".join([*head, *headings])
    room = budget - tokens(system) - tokens(fixed)
    if room < 0:
        raise _over(budget, budget - room)
    kept = _fill([lines for _, lines in sections], room * BYTES_PER_TOKEN)
    body: list[str] = []
    for (name, lines), number in zip(sections, kept, strict=True):
        if lines:
            body += ["", _heading(name, lines, number), *lines[:number]]
    left_out = sum(len(lines) for _, lines in sections) - sum(kept)
    return Prompt(system, "\n".join([*head, *body]) + "\n", left_out)


def shown(text: str) -> str:
    r"""Return a text on one line: a plain name as it is, anything else as a JSON string.

    >>> print(shown("auth.Session.load"), shown('say "hi"\n```'))
    auth.Session.load "say \"hi\"\n\u0060\u0060\u0060"
    """
    if _BARE.match(text):
        return text
    return quoted(text)


def quoted(text: str) -> str:
    """Return a text as a JSON string that holds no fence and nothing invisible."""
    cut = text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 3] + "..."
    clean = "".join(char if char.isprintable() or char in "\n\t" else "\ufffd" for char in cut)
    return _json(clean)


def _json(text: str) -> str:
    """A text as a JSON string: what cannot be seen, or breaks a line, is escaped, not changed."""
    written = json.dumps(text, ensure_ascii=False).replace("```", r"\u0060\u0060\u0060")
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in written)


def _requirement(requirement: Mapping[str, Any], fragment: Fragment | None) -> list[str]:
    lines = ["requirement", f"goal {_whole(requirement['goal'], fragment)}"]
    for name, key in (("criterion", "acceptance_criteria"), ("constraint", "constraints")):
        for number, text in enumerate(requirement[key], 1):
            if fragment is None or key == "constraints" or _concerns(text, fragment):
                lines.append(f"{name} {number} {_whole(text, fragment)}")
    return lines


def _whole(text: str, fragment: Fragment | None) -> str:
    """A text of the requirement or of a node, which is never cut."""
    if fragment is not None:
        text = _masked(text, fragment.untouched)
    return _json(text)


def _concerns(text: str, fragment: Fragment) -> bool:
    """Whether a criterion belongs to a fragment: one of its nodes quotes it or is named in it."""
    words = {*_WORD.findall(text), *(_last(word) for word in _WORD.findall(text))}
    return any(
        lexis.establishes(text, node["validation"], node["caused_by"])
        or node["id"] in words
        or _last(node["target_entity"]) in words
        for node in fragment.nodes
    )


def _masked(text: str, names: frozenset[str]) -> str:
    """Return a text without the ids and entities that it must not name."""
    hidden = names | {_last(name) for name in names}

    def mask(found: re.Match[str]) -> str:
        word = found.group()
        bare = word.rstrip(".:")
        return "(elsewhere)" + word[len(bare) :] if bare in hidden else word

    return _WORD.sub(mask, text)


def _last(name: str) -> str:
    return re.split(r"[.:/]+", name.rstrip(".:/"))[-1]


def _fragment(fragment: Fragment | None) -> list[str]:
    if fragment is None:
        return []
    lines = ["", "decompose these obligations again; keep an id where its obligation stays"]
    inside = {node["id"] for node in fragment.nodes}
    for node in fragment.nodes:
        needs = ", ".join(each for each in node["dependencies"] if each in inside)
        lines.append(
            f"{node['id']} {node['obligation']} {shown(node['target_entity'])}"
            f"{f' after {needs}' if needs else ''}: {_whole(node['caused_by'], fragment)}, "
            f"validated by {_whole(node['validation'], fragment)}"
        )
    said = f": {quoted(_masked(fragment.said, fragment.untouched))}" if fragment.said else ""
    return [*lines, f"the validation of {fragment.failed} failed{said}"]


def _sections(evidence: Evidence, fragment: Fragment | None) -> list[tuple[str, list[str]]]:
    """The lines of each component, the most relevant first."""
    hidden = fragment.untouched if fragment else frozenset()
    near = {node["target_entity"] for node in fragment.nodes} if fragment else None
    return [
        ("evidence 06, impact: what depends on what", _impact(evidence, hidden, near)),
        ("evidence 05, localization", _places(evidence.located, hidden, near)),
        ("evidence 04, context", _places(evidence.retrieved, hidden, near)),
        ("evidence 03, recon: signatures and relations", _recon(evidence, hidden, near)),
    ]


def relevance(evidence: Evidence, entity: str) -> float:
    """Return the soft rank of an entity, 0 to 1: half lexical, half co-change."""
    scores = evidence.scores.get(entity, {})
    return ((scores.get("lex") or 0.0) + (scores.get("cochange") or 0.0)) / 2


def _impact(evidence: Evidence, hidden: frozenset[str], near: set[str] | None) -> list[str]:
    ranked: list[tuple[tuple[Any, ...], str]] = []
    kinds = dict(reversed(evidence.changes))
    for entity, change in evidence.changes:
        if _visible((entity,), hidden, near):
            ranked.append(((-1, 0.0, 0.0), f"- {shown(entity)} changes: {change}"))
    for edge in evidence.edges:
        if not _visible((edge.source, edge.target), hidden, near):
            continue
        said = [edge.change or kinds.get(edge.source, ""), edge.strength, edge.resolution]
        words = ", ".join(word for word in said if word and word != "exact")
        line = f"- {shown(edge.source)} {edge.cause} {shown(edge.target)}"
        rank = (
            _STRENGTHS.index(edge.strength),
            -relevance(evidence, edge.target),
            -edge.confidence,
        )
        ranked.append((rank, f"{line}: {words}" if words else line))
    return _unique(ranked)


def _places(places: Sequence[Any], hidden: frozenset[str], near: set[str] | None) -> list[str]:
    ranked = []
    for place in places:
        if place.entity and not _visible((place.entity,), hidden, near):
            continue
        if near is not None and not place.entity:
            continue
        where = f"{place.path}:{place.line}" if place.line else place.path
        line = f"- {shown(where)}"
        line += f" {shown(place.entity)}" if place.entity else ""
        why = place.why.strip().splitlines()
        ranked.append(((-place.score,), f"{line}: {quoted(why[0])}" if why else line))
    return _unique(ranked)


def _recon(evidence: Evidence, hidden: frozenset[str], near: set[str] | None) -> list[str]:
    """What changes, who depends on it, then everything else around."""
    kinds = evidence.entities or {}
    about = {edge.source for edge in evidence.edges} | {each for each, _ in evidence.changes}
    about |= {each.dependency for each in evidence.relations}
    ranked = []
    for entity, signature in evidence.signatures.items():
        if _visible((entity,), hidden, near):
            kind = kinds.get(entity, "entity")
            rank = (0 if entity in about else 2, -relevance(evidence, entity))
            ranked.append((rank, f"- {kind} {shown(entity)}: {quoted(signature)}"))
    for each in evidence.relations:
        if _visible((each.dependent, each.dependency), hidden, near):
            sure = "" if each.resolution == "exact" else f", {each.resolution}"
            line = f"- {shown(each.dependent)} {each.kind} {shown(each.dependency)}{sure}"
            ranked.append(((1, -relevance(evidence, each.dependent)), line))
    return _unique(ranked)


def _visible(names: Sequence[str], hidden: frozenset[str], near: set[str] | None) -> bool:
    if hidden.intersection(names):
        return False
    return near is None or not near.isdisjoint(names)


def _unique(ranked: Iterable[tuple[tuple[Any, ...], str]]) -> list[str]:
    """The lines by rank, then by their text, each once."""
    return list(dict.fromkeys(line for _, line in sorted(ranked)))


def _heading(name: str, lines: Sequence[str], kept: int) -> str:
    if kept == len(lines):
        return f"{name} ({kept} lines)" if kept != 1 else f"{name} (1 line)"
    return f"{name} ({kept} of {len(lines)} lines, {len(lines) - kept} left out)"


def _fill(sections: Sequence[Sequence[str]], room: int) -> list[int]:
    """Return how many lines of each section fit into some bytes.

    Each section first has its share; what one leaves goes to the others in their order.
    """
    costs = [[len(line.encode()) + 1 for line in lines] for lines in sections]
    total = sum(share for share, cost in zip(_SHARES, costs, strict=True) if cost)
    kept, left = [], room
    for cost, share in zip(costs, _SHARES, strict=True):
        taken = _fitting(cost, 0, room * share // max(total, 1))
        kept.append(taken)
        left -= sum(cost[:taken])
    for index, cost in enumerate(costs):
        taken = _fitting(cost, kept[index], left)
        left -= sum(cost[kept[index] : taken])
        kept[index] = taken
    return kept


def _fitting(costs: Sequence[int], start: int, room: int) -> int:
    end = start
    while end < len(costs) and costs[end] <= room:
        room -= costs[end]
        end += 1
    return end


def _over(budget: int, needed: int) -> InputError:
    return InputError(
        "PROMPT_OVER_BUDGET",
        f"the prompt does not fit into {budget} tokens: instructions and requirement alone "
        f"take about {needed}",
        f"give --prompt-budget {needed} or more, or shorten the requirement",
        phase="decompose",
        detail={"budget": budget, "needed": needed},
    )
