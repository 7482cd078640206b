"""The shapes of localization and context documents; telling formats apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from plan07.errors import InputError
from plan07.formats import documents

ITEM = {"path": "a.py", "start_line": 3, "end_line": 4, "entity": "a.f", "score": 0.5, "why": "so"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"schema": "plan07.impact/1"}, "impact"),
        ({"schema": "plan07.impact/9"}, "impact"),
        ({"schema": "plan07.localization/1"}, "localization"),
        ({"schema": "plan07.context/1"}, "context"),
        ({"runs": []}, "sarif"),
        ({"$schema": "https://x/Sarif-2.1.0.json"}, "sarif"),
        ({"generalDiagnostics": []}, "pyright"),
        ({"schema": 3}, None),
        ({}, None),
        ([], None),
        (None, None),
    ],
    ids=str,
)
def test_which_format_a_document_claims_to_be(value: Any, expected: str | None) -> None:
    assert documents.kind_of(value) == expected


def found(kind: str, value: Any) -> list[str]:
    findings, total = documents.faults(kind, value, json.dumps(value), "f")
    assert total == len(findings)
    return [each.message for each in findings]


@pytest.mark.parametrize("kind", ["localization", "context"])
class TestOurs:
    def document(self, kind: str, **changes: Any) -> dict[str, Any]:
        item = {name: each for name, each in {**ITEM, **changes}.items() if each != "left out"}
        return {"schema": f"plan07.{kind}/1", "items": [item]}

    @pytest.mark.parametrize(
        "changes",
        [
            {},
            {"entity": None},
            {"entity": "left out"},
            {"why": "left out"},
            {"end_line": 3},
            {"score": 1},
        ],
        ids=str,
    )
    def test_what_is_right(self, kind: str, changes: dict[str, Any]) -> None:
        assert found(kind, self.document(kind, **changes)) == []

    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            (
                {"path": "/a.py"},
                "f:1:{column}: items[0].path: path should be relative and stay in the",
            ),
            (
                {"path": "a/./b"},
                "f:1:{column}: items[0].path: path should be relative and stay in the",
            ),
            ({"path": ""}, "f:1:{column}: items[0].path: string should have at least 1 character"),
            ({"start_line": 0}, "f:1:{column}: items[0].start_line: input should be greater than"),
            ({"end_line": 2}, "f:1:{column}: items[0].end_line: 2 comes before start_line 3"),
            (
                {"score": 1.5},
                "f:1:{column}: items[0].score: input should be less than or equal to 1",
            ),
            ({"score": "left out"}, "f:1:{column}: items[0].score: field required"),
            ({"more": 1}, "f:1:{column}: items[0].more: extra inputs are not permitted"),
        ],
        ids=str,
    )
    def test_what_is_wrong(self, kind: str, changes: dict[str, Any], said: str) -> None:
        value = self.document(kind, **changes)
        (name,) = changes
        text = json.dumps(value)
        at = text.find(f'"{name}": ')
        column = (at + len(name) + 5) if at >= 0 else text.index('{"path"') + 1
        (message,) = found(kind, value)
        assert message.startswith(said.format(column=column))

    def test_another_version(self, kind: str) -> None:
        value = {"schema": f"plan07.{kind}/2", "items": []}
        assert found(kind, value)[0].startswith(
            f"f:1:12: schema: input should be 'plan07.{kind}/1'"
        )

    def test_all_faults_in_the_order_of_the_file(self, kind: str) -> None:
        value = self.document(kind, score=2, path="/x")
        value["items"].append({})
        text = json.dumps(value, indent=1)
        findings, _ = documents.faults(kind, value, text, "f")
        places = [(each.detail["line"], each.detail["column"]) for each in findings]
        assert places == sorted(places)
        assert len(findings) == 6


def test_read_raises_every_fault(tmp_path: Path) -> None:
    place = tmp_path / "x.json"
    place.write_text(json.dumps({"schema": "plan07.context/1", "items": [{}]}), "utf-8")
    with pytest.raises(InputError) as caught:
        documents.read(str(place), "context")
    assert caught.value.code == "CONTEXT_INVALID"
    assert caught.value.detail == {"source": str(place), "faults": 4}
    assert len(caught.value.violations) == 4
    assert caught.value.message.endswith("items[0].path: field required and 3 more")
