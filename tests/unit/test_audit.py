"""Which rows of an audit tell of changes that landed (S-000-093, S-000-095, T20)."""

from __future__ import annotations

from typing import Any

from plan07.audit import landed, numbered

TIME = "2026-01-01T00:00:00Z"


def change(seq: int, before: str, after: str, **more: Any) -> dict[str, Any]:
    return {"seq": seq, "event": "pass", "before": before, "after": after, **more}


FIRST, SECOND = change(1, "", "A"), change(2, "A", "B")
NOTE = {"seq": 3, "event": "edit"}


def test_the_plan_is_what_the_last_change_made_it() -> None:
    assert landed([FIRST, SECOND, NOTE], "B") == ([FIRST, SECOND, NOTE], "same")


def test_a_change_whose_plan_was_never_written_did_not_land() -> None:
    assert landed([FIRST, SECOND], "A") == ([FIRST], "same")


def test_all_rows_of_such_a_change_are_left_out() -> None:
    rows = [FIRST, change(2, "A", "B"), change(3, "A", "B")]
    assert landed(rows, "A") == ([FIRST], "same")


def test_an_older_plan_is_known_for_one() -> None:
    rows = [FIRST, SECOND, change(3, "B", "C")]
    assert landed(rows, "A") == (rows, "older")


def test_a_plan_that_nothing_made_was_edited() -> None:
    assert landed([FIRST, SECOND], "X") == ([FIRST, SECOND], "edited")


def test_without_changes_any_plan_will_do() -> None:
    assert landed([], "X") == ([], "same")
    assert landed([NOTE], "X") == ([NOTE], "same")


def test_void_rows_are_left_out_for_good() -> None:
    rows = [FIRST, SECOND, {"seq": 3, "event": "void", "of": [2]}, change(4, "A", "C")]
    assert landed(rows, "C") == ([FIRST, rows[3]], "same")


class TestNumbering:
    def test_rows_go_on_counting_and_carry_time_and_digests(self) -> None:
        digests = {"before": "B", "after": "C"}
        found = numbered(
            [FIRST, SECOND], [{"event": "fail"}, {"event": "replanned"}], digests, TIME
        )
        assert found == [
            {"seq": 3, "time": TIME, "event": "fail", **digests},
            {"seq": 4, "time": TIME, "event": "replanned", **digests},
        ]

    def test_rows_that_change_nothing_carry_no_digest(self) -> None:
        assert numbered([], [{"event": "edit"}], {}, TIME) == [
            {"seq": 1, "time": TIME, "event": "edit"}
        ]

    def test_what_did_not_land_is_made_void_first(self) -> None:
        digests = {"before": "A", "after": "C"}
        found = numbered([FIRST, SECOND], [{"event": "fail"}], digests, TIME)
        assert found == [
            {"seq": 3, "time": TIME, "event": "void", "of": [2]},
            {"seq": 4, "time": TIME, "event": "fail", **digests},
        ]

    def test_a_new_plan_where_one_was_begun_before(self) -> None:
        found = numbered([FIRST], [{"event": "created"}], {"before": "", "after": "B"}, TIME)
        assert [row["event"] for row in found] == ["void", "created"]
