"""Imports of every form, and which file is which module."""

from __future__ import annotations

from pathlib import Path

import pytest
from evidencerepo import build, built, write

LIB = {
    "pkg/__init__.py": "from .core import Thing as Thing\nfrom pkg.core import helper\n",
    "pkg/core.py": "class Thing: ...\ndef helper(): ...\ndef _hidden(): ...\nVALUE = 1\n",
}
FORMS = {
    "import of a module": ("import pkg.core", "pkg.core.helper()"),
    "under another name": ("import pkg.core as c", "c.helper()"),
    "from a module": ("from pkg.core import helper", "helper()"),
    "from a module under another name": ("from pkg.core import helper as h", "h()"),
    "of a module from its package": ("from pkg import core", "core.helper()"),
    "of what a package hands on": ("from pkg import helper", "helper()"),
    "through a package": ("import pkg", "pkg.helper()"),
    "relative": ("from .core import helper", "helper()"),
    "relative, of a module": ("from . import core", "core.helper()"),
    "of everything": ("from pkg.core import *", "helper()"),
    "of everything that a package has": ("from pkg import *", "helper()"),
    "for type checkers": (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pkg.core import helper",
        "helper()",
    ),
    "conditional": (
        "try:\n    from pkg.core import helper\nexcept ImportError:\n    helper = None",
        "helper()",
    ),
    "under a version": (
        "import sys\nif sys.version_info > (3,):\n    from pkg.core import helper",
        "helper()",
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_call_through_an_import(form: str, tmp_path: Path) -> None:
    imported, call = FORMS[form]
    found = built(tmp_path, {**LIB, "pkg/user.py": f"{imported}\n\ndef use():\n    {call}\n"})
    assert ("pkg.user.use", "pkg.core.helper", "exact") in found.resolved("calls")
    assert ("pkg.user", "pkg.core") in found.edges("imports") or form in (
        *("of what a package hands on", "through a package", "of everything that a package has"),
    )


@pytest.mark.parametrize("form", [each for each in FORMS if "everything" not in each])
def test_an_import_within_a_function(form: str, tmp_path: Path) -> None:
    imported, call = FORMS[form]
    body = "\n".join(f"    {line}" for line in imported.splitlines())
    found = built(tmp_path, {**LIB, "pkg/user.py": f"def use():\n{body}\n    {call}\n"})
    assert ("pkg.user.use", "pkg.core.helper") in found.edges("calls")
    assert {src for src, _ in found.edges("imports") if src.startswith("pkg.user")} == {
        "pkg.user.use"
    }


def test_names_with_an_underscore_are_not_imported_with_everything(tmp_path: Path) -> None:
    text = "from pkg.core import *\n\ndef use():\n    _hidden()\n"
    assert built(tmp_path, {**LIB, "m.py": text}).uses("m.use") == set()


def test_all_says_what_everything_is(tmp_path: Path) -> None:
    files = {"a.py": "__all__ = ['_f']\ndef _f(): ...\ndef g(): ...\n"}
    found = built(tmp_path, {**files, "m.py": "from a import *\n\ndef use():\n    _f()\n    g()\n"})
    assert found.uses("m.use") == {"calls a._f exact"}


def test_reexports_are_edges_and_aliases(tmp_path: Path) -> None:
    found = built(tmp_path, LIB)
    assert found.edges("reexports") == {("pkg", "pkg.core.Thing"), ("pkg", "pkg.core.helper")}
    assert found.rows(
        "SELECT a.alias, n.fqn, a.why FROM aliases a JOIN nodes n ON n.id=a.node_id ORDER BY 1"
    ) == [
        ("pkg.Thing", "pkg.core.Thing", "reexport"),
        ("pkg.helper", "pkg.core.helper", "reexport"),
    ]


def test_what_an_import_goes_through_is_told(tmp_path: Path) -> None:
    found = built(tmp_path, {**LIB, "m.py": "from pkg import helper\n"})
    assert {dst for src, dst in found.edges("imports") if src == "m"} == {"pkg", "pkg.core.helper"}
    assert found.attributes("m", "imports", "pkg.core.helper") == {"through": "pkg"}


def test_what_lies_outside_is_an_external_node(tmp_path: Path) -> None:
    found = built(
        tmp_path, {"m.py": "import os.path\nimport requests\n\ndef f():\n    requests.get('x')\n"}
    )
    assert found.edges("imports") == {("m", "os.path"), ("m", "requests")}
    assert found.edges("calls") == {("m.f", "requests.get")}
    assert found.rows("SELECT fqn, kind, is_external, file_id FROM nodes WHERE is_external=1") == [
        ("os.path", "external", 1, None),
        ("requests", "external", 1, None),
        ("requests.get", "external", 1, None),
    ]


def test_a_name_that_a_module_lacks_is_open(tmp_path: Path) -> None:
    found = built(tmp_path, {**LIB, "m.py": "from pkg.core import missing\n"})
    assert found.rows("SELECT name, kind, line FROM unresolved") == [("missing", "imports", 1)]


LAYOUTS = {
    "flat": ("app/a.py", "app.a", "from app.a import f"),
    "src": ("src/app/a.py", "app.a", "from app.a import f"),
    "namespace package": ("src/space/inner/a.py", "space.inner.a", "from space.inner.a import f"),
    "several projects": ("libs/one/app/a.py", "app.a", "from app.a import f"),
    "beside a script": ("tools/a.py", "tools.a", "from tools.a import f"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout(layout: str, tmp_path: Path) -> None:
    path, module, imported = LAYOUTS[layout]
    files = {
        "libs/one/pyproject.toml": "",
        path: "def f(): ...\n",
        "use.py": f"{imported}\n\ndef use():\n    f()\n",
    }
    assert built(tmp_path, files).edges("calls") == {("use.use", f"{module}.f")}


def test_a_script_imports_its_neighbour(tmp_path: Path) -> None:
    files = {
        "tools/helper.py": "def f(): ...\n",
        "tools/run.py": "from helper import f\nf()\n",
        "other/run.py": "from helper import f\nf()\n",
    }
    found = built(tmp_path, files)
    assert found.edges("calls") == {("tools.run", "tools.helper.f"), ("other.run", "helper.f")}
    assert found.node("helper.f")["is_external"] == 1


def test_a_file_called_like_a_standard_module_hides_nothing(tmp_path: Path) -> None:
    files = {
        "tools/random.py": "def choice(x): ...\n",
        "tools/run.py": "import random\nrandom.choice([])\n",
    }
    assert built(tmp_path, files).edges("calls") == set()


def test_two_files_of_one_name(tmp_path: Path) -> None:
    files = {
        "a/setup.py": "def f(): ...\n",
        "b/setup.py": "def f(): ...\n",
    }
    assert {"setup.f", "b.setup.f"} <= set(built(tmp_path, files).kinds())


def test_the_name_from_the_root_is_an_alias(tmp_path: Path) -> None:
    found = built(tmp_path, {"src/app/a.py": "def f(): ...\n"})
    assert found.rows("SELECT alias, why FROM aliases") == [("src.app.a", "source_root")]


def test_modules_that_import_each_other(tmp_path: Path) -> None:
    files = {
        "a.py": "from b import *\nfrom b import g\ndef f(): g()\n",
        "b.py": "from a import *\nfrom a import f\ndef g(): f()\n",
    }
    assert built(tmp_path, files).edges("calls") == {("a.f", "b.g"), ("b.g", "a.f")}


def test_an_import_of_itself_in_a_ring_ends(tmp_path: Path) -> None:
    files = {
        "a.py": "from b import x\n",
        "b.py": "from a import x\n",
        "c.py": "from a import x\nx()\n",
    }
    assert built(tmp_path, files).edges("calls") == set()


def test_a_stub_types_the_source_beside_it(tmp_path: Path) -> None:
    files = {
        "lib.py": "class A:\n    def run(self): ...\ndef make(): return eval('A()')\n",
        "lib.pyi": "class A:\n    def run(self): ...\ndef make() -> A: ...\n",
        "fast.pyi": "def go() -> int: ...\n",
        "use.py": "import lib, fast\ndef use():\n    lib.make().run()\n    fast.go()\n",
    }
    found = built(tmp_path, files)
    assert found.resolved("calls") >= {
        ("use.use", "lib.make", "exact"),
        ("use.use", "lib.A.run", "typed"),
        ("use.use", "fast.go", "exact"),
    }
    assert found.rows("SELECT path, parsed FROM files ORDER BY path") == [
        ("fast.pyi", 1),
        ("lib.py", 1),
        ("lib.pyi", 1),
        ("use.py", 1),
    ]


def test_a_changed_stub_is_seen(tmp_path: Path) -> None:
    files = {
        "lib.py": "class A:\n    def run(self): ...\n"
        "class B:\n    def run(self): ...\ndef make(): ...\n",
        "lib.pyi": "class A:\n    def run(self): ...\ndef make() -> A: ...\n",
        "use.py": "import lib\ndef use():\n    lib.make().run()\n",
    }
    assert ("use.use", "lib.A.run") in built(tmp_path, files).edges("calls")
    write(
        tmp_path / "repo", {"lib.pyi": "class B:\n    def run(self): ...\ndef make() -> B: ...\n"}
    )
    assert ("use.use", "lib.B.run") in build(tmp_path / "repo").edges("calls")
