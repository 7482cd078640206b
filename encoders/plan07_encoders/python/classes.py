"""The order in which classes are asked for an attribute, and what they answer."""

from __future__ import annotations

from typing import NamedTuple

from plan07_encoders.python import kinds
from plan07_encoders.python.kinds import Type, Types
from plan07_encoders.python.names import MOST_NESTED, Names, Place
from plan07_encoders.python.tables import ClassTable

_UNKNOWN = Type(kinds.OUTSIDE, "?")
_OBJECT = "builtins.object"
_WITHOUT_MEMBERS = ("typing.Generic", "typing.Protocol", "typing_extensions.Protocol", _OBJECT)


class Member(NamedTuple):
    """Where an attribute of a class is defined.

    Args:
        owner: the class.
        kind: function, class, variable, field, import, or outside where a class outside the
            repository may have it.
    """

    owner: Type
    kind: str


class Classes(Names):
    """Method resolution order and members."""

    def class_table(self, found: Type) -> ClassTable | None:
        """Return the table of a class, None where it lies outside."""
        if found.kind not in (kinds.CLASS, kinds.INSTANCE, kinds.SUPER):
            return None
        return self.table(found.module)["classes"].get(found.name)

    def bases(self, found: Type) -> list[Type]:
        """Return the direct bases of a class, with their type arguments."""
        table = self.class_table(found)
        if table is None:
            return []
        place = Place(found.module, found.name.rpartition(".")[0])
        result: list[Type] = []
        for sketch in table["bases"]:
            if isinstance(sketch, list) and sketch[0] == "item":
                types = [_class_of(each) for each in self.annotated(sketch, place)]
            else:
                types = list(self.evaluate(sketch, place))
            classes = [each for each in types if each.kind in (kinds.CLASS, kinds.OUTSIDE)]
            result.append(classes[0] if classes else _UNKNOWN)
        return result

    def mro(self, found: Type) -> tuple[Type, ...]:
        """Return the classes that are asked for an attribute, in the order of C3.

        What lies outside stands as it is named, without its own bases; a base that is not known is
        `?`. Where no order fits, or classes are bases of each other, they are taken depth first.
        """
        key = (found.module, found.name)
        if key not in self._orders:
            self._orders[key] = (Type(kinds.CLASS, *key),)
            if self.nesting < MOST_NESTED:
                self.nesting += 1
                self._orders[key] = tuple(self._merged(Type(kinds.CLASS, *key)))
                self.nesting -= 1
        return self._orders[key]

    @property
    def _orders(self) -> dict[tuple[str, str], tuple[Type, ...]]:
        found: dict[tuple[str, str], tuple[Type, ...]] = self.__dict__.setdefault("orders", {})
        return found

    def _merged(self, found: Type) -> list[Type]:
        bases = [Type(each.kind, each.module, each.name) for each in self.bases(found)]
        lists = [list(self.mro(each)) if each.kind == kinds.CLASS else [each] for each in bases]
        order = _c3([*lists, bases])
        if order is None:
            order = list(dict.fromkeys(each for one in lists for each in one))
        return [found, *(each for each in order if each != found)]

    def find_member(self, found: Type, name: str, *, behind: Type | None = None) -> Member | None:
        """Return where an attribute of a class, or of its instances, is defined.

        A field that methods assign belongs to the most basic class of the repository that has it.

        Args:
            found: the class or an instance of it.
            name: the attribute.
            behind: ask only the classes after this one, as super() does.
        """
        order = self.mro(found)
        if behind is not None:
            names = [(each.module, each.name) for each in order]
            here = (behind.module, behind.name)
            order = order[names.index(here) + 1 :] if here in names else ()
        field: Member | None = None
        for each in order:
            if each.kind == kinds.OUTSIDE:
                if each.module not in _WITHOUT_MEMBERS and field is None:
                    return Member(each, "outside")
                continue
            table = self.class_table(each)
            if table is None:
                continue
            if name in table["names"]:
                head = table["names"][name][0][0]
                kind = {"f": "function", "c": "class", "v": "variable"}.get(head, "import")
                # What a method of a derived class assigns is this one's.
                return Member(each, kind)
            if name in table["fields"]:
                field = Member(each, "field")
        return field

    def overridden(self, found: Type, name: str) -> Type | None:
        """Return the class whose member of this name a class overrides, if it is known."""
        for each in self.mro(found)[1:]:
            if each.kind == kinds.OUTSIDE:
                if each.module in _WITHOUT_MEMBERS:
                    continue
                return None
            table = self.class_table(each)
            if table is not None and (name in table["names"] or name in table["fields"]):
                return each
        return None

    def is_complete(self, found: Type) -> bool:
        """Whether all that a class inherits is of the repository."""
        return all(
            each.kind == kinds.CLASS or each.module in _WITHOUT_MEMBERS for each in self.mro(found)
        )

    def is_subclass(self, found: Type, other: Type) -> bool:
        """Whether a class is another one, or is derived from it."""
        return any(
            (each.module, each.name) == (other.module, other.name) for each in self.mro(found)
        )

    def arguments_for(self, owner: Type, receiver: Type, depth: int = 0) -> dict[str, Types]:
        """Return what the type parameters of a class stand for, seen from an instance.

        Args:
            owner: the class whose parameters are asked for.
            receiver: an instance of it, or of a class derived from it.
            depth: how many classes lie between.
        """
        table = self.class_table(receiver)
        if table is None or depth > 8:
            return {}
        own = dict(zip(table["generics"], receiver.args, strict=False))
        if (owner.module, owner.name) == (receiver.module, receiver.name):
            return own
        for base in self.bases(receiver):
            if base.kind == kinds.CLASS and self.is_subclass(base, owner):
                args = tuple(substitute(each, own) for each in base.args)
                return self.arguments_for(owner, base._replace(args=args), depth + 1)
        return {}


def _class_of(found: Type) -> Type:
    if found.kind == kinds.OUTSIDE_INSTANCE:
        return Type(kinds.OUTSIDE, found.module)
    return found._replace(kind=kinds.CLASS) if found.kind == kinds.INSTANCE else found


def substitute(types: Types, meant: dict[str, Types]) -> Types:
    """Return types whose type variables are replaced by what they stand for."""
    if not any(_holds_variable(each) for each in types):
        return types
    found: list[Type] = []
    for each in types:
        if each.kind == kinds.VARIABLE:
            found += meant.get(each.name) or each.args[0]
        elif each.args:
            found.append(each._replace(args=tuple(substitute(part, meant) for part in each.args)))
        else:
            found.append(each)
    return kinds.union(tuple(found))


def _holds_variable(found: Type) -> bool:
    return found.kind == kinds.VARIABLE or any(
        _holds_variable(each) for part in found.args for each in part
    )


def _c3(lists: list[list[Type]]) -> list[Type] | None:
    """Merge orders so that each is kept; None if that cannot be."""
    order: list[Type] = []
    left = [each for each in lists if each]
    while left:
        for each in left:
            head = each[0]
            if not any(head in other[1:] for other in left):
                break
        else:
            return None
        order.append(head)
        left = [[one for one in each if one != head] for each in left]
        left = [each for each in left if each]
    return order
