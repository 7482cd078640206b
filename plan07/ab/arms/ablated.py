"""plan07 without one of three mechanisms, everything else as it is (build spec 7.5).

- externalized plan: the obligations are decomposed, typed and ordered as ever, and the schedule is
  written into the prompt, once. The model carries it all out; nothing outside of the prompt knows
  what is done, so nothing can be gated or planned again in between, and what fails is tried again
  as a whole on the state that there is.
- typed artifacts: the model decomposes into lines of text instead of records. They are done in the
  order in which it wrote them, since texts declare no dependencies that rules could read, and each
  passes if the repository is valid, since no text names a validation.
- dependency ordering: the model's own order, that of its reply, instead of the schedule. Gate,
  scoped decomposition and the plan outside of the prompt stay; what depends on a failed obligation
  is not known, so it is decomposed again alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from plan07 import planning, validate
from plan07.ab.arms import prompts
from plan07.ab.arms.planned import Plans, now
from plan07.ab.arms.running import told
from plan07.ab.arms.sequence import Item, walk
from plan07.ab.records import Purpose
from plan07.llm.call import Call
from plan07.prompt import Fragment
from plan07.state import Store

_TEXTS = """\
You break a change request into steps. Reply with a numbered list and nothing else, one step to a \
line, each a change of one function, method, class or constant. Write them in the order in which \
they are to be done.
"""
_LINE = re.compile(r"^\s*(?:\d+[.)]|[-*])\s+(?:\[.\]\s*)?(\S.*)$", re.M)
_MOST_LINES = 64
_TEXT_TOKENS = 512


def plan_in_prompt(plans: Plans) -> None:
    """Work without the externalized plan.

    Raises:
        Spent: the budget is used up.
    """
    running = plans.running
    made = plans.made(plans.store())
    if made is None:
        return
    nodes = {each["id"]: each for each in made.schedule["nodes"]}
    lines = [prompts.data(_told(nodes[each])) for each in made.schedule["order"]]
    part = "\n".join(["Carry out this plan, all of it, in its order", "", *lines, ""])
    failed = refused = ""
    for attempt in count(1):
        refused = running.edit(part, retry=attempt > 1, failure=told(refused, failed))
        if not refused:
            state = running.stands(f"attempt-{attempt}", made.schedule["order"])
            if state.done:
                return
            failed = state.failure


def untyped(plans: Plans) -> None:
    """Work without typed artifacts.

    Raises:
        Spent: the budget is used up.
    """
    running = plans.running
    numbers = count(1)

    def lines(failure: str, line: str) -> Sequence[Item]:
        parts = [prompts.failure(failure), f"Break this step up again: {prompts.data(line)}\n"]
        user = running.prompt(*(parts if failure else ()))
        call = Call(_TEXTS, user, None, max_completion_tokens=_TEXT_TOKENS)
        purpose: Purpose = "redecompose" if failure else "decompose"
        said = running.talk.ask(call, purpose, retry=bool(failure)).text
        texts = list(dict.fromkeys(_LINE.findall(said)))[:_MOST_LINES]
        return [
            Item(f"T{next(numbers)}", _text_part(text), holds, bool(failure), failure)
            for text in texts
            if text != line
        ]

    def holds() -> str:
        state = running.copy.state()
        return "" if state.valid else state.failure

    asked: set[str] = set()

    def replan(item: Item, failure: str) -> Sequence[Item]:
        # Once for each failure, as the product does.
        if (item.part + failure) in asked:
            return ()
        asked.add(item.part + failure)
        return lines(failure, item.part)

    walk(running, lines("", ""), replan)
    while not running.copy.state().done:
        failure = running.copy.state().failure
        more = lines(failure, "the tests pass")
        if not more:
            return
        walk(running, more, replan)


def unordered(plans: Plans) -> None:
    """Work without dependency ordering.

    Raises:
        Spent: the budget is used up.
    """
    running = plans.running
    store = plans.store()
    made = plans.made(store)
    if made is None:
        return
    planning.write(store, made, now)
    replan = _Alone(plans, store)
    walk(running, [replan.item(each) for each in made.decomposition["obligations"]], replan)
    unmet: set[str] = set()
    while not (state := running.copy.state()).done and state.failure not in unmet:
        unmet.add(state.failure)
        check = {"id": f"V{len(unmet)}", "obligation": "validate", "target_entity": "tests"}
        rest = {"validation": "tests", "caused_by": "the tests fail", "dependencies": []}
        walk(running, [replan.item({**check, **rest, "evidence": "", "status": "ready"})], replan)


class _Alone:
    """Decomposes a failed obligation again, alone.

    Args:
        plans: of the run.
        store: the plan's, for requirement and evidence.
    """

    def __init__(self, plans: Plans, store: Store) -> None:
        self._plans = plans
        self._ask = plans.replanner(store)
        self._nodes: dict[str, Mapping[str, Any]] = {}

    def item(self, node: Mapping[str, Any], again: bool = False, failure: str = "") -> Item:
        """Return an obligation as a thing to do."""
        self._nodes[node["id"]] = node

        def check() -> str:
            result = validate.gate(node, self._plans.gate)
            return "" if result.outcome == validate.PASS else result.reason or result.outcome

        shown = {**node, "required_validation": node["validation"]}
        part = "" if node["obligation"] == "validate" else prompts.obligation(shown)
        return Item(node["id"], part, check, again, failure)

    def __call__(self, item: Item, failure: str) -> Sequence[Item]:
        node = self._nodes[item.name]
        said = failure.splitlines()[0]
        found = self._ask(Fragment([{**node, "dependencies": []}], node["id"], said))
        if found.is_no_op:
            return ()
        return [self.item(each, True, failure) for each in found.document["obligations"]]


def _told(node: Mapping[str, Any]) -> dict[str, Any]:
    shown = {name: node[name] for name in ("id", "obligation", "target_entity", "validation")}
    parts = [
        {x: part[x] for x in ("obligation", "target_entity")} for part in node.get("members", ())
    ]
    return {**shown, "members": parts} if parts else shown


def _text_part(text: str) -> str:
    return f"Do only this part of the request now, and nothing else of it\n\n{prompts.data(text)}\n"
