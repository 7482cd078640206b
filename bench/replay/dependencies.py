"""Which edit depends on which, by the evidence of both ends and by the edits themselves."""

from __future__ import annotations

from typing import NamedTuple

from bench.replay.bindings import by_names, moved, replaced
from bench.replay.callers import by_calls, refusing
from bench.replay.commit import Change
from bench.replay.ends import NEW, OLD, End
from bench.replay.kinds import ADDS, REMOVES, Dependency, Kinds
from bench.replay.members import begun_and_ceased, by_attributes, inherited, switched
from bench.replay.pins import pins, renamed_keys
from bench.replay.relations import Pairs, by_evidence


class Found(NamedTuple):
    """What is known of the edits of a change.

    Args:
        dependencies: which edit depends on which.
        kinds: how each edit changes what it is about.
        tests: the edits of tests.
        wishes: orders that are safer, and worth no composite; of two at odds the first counts.
    """

    dependencies: list[Dependency]
    kinds: list[list[str]]
    tests: frozenset[int]
    wishes: list[Dependency]


def dependencies(change: Change, old: str, new: str) -> Found:
    """Return which edit depends on which.

    Args:
        change: the change.
        old, new: the recon.db of its ends.
    """
    before, after = End(OLD, change, old), End(NEW, change, new)
    kinds = Kinds(change, before, after)
    found: dict[Dependency, None] = {}
    tests = frozenset(
        number
        for end in (before, after)
        for fqn, node in end.nodes.items()
        if node.is_test
        for number in end.of(fqn)
    )
    in_tests = {change.edits[number].path for number in tests}
    around = {number for number, edit in enumerate(change.edits) if edit.path in in_tests}
    pairs: Pairs = {OLD: set(), NEW: set()}
    for each in by_evidence(kinds, before, after, pairs):
        found.setdefault(each)
        if each.edit in around and each.on not in around:
            # What a test uses, it tests.
            found.setdefault(each._replace(cause="TestedBy"))
    for each in by_names(change, kinds, before, after, pairs):
        found.setdefault(each)
    # What an edit only begins, or only ceases, to use, it waits for in no other way.
    both = pairs[OLD] & pairs[NEW]
    found = {
        each: None
        for each in found
        if each.order
        or each.change in (*ADDS, *REMOVES)
        or (each.on, each.edit) in both
        or not change.edits[each.on].action == change.edits[each.edit].action == "modified"
    }
    for each in replaced(change, before, after):
        found.setdefault(each)
    for each in by_calls(change, before, after):
        found.setdefault(each)
    for each in by_attributes(change, before, after):
        found.setdefault(each)
    for each in moved(change, before, after):
        found.setdefault(each)
    for each in inherited(change):
        found.setdefault(each)
    for each in switched(change, before, after):
        found.setdefault(each)
    for on, other in renamed_keys(change.edits):
        found.setdefault(Dependency(on, other, "UsedBy", "config_key_renamed", "typed"))
    for on, test in pins(change.edits, around):
        found.setdefault(Dependency(on, test, "TestedBy", "behaviour_changed", "typed"))
    return Found(
        sorted(each for each in found if each.on != each.edit),
        [sorted(each) for each in kinds.of_edit],
        tests,
        [*refusing(change, pairs), *sorted(begun_and_ceased(change, before, after, pairs))],
    )
