"""Which file is which module.

A module is named by its path from the source root that it lies under: `src`, a directory with the
build files of a project, or the root of the repository. Directories need no `__init__.py`,
as namespace packages have none. A file may be imported by another name too: from the directory that
holds its outermost package, as a test runner or a script would.
"""

from __future__ import annotations

import posixpath
import sys
from collections.abc import Sequence
from typing import NamedTuple

_FIRST_ROOTS = ("", "src")


class Modules(NamedTuple):
    """The modules of a repository.

    Args:
        names: path to module name.
        paths: module name to path.
        packages: names of modules that are packages.
        folders: names that are directories without `__init__.py` and hold modules.
        aliases: other names under which modules are imported, each with the directories whose
            files may do so and the names that are meant, the longest directory first.
        stubs: module name to the path of the stub beside its source.
    """

    names: dict[str, str]
    paths: dict[str, str]
    packages: frozenset[str]
    folders: frozenset[str]
    aliases: dict[str, tuple[tuple[str, str], ...]]
    stubs: dict[str, str]

    def conftests(self, path: str) -> list[str]:
        """Return the modules of the `conftest.py` that apply to a file, the nearest first."""
        found: list[str] = []
        folder = posixpath.dirname(path)
        while True:
            other = f"{folder}/conftest.py" if folder else "conftest.py"
            if other != path and other in self.names:
                found.append(self.names[other])
            if not folder:
                return found
            folder = posixpath.dirname(folder)

    def find(self, name: str, importer: str) -> str | None:
        """Return the module or folder that a file imports under a name, None if it is outside.

        Args:
            name: absolute, such as `click.core`.
            importer: path of the file that imports it.
        """
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names and self.names.get(importer, "").split(".")[0] != top:
            return None
        if name in self.paths or name in self.folders:
            return name
        for folder, meant in self.aliases.get(name, ()):
            if importer.startswith(f"{folder}/"):
                return meant
        return None


def name_modules(paths: Sequence[str], roots: Sequence[str]) -> Modules:
    """Return the modules that some files are.

    Where two files would have one name, the one under the root of the repository or `src` keeps it,
    and the other is named by its whole path.

    Args:
        paths: Python files, sorted.
        roots: source roots, the longest first.
    """
    known = set(paths)
    names: dict[str, str] = {}
    owners: dict[str, str] = {}
    stubs: dict[str, str] = {}
    packages: set[str] = set()
    ranked = sorted(paths, key=lambda path: (_rank(path, roots), path))
    for path in ranked:
        if path.endswith(".pyi") and path[:-1] in known:
            continue
        name = _dotted(path, _root_of(path, roots))
        if name in owners:
            name = _dotted(path, "")
        number = 2
        while name in owners:
            name, number = f"{_dotted(path, '')}#{number}", number + 1
        names[path] = name
        owners[name] = path
        if posixpath.basename(path).startswith("__init__.py"):
            packages.add(name)
    for path in paths:
        if path.endswith(".pyi") and path[:-1] in known:
            stubs[names[path[:-1]]] = path
    folders = {
        ".".join(parts[:size])
        for parts in (name.split(".") for name in owners)
        for size in range(1, len(parts))
    } - owners.keys()
    return Modules(
        {path: names[path] for path in sorted(names)},
        owners,
        frozenset(packages),
        frozenset(folders),
        _aliases(names, owners, known),
        stubs,
    )


def _rank(path: str, roots: Sequence[str]) -> tuple[int, int]:
    root = _root_of(path, roots)
    return (0 if root in _FIRST_ROOTS else 1, len(root))


def _root_of(path: str, roots: Sequence[str]) -> str:
    return next(root for root in roots if not root or path.startswith(f"{root}/"))


def _dotted(path: str, root: str) -> str:
    inner = path[len(root) + 1 :] if root else path
    stem = inner.removesuffix(".pyi").removesuffix(".py")
    name = stem.removesuffix("/__init__").replace("-stubs/", "/").replace("/", ".")
    return name or "__init__"


def _aliases(
    names: dict[str, str], owners: dict[str, str], known: set[str]
) -> dict[str, tuple[tuple[str, str], ...]]:
    """Return names counted from the directory of the outermost package."""
    found: dict[str, list[tuple[str, str]]] = {}
    for path, name in names.items():
        folder = posixpath.dirname(path)
        while folder and f"{folder}/__init__.py" in known:
            folder = posixpath.dirname(folder)
        other = _dotted(path, folder)
        if folder and other != name and other not in owners:
            found.setdefault(other, []).append((folder, name))
    return {
        alias: tuple(sorted(meant, key=lambda each: (-len(each[0]), each)))
        for alias, meant in found.items()
    }
