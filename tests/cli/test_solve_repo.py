"""`plan07 solve --repo`: the evidence of a repository is built, kept up to date, and used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gitrepo import commit, write
from support import EXAMPLES, obligation, plan

Run = Callable[..., Any]

CART = (
    "class Cart:\n"
    "    def __init__(self, items):\n"
    "        self.items = items\n"
    "\n"
    "    def total(self, rate, rounded=True):\n"
    "        return round(rate, 2) if rounded else rate\n"
    "\n"
    "    def count(self):\n"
    "        return len(self.items)\n"
    "\n"
    "\n"
    "class Gift(Cart):\n"
    "    def total(self, rate, rounded=True):\n"
    "        return 0\n"
)
FILES: dict[str, str | None] = {
    ".gitignore": "build/\n",
    "shop/__init__.py": "",
    "shop/cart.py": CART,
    "shop/till.py": (
        "from .cart import Cart, Gift\n"
        "\n"
        "\n"
        "def pay(cart: Cart):\n"
        "    return cart.total(1.2)\n"
        "\n"
        "\n"
        "def estimate(cart: Cart):\n"
        "    return cart.total(1.2, rounded=False)\n"
        "\n"
        "\n"
        "def give(gift: Gift):\n"
        "    return gift.total(0)\n"
        "\n"
        "\n"
        "def wrap(items):\n"
        "    return Gift(items)\n"
        "\n"
        "\n"
        "def fill(items):\n"
        "    return Cart(items)\n"
    ),
    "tests/test_till.py": (
        "from shop.cart import Cart\n\n\ndef test_count():\n    assert Cart([]).count() == 0\n"
    ),
}


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("PLAN07_HOME", raising=False)
    commit(tmp_path / "shop", FILES)
    return tmp_path / "shop"


@pytest.fixture
def solve(run: Run, shop: Path, tmp_path: Path) -> Callable[..., Any]:
    """Return a function that solves obligations with the evidence of the shop."""

    def call(*records: dict[str, Any], options: tuple[str, ...] = (), **more: Any) -> Any:
        path = tmp_path / "plan.json"
        path.write_text(json.dumps(plan(*records, **more)))
        result = run("solve", path, "--repo", shop, "--json", *options)
        return result.document()

    return call


def broken(document: dict[str, Any]) -> set[tuple[str, str, tuple[str, ...]]]:
    """Return (obligation, what it breaks, causes) of a plan that is refused."""
    violations = document["error"]["violations"]
    assert {each["code"] for each in violations} == {"UNRESOLVED_DEPENDENT"}
    return {
        (each["subject"], each["detail"]["entity"], tuple(each["detail"]["causes"]))
        for each in violations
    }


def mends(identifier: str, target: str) -> dict[str, Any]:
    return obligation(identifier, target, cause="call site")


COUNT = obligation("O1", "shop.cart.Cart.count", cause="requirement: rename to number")


class TestRename:
    """Show 2: a plan that renames a real function."""

    def test_a_caller_that_nobody_mends_is_named(self, solve: Callable[..., Any]) -> None:
        assert broken(solve(COUNT)) == {
            ("O1", "tests.test_till.test_count", ("CalledBy", "TestedBy"))
        }

    def test_with_all_callers_it_lands_together(self, solve: Callable[..., Any]) -> None:
        document = solve(COUNT, mends("O2", "tests.test_till.test_count"))
        assert document["order"] == ["cycle:O1"]
        assert document["composites"][0]["members"] == ["O1", "O2"]

    def test_with_a_shim_in_single_steps(self, solve: Callable[..., Any]) -> None:
        shim = obligation("O3", "shop.cart.Cart.count", verb="preserve", cause="keep an alias")
        document = solve(COUNT, mends("O2", "tests.test_till.test_count"), shim)
        assert document["order"] == ["O3", "O1", "O2"]

    def test_what_is_edited_meanwhile_counts(self, solve: Callable[..., Any], shop: Path) -> None:
        test = mends("O2", "tests.test_till.test_count")
        assert "error" not in solve(COUNT, test)
        write(shop, {"shop/new.py": "from .cart import Cart\n\n\ndef f(c: Cart):\n    c.count()\n"})
        assert broken(solve(COUNT, test)) == {("O1", "shop.new.f", ("CalledBy",))}

    def test_without_the_repository_nothing_is_known(
        self, run: Run, shop: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "plan.json").write_text(json.dumps(plan(COUNT)))
        assert run("solve", tmp_path / "plan.json", "--json").document()["order"] == ["O1"]
        assert not (shop / "build").exists()


class TestFamily:
    TOTAL = obligation("O1", "shop.cart.Cart.total", cause="new required parameter")
    GIFT = obligation("O2", "shop.cart.Gift.total", cause="follows the signature: re-bind")

    def test_overrides_and_their_callers_follow(self, solve: Callable[..., Any]) -> None:
        """Virtual dispatch closes calls over overrides."""
        assert broken(solve(self.TOTAL)) == {
            ("O1", "shop.cart.Gift.total", ("OverriddenBy",)),
            ("O1", "shop.till.pay", ("CalledBy",)),
            ("O1", "shop.till.estimate", ("CalledBy",)),
        }
        callers = [mends("O3", "shop.till.pay"), mends("O4", "shop.till.estimate")]
        assert broken(solve(self.TOTAL, self.GIFT, *callers)) == {
            ("O2", "shop.till.give", ("CalledBy",))
        }
        document = solve(self.TOTAL, self.GIFT, *callers, mends("O5", "shop.till.give"))
        assert document["order"] == ["cycle:O1"]

    def test_the_base_follows_an_override(self, solve: Callable[..., Any]) -> None:
        change = obligation("O1", "shop.cart.Gift.total", cause="new required parameter")
        assert ("O1", "shop.cart.Cart.total", ("Overrides",)) in broken(solve(change))

    def test_a_body_concerns_nobody(self, solve: Callable[..., Any]) -> None:
        change = obligation("O1", "shop.cart.Cart.total", cause="body change")
        assert solve(change)["order"] == ["O1"]


class TestConstructor:
    def test_whoever_builds_the_class_or_its_heir(self, solve: Callable[..., Any]) -> None:
        change = obligation("O1", "shop.cart.Cart.__init__", cause="new required parameter")
        reached = {entity for _, entity, _ in broken(solve(change))}
        assert {"shop.till.fill", "shop.till.wrap"} <= reached

    def test_an_heir_with_a_constructor_of_its_own_need_not_follow(
        self, solve: Callable[..., Any], shop: Path
    ) -> None:
        heir = "\n\nclass Box(Cart):\n    def __init__(self):\n        self.items = []\n"
        write(shop, {"shop/cart.py": CART + heir})
        change = obligation("O1", "shop.cart.Cart.__init__", cause="new required parameter")
        reached = {entity for _, entity, _ in broken(solve(change))}
        assert "shop.cart.Box.__init__" not in reached
        assert "shop.till.fill" in reached


class TestParameter:
    def test_calls_that_do_not_pass_it_are_not_broken(self, solve: Callable[..., Any]) -> None:
        change = obligation("O1", "shop.cart.Cart.total", cause="removed parameter `rounded`")
        assert broken(solve(change)) == {("O1", "shop.till.estimate", ("CalledBy",))}

    def test_where_it_is_not_named_all_are(self, solve: Callable[..., Any]) -> None:
        change = obligation("O1", "shop.cart.Cart.total", cause="removed parameter")
        assert broken(solve(change)) == {
            ("O1", "shop.till.estimate", ("CalledBy",)),
            ("O1", "shop.till.pay", ("CalledBy",)),
        }


class TestTests:
    def test_which_there_are(self, solve: Callable[..., Any]) -> None:
        there = obligation(
            "O1", "shop.cart", verb="validate", validation="tests/test_till.py::test_count"
        )
        missing = {**there, "id": "O2", "validation": "tests/test_till.py::test_nothing"}
        assert solve(there)["order"] == ["O1"]
        violations = solve(there, missing)["error"]["violations"]
        assert [(each["code"], each["subject"]) for each in violations] == [
            ("UNDEFINED_TEST", "O2")
        ]

    def test_a_test_that_does_not_name_what_it_tests_need_not_be_edited(
        self, solve: Callable[..., Any], shop: Path
    ) -> None:
        """It gets it from a fixture, which is broken instead."""
        write(
            shop,
            {
                "tests/conftest.py": (
                    "import pytest\nfrom shop.cart import Gift\n\n\n@pytest.fixture\n"
                    "def gift():\n    return Gift([])\n"
                ),
                "tests/test_gift.py": "def test_gift(gift):\n    assert gift is not None\n",
            },
        )
        change = obligation("O1", "shop.cart.Gift", cause="rename to Present")
        reached = {entity for _, entity, _ in broken(solve(change))}
        assert "tests.conftest.gift" in reached
        assert "tests.test_gift.test_gift" not in reached


class TestAlternatives:
    def test_they_are_ranked_by_words_and_edges(self, solve: Callable[..., Any]) -> None:
        change = obligation("O1", "shop.cart.Cart.total", cause="default changed")
        others = [
            obligation("O2", "shop.till.pay", cause="instead", status="alternative"),
            obligation("O3", "shop.cart.Cart.count", cause="instead", status="alternative"),
        ]
        scores = solve(change, *others)["branch_scores"]
        assert set(scores) == {"O2", "O3"}
        assert 0 < scores["O3"] <= 1
        assert 0 < scores["O2"] <= 1


class TestOptions:
    def test_it_stands_for_recon(self, run: Run, shop: Path, tmp_path: Path) -> None:
        path = str(EXAMPLES / "session-timeout.plan.json")
        result = run("solve", path, "--repo", shop, "--recon", tmp_path / "x.db", "--json")
        assert (result.status, result.document()["error"]["code"]) == (2, "OPTION_INVALID")

    def test_no_such_directory(self, run: Run, tmp_path: Path) -> None:
        path = str(EXAMPLES / "session-timeout.plan.json")
        result = run("solve", path, "--repo", tmp_path / "nowhere", "--json")
        assert (result.status, result.document()["error"]["code"]) == (
            2,
            "REPOSITORY_UNREADABLE",
        )

    def test_with_a_time_limit(self, solve: Callable[..., Any]) -> None:
        assert broken(solve(COUNT, options=("--time-limit", "60"))) == broken(solve(COUNT))

    def test_twice_the_same(self, solve: Callable[..., Any]) -> None:
        test = mends("O2", "tests.test_till.test_count")
        assert solve(COUNT, test) == solve(COUNT, test)

    def test_in_process(self, shop: Path) -> None:
        import plan07

        record = {**COUNT, "target_entity": "Cart.count"}
        with pytest.raises(plan07.PlanRefused) as caught:
            plan07.solve({"obligations": [record]}, repo=shop)
        assert caught.value.violations[0].detail["entity"] == "tests.test_till.test_count"

    def test_without_it_nothing_of_it_is_loaded(self) -> None:
        """`solve` costs what it did before."""
        path = str(EXAMPLES / "session-timeout.plan.json")
        code = (
            "import sys\nfrom plan07.cli import main\n"
            f"try: main(['solve', {path!r}])\nexcept SystemExit: pass\n"
            "print(*sorted(sys.modules), file=sys.stderr)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ},
        )
        loaded = set(done.stderr.split())
        assert "plan07.solver" in loaded
        found = {each for each in loaded if each.startswith(("plan07.impact", "plan07.recon"))}
        assert found | ({"sqlite3", "subprocess"} & loaded) == set()
