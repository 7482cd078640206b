"""Plan files: whole or not at all, one writer at a time (build spec 3.7; S-000-093, T20)."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from support import obligation

from plan07 import artifact, state
from plan07.errors import InputError, Plan07Error, PlanRefused
from plan07.evidence import Edge, Evidence, Grounding, Place, Relation
from plan07.state import SaveError, Store

TIME = "2026-01-01T00:00:00Z"


def plan(**more: Any) -> dict[str, Any]:
    found = artifact.new(
        "plan-20260101-0000",
        {"goal": "g", "acceptance_criteria": ["a"], "constraints": []},
        {"nodes": [{**obligation("O1"), "state": "pending"}], "branch_scores": {}},
    )
    return {**found, **more}


def begin(path: Path, **more: Any) -> tuple[Store, state.Stored]:
    store = Store(path)
    with store.locked():
        return store, store.save(None, plan(**more), [{"event": "created"}], TIME)


def revised(stored: state.Stored, text: str = "x") -> dict[str, Any]:
    return artifact.revised(stored.artifact, text, "O1", TIME)


def rows(store: Store) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(store.audit_path).read_text("utf-8").splitlines()]


class TestSaving:
    def test_what_is_saved_is_loaded(self, tmp_path: Path) -> None:
        store, stored = begin(tmp_path / "p.json")
        assert store.load() == stored
        with store.locked():
            after = store.save(stored, revised(stored), [{"event": "revised"}], TIME)
        assert store.load() == after
        assert [row["event"] for row in after.log] == ["created", "revised"]

    def test_each_transition_is_a_row_with_the_digests_around_it(self, tmp_path: Path) -> None:
        """S-000-095."""
        store, stored = begin(tmp_path / "p.json")
        with store.locked():
            after = store.save(stored, revised(stored), [{"event": "revised"}], TIME)
        assert rows(store) == [
            *({"seq": 1, "time": TIME, "event": "created", "before": "", "after": stored.digest},),
            *(
                {
                    "seq": 2,
                    "time": TIME,
                    "event": "revised",
                    "before": stored.digest,
                    "after": after.digest,
                },
            ),
        ]

    def test_a_note_changes_the_audit_only(self, tmp_path: Path) -> None:
        store, stored = begin(tmp_path / "p.json")
        before = (tmp_path / "p.json").read_bytes()
        with store.locked():
            after = store.note(stored, [{"event": "edit", "files": ["a"]}], TIME)
        assert (tmp_path / "p.json").read_bytes() == before
        assert store.load() == after

    def test_nothing_else_is_left_in_the_directory(self, tmp_path: Path) -> None:
        begin(tmp_path / "p.json")
        assert sorted(os.listdir(tmp_path)) == ["p.json", "p.json.audit.jsonl", "p.json.lock"]

    def test_the_mode_of_the_file_stays(self, tmp_path: Path) -> None:
        store, stored = begin(tmp_path / "p.json")
        os.chmod(store.path, 0o600)
        with store.locked():
            store.save(stored, revised(stored), [{"event": "revised"}], TIME)
        assert stat.S_IMODE(os.stat(store.path).st_mode) == 0o600

    def test_a_link_is_followed_and_stays_a_link(self, tmp_path: Path) -> None:
        store, stored = begin(tmp_path / "p.json")
        link = tmp_path / "link.json"
        link.symlink_to("p.json")
        through = Store(link)
        with through.locked():
            through.save(through.load(), revised(stored), [{"event": "revised"}], TIME)
        assert link.is_symlink() and artifact.revision(store.load().artifact) == 1

    def test_odd_names(self, tmp_path: Path) -> None:
        folder = tmp_path / "a b %41 ü"
        folder.mkdir()
        store, stored = begin(folder / "plan 'x'.json")
        assert store.load() == stored


class TestComparing:
    def test_a_file_that_changed_meanwhile_is_not_overwritten(self, tmp_path: Path) -> None:
        store, stored = begin(tmp_path / "p.json")
        with store.locked():
            other = store.save(stored, revised(stored, "other"), [{"event": "revised"}], TIME)
        with store.locked(), pytest.raises(PlanRefused) as caught:
            store.save(stored, revised(stored, "mine"), [{"event": "revised"}], TIME)
        assert (caught.value.code, caught.value.retryable) == ("PLAN_CHANGED", True)
        assert store.load() == other

    def test_a_new_plan_does_not_replace_one(self, tmp_path: Path) -> None:
        store, stored = begin(tmp_path / "p.json")
        with store.locked(), pytest.raises(PlanRefused):
            store.save(None, plan(), [{"event": "created"}], TIME)
        assert store.load() == stored

    def test_a_plan_that_is_too_large_leaves_the_file_as_it_was(self, tmp_path: Path) -> None:
        store, stored = begin(tmp_path / "p.json")
        large = {**stored.artifact, "nodes": stored.artifact["nodes"] * 200}
        with store.locked(), pytest.raises(PlanRefused) as caught:
            store.save(stored, large, [{"event": "revised"}], TIME)
        assert caught.value.code == "ARTIFACT_CAP"
        assert store.load() == stored


class TestLocking:
    def test_a_second_writer_is_told_to_wait(self, tmp_path: Path) -> None:
        store, _ = begin(tmp_path / "p.json")
        with store.locked(), pytest.raises(PlanRefused) as caught, Store(store.path).locked():
            pass
        assert (caught.value.code, caught.value.retryable) == ("PLAN_BUSY", True)
        with store.locked():
            pass

    def test_readers_need_no_lock(self, tmp_path: Path) -> None:
        store, stored = begin(tmp_path / "p.json")
        with store.locked():
            assert Store(store.path).load() == stored

    def test_a_run_has_a_lock_of_its_own(self, tmp_path: Path) -> None:
        store, _ = begin(tmp_path / "p.json")
        with store.locked("run"), store.locked():
            pass

    def test_the_lock_of_a_dead_process_holds_nobody_up(self, tmp_path: Path) -> None:
        store, _ = begin(tmp_path / "p.json")
        child = os.fork()
        if not child:
            with store.locked():
                os.kill(os.getpid(), 9)
        os.waitpid(child, 0)
        with store.locked():
            pass

    def test_a_lock_file_that_was_left_behind_is_none(self, tmp_path: Path) -> None:
        store, _ = begin(tmp_path / "p.json")
        Path(f"{store.path}.lock").write_text("12345", "utf-8")
        with store.locked():
            pass


class TestLoading:
    def refused(self, path: Path) -> Plan07Error:
        with pytest.raises(InputError) as caught:
            Store(path).load()
        return caught.value

    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("", "JSON_INVALID"),
            ('{"nodes":[', "JSON_INVALID"),
            ('{"obligations":[]}', "PLAN_NOT_ARTIFACT"),
            ("[]", "PLAN_NOT_ARTIFACT"),
            ('{"nodes":[],"more":1}', "PLAN_INVALID"),
            ('{"nodes":[{"id":"O1"}]}', "PLAN_INVALID"),
        ],
    )
    def test_what_is_no_artifact_is_refused(self, tmp_path: Path, text: str, code: str) -> None:
        (tmp_path / "p.json").write_text(text, "utf-8")
        assert self.refused(tmp_path / "p.json").code == code

    @pytest.mark.parametrize("field", ["state", "status", "obligation"])
    def test_t20_a_value_outside_its_set_is_refused(self, tmp_path: Path, field: str) -> None:
        found = plan()
        found["nodes"][0][field] = "running"
        (tmp_path / "p.json").write_text(artifact.render(found), "utf-8")
        error = self.refused(tmp_path / "p.json")
        assert error.code == "PLAN_INVALID"
        assert error.violations[0].subject == f"nodes[0].{field}"

    def test_an_unknown_key_of_a_node_is_refused(self, tmp_path: Path) -> None:
        found = plan()
        found["nodes"][0]["effort"] = 3
        (tmp_path / "p.json").write_text(artifact.render(found), "utf-8")
        assert self.refused(tmp_path / "p.json").violations[0].subject == "nodes[0].effort"

    def test_a_composite_that_its_members_do_not_make_is_refused(self, tmp_path: Path) -> None:
        found = plan()
        members = [{**obligation(name), "state": "pending"} for name in ("O1", "O2")]
        found["nodes"][0] |= {
            "id": "cycle:O1",
            "cycle_collapsed": True,
            "members": members,
            "state": "complete",
        }
        (tmp_path / "p.json").write_text(artifact.render(found), "utf-8")
        error = self.refused(tmp_path / "p.json")
        assert error.detail["faults"] == ["cycle:O1 is complete, its members make it pending"]

    def test_a_cut_file_is_told_with_its_place(self, tmp_path: Path) -> None:
        store, _ = begin(tmp_path / "p.json")
        text = Path(store.path).read_text("utf-8")
        Path(store.path).write_text(text[: len(text) // 2], "utf-8")
        assert self.refused(tmp_path / "p.json").detail["line"] == 4

    def test_an_older_plan_beside_a_newer_audit_is_refused(self, tmp_path: Path) -> None:
        store, stored = begin(tmp_path / "p.json")
        old = Path(store.path).read_bytes()
        for text in ("one", "two"):
            with store.locked():
                stored = store.save(stored, revised(stored, text), [{"event": "revised"}], TIME)
        Path(store.path).write_bytes(old)
        assert self.refused(tmp_path / "p.json").code == "PLAN_OLDER"
        copy = tmp_path / "copy.json"
        copy.write_bytes(old)
        assert artifact.revision(Store(copy).load().artifact) == 0

    def test_a_plan_that_somebody_edited_is_taken_with_a_note(self, tmp_path: Path) -> None:
        store, _ = begin(tmp_path / "p.json")
        text = Path(store.path).read_text("utf-8").replace('"goal":"g"', '"goal":"h"')
        Path(store.path).write_text(text, "utf-8")
        found = store.load()
        assert found.notes == ("it was edited by something else than plan07",)
        with store.locked():
            after = store.save(found, revised(found), [{"event": "revised"}], TIME)
        assert store.load().artifact["requirement"]["goal"] == "h"
        assert store.load()._replace(notes=after.notes) == after

    def test_a_plan_without_an_audit_is_taken(self, tmp_path: Path) -> None:
        store, stored = begin(tmp_path / "p.json")
        os.unlink(store.audit_path)
        assert store.load() == stored._replace(log=[])

    def test_keys_that_were_left_out_are_put_in(self, tmp_path: Path) -> None:
        nodes = plan()["nodes"]
        (tmp_path / "p.json").write_text(json.dumps({"nodes": nodes}), "utf-8")
        assert list(Store(tmp_path / "p.json").load().artifact) == list(plan())


@pytest.mark.parametrize("call", ["fsync", "replace", "fdopen"])
def test_a_disk_that_fails_at_any_call_leaves_the_plan_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    store, stored = begin(tmp_path / "p.json")
    before = Path(store.path).read_bytes()

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, call, full)
        with store.locked(), pytest.raises(SaveError) as caught:
            store.save(stored, revised(stored), [{"event": "revised"}], TIME)
    assert "no space left on device" in caught.value.message
    assert Path(store.path).read_bytes() == before
    assert [row["event"] for row in store.load().log] == ["created"]
    assert not [name for name in os.listdir(tmp_path) if name.startswith(state.TEMPORARY)]
    with store.locked():
        after = store.save(store.load(), revised(stored), [{"event": "revised"}], TIME)
    assert store.load() == after


class TestEvidence:
    def test_what_a_plan_was_made_from_comes_back_as_it_was(self, tmp_path: Path) -> None:
        found = Evidence(
            edges=(Edge("a", "b", "CalledBy", "rename", "must", "together", "typed", 0.5),),
            relations=(Relation("calls", "b", "a", "exact"),),
            changes=(("a", "rename"),),
            entities={"a": "class"},
            contains=(("a", "b"),),
            files={"a": "a.py"},
            tests=("t",),
            scores={"a": {"lex": 0.5, "cochange": None}},
            grounding={"a": Grounding("ambiguous", ("x.a", "y.a"))},
            truncated=(("a", "CalledBy", 1, 2),),
            unresolved={"a": 3},
            signatures={"a": "class a"},
            located=(Place("a.py", "a", 1, 0.5, "why"),),
            retrieved=(Place("b.py"),),
        )
        store = Store(tmp_path / "p.json")
        store.keep_evidence(found)
        assert store.evidence() == found
        assert Evidence._fields == tuple(found._asdict())
        assert all(getattr(found, name) for name in Evidence._fields)

    def test_known_tests_that_are_none_stay_known(self, tmp_path: Path) -> None:
        """T10: an empty list closes the world, an absent one does not."""
        store = Store(tmp_path / "p.json")
        store.keep_evidence(Evidence(tests=()))
        assert store.evidence().tests == ()
        store.keep_evidence(Evidence())
        assert store.evidence() == Evidence()

    def test_without_a_file_there_is_none(self, tmp_path: Path) -> None:
        assert Store(tmp_path / "p.json").evidence() == Evidence()

    @pytest.mark.parametrize(
        "text", ['{"edges":[["a","b"]]}', '{"files":[]}', '{"more":1}', '{"tests":[1]}']
    )
    def test_what_is_not_of_the_format_is_refused(self, tmp_path: Path, text: str) -> None:
        store = Store(tmp_path / "p.json")
        Path(store.evidence_path).write_text(text, "utf-8")
        with pytest.raises(InputError) as caught:
            store.evidence()
        assert caught.value.code == "EVIDENCE_INVALID"


def test_s_000_091_an_id_of_a_minute_is_used_once(tmp_path: Path) -> None:
    assert state.unused(str(tmp_path), "plan-20260101-0000") == "plan-20260101-0000"
    for name in ("plan-20260101-0000", "plan-20260101-0000-2"):
        (tmp_path / f"{name}.json").touch()
    assert state.unused(str(tmp_path), "plan-20260101-0000") == "plan-20260101-0000-3"
