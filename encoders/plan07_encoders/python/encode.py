"""What one file contributes: its entities from the first pass, its uses from the second."""

from __future__ import annotations

import ast
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from plan07_encoders.python import source
from plan07_encoders.python.index import index
from plan07_encoders.python.ledger import Ledger
from plan07_encoders.python.project import Project
from plan07_encoders.python.testing import Fixtures, Patterns, tests_of
from plan07_encoders.python.values import World
from plan07_encoders.python.walk import Walk

_FAST = 1


class Indexed(NamedTuple):
    """What the first pass keeps of a file.

    Args:
        error: why it could not be parsed, else "".
        table: its table as packed JSON.
        entities: its entities as packed JSON.
    """

    error: str
    table: bytes
    entities: bytes

    def pack(self) -> bytes:
        """Return it as bytes."""
        return pack([self.error, len(self.table)], self.table + self.entities)


def pack(head: Any, body: bytes) -> bytes:
    """Return a JSON value and bytes as one."""
    text = json.dumps(head, separators=(",", ":")).encode()
    return len(text).to_bytes(4, "little") + text + body


def unpack(data: bytes) -> tuple[Any, bytes]:
    """Return what `pack` put together."""
    size = int.from_bytes(data[:4], "little")
    return json.loads(data[4 : 4 + size]), data[4 + size :]


def unpack_indexed(data: bytes) -> Indexed:
    """Return what `Indexed.pack` made."""
    (error, size), body = unpack(data)
    return Indexed(error, body[:size], body[size:])


def packed_json(value: Any) -> bytes:
    """Return a JSON value, packed."""
    return zlib.compress(json.dumps(value, separators=(",", ":")).encode(), _FAST)


def index_file(root: str, path: str, module: str, package: bool) -> Indexed:
    """Return the first pass over a file."""
    try:
        text = source.read(root, path)
        found = index(source.parse(text), module, package, b"yield" in text)
    except source.Unreadable as error:
        return Indexed(str(error) or "it cannot be read", b"", b"")
    except RecursionError:
        return Indexed("it is nested too deeply", b"", b"")
    return Indexed("", packed_json(found.table), packed_json(found.entities))


class Uses(NamedTuple):
    """What the second pass finds in a file; JSON.

    Args:
        edges: [src, kind, dst, line, times, resolution, confidence, attributes] each.
        unresolved: [src, name, kind, line] each.
        outside: dotted names of what is used outside the repository.
        tests: [node id, qualified name] each.
        aliases: [alias, qualified name] each.
        inherited: fields that are those of a base class, no entities of their own.
        calls: how calls were resolved, to their number.
    """

    edges: list[list[Any]]
    unresolved: list[tuple[str, str, str, int]]
    outside: list[str]
    tests: list[tuple[str, str]]
    aliases: list[tuple[str, str]]
    inherited: list[str]
    calls: dict[str, int]


def resolve_file(root: str, path: str, project: Project, patterns: Patterns) -> bytes:
    """Return the second pass over a file, packed, with the modules that it consulted."""
    module = project.modules.names[path]
    world = World(project, path, module)
    ledger = Ledger()
    fixtures = Fixtures(world, patterns.is_file(path), patterns)
    walk = Walk(world, ledger, module in project.modules.packages, fixtures)
    try:
        tree: ast.Module = source.parse(source.read(root, path))
        walk.run(tree)
        tests = tests_of(world, path, patterns)
    except (source.Unreadable, RecursionError) as error:
        # It was parsed a moment ago, so it is being edited, or is nested too deeply to walk.
        said = str(error) if isinstance(error, source.Unreadable) else "it is nested too deeply"
        return pack([said, world.consulted], b"")
    uses = Uses(
        ledger.rows(),
        ledger.unresolved,
        list(ledger.outside),
        tests,
        list(dict.fromkeys(walk.reexported)),
        walk.inherited,
        ledger.calls,
    )
    return pack(["", world.consulted], packed_json(uses))


def is_current(consulted: Mapping[str, str], path: str, project: Project) -> bool:
    """Whether the modules that a file consulted are what they were."""
    for name, digest in consulted.items():
        found = project.modules.find(name, path)
        if found is None and project.is_module(name):
            found = name
        if (project.digest(found) if found is not None else "") != digest:
            return False
    return True


def loaded(body: bytes) -> Any:
    """Return the JSON value that was packed."""
    return json.loads(zlib.decompress(body))


def rows(values: Sequence[Any]) -> Uses:
    """Return the uses of a file from their JSON."""
    return Uses(*values)
