"""`plan07 evidence build` and `plan07 evidence show`: what they print, and what they refuse."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from evidencerepo import write
from gitrepo import commit

Run = Callable[..., Any]

FILES = {
    "src/shop/__init__.py": "from .cart import Cart as Cart\n",
    "src/shop/cart.py": """
        class Cart:
            def add(self, item, count=1): ...
        def total(cart: Cart):
            cart.add(1)
            cart.add(2, count=3)
    """,
    "src/shop/odd.py": "def broken(:\n",
    "tests/test_cart.py": """
        from shop import Cart
        def test_add():
            Cart().add(1)
    """,
    "web/app.ts": "export {}\n",
    "README.md": "# shop\n",
}


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a checkout in which the command runs."""
    monkeypatch.delenv("PLAN07_HOME", raising=False)
    root = tmp_path / "shop"
    write(root, FILES)
    commit(root, {"pyproject.toml": ""})
    monkeypatch.chdir(root)
    return root


def home(root: Path) -> Path:
    return root / "build" / "07-task-decomposition-planning"


class TestBuild:
    def test_what_it_says(self, run: Run, shop: Path) -> None:
        result = run("evidence", "build", "--jobs", "1")
        assert (result.status, result.err) == (0, "")
        head = r"^(.*)/recon\.db: built at [0-9a-f]{12}\n"
        assert re.match(head, result.out)
        assert re.sub(head, "", result.out) == (
            "\n"
            "files     7: 4 python, 1 config, 1 doc, 1 typescript\n"
            "read      3, 1 could not be\n"
            "entities  9, 18 edges between them\n"
            "tests     1\n"
            "calls     4: 25.0% exact, 75.0% typed, 0.0% guessed, 0.0% open, 0.0% outside\n"
            "history   0 pairs of files that change together\n"
            "readers   ast\n"
            "\n"
            "could not be read\n"
            "  src/shop/odd.py: line 1: invalid syntax\n"
            "\n"
            "what would improve it\n"
            "  1 typescript file is listed and not read: run `npx @sourcegraph/scip-typescript "
            "index` here; the next build reads index.scip\n"
            "  which tests run what is known from their sources alone: run pytest --cov "
            "--cov-context=test here; the next build reads .coverage\n"
        )

    def test_a_second_build_says_the_same(self, run: Run, shop: Path) -> None:
        first = run("evidence", "build").out
        assert run("evidence", "build").out == first.replace(": built at", ": up to date at")
        write(shop, {"README.md": "# other\n"})
        assert ": built at" in run("evidence", "build").out.splitlines()[0]
        assert run("evidence", "build").out.splitlines()[0].endswith(", with edits")

    def test_json(self, run: Run, shop: Path) -> None:
        found = run("evidence", "build", "--json").document()
        assert list(found) == [
            *("path", "fresh", "files", "read", "failed", "counts", "notes", "encoders"),
            *("commit", "dirty"),
        ]
        assert found["failed"] == [{"path": "src/shop/odd.py", "error": "line 1: invalid syntax"}]
        assert found["path"] == str(home(shop) / "recon.db")
        assert found["counts"]["calls exact"] == 1

    def test_where_it_goes(
        self, run: Run, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run("evidence", "build", "-o", tmp_path / "a.db")
        assert (tmp_path / "a.db").exists() and not home(shop).exists()
        monkeypatch.setenv("PLAN07_HOME", str(tmp_path / "home"))
        run("evidence", "build")
        assert (tmp_path / "home" / "recon.db").exists() and not home(shop).exists()

    def test_another_directory(self, run: Run, shop: Path, tmp_path: Path) -> None:
        os.chdir(tmp_path)
        assert run("evidence", "build", "shop").status == 0
        assert (home(shop) / "recon.db").exists()

    @pytest.mark.parametrize(
        ("arguments", "code"),
        [(["nowhere"], "REPOSITORY_UNREADABLE"), (["-o", "README.md/x.db"], "RECON_UNWRITABLE")],
        ids=["no repository", "no place"],
    )
    def test_refusals(self, arguments: list[str], code: str, run: Run, shop: Path) -> None:
        result = run("evidence", "build", *arguments, "--json")
        assert (result.status, result.err) == (2, "")
        assert result.document()["error"]["code"] == code
        assert arguments[-1].split("/")[0] in result.document()["error"]["message"]

    def test_without_python_files(self, run: Run, tmp_path: Path) -> None:
        write(tmp_path / "go", {"main.go": "package main\n"})
        out = run("evidence", "build", tmp_path / "go", "-o", tmp_path / "go.db").out
        assert "readers   none\n" in out
        assert "1 go file is listed and not read: run `scip-go` here" in out

    def test_of_an_empty_directory(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        out = run("evidence", "build", tmp_path / "empty", "-o", tmp_path / "x.db").out
        assert out.splitlines()[2] == "files     none"

    def test_calls_that_stay_open_are_named(self, run: Run, tmp_path: Path) -> None:
        classes = "class A:\n    def f(self): ...\n    def g(self): ...\n"
        text = f"{classes}def use(x):\n    x.f()\n    x.f()\n    x.g()\n"
        write(tmp_path / "a", {"m.py": text, "n.py": "class B:\n    def f(self): ...\n"})
        out = run("evidence", "build", tmp_path / "a", "-o", tmp_path / "a.db").out
        assert "of the calls that stay open most are of f (2), g (1): annotate what" in out
        assert "0.0% exact, 0.0% typed, 0.0% guessed, 100.0% open" in out

    def test_the_database_tells_when_it_was_made(
        self, run: Run, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """With a fixed time, two builds are the same to the byte."""
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
        run("evidence", "build", "-o", tmp_path / "a.db")
        run("evidence", "build", "-o", tmp_path / "b.db", "--anew", "--jobs", "2")
        assert (tmp_path / "a.db").read_bytes() == (tmp_path / "b.db").read_bytes()
        assert b"2023-11-14T22:13:20+00:00" in (tmp_path / "a.db").read_bytes()

    def test_a_progress_bar_on_a_terminal_alone(self, shop: Path) -> None:
        leader, follower = pty.openpty()
        command = [sys.executable, "-m", "plan07", "evidence", "build"]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=follower, check=True)
        os.close(follower)
        shown = os.read(leader, 65536).decode()
        os.close(leader)
        assert "resolving" in shown and "100%" in shown and shown.endswith("\r")
        assert b"resolving" not in done.stdout


class TestShow:
    def test_a_method(self, run: Run, shop: Path) -> None:
        result = run("evidence", "show", "shop.cart.Cart.add")
        assert result.out == (
            "method shop.cart.Cart.add(self, item, count=1)\n"
            "  src/shop/cart.py:2\n"
            "\n"
            "relation  dependent                 sure        where\n"
            "calls     shop.cart.total           typed 0.90  src/shop/cart.py:4,5\n"
            "calls     tests.test_cart.test_add  typed 0.90  tests/test_cart.py:3\n"
            "tests     tests.test_cart.test_add  typed 0.90  tests/test_cart.py:3\n"
        )

    @pytest.mark.parametrize(
        "name",
        ["Cart", "shop.Cart", "cart.Cart", "src/shop/cart.py::Cart", "src.shop.cart.Cart"],
    )
    def test_other_names(self, name: str, run: Run, shop: Path) -> None:
        assert run("evidence", "show", name, "--json").document()["fqn"] == "shop.cart.Cart"

    def test_json(self, run: Run, shop: Path) -> None:
        found = run("evidence", "show", "shop.cart.total", "--json").document()
        assert found == {
            "fqn": "shop.cart.total",
            "kind": "function",
            "path": "src/shop/cart.py",
            "line": 3,
            "end_line": 5,
            "signature": "(cart: Cart)",
            "flags": [],
            "dependents": [],
            "open_calls": 0,
        }

    def test_nothing_depends_on_it(self, run: Run, shop: Path) -> None:
        assert "\nnothing that was resolved depends on it\n" in run("evidence", "show", "total").out

    def test_open_calls_are_told(self, run: Run, shop: Path) -> None:
        write(shop, {"src/shop/open.py": "def f(x, y):\n    x.add(1)\n    y.add(1)\n"})
        out = run("evidence", "show", "Cart.add").out
        assert "\n2 calls of this name are open: which entity is meant is not known\n" in out

    def test_most(self, run: Run, shop: Path) -> None:
        out = run("evidence", "show", "Cart.add", "--most", "1").out
        assert out.endswith("and 2 more, see --most or --json\n")

    def test_a_database_of_its_own(self, run: Run, shop: Path, tmp_path: Path) -> None:
        run("evidence", "build", "-o", tmp_path / "a.db")
        write(shop, {"src/shop/cart.py": ""})
        out = run("evidence", "show", "shop.cart.total", "--recon", tmp_path / "a.db").out
        assert out.startswith("function shop.cart.total(cart: Cart)\n")

    @pytest.mark.parametrize(
        ("name", "code", "said", "fix"),
        [
            ("Crat", "ENTITY_UNKNOWN", '"Crat"', "write its qualified name"),
            ("shop.cart.tot", "ENTITY_UNKNOWN", '"shop.cart.tot"', "perhaps shop.cart.total"),
            ("test_add\x1b[31m", "ENTITY_UNKNOWN", r"\u001b[31m", "write its"),
            ("f", "ENTITY_AMBIGUOUS", "shop.one.f, shop.two.f", "write more of the name"),
            ("", "ENTITY_UNKNOWN", '""', "write its"),
            ("%", "ENTITY_UNKNOWN", '"%"', "write its"),
            ("a\udcff", "ENTITY_UNKNOWN", r'"a\udcff"', "write its"),
        ],
        ids=["unknown", "nearly", "escape", "ambiguous", "empty", "wildcard", "bytes"],
    )
    def test_refusals(
        self, name: str, code: str, said: str, fix: str, run: Run, shop: Path
    ) -> None:
        write(shop, {f"src/shop/{each}.py": "def f(): ...\n" for each in ("one", "two")})
        result = run("evidence", "show", name)
        assert (result.status, result.out) == (2, "")
        assert result.err.startswith(f"plan07: {code}: ")
        assert said in result.err and f"  fix: {fix}" in result.err
        assert "\x1b" not in result.err
        assert json.loads(run("evidence", "show", name, "--json").out)["error"]["code"] == code


def test_help_has_an_example(run: Run) -> None:
    for command in ("build", "show"):
        out = run("evidence", command, "--help").out
        assert f"Example: plan07 evidence {command}" in out


def test_the_command_loads_nothing_of_it_for_others() -> None:
    code = "import sys, plan07.cli; sys.stdout.write(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not {"sqlite3", "plan07.reconstore", "subprocess", "plan07_encoders"} & loaded
