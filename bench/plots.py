"""Draws lines on logarithmic axes as SVG: the same points give the same bytes."""

from __future__ import annotations

import math
from html import escape

from bench.results import Plot

WIDTH, HEIGHT = 720, 440
LEFT, RIGHT, TOP, BOTTOM = 70, 190, 40, 60
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")


def svg(plot: Plot) -> str:
    """Return a plot as SVG; coordinates have two places, so that no platform differs."""
    points = [point for line in plot.series.values() for point in line]
    across = _decades([x for x, _ in points])
    upward = _decades([y for _, y in points])

    def place(x: float, y: float) -> tuple[float, float]:
        u = (math.log10(x) - across[0]) / (across[1] - across[0])
        v = (math.log10(y) - upward[0]) / (upward[1] - upward[0])
        return LEFT + u * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - v * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        _text(LEFT, TOP - 16, plot.title, size=14),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 16, plot.x, "middle"),
        f'<g transform="translate(18 {(TOP + HEIGHT - BOTTOM) / 2:.2f}) rotate(-90)">'
        + _text(0, 0, plot.y, "middle")
        + "</g>",
    ]
    for power in range(across[0], across[1] + 1):
        x, _ = place(10.0**power, 10.0 ** upward[0])
        parts.append(_line(x, TOP, x, HEIGHT - BOTTOM))
        parts.append(_text(x, HEIGHT - BOTTOM + 18, _power(power), "middle"))
    for power in range(upward[0], upward[1] + 1):
        _, y = place(10.0 ** across[0], 10.0**power)
        parts.append(_line(LEFT, y, WIDTH - RIGHT, y))
        parts.append(_text(LEFT - 6, y + 4, _power(power), "end"))
    for number, (name, line) in enumerate(plot.series.items()):
        colour = COLOURS[number % len(COLOURS)]
        placed = [place(x, y) for x, y in line]
        path = " ".join(f"{x:.2f},{y:.2f}" for x, y in placed)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.2f}" cy="{y:.2f}" r="3" fill="{colour}"/>' for x, y in placed]
        height = TOP + 10 + 20 * number
        x = WIDTH - RIGHT + 14
        parts.append(f'<rect x="{x}" y="{height - 5}" width="16" height="4" fill="{colour}"/>')
        parts.append(_text(x + 22, height + 1, name))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _decades(values: list[float]) -> tuple[int, int]:
    low = math.floor(math.log10(min(values)) + 1e-9)
    high = math.ceil(math.log10(max(values)) - 1e-9)
    return low, max(high, low + 1)


def _power(power: int) -> str:
    return f"{10**power:,}" if power >= 0 else f"{10.0**power:.{-power}f}"


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<path d="M{x1:.2f} {y1:.2f}L{x2:.2f} {y2:.2f}" stroke="#ddd" fill="none"/>'


def _text(x: float, y: float, text: str, anchor: str = "start", size: int = 12) -> str:
    return (
        f'<text x="{x:.2f}" y="{y:.2f}" text-anchor="{anchor}" font-size="{size}">'
        f"{escape(text)}</text>"
    )
