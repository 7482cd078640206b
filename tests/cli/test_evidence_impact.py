"""`plan07 evidence impact`: whom a change reaches in a real repository."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gitrepo import commit, git, write
from recondb import build
from support import obligation, plan

Run = Callable[..., Any]

FILES: dict[str, str | None] = {
    ".gitignore": "build/\n",
    "shop/__init__.py": "from .cart import Cart as Cart\n",
    "shop/cart.py": (
        "class Cart:\n"
        '    """What a customer wants."""\n'
        "\n"
        "    def total(self, rate, rounded=True):\n"
        "        found = sum(self.items) * rate\n"
        "        return round(found, 2) if rounded else found\n"
        "\n"
        "\n"
        "class Gift(Cart):\n"
        "    def total(self, rate, rounded=True):\n"
        "        return 0\n"
    ),
    "shop/till.py": (
        "from .cart import Cart\n"
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
        "def main(cart: Cart):\n"
        "    return pay(cart)\n"
    ),
    "tests/test_till.py": (
        "from shop.cart import Cart\n"
        "from shop.till import pay\n"
        "\n"
        "\n"
        "def test_pay():\n"
        "    assert pay(Cart()) == 0\n"
    ),
    "CHANGES.md": "# Changes\n",
}


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("PLAN07_HOME", raising=False)
    commit(tmp_path / "shop", FILES)
    return tmp_path / "shop"


def edges(document: dict[str, Any], *fields: str) -> list[tuple[Any, ...]]:
    return [tuple(each.get(field) for field in fields) for each in document["edges"]]


HOME = "build/07-task-decomposition-planning"


class TestSeed:
    def test_callers_with_file_and_line(self, run: Run, shop: Path) -> None:
        result = run("evidence", "impact", shop, "--seed", "shop.cart.Cart.total=rename")
        assert result.status == 0
        assert result.err == ""
        head, _, columns, *rest = result.out.split("\n")
        assert head.startswith("1 change reaches ")
        assert columns.split() == [
            *("hop", "strength", "order", "sure", "found", "entity", "at", "because")
        ]
        cells = [line.split() for line in rest]
        because = ["shop.cart.Cart.total", "(rename)"]
        assert [
            *("1", "must", "split", "0.87", "typed", "shop.till.pay", "shop/till.py:5"),
            *("CalledBy", *because),
        ] in cells
        assert [
            *("1", "must", "split", "1.00", "exact", "shop.cart.Gift.total", "shop/cart.py:10"),
            *("OverriddenBy", *because),
        ] in cells
        assert result.out.endswith(f"written to {shop / HOME / 'impact.json'}\n")

    def test_the_file_is_what_json_prints(self, run: Run, shop: Path) -> None:
        arguments = ("evidence", "impact", shop, "--seed", "Cart.total=rename", "--json")
        result = run(*arguments)
        assert (shop / HOME / "impact.json").read_text("utf-8") == result.out
        assert result.document()["commit"] == git(shop, "rev-parse", "HEAD")
        assert run(*arguments).out == result.out

    def test_a_parameter_spares_who_does_not_pass_it(self, run: Run, shop: Path) -> None:
        seed = "shop.cart.Cart.total=param_removed:rounded"
        document = run("evidence", "impact", shop, "--seed", seed, "--json").document()
        called = [to for to, cause in edges(document, "to", "cause") if cause == "CalledBy"]
        assert called == ["shop.till.estimate"]

    def test_another_place(self, run: Run, shop: Path, tmp_path: Path) -> None:
        place = tmp_path / "deep" / "er" / "mine.json"
        run("evidence", "impact", shop, "--seed", "Cart.total=rename", "-o", place)
        assert json.loads(place.read_text("utf-8"))["schema"] == "plan07.impact/1"
        assert not (shop / HOME / "impact.json").exists()

    def test_the_home_is_where_the_environment_says(
        self, run: Run, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PLAN07_HOME", str(tmp_path / "home"))
        run("evidence", "impact", shop, "--seed", "Cart.total=rename")
        names = {each.name for each in (tmp_path / "home").iterdir()}
        assert {"impact.json", "recon.db"} <= names
        assert not (shop / "build").exists()

    def test_uncommitted_edits_count(self, run: Run, shop: Path) -> None:
        write(shop, {"shop/new.py": "from shop.till import pay\n\n\ndef again(c):\n    pay(c)\n"})
        document = run("evidence", "impact", shop, "--seed", "till.pay=rename", "--json").document()
        assert "shop.new.again" in [to for (to,) in edges(document, "to")]

    def test_a_recon_db_as_it_is(self, run: Run, tmp_path: Path) -> None:
        path = build(
            tmp_path / "recon.db", {"a": "function", "b": "function"}, [("b", "calls", "a")]
        )
        place = tmp_path / "impact.json"
        result = run(
            *("evidence", "impact", "--recon", path, "--seed", "a=rename", "-o", place, "--json")
        )
        assert edges(result.document(), "from", "to") == [("a", "b")]

    def test_rules_of_ones_own(self, run: Run, shop: Path, tmp_path: Path) -> None:
        """impact.lp is the table; users edit it."""
        (tmp_path / "rules").mkdir()
        (tmp_path / "rules" / "mine.lp").write_text(
            "% Stage: impact\neffect(rewritten, calls, must, together, 990).\n"
        )
        arguments = ("evidence", "impact", shop, "--seed", "Cart.total=rewritten", "--json")
        assert run(*arguments).status == 2
        found = run(*arguments, "--rules", tmp_path / "rules").document()
        assert ("shop.till.pay", "must", "split") in edges(found, "to", "strength", "order")
        found = run(*arguments, "--rules", tmp_path / "rules", "--limit", "min_confidence=999")
        assert found.document()["edges"] == []


CART = FILES["shop/cart.py"] or ""


class TestDiff:
    def seeds(self, document: dict[str, Any]) -> list[tuple[str, str]]:
        return [(each["entity"], each["change"]) for each in document["seeds"]]

    def test_what_was_deleted_is_looked_for_where_it_was(self, run: Run, shop: Path) -> None:
        commit(shop, {"shop/cart.py": CART.replace("def total", "def sum_of", 1)})
        document = run("evidence", "impact", shop, "--diff", "HEAD~1..HEAD", "--json").document()
        assert self.seeds(document) == [("shop.cart.Cart.total", "rename")]
        assert document["seeds"][0]["detail"] == {"to": "shop.cart.Cart.sum_of"}
        assert document["seeds"][0]["origin"] == "diff"
        assert ("shop.till.pay", "must", "split") in edges(document, "to", "strength", "order")

    def test_signatures_are_compared_up_to_the_working_tree(self, run: Run, shop: Path) -> None:
        write(shop, {"shop/cart.py": CART.replace("rounded=True", "rounded=False", 1)})
        document = run("evidence", "impact", shop, "--diff", "HEAD", "--json").document()
        assert self.seeds(document) == [("shop.cart.Cart.total", "default_changed")]
        assert document["seeds"][0]["detail"] == {"param": "rounded", "default": "False"}
        called = [to for to, cause in edges(document, "to", "cause") if cause == "CalledBy"]
        assert "shop.till.pay" in called
        assert "shop.till.estimate" not in called

    def test_a_file_that_moved(self, run: Run, shop: Path) -> None:
        commit(shop, {"shop/cart.py": None, "shop/basket.py": CART})
        document = run("evidence", "impact", shop, "--diff", "HEAD~1..", "--json").document()
        assert ("shop.cart", "rename") in self.seeds(document)
        within = {each["entity"]: each["detail"].get("within") for each in document["seeds"]}
        assert within["shop.cart.Cart"] == "shop.cart"
        assert ("shop.cart.Cart", "shop.till") in edges(document, "from", "to")

    def test_a_new_override(self, run: Run, shop: Path) -> None:
        more = (
            CART + "\n\nclass Box(Cart):\n    def total(self, rate, rounded=True):\n        pass\n"
        )
        commit(shop, {"shop/cart.py": CART + "\n\nclass Box(Cart):\n    size = 1\n"})
        commit(shop, {"shop/cart.py": more})
        document = run("evidence", "impact", shop, "--diff", "HEAD~1..HEAD", "--json").document()
        assert ("shop.cart.Box.total", "override_added") in self.seeds(document)
        assert ("shop.cart.Box.total", "shop.till.pay", "check") in edges(
            document, "from", "to", "strength"
        )

    def test_nothing_changed(self, run: Run, shop: Path) -> None:
        document = run("evidence", "impact", shop, "--diff", "HEAD", "--json").document()
        assert (document["seeds"], document["edges"]) == ([], [])
        assert run("evidence", "impact", shop, "--diff", "HEAD").out == (
            "0 changes reach 0 entities in 0 ways: 0 must, 0 should, 0 check, 0 revalidate\n\n"
            f"written to {shop / HOME / 'impact.json'}\n"
        )

    def test_the_repository_stays_as_it_was(self, run: Run, shop: Path) -> None:
        write(shop, {"shop/cart.py": CART + "# edited\n"})
        before = git(shop, "status", "--porcelain")
        listed = sorted(each.name for each in (shop / ".git").iterdir())
        run("evidence", "impact", shop, "--diff", "HEAD")
        assert git(shop, "status", "--porcelain") == before
        assert sorted(each.name for each in (shop / ".git").iterdir()) == listed


class TestPlan:
    def test_targets_and_their_words(self, run: Run, shop: Path, tmp_path: Path) -> None:
        path = tmp_path / "plan.json"
        records = [
            obligation("O1", "shop.cart.Cart.total", cause="rename it to sum_of"),
            obligation("O2", "shop.till.nowhere", cause="rename"),
            obligation("O3", "shop.till.pay", verb="validate"),
        ]
        path.write_text(json.dumps(plan(*records)))
        document = run("evidence", "impact", shop, "--plan", path, "--json").document()
        assert [(each["entity"], each["change"], each["origin"]) for each in document["seeds"]] == [
            ("shop.cart.Cart.total", "rename", "request")
        ]
        assert {"entity": "shop.till.nowhere", "grounding": "unresolved"} in document["unknown"]

    def test_a_parameter_that_the_words_name(self, run: Run, shop: Path, tmp_path: Path) -> None:
        path = tmp_path / "plan.json"
        record = obligation("O1", "Cart.total", cause="removed parameter `rounded`")
        path.write_text(json.dumps(plan(record)))
        document = run("evidence", "impact", shop, "--plan", path, "--json").document()
        assert document["seeds"][0]["change"] == "param_removed"
        assert document["seeds"][0]["detail"] == {"param": "rounded"}

    def test_the_goal_ranks(self, run: Run, shop: Path, tmp_path: Path) -> None:
        path = tmp_path / "plan.json"
        requirement = {
            "goal": "estimate first",
            "acceptance_criteria": ["it does"],
            "constraints": [],
        }
        record = obligation("O1", "Cart.total", cause="rename")
        path.write_text(json.dumps(plan(record, requirement=requirement)))
        document = run("evidence", "impact", shop, "--plan", path, "--json").document()
        best = max(document["soft"], key=lambda each: each["lex"])
        assert best["entity"] == "shop.till.estimate"


class TestRefused:
    @pytest.mark.parametrize(
        ("arguments", "code", "named"),
        [
            ((), "SEED_MISSING", "--seed"),
            (("--seed", "nonsense"), "SEED_INVALID", "nonsense"),
            (("--seed", "shop.cart.Cart.sum=rename"), "ENTITY_UNKNOWN", "shop.cart.Cart.sum"),
            (("--seed", "a\udcff=rename"), "ENTITY_UNKNOWN", r"a\udcff"),
            (("--seed", "total=rename"), "ENTITY_AMBIGUOUS", "shop.cart.Gift.total"),
            (("--seed", "Cart.total=renamed"), "CHANGE_UNKNOWN", "renamed"),
            (("--diff", "nowhere"), "REVISION_UNKNOWN", "nowhere"),
            (("--diff", "HEAD", "--recon", "x"), "USAGE", "--recon"),
            (("--seed", "a=body", "--recon", "/nowhere"), "FILE_UNREADABLE", "/nowhere"),
            (("--plan", "/nowhere"), "FILE_UNREADABLE", "/nowhere"),
        ],
    )
    def test_what_cannot_be_done(
        self, run: Run, shop: Path, arguments: tuple[str, ...], code: str, named: str
    ) -> None:
        result = run("evidence", "impact", shop, *arguments, "--json")
        assert result.status == 2
        error = result.document()["error"]
        assert error["code"] == code
        assert named in error["message"] + error["fix"]
        assert not (shop / HOME / "impact.json").exists()

    def test_no_repository(self, run: Run, tmp_path: Path) -> None:
        result = run("evidence", "impact", tmp_path / "nowhere", "--seed", "a=body", "--json")
        assert (result.status, result.document()["error"]["code"]) == (
            2,
            "REPOSITORY_UNREADABLE",
        )

    def test_a_place_that_cannot_be_written(self, run: Run, shop: Path) -> None:
        place = shop / ".gitignore" / "impact.json"
        result = run(
            *("evidence", "impact", shop, "--seed", "Cart.total=rename", "-o", place, "--json")
        )
        assert result.document()["error"]["code"] == "FILE_UNWRITABLE"


class TestLimits:
    """Two numbers of limits.lp that no rule reads: the reader of evidence does."""

    @pytest.fixture
    def crowd(self, tmp_path: Path) -> str:
        """A function with four callers, one of which has three."""
        callers = [f"caller_{number}" for number in range(1, 5)]
        far = [f"far_{number}" for number in range(1, 4)]
        return build(
            tmp_path / "recon.db",
            dict.fromkeys(["hub", *callers, *far], "function"),
            [
                *((caller, "calls", "hub") for caller in callers),
                *((each, "calls", "caller_1") for each in far),
            ],
        )

    @pytest.mark.parametrize(
        ("limit", "callers", "far", "truncated"),
        [
            ("max_dependents=64", 4, 3, []),
            ("max_dependents=4", 4, 3, []),
            ("max_dependents=3", 3, 3, [("hub", 3, 4)]),
            ("max_dependents=1", 1, 1, [("caller_1", 1, 3), ("hub", 1, 4)]),
            ("max_impact_edges=7", 4, 3, []),
            ("max_impact_edges=5", 4, 1, [("caller_1", 1, 3)]),
            ("max_impact_edges=2", 2, 0, [("caller_1", 0, 3), ("hub", 2, 4)]),
        ],
    )
    def test_so_many_dependents_are_read(
        self,
        run: Run,
        crowd: str,
        limit: str,
        callers: int,
        far: int,
        truncated: list[tuple[str, int, int]],
    ) -> None:
        """`max_dependents` of one entity by one relation; `max_impact_edges` in all.

        Of those that are equally sure the first; how many there are is told.
        """
        seed = ("--seed", "hub=rename", "--recon", crowd)
        found = run("evidence", "impact", *seed, "--limit", limit, "--json").document()
        assert [to for (to,) in edges(found, "to")] == [
            *(f"caller_{number}" for number in range(1, callers + 1)),
            *(f"far_{number}" for number in range(1, far + 1)),
        ]
        told = [(each["entity"], each["kept"], each["total"]) for each in found["truncated"]]
        assert told == truncated
