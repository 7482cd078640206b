"""Languages by the names of files, what a file is for, and the indexer that covers a language."""

from __future__ import annotations

import posixpath
import re

PYTHON = "python"
_EXTENSIONS = {
    "python": "py pyi pyw",
    "typescript": "ts tsx mts cts",
    "javascript": "js jsx mjs cjs",
    "java": "java",
    "kotlin": "kt kts",
    "scala": "scala",
    "go": "go",
    "rust": "rs",
    "c": "c h",
    "cpp": "cc cpp cxx hh hpp hxx",
    "csharp": "cs",
    "ruby": "rb",
    "php": "php",
    "dart": "dart",
    "swift": "swift",
    "shell": "sh bash",
    "sql": "sql",
    "cython": "pyx pxd",
    "vue": "vue",
    "elixir": "ex exs",
    "haskell": "hs",
    "lua": "lua",
    "perl": "pl pm",
    "r": "r",
    "julia": "jl",
}
LANGUAGES = {each: lang for lang, listed in _EXTENSIONS.items() for each in listed.split()}
# Each writes index.scip into the directory in which it is run.
INDEXERS = {
    "typescript": "npx @sourcegraph/scip-typescript index",
    "javascript": "npx @sourcegraph/scip-typescript index --infer-tsconfig",
    "java": "scip-java index",
    "kotlin": "scip-java index",
    "scala": "scip-java index",
    "go": "scip-go",
    "rust": "rust-analyzer scip .",
    "c": "scip-clang --compdb-path=compile_commands.json",
    "cpp": "scip-clang --compdb-path=compile_commands.json",
    "csharp": "scip-dotnet index",
    "ruby": "scip-ruby",
    "php": "scip-php",
    "dart": "scip_dart ./",
}
_CONFIG = (".toml", ".cfg", ".ini", ".yaml", ".yml", ".json", ".env", ".properties", ".conf")
_DOC = (".md", ".rst", ".txt", ".adoc")
_SCHEMA = (".proto", ".graphql", ".avsc", ".xsd", ".thrift")
_TESTS = re.compile(
    r"(?:^|/)(?:tests?|testing|spec|__tests__)/|(?:^|/)(?:test_[^/]*|[^/]*_test|conftest|tests)\.pyi?$"
)
_GENERATED = re.compile(r"_pb2(?:_grpc)?\.pyi?$|\.generated\.|(?:^|/)_version\.py$|\.min\.js$")


def language(path: str) -> str | None:
    """Return the language of a file by its name, None where it is not code.

    >>> language("src/app.tsx"), language("README.md")
    ('typescript', None)
    """
    return LANGUAGES.get(posixpath.splitext(path)[1][1:].lower())


def role(path: str) -> str:
    """Return what a file is for, one of `recon.ROLES`.

    >>> role("tests/test_a.py"), role("app/migrations/0001_a.py"), role("a.py"), role("docs/x.md")
    ('test', 'migration', 'source', 'doc')
    """
    name = posixpath.basename(path).lower()
    extension = posixpath.splitext(name)[1]
    if _GENERATED.search(path):
        return "generated"
    if "/migrations/" in f"/{path}" and extension in (".py", ".sql") and name != "__init__.py":
        return "migration"
    if extension in _SCHEMA or (extension == ".sql" and "schema" in name):
        return "schema"
    if name in ("setup.py", "makefile", "dockerfile", "noxfile.py", "tox.ini", "build.gradle"):
        return "build"
    if language(path) is None:
        if extension in _DOC or path.startswith(("docs/", "doc/")):
            return "doc"
        return "config" if extension in _CONFIG or name.startswith(".") else "source"
    return "test" if _TESTS.search(path) else "source"
