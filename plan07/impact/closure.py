"""The closure of a change over its dependents, as far as the rules walk.

The rules name the entities whose neighbourhood they want; it is read, and they run again, until
they want nothing more. Each round goes one hop further, so there are few.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from plan07.facts import Atoms, Fact, Term, constant, fact, render, unusable
from plan07.impact.neighbourhood import Neighbourhood
from plan07.rulebook import Rulebook

STAGE = "impact"
# The cause of documents that tell of what changes.
DOCUMENTED = "documented_by"
# More rounds than a walk of max_hops takes; a rule of an overlay may want something for ever.
_MOST_ROUNDS = 16


class Seed(NamedTuple):
    """What changes, and how.

    Args:
        entity: its name in recon.db.
        change: a kind of change, as impact.lp knows them.
        detail: what else is known: `param`, the parameter that the change is about, ...
        origin: request, diff, user or oracle.
    """

    entity: str
    change: str
    detail: Mapping[str, Any] = {}
    origin: str = "user"


class Effect(NamedTuple):
    """A change of one entity reaches another.

    Args:
        source, target: entities; `target` depends on `source`.
        change: of the source.
        cause: relation seen from the source, as the rules name it.
        group: the row of the table, with the change.
        how: direct, constructor, over or under.
        via: the entity that the target uses: the source, one of its family, or its class.
        strength, order, hop, resolution: as impact.json has them, the order as the rules name it.
        confidence: of the path, per mille.
        derived: what the target goes through itself, "" for nothing.
    """

    source: str
    target: str
    change: str
    cause: str
    group: str
    how: str
    via: str
    strength: str
    order: str
    hop: int
    confidence: int
    resolution: str
    derived: str


class Closure(NamedTuple):
    """Whom some changes reach.

    Args:
        effects: sorted by hop, source, target, cause, change; each of these once.
        carried: (entity, change, outer): seeds that follow from what contains them.
        returns: (source, target, cause) of edges that would close a circle.
        spared: (entity, change, via, dependent): whose calls do not notice the change.
        unknown: seeds whose kind of change the table does not know.
        kinds: the kinds of change that it knows.
        causes: relation to the cause that it is seen as from the other side.
    """

    effects: tuple[Effect, ...]
    carried: tuple[tuple[str, str, str], ...]
    returns: tuple[tuple[str, str, str], ...]
    spared: tuple[tuple[str, str, str, str], ...]
    unknown: tuple[tuple[str, str], ...]
    kinds: tuple[str, ...]
    causes: Mapping[str, str]


def closure(
    seeds: Sequence[Seed],
    around: Neighbourhood,
    rules: Rulebook,
    known: Iterable[Fact] = (),
) -> Closure:
    """Return whom changes reach.

    Args:
        seeds: the changes; their entities have been found in the neighbourhood, where they exist.
        around: grows by what the rules want to know.
        rules: the composed rules.
        known: facts beside those of the neighbourhood: `public`, `announces`.

    Raises:
        RulesError: the rules are broken.
    """
    given = [*known, *_seeded(seeds)]
    about = frozenset(str(each.detail["param"]) for each in seeds if "param" in each.detail)
    around.read(each.entity for each in seeds)
    atoms = rules.solve(STAGE, [*given, *around.facts(about)])
    for _ in range(_MOST_ROUNDS):
        opened = around.open(_names(atoms, "opens"))
        # What was only added is wanted too, and is not there.
        if not around.read(_names(atoms, "wanted")) and not opened:
            break
        atoms = rules.solve(STAGE, [*given, *around.facts(about)])
    return _closed(atoms)


def _seeded(seeds: Sequence[Seed]) -> Iterable[Fact]:
    for each in seeds:
        yield fact("seed", each.entity, constant(each.change))
        if "param" in each.detail:
            name = str(each.detail["param"])
            yield fact("changed_parameter", each.entity, constant(each.change), name)


def _names(atoms: Atoms, name: str) -> list[str]:
    return [_text(row[0]) for row in atoms.rows(name, 1)]


def _closed(atoms: Atoms) -> Closure:
    effects: dict[tuple[str, str, str, str], Effect] = {}
    for row in atoms.rows("affects", 9):
        effect = _effect(row)
        # A document is looked at once, whatever changes.
        change = "" if effect.cause == DOCUMENTED else effect.change
        key = effect.source, effect.target, effect.cause, change
        if key not in effects or _better(effect, effects[key]):
            effects[key] = effect
    return Closure(
        tuple(
            sorted(effects.values(), key=lambda e: (e.hop, e.source, e.target, e.cause, e.change))
        ),
        tuple((_text(e), _word(k), _text(o)) for e, k, o in atoms.rows("carried", 3)),
        tuple((_text(e), _text(f), _word(cause)) for e, f, cause in atoms.rows("returns", 3)),
        tuple(
            (_text(e), _word(k), _text(via), _text(f)) for e, k, via, f in atoms.rows("spared", 4)
        ),
        tuple((_text(e), _word(k)) for e, k in atoms.rows("unknown_seed", 2)),
        tuple(_word(kind) for (kind,) in atoms.rows("change_kind", 1)),
        {_word(relation): _word(cause) for relation, cause in atoms.rows("inverse", 2)},
    )


def _effect(row: Sequence[Term]) -> Effect:
    source, target, because, strength, order, hop, confidence, resolution, derived = row
    if (
        not isinstance(because, Fact)
        or len(because.args) != 5
        or not isinstance(hop, int)
        or not isinstance(confidence, int)
        or not 0 <= confidence <= 1000
    ):
        raise unusable(render(Fact("affects", tuple(row))))
    change, cause, group, how, via = because.args
    went_through = _word(derived)
    return Effect(
        _text(source),
        _text(target),
        _word(change),
        _word(cause),
        _word(group),
        _word(how),
        _text(via),
        _word(strength),
        _word(order),
        hop,
        confidence,
        _word(resolution),
        "" if went_through == "none" else went_through,
    )


def _better(one: Effect, other: Effect) -> bool:
    """Whether one of two ways to find the same effect is the one to tell: the surer one."""
    return _merit(one) > _merit(other)


def _merit(effect: Effect) -> tuple[int, bool, str]:
    return effect.confidence, effect.how == "direct", effect.via


def _text(term: Term) -> str:
    if not isinstance(term, str):
        raise unusable(render(term))
    return term


def _word(term: Term) -> str:
    if not isinstance(term, Fact) or term.args:
        raise unusable(render(term))
    return term.name
