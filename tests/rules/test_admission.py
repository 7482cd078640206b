"""admission.lp: which decomposition is refused before anything is ordered."""

from __future__ import annotations

import pytest
from support import atoms, only

WITH_LIMITS = ["admission.lp", "limits.lp"]
CAPS = {
    "obligations": 64,
    "dependencies": 16,
    "id": 64,
    "target_entity": 200,
    "caused_by": 200,
    "evidence": 200,
    "validation": 200,
    "goal": 500,
    "criteria": 16,
    "criterion": 200,
    "constraints": 16,
    "constraint": 200,
}
MEASURED = ["id", "target_entity", "caused_by", "evidence", "validation", "dependencies"]
SUBJECTS = {
    "obligations": "plan",
    "goal": "requirement",
    "criteria": "requirement",
    "criterion": "requirement",
    "constraints": "requirement",
    "constraint": "requirement",
}
ARTIFACT = 23552


def judged(facts: str) -> set[str]:
    """Return what admission says of a plan with the numbers of limits.lp."""
    return only(atoms(WITH_LIMITS, facts), "violation", "advice", "halts")


def grounded(*ids: str) -> str:
    """Return the facts of obligations that nothing can be said against."""
    return "".join(f'obligation("{each}"). caused("{each}"). occurs("{each}",1). ' for each in ids)


def test_nothing_is_said_against_an_ordinary_plan() -> None:
    """S-000-030, S-000-040: each id once, every dependency known."""
    facts = grounded("O1", "O2", "O10") + 'declared("O2","O1"). declared("O10","O2").'
    assert judged(facts) == set()


def test_caps() -> None:
    """S-000-038: the caps of the build spec, the uncapped fields after T3."""
    expected = {f"cap({field},{limit})" for field, limit in CAPS.items()}
    assert only(atoms(WITH_LIMITS, ""), "cap") == expected


def test_caps_follow_the_limits_of_the_run() -> None:
    names = ["obligations", "dependencies", "id", "target_entity", "caused_by", "evidence"]
    names += ["validation", "goal", "criteria", "criterion", "constraints", "constraint"]
    constants = {f"max_{name}": number for number, name in enumerate(names, 1)}
    found = atoms("admission.lp", "", {**constants, "max_static_bytes": 99})
    assert only(found, "cap") == {f"cap({name},{n})" for n, name in enumerate(names, 1)}


@pytest.mark.parametrize(("field", "limit"), CAPS.items(), ids=CAPS.keys())
def test_a_field_at_its_cap_is_admitted_and_one_above_is_refused(field: str, limit: int) -> None:
    """S-000-038, T3: 16/17 dependencies, 200/201 characters of evidence, and so on."""
    subject = SUBJECTS.get(field, '"O1"')
    halts = {"halts(too_large)"} if field == "obligations" else set()
    assert judged(f"size({subject},{field},{limit}).") == set()
    assert judged(f"size({subject},{field},{limit + 1}).") == halts | {
        f"violation(cap_exceeded({field},{limit + 1},{limit}),{subject})"
    }


@pytest.mark.parametrize("place", range(6), ids=[*MEASURED])
def test_all_fields_of_an_obligation_are_measured_at_once(place: int) -> None:
    """S-000-038."""
    lengths = [1, 2, 3, 4, 5, 6]
    lengths[place] = 201
    field = MEASURED[place]
    facts = f'lengths("O1",{",".join(map(str, lengths))}).'
    assert judged(facts) == {f'violation(cap_exceeded({field},201,{CAPS[field]}),"O1")'}


def test_every_field_above_its_cap_is_named() -> None:
    """S-000-038: all refusals at once, each with its obligation."""
    facts = grounded("O1", "O2") + 'size("O1",evidence,201). size("O2",evidence,300). '
    facts += 'size("O2",dependencies,17). size("O1",caused_by,1).'
    assert judged(facts) == {
        'violation(cap_exceeded(evidence,201,200),"O1")',
        'violation(cap_exceeded(evidence,300,200),"O2")',
        'violation(cap_exceeded(dependencies,17,16),"O2")',
    }


def test_more_than_64_obligations_are_rescoped_not_ordered() -> None:
    """S-000-038, T11."""
    assert judged("size(plan,obligations,65).") == {
        "violation(cap_exceeded(obligations,65,64),plan)",
        "halts(too_large)",
    }


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (ARTIFACT, set()),
        (ARTIFACT + 1, {f"violation(artifact_cap({ARTIFACT + 1},{ARTIFACT},33),plan)"}),
    ],
    ids=["fits", "one byte too many"],
)
def test_the_artifact_leaves_room_for_its_logs(size: int, expected: set[str]) -> None:
    """T3: the static part of the artifact takes at most 23,552 bytes."""
    assert judged(f"size(plan,static_bytes,{size}). size(plan,nodes,33).") == expected


def test_no_obligation_at_all_sends_control_back() -> None:
    """T11: an empty plan is not a finished one."""
    assert judged("not_decomposed.") == {
        "violation(re_decompose,plan)",
        "halts(nothing_to_order)",
    }


def test_an_id_outside_the_charset() -> None:
    """S-000-030, T6: ":" is kept for composites."""
    facts = grounded("cycle:O1", "O2") + 'malformed_id("cycle:O1").'
    assert judged(facts) == {'violation(id_invalid,"cycle:O1")'}


def test_an_id_used_twice() -> None:
    """S-000-030: facts are a set, so the count must come along."""
    facts = grounded("O2") + 'obligation("O1"). caused("O1"). occurs("O1",3).'
    assert judged(facts) == {'violation(duplicate_id(3),"O1")', "halts(ambiguous_ids)"}


EDGES = pytest.mark.parametrize("edge", ["declared", "derived"])


@EDGES
def test_an_obligation_that_depends_on_itself(edge: str) -> None:
    """S-000-041, S-000-052."""
    facts = grounded("O1", "O2") + f'{edge}("O1","O1"). {edge}("O2","O1").'
    assert judged(facts) == {'violation(self_dependency,"O1")'}


@EDGES
def test_a_dependency_that_is_not_in_the_plan(edge: str) -> None:
    """S-000-040: every one is named, with the obligation that names it."""
    facts = grounded("O1", "O2")
    facts += f'{edge}("O1","O99"). {edge}("O2","O99"). {edge}("O2","O0"). {edge}("O2","O1").'
    assert judged(facts) == {
        'violation(unknown_dependency("O99"),"O1")',
        'violation(unknown_dependency("O99"),"O2")',
        'violation(unknown_dependency("O0"),"O2")',
    }


@pytest.mark.parametrize(
    ("dependent", "dependency", "refused"),
    [
        ("ready", "alternative", True),
        ("blocked", "alternative", True),
        ("alternative", "alternative", False),
        ("alternative", "ready", False),
        ("ready", "blocked", False),
    ],
    ids=[
        "ready on alternative",
        "blocked on alternative",
        "alternative on alternative",
        "alternative on primary",
        "primary on primary",
    ],
)
@EDGES
def test_nothing_on_the_followed_branch_waits_for_an_alternative(
    edge: str, dependent: str, dependency: str, refused: bool
) -> None:
    """T8: a primary that depends on an alternative would wait forever."""
    facts = grounded("O1", "O2") + f'{edge}("O2","O1"). '
    facts += f'status("O1",{dependency}). status("O2",{dependent}).'
    expected = {'violation(depends_on_alternative("O1"),"O2")'} if refused else set()
    assert judged(facts) == expected


@pytest.mark.parametrize("caused", [True, False], ids=["caused", "uncaused"])
@pytest.mark.parametrize("depends", [True, False], ids=["depends", "depends on nothing"])
@pytest.mark.parametrize("alternative", [True, False], ids=["alternative", "primary"])
def test_ungrounded(caused: bool, depends: bool, alternative: bool) -> None:
    """S-000-039, T9: of the eight combinations exactly one is refused."""
    facts = grounded("O1") + 'obligation("O2"). '
    facts += f'status("O2",{"alternative" if alternative else "ready"}). '
    facts += 'caused("O2"). ' if caused else ""
    facts += 'declared("O2","O1"). ' if depends else ""
    refused = not caused and not depends and not alternative
    assert judged(facts) == ({'violation(ungrounded,"O2")'} if refused else set())


def test_what_was_derived_grounds_nothing() -> None:
    """T9: the test is on what the plan itself declares."""
    facts = grounded("O1") + 'obligation("O2"). derived("O2","O1").'
    assert judged(facts) == {'violation(ungrounded,"O2")'}


def test_all_ungrounded_obligations_are_named() -> None:
    """S-000-039, T9: the whole plan is refused, and says every reason."""
    facts = 'obligation("O1"). obligation("O2"). obligation("O3"). declared("O3","O1").'
    assert judged(facts) == {'violation(ungrounded,"O1")', 'violation(ungrounded,"O2")'}


AMBIGUOUS = grounded("O1") + (
    'grounding("O1","load",ambiguous). candidate("O1","a.load"). candidate("O1","b.load"). '
)


@pytest.mark.parametrize(
    "policy", ["grounding_policy(lenient).", ""], ids=["lenient", "without a policy"]
)
def test_an_ambiguous_target_is_advice(policy: str) -> None:
    """S-000-120: grounding warns by default."""
    assert judged(AMBIGUOUS + policy) == {
        'advice(target_ambiguous("load",ambiguous,"a.load"),"O1")',
        'advice(target_ambiguous("load",ambiguous,"b.load"),"O1")',
    }


def test_an_ambiguous_target_is_refused_where_grounding_is_strict() -> None:
    """S-000-120, T16: the refusal lists the candidates."""
    assert judged(AMBIGUOUS + "grounding_policy(strict).") == {
        'violation(ambiguous_target("load","a.load"),"O1")',
        'violation(ambiguous_target("load","b.load"),"O1")',
    }


@pytest.mark.parametrize("policy", ["lenient", "strict"])
@pytest.mark.parametrize("answer", ["unresolved", "unsupported", "invalid_ref"])
def test_a_target_that_is_not_found_is_advice(answer: str, policy: str) -> None:
    """S-000-120, T16: an obligation may create what it targets, so this never refuses."""
    facts = grounded("O1") + f'grounding("O1","gone",{answer}). grounding_policy({policy}).'
    assert judged(facts) == {f'advice(target_unresolved("gone",{answer}),"O1")'}
