"""`plan07 evidence check`, `export`, `localize`, `context`, and what an index.scip answers."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import recondb
from coveragefile import MONEY, TEST, record
from support import EXAMPLES

from plan07.formats import lines

Run = Callable[..., Any]

SHOP = Path(__file__).resolve().parents[1] / "encoders" / "shop"
IMPACT = str(EXAMPLES / "cases" / "click-rename.impact.json")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Results go beside the repository, not into it."""
    monkeypatch.setenv("PLAN07_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def shop(tmp_path: Path) -> str:
    """A TypeScript project with the index of scip-typescript."""
    return str(shutil.copytree(SHOP, tmp_path / "shop"))


@pytest.fixture
def failing(tmp_path: Path) -> str:
    """A Python project with coverage and a test that failed."""
    root = tmp_path / "money"
    for path, text in {"src/money.py": MONEY, "tests/test_money.py": TEST}.items():
        (root / path).parent.mkdir(parents=True)
        (root / path).write_text(text, "utf-8")
    ran = {
        "tests/test_money.py::test_tax|run": {"src/money.py": [8, 13]},
        "tests/test_money.py::TestItem::test_price|run": {"src/money.py": [19, 8, 13]},
    }
    record(root, ran)
    (root / "junit.xml").write_text(
        '<testsuite><testcase classname="tests.test_money" name="test_tax"/>'
        '<testcase classname="tests.test_money.TestItem" name="test_price"><failure/></testcase>'
        "</testsuite>",
        "utf-8",
    )
    return str(root)


class TestIndexOfAnotherLanguage:
    def test_it_answers_who_depends_on_an_entity(self, run: Run, shop: str) -> None:
        """Show 3 of the evidence: an index made by the public TypeScript indexer."""
        result = run("evidence", "show", "Item.price", "--repo", shop)
        assert (result.status, result.err) == (0, "")
        assert result.out == (
            "method src.item.Item.price(): number\n"
            "  src/item.ts:19\n"
            "\n"
            "relation   dependent            sure        where\n"
            "calls      src.cart.Cart.total  typed 0.95  src/cart.ts:22\n"
            "calls      src.item.Book.price  typed 0.95  src/item.ts:30\n"
            "overrides  src.item.Book.price  exact 1.00  src/item.ts:29\n"
        )

    @pytest.mark.parametrize("name", ["src/item.ts::Item", "src.cart.Book", "item.Book"])
    def test_names_that_people_write(self, run: Run, shop: str, name: str) -> None:
        assert run("evidence", "show", name, "--repo", shop).status == 0

    def test_a_broken_index_is_told_and_stops_nothing(self, run: Run, shop: str) -> None:
        place = Path(shop) / "index.scip"
        place.write_bytes(place.read_bytes()[:3000])
        result = run("evidence", "build", shop, "--json")
        assert result.status == 0
        (note,) = [each for each in result.document()["notes"] if each["code"] == "SCIP_INVALID"]
        assert "byte " in note["message"]

    def test_what_is_built_is_right_by_the_check(self, run: Run, shop: str, home: Path) -> None:
        run("evidence", "build", shop)
        result = run("evidence", "check", home / "recon.db")
        assert (result.status, result.out.split()[-1]) == (0, "recon.db")


class TestCheck:
    def test_files_that_are_right(self, run: Run) -> None:
        result = run("evidence", "check", IMPACT)
        assert (result.status, result.err) == (0, "")
        assert result.out.splitlines()[1].split() == [IMPACT, "impact"]
        assert run("evidence", "check", IMPACT, "--json").document() == {
            "files": [{"path": IMPACT, "format": "impact"}]
        }

    def test_every_fault_of_every_file_at_once(self, run: Run, tmp_path: Path) -> None:
        impact, jsonl = tmp_path / "impact.json", tmp_path / "recon.jsonl"
        impact.write_text(
            '{"schema": "plan07.impact/1",\n "edges": [{"from": "a", "cause": "b c"}]}', "utf-8"
        )
        jsonl.write_text('{"t": "node"}\n{"t": "edge"}\n', "utf-8")
        result = run("evidence", "check", IMPACT, impact, jsonl)
        assert (result.status, result.out) == (1, "")
        told = [line for line in result.err.splitlines() if not line.startswith("  fix: ")]
        assert told == [
            f"plan07: IMPACT_INVALID: {impact}:2:12: edges[0].to: field required",
            f"plan07: IMPACT_INVALID: {impact}:2:35: edges[0].cause: string should match pattern "
            "'^[A-Za-z][A-Za-z0-9_]*$', not 'b c'",
            f"plan07: JSONL_INVALID: {jsonl}:1: fqn: field required",
            f"plan07: JSONL_INVALID: {jsonl}:1: kind: field required",
            f"plan07: JSONL_INVALID: {jsonl}:2: src: field required",
            f"plan07: JSONL_INVALID: {jsonl}:2: kind: field required",
            f"plan07: JSONL_INVALID: {jsonl}:2: dst: field required",
        ]

    def test_the_document_of_a_refusal(self, run: Run, tmp_path: Path) -> None:
        place = tmp_path / "x.jsonl"
        place.write_text('{"t": "node", "fqn": "a", "kind": "class", "line": 0}', "utf-8")
        result = run("evidence", "check", place, "--json")
        error = result.document()["error"]
        assert (result.status, error["code"], error["phase"]) == (1, "EVIDENCE_INVALID", "evidence")
        assert error["detail"] == {"files": [str(place)], "faults": 1}
        assert error["violations"][0]["detail"]["line"] == 1

    @pytest.mark.parametrize(
        ("name", "data", "code"),
        [
            ("x.json", b"{", "JSON_INVALID"),
            ("x.json", b"{}", "FORMAT_UNKNOWN"),
            ("x.json", b'{"schema": "plan07.context/1"}', "CONTEXT_INVALID"),
            ("x.sarif", b'{"version": "1.0", "runs": []}', "SARIF_INVALID"),
            ("x.json", b'{"generalDiagnostics": 3}', "PYRIGHT_INVALID"),
            ("x.db", b"no database", "RECON_INVALID"),
            ("x.db", b"SQLite format 3\0" + b"\xff" * 90, "RECON_INVALID"),
        ],
    )
    def test_files_that_are_wrong(
        self, run: Run, tmp_path: Path, name: str, data: bytes, code: str
    ) -> None:
        place = tmp_path / name
        place.write_bytes(data)
        result = run("evidence", "check", place)
        assert result.status == 1
        assert result.err.startswith(f"plan07: {code}: {place}")

    def test_nothing_at_all(self, run: Run) -> None:
        """It is evidence that is missing, and no plan."""
        result = run("evidence", "check", "-", stdin=b"\n")
        assert (result.status, result.err.splitlines()) == (
            1,
            [
                "plan07: JSON_INVALID: standard input:1:1: it is empty",
                "  fix: give one of recon.db, JSON Lines of it, impact, localization, context, "
                "SARIF, pyright",
            ],
        )

    def test_standard_input(self, run: Run) -> None:
        result = run("evidence", "check", "-", stdin=Path(IMPACT).read_bytes())
        assert (result.status, result.out.splitlines()[1].split()[-1]) == (0, "impact")

    def test_a_file_that_cannot_be_read(self, run: Run, tmp_path: Path) -> None:
        result = run("evidence", "check", IMPACT, tmp_path / "gone", "--json")
        assert (result.status, result.document()["error"]["code"]) == (2, "FILE_UNREADABLE")

    def test_a_recon_db(self, run: Run, tmp_path: Path) -> None:
        path = recondb.build(tmp_path / "r.db", {"a": "module"}, [("a", "sees", "a")])
        result = run("evidence", "check", path)
        assert result.status == 1
        assert result.err.splitlines()[0] == (
            f'plan07: RECON_INVALID: {path}:edges.kind["1 sees 1"]: "sees" is none of the format'
        )


class TestExport:
    def test_what_comes_out_goes_in(self, run: Run, shop: str, tmp_path: Path) -> None:
        """A harness without SCIP has the same evidence from the lines alone."""
        first = run("evidence", "export", "--repo", shop)
        assert first.status == 0
        other = tmp_path / "other"
        other.mkdir()
        for each in ("src", "test"):
            shutil.copytree(Path(shop) / each, other / each)
        (other / "recon.jsonl").write_text(first.out, "utf-8")
        shown = [
            run("evidence", "show", "Item.price", "--repo", root, "--json").document()
            for root in (shop, str(other))
        ]
        assert shown[0] == shown[1]
        assert len(shown[0]["dependents"]) == 3

    def test_when_and_where_it_was_built_is_no_part_of_it(self, run: Run, shop: str) -> None:
        result = run("evidence", "export", "--repo", shop)
        rows = [json.loads(line) for line in result.out.splitlines()]
        keys = {row["key"] for row in rows if row["t"] == "meta"}
        assert keys == {"commit", "dirty", "encoders", "schema", "source_roots"}
        assert shop not in result.out

    def test_into_a_file(self, run: Run, shop: str, tmp_path: Path) -> None:
        target = tmp_path / "deep" / "out.jsonl"
        result = run("evidence", "export", "--repo", shop, "-o", target)
        assert (result.status, result.out) == (0, "")
        data = target.read_bytes()
        assert run("evidence", "export", "--repo", shop).out.encode() == data
        found = list(lines.read(io.BytesIO(data), "f"))
        assert all(isinstance(each, lines.Line) for each in found)
        assert run("evidence", "check", target).status == 0

    def test_no_database(self, run: Run, tmp_path: Path) -> None:
        result = run("evidence", "export", tmp_path / "gone.db")
        assert (result.status, result.out) == (2, "")
        assert result.err.startswith("plan07: FILE_UNREADABLE: ")


class TestLocalize:
    def test_from_coverage_and_results(self, run: Run, failing: str, home: Path) -> None:
        result = run("evidence", "localize", "--repo", failing)
        assert (result.status, result.err) == (0, "")
        assert [line.split()[:3] for line in result.out.splitlines()[2:]] == [
            ["score", "entity", "where"],
            ["1.00", "money.Item.price", "src/money.py:19"],
            ["0.71", "money.tax", "src/money.py:8-13"],
        ]
        document = json.loads((home / "localization.json").read_text("utf-8"))
        assert document["schema"] == "plan07.localization/1"
        assert [each["score"] for each in document["items"]] == [1.0, 0.7071]
        assert run("evidence", "check", home / "localization.json").status == 0

    def test_files_of_several_origins(self, run: Run, failing: str, tmp_path: Path) -> None:
        spot = {"artifactLocation": {"uri": "src/money.py"}, "region": {"startLine": 13}}
        sarif = {
            "version": "2.1.0",
            "runs": [
                {
                    "tool": {"driver": {"name": "lint"}},
                    "results": [{"ruleId": "R1", "locations": [{"physicalLocation": spot}]}],
                }
            ],
        }
        (tmp_path / "x.sarif").write_text(json.dumps(sarif), "utf-8")
        (tmp_path / "out.txt").write_text('File "src/money.py", line 13, in tax', "utf-8")
        result = run(
            *("evidence", "localize", tmp_path / "x.sarif", tmp_path / "out.txt"),
            *("--repo", failing, "--json"),
        )
        assert result.document()["items"] == [
            {
                "path": "src/money.py",
                "start_line": 13,
                "end_line": 13,
                "entity": "money.tax",
                "score": 0.88,
                "why": "in 1 traceback; R1: ",
            }
        ]

    def test_the_place_and_the_number_can_be_chosen(
        self, run: Run, failing: str, tmp_path: Path
    ) -> None:
        target = tmp_path / "mine.json"
        result = run("evidence", "localize", "--repo", failing, "--most", "1", "-o", target)
        assert result.out.splitlines()[0] == f"1 place, 1 more left out, written to {target}"
        assert json.loads(target.read_text("utf-8"))["truncated"] == 1

    def test_nothing_to_go_by(self, run: Run, shop: str) -> None:
        result = run("evidence", "localize", "--repo", shop, "--json")
        error = result.document()["error"]
        assert (result.status, error["code"], error["message"]) == (
            *(2, "LOCALIZATION_EMPTY"),
            f"no JUnit XML or .coverage in {shop} tells of a test that failed",
        )

    def test_what_is_wrong_with_a_file_is_a_note(self, run: Run, failing: str) -> None:
        (Path(failing) / "junit.xml").write_text("<project/>", "utf-8")
        result = run("evidence", "localize", "--repo", failing)
        assert result.status == 0
        assert "JUNIT_INVALID" in result.err


class TestContext:
    def test_of_an_entity(self, run: Run, shop: str, home: Path) -> None:
        result = run("evidence", "context", "Item.price", "--repo", shop, "--most", "4")
        assert (result.status, result.err) == (0, "")
        assert [line.split()[:3] for line in result.out.splitlines()[3:]] == [
            ["1.00", "src.item.Item.price", "src/item.ts:19-21"],
            ["0.50", "src.item.Book.price", "src/item.ts:29-31"],
            ["0.47", "src.cart.Cart.total", "src/cart.ts:21-23"],
            ["0.45", "src.item.Priced.price", "src/item.ts:9"],
        ]
        assert run("evidence", "check", home / "context.json").status == 0

    def test_of_suspects_and_of_what_a_change_reaches(
        self, run: Run, failing: str, home: Path, tmp_path: Path
    ) -> None:
        run("evidence", "localize", "--repo", failing)
        impact = {
            "schema": "plan07.impact/1",
            "edges": [{"from": "x", "to": "money.tax", "cause": "CalledBy", "confidence": 0.9}],
        }
        (tmp_path / "impact.json").write_text(json.dumps(impact), "utf-8")
        result = run(
            *("evidence", "context", "--localization", home / "localization.json"),
            *("--impact", tmp_path / "impact.json", "--repo", failing, "--json"),
        )
        found = {each["entity"]: each["why"] for each in result.document()["items"]}
        assert found["money.tax"] == "x CalledBy it"
        assert found["money.Item.price"].startswith("suspect: run by 1 of 1 failing")

    def test_of_a_text(self, run: Run, shop: str) -> None:
        result = run(
            "evidence", "context", "--query", "total of the cart", "--repo", shop, "--json"
        )
        assert result.document()["items"][0]["entity"] == "src.cart.Cart.total"

    @pytest.mark.parametrize(
        ("arguments", "code"),
        [
            ((), "USAGE"),
            (("price",), "ENTITY_AMBIGUOUS"),
            (("nothing",), "ENTITY_UNKNOWN"),
            (("--impact", "gone.json"), "FILE_UNREADABLE"),
            (("--localization", IMPACT), "LOCALIZATION_INVALID"),
        ],
        ids=["nothing", "several", "none", "no-file", "other-format"],
    )
    def test_refusals(self, run: Run, shop: str, arguments: tuple[str, ...], code: str) -> None:
        result = run("evidence", "context", *arguments, "--repo", shop, "--json")
        assert (result.status, result.document()["error"]["code"]) == (2, code)


@pytest.mark.parametrize("command", ["check", "export", "localize", "context"])
def test_help_has_an_example(run: Run, command: str) -> None:
    result = run("evidence", command, "--help")
    assert (result.status, "Example: plan07 evidence" in result.out) == (0, True)


def test_a_reader_of_another_package(tmp_path: Path, home: Path) -> None:
    """A third party adds a reader by an entry point, without a change of this project."""
    example = EXAMPLES / "reader"
    project = tomllib.loads((example / "pyproject.toml").read_text("utf-8"))["project"]
    site = tmp_path / "site"
    meta = site / "plan07_ctags-1.0.dist-info"
    meta.mkdir(parents=True)
    shutil.copy(example / "plan07_ctags.py", site)
    (meta / "METADATA").write_text("Metadata-Version: 2.1\nName: plan07-ctags\nVersion: 1.0\n")
    ((group, readers),) = project["entry-points"].items()
    rows = "".join(f"{name} = {place}\n" for name, place in readers.items())
    (meta / "entry_points.txt").write_text(f"[{group}]\n{rows}")
    repo = tmp_path / "repo"
    repo.mkdir()
    (repo / "cart.go").write_text("type Cart struct {}\n\nfunc (c Cart) Total() int { return 1 }\n")
    tags = [
        {"_type": "tag", "name": "Cart", "path": "cart.go", "line": 1, "kind": "struct"},
        {
            "_type": "tag",
            "name": "Total",
            "path": "cart.go",
            "line": 3,
            "kind": "func",
            "scope": "Cart",
        },
        {"_type": "tag", "name": "x", "path": "cart.go", "line": 3, "kind": "member"},
    ]
    (repo / "tags.jsonl").write_text("".join(json.dumps(tag) + "\n" for tag in tags))

    def plan07(*arguments: str, path: str = str(site)) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "plan07", "evidence", *arguments],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": path, "PLAN07_HOME": str(home)},
        )
        return done.stdout

    # Its absence and its arrival are noticed, though no file of the repository changes.
    assert json.loads(plan07("build", str(repo), "--json", path=""))["encoders"] == []
    again = json.loads(plan07("build", str(repo), "--json", path=""))
    assert (again["encoders"], again["fresh"]) == ([], False)
    assert json.loads(plan07("build", str(repo), "--json"))["encoders"] == ["ctags"]
    shown = plan07("show", "Cart.Total", "--repo", str(repo))
    assert shown.splitlines()[:2] == ["function Cart.Total", "  cart.go:3"]
    (repo / "tags.jsonl").write_text("no JSON\n")
    found = json.loads(plan07("build", str(repo), "--json"))
    assert [(each["code"], each["subject"]) for each in found["notes"]] == [
        ("READER_FAILED", "ctags"),
        ("LANGUAGE_NOT_READ", "go"),
    ]
    assert "the reader 'ctags' failed: JSONDecodeError: " in found["notes"][0]["message"]


def test_the_example_of_a_reader_is_short() -> None:
    """The README shows it whole."""
    text = (EXAMPLES / "reader" / "plan07_ctags.py").read_text("utf-8")
    assert len([line for line in text.splitlines() if line.strip()]) <= 20
