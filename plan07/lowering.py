"""Lowers a plan and its evidence to facts.

Nothing here decides: lengths are measured, names are matched, phrases are found, and every text
becomes a string of a fact. What any of it means stands in the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from plan07 import lexis
from plan07.document import ID, Plan, Record, as_node, compact
from plan07.evidence import Edge, Evidence, Grounding, Names, Relation, ground
from plan07.facts import Fact, constant, fact

_DEFINES = re.compile(r"\bdefin(?:e|es|ed|ing)\b", re.IGNORECASE)
_SCORES = ("lex", "cochange", "confidence")
_MEASURED = ("id", "target_entity", "caused_by", "evidence", "validation")


def ordinals(records: Sequence[Record]) -> dict[str, int]:
    """Return the place of each id in the natural order, from 1."""
    return {record.id: index for index, record in enumerate(records, 1)}


def census(plan: Plan) -> Iterator[Fact]:
    """Yield how large a plan is: all that is needed to refuse one that is far too large."""
    if not plan.records or plan.declared_empty:
        yield fact("not_decomposed")
    yield fact("size", constant("plan"), constant("obligations"), len(plan.records))


def admission(plan: Plan, grounding: Mapping[str, Grounding]) -> Iterator[Fact]:
    """Yield what `admission.lp` reads: sizes, counts, ids, declared dependencies."""
    records = plan.records
    counts: dict[str, int] = {}
    for record in records:
        counts[record.id] = counts.get(record.id, 0) + 1
    yield from census(plan)
    for identifier, count in counts.items():
        yield fact("occurs", identifier, count)
        if not ID.match(identifier):
            yield fact("malformed_id", identifier)
    yield from _requirement_sizes(plan.requirement)
    yield from static_size(plan.requirement, [as_node(record) for record in records], {})
    for record in records:
        yield fact("obligation", record.id)
        yield fact("status", record.id, constant(record.status))
        if record.caused_by.strip():
            yield fact("caused", record.id)
        yield fact(
            "lengths",
            record.id,
            *(len(getattr(record, name)) for name in _MEASURED),
            len(record.dependencies),
        )
        for dependency in record.dependencies:
            yield fact("declared", record.id, dependency)
        for dependency in record.derived:
            yield fact("derived", record.id, dependency)
        found = grounding.get(record.target_entity)
        if found is not None and found.answer != "binding":
            yield fact("grounding", record.id, record.target_entity, constant(found.answer))
            for candidate in found.candidates:
                yield fact("candidate", record.id, candidate)


def _requirement_sizes(requirement: Mapping[str, Any] | None) -> Iterator[Fact]:
    if requirement is None:
        return
    subject = constant("requirement")
    criteria, constraints = requirement["acceptance_criteria"], requirement["constraints"]
    yield fact("size", subject, constant("goal"), len(requirement["goal"]))
    yield fact("size", subject, constant("criteria"), len(criteria))
    yield fact("size", subject, constant("constraints"), len(constraints))
    for name, texts in (("criterion", criteria), ("constraint", constraints)):
        for length in {len(text) for text in texts}:
            yield fact("size", subject, constant(name), length)


def static_size(
    requirement: Mapping[str, Any] | None, nodes: Sequence[Any], scores: Mapping[str, float]
) -> Iterator[Fact]:
    """Yield how many bytes the part of the artifact takes that does not grow while it runs."""
    static = {"requirement": requirement, "nodes": nodes, "branch_scores": scores}
    size = len(compact(static).encode())
    yield fact("size", constant("plan"), constant("static_bytes"), size)
    yield fact("size", constant("plan"), constant("nodes"), len(nodes))


class Lowered:
    """A plan with its evidence, names matched.

    Args:
        plan: the plan.
        evidence: merged from every origin.
    """

    def __init__(self, plan: Plan, evidence: Evidence) -> None:
        self.plan = plan
        self.evidence = evidence
        self.order = ordinals(plan.records)
        self._targets = list(dict.fromkeys(record.target_entity for record in plan.records))
        bound = {
            grounding.candidates[0]: target
            for target, grounding in evidence.grounding.items()
            if grounding.answer == "binding"
        }
        known = dict.fromkeys(self._entities_named())
        names = Names(self._targets, known.keys() - bound.keys())
        self._name = {each: bound.get(each) or names[each] for each in known}
        listed = Names(self._targets, evidence.entities or ())
        self.grounding = {
            **ground(self._targets, evidence.entities, listed),
            **evidence.grounding,
        }

    def name(self, entity: str) -> str:
        """Return the plan's own name for an entity of the evidence."""
        return self._name.get(entity, entity)

    def _entities_named(self) -> Iterator[str]:
        for edge in self.evidence.edges:
            yield edge.source
            yield edge.target
        for relation in self.evidence.relations:
            yield relation.dependent
            yield relation.dependency
        for entity, _ in self.evidence.changes:
            yield entity
        yield from self.evidence.entities or ()
        yield from (each for each in self.evidence.scores if each not in self.order)
        yield from self.evidence.files
        yield from (each[0] for each in self.evidence.truncated)
        yield from self.evidence.unresolved

    def graph(self, lexicon: frozenset[str], dropped: Iterable[tuple[str, str]]) -> list[Fact]:
        """Return the facts of the graph stage.

        Args:
            lexicon: phrases to look for.
            dropped: (obligation, dependency) pairs that a repair leaves out.
        """
        return [
            *self._obligations(frozenset(dropped)),
            *self._texts(lexicon),
            *self._tests(),
            *self._repository(),
        ]

    def _obligations(self, dropped: frozenset[tuple[str, str]]) -> Iterator[Fact]:
        for record in self.plan.records:
            yield fact("obligation", record.id)
            yield fact("ordinal", record.id, self.order[record.id])
            yield fact("verb", record.id, constant(record.obligation))
            yield fact("target", record.id, record.target_entity)
            if record.status == "alternative":
                yield fact("status", record.id, constant(record.status))
            if record.state != "pending":
                yield fact("state", record.id, constant(record.state))
            if record.validation.strip():
                yield fact("validation", record.id, record.validation.strip())
            for dependency in record.dependencies:
                if (record.id, dependency) not in dropped:
                    yield fact("declared", record.id, dependency)
            for dependency in record.derived:
                yield fact("derived", record.id, dependency)

    def _texts(self, lexicon: frozenset[str]) -> Iterator[Fact]:
        for record in self.plan.records:
            for field in ("caused_by", "evidence", "validation"):
                for phrase in lexis.phrases(getattr(record, field), lexicon):
                    yield fact("phrase", record.id, constant(field), phrase)

    def _tests(self) -> Iterator[Fact]:
        records = self.plan.records
        wanted: dict[str, list[str]] = {}
        for record in records:
            if record.obligation == "validate":
                for test in lexis.tests_named(record.validation):
                    wanted.setdefault(test, []).append(record.id)
        defined = {record.id: _tests_said_to_be_defined(record) for record in records if wanted}
        tests = self.evidence.tests
        if tests is not None:
            yield fact("tests_known")
        for test, needed_by in wanted.items():
            for identifier in needed_by:
                yield fact("needs_test", identifier, test)
            if tests is not None and lexis.has_test(test, tests):
                yield fact("test", test)
            for record in records:
                if test in defined.get(record.id, ()) or lexis.names_test(
                    record.target_entity, test
                ):
                    yield fact("defines_test", record.id, test)

    def _repository(self) -> Iterator[Fact]:
        evidence, name = self.evidence, self.name
        nesting = self._nesting()
        near = {*self._targets, *(entity for pair in nesting for entity in pair)}
        for container, entity in nesting:
            yield fact("contains", container, entity)
        for edge in evidence.edges:
            source, target = name(edge.source), name(edge.target)
            if source not in near and target not in near:
                continue
            yield from impact_facts(edge, source, target)
        for each in evidence.relations:
            yield relation_fact(each, name(each.dependent), name(each.dependency))
        for entity, change in evidence.changes:
            yield fact("change", name(entity), constant(change))
        for entity, kind in (evidence.entities or {}).items():
            yield fact("entity", name(entity), constant(kind))
        for entity, cause_name, kept, total in evidence.truncated:
            yield fact("truncated", name(entity), constant(snake(cause_name)), kept, total)
        for entity, calls in evidence.unresolved.items():
            yield fact("unresolved_calls", name(entity), calls)

    def _nesting(self) -> list[tuple[str, str]]:
        """The (outer, inner) pairs, by name or by evidence, of which one is a target."""
        targets = set(self._targets)
        named = {*self._name.values(), *targets}
        pairs = [
            (container, entity)
            for entity in named
            for container in lexis.outer(entity)
            if container in targets or (entity in targets and container in named)
        ]
        pairs += [(self.name(a), self.name(b)) for a, b in self.evidence.contains]
        return [pair for pair in pairs if pair[0] in targets or pair[1] in targets]

    def schedule(self) -> Iterator[Fact]:
        """Yield what the schedule stage reads of the plan, beside the edges of the graph."""
        ids = frozenset(self.order)
        yield from (
            each
            for each in self._obligations(frozenset())
            if each.name not in ("declared", "derived")
        )
        for record in self.plan.records:
            if record.status == "alternative":
                for other in lexis.mentions(record.caused_by, ids):
                    yield fact("mentions", record.id, other)
                if (kept := self.plan.branch_scores.get(record.id)) is not None:
                    yield fact("kept_score", record.id, per_mille(kept))
        yield from self._files()
        alternatives = {r.target_entity for r in self.plan.records if r.status == "alternative"}
        for edge in self.evidence.edges:
            if (target := self.name(edge.target)) in alternatives:
                confidence = constant("confidence")
                yield fact("score", target, confidence, per_mille(edge.confidence))
        for subject, scores in self.evidence.scores.items():
            for source in _SCORES:
                if (share := scores.get(source)) is not None:
                    named = subject if subject in ids else self.name(subject)
                    yield fact("score", named, constant(source), per_mille(share))

    def places(self) -> Iterator[Fact]:
        """Yield where the target of each obligation lies, for rules that ask: ASP has no prefix."""
        files = {self.name(each): file for each, file in self.evidence.files.items()}
        for record in self.plan.records:
            target = record.target_entity
            found = [*lexis.places(target), *lexis.places(files.get(target, ""))]
            for place in dict.fromkeys(each for each in found if each):
                yield fact("lies_in", record.id, place)

    def _files(self) -> Iterator[Fact]:
        kinds = {self.name(each): kind for each, kind in (self.evidence.entities or {}).items()}
        known = set(self._name.values())
        files = {self.name(each): file for each, file in self.evidence.files.items()}
        for record in self.plan.records:
            target = record.target_entity
            file = files.get(target)
            if file is None and (target in known or "/" in target):
                file = lexis.file_of(target, kinds.get(target))
            if file is not None and record.obligation != "validate":
                yield fact("edits_file", record.id, _path_of(file, files.values()))


def impact_facts(edge: Edge, source: str, target: str) -> Iterator[Fact]:
    """Yield an impact edge between two entities, as the plan calls them."""
    cause, resolution = constant(snake(edge.cause)), constant(edge.resolution)
    yield fact("impact", cause, source, target, resolution)
    said = (edge.change, edge.strength, edge.order)
    if any(said):
        words = [constant(each or "unsaid") for each in said]
        yield fact("impact_says", cause, source, target, *words, resolution)


def relation_fact(relation: Relation, dependent: str, dependency: str) -> Fact:
    """Return a dependency between two entities, as the plan calls them."""
    kind, resolution = constant(relation.kind), constant(relation.resolution)
    return fact("relation", kind, dependent, dependency, resolution)


def _tests_said_to_be_defined(record: Record) -> list[str]:
    """Return the tests that the text "defines <test>" names."""
    text = f"{record.caused_by} {record.evidence}"
    return lexis.tests_named(text) if _DEFINES.search(text) else []


def _path_of(module: str, paths: Iterable[str]) -> str:
    """Return the path that a module is known by, or the module's name."""
    ending = module.replace(".", "/")
    fitting = [path for path in paths if f"/{path.rsplit('.', 1)[0]}".endswith(f"/{ending}")]
    return min(fitting, default=module)


def per_mille(share: float) -> int:
    """Return a share of 1 as the rules count it, 0 to 1000."""
    return round(share * 1000)


@lru_cache(maxsize=256)
def snake(name: str) -> str:
    """Return a name of the wire as a constant of the rules.

    >>> snake("CalledBy")
    'called_by'
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
