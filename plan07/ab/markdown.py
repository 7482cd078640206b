"""The report, the decision and the ablation as text that people read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from plan07.messages import printable

NAMES = {
    "retry_tokens": "retry tokens",
    "temporal": "temporal consistency",
    "resolve": "resolve rate",
    "cost": "cost",
    "tokens": "tokens",
}
RULES = {"below": "below", "above": "above", "at_least": "at least", "at_most": "at most"}
_VERDICTS = {
    "delete": "delete: nothing changes without it",
    "delete_harm": "delete: nothing is worse without it, something is better",
    "keep": "keep: something is worse without it",
    "undecided": "undecided: a figure is missing",
}
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|!~&])")


def shown(measure: str, value: str | float | None) -> str:
    """Return a figure as it is read: tokens with separators, rates to 3 digits, dollars to 4.

    >>> shown("tokens", "10273/3"), shown("temporal", "0.9"), shown("cost", None)
    ('3,424.3', '0.900', '-')

    Args:
        measure: a name of `metrics.MEASURES`.
        value: exact, as `report.exact` writes it, or rounded already.
    """
    if value is None:
        return "-"
    number = Fraction(value) if isinstance(value, str) else Fraction(repr(value))
    if measure == "cost":
        return f"${float(number):.4f}"
    if measure in ("temporal", "resolve"):
        return f"{float(number):.3f}"
    return f"{float(number):,.0f}" if number.denominator == 1 else f"{float(number):,.1f}"


def decision_rows(found: Mapping[str, Any]) -> list[list[str]]:
    """Return the criteria of a decision as rows, the heading first."""
    rows = [["holds", "measure", "plan07", "has to be", "bound", "of", ""]]
    for each in found["criteria"]:
        factor = "1.5 x " if each["rule"] == "at_most" else ""
        rows.append(
            [
                "yes" if each["holds"] else "no",
                NAMES[each["measure"]],
                shown(each["measure"], each["candidate"]),
                RULES[each["rule"]],
                shown(each["measure"], each["bound"]),
                f"{factor}{each['against']}",
                each["why"],
            ]
        )
    return rows


def verdict(found: Mapping[str, Any]) -> str:
    """Return what a decision comes to, in one line."""
    if "message" in found:
        return f"no decision: {found['message']}"
    failed = [each for each in found["criteria"] if not each["holds"]]
    said = "adopted" if found["adopted"] else f"not adopted: {len(failed)} of 7 criteria fail"
    if found["simulated"]:
        return f"simulated, so nothing is decided; the rule would say: {said}"
    return said


def ablation_rows(found: Mapping[str, Any]) -> list[list[str]]:
    """Return the verdicts of an ablation as rows, the heading first."""
    rows = [["without", *NAMES.values(), "verdict"]]
    for each in found["mechanisms"]:
        cells = []
        for change in each["changes"]:
            ratio = "" if change["ratio"] is None else f" ({float(Fraction(change['ratio'])):+.1%})"
            mark = "" if not change["moved"] else (" worse" if change["worse"] else " better")
            cells.append(f"{shown(change['measure'], change['without'])}{ratio}{mark}")
        name = each["mechanism"].replace("_", " ")
        rows.append([name, *cells, _VERDICTS[each["verdict"]]])
    return rows


def markdown(report: Mapping[str, Any]) -> str:
    """Return a report as Markdown."""
    mark = "Simulated: " if report["simulated"] else ""
    parts = [f"# {_safe(report['title'])}", "", *_head(report)]
    found = report["instruments"]
    parts += _instrument(
        mark + "retry tokens, a run", "retry_tokens", found["retry_tokens"], report
    )
    parts += _instrument(
        mark + "temporal consistency, valid states / executed nodes",
        "temporal",
        found["temporal"],
        report,
    )
    for name, arms in found["temporal"]["oracles"].items():
        told = ", ".join(f"{arm} {said}" for arm, said in arms.items())
        parts += [f"By {_safe(name)} alone: {told}.", ""]
    for name, what in (
        ("resolve", "resolve rate"),
        ("cost", "cost, a run"),
        ("tokens", "tokens, a run"),
    ):
        parts += _instrument(mark + what, name, found["end_to_end"][name], report)
    parts += [f"## {mark}ablation", ""]
    if found["ablation"]["mechanisms"]:
        parts += [*_table(ablation_rows(found["ablation"])), ""]
    else:
        parts += [_safe(found["ablation"].get("message", "No mechanism was removed.")), ""]
    parts += [f"## {mark}decision", ""]
    if "criteria" in report["decision"]:
        parts += [*_table(decision_rows(report["decision"])), ""]
    parts += [_sentence(_safe(verdict(report["decision"]))), ""]
    parts += [f"## Published: {report['published']['what']}", ""]
    rows = [["arm", "mean ± sd"]]
    rows += [[arm, f"{n['mean']:,} ± {n['sd']}"] for arm, n in report["published"]["arms"].items()]
    return "\n".join([*parts, *_table(rows)]) + "\n"


def _head(report: Mapping[str, Any]) -> list[str]:
    seeds = ", ".join(str(each) for each in report["seeds"])
    lines = [
        f"- execution: {report['execution']}",
        f"- model: {_safe(report['model'])}",
        f"- host: {_safe(report['host'])}",
        f"- tasks: {len(report['tasks'])}, sample {report['sample'][:12]}",
        f"- seeds: {seeds}",
        f"- tokens counted by: {_safe(report['tokenizer'])}",
    ]
    shared = report["settings"]["all"]
    if shared:
        told = ", ".join(f"{_safe(name)} {_safe(value)}" for name, value in shared.items())
        lines.append(f"- settings: {told}")
    lines += [f"- note: {_safe(note)}" for note in report["notes"]]
    if report["missing"]:
        lines.append(f"- incomplete: {len(report['missing'])} runs lack")
    return [*lines, ""]


def _instrument(
    title: str, name: str, found: Mapping[str, Any], report: Mapping[str, Any]
) -> list[str]:
    rows = [["arm", "total", "mean ± sd over seeds", "95 % interval", "plan07 minus it, 95 %"]]
    for arm, figures in found["arms"].items():
        total = figures["total"]
        gap = found["plan07_minus"].get(arm, {"low": None, "high": None})
        rows.append(
            [
                arm,
                shown(name, total["exact"]),
                f"{shown(name, total['mean'])} ± {shown(name, total['sd'])}",
                _range(name, total),
                _range(name, gap),
            ]
        )
    arms = list(found["arms"])
    tasks = [["task", *arms]]
    for task in report["tasks"]:
        tasks.append([task, *(shown(name, found["arms"][a]["tasks"].get(task)) for a in arms)])
    return [f"## {title[:1].upper()}{title[1:]}", "", *_table(rows), "", *_table(tasks), ""]


def _range(name: str, found: Mapping[str, Any]) -> str:
    if found["low"] is None:
        return "-"
    return f"{shown(name, found['low'])} to {shown(name, found['high'])}"


def _table(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    head, *body = rows
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in body:
        yield f"| {' | '.join(_safe(cell) for cell in row)} |"


def _safe(text: str) -> str:
    """A text in which nothing is Markdown, on one line."""
    return _SPECIAL.sub(r"\\\1", printable(text))


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
