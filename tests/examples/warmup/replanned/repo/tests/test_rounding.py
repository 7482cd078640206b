from dataclasses import replace

from shop.order import Line
from shop.pricing import total


def test_halves_are_rounded_up_line_by_line():
    half = replace(Line("gum", 5), discount=50)
    assert total([half, half]) == 6
