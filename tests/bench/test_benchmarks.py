"""Each benchmark's own part, at a tiny size: what it counts is right. Nothing asserts a time."""

from __future__ import annotations

import argparse
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from gitrepo import commit

from bench import (
    calibration,
    drive,
    evidence,
    graphs,
    model,
    neighbourhood,
    readers,
    rules,
    solve,
)
from bench.command import Skipped

QUICK = argparse.Namespace(quick=True)


class TestSolve:
    def test_growth_has_every_shape_and_a_ratio(self) -> None:
        table = solve.growth([8], 1)
        assert [(row["shape"], row["size"]) for row in table.rows] == [
            *(("layered", 8), ("chain", 8), ("diamond", 8), ("ring", 8)),
        ]
        row = table.rows[0]
        assert row["ratio"] == float(row["plan07"] or 0) / float(row["networkx"] or 1)
        plot = solve.drawn(table)
        assert list(plot.series) == ["layered", "chain", "diamond", "ring", "networkx, layered"]

    def test_contenders_order_the_same_graph(self) -> None:
        plan = graphs.diamond(6)
        assert solve.graphlib_order(plan)() == ["O1", "O2", "O3", "O4", "O5", "O6"]
        assert len(solve.networkx_order(graphs.ring(5))()) == 1
        assert solve.graphlib_order(graphs.ring(5))() == []
        assert solve.solving(plan)()["order"] == ["O1", "O2", "O3", "O4", "O5", "O6"]


class TestDrive:
    def test_a_plan_is_driven_to_its_end(self, tmp_path: Path) -> None:
        source = graphs.chain(5)
        for each in source["obligations"]:
            each["validation"] = "tests/test_a.py"
        assert drive.driven(drive.made(source), tmp_path / "plan.json") == 5

    def test_commands_are_beside_the_solve_of_the_same_plan(self, tmp_path: Path) -> None:
        source = graphs.chain(3)
        table = drive.command(drive.made(source), source, tmp_path, 1)
        assert [row["what"] for row in table.rows] == [
            *("plan07 solve", "plan07 next", "plan07 status", "plan07 explain"),
        ]
        assert table.rows[0]["ratio"] == 1


def test_rules_has_every_stage_of_a_solve(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphs, "realistic", lambda: graphs.chain(3))
    stages, costs = rules.measured(QUICK).tables
    assert {row["stage"] for row in stages.rows} == {"admission", "graph", "schedule", "steps"}
    assert sum(float(row["share"] or 0) for row in stages.rows) == pytest.approx(1)
    assert len(costs.rows) == rules.RANKED


def test_the_neighbourhood_is_that_of_a_database_that_is_always_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rows = []
    for name in ("one.db", "two.db"):
        neighbourhood.generate(tmp_path / name, 60)
        with closing(sqlite3.connect(tmp_path / name)) as database:
            rows.append(database.execute("SELECT * FROM edges ORDER BY 1, 2, 3").fetchall())
            assert database.execute("SELECT count(*) FROM nodes").fetchone() == (60,)
    assert rows[0] == rows[1]
    monkeypatch.setattr(neighbourhood, "TARGETS", 2)
    table = neighbourhood.measure(tmp_path / "one.db", 1)
    assert table.title.startswith(f"60 nodes, {len(rows[0])} edges, ")
    found = {str(row["what"]): int(row["edges"] or 0) for row in table.rows}
    assert 0 < found["1 hop read"] < found["2 hops read"]
    assert 0 < found["closure of changed bodies"] <= found["closure of renames"]


@pytest.mark.parametrize(
    ("make", "reader", "size", "edges"),
    [(readers.make_index, "scip", 2, 480), (readers.make_coverage, "coverage", 3, 800)],
    ids=["scip", "coverage"],
)
def test_readers_find_the_edges_that_were_made(
    make: object, reader: str, size: int, edges: int, tmp_path: Path
) -> None:
    assert callable(make)
    make(tmp_path, size)
    assert readers.measure(tmp_path, reader)["edges"] == edges


class TestEvidence:
    def test_a_call_is_found_where_it_is_the_only_one_of_its_name(self, tmp_path: Path) -> None:
        (tmp_path / "a.py").write_text("x = f(g.h(1))\nf(f(2))\n")
        columns = evidence.Columns(tmp_path)
        site = evidence.Site("a.py", 1, "exact", "h", "a.py", 1, 1)
        assert columns.find(site) == 8
        assert columns.find(site._replace(name="f")) == 4
        assert columns.find(site._replace(name="f", line=2)) is None

    def test_edges_checked_by_hand_that_are_missing_are_counted(self, tmp_path: Path) -> None:
        with closing(sqlite3.connect(tmp_path / "flask.db")) as database:
            database.execute("CREATE TABLE nodes(id, fqn)")
            database.execute("CREATE TABLE edges(src, kind, dst, resolution)")
        (row,) = evidence.checked({"flask": tmp_path}, tmp_path).rows
        assert (row["edges"], row["found"], row["share"]) == (16, 0, 0)

    def test_without_jedi_it_is_left_out(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
        with pytest.raises(Skipped, match="pip install jedi"):
            evidence.measured(QUICK)


class TestCalibration:
    def test_dependents_that_the_commit_edited_are_counted(self, tmp_path: Path) -> None:
        caller = "from m import f\n\n\ndef g():\n    return f(1)\n\n\ndef h():\n    return f(2)\n"
        commit(tmp_path, {"m.py": "def f(a):\n    return a\n", "n.py": caller})
        new = {"m.py": "def f(a, b):\n    return a\n", "n.py": caller.replace("f(1)", "f(1, 0)")}
        commit(tmp_path, new)
        found = calibration.replay(tmp_path, 5)
        assert found.commits == 1
        assert found.edited["param_added_required", "called_by"] == {"edited": 1, "kept": 1}

    def test_rare_cells_are_left_out_and_the_others_stand_beside_the_table(self) -> None:
        counts = {
            ("deleted", "called_by"): calibration.Counter(edited=10, kept=2),
            ("rename", "called_by"): calibration.Counter(edited=9),
        }
        table = calibration.table(counts, "t", "relation", {("deleted", "called_by"): 500})
        assert [(row["change"], row["total"], row["table"]) for row in table.rows] == [
            ("deleted", 12, 0.5)
        ]
        assert table.rows[0]["ratio"] == 10 / 12 / 0.5

    def test_what_the_rules_expect_is_read_from_them(self) -> None:
        assert calibration.expectations()["rename", "called_by"] == 970


def test_a_python_without_a_server_leaves_out_the_model(tmp_path: Path) -> None:
    with (
        pytest.raises(Skipped, match="pip install xllamacpp"),
        model.serving(sys.executable, str(tmp_path / "no.gguf"), 1),
    ):
        pass
