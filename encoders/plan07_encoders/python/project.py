"""The tables of all modules, unpacked when they are asked for."""

from __future__ import annotations

import json
import zlib
from collections import OrderedDict
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from plan07_encoders.python.modules import Modules
from plan07_encoders.python.tables import Table

# Unpacked tables that are kept: a file asks for some tens of modules, its neighbours for the same.
_KEPT = 300
EMPTY: Table = {"names": {}, "stars": [], "exports": None, "functions": {}, "classes": {}}


class Project:
    """What every file may know of every other.

    Args:
        modules: the modules there are.
        packed: module name to its table as packed JSON; a file that could not be parsed has none.
        stubs: module name to the table of the stub beside it, the same.
    """

    def __init__(
        self, modules: Modules, packed: Mapping[str, bytes], stubs: Mapping[str, bytes]
    ) -> None:
        self.modules = modules
        self._packed = packed
        self._stubs = stubs
        self._tables: OrderedDict[str, Table] = OrderedDict()
        self._digests: dict[str, str] = {}

    def table(self, module: str) -> Table:
        """Return the table of a module; an empty one for a folder or what could not be parsed."""
        found = self._tables.get(module)
        if found is not None:
            self._tables.move_to_end(module)
            return found
        packed = self._packed.get(module)
        found = _loaded(packed) if packed is not None else EMPTY
        if module in self._stubs:
            found = _with_stub(found, _loaded(self._stubs[module]))
        self._tables[module] = found
        if len(self._tables) > _KEPT:
            self._tables.popitem(last=False)
        return found

    def digest(self, module: str) -> str:
        """Return a hash of what other files may know of a module."""
        if module not in self._digests:
            found = blake2b(module.encode(), digest_size=8)
            for each in (self._packed, self._stubs):
                found.update(b"\0" + each.get(module, b""))
            self._digests[module] = found.hexdigest()
        return self._digests[module]

    def is_module(self, name: str) -> bool:
        """Whether a canonical name is that of a module or of a folder of modules."""
        return name in self.modules.paths or name in self.modules.folders

    def is_package(self, module: str) -> bool:
        """Whether a module may hold modules."""
        return module in self.modules.packages or module in self.modules.folders


def _loaded(packed: bytes) -> Any:
    return json.loads(zlib.decompress(packed))


def _with_stub(table: Table, stub: Table) -> Table:
    """Return a table whose functions and variables are typed as the stub beside it says."""
    names = {**stub["names"], **table["names"]}
    for name, bindings in stub["names"].items():
        if bindings[0][0] == "v" and all(each[0] == "v" for each in table["names"].get(name, ())):
            names[name] = bindings
    functions = {**stub["functions"]}
    for qual, function in table["functions"].items():
        typed = stub["functions"].get(qual)
        if typed is None or function["returns"] is not None:
            functions[qual] = function
        else:
            merged = function.copy()
            for key in ("params", "returns", "overloads"):
                merged[key] = typed[key]
            functions[qual] = merged
    classes = {**stub["classes"], **table["classes"]}
    return {**table, "names": names, "functions": functions, "classes": classes}
