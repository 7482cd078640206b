"""A simulated repository: what depends on what, which edits stand, and whether it is valid.

What the repository is depends on its name alone; how lucky the model is on the seed as well, and on
which obligation it edits for the how-many-th time. So all arms of a seed meet the same repository
and the same luck, and differ only in what they do (common random numbers).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from fractions import Fraction

from plan07.ab.simulated.assumptions import Assumptions, Rate


class World:
    """One repository, as one run finds and leaves it.

    Args:
        name: of the repository.
        seed: of the luck.
        assumed: the weak model in numbers.
    """

    def __init__(self, name: str, seed: int, assumed: Assumptions) -> None:
        self.assumed = assumed
        self._name = name
        self._seed = seed
        self.foreseen = [f"shop.part{number}.price" for number in range(1, assumed.size + 1)]
        self.needs: dict[str, tuple[str, ...]] = {}
        self.hidden: dict[str, str] = {}
        for place, entity in enumerate(self.foreseen):
            self.needs[entity] = self._before(place)
            if self._draw("surprise", entity) < Fraction(assumed.surprise):
                self.hidden[entity] = f"shop.report{place + 1}.total"
        for entity, dependent in self.hidden.items():
            self.needs[dependent] = (entity,)
        self.tries = dict.fromkeys(self.needs, 0)
        # Entity to whether the edit that stands is right.
        self.standing: dict[str, bool] = {}
        self._ever_right: set[str] = set()

    def _before(self, place: int) -> tuple[str, ...]:
        """What the entity at a place depends on: one before it, and now and then a second."""
        if not place:
            return ()
        found = [int(self._draw("first", str(place)) * place)]
        if self._draw("second?", str(place)) < Fraction(3, 10):
            found.append(int(self._draw("second", str(place)) * place))
        return tuple(self.foreseen[each] for each in sorted(set(found)))

    def _draw(self, *what: str, lucky: bool = False) -> Fraction:
        """A number from 0 to below 1 that these words, the name, and with luck the seed decide."""
        words = [self._name, str(self._seed) if lucky else "", *what]
        text = "\0".join(words).encode("utf-8", "backslashreplace")
        return Fraction(int.from_bytes(hashlib.sha256(text).digest()[:8]), 1 << 64)

    def happens(self, rate: Rate, *what: str) -> bool:
        """Return whether something of a rate happens in this run."""
        return self._draw(*what, lucky=True) < Fraction(rate)

    def number(self, entity: str) -> int:
        """Return a number from 0 to 99 that the last edit of an entity decides."""
        tries = str(self.tries[entity])
        return int(self._draw("number", entity, tries, lucky=True) * 100)

    def edit(self, entities: Iterable[str]) -> None:
        """Make the edits of some entities stand, right or wrong as luck has it."""
        for entity in entities:
            self.tries[entity] += 1
            rate = self.assumed.again if entity in self._ever_right else self.assumed.failure_rate
            wrong = self.happens(rate, "edit", entity, str(self.tries[entity]))
            self.standing[entity] = not wrong
            if not wrong:
                self._ever_right.add(entity)

    def take_back(self, entities: Iterable[str]) -> None:
        """Undo the edits of some entities."""
        for entity in entities:
            self.standing.pop(entity, None)

    def broken(self) -> list[str]:
        """Return the entities that a test of the repository finds broken as it stands.

        A wrong edit is; so is one that rests on what is not there yet, and a dependent that a
        change has broken and nobody has mended.
        """
        found = {entity for entity, right in self.standing.items() if not right}
        for entity in self.standing:
            if any(each not in self.standing for each in self.needs[entity]):
                found.add(entity)
            dependent = self.hidden.get(entity)
            if dependent is not None and dependent not in self.standing:
                found.add(dependent)
        return sorted(found, key=list(self.needs).index)

    def fails(self, entities: Iterable[str]) -> list[str]:
        """Return those of some entities whose own test fails.

        It does where the edit is missing, too early, or wrong and the test finds it.
        """
        return [
            entity
            for entity in entities
            if entity not in self.standing
            or any(each not in self.standing for each in self.needs[entity])
            or not (self.standing[entity] or self._missed(entity))
        ]

    def _missed(self, entity: str) -> bool:
        return self.happens(self.assumed.missed, "missed", entity, str(self.tries[entity]))

    def open(self) -> list[str]:
        """Return what the acceptance tests find: broken, or demanded and not there."""
        missing = [entity for entity in self.foreseen if entity not in self.standing]
        found = {*self.broken(), *missing}
        return sorted(found, key=list(self.needs).index)

    def emitted(self) -> list[str]:
        """Return the foreseen entities in the order in which the model names them."""
        places = {}
        for place, entity in enumerate(self.foreseen):
            early = self.happens(self.assumed.disorder, "early", entity)
            moved = int(self._draw("where", entity, lucky=True) * (place + 1)) if early else place
            places[entity] = (moved, not early, place)
        return sorted(self.foreseen, key=places.__getitem__)

    def declared(self, entity: str) -> list[str]:
        """Return those dependencies of an entity that the model's decomposition names."""
        return [
            each
            for each in self.needs[entity]
            if not self.happens(self.assumed.undeclared, "undeclared", entity, each)
        ]
