"""The decomposer without a model: obligations that rules draft from criteria and evidence.

Which obligations there are stands in `draft.lp`; this module says what the texts name, and writes
the records down.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from plan07 import checks, lexis
from plan07.decompose import Decomposition, no_op
from plan07.document import natural
from plan07.evidence import Evidence, node_id
from plan07.facts import Atoms, Fact, Term, constant, fact
from plan07.lowering import impact_facts, relation_fact
from plan07.messages import camel
from plan07.rulebook import Rulebook

_LONGEST = 200
_WHOLE_REQUEST = "."
# The order of ids: what changes, what mends it, tests that are written, then checks.
_PLACES = ("change", "part", "criterion", "mend", "define", "check")


def draft(requirement: Mapping[str, Any], evidence: Evidence, rules: Rulebook) -> Decomposition:
    """Return the obligations that a request demands as far as rules can tell.

    Args:
        requirement: in its wire form.
        evidence: merged from every origin.
        rules: the composed rules.

    Raises:
        RulesError: the rules are broken.
    """
    facts = [*_requirement(requirement, evidence, rules.lexicon), *_repository(evidence)]
    atoms = rules.solve("draft", facts)
    drafted = {key: (verb.name, target) for key, verb, target in _drafted(atoms)}
    if not drafted:
        return no_op("neither a criterion nor the evidence demands an obligation")
    keys = sorted(drafted, key=_place)
    ids = {key: f"O{number}" for number, key in enumerate(keys, 1)}
    causes = _grouped(atoms, "demanded_by")
    tests = {
        key: [name for test in found if (name := node_id(test, evidence)) is not None]
        for key, found in _grouped(atoms, "proved_by").items()
    }
    waits = _grouped(atoms, "waits_for")
    return Decomposition(
        {
            "obligations": [
                {
                    "id": ids[key],
                    "target_entity": _cut(drafted[key][1] or _WHOLE_REQUEST),
                    "obligation": drafted[key][0],
                    "caused_by": _cut(_cause(causes[key], requirement)),
                    "dependencies": sorted((ids[each] for each in waits[key]), key=natural),
                    "evidence": _cut(_evidence(causes[key], drafted[key][1])),
                    "status": "blocked" if waits[key] else "ready",
                    "validation": _cut(_validation(key, tests.get(key, ()), requirement)),
                }
                for key in keys
            ]
        }
    )


def _requirement(
    requirement: Mapping[str, Any], evidence: Evidence, lexicon: frozenset[str]
) -> Iterator[Fact]:
    known = frozenset(_entities(evidence))
    texts: list[tuple[Term, str]] = [(constant("goal"), requirement["goal"])]
    for number, text in enumerate(requirement["acceptance_criteria"], 1):
        item = fact("criterion", number)
        texts.append((item, text))
        yield item
        if checks.command_in(text) or checks.parse(text)[0].kind == "command":
            yield fact("runs", item)
    tests = evidence.tests
    if tests is not None:
        yield fact("tests_known")
    for said, text in texts:
        for phrase in lexis.phrases(text, lexicon):
            yield fact("says", said, phrase)
        named = lexis.tests_named(text)
        for test in named:
            yield fact("names_test", said, test)
            if tests is not None and lexis.has_test(test, tests):
                yield fact("test", test)
        entities = [each for each in lexis.entities_named(text, known) if each not in named]
        for entity in entities:
            yield fact("names", said, entity)
            if entity in known:
                yield fact("known", entity)
            for outer in lexis.outer(entity):
                if outer in entities:
                    yield fact("contains", outer, entity)


def _repository(evidence: Evidence) -> Iterator[Fact]:
    for edge in evidence.edges:
        yield from impact_facts(edge, edge.source, edge.target)
    for relation in evidence.relations:
        yield relation_fact(relation, relation.dependent, relation.dependency)
    for entity, change in evidence.changes:
        yield fact("change", entity, constant(change))


def _entities(evidence: Evidence) -> Iterator[str]:
    for edge in evidence.edges:
        yield edge.source
        yield edge.target
    for relation in evidence.relations:
        yield relation.dependent
        yield relation.dependency
    yield from (entity for entity, _ in evidence.changes)
    yield from evidence.entities or ()
    yield from evidence.signatures


def _drafted(atoms: Atoms) -> Iterator[tuple[Fact, Fact, str]]:
    for key, verb, target in atoms.rows("drafted", 3):
        if isinstance(key, Fact) and isinstance(verb, Fact) and isinstance(target, str):
            yield key, verb, target


def _grouped(atoms: Atoms, name: str) -> Mapping[Fact, list[Any]]:
    from collections import defaultdict

    found: dict[Fact, list[Any]] = defaultdict(list)
    for key, value in atoms.rows(name, 2):
        if isinstance(key, Fact):
            found[key].append(value)
    return found


def _place(key: Fact) -> tuple[Any, ...]:
    named = [arg for arg in key.args if isinstance(arg, str)]
    numbers = [arg for arg in key.args if isinstance(arg, int)]
    return _PLACES.index(key.name), numbers, [natural(name) for name in named]


def _cause(causes: Iterable[Fact], requirement: Mapping[str, Any]) -> str:
    said: list[str] = []
    for cause in sorted(causes, key=_cause_place):
        if cause.name == "change":
            said.append(_words(cause.args[0]))
        elif cause.name == "criterion" and isinstance(cause.args[0], int):
            number = cause.args[0]
            said.append(f"criterion {number}: {requirement['acceptance_criteria'][number - 1]}")
        elif cause.name == "impact":
            said.append("impact: consumer re-bind")
    return "; ".join(dict.fromkeys(said))


def _cause_place(cause: Fact) -> tuple[Any, ...]:
    return ("change", "impact", "criterion").index(cause.name), str(cause.args)


def _evidence(causes: Iterable[Fact], target: str) -> str:
    edges = sorted(
        f"{cause.args[1]} {camel(cause.args[0].name)} {target}"
        for cause in causes
        if cause.name == "impact" and isinstance(cause.args[0], Fact)
    )
    return f"06: {'; '.join(edges)}" if edges else ""


def _validation(key: Fact, tests: Sequence[str], requirement: Mapping[str, Any]) -> str:
    """The test that covers it, else the command or the words of its criterion."""
    if key.name in ("check", "define"):
        return next(arg for arg in key.args if isinstance(arg, str))
    if tests:
        return min(tests, key=natural)
    numbers = [arg for arg in key.args if isinstance(arg, int)]
    criteria: Sequence[str] = requirement["acceptance_criteria"]
    text = criteria[numbers[0] - 1] if numbers else criteria[0]
    command = checks.command_in(text)
    return f"`{command}`" if command else text


def _words(kind: Term) -> str:
    return kind.name.replace("_", " ") if isinstance(kind, Fact) else str(kind)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
