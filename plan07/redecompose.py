"""Who decomposes again what failed: a model, or rules that give the same another attempt."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

from plan07 import prompt
from plan07.decompose import Ask, Decomposition, decompose, no_op
from plan07.document import FIELDS
from plan07.ledger import File
from plan07.prompt import Fragment
from plan07.replan import Replanner
from plan07.rulebook import Rulebook
from plan07.state import Store


def by_model(
    store: Store,
    ask: Ask,
    rules: Rulebook,
    now: Callable[[], str],
    *,
    budget: int = prompt.DEFAULT_BUDGET,
    lenient: bool = False,
) -> Replanner:
    """Return the replanner that asks a model, once for each failure.

    Args:
        store: the plan, whose requirement, evidence and calls are used.
        ask: the model.
        rules: whose vocabulary the model is told.
        now: the time.
        budget: tokens of the prompt, by estimate.
        lenient: as in `decompose.decompose`.
    """

    def replan(fragment: Fragment) -> Decomposition:
        requirement = store.load().artifact["requirement"] or _NO_REQUIREMENT
        asked = prompt.build(requirement, store.evidence(), rules, budget=budget, fragment=fragment)
        return decompose(
            asked,
            ask,
            File(store.calls_path),
            now,
            lenient=lenient,
            most=rules.number("max_obligations"),
        )

    return replan


_NO_REQUIREMENT = {"goal": "not stated", "acceptance_criteria": (), "constraints": ()}


def again(store: Store, now: Callable[[], str]) -> Replanner:
    """Return the replanner that gives the same obligations one more attempt for each failure.

    A failure that says the same as one before is not tried again.

    Args:
        store: the plan, beside which the scopes are kept.
        now: the time.
    """

    def replan(fragment: Fragment) -> Decomposition:
        nodes = [{name: node[name] for name in FIELDS} for node in fragment.nodes]
        inside = {node["id"] for node in nodes}
        for node in nodes:
            node["dependencies"] = [x for x in node["dependencies"] if x in inside]
        text = json.dumps([nodes, fragment.failed, fragment.said], sort_keys=True)
        scope = hashlib.sha256(text.encode()).hexdigest()
        # An attempt that was given before a crash, and did not reach the plan, is still due.
        failure = max((row["seq"] for row in store.load().log if row["event"] == "fail"), default=0)
        row = {"event": "again", "time": now(), "failed": fragment.failed, "of": failure}
        calls = File(store.calls_path)
        if not calls.spend(scope, row) and not any(
            each.get("scope") == scope and each.get("of") == failure for each in calls.rows()
        ):
            return no_op("the same obligations failed in the same way before")
        return Decomposition({"obligations": nodes})

    return replan
