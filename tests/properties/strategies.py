"""Random plans for the property tests, and how many of them a run tries."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from plan07 import rulebook

Document = dict[str, Any]

# PLAN07_EXAMPLES=20 tries twenty times as many plans, other ones at every run, and makes what fails
# small, which can take minutes.
_MORE = int(os.environ.get("PLAN07_EXAMPLES", "1"))

# A change that reaches nobody: without evidence, no rung of the ladder speaks of it.
NEUTRAL = "requirement: body change"
ORDERS = ("def<dep", "dep<def", "split", "none")
STRENGTHS = ("must", "should", "check", "revalidate")
RESOLUTIONS = ("exact", "typed", "dynamic", "heuristic", "ambiguous")
CAUSES = ("CalledBy", "OverriddenBy", "ImportedBy", "UsedBy", "TestedBy", "InstantiatedBy")
CHANGES = (
    *("body", "rename", "deleted", "param_added_default", "param_added_required", "added"),
    *("type_widened", "schema_migration", "return_type_narrowed", "default_changed"),
)
WORDS = (
    *sorted(rulebook.load().lexicon),
    *(
        "requirement",
        "predicate",
        "the",
        "because",
        "O1",
        "a2",
        "tests/test_a.py::test_b",
        "defines",
    ),
)


def tries(count: int) -> settings:
    """Return settings that try so many examples, the same ones at every run."""
    return settings(
        max_examples=count * _MORE,
        derandomize=_MORE == 1,
        deadline=None,
        database=None,
        phases=(Phase.generate,) if _MORE == 1 else (Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )


def ids() -> st.SearchStrategy[str]:
    """Ids of mixed shapes, whose natural order is neither that of bytes nor of numbers."""
    number = st.integers(0, 30)
    return st.one_of(
        number.map(lambda n: f"O{n}"),
        number.map(lambda n: f"O{n:02d}"),
        number.map(lambda n: f"a{n}"),
        number.map(lambda n: f"A{n}.{n + 1}"),
        number.map(lambda n: f"x-{n}.b"),
        number.map(lambda n: f"{n}_t"),
        st.sampled_from(("plan", "requirement", "not", "Z", "z", "0", "00", "9", "10")),
    )


def texts(wordy: bool) -> st.SearchStrategy[str]:
    """Texts of a record: words of the lexicon in any order, or always the same neutral ones."""
    if not wordy:
        return st.just(NEUTRAL)
    return st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)


@st.composite
def records(draw: st.DrawFn, *, wordy: bool, cyclic: bool, most: int = 40) -> list[Document]:
    """Obligations with declared dependencies, at most 16 each, none on itself."""
    names = draw(st.lists(ids(), min_size=1, max_size=most, unique=True))
    alternatives = draw(st.sets(st.sampled_from(names), max_size=max(1, len(names) // 4)))
    if draw(st.booleans()):
        alternatives = set()
    found: list[Document] = []
    for index, name in enumerate(names):
        among = names if cyclic else names[:index]
        choice = [
            each
            for each in among
            if each != name and (name in alternatives or each not in alternatives)
        ]
        dependencies = draw(st.lists(st.sampled_from(choice), max_size=3)) if choice else []
        module = draw(st.integers(0, 2))
        target = f"pkg.m{module}.E{draw(st.integers(0, len(names)))}"
        found.append(
            {
                "id": name,
                "target_entity": target + draw(st.sampled_from(("", "", "", ".inner"))),
                "obligation": draw(st.sampled_from(("modify", "modify", "preserve", "validate"))),
                "caused_by": draw(texts(wordy)) or NEUTRAL,
                "dependencies": list(dict.fromkeys(dependencies)),
                "evidence": draw(texts(wordy)),
                "status": "alternative"
                if name in alternatives
                else draw(st.sampled_from(("ready", "blocked"))),
                "validation": draw(texts(wordy)),
            }
        )
    return found


@st.composite
def evidence(draw: st.DrawFn, targets: list[str], names: list[str]) -> Document:
    """Inline evidence about the targets of a plan, and a little beside them."""
    entities = [*targets, *targets, "pkg.elsewhere.Other"]
    maybe_change = st.none() | st.sampled_from(CHANGES)
    edges = draw(
        st.lists(
            st.fixed_dictionaries(
                {
                    "from": st.sampled_from(entities),
                    "to": st.sampled_from(entities),
                    "cause": st.sampled_from(CAUSES),
                    "change": maybe_change,
                    "strength": st.none() | st.sampled_from(STRENGTHS),
                    "order": st.none() | st.sampled_from(ORDERS),
                    "resolution": st.none() | st.sampled_from(RESOLUTIONS),
                    "confidence": st.none() | st.sampled_from((0.0, 0.25, 0.5, 1.0)),
                }
            ),
            max_size=len(targets),
        )
    )
    found: Document = {
        "edges": [{key: item for key, item in each.items() if item is not None} for each in edges]
    }
    if draw(st.booleans()):
        change = st.fixed_dictionaries(
            {"entity": st.sampled_from(targets), "change": st.sampled_from(CHANGES)}
        )
        found["changes"] = draw(st.lists(change, max_size=3))
    if draw(st.booleans()):
        found["tests"] = draw(st.lists(st.just("tests/test_a.py::test_b"), max_size=1))
    if draw(st.booleans()):
        shares = st.sampled_from((0.0, 0.001, 0.5, 0.999, 1.0))
        scores = st.dictionaries(st.sampled_from(("lex", "cochange", "confidence")), shares)
        found["scores"] = draw(st.dictionaries(st.sampled_from([*names, *targets]), scores))
    return found


@st.composite
def plans(
    draw: st.DrawFn, *, with_evidence: bool | None = None, any_state: bool = False, most: int = 40
) -> Document:
    """Plan documents: decompositions, or artifacts; most of them can be scheduled.

    Args:
        with_evidence: with or without; either way without a word.
        any_state: artifacts hold states that no driver would reach.
        most: obligations.
    """
    wordy = draw(st.booleans())
    made = draw(records(wordy=wordy, cyclic=draw(st.booleans()), most=most))
    document: Document = {"obligations": made}
    if any_state:
        state = st.sampled_from(("pending", "complete", "failed"))
        document = {"nodes": [{**each, "state": draw(state)} for each in made]}
    elif draw(st.booleans()):
        document = {"nodes": [{**each, "state": "pending"} for each in made]}
    if draw(st.booleans()) if with_evidence is None else with_evidence:
        targets = [each["target_entity"] for each in made]
        document["evidence"] = draw(evidence(targets, [each["id"] for each in made]))
    return document
