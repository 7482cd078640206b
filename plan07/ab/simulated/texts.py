"""The prompts and replies of simulated runs: whole texts, whose tokens are counted for real.

What plan07 itself sends (the decomposition, whole and scoped) is not here; it comes from plan07.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from plan07.ab.simulated.world import World

_FORMAT = """\
Answer with one block for each function that you change, and nothing else:

FILE path
<<<<<<< SEARCH
lines of the file as they are
=======
lines as they shall be
>>>>>>> REPLACE
"""

MONOLITHIC = (
    "You fulfil a change request in a Python repository, all of it in one answer.\n" + _FORMAT
)
CURRENT = "You fulfil a change request in a Python repository. Edit what is needed.\n" + _FORMAT
CHAIN = (
    "You fulfil a change request in a Python repository step by step. Do the step that is \
named, and no other.\n"
    + _FORMAT
)
NODE = "You discharge one obligation in a Python repository, and nothing else.\n" + _FORMAT
LISTING = "You break a change request into steps. Answer with one step a line: its number, what \
is changed, and the test that proves it done.\n"

_SOURCE = '''\
def price(order: Order, rate: int = {rate}) -> int:
    """Return what an order costs at part {part}, in cents."""
    total = 0
    for line in order.lines:
        if line.quantity <= 0:
            raise ValueError(f"{{line.sku}} has the quantity {{line.quantity}}")
        amount = line.quantity * line.unit_price
        if line.sku in order.discounts:
            amount -= amount * order.discounts[line.sku] // 100
        total += amount
    return total + total * rate // 100
'''
_NEW = '''\
def price(order: Order, rate: int = {rate}, *, currency: str = "EUR") -> Money:
    """Return what an order costs at part {part}."""
    total = Money(0, currency)
    for line in order.lines:
        if line.quantity <= 0:
            raise ValueError(f"{{line.sku}} has the quantity {{line.quantity}}")
        amount = line.unit_price.to(currency) * line.quantity
        if line.sku in order.discounts:
            amount -= amount * order.discounts[line.sku] // 100
        total += amount
    return total + total * rate // {number}
'''


def request(world: World) -> str:
    """Return the request, the same for all arms."""
    shown = [f"- {proof(each)} passes" for each in world.foreseen[:12]]
    more = len(world.foreseen) - len(shown)
    tail = [f"- the tests of the other {more} parts pass"] if more else []
    return "\n".join(
        [
            f"Prices of all {len(world.foreseen)} parts of the shop become Money, not whole cents.",
            "",
            *shown,
            *tail,
        ]
    )


def proof(entity: str) -> str:
    """Return the test of an entity."""
    module = entity.split(".")[1]
    return f"tests/test_{module}.py::test_{entity.split('.')[-1]}"


def source(entity: str) -> str:
    """Return the file of an entity, as it is before the change."""
    module = entity.split(".")[1]
    part = "".join(each for each in module if each.isdigit())
    return f"FILE shop/{module}.py\n{_SOURCE.format(part=part, rate=int(part) % 7 + 12)}"


def edit(world: World, entity: str) -> str:
    """Return the block that edits an entity, by its last edit."""
    module = entity.split(".")[1]
    part = "".join(each for each in module if each.isdigit())
    old = _SOURCE.format(part=part, rate=int(part) % 7 + 12)
    new = _NEW.format(part=part, rate=int(part) % 7 + 12, number=world.number(entity))
    return f"FILE shop/{module}.py\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


def edits(world: World, entities: Iterable[str]) -> str:
    """Return the blocks that edit some entities."""
    return "\n".join(edit(world, each) for each in entities)


def sources(entities: Iterable[str]) -> str:
    """Return the files of some entities."""
    return "\n".join(source(each) for each in entities)


def failure(world: World, entity: str) -> str:
    """Return the line that the test of an entity fails with."""
    number = world.number(entity)
    return (
        f"{proof(entity)}: AssertionError: assert Money({number * 10}) == Money({number * 10 + 7})"
    )


def failures(world: World, entities: Sequence[str]) -> str:
    """Return what the tests of some entities say, "" for none."""
    if not entities:
        return ""
    return "\n".join(["", "The tests fail:", *(failure(world, each) for each in entities), ""])


def steps(world: World, entities: Iterable[str]) -> str:
    """Return a decomposition in prose, as a model writes one into a prompt."""
    lines = []
    for number, entity in enumerate(entities, 1):
        after = ", ".join(world.declared(entity)) if entity in world.foreseen else ""
        needs = f", after {after}" if after else ""
        lines.append(f"{number}. Let {entity} return Money{needs}; {proof(entity)} passes.")
    return "\n".join(lines)


def obligations(
    world: World, entities: Sequence[str], *, typed: bool = True
) -> list[dict[str, Any]]:
    """Return the records that the model's reply holds.

    Args:
        world: the repository.
        entities: in the order in which the model names them.
        typed: of the schema; else the prose of `steps`, each line put where a record wants a text.
    """
    ids = {entity: f"O{number}" for number, entity in enumerate(entities, 1)}
    if not typed:
        lines = steps(world, entities).splitlines()
        return [
            _record(ids[each], line[:200], [], line[:200], line[:200])
            for each, line in zip(entities, lines, strict=True)
        ]
    return [
        _record(
            ids[each],
            each,
            [ids[x] for x in world.declared(each) if x in ids],
            "return type narrowed",
            proof(each),
        )
        for each in entities
    ]


def _record(
    identifier: str, target: str, needs: list[str], cause: str, validation: str
) -> dict[str, Any]:
    return {
        "id": identifier,
        "target_entity": target,
        "obligation": "modify",
        "caused_by": cause,
        "dependencies": needs,
        "evidence": "",
        "status": "blocked" if needs else "ready",
        "validation": validation,
    }


def reply(records: Iterable[Mapping[str, Any]]) -> str:
    """Return records as the model's reply."""
    return json.dumps({"obligations": list(records)}, separators=(",", ":"))


def foreseen(before: str, after: str) -> dict[str, Any]:
    """Return the impact edge of a change that its dependent has to follow, in this order."""
    edge = {"from": before, "to": after, "cause": "CalledBy", "change": "return_type_narrowed"}
    return {**edge, "strength": "must", "order": "def<dep"}


def surprising(before: str, after: str) -> list[dict[str, Any]]:
    """Return the impact edges of a change that breaks its dependent unless both land together.

    Impact analysis also says which test is the dependent's.
    """
    return [
        {"from": before, "to": after, "cause": "CalledBy", "change": "rename"},
        {"from": after, "to": proof(after), "cause": "TestedBy"},
    ]


def exposed(shown: Mapping[str, Any]) -> str:
    """Return the one actionable obligation as a harness puts it into a prompt."""
    return f"Obligation: {json.dumps(shown, separators=(',', ':'))}"
