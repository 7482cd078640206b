"""Build spec 3.4, the execution driver, paragraph by paragraph."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from driving import Checks, chain, diamond, document, nodes, opened, run_all, states, step, written

from plan07.errors import PlanRefused


class TestOutput:
    """ "**Output:** the **single currently-actionable obligation** — nothing more." """

    def test_s_000_060_the_example_of_the_spec(self, tmp_path: Path) -> None:
        records = [
            step("O3"),
            step("O4"),
            step(
                "O7",
                "O3",
                "O4",
                target="repo.auth.SessionManager.load",
                validation="tests/test_session.py::test_custom_timeout",
            ),
        ]
        planner = opened(written(tmp_path, *records))
        planner.validate("O3")
        planner.validate("O4")
        exposed = planner.next()
        assert exposed is not None
        assert exposed.model_dump(exclude_unset=True) == {
            "node_id": "O7",
            "obligation": "modify",
            "target_entity": "repo.auth.SessionManager.load",
            "preconditions": {"O3": "complete", "O4": "complete"},
            "permitted_actions": {
                "read": True,
                "edit": True,
                "test": True,
                "bounds": {"max_edit_files": 5, "max_test_calls": 10},
            },
            "required_validation": "tests/test_session.py::test_custom_timeout",
        }


class TestStep1Selection:
    """ "At each step the driver selects **exactly one** `ready` node (deterministic tiebreak:
    lowest `id`)." """

    def test_s_000_061(self, tmp_path: Path) -> None:
        records = [step("O10"), step("O9"), step("O2"), step("O1", "O10")]
        planner = opened(written(tmp_path, *records))
        assert run_all(planner) == ["O2", "O9", "O10", "O1"]

    def test_t8_alternatives_are_never_selected(self, tmp_path: Path) -> None:
        records = [step("O1", status="alternative"), step("O2"), step("O3", "O2")]
        planner = opened(written(tmp_path, *records))
        assert run_all(planner) == ["O2", "O3"]
        assert planner.status().verdict == "complete"


class TestStep2Context:
    """ "It constructs the model-facing context **only** from that node's preconditions,
    `permitted_actions` … and `required_validation` — **never the whole schedule**." """

    def test_s_000_064_at_each_step_of_a_run(self, tmp_path: Path) -> None:
        path = written(tmp_path, *diamond())
        planner = opened(path)
        for name in "ABCD":
            exposed = planner.next()
            assert exposed is not None
            text = json.dumps(exposed.model_dump(mode="json", exclude_unset=True))
            assert text.count('"node_id"') == 1
            for other, node in nodes(path).items():
                if other != name:
                    assert node["target_entity"] not in text
                    assert node["validation"] not in text
            planner.validate(name)

    def test_bounds_are_enforced(self, tmp_path: Path) -> None:
        """S-000-063."""
        planner = opened(written(tmp_path, step("O1")))
        planner.edit("O1", *(f"{number}.py" for number in range(5)))
        with pytest.raises(PlanRefused, match="would come to 6 edit files"):
            planner.edit("O1", "5.py")


class TestStep3Preconditions:
    """ "As edits land, the driver marks the node's preconditions satisfied; only then may the
    scheduler advance the next `ready` node." """

    def test_s_000_065_an_edit_alone_advances_nothing(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain("O1", "O2"))
        planner = opened(path)
        before = Path(path).read_bytes()
        first = planner.next()
        planner.edit("O1", "a.py")
        planner.test("O1")
        assert planner.next() == first
        assert Path(path).read_bytes() == before

    def test_it_advances_when_the_validation_has_passed(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain("O1", "O2"))
        planner = opened(path)
        planner.validate("O1")
        exposed = planner.next()
        assert exposed is not None
        assert (exposed.node_id, exposed.preconditions) == ("O2", {"O1": "complete"})

    @pytest.mark.parametrize("node", ["O2", "O3"])
    def test_what_is_not_exposed_cannot_be_validated(self, tmp_path: Path, node: str) -> None:
        """Neither what waits, nor what is ready and not its turn."""
        path = written(tmp_path, step("O1"), step("O2", "O1"), step("O3"))
        checks = Checks()
        with pytest.raises(PlanRefused) as caught:
            opened(path, checks).validate(node)
        assert caught.value.code == "NODE_NOT_DUE"
        assert checks.seen == []
        assert set(states(path).values()) == {"pending"}


class TestInvariant6:
    """ "Only the currently actionable obligation is exposed, never the whole schedule." """

    def test_s_001_01_it_is_read_from_the_disk_each_time(self, tmp_path: Path) -> None:
        """S-001-08."""
        path = written(tmp_path, *chain("O1", "O2"))
        planner = opened(path)
        assert planner.status().next == "O1"
        opened(path).validate("O1")
        assert planner.status().next == "O2"
        assert document(path)["nodes"][0]["state"] == "complete"
