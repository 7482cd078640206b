"""What is known of the standard library: containers, and functions that hand a value through."""

from __future__ import annotations

from plan07_encoders.python.kinds import Type, Types, instance_of

_TYPING = ("typing", "typing_extensions", "collections.abc", "collections", "builtins", "types")
# What comes out of a loop over it is its first argument.
ITERABLES = frozenset(
    [
        "list",
        "set",
        "frozenset",
        "tuple",
        "deque",
        "Iterable",
        "Iterator",
        "Generator",
        "Collection",
        "Sequence",
        "MutableSequence",
        "AbstractSet",
        "MutableSet",
        "List",
        "Set",
        "FrozenSet",
        "Deque",
        "KeysView",
        "ValuesView",
        "Reversible",
        "Container",
        "AsyncIterable",
        "AsyncIterator",
        "AsyncGenerator",
        "Set",
    ]
)
MAPPINGS = frozenset(
    [
        "dict",
        "defaultdict",
        "OrderedDict",
        "Counter",
        "ChainMap",
        "Mapping",
        "MutableMapping",
        "Dict",
        "DefaultDict",
        "WeakValueDictionary",
        "WeakKeyDictionary",
    ]
)
AWAITABLES = frozenset(["Awaitable", "Coroutine", "Future", "Task"])
MANAGERS = frozenset(
    [
        "ContextManager",
        "AbstractContextManager",
        "AsyncContextManager",
        "AbstractAsyncContextManager",
    ]
)
_SAME = frozenset(
    ["list", "set", "frozenset", "tuple", "sorted", "reversed", "iter", "deque", "filter"]
)
_ELEMENT = frozenset(["next", "max", "min"])


def short(dotted: str) -> str:
    """Return the last part of a name of the typing modules or builtins; "" for any other."""
    module, _, name = dotted.rpartition(".")
    return name if module in _TYPING or module == "asyncio" else ""


def element(found: Type) -> Types:
    """Return what a loop over an instance of the standard library yields."""
    name = short(found.module)
    if not found.args:
        return (instance_of("builtins.str"),) if name == "str" else ()
    if name == "tuple":
        return tuple(dict.fromkeys(each for part in found.args for each in part))
    if name in ITERABLES or name in MAPPINGS:
        return found.args[0]
    return ()


def item(found: Type, index: int | None) -> Types:
    """Return what `value[index]` is; the index is known or None."""
    name = short(found.module)
    if not found.args:
        return (instance_of("builtins.str"),) if name == "str" else ()
    if name == "tuple" and index is not None:
        return found.args[index] if -len(found.args) <= index < len(found.args) else ()
    if name in MAPPINGS:
        return found.args[1] if len(found.args) > 1 else ()
    return element(found)


def called_method(found: Type, name: str) -> Types:
    """Return what a method of a container gives back."""
    kind = short(found.module)
    key: Types = found.args[0] if found.args else ()
    value: Types = found.args[1] if len(found.args) > 1 else ()
    if name == "copy":
        return (found,)
    if kind in MAPPINGS:
        return {
            "get": value,
            "pop": value,
            "setdefault": value,
            "keys": (instance_of("typing.Iterable", key),),
            "values": (instance_of("typing.Iterable", value),),
            "items": (
                instance_of("typing.Iterable", (instance_of("builtins.tuple", key, value),)),
            ),
        }.get(name, ())
    if kind in ITERABLES:
        if name in ("pop", "popleft", "__next__", "__getitem__"):
            return element(found)
        if name in ("union", "intersection", "difference", "symmetric_difference", "__iter__"):
            return (found,)
    if kind == "str":
        if name in ("split", "rsplit", "splitlines"):
            return (instance_of("builtins.list", (instance_of("builtins.str"),)),)
        return (instance_of("builtins.str"),)
    return ()


def called(dotted: str, args: tuple[Types, ...], iterated: tuple[Types, ...]) -> Types:
    """Return what a call of an object of the standard library gives back.

    Args:
        dotted: its name, such as `builtins.sorted`.
        args: types of the positional arguments.
        iterated: what a loop over each of them yields.
    """
    name = dotted.rpartition(".")[2]
    first: Types = args[0] if args else ()
    inner: Types = iterated[0] if iterated else ()
    if dotted.startswith(("builtins.", "collections.")):
        if name in _SAME:
            over = iterated[-1] if name == "filter" and iterated else inner
            kind = name if name in ("list", "set", "frozenset", "deque") else "Iterable"
            if name == "sorted":
                kind = "list"
            if name == "tuple":
                kind = "Sequence"
            return (
                instance_of(f"typing.{kind}" if kind[0].isupper() else f"builtins.{kind}", over),
            )
        if name in _ELEMENT:
            return inner if len(args) == 1 or name == "next" else ()
        if name == "enumerate":
            pair = instance_of("builtins.tuple", (instance_of("builtins.int"),), inner)
            return (instance_of("typing.Iterator", (pair,)),)
        if name == "zip":
            return (instance_of("typing.Iterator", (instance_of("builtins.tuple", *iterated),)),)
        if name == "dict" or name in MAPPINGS:
            return tuple(each for each in first if short(each.module) in MAPPINGS) or (
                instance_of("builtins.dict"),
            )
        if name in ("getattr", "__import__", "eval", "map", "vars", "property"):
            return ()
    if dotted in ("copy.copy", "copy.deepcopy"):
        return first
    if dotted == "contextlib.nullcontext":
        return (instance_of("contextlib.AbstractContextManager", first),)
    if dotted == "contextlib.closing":
        return (instance_of("contextlib.AbstractContextManager", first),)
    if name[:1].isupper() or dotted.startswith("builtins."):
        return (instance_of(dotted),)
    # A function that may return anything.
    return ()
