"""Which module imports which, and what importing the package costs."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from support import EXAMPLES

import plan07

PACKAGE = Path(plan07.__file__).parent
ENCODERS = PACKAGE.parent / "encoders" / "plan07_encoders"
MODULES = sorted(each.relative_to(PACKAGE).as_posix() for each in PACKAGE.rglob("*.py"))

# A module imports only what stands on a line above its own.
LAYERS = [
    ["errors", "ruletools/lexer"],
    ["ruletools/records"],
    ["ruletools/reading"],
    ["ruletools/grammar"],
    ["facts", "ruletools/__init__", "ruletools/constraints"],
    ["words", "rulefiles", "jsontext", "lexis", "jsonlines", "audit", "clock"],
    ["home", "languages", "gitcommand"],
    ["faults", "messages", "checks", "leftovers"],
    ["answersets", "runner", "git"],
    ["rulebook"],
    ["request/__init__", "request/phrases", "llm/__init__", "llm/call"],
    ["request/lines", "request/sentences", "llm/replies", "llm/faults"],
    ["request/text", "request/candidates", "request/demands", "llm/transport"],
    ["request/parts", "request/constraints", "llm/client"],
    ["request/predicates"],
    ["request/choosing"],
    ["request/gathering"],
    ["canonicalize"],
    ["explain", "shapes", "validate", "recon"],
    ["worktree", "reconcache", "reconwriter", "reconderive"],
    ["reconreport"],
    ["reconstore"],
    ["document", "evidence", "models", "ledger", "instructions"],
    ["reconfile", "located", "formats/__init__", "formats/places"],
    ["formats/documents"],
    ["formats/lines"],
    ["formats/dump", "formats/recondb"],
    ["formats/check", "localize", "reconrepo", "reconshow"],
    ["prompt", "lowering", "artifact", "impact/__init__", "driven"],
    ["impact/arguments", "impact/ranks", "impact/annotations"],
    ["impact/revisions", "impact/matching"],
    ["impact/entities"],
    ["impact/neighbourhood", "impact/soft", "context"],
    ["impact/closure"],
    ["impact/seeds", "impact/report", "impact/differences"],
    ["impact/planned", "impact/study", "impact/between"],
    ["impact/changed"],
    ["decompose", "obliggraph", "partition"],
    ["draft", "units", "state"],
    ["planner"],
    ["solver", "scope"],
    ["planning", "revision"],
    ["splicing"],
    ["outcomes", "limited", "replan", "revise", "steering", "exposure"],
    ["redecompose", "driver"],
    ["ruletools/terms", "ruletools/probes", "ruletools/workers"],
    ["ruletools/domains", "ruletools/predicates", "ruletools/forms", "ruletools/gloss"],
    ["ruletools/naming"],
    ["ruletools/issues", "ruletools/source", "ruletools/tree", "ruletools/recording"],
    ["ruletools/stages", "ruletools/firing", "ruletools/patterns", "ruletools/mutants"],
    ["ruletools/checks_form", "ruletools/checks_names", "ruletools/checks_whole"],
    ["ruletools/outcomes", "ruletools/spelling", "ruletools/wishes"],
    ["ruletools/checks_terms", "ruletools/cases", "ruletools/history", "ruletools/trial"],
    ["ruletools/asking", "ruletools/check", "ruletools/compare", "ruletools/export"],
    ["ruletools/listing", "ruletools/pack", "ruletools/scaffold", "ruletools/profile"],
    ["ruletools/shortfall", "ruletools/subjects", "ruletools/why"],
    ["ruletools/judging"],
    ["ruletools/testing", "ruletools/whynot"],
    ["ruletools/coverage", "ruletools/junit", "ruletools/remedy"],
    ["ruletools/mutate"],
    ["ruletools/answers", "pytest_plugin"],
    ["report", "drawing", "workspace", "guarding", "agents"],
    ["loop", "api", "session"],
    ["ab/__init__", "ab/records", "ab/flag", "ab/tokens"],
    ["ab/metrics", "ab/config", "ab/comparison"],
    ["ab/decision", "ab/ablation", "ab/statistics", "ab/store"],
    ["ab/report", "ab/execute", "ab/simulated/assumptions"],
    ["ab/markdown", "ab/simulated/world"],
    ["ab/plot", "ab/simulated/texts", "ab/simulated/recorder"],
    ["ab/simulated/baselines", "ab/simulated/planned"],
    ["ab/simulated/__init__"],
    ["ab/cassette", "ab/arms/__init__", "ab/arms/edits", "ab/arms/copy", "ab/arms/prompts"],
    ["ab/arms/talk", "ab/tasks", "ab/swebench"],
    ["ab/arms/running"],
    ["ab/arms/monolithic", "ab/arms/static", "ab/arms/current", "ab/arms/harness"],
    ["ab/arms/planned", "ab/arms/sequence"],
    ["ab/arms/ablated"],
    ["ab/live"],
    ["__init__"],
    ["cli/output", "cli/lazy"],
    ["cli/__init__"],
    ["cli/options"],
    ["cli/evidence_options", "cli/model_options", "cli/request"],
    ["cli/driving", "cli/evidence/__init__"],
    ["cli/schema", "cli/solve", "cli/canonicalize", "cli/decompose", "cli/plan"],
    ["cli/drive", "cli/overview", "cli/steer", "cli/run", "cli/ab"],
    ["cli/evidence/check", "cli/evidence/export", "cli/evidence/places"],
    ["cli/evidence/build", "cli/evidence/show", "cli/evidence/impact"],
    ["cli/evidence/context", "cli/evidence/localize"],
    ["cli/rules/__init__"],
    ["cli/rules/options", "cli/rules/reports"],
    ["cli/rules/checking", "cli/rules/comparing", "cli/rules/explaining"],
    ["cli/rules/listing", "cli/rules/packing", "cli/rules/testing"],
    ["__main__"],
]


@cache
def imports(path: Path, *, within_functions: bool = True) -> frozenset[str]:
    """Return the modules that a file imports, as dotted names."""
    found: set[str] = set()
    todo: list[ast.AST] = [ast.parse(path.read_text("utf-8"))]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            found |= {f"{node.module}.{each.name}" for each in node.names}
        if within_functions or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            todo += ast.iter_child_nodes(node)
    return frozenset(found)


def layer_of(module: str) -> int:
    return next(index for index, names in enumerate(LAYERS) if module in names)


def own(name: str) -> str | None:
    """Return the module of this package that an imported name stands for."""
    parts = name.split(".")
    if parts[0] != "plan07" or len(parts) == 1:
        return None
    for size in (4, 3, 2):
        module = "/".join(parts[1:size])
        if f"{module}.py" in MODULES:
            return module
        if f"{module}/__init__.py" in MODULES and module:
            return f"{module}/__init__"
    return "__init__"


def test_every_module_has_a_layer() -> None:
    named = [name for names in LAYERS for name in names]
    assert sorted(f"{name}.py" for name in named) == MODULES


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_what_stands_above_it(module: str) -> None:
    if module == "__init__.py":
        # Public names are imported for the type checker, and when they are first used.
        return
    name = module.removesuffix(".py")
    for imported in imports(PACKAGE / module):
        other = own(imported)
        if other is None or (other == "__init__" and imported == "plan07.__version__"):
            continue
        assert layer_of(other) < layer_of(name), f"{name} imports {other}"


def test_clingo_is_opened_where_rules_are_solved_and_where_they_are_read() -> None:
    files = [*PACKAGE.rglob("*.py"), *ENCODERS.rglob("*.py")]
    opened = [
        each.name for each in files if any(name.split(".")[0] == "clingo" for name in imports(each))
    ]
    assert sorted(opened) == ["answersets.py", "forms.py", "source.py"]


def test_the_package_imports_no_encoder() -> None:
    """They are found through entry points, so another package can bring one."""
    for module in MODULES:
        assert not any("plan07_encoders" in name for name in imports(PACKAGE / module)), module


def test_encoders_import_records_and_readers_only() -> None:
    allowed = {
        "jsontext",
        "shapes",
        "evidence",
        "errors",
        "recon",
        "reconfile",
        "located",
        "gitcommand",
        "localize",
        "formats/documents",
        "formats/lines",
    }
    for file in ENCODERS.rglob("*.py"):
        used = {own(name) for name in imports(file) if name.startswith("plan07.")}
        assert used <= allowed, file.name


def loaded_after(code: str) -> set[str]:
    """Return the modules that are loaded in a fresh process after some code."""
    last = "import sys; print(*sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{last}"], capture_output=True, text=True, check=True
    )
    return set(done.stderr.split())


def called(*arguments: str) -> str:
    """Return code that runs the command line and goes on."""
    return f"from plan07.cli import main\ntry: main({[*arguments]!r})\nexcept SystemExit: pass"


# What each call needs of this package. Every module more is half a millisecond of each call.
VERSION = {"plan07"} | {
    f"plan07.{name}" for name in ("cli", "cli.lazy", "cli.output", "errors", "messages")
}
SOLVE = VERSION | {
    f"plan07.{name}"
    for name in (
        *("answersets", "cli.options", "cli.solve", "document", "evidence", "explain", "facts"),
        *("faults", "jsontext", "lexis", "lowering", "obliggraph", "planner", "rulebook"),
        *("rulefiles", "shapes", "solver", "units"),
    )
}
COSTLY = {
    *("asyncio", "http", "importlib.metadata", "openai", "plan07_encoders", "pydantic"),
    *("pytest", "sqlite3", "subprocess", "tempfile"),
}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import plan07", {"plan07"}),
        ("import plan07.cli", VERSION),
        (called("--version"), VERSION),
        (called("solve", str(EXAMPLES / "session-timeout.plan.json")), SOLVE),
    ],
    ids=["package", "command line", "version", "solve"],
)
def test_what_a_call_loads_of_the_package(code: str, expected: set[str]) -> None:
    """The command from a standing start: half as much again as its three dependencies alone."""
    loaded = loaded_after(code)
    assert {each for each in loaded if each.split(".")[0] == "plan07"} == expected
    assert loaded & COSTLY == set()
    # Building the validators takes pydantic-core; the classes of records would take pydantic.
    assert {"clingo", "pydantic_core"} & loaded == (
        {"clingo", "pydantic_core"} if expected is SOLVE else set()
    )


def test_public_names_are_loaded_when_they_are_used() -> None:
    assert "plan07.models" not in loaded_after("import plan07; plan07.InputError")
    assert "plan07.models" in loaded_after("import plan07; plan07.solve")


@pytest.mark.parametrize("module", MODULES)
def test_every_module_can_be_imported_alone(module: str) -> None:
    """S-000-005. Within one process, from a clean list of modules."""
    name = f"plan07/{module}".removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    if name == "plan07.__main__":
        return
    saved = {
        each: sys.modules.pop(each) for each in list(sys.modules) if each.split(".")[0] == "plan07"
    }
    try:
        __import__(name)
        assert name in sys.modules
    finally:
        for each in [each for each in sys.modules if each.split(".")[0] == "plan07"]:
            del sys.modules[each]
        sys.modules.update(saved)
