"""Tries a user's rules on plans, in a child process with a limit of time and memory.

Grounding cannot be interrupted, so a rule that multiplies is found from outside: where a trial does
not come to an end, the user's rules are put in one by one, those first that others rest on, and the
first with which it does not end is named. The same finds the rule that leaves several answers.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from plan07 import answersets, document, rulebook, solver
from plan07.errors import Plan07Error, PlanRefused, RulesError
from plan07.messages import quoted
from plan07.rulebook import Rulebook
from plan07.ruletools import probes, recording, source
from plan07.ruletools.issues import Issue, about_file, about_rule
from plan07.ruletools.records import Rule
from plan07.ruletools.stages import Stages
from plan07.ruletools.workers import CHILD_FAILED, TimeOver, Worker

OBLIGATIONS = 400
SECONDS = 3.0
_MEMORY_BYTES = 1024**3
# A trial may take this many times as long as without the user's rules.
_FACTOR = 5
_SERVICE = "plan07.ruletools.trial:answering"
_LIMITS = {"max_obligations": 2**20, "max_static_bytes": 2**29, "max_dependencies": 2**20}
_OVER = "no end"
_REFUSED = "refused"
# What a solve says to what a check calls it.
_CODES = {"RULES_UNSATISFIABLE": "ANSWERS_NONE", "RULES_AMBIGUOUS": "ANSWERS_SEVERAL"}


class Settings(NamedTuple):
    """How to try rules.

    Args:
        plans: documents by name, beside the small ones that are always tried.
        obligations: how many the growing plan has.
        seconds: how long a trial may take at least, before it counts as endless.
    """

    plans: Mapping[str, Any] = {}
    obligations: int = OBLIGATIONS
    seconds: float = SECONDS


def check(stages: Stages, overlay: str | None, settings: Settings) -> Iterator[Issue]:
    """Yield what goes wrong when rules run that can be loaded.

    Args:
        stages: the rules.
        overlay: the user's directory, or None for the shipped rules alone.
        settings: how to try them.
    """
    own = _ordered(stages)
    if not settings.plans and not any(file.overlaid for file in stages.rules.files):
        return
    setup = {"overlay": overlay and os.path.abspath(overlay)}
    with Worker(_SERVICE, setup) as worker:
        trial = _Trial(worker, [rule.id for rule in own], settings.seconds)
        told: set[tuple[str, str]] = set()
        repaired = any("repair" in rule.stages for rule in own)
        for name, plan in {**probes.small(), **settings.plans}.items():
            ask = {"kind": "plan", "plan": plan, "name": name, "repair": repaired}
            outcome = trial.outcome(ask, None)
            if outcome in ("", _REFUSED):
                continue
            if not own or trial.outcome(ask, 0) == outcome:
                yield _about_all(stages, name, outcome)
                continue
            rule = own[trial.culprit(ask, outcome)]
            code = _CODES.get(outcome, "GROUNDING_GROWS" if outcome == _OVER else "PLAN_FAILS")
            if (code, rule.id) not in told:
                told.add((code, rule.id))
                yield _about(code, rule, name, outcome)
        if own and not any(code == "GROUNDING_GROWS" for code, _ in told):
            yield from _growing(trial, own, settings)


def _growing(trial: _Trial, own: Sequence[Rule], settings: Settings) -> Iterator[Issue]:
    given = trial.facts(settings.obligations)
    told: set[str] = set()
    for stage, facts in given.items():
        if not any(stage in rule.stages for rule in own):
            continue
        ask = {"kind": "stage", "stage": stage, "given": facts}
        if trial.outcome(ask, None) != _OVER:
            continue
        rule = own[trial.culprit(ask, _OVER)]
        if rule.id not in told:
            told.add(rule.id)
            yield _about(
                "GROUNDING_GROWS", rule, f"a plan of {settings.obligations} obligations", _OVER
            )


def _about(code: str, rule: Rule, plan: str, outcome: str) -> Issue:
    text = quoted(source.one_line(rule))
    message, fix = {
        "GROUNDING_GROWS": (
            f"with {text} the rules do not come to an end on {plan}",
            "join over fewer variables, or over predicates that few atoms have",
        ),
        "ANSWERS_NONE": (
            f"with {text} the rules have no answer for {plan}",
            "derive violation(Code, Subject) where something must not be",
        ),
        "ANSWERS_SEVERAL": (
            f"with {text} the rules have several answers for {plan}",
            "remove the choice, or the loop through negation",
        ),
        "PLAN_FAILS": (
            f"with {text} the rules fail on {plan}: {outcome}",
            "look at what the rule derives; `plan07 solve` tells more",
        ),
    }[code]
    return about_rule(code, rule, message, fix)


def _about_all(stages: Stages, plan: str, outcome: str) -> Issue:
    """Return the finding about a plan that no rule of the user's own is to blame for."""
    code = _CODES.get(outcome, "GROUNDING_GROWS" if outcome == _OVER else "PLAN_FAILS")
    overlaid = [file for file in stages.rules.files if file.overlaid]
    file = (overlaid or stages.rules.files)[0]
    fix = "see with `plan07 rules diff` what the overlay leaves out of the shipped rules"
    return about_file(
        code,
        file,
        1,
        1,
        f"the rules fail on {plan}, with and without what the overlay adds: {outcome}",
        fix if overlaid else "report it together with the plan",
    )


class _Trial:
    """Asks a child what becomes of a plan under the first so many rules of a user."""

    def __init__(self, worker: Worker, ids: Sequence[str], seconds: float) -> None:
        self._worker = worker
        self._ids = ids
        self._seconds = seconds
        self._allowed: dict[str, float] = {}

    def facts(self, obligations: int) -> dict[str, str]:
        question = {"kind": "facts", "obligations": obligations}
        # The shipped rules are known to come to an end.
        found: dict[str, str] = self._worker.ask(question, 600)
        return found

    def outcome(self, ask: dict[str, Any], rules: int | None) -> str:
        """Return "" where all is well, "refused", the code of an error, or `_OVER`."""
        kept = None if rules is None else list(self._ids[:rules])
        name = ask.get("stage") or ask["name"]
        while True:
            seconds = self._allowed.get(name, self._seconds)
            try:
                return str(self._worker.ask({**ask, "rules": kept}, seconds))
            except TimeOver:
                if name in self._allowed:
                    return _OVER
                # A busy machine is no fault of the rules: what do the shipped ones take?
                self._allowed[name] = max(self._seconds, _FACTOR * self._without(ask))
                if self._allowed[name] == seconds:
                    return _OVER
            except RulesError as error:
                return _OVER if error.code == CHILD_FAILED else error.code

    def _without(self, ask: dict[str, Any]) -> float:
        # A child that was killed is started again first, which takes no time of the rules.
        with contextlib.suppress(TimeOver, Plan07Error):
            self._worker.ask({"kind": "nothing"}, 600)
        begin = time.perf_counter()
        with contextlib.suppress(TimeOver, Plan07Error):
            self._worker.ask({**ask, "rules": []}, 600)
        return time.perf_counter() - begin

    def culprit(self, ask: dict[str, Any], outcome: str) -> int:
        """Return the number of the rule with which it first comes to an outcome."""
        low, high = 0, len(self._ids) - 1
        while low < high:
            middle = (low + high) // 2
            if self.outcome(ask, middle + 1) == outcome:
                high = middle
            else:
                low = middle + 1
        return low


def _ordered(stages: Stages) -> list[Rule]:
    """Return the user's rules, those first that others rest on."""
    own = [rule for rule in stages.rules.rules if stages.own(rule)]
    makers: dict[tuple[str, int], list[Rule]] = {}
    for rule in own:
        for head in rule.heads:
            makers.setdefault(head, []).append(rule)
    found: dict[str, Rule] = {}
    opened: set[str] = set()

    def visit(rule: Rule) -> None:
        if rule.id in opened:
            return
        opened.add(rule.id)
        for atom in rule.atoms():
            for maker in makers.get((atom.name or "", atom.arity), ()):
                visit(maker)
        found[rule.id] = rule

    for rule in own:
        visit(rule)
    return list(found.values())


# In the child.


def answering(overlay: str | None) -> Callable[[dict[str, Any]], Any]:
    """Return the function that answers questions about the rules of a directory."""
    _bound_memory()
    book = rulebook.load(overlay)
    stages = Stages(source.read_rules(book), source.parse(rulebook.load()))

    def answer(question: dict[str, Any]) -> Any:
        if question["kind"] == "facts":
            return _facts(question["obligations"])
        if question["kind"] == "nothing":
            return ""
        kept = question["rules"]
        rules = book if kept is None else _reduced(book, stages, set(kept))
        if question["kind"] == "stage":
            return _grounded(rules, question["stage"], question["given"])
        return _solved(rules, question["plan"], question["name"], question["repair"])

    return answer


def _facts(obligations: int) -> dict[str, str]:
    plan = document.read(probes.large(obligations), "the growing probe plan")
    recorded = recording.record(plan, solver.options(limits=_LIMITS))
    return {stage.name: stage.given for stage in recorded.stages}


def _solved(rules: Rulebook, plan: Any, name: str, repair: bool) -> str:
    try:
        recording.record(document.read(plan, name), solver.options(repair=repair), rules)
    except PlanRefused:
        return _REFUSED
    except RulesError as error:
        return error.code
    return ""


def _grounded(rules: Rulebook, stage: str, given: str) -> str:
    numbers = {**rules.numbers, **{k: v for k, v in _LIMITS.items() if k in rules.numbers}}
    with contextlib.suppress(RulesError):
        answersets.consequences([*recording.texts(rules, stage), given], numbers)
    return ""


def _reduced(book: Rulebook, stages: Stages, kept: set[str]) -> Rulebook:
    """Return the rules without those of a user that are not kept; lines stay where they are."""
    files = []
    for file in book.files:
        text = file.text
        for rule in reversed(stages.files[file.name].rules):
            if stages.own(rule) and rule.id not in kept:
                lines = "\n" * text[rule.begin : rule.end].count("\n")
                text = text[: rule.begin] + lines + text[rule.end :]
        files.append(file._replace(text=text))
    return Rulebook(files, book.policy, book.limits)


def _bound_memory() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        limit = _MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(_MEMORY_BYTES, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
