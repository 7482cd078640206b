"""Reads Python sources: entities, what each uses, tests; see `plan07_encoders.python`."""

from __future__ import annotations

import configparser
import sys
import tomllib
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib import resources

from plan07.errors import Finding
from plan07.recon import (
    AliasRow,
    EdgeRow,
    FileRow,
    NodeRow,
    Part,
    Repository,
    TestRow,
    UnresolvedRow,
)
from plan07_encoders.python import encode, source, workers
from plan07_encoders.python.index import Entity
from plan07_encoders.python.modules import Modules, name_modules
from plan07_encoders.python.project import Project
from plan07_encoders.python.testing import Patterns

_LANGUAGE = "python"


def read(repository: Repository) -> Iterator[Part]:
    """Yield what the Python files of a repository say, one part for each."""
    files = {each.path: each for each in repository.files if each.lang == _LANGUAGE}
    if not files:
        return
    modules = name_modules(list(files), repository.source_roots)
    patterns = _patterns(repository)
    jobs = int(repository.options.get("jobs") or workers.cores())
    reading = _Reading(repository, files, modules, patterns, jobs)
    yield from reading.parts()


class _Reading:
    def __init__(
        self,
        repository: Repository,
        files: dict[str, FileRow],
        modules: Modules,
        patterns: Patterns,
        jobs: int,
    ) -> None:
        self._repository = repository
        self._files = files
        self._modules = modules
        self._patterns = patterns
        self._jobs = jobs
        self._errors: dict[str, str] = {}
        self._code = _code()

    def parts(self) -> Iterator[Part]:
        """Yield the parts: folders first, then file by file."""
        stubs = self._modules.stubs
        indexed = self._index([*self._modules.names, *stubs.values()])
        packed = {
            self._modules.names[path]: found.table
            for path, found in indexed.items()
            if path in self._modules.names and not found.error
        }
        stub_tables = {
            name: indexed[path].table for name, path in stubs.items() if not indexed[path].error
        }
        project = Project(self._modules, packed, stub_tables)
        entities = {path: found.entities for path, found in indexed.items() if not found.error}
        self._errors = {path: found.error for path, found in indexed.items() if found.error}
        del indexed
        uses = self._resolve(project, sorted(set(entities) - set(stubs.values())))
        yield Part(nodes=[_folder(name) for name in sorted(self._modules.folders)])
        for path in self._modules.names:
            if path in uses and path not in self._errors:
                yield self._part(path, entities.pop(path), uses.pop(path))
            else:
                yield self._unparsed(path)
        for path in sorted(stubs.values()):
            error = self._errors.get(path)
            yield Part(files=[self._files[path]._replace(parsed=error is None, error=error)])

    # First pass.

    def _index(self, paths: Sequence[str]) -> dict[str, encode.Indexed]:
        cache = self._repository.cache
        root = self._repository.root
        keys = {path: self._key("index", path) for path in paths}
        found: dict[str, encode.Indexed] = {}
        todo: list[str] = []
        for path in paths:
            kept = cache.get(keys[path])
            if kept is None:
                todo.append(path)
            else:
                found[path] = encode.unpack_indexed(kept)
        names = {path: self._name(path) for path in paths}

        def job(path: str) -> bytes:
            name = names[path]
            return encode.index_file(root, path, name, name in self._modules.packages).pack()

        for done, (path, data) in enumerate(workers.run(job, todo, self._jobs), 1):
            result = encode.Indexed(data, b"", b"").pack() if isinstance(data, str) else data
            cache[keys[path]] = result
            found[path] = encode.unpack_indexed(result)
            self._repository.progress("reading", done, len(todo))
        return found

    def _name(self, path: str) -> str:
        """Return the module that a file is, or is the stub of."""
        if path in self._modules.names:
            return self._modules.names[path]
        return self._modules.names[path[:-1]]

    def _key(self, kind: str, path: str) -> str:
        """Return the key of a file in the cache: all that its own result depends on."""
        said = [
            *(self._code, sys.version_info[:3], self._files[path].blob, path, self._name(path)),
            *(self._name(path) in self._modules.packages, source.LARGEST_BYTES),
        ]
        if kind == "uses":
            said += [self._patterns, self._modules.conftests(path)]
        return f"ast:{kind}:{sha256(repr(said).encode()).hexdigest()[:32]}"

    # Second pass.

    def _resolve(self, project: Project, paths: Sequence[str]) -> dict[str, bytes]:
        cache = self._repository.cache
        root = self._repository.root
        keys = {path: self._key("uses", path) for path in paths}
        found: dict[str, bytes] = {}
        todo: list[str] = []
        for path in paths:
            kept = cache.get(keys[path])
            if kept is not None and encode.is_current(encode.unpack(kept)[0][1], path, project):
                found[path] = kept
            else:
                todo.append(path)

        def job(path: str) -> bytes:
            return encode.resolve_file(root, path, project, self._patterns)

        for done, (path, data) in enumerate(workers.run(job, todo, self._jobs), 1):
            result = encode.pack([data, {}], b"") if isinstance(data, str) else data
            cache[keys[path]] = result
            found[path] = result
            self._repository.progress("resolving", done, len(todo))
        for path in [*found]:
            error = encode.unpack(found[path])[0][0]
            if error:
                self._errors[path] = error
        return found

    # Parts.

    def _part(self, path: str, entities: bytes, packed: bytes) -> Part:
        module = self._modules.names[path]
        uses = encode.rows(encode.loaded(encode.unpack(packed)[1]))
        inherited = set(uses.inherited)
        tests = {fqn for _, fqn in uses.tests}
        # Whatever holds a test is one for those who leave tests out.
        tests |= {holder for fqn in tests for holder in _holders(fqn)}
        row = self._files[path]
        listed = [Entity(*each) for each in encode.loaded(entities)]
        nodes = [
            node
            for each in listed
            if (node := _node(each, module, path, module in self._modules.packages, tests)).fqn
            not in inherited
        ]
        nodes += [_outside(each) for each in uses.outside]
        edges = [_contains(each) for each in nodes if each.parent is not None]
        edges += [
            EdgeRow(src, kind, dst, path, line, times, resolution, confidence, "ast", attrs)
            for src, kind, dst, line, times, resolution, confidence, attrs in uses.edges
        ]
        return Part(
            files=[row._replace(parsed=True)],
            nodes=nodes,
            edges=edges,
            unresolved=[
                UnresolvedRow(path, src, name, kind, line)
                for src, name, kind, line in uses.unresolved
            ],
            aliases=[
                *(AliasRow(alias, fqn, "reexport") for alias, fqn in uses.aliases if alias != fqn),
                *self._other_names(module, path),
            ],
            tests=[TestRow(nodeid, fqn) for nodeid, fqn in uses.tests],
            counts={f"calls {name}": number for name, number in uses.calls.items()},
        )

    def _other_names(self, module: str, path: str) -> Iterator[AliasRow]:
        """Yield the name of a module counted from the root, where that is not its name."""
        dotted = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        if dotted != module:
            yield AliasRow(dotted, module, "source_root")

    def _unparsed(self, path: str) -> Part:
        module = self._modules.names[path]
        kind = "package" if module in self._modules.packages else "module"
        node = NodeRow(module, kind, module.rpartition(".")[2], path, 1, 1, _parent(module))
        error = self._errors.get(path, "it cannot be read")
        said = f"{path}: {error}"
        return Part(
            files=[self._files[path]._replace(parsed=False, error=error)],
            nodes=[node],
            edges=[_contains(node)] if node.parent else [],
            notes=[
                Finding("FILE_UNPARSED", path, said, "mend the file, or leave it", {"path": path})
            ],
        )


def _code() -> str:
    """Return a hash of this encoder: another version may find something else in the same file."""
    found = sha256()
    folder = resources.files("plan07_encoders.python")
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        if each.name.endswith(".py"):
            found.update(each.read_bytes())
    return found.hexdigest()


def _holders(fqn: str) -> Iterator[str]:
    while "." in fqn:
        fqn = fqn.rpartition(".")[0]
        yield fqn


def _parent(module: str) -> str | None:
    return module.rpartition(".")[0] or None


def _folder(name: str) -> NodeRow:
    return NodeRow(name, "package", name.rpartition(".")[2], parent=_parent(name))


def _node(each: Entity, module: str, path: str, package: bool, tests: set[str]) -> NodeRow:
    if not each.qual:
        kind = "package" if package else "module"
        return NodeRow(
            *(module, kind, module.rpartition(".")[2], path, each.line, each.end_line),
            parent=_parent(module),
            is_test=module in tests,
            body_hash=each.body_hash,
        )
    fqn = f"{module}.{each.qual}"
    return NodeRow(
        fqn,
        each.kind,
        each.qual.rpartition(".")[2],
        path,
        each.line,
        each.end_line,
        f"{module}.{each.parent}" if each.parent else module,
        each.signature,
        each.params,
        each.returns,
        tuple(each.flags),
        fqn in tests,
        False,
        each.sig_hash,
        each.body_hash,
    )


def _outside(dotted: str) -> NodeRow:
    return NodeRow(dotted, "external", dotted.rpartition(".")[2], is_external=True)


def _contains(node: NodeRow) -> EdgeRow:
    return EdgeRow(str(node.parent), "contains", node.fqn, node.path, node.line)


def _patterns(repository: Repository) -> Patterns:
    """Return what pytest's configuration calls tests."""
    paths = {each.path for each in repository.files}
    for name, section in (
        ("pytest.ini", "pytest"),
        ("pyproject.toml", ""),
        ("tox.ini", "pytest"),
        ("setup.cfg", "tool:pytest"),
    ):
        if name not in paths:
            continue
        try:
            text = source.read(repository.root, name).decode("utf-8")
            options = _toml(text) if not section else _ini(text, section)
        except (source.Unreadable, ValueError, configparser.Error):
            continue
        if options is not None:
            found = {
                field: tuple(options[f"python_{field}"])
                for field in Patterns._fields
                if options.get(f"python_{field}")
            }
            return Patterns()._replace(**found)
    return Patterns()


def _toml(text: str) -> dict[str, list[str]] | None:
    document = tomllib.loads(text)
    tool = document.get("tool")
    pytest = tool.get("pytest") if isinstance(tool, dict) else None
    options = pytest.get("ini_options", pytest) if isinstance(pytest, dict) else None
    if not isinstance(options, dict):
        return None
    found: dict[str, list[str]] = {}
    for name, value in options.items():
        if isinstance(value, str):
            found[name] = value.split()
        elif isinstance(value, list):
            found[name] = [str(each) for each in value]
    return found


def _ini(text: str, section: str) -> dict[str, list[str]] | None:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.read_string(text)
    if not parser.has_section(section):
        return None
    return {name: value.split() for name, value in parser.items(section)}
