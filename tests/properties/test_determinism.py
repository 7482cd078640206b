"""The same plan gives the same bytes, whatever the order of its records and the solver's seed."""

from __future__ import annotations

import copy
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import edge, obligation, plan

from plan07 import document, solver
from plan07.cli import main
from plan07.errors import PlanRefused, RulesError
from plan07.models import to_json

ROOT = Path(__file__).parents[2]
SEARCHES = (
    (),
    ("--seed=7",),
    ("--seed=2147483647", "--rand-freq=1"),
    ("--configuration=tweety",),
    ("--configuration=crafty", "--sign-def=rnd"),
    ("--configuration=jumpy",),
    ("--configuration=frumpy", "--restart-on-model"),
    ("--parallel-mode=2,compete",),
)


def rich() -> dict[str, Any]:
    """A plan with composites, ladder, evidence of every kind, aliases and alternatives."""
    return plan(
        obligation("O10", "auth.Config", cause="requirement: widen the type"),
        obligation("O2", "auth.Manager", ["O10"], cause="consumer re-bind"),
        obligation("O9", "auth.build", [], verb="validate", cause="compile check"),
        obligation("a2", "auth.Config", ["O10"], verb="preserve", cause="preserve default"),
        obligation("a10", "web.view", ["O10"], cause="rename"),
        obligation("x-1.b", "web.form"),
        obligation("x-1.a", "web.admin", ["x-1.b", "x-1.c"]),
        obligation("x-1.c", "web.menu", ["x-1.a", "O10"]),
        obligation("m1", "db.table", cause="schema migration"),
        obligation("m2", "db.reader", cause="uses the migrated shape"),
        obligation("t1", "tests/test_a.py", cause="defines tests/test_a.py::test_new"),
        obligation("t2", "web.view", verb="validate", validation="tests/test_a.py::test_new"),
        obligation("t3", "auth.Config", verb="validate", validation="pytest -k default"),
        obligation("alt1", "auth.Manager", cause="instead of O2", status="alternative"),
        obligation("alt2", "web.other", ["alt1", "m1"], cause="like m2", status="alternative"),
        evidence={
            "edges": [
                edge("repo.auth.Config", "auth.Manager", resolution="typed", confidence=0.7),
                edge("auth.Config", "auth.Manager", "UsedBy", strength="should", order="def<dep"),
                edge("web.view", "web.form", change="rename", at={"path": "web/form.py"}),
                edge("web.view", "web.form", "UsedBy", at={"path": "web/form.py", "line": 3}),
                edge("web.view", "tests/test_a.py", "TestedBy", change="rename"),
                edge("db.table", "db.reader", "UsedBy", confidence=0.25),
                edge("web.menu", "web.far", change="deleted", resolution="heuristic"),
                edge("db.table", "web.other", "UsedBy", confidence=0.125, resolution="ambiguous"),
            ],
            "changes": [
                {"entity": "auth.Config", "change": "param_added_default"},
                {"entity": "web.view", "change": "rename"},
            ],
            "entities": [
                {"id": "repo.auth.Config", "kind": "class"},
                {"id": "auth.Manager", "kind": "class"},
                {"id": "a.web.menu", "kind": "module"},
                {"id": "b.web.menu", "kind": "module"},
                {"id": "db.table", "kind": "table"},
                {"id": "db.reader", "kind": "function"},
            ],
            "tests": ["tests/test_a.py::test_old", "tests/test_b.py::test_x"],
            "scores": {"alt1": {"lex": 0.3, "cochange": 0.9}, "web.other": {"confidence": 0.5}},
        },
        requirement={"goal": "g", "acceptance_criteria": ["a", "b"], "constraints": []},
    )


def contradictory() -> dict[str, Any]:
    """A plan that is refused for many reasons at once."""
    value = rich()
    by_id = {each["id"]: each for each in value["obligations"]}
    by_id["O10"]["dependencies"] = ["O2", "a2", "m2"]
    by_id["m1"]["dependencies"] = ["m2", "lost", "gone"]
    by_id["t3"]["validation"] = "tests/test_c.py::test_gone"
    by_id["x-1.a"]["dependencies"] += ["alt1"]
    value["evidence"]["edges"] += [
        edge("web.menu", "web.far", change="deleted"),
        edge("web.menu", "web.further", "ImportedBy", change="deleted"),
        edge("web.menu", "web.further", "UsedBy", change="deleted"),
    ]
    return value


def artifact() -> dict[str, Any]:
    """A plan on its way: states, and edges that an earlier solve derived."""
    first = json.loads(answer(rich()))
    for node in first["nodes"]:
        for part in (node, *node.get("members", ())):
            part["state"] = {"O10": "complete", "m1": "failed"}.get(part["id"], "pending")
    return {"nodes": first["nodes"], "evidence": rich()["evidence"]}


def answer(value: dict[str, Any], search: tuple[str, ...] = (), repair: bool = False) -> str:
    """Return the JSON of an answer or a refusal."""
    options = solver.Options(clingo_options=search, repair=repair)
    try:
        return to_json(solver.solve_plan(document.read_foreign(value, "the plan"), options))
    except PlanRefused as refusal:
        return to_json(refusal.as_dict())


def shuffled(value: Any, chance: random.Random, key: str = "") -> Any:
    """Return a plan with every list whose order means nothing, and every object, in any order."""
    if isinstance(value, dict):
        items = [(name, shuffled(item, chance, name)) for name, item in value.items()]
        chance.shuffle(items)
        return dict(items)
    if isinstance(value, list):
        found = [shuffled(item, chance) for item in value]
        if key not in ("acceptance_criteria", "constraints"):
            chance.shuffle(found)
        return found
    return value


PLANS = {"rich": rich, "contradictory": contradictory, "artifact": artifact}


class TestSameBytes:
    """Determinism: one answer set, byte-identical output (S-CARD-06)."""

    @pytest.mark.parametrize("name", PLANS)
    def test_order_of_input_seeds_and_configurations(self, name: str) -> None:
        expected = answer(PLANS[name]())
        chance = random.Random(7)
        for number in range(20):
            again = answer(shuffled(PLANS[name](), chance), SEARCHES[number % len(SEARCHES)])
            assert again == expected

    def test_repairs_break_ties_the_same_way(self) -> None:
        """The one optimisation: several least repairs, always the same one."""
        made = plan(
            *(
                obligation(f"O{n}", f"pkg.e{n}", [f"O{m}" for m in (n + 1, n + 2) if m < 7])
                for n in range(1, 7)
            ),
            evidence={
                "edges": [
                    edge(f"pkg.e{n}", f"pkg.e{m}", strength="must", order="def<dep")
                    for n, m in ((1, 4), (2, 5), (3, 6))
                ]
            },
        )
        expected = answer(made, repair=True)
        assert "DEPENDENCY_DROPPED" in expected
        chance = random.Random(7)
        for search in SEARCHES:
            assert answer(shuffled(made, chance), search, repair=True) == expected

    def test_the_input_is_left_alone(self) -> None:
        for make in PLANS.values():
            value = make()
            before = copy.deepcopy(value)
            answer(value)
            assert value == before

    @pytest.mark.parametrize("options", [("--json",), ()], ids=["json", "text"])
    def test_hash_seeds_locales_and_places(self, options: tuple[str, ...], tmp_path: Path) -> None:
        """Other processes, with other string hashes, locales and working directories."""
        chance = random.Random(7)
        printed: set[bytes] = set()
        surroundings: tuple[tuple[dict[str, str], Path], ...] = (
            ({"PYTHONHASHSEED": "0", "LC_ALL": "C"}, ROOT),
            ({"PYTHONHASHSEED": "1", "LC_ALL": "C", "PYTHONUTF8": "0"}, tmp_path),
            ({"PYTHONHASHSEED": "4294967295", "LC_ALL": "C.UTF-8", "TZ": "Asia/Tokyo"}, tmp_path),
            ({"PYTHONHASHSEED": "random", "PYTHONOPTIMIZE": "2"}, tmp_path),
        )
        for more, place in surroundings:
            found = subprocess.run(
                [sys.executable, "-m", "plan07", "solve", "-", *options],
                input=json.dumps(shuffled(rich(), chance)).encode(),
                capture_output=True,
                cwd=place,
                env={**os.environ, "PYTHONPATH": str(ROOT), **more},
                check=False,
                timeout=60,
            )
            assert (found.returncode, found.stderr) == (0, b"")
            printed.add(found.stdout)
        assert len(printed) == 1
        if options:
            assert printed == {answer(rich()).encode()}

    def test_two_kinds_of_one_entity(self) -> None:
        """What contradicts itself in the evidence is decided by its content, not its order."""
        kinds = [{"id": "pkg.a", "kind": "class"}, {"id": "pkg.a", "kind": "function"}]
        made = plan(
            obligation("O1", "pkg.a", cause="added"),
            obligation("O2", "pkg.b"),
            evidence={"entities": kinds, "edges": [edge("pkg.a", "pkg.b")]},
        )
        turned = copy.deepcopy(made)
        turned["evidence"]["entities"].reverse()
        assert answer(turned) == answer(made)

    def test_two_files_of_one_entity(self) -> None:
        """Edges that name several files for a dependent count the same in any order."""
        names = [f"pkg.e{number}" for number in range(6)]
        made = plan(
            *(obligation(f"O{number}", name) for number, name in enumerate(names)),
            evidence={
                "edges": [
                    edge("pkg.e0", name, strength="must", order="split", at={"path": f"{name}.py"})
                    for name in names[1:]
                ]
                + [edge("pkg.e9", names[5], at={"path": f"{names[4]}.py"})]
            },
        )
        turned = copy.deepcopy(made)
        turned["evidence"]["edges"].reverse()
        assert answer(turned) == answer(made)


class TestOneAnswerSet:
    """Exactly one answer set is demanded of every stage but the repair (S-CARD-06, T19)."""

    STAGES = ("admission", "graph", "schedule", "steps")

    @pytest.mark.parametrize("stage", STAGES)
    def test_an_overlay_that_forbids(self, stage: str, tmp_path: Path) -> None:
        """A bare constraint leaves the one answer, and refuses the plan in it."""
        (tmp_path / "own.lp").write_text(f"% Stage: {stage}\n:- not never. #defined never/0.\n")
        with pytest.raises(PlanRefused) as caught:
            solver.solve_plan(
                document.read(plan(obligation("O1")), "the plan"), solver.options(rules=tmp_path)
            )
        (violation,) = caught.value.violations
        assert violation.detail["text"] == "own.lp:2 forbids :- not never."

    @pytest.mark.parametrize("stage", STAGES)
    @pytest.mark.parametrize(
        ("rule", "code"),
        [
            ("{ extra }.", "RULES_AMBIGUOUS"),
            ("a :- not b. b :- not a.", "RULES_AMBIGUOUS"),
            ("odd :- not odd.", "RULES_UNSATISFIABLE"),
        ],
        ids=["choice", "even_loop", "odd_loop"],
    )
    def test_an_overlay_that_decides(
        self,
        stage: str,
        rule: str,
        code: str,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        rules = tmp_path / "rules"
        rules.mkdir()
        (rules / "own.lp").write_text(f"% Stage: {stage}\n{rule}\n")
        path = tmp_path / "plan.json"
        path.write_text(json.dumps(plan(obligation("O1"))))
        with pytest.raises(RulesError) as error:
            solver.solve_plan(
                document.read(json.loads(path.read_text()), "the plan"),
                solver.options(rules=rules),
            )
        assert (error.value.code, error.value.exit_status) == (code, 3)
        with pytest.raises(SystemExit) as end:
            main(["solve", str(path), "--rules", str(rules), "--json"])
        assert end.value.code == 3
        printed = capsys.readouterr()
        assert printed.err == ""
        assert json.loads(printed.out)["error"]["code"] == code
