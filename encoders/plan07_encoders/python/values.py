"""What the value of an expression is."""

from __future__ import annotations

from plan07_encoders.python import kinds, known
from plan07_encoders.python.annotations import as_annotation
from plan07_encoders.python.calls import Arguments, Calls
from plan07_encoders.python.classes import Member, substitute
from plan07_encoders.python.kinds import Sketch, Type, Types, instance_of
from plan07_encoders.python.names import Found, Place
from plan07_encoders.python.testing import find_fixture, fixture_value

_DEEPEST = 60
_VARIABLES = ("TypeVar",)


class World(Calls):
    """All that one file may ask of the repository; see `names`."""

    _depth = 0

    def evaluate(self, sketch: Sketch, place: Place) -> Types:
        """Return what the value of a sketch is; nothing where it may be anything."""
        if sketch is None or isinstance(sketch, int):
            return ()
        if isinstance(sketch, str):
            return kinds.union(*(each.types for each in self.lookup(sketch, place)))
        if self._depth > _DEEPEST:
            return ()
        self._depth += 1
        try:
            return self._evaluate(sketch, place)
        finally:
            self._depth -= 1

    def _evaluate(self, sketch: Sketch, place: Place) -> Types:
        head = sketch[0]
        if head == "attr":
            found: Types = ()
            for each in self.evaluate(sketch[1], place):
                found += tuple(one for hit in self.attribute(each, sketch[2]) for one in hit.types)
            return kinds.union(found)
        if head == "call":
            return self._call(sketch, place)
        if head == "item":
            return self._item(sketch, place)
        if head == "any":
            parts = [self.evaluate(each, place) for each in sketch[1]]
            return kinds.union(*parts) if all(parts) else ()
        if head == "type":
            return self.annotated(sketch[1], place)
        if head in ("self", "cls"):
            kind = kinds.INSTANCE if head == "self" else kinds.CLASS
            return tuple(
                each._replace(kind=kind)
                for each in place.receiver
                if each.kind in (kinds.INSTANCE, kinds.CLASS)
            )
        return self._other(sketch, place)

    def _other(self, sketch: Sketch, place: Place) -> Types:
        head = sketch[0]
        if head == "str":
            return (instance_of("builtins.str"),)
        if head == "const":
            return (instance_of(f"builtins.{sketch[1]}"),)
        if head == "super":
            holder = place.qual.rpartition(".")[0]
            return (Type(kinds.SUPER, place.module, holder, (place.receiver,)),)
        if head in ("list", "set"):
            parts = [self.evaluate(each, place) for each in sketch[1]]
            inner = kinds.union(*parts) if all(parts) else ()
            return (instance_of(f"builtins.{head}", inner),)
        if head == "tuple":
            return (
                instance_of("builtins.tuple", *(self.evaluate(each, place) for each in sketch[1])),
            )
        if head == "dict":
            key, value = (self.evaluate(each, place) for each in sketch[1:3])
            return (instance_of("builtins.dict", key, value),)
        if head == "holds":
            parts = [self.evaluate(each, place) for each in sketch[2]]
            name = "typing.Sequence" if sketch[1] == "tuple" else f"builtins.{sketch[1]}"
            return (instance_of(name, *parts),)
        if head == "each":
            return self.iterated(self.evaluate(sketch[1], place))
        if head == "part":
            return self.part(self.evaluate(sketch[1], place), sketch[2])
        if head == "enter":
            return self.entered(self.evaluate(sketch[1], place))
        if head == "fixture":
            found = find_fixture(self, sketch[1], place.module, place.qual)
            return () if found is None else fixture_value(self, found)
        if head == "await":
            return self.awaited(self.evaluate(sketch[1], place))
        return ()

    def _call(self, sketch: Sketch, place: Place) -> Types:
        function = self.evaluate(sketch[1], place)
        if not function:
            return ()
        args, keywords = sketch[2], sketch[3]
        first = function[0]
        if first.kind == kinds.OUTSIDE and known.short(first.module) in _VARIABLES:
            return self._variable(args, keywords, place)
        positional = [each for each in args if not (isinstance(each, list) and each[0] == "star")]
        return self.call(
            function,
            Arguments(
                tuple(self.evaluate(each, place) for each in positional),
                {name: self.evaluate(each, place) for name, each in keywords.items()},
                len(positional) < len(args),
            ),
        )

    def _variable(self, args: Sketch, keywords: Sketch, place: Place) -> Types:
        """Return the type variable that `TypeVar("T", bound=...)` makes."""
        name = args[0][1] if args and isinstance(args[0], list) and args[0][0] == "str" else ""
        bound: Types = ()
        note = keywords.get("bound")
        if note is not None:
            if isinstance(note, list) and note[0] == "str":
                note = note[1] if str(note[1]).isidentifier() else None
            bound = self.annotated(note, place)
        return (Type(kinds.VARIABLE, "", name, (bound,)),)

    def _item(self, sketch: Sketch, place: Place) -> Types:
        values = self.evaluate(sketch[1], place)
        index = sketch[2]
        if isinstance(index, list) and index == ["slice"]:
            return values
        if any(each.kind in (kinds.CLASS, kinds.OUTSIDE) for each in values):
            parts = index[1] if isinstance(index, list) and index[0] == "tuple" else [index]
            args = tuple(self.annotated(as_annotation(each), place) for each in parts)
            return tuple(
                each._replace(args=args) if each.kind == kinds.CLASS else each for each in values
            )
        return self.subscripted(values, index if isinstance(index, int) else None)

    # Operations on values.

    def attribute(self, found: Type, name: str) -> tuple[Found, ...]:
        """Return what an attribute of a value is; nothing if it is not known."""
        kind = found.kind
        if kind == kinds.MODULE:
            return self.member(found.module, name)
        if kind in (kinds.INSTANCE, kinds.CLASS):
            return self._of_class(found, name) if found.module else self._of_parts(found, name)
        if kind == kinds.OUTSIDE:
            return (Found("", "outside", (Type(kinds.OUTSIDE, f"{found.module}.{name}"),)),)
        if kind == kinds.OUTSIDE_INSTANCE:
            if found == kinds.NONE:
                return ()
            return (Found("", "outside", (Type(kinds.OUTSIDE, "", name, ((found,),)),)),)
        if kind == kinds.DECORATED:
            return tuple(hit for each in found.args[0] for hit in self.attribute(each, name))
        if kind == kinds.SUPER:
            return self._of_super(found, name)
        if kind == kinds.VARIABLE:
            return tuple(hit for each in found.args[0] for hit in self.attribute(each, name))
        if kind in (kinds.FUNCTION, kinds.METHOD) and name == "__wrapped__":
            return (Found("", "outside", (found,)),)
        if kind in (kinds.FUNCTION, kinds.METHOD, kinds.CALLABLE):
            return (Found("", "outside", ()),)
        return ()

    def _of_parts(self, found: Type, name: str) -> tuple[Found, ...]:
        """Return an attribute of `type[T]`, by the bound of T."""
        return tuple(
            hit
            for part in found.args
            for each in part
            for bound in (each.args[0] if each.kind == kinds.VARIABLE else (each,))
            for hit in self.attribute(bound._replace(kind=kinds.CLASS), name)
        )

    def _of_class(self, found: Type, name: str) -> tuple[Found, ...]:
        if name == "__class__" and found.kind == kinds.INSTANCE:
            return (Found("", "outside", (found._replace(kind=kinds.CLASS),)),)
        member = self.find_member(found, name)
        if member is None:
            if found.kind == kinds.CLASS:
                return self._of_metaclass(found, name)
            return ()
        return self.read(member, name, found)

    def _of_metaclass(self, found: Type, name: str) -> tuple[Found, ...]:
        for each in self.mro(found):
            table = self.class_table(each)
            if table is None or table["metaclass"] is None:
                continue
            for meta in self.evaluate(table["metaclass"], Place(each.module)):
                member = self.find_member(meta, name) if meta.kind == kinds.CLASS else None
                if member is not None and member.kind != "outside":
                    return self.read(member, name, meta._replace(kind=kinds.INSTANCE))
        return ()

    def _of_super(self, found: Type, name: str) -> tuple[Found, ...]:
        behind = Type(kinds.CLASS, found.module, found.name)
        for each in found.args[0] or (behind._replace(kind=kinds.INSTANCE),):
            member = self.find_member(each, name, behind=behind)
            if member is not None:
                return self.read(member, name, each)
        return (Found("", "outside", (Type(kinds.OUTSIDE, f"builtins.object.{name}"),)),)

    def read(self, member: Member, name: str, receiver: Type) -> tuple[Found, ...]:
        """Return an attribute as it is read from a class or an instance."""
        owner = member.owner
        if member.kind == "outside":
            return (Found("", "outside", (Type(kinds.OUTSIDE, f"{owner.module}.{name}"),)),)
        table = self.class_table(owner)
        if table is None:
            return ()
        qual = f"{owner.name}.{name}"
        entity = f"{owner.module}.{qual}"
        if member.kind == "function":
            function = self.function(owner.module, qual)
            is_property = function is not None and "property" in function["flags"]
            kind = "property" if is_property else "function"
            return (Found(entity, kind, self._method(owner, qual, receiver)),)
        place = Place(owner.module, owner.name, (receiver._replace(kind=kinds.INSTANCE),))
        bindings = table["names"].get(name, [])
        if member.kind in ("class", "import"):
            return self.bound(bindings, place)
        return (Found(entity, "field", self._field(owner, name, place, receiver)),)

    def _field(self, owner: Type, name: str, place: Place, receiver: Type) -> Types:
        table = self.class_table(owner)
        if table is None:
            return ()
        own = table["names"].get(name, [])
        assigned = [["v", note, value] for note, value in table["fields"].get(name, ())]
        noted = [each for each in [*own, *assigned] if each[0] == "v" and each[1] is not None]
        of_an_object = not noted and receiver.kind == kinds.INSTANCE
        if of_an_object:
            nearer = self._set_anew(owner, name, receiver)
            if nearer is not None:
                return self._field(nearer, name, place, receiver)
        itself = Place(owner.module, owner.name, (Type(kinds.INSTANCE, owner.module, owner.name),))
        qual = f"{owner.name}.{name}"
        found = self.variable_types(owner.module, qual, noted or [*own, *assigned], itself)
        described: list[Types] = []
        for each in found:
            getter = self.find_member(each, "__get__") if each.kind == kinds.INSTANCE else None
            if own and getter is not None and getter.kind == "function":
                getter_qual = f"{getter.owner.name}.__get__"
                args = Arguments(unpacks=True)
                described.append(self.returned(getter.owner.module, getter_qual, (each,), args))
        if described:
            return kinds.union(*described)
        if own and of_an_object and name in table["set_up"]:
            # What the body of the class says is no more than what comes before.
            found = self.variable_types(owner.module, f"{qual} set", assigned, itself)
        return substitute(found, self.arguments_for(owner, receiver)) if receiver.args else found

    def _set_anew(self, owner: Type, name: str, receiver: Type) -> Type | None:
        """Return the class nearest to an object that sets its field up, where the owner is not."""
        for each in self.mro(receiver):
            if (each.module, each.name) == (owner.module, owner.name):
                return None
            table = self.class_table(each) if each.kind == kinds.CLASS else None
            if table is not None and name in table["set_up"]:
                return each
        return None

    def _method(self, owner: Type, qual: str, receiver: Type) -> Types:
        function = self.function(owner.module, qual)
        if function is None:
            return ()
        flags = function["flags"]
        value = self.function_value(owner.module, qual)
        instance = receiver._replace(kind=kinds.INSTANCE)
        if "property" in flags:
            if receiver.kind == kinds.CLASS:
                return ()
            return self.returned(owner.module, qual, (instance,), Arguments())
        if "static" in flags:
            return value
        if receiver.kind == kinds.CLASS and "classmethod" not in flags:
            return value
        return tuple(
            Type(kinds.METHOD, each.module, each.name, ((instance,),))
            if each.kind == kinds.FUNCTION
            else each
            for each in value
        )

    def method_of(self, found: Type, name: str) -> Types:
        """Return a method of an instance; nothing if it is not of the repository."""
        member = self.find_member(found, name)
        if member is None or member.kind != "function":
            return ()
        return tuple(one for hit in self.read(member, name, found) for one in hit.types)

    def _through(self, found: Type, name: str) -> Types:
        """Return what a special method of an instance gives back."""
        method = self.method_of(found, name)
        return self.call(method, Arguments(unpacks=True)) if method else ()

    def iterated(self, types: Types) -> Types:
        """Return what a loop over a value yields."""
        found: list[Types] = []
        for each in kinds.some(types):
            if each.kind == kinds.OUTSIDE_INSTANCE:
                found.append(known.element(each))
            elif each.kind == kinds.INSTANCE:
                inner = self._through(each, "__iter__") or self._through(each, "__aiter__")
                yielded = self._next_of(inner)
                found.append(yielded or self._through(each, "__getitem__"))
            elif each.kind == kinds.CLASS:
                # Over an enumeration.
                found.append((each._replace(kind=kinds.INSTANCE),) if each.module else ())
            else:
                found.append(())
        return kinds.union(*found) if found and all(found) else ()

    def _next_of(self, types: Types) -> Types:
        found: list[Types] = []
        for each in types:
            if each.kind == kinds.OUTSIDE_INSTANCE:
                found.append(known.element(each))
            elif each.kind == kinds.INSTANCE:
                found.append(self._through(each, "__next__") or self._through(each, "__anext__"))
        return kinds.union(*found) if found and all(found) else ()

    def part(self, types: Types, index: int) -> Types:
        """Return what unpacking a value yields at a place."""
        found = [
            known.item(each, index)
            if each.kind == kinds.OUTSIDE_INSTANCE
            else self.iterated((each,))
            for each in kinds.some(types)
        ]
        return kinds.union(*found) if found and all(found) else ()

    def subscripted(self, types: Types, index: int | None) -> Types:
        """Return what `value[index]` is."""
        found: list[Types] = []
        for each in kinds.some(types):
            if each.kind == kinds.OUTSIDE_INSTANCE:
                found.append(known.item(each, index))
            elif each.kind == kinds.INSTANCE:
                found.append(self._through(each, "__getitem__"))
            else:
                found.append(())
        return kinds.union(*found) if found and all(found) else ()

    def entered(self, types: Types) -> Types:
        """Return what `with value as name` binds."""
        found: list[Types] = []
        for each in types:
            if each.kind == kinds.INSTANCE:
                found.append(self._through(each, "__enter__") or self._through(each, "__aenter__"))
            elif known.short(each.module) in known.MANAGERS or each.module.startswith("contextlib"):
                found.append(each.args[0] if each.args else ())
            elif each.kind == kinds.OUTSIDE_INSTANCE and each.module.startswith("builtins."):
                found.append((each,))
            else:
                found.append(())
        result = kinds.union(*found) if found and all(found) else ()
        return self.awaited(result) if any("Coroutine" in e.module for e in result) else result

    def awaited(self, types: Types) -> Types:
        """Return what awaiting a value gives."""
        found = [
            each.args[0]
            if each.kind == kinds.OUTSIDE_INSTANCE
            and known.short(each.module) in known.AWAITABLES
            and each.args
            else ()
            for each in types
        ]
        return kinds.union(*found) if found and all(found) else ()
