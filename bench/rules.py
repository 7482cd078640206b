"""`python -m bench rules`: where the time of a solve goes, by stage and by rule."""

from __future__ import annotations

import argparse
import time

from bench import graphs
from bench.command import Benchmark, Found, run
from bench.results import Column, Table

RANKED = 12


def measured(given: argparse.Namespace) -> Found:
    """Measure the stages and the rules of one plan."""
    from plan07 import document, solver
    from plan07.ruletools import profile

    plan = document.read(graphs.realistic(), "bench")
    rounds = 5 if given.quick else 40
    # Of the processor, since the clock runs for others, too.
    found = profile.measure([(plan, solver.options())], rounds, time.process_time)
    # Phases of whole solves are timed by the clock.
    timings = [each for each in found.timings if each.stage]
    total = sum(each.p50 for each in timings)
    stages = Table(
        "64 obligations with 500 impact edges: stages",
        [
            Column("stage", "stage"),
            Column("phase", "phase"),
            Column("p50", "ms, median", "ms"),
            Column("p95", "ms, 95%", "ms"),
            Column("share", "of all stages", "share"),
        ],
        [
            {
                "stage": each.stage,
                "phase": each.phase,
                "p50": each.p50 / 1000,
                "p95": each.p95 / 1000,
                "share": each.p50 / total,
            }
            for each in timings
        ],
        "Each stage is run once more by itself, and every atom read, where a solve reads those "
        "that are shown.",
    )
    rules = Table(
        f"The {RANKED} rules that cost most",
        [
            Column("rule", "rule"),
            Column("stage", "stage"),
            Column("instances", "instances", "count"),
            Column("cost", "ms alone", "ms"),
        ],
        [
            {
                "rule": each.id,
                "stage": each.stage,
                "instances": each.instances,
                "cost": each.milliseconds / 1000,
            }
            for each in found.rules[:RANKED]
        ],
        "Grounded by itself against everything that holds at its stage.",
    )
    return Found([stages, rules])


BENCHMARK = Benchmark("rules", "Where does the time of a solve go?", measured)


def main(argv: list[str]) -> int:
    return run(BENCHMARK, argv)
