"""The driver: one obligation at a time, and the plan moves only when its validation passes.

Every operation reads the plan from the disk, answers from the one partition of the rules, and
writes what changed before it returns. Nothing is kept in memory between two of them, so a driver
may be killed anywhere and another one goes on (build spec 3.4, 3.5, 3.7).
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from plan07 import artifact as artifact_
from plan07 import evidence as evidence_
from plan07 import partition, replan, revise, steering
from plan07.artifact import Artifact
from plan07.checks import Check
from plan07.errors import Plan07Error, PlanRefused
from plan07.evidence import Evidence
from plan07.exposure import due, exposure, nothing_ready, refuse_beyond, usage
from plan07.messages import printable
from plan07.outcomes import Cancelled, GateBroken, Validated
from plan07.partition import Standing
from plan07.replan import Replanner
from plan07.revision import Context, Revised
from plan07.rulebook import Rulebook
from plan07.scope import members
from plan07.state import Store, Stored
from plan07.validate import ERROR, FAIL, PASS, CheckResult, GateResult, Runner, gate

_PHASE = "drive"


class Driver:
    """Drives one plan.

    Args:
        store: its file.
        rules: the composed rules.
        now: the time, UTC in ISO 8601.
        run: runs a check of the gate; needed to validate.
        replanner: decomposes what failed again; without one it stays failed.
        watch: raises `Cancelled` when the harness wants to stop.
    """

    def __init__(
        self,
        store: Store,
        rules: Rulebook,
        now: Callable[[], str],
        *,
        run: Runner | None = None,
        replanner: Replanner | None = None,
        watch: Callable[[], None] = lambda: None,
    ) -> None:
        self.store = store
        self.rules = rules
        self._now = now
        self._run = run
        self._replanner = replanner
        self._watch = watch

    def standing(self) -> tuple[Stored, Standing]:
        """Return the plan and how it stands.

        Raises:
            InputError: the file cannot be read.
            RulesError: the rules are broken.
        """
        stored = self.store.load()
        return stored, self._stand(stored.artifact)

    def next(self) -> dict[str, Any]:
        """Return the one actionable obligation, with exactly the keys of the build spec 3.4.

        Asking again gives the same one until its validation passed.

        Raises:
            PlanRefused: ABANDONED, or NOTHING_READY with the verdict.
            InputError: the file cannot be read.
        """
        self._cancellable(self._watch)
        stored, standing = self.standing()
        self._refuse_abandoned(stored.artifact)
        if standing.exposed is None:
            raise nothing_ready(standing)
        return exposure(stored.artifact, standing)

    def validate(self, node: str, accept: Callable[[], str] = lambda: "") -> Validated:
        """Run a node's validation; the only way to complete it.

        Args:
            node: the actionable one, or one that failed and was mended.
            accept: called when it passed and before the plan says so; returns what edit is
                accepted, such as a commit.

        Raises:
            PlanRefused: the node is not due, the plan is busy or was abandoned.
            GateBroken: a check could not be run; the plan is as it was.
            InputError: the plan cannot be read, or has no such node.
            Cancelled: the harness cancelled; the plan is abandoned.
        """
        with self.store.locked():
            stored, standing = self.standing()
            self._refuse_abandoned(stored.artifact)
            found = due(stored.artifact, standing, node)
            result = self._cancellable(lambda: gate(found, self._watched), stored)
            if result.outcome == ERROR:
                self._note(stored, {"event": "error", **result.as_row()})
                raise GateBroken(
                    "GATE_BROKEN",
                    f"the validation of {node} could not be run: {result.reason}",
                    "make it runnable, then validate the node again; nothing was failed",
                    phase="validate",
                    detail=result.as_dict(),
                    retryable=True,
                )
            if result.outcome == PASS:
                stored = self._passed(stored, found, result, accept())
                return Validated(result, "", "", self._stand(stored.artifact))
            return self._failed(stored, found, result)

    def reject(self, node: str, reason: str) -> Validated:
        """Fail an attempt without asking its gate, because of how it was made.

        Args:
            node: the actionable one, or one that failed and was mended.
            reason: one line, such as a bound that was passed.

        Raises:
            PlanRefused: as `validate`.
        """
        with self.store.locked():
            stored, standing = self.standing()
            self._refuse_abandoned(stored.artifact)
            found = due(stored.artifact, standing, node)
            check = CheckResult(found["validation"], "bounds", FAIL, reason)
            return self._failed(stored, found, GateResult(node, FAIL, (check,)))

    def owed(self) -> list[tuple[str, str, str]]:
        """Decompose again what failed when nobody could, or when a process died before it did.

        Returns:
            The node, the change and the reason why there is none, for each such failure.

        Raises:
            PlanRefused: the plan is busy or was abandoned.
        """
        done: list[tuple[str, str, str]] = []
        if self._replanner is None:
            return done
        with self.store.locked():
            stored = self._writable()
            for node in [each["id"] for each in stored.artifact["nodes"]]:
                failed = {x["id"] for x in stored.artifact["nodes"] if x["state"] == "failed"}
                rows = [row for row in stored.log if row.get("obligation") == node]
                last = [row for row in rows if row["event"] in ("fail", "replanned", "no_replan")]
                if node in failed and last and last[-1]["event"] == "fail":
                    stored, replanned, why = self._replan(stored, node, last[-1]["reason"])
                    done.append((node, replanned, why))
        return done

    def edit(self, node: str, files: Sequence[str]) -> dict[str, int]:
        """Account for files that an agent edits; return what its attempt has used.

        Args:
            node: the actionable node.
            files: paths within the repository; the same file counts once.

        Raises:
            PlanRefused: the node is not due, does not permit edits, or the bound is passed.
        """
        return self._account(node, "edit", [posixpath.normpath(each) for each in files])

    def test(self, node: str) -> dict[str, int]:
        """Account for one test call of an agent; return what its attempt has used.

        Args:
            node: the actionable node.

        Raises:
            PlanRefused: as `edit`.
        """
        return self._account(node, "test", ())

    def feedback(
        self,
        found: Evidence,
        *,
        falsified: Sequence[str] = (),
        additions: Sequence[Mapping[str, Any]] = (),
        because: str = "",
    ) -> str:
        """Let evidence revise the plan; return what changed, "" where it agrees already.

        Args:
            found: new evidence, which stays with the plan.
            falsified: ids of obligations that it has falsified.
            additions: obligations to add, in their wire form.
            because: the evidence, one line.

        Raises:
            PlanRefused: the revision is refused; the plan is as it was.
        """
        with self.store.locked():
            stored = self._writable()
            known = self.store.evidence()
            whole = evidence_.merge([known, found])
            revised = revise.feedback(
                stored.artifact,
                self._context(stored)._replace(evidence=whole),
                falsified=falsified,
                additions=additions,
                because=because,
                news=revise.news(known, found),
                changed=[entity for entity, _ in found.changes],
            )
            if revised is not None:
                self._save(stored, revised)
            # After the plan: evidence that is lost is told again, a revision would not be made.
            if whole != known:
                self.store.keep_evidence(whole)
            return str(revised.row["change"]) if revised is not None else ""

    def promote(self, alternative: str) -> str:
        """Let an alternative take the place of a primary that failed; return what changed.

        Raises:
            PlanRefused: it cannot be promoted now.
        """
        return self._steer(
            lambda stored: steering.promote(stored.artifact, alternative, self._context(stored))
        )

    def confirm(self) -> str:
        """Confirm the acceptance criteria; return what changed, "" where they were.

        Raises:
            PlanRefused: the plan was abandoned or revised too often.
        """
        return self._steer(lambda stored: steering.confirm(stored.artifact, self._now()))

    def rollback(self, marker: str) -> str:
        """Take the plan back to a checkpoint; return what changed.

        Raises:
            PlanRefused: the checkpoint is not kept.
        """
        return self._steer(
            lambda stored: steering.rollback(
                stored.artifact, marker, stored.log, self._context(stored)
            )
        )

    def abandon(self, token: str) -> str:
        """Give the plan up, for good; return what changed.

        Raises:
            PlanRefused: it was abandoned before.
        """
        return self._steer(lambda stored: steering.abandon(stored.artifact, token, self._now()))

    def _watched(self, check: Check, text: str) -> CheckResult:
        assert self._run is not None, "a driver that validates has a runner"
        self._watch()
        return self._run(check, text)

    def _stand(self, artifact: Artifact) -> Standing:
        return partition.stand(artifact, self.rules, artifact_.abandoned(artifact) is not None)

    def _context(self, stored: Stored) -> Context:
        gone = {each for row in stored.log for each in row.get("removed", ())}
        return Context(self.rules, self.store.evidence(), self._now(), frozenset(gone))

    def _writable(self) -> Stored:
        stored = self.store.load()
        self._refuse_abandoned(stored.artifact)
        return stored

    def _refuse_abandoned(self, artifact: Artifact) -> None:
        token = artifact_.abandoned(artifact)
        if token is not None:
            raise PlanRefused(
                "ABANDONED",
                f"the plan was abandoned: {printable(token)}",
                "make a new plan of what is left of the request",
                phase=_PHASE,
                detail={"token": token},
            )

    def _steer(self, change: Callable[[Stored], Revised | None]) -> str:
        with self.store.locked():
            stored = self._writable()
            revised = change(stored)
            if revised is None:
                return ""
            self._save(stored, revised)
            return str(revised.row["change"])

    def _save(self, stored: Stored, revised: Revised) -> Stored:
        artifact = partition.restated(revised.artifact, self._stand(revised.artifact))
        return self._kept(stored, artifact, revised.row)

    def _kept(self, stored: Stored, artifact: Artifact, row: Mapping[str, Any]) -> Stored:
        most = artifact_.room(self.rules)
        return self.store.save(stored, artifact, [row], self._now(), most)

    def _note(self, stored: Stored, row: Mapping[str, Any]) -> Stored:
        return self.store.note(stored, [row], self._now())

    def _passed(
        self, stored: Stored, node: Mapping[str, Any], result: GateResult, edit: str
    ) -> Stored:
        artifact = artifact_.with_nodes(stored.artifact, [_in_state(node, "complete")])
        row: dict[str, Any] = {"event": "pass", **result.as_row()}
        # While something is failed, no boundary is one to go back to.
        if all(each["state"] != "failed" for each in artifact["nodes"]):
            artifact = artifact_.checkpointed(artifact, node["id"])
            row["checkpoint"] = artifact["checkpoints"][-1]
        if edit:
            row["edit"] = edit
        artifact = artifact_.audited(artifact, node["id"], edit, f"passed: {result.said}")
        artifact = partition.restated(artifact, self._stand(artifact))
        return self._kept(stored, artifact, row)

    def _failed(self, stored: Stored, node: Mapping[str, Any], result: GateResult) -> Validated:
        artifact = artifact_.with_nodes(stored.artifact, [_in_state(node, "failed")])
        artifact = artifact_.audited(artifact, node["id"], "", f"failed: {result.reason}"[:200])
        artifact = partition.restated(artifact, self._stand(artifact))
        row = {"event": "fail", **result.as_row()}
        stored = self._kept(stored, artifact, row)
        stored, replanned, reason = self._replan(stored, node["id"], result.reason)
        return Validated(result, replanned, reason, self._stand(stored.artifact))

    def _replan(self, stored: Stored, node: str, reason: str) -> tuple[Stored, str, str]:
        if self._replanner is None:
            return stored, "", "nobody decomposes again; mend the edit and validate the node again"
        context = self._context(stored)
        fragment, ids = replan.fragment(stored.artifact, node, reason, context)
        ask = self._replanner
        try:
            # Nobody is asked for what a plan could not take up any more.
            artifact_.revised(stored.artifact, "", node, context.time)
            found = self._cancellable(lambda: ask(fragment), stored)
            if found.is_no_op:
                why = found.reason
            else:
                revised = replan.replan(stored.artifact, node, ids, found, context)
                return self._save(stored, revised), str(revised.row["change"]), ""
        except Plan07Error as error:
            # The failure is on the disk already, and the plan goes on without this branch.
            why = f"{error.code}: {error.message}"
        row = {"event": "no_replan", "obligation": node, "reason": printable(why)[:500]}
        return self._note(stored, row), "", why

    def _account(self, node: str, action: str, files: Sequence[str]) -> dict[str, int]:
        with self.store.locked():
            stored, standing = self.standing()
            self._refuse_abandoned(stored.artifact)
            found = due(stored.artifact, standing, node)
            used = usage(stored.log, node)
            edited = sorted({*used.files, *files})
            counts = {
                "edit_files": len(edited),
                "test_calls": used.tests + (action == "test"),
            }
            permitted = standing.permitted[found["id"]]
            refuse_beyond(node, action, counts, permitted)
            row = {"event": action, "obligation": node}
            self._note(stored, {**row, "files": list(files)} if action == "edit" else row)
            return counts

    def _cancellable(self, job: Callable[[], Any], stored: Stored | None = None) -> Any:
        """Do a job of a hook; a cancellation is written down and raised as the same object."""
        try:
            return job()
        except Cancelled as cancelled:
            try:
                if stored is None:
                    self.abandon(cancelled.token)
                else:
                    given_up = steering.abandon(stored.artifact, cancelled.token, self._now())
                    self._save(stored, given_up)
            except Plan07Error as error:
                # What the harness raised is what it gets; that the plan goes on is a remark.
                cancelled.add_note(f"the plan was not abandoned: {error.code}: {error.message}")
            raise


def _in_state(node: Mapping[str, Any], state: str) -> dict[str, Any]:
    changed = {**node, "state": state, "status": "ready"}
    if "members" in node:
        changed["members"] = [{**part, "state": state, "status": "ready"} for part in members(node)]
    return changed
