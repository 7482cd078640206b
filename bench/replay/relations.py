"""Which edit depends on which by the relations between entities that the encoder found."""

from __future__ import annotations

from collections.abc import Iterator

from bench.replay.ends import CALLS, End
from bench.replay.kinds import ADDS, PARAMETERS, REMOVES, Dependency, Kinds

# Which edit (the second) uses what another one (the first) is about, by the end that shows it.
Pairs = dict[str, set[tuple[int, int]]]


_CAUSES = {
    "calls": "CalledBy",
    "imports": "ImportedBy",
    "reexports": "ReexportedBy",
    "inherits": "BaseClassOf",
    "implements": "BaseClassOf",
    "overrides": "OverriddenBy",
    "instantiates": "InstantiatedBy",
    "references": "UsedBy",
    "writes": "UsedBy",
    "uses_type": "TypeUsedBy",
    "decorates": "DecoratedBy",
    "tests": "TestedBy",
}


def by_evidence(kinds: Kinds, before: End, after: End, pairs: Pairs) -> Iterator[Dependency]:
    """Yield what the encoder's edges say."""
    for end in (before, after):
        for use in end.uses:
            cause = _CAUSES.get(use.kind)
            if cause is None:
                continue
            last = use.dst.rpartition(".")[2]
            users = {n for line in use.lines for n in end.at(use.path, line, last)}
            if not users:
                continue
            targets = end.family(use.dst) if use.kind in CALLS else {use.dst}
            if use.kind == "instantiates":
                targets |= {f"{use.dst}.{each}" for each in ("__init__", "__new__")}
            for target in targets:
                # Where an override comes or goes, a call still finds what it overrides.
                settled = target != use.dst and target in end.family(use.dst)
                for on in end.of(target):
                    pairs[end.which] |= {(on, user) for user in users}
                    for change in kinds.of_entity.get(target, ()):
                        if settled and change in (*ADDS, *REMOVES):
                            continue
                        if change in ADDS and end is before:
                            continue
                        if change in REMOVES and end is after:
                            continue
                        if change in PARAMETERS and use.kind in (*CALLS, "tests"):
                            # What the calls see of it is told by the calls.
                            continue
                        res = use.resolution if target == use.dst else _weaker(use.resolution)
                        for user in users:
                            yield Dependency(on, user, cause, change, res)


def _weaker(resolution: str) -> str:
    return "typed" if resolution == "exact" else resolution
