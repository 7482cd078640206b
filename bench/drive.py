"""`python -m bench drive`: what it costs to drive a plan of 64 obligations."""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from bench import graphs
from bench.command import Benchmark, Found, run
from bench.measure import Command, cold, interleaved, plan07
from bench.results import Column, Headline, Table, shown

REQUIREMENT = {"goal": "g", "acceptance_criteria": ["a"], "constraints": []}
TIME = "2026-01-01T00:00:00Z"


def made(plan: dict[str, Any]) -> Any:
    """Return the plan of some obligations, as `plan07 plan` makes it."""
    from plan07 import planning, solver

    options = solver.options()
    known = planning.known(REQUIREMENT, plan.get("evidence"), options)
    decomposer = planning.given({"obligations": plan["obligations"]})
    return planning.make(REQUIREMENT, known, decomposer, options, "plan-20260101-0000")


def passing(check: Any, text: str) -> Any:
    """Pass every check without running it."""
    from plan07.validate import CheckResult

    return CheckResult(text, check.kind, "pass", "", 0)


def driven(plan: Any, path: Path) -> int:
    """Drive a plan to its end: expose, pass, write; return the number of steps."""
    from plan07 import planning, rulebook, state
    from plan07.driver import Driver
    from plan07.errors import PlanRefused

    store = state.Store(str(path))
    planning.write(store, plan, lambda: TIME)
    driver = Driver(store, rulebook.load(), lambda: TIME, run=passing)
    steps = 0
    while True:
        try:
            exposed = driver.next()
        except PlanRefused:
            return steps
        driver.validate(exposed["node_id"])
        steps += 1


def in_process(plan: Any, folder: Path, rounds: int) -> Table:
    """Return what standing anew and whole drives take."""
    from plan07 import partition, rulebook

    rules = rulebook.load()
    nodes = [dict(node) for node in plan.artifact["nodes"]]
    number = iter(range(10**6))

    def again() -> None:
        """Stand anew after one more node is complete."""
        done = next((node for node in nodes if node["state"] == "pending"), nodes[0])
        done["state"] = "complete"
        partition.stand({**plan.artifact, "nodes": nodes}, rules)

    stood = interleaved({"stand": again}, rounds)["stand"]
    whole = interleaved(
        {"drive": lambda: driven(plan, folder / f"driven{next(number)}.json")}, max(1, rounds // 5)
    )["drive"]
    steps = len(nodes)
    return Table(
        f"A plan of {steps} nodes, in process",
        [Column("what", "what"), Column("cpu", "ms of the processor", "ms")],
        [
            {"what": "stand anew after a state change", "cpu": stood.cpu},
            {
                "what": "one step of a whole drive: next, and a pass written",
                "cpu": whole.cpu / steps,
            },
        ],
        "Checks pass without being run, so a step is what plan07 itself takes; every pass is "
        "brought to the disk.",
    )


def command(plan: Any, source: dict[str, Any], folder: Path, rounds: int) -> Table:
    """Return what the commands cost from a standing start."""
    from plan07 import planning, state

    path = folder / "plan.json"
    planning.write(state.Store(str(path)), plan, lambda: TIME)
    given = folder / "given.json"
    given.write_text(json.dumps(source))
    commands = {"solve": Command(plan07("solve", str(given)))}
    for name in ("next", "status"):
        commands[name] = Command(plan07(name, str(path)))
    first = plan.schedule["order"][0]
    commands["explain"] = Command(plan07("explain", str(path), first))
    costs = cold(commands, rounds)
    bare = costs["solve"].cpu
    size = path.stat().st_size
    columns = [Column("what", "what"), Column("cpu", "ms of the processor", "ms")]
    columns += [Column("wall", "ms of the clock", "ms"), Column("ratio", "of solve", "ratio")]
    return Table(
        f"Commands on that plan, {size:,} bytes, cold",
        columns,
        [
            {"what": f"plan07 {n}", "cpu": c.cpu, "wall": c.wall, "ratio": c.cpu / bare}
            for n, c in costs.items()
        ],
    )


def measured(given: argparse.Namespace) -> Found:
    """Measure driving."""
    rounds = 3 if given.quick else 15
    source = graphs.realistic()
    for each in source["obligations"]:
        each["validation"] = f"tests/test_{each['id']}.py"
    plan = made(source)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        process = in_process(plan, folder, rounds)
        commands = command(plan, source, folder, rounds)
    row = commands.rows[1]
    return Found(
        [process, commands],
        headlines=[
            Headline(
                "`plan07 next` on a plan of 64, cold",
                f"{shown(row['cpu'], 'ms')} ms",
                f"{shown(row['ratio'], 'ratio')} of `solve`",
            )
        ],
    )


BENCHMARK = Benchmark("drive", "What does it cost to drive a plan of 64 obligations?", measured)


def main(argv: list[str]) -> int:
    return run(BENCHMARK, argv)
