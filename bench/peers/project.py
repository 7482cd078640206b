"""The tasks that every tracker gets: layers of four, half of them done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from bench import graphs


class Task(NamedTuple):
    """A task.

    Args:
        number: from 1.
        needs: numbers of the tasks that it waits for.
        done: whether it is.
    """

    number: int
    needs: tuple[int, ...]
    done: bool


def tasks(size: int) -> list[Task]:
    """Return so many tasks; of their layers the first half is done.

    >>> [each.number for each in tasks(10) if each.done], tasks(10)[4].needs
    ([1, 2, 3, 4], (1, 2, 3, 4))
    """
    done = size // 8 * 4
    records = graphs.layered(size)["obligations"]
    return [
        Task(number, tuple(int(each[1:]) for each in record["dependencies"]), number <= done)
        for number, record in enumerate(records, 1)
    ]


def ready(work: Sequence[Task]) -> list[int]:
    """Return the tasks that are not done and wait for nothing that is not."""
    done = {each.number for each in work if each.done}
    return [each.number for each in work if not each.done and done.issuperset(each.needs)]


def obligations(work: Sequence[Task]) -> dict[str, Any]:
    """Return the tasks as a decomposition."""
    return {
        "obligations": [
            {
                **graphs.obligation(
                    task.number, list(task.needs), f"pkg.m{task.number}.f", "body change"
                ),
                "validation": f"tests/test_m{task.number}.py",
            }
            for task in work
        ]
    }
