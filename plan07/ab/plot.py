"""The report as a plot: a plain SVG, written by hand so that the same report gives the same bytes.

Where tasks differ in a number, such as plan size or failure rate, retry tokens and temporal
consistency are drawn over it, one panel for each value of a second number; else as bars with their
95 % intervals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

from plan07.ab.markdown import NAMES, shown
from plan07.messages import printable

# Okabe and Ito's colours, which people with any colour vision tell apart, and a dash for each.
_STYLES = {
    "monolithic": ("#E69F00", "8 3"),
    "static": ("#D55E00", "2 3"),
    "current": ("#666666", "8 3 2 3"),
    "plan07": ("#0072B2", ""),
}
_AXES = ("size", "failure_rate")
_WIDTH, _HEIGHT = 300, 220
_LEFT, _TOP, _BOTTOM, _RIGHT = 64, 34, 40, 16
_HEAD = 76


class Panel(NamedTuple):
    """One coordinate system.

    Args:
        title: over it.
        measure: a name of `metrics.MEASURES`.
        axis: what runs along the bottom.
        lines: arm to its points.
    """

    title: str
    measure: str
    axis: str
    lines: Mapping[str, Sequence[tuple[float, float]]]


def svg(report: Mapping[str, Any]) -> str:
    """Return a report as an SVG document."""
    rows = [_panels(report, name) for name in ("retry_tokens", "temporal")]
    columns = max(len(row) for row in rows)
    width = max(columns * (_WIDTH + 8) + 16, 640)
    height = _HEAD + len(rows) * (_HEIGHT + 8) + 8
    title = printable(report["title"])
    arms = list(report["instruments"]["retry_tokens"]["arms"])
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        _text(16, 24, title, size=16),
        _text(16, 42, _under(report)),
        *_legend(arms),
    ]
    for line, row in enumerate(rows):
        for column, panel in enumerate(row):
            place = (8 + column * (_WIDTH + 8), _HEAD + line * (_HEIGHT + 8))
            body += [f'<g transform="translate({place[0]} {place[1]})">', *_drawn(panel), "</g>"]
    return "\n".join([*body, "</svg>"]) + "\n"


def _under(report: Mapping[str, Any]) -> str:
    seeds, tasks = len(report["seeds"]), len(report["tasks"])
    lacking = f", {len(report['missing'])} runs lack" if report["missing"] else ""
    return f"{report['execution']}; {tasks} tasks, {seeds} seeds{lacking}"


def _legend(arms: Sequence[str]) -> list[str]:
    found = []
    for place, arm in enumerate(arms):
        colour, dash = _STYLES[arm]
        x = 16 + 110 * place
        found.append(_line(x, 60, x + 26, 60, colour, dash))
        found.append(_text(x + 32, 64, arm))
    return found


def _panels(report: Mapping[str, Any], measure: str) -> list[Panel]:
    arms = report["instruments"][measure]["arms"]
    settings = report["settings"]["tasks"]
    axes = [axis for axis in _AXES if any(axis in found for found in settings.values())]
    if not axes:
        lines = {
            arm: [(float(place), float(Fraction(found["total"]["exact"])))]
            for place, (arm, found) in enumerate(arms.items())
            if found["total"]["exact"] is not None
        }
        return [Panel(NAMES[measure], measure, "", lines)]
    axis = axes[0]
    panels: dict[str, dict[str, dict[float, list[float]]]] = {}
    for arm, found in arms.items():
        for task, value in found["tasks"].items():
            own = settings.get(task, {})
            name = f"{axes[1].replace('_', ' ')} {own.get(axes[1], '?')}" if axes[1:] else ""
            if value is not None and axis in own:
                points = panels.setdefault(name, {}).setdefault(arm, {})
                points.setdefault(float(own[axis]), []).append(float(Fraction(value)))
    return [
        Panel(
            f"{NAMES[measure]}{', ' if name else ''}{name}",
            measure,
            axis.replace("_", " "),
            {
                arm: sorted((x, sum(ys) / len(ys)) for x, ys in points.items())
                for arm, points in found.items()
            },
        )
        for name, found in sorted(panels.items())
    ]


def _drawn(panel: Panel) -> list[str]:
    points = [point for line in panel.lines.values() for point in line]
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    top = 1.0 if panel.measure == "temporal" else _nice(max((y for _, y in points), default=1.0))
    most = max((x for x, _ in points), default=1.0) or 1.0

    def across(x: float) -> float:
        return round(_LEFT + x / most * (right - _LEFT), 2)

    def up(y: float) -> float:
        return round(bottom - y / top * (bottom - _TOP), 2)

    found = [_text(_LEFT, 20, panel.title, size=12)]
    for step in range(5):
        y = top * step / 4
        found.append(_line(_LEFT, up(y), right, up(y), "#dddddd"))
        found.append(_text(_LEFT - 6, up(y) + 4, shown(panel.measure, y), anchor="end"))
    if not panel.axis:
        return found + _bars(panel, up, bottom, right)
    for x in sorted({x for x, _ in points}):
        found.append(_text(across(x), bottom + 16, f"{x:g}", anchor="middle"))
    found.append(_text((_LEFT + right) / 2, bottom + 32, panel.axis, anchor="middle"))
    for arm, line in panel.lines.items():
        colour, dash = _STYLES[arm]
        path = " ".join(f"{across(x)},{up(y)}" for x, y in line)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        found.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dashed}/>'
        )
        found += [
            f'<circle cx="{across(x)}" cy="{up(y)}" r="2.5" fill="{colour}"/>' for x, y in line
        ]
    return found


def _bars(panel: Panel, up: Any, bottom: int, right: int) -> list[str]:
    found = []
    room = (right - _LEFT) / max(len(panel.lines), 1)
    for place, (arm, line) in enumerate(panel.lines.items()):
        x, y = round(_LEFT + place * room + room * 0.2, 2), up(line[0][1])
        found.append(
            f'<rect x="{x}" y="{y}" width="{round(room * 0.6, 2)}" height="{round(bottom - y, 2)}" '
            f'fill="{_STYLES[arm][0]}"/>'
        )
        middle = round(x + room * 0.3, 2)
        found.append(_text(middle, y - 4, shown(panel.measure, line[0][1]), anchor="middle"))
        found.append(_text(middle, bottom + 16, arm, anchor="middle"))
    return found


def _nice(value: float) -> float:
    """The next number of the form 1, 2, 4, 6, 8 times a power of ten."""
    power = 1.0
    while power * 10 <= value:
        power *= 10
    while power > value > 0:
        power /= 10
    return next((power * each for each in (1, 2, 4, 6, 8) if power * each >= value), power * 10)


def _line(x: float, y: float, to_x: float, to_y: float, colour: str, dash: str = "") -> str:
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<line x1="{x}" y1="{y}" x2="{to_x}" y2="{to_y}" stroke="{colour}" '
        f'stroke-width="{2 if dash or colour in _COLOURS else 1}"{dashed}/>'
    )


_COLOURS = {colour for colour, _ in _STYLES.values()}


def _text(x: float, y: float, text: str, *, size: int = 11, anchor: str = "start") -> str:
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}">'
        f"{escape(printable(text))}</text>"
    )
