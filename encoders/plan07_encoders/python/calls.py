"""What a call gives back, and what decorators make of a function."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from plan07_encoders.python import kinds, known
from plan07_encoders.python.annotations import Annotations
from plan07_encoders.python.classes import substitute
from plan07_encoders.python.kinds import Sketch, Type, Types, instance_of
from plan07_encoders.python.names import Place
from plan07_encoders.python.tables import Function

# What they return is called as what they are given.
_HANDING_THROUGH = ("functools.partial", "functools.lru_cache", "functools.cache")
_MANAGERS = ("contextmanager", "asynccontextmanager")


class Arguments(NamedTuple):
    """What a call passes.

    Args:
        positional: types of the positional arguments, up to the first that is unpacked.
        keywords: types of the keyword arguments.
        unpacks: it passes `*args` or `**kwargs` too.
    """

    positional: tuple[Types, ...] = ()
    keywords: Mapping[str, Types] = MappingProxyType({})
    unpacks: bool = False


class Calls(Annotations):
    """Evaluates calls."""

    def iterated(self, types: Types) -> Types:
        """Return what a loop over a value yields."""
        raise NotImplementedError

    def method_of(self, found: Type, name: str) -> Types:
        """Return a method of an instance, as `values.World.attribute` finds it."""
        raise NotImplementedError

    def function(self, module: str, qual: str) -> Function | None:
        """Return the table of a function."""
        return self.table(module)["functions"].get(qual)

    def function_value(self, module: str, qual: str) -> Types:
        """Return what the name of a function stands for, its decorators applied.

        A decorator of which nothing is known leaves it as it is.
        """
        key = (module, qual)
        plain = (Type(kinds.FUNCTION, module, qual),)
        if key not in self._values:
            self._values[key] = plain
            function = self.function(module, qual)
            if function is not None and function["decorators"]:
                place = Place(module, qual.rpartition(".")[0])
                types: Types = plain
                for sketch in reversed(function["decorators"]):
                    types = self._decorated(types, sketch, place, plain[0])
                self._values[key] = types
        return self._values[key]

    @property
    def _values(self) -> dict[tuple[str, str], Types]:
        found: dict[tuple[str, str], Types] = self.__dict__.setdefault("values", {})
        return found

    def _decorated(self, types: Types, sketch: Sketch, place: Place, plain: Type) -> Types:
        for each in self.evaluate(sketch, place) if sketch is not None else ():
            if each.kind == kinds.OUTSIDE:
                if each.module.rpartition(".")[2] in _MANAGERS:
                    inner = self.iterated(self.returned(plain.module, plain.name, (), Arguments()))
                    manager = instance_of("contextlib.AbstractContextManager", inner)
                    return (plain._replace(kind=kinds.DECORATED, args=((_makes((manager,)),),)),)
                continue
            made = self.call((each,), Arguments((types,)))
            useful = tuple(
                one
                for one in kinds.some(made)
                if one.kind in (kinds.INSTANCE, kinds.CALLABLE) and one.args != ((),)
            )
            if useful and len(useful) == len(kinds.some(made)):
                return (plain._replace(kind=kinds.DECORATED, args=(useful,)),)
        return types

    def handed(self, sketch: Sketch, place: Place) -> list[Types]:
        """Return what a decorator hands to the function that it is applied to, as far as it says.

        Args:
            sketch: the decorator, a function that takes `Callable[[A, B], C]` or
                `Callable[Concatenate[A, P], C]`.
            place: where it stands.
        """
        for each in self.evaluate(sketch, place) if sketch is not None else ():
            function = None
            if each.kind == kinds.FUNCTION:
                function = self.function(each.module, each.name)
            if function is None or not function["params"]:
                continue
            taken = function["params"][0][2]
            inner = Place(each.module, each.name)
            if not (isinstance(taken, list) and taken[0] == "item" and self._is(taken, inner)):
                continue
            first = taken[2][0]
            if isinstance(first, list) and first[0] == "params":
                return [self.annotated(part, inner) for part in first[1]]
            if isinstance(first, list) and first[0] == "item" and len(first[2]) > 1:
                # The last one stands for the parameters that are left.
                return [self.annotated(part, inner) for part in first[2][:-1]]
        return []

    def _is(self, taken: Sketch, place: Place) -> bool:
        return any(
            each.kind == kinds.OUTSIDE and known.short(each.module) == "Callable"
            for each in self.evaluate(taken[1], place)
        )

    def call(self, types: Types, args: Arguments) -> Types:
        """Return what calling a value gives back; nothing where it may be anything."""
        results = [self._called(each, args) for each in types if each != kinds.NONE]
        return kinds.union(*results) if results and all(results) else ()

    def _called(self, found: Type, args: Arguments) -> Types:
        kind = found.kind
        if kind == kinds.FUNCTION:
            return self.returned(found.module, found.name, (), args)
        if kind == kinds.METHOD:
            return self.returned(found.module, found.name, found.args[0], args)
        if kind == kinds.CLASS:
            if not found.module:
                return found.args[0] if found.args else ()
            return self.constructed(found, args)
        if kind == kinds.DECORATED:
            made = self.call(found.args[0], args)
            return made or self.returned(found.module, found.name, (), args)
        if kind == kinds.CALLABLE:
            return found.args[0]
        if kind == kinds.INSTANCE:
            return self.call(self.method_of(found, "__call__"), args)
        if kind == kinds.OUTSIDE:
            return self._outside_called(found, args)
        return ()

    def constructed(self, found: Type, args: Arguments) -> Types:
        """Return the instance that calling a class gives."""
        table = self.class_table(found)
        if table is None:
            return ()
        if found.args or not table["generics"]:
            return (found._replace(kind=kinds.INSTANCE),)
        member = self.find_member(found, "__init__")
        meant: dict[str, Types] = {}
        if member is not None and member.kind == "function":
            owner = member.owner
            function = self.function(owner.module, f"{owner.name}.__init__")
            if function is not None:
                place = Place(owner.module, owner.name)
                meant = self._meant(function["params"][1:], args, place)
        generics = tuple(meant.get(name, ()) for name in table["generics"])
        return (found._replace(kind=kinds.INSTANCE, args=generics if any(generics) else ()),)

    def _outside_called(self, found: Type, args: Arguments) -> Types:
        if not found.module:
            # A method of an instance that lies outside.
            return known.called_method(found.args[0][0], found.name)
        if found.module == "typing.cast" and args.positional:
            return tuple(
                each._replace(kind=kinds.INSTANCE) if each.kind == kinds.CLASS else each
                for each in args.positional[0]
                if each.kind == kinds.CLASS
            )
        if found.module == "builtins.type" and len(args.positional) == 1:
            return tuple(
                each._replace(kind=kinds.CLASS)
                for each in args.positional[0]
                if each.kind == kinds.INSTANCE
            )
        if found.module in _HANDING_THROUGH and args.positional:
            return args.positional[0]
        return known.called(
            found.module, args.positional, tuple(self.iterated(each) for each in args.positional)
        )

    def returned(self, module: str, qual: str, receiver: Types, args: Arguments) -> Types:
        """Return what a function gives back.

        Args:
            module: of the function.
            qual: its name within the module.
            receiver: what it is bound to.
            args: what is passed, the receiver left out.
        """
        function = self.function(module, qual)
        if function is None:
            return ()
        key = (module, qual, receiver)
        generic = key not in self._returns
        if generic:
            self._returns[key] = ()
            self._returns[key] = self._raw(function, module, qual, receiver)
        found = self._returns[key]
        if function["overloads"]:
            found = self._overloaded(function, module, qual, receiver, args) or found
        meant: dict[str, Types] = {}
        if any(_is_generic(each) for each in found):
            place = Place(module, qual, receiver)
            params = function["params"][1:] if receiver else function["params"]
            meant = self._meant(params, args, place)
            if function["holder"]:
                owner = Type(kinds.CLASS, module, function["holder"])
                for each in receiver:
                    meant = {**self.arguments_for(owner, each), **meant}
            found = substitute(found, meant)
        if "async" in function["flags"] and function["yields"] is None:
            return (instance_of("typing.Coroutine", found),) if found else ()
        return found

    @property
    def _returns(self) -> dict[tuple[str, str, Types], Types]:
        found: dict[tuple[str, str, Types], Types] = self.__dict__.setdefault("returns", {})
        return found

    def _raw(self, function: Function, module: str, qual: str, receiver: Types) -> Types:
        outer = qual.rpartition(".")[0]
        own = receiver
        if function["holder"] and not receiver:
            own = (Type(kinds.INSTANCE, module, function["holder"]),)
        if function["returns"] is not None:
            return self.annotated(function["returns"], Place(module, qual, own))
        place = Place(module, qual, own)
        if function["yields"] is not None:
            yielded = [self.evaluate(each, place) for each in function["yields"]]
            inner = kinds.union(*yielded) if all(yielded) else ()
            return (instance_of("typing.Iterator", inner),)
        if "abstract" in function["flags"] or (not outer and not function["results"]):
            return ()
        results = [self.evaluate(each, place) for each in function["results"]]
        return kinds.union(*results) if results and all(results) else ()

    def _overloaded(
        self, function: Function, module: str, qual: str, receiver: Types, args: Arguments
    ) -> Types:
        place = Place(module, qual, receiver)
        for params, returns in function["overloads"]:
            given = params[1:] if receiver else params
            if not self._fits(given, args, place):
                continue
            found = self.annotated(returns, place)
            return substitute(found, self._meant(given, args, place)) if found else ()
        return ()

    def _fits(self, params: list[Any], args: Arguments, place: Place) -> bool:
        """Whether a call passes what an overload takes."""
        bound = _bind(params, args)
        if bound is None:
            return False
        for param, types in bound:
            known_types = types
            if not known_types or param[2] is None:
                continue
            wanted = self.annotated(param[2], place)
            if wanted and not any(
                self._accepts(want, have) for want in wanted for have in known_types
            ):
                return False
        return True

    def _accepts(self, want: Type, have: Type) -> bool:
        if want.kind == kinds.VARIABLE:
            return not want.args[0] or any(self._accepts(each, have) for each in want.args[0])
        if want.kind == kinds.CALLABLE:
            return have.kind not in (kinds.OUTSIDE_INSTANCE, kinds.INSTANCE)
        if want.kind == kinds.CLASS and not want.module:
            return have.kind in (kinds.CLASS, kinds.OUTSIDE)
        if want.kind == kinds.INSTANCE and have.kind == kinds.INSTANCE:
            return self.is_subclass(have, want)
        if want.kind == kinds.CLASS and have.kind == kinds.CLASS:
            return self.is_subclass(have, want)
        if want.kind == kinds.OUTSIDE_INSTANCE and have.kind == kinds.OUTSIDE_INSTANCE:
            simple = ("NoneType", "str", "int", "bool", "bytes", "float")
            names = want.module.rpartition(".")[2], have.module.rpartition(".")[2]
            return names[0] == names[1] or not (names[0] in simple and names[1] in simple)
        if want.kind == kinds.OUTSIDE_INSTANCE and want.module == "builtins.NoneType":
            return False
        if want.kind == kinds.OUTSIDE_INSTANCE and known.short(want.module) in ("str", "int"):
            return have.kind == kinds.OUTSIDE_INSTANCE
        return True

    def _meant(self, params: list[Any], args: Arguments, place: Place) -> dict[str, Types]:
        """Return what type variables of parameters stand for in a call."""
        meant: dict[str, Types] = {}
        for param, types in _bind(params, args) or ():
            if types and param[2] is not None:
                for want in self.annotated(param[2], place):
                    self._match(want, types, meant)
        return meant

    def _match(self, want: Type, have: Types, meant: dict[str, Types]) -> None:
        if want.kind == kinds.VARIABLE:
            meant.setdefault(want.name, kinds.some(have))
        elif want.kind == kinds.CLASS and not want.module and want.args:
            instances = tuple(
                each._replace(kind=kinds.INSTANCE) for each in have if each.kind == kinds.CLASS
            )
            if instances:
                self._match(want.args[0][0], instances, meant)
        elif want.kind == kinds.OUTSIDE_INSTANCE and len(want.args) == 1:
            inner = self.iterated(have)
            for each in want.args[0]:
                if inner:
                    self._match(each, inner, meant)
        elif want.kind == kinds.CALLABLE and want.args[0]:
            made = self.call(have, Arguments())
            if made:
                self._match(want.args[0][0], made, meant)


def _makes(types: Types) -> Type:
    return Type(kinds.CALLABLE, "", "", (types,))


def _is_generic(found: Type) -> bool:
    return found.kind == kinds.VARIABLE or any(
        _is_generic(each) for part in found.args for each in part
    )


def _bind(params: list[Any], args: Arguments) -> list[tuple[Any, Types]] | None:
    """Return parameters with what a call passes for them; None if it does not fit."""
    bound: list[tuple[Any, Types]] = []
    plain = [each for each in params if each[1] < 2]
    rest = next((each for each in params if each[1] == 2), None)
    named = {each[0]: each for each in params if each[1] in (1, 3)}
    takes_any = any(each[1] == 4 for each in params)
    taken: set[str] = set()
    for index, types in enumerate(args.positional):
        if index < len(plain):
            bound.append((plain[index], types))
            taken.add(plain[index][0])
        elif rest is not None:
            bound.append((rest, types))
        else:
            return None
    for name, types in args.keywords.items():
        if name in named and name not in taken:
            bound.append((named[name], types))
            taken.add(name)
        elif not takes_any:
            return None
    if not args.unpacks:
        for each in params:
            if each[1] in (0, 1, 3) and not each[3] and each[0] not in taken:
                return None
    return bound
