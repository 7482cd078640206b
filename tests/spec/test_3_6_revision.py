"""Build spec 3.6, the adaptive revision trigger, paragraph by paragraph."""

from __future__ import annotations

from pathlib import Path

import pytest
from driving import (
    NOW,
    chain,
    document,
    events,
    lines,
    nodes,
    opened,
    run_all,
    step,
    waits,
    written,
)
from support import edge

from plan07.errors import PlanRefused

# The consumer that the plan did not foresee.
FEEDBACK = {"edges": [edge("m.Config", "m.Manager", change="rename")]}


class TestAdds:
    """ "**adds** the missing obligation(s) (with a `caused_by` recording the evidence that demanded
    them)" """

    def test_s_000_080_a_dependent_that_nothing_mends(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("O1", target="m.Config", cause="rename"), step("O2", "O1"))
        planner = opened(path)
        planner.validate("O1")
        assert planner.revise(FEEDBACK) == "added O3 via impact feedback"
        added = nodes(path)["O3"]
        assert (added["target_entity"], added["obligation"]) == ("m.Manager", "modify")
        assert added["caused_by"] == "impact06: rename of m.Config → consumer re-bind"
        assert added["evidence"] == "06: m.Config CalledBy m.Manager"
        assert added["dependencies"] == ["O1"]

    def test_s_001_03_before_anything_that_rests_on_it_is_exposed(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("O1", target="m.Config", cause="rename"), step("O2", "O1"))
        planner = opened(path)
        planner.revise(FEEDBACK)
        assert run_all(planner) == ["cycle:O1", "O2"]
        assert planner.status().verdict == "complete"


class TestRemoves:
    """ "**removes** an obligation the evidence has falsified" """

    def test_s_000_080(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"ABC"))
        assert opened(path).revise(falsified=["B"], because="06: nobody calls it") == (
            "removed B via impact feedback"
        )
        assert waits(path) == {"A": [], "C": ["A"]}

    def test_both_at_once_or_nothing(self, tmp_path: Path) -> None:
        """T14: atomic."""
        path = written(tmp_path, *chain(*"ABC"))
        before = Path(path).read_bytes()
        with pytest.raises(PlanRefused) as caught:
            opened(path).revise(falsified=["B"], additions=[step("N"), step("C")])
        assert ("ID_RECYCLED", "C") in [
            (each.code, each.subject) for each in caught.value.violations
        ]
        assert Path(path).read_bytes() == before
        opened(path).revise(falsified=["B"], additions=[step("N")])
        assert waits(path) == {"A": [], "C": ["A"], "N": []}
        assert document(path)["revision_history"][0]["change"] == (
            "added N and removed B via impact feedback"
        )


class TestRewalks:
    """ "**re-walks the affected dependency edges** (re-runs §3.2's resolution over the
    neighbourhood the new/removed obligation touches — never a full re-plan)" """

    def test_s_000_081_edges_elsewhere_keep_their_identity(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"ABCDEFG"))
        before = lines(path)
        opened(path).revise(falsified=["B"])
        after = lines(path)
        assert {name for name in after if before[name] != after[name]} == {"C"}

    def test_s_000_081_what_the_rules_would_say_of_others_is_not_asked(
        self, tmp_path: Path
    ) -> None:
        """The evidence speaks of X and Y, but the revision touches neither."""
        known = {"edges": [edge("pkg.X", "pkg.Y", change="type_widened")]}
        path = written(tmp_path, *chain(*"AB"), step("X"), step("Y"))
        opened(path).revise(known)
        assert waits(path)["Y"] == ["X"]
        other = written(tmp_path / "other.json", *chain(*"AB"), step("X"), step("Y"))
        Path(f"{other}.evidence.json").write_bytes(Path(f"{path}.evidence.json").read_bytes())
        opened(other).revise(falsified=["B"])
        assert waits(other)["Y"] == []

    def test_the_new_one_is_ordered_by_the_same_rules(self, tmp_path: Path) -> None:
        known = {"edges": [edge("m.Type", "m.User", change="type_widened")]}
        path = written(tmp_path, step("O1", target="m.User"), evidence=known)
        opened(path).revise(additions=[step("N", target="m.Type")])
        assert waits(path) == {"N": [], "O1": ["N"]}
        assert nodes(path)["O1"]["derived"] == ["N"]


class TestRecorded:
    """ "The revision is recorded in the audit trail (§3.7) with the causing obligation." """

    def test_s_000_082(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("O1", target="m.Config", cause="rename"))
        planner = opened(path)
        planner.validate("O1")
        planner.revise(FEEDBACK, because="impact run 2")
        assert document(path)["revision_history"] == [
            {
                "rev": 1,
                "time": NOW,
                "change": "added O2 via impact feedback",
                "caused_by": "O1 evidence: impact run 2",
            }
        ]
        assert events(path) == ["pass", "revised"]

    def test_s_001_16_revisions_count_upwards(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"ABCD"))
        planner = opened(path)
        for name in "BC":
            planner.revise(falsified=[name])
        assert [row["rev"] for row in document(path)["revision_history"]] == [1, 2]
        assert planner.status().revision == 2


class TestLivingArtifact:
    """ "it is never a contract frozen at emission" """

    def test_s_000_080_the_same_evidence_twice_changes_nothing(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("O1", target="m.Config", cause="rename"))
        planner = opened(path)
        planner.revise(FEEDBACK)
        before = Path(path).read_bytes()
        assert planner.revise(FEEDBACK) == ""
        assert Path(path).read_bytes() == before
