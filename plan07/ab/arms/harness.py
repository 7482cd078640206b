"""A harness of the user's own in the place of the arm `current`.

The command is started once, without a shell, in a copy of the repository; the request is its
standard input. It edits the copy and exits. Nothing of the harness is touched: it sees a temporary
directory. What it asked its model it writes to the file that PLAN07_AB_CALLS names, one line of
JSON for each call: `{"tokens_in": 812, "tokens_out": 95, "retry": false}`, with `prompt` and
`reply` where it can tell them. A command that writes none is refused, because a run without tokens
would win every comparison of tokens.
"""

from __future__ import annotations

import json
import os
import shlex

from pydantic import Field, ValidationError

from plan07 import jsonlines, runner
from plan07.ab.arms.running import Running
from plan07.ab.records import CallRecord, kept
from plan07.errors import InputError
from plan07.messages import printable, quoted
from plan07.models import Count, Record
from plan07.validate import last_line, surroundings

_PHASE = "ab"


class _Call(Record):
    tokens_in: Count
    tokens_out: Count
    retry: bool = False
    prompt: str = Field(default="")
    reply: str = Field(default="")


def run(running: Running, command: str, seconds: float) -> None:
    """Have a harness work on a request.

    Args:
        running: the run.
        command: words as a shell would split them.
        seconds: its time limit.

    Raises:
        InputError: it cannot be started, or does not say what it asked its model.
    """
    try:
        words = shlex.split(command)
    except ValueError:
        words = []
    copy = running.copy
    calls = f"{copy.root}.calls.jsonl"
    environment = {**surroundings(os.environ, keys=True), "PLAN07_AB_CALLS": calls}
    given = running.request.encode()
    ran = runner.run(words, copy.root, environment, seconds, given=given) if words else None
    if ran is None or ran.exit is None:
        raise InputError(
            "AB_HARNESS_UNSTARTED",
            f"the harness {quoted(command)} cannot be started",
            "give a command that can be run from any directory",
            phase=_PHASE,
            detail={"command": command},
        )
    running.talk.calls += [_call(row, command) for row in jsonlines.read(calls)]
    if not running.talk.calls:
        raise InputError(
            "AB_HARNESS_SILENT",
            f"the harness {quoted(command)} wrote no call to the file of PLAN07_AB_CALLS",
            'have it append {"tokens_in": N, "tokens_out": N, "retry": false} for each call',
            phase=_PHASE,
            detail={"command": command},
        )
    if ran.exit or ran.timed_out:
        why = "its time was over" if ran.timed_out else f"status {ran.exit}"
        running.notes.append(
            printable(f"the harness ended with {why}: {last_line(ran.output)}")[:200]
        )
    running.stands("attempt-1")


def _call(row: object, command: str) -> CallRecord:
    try:
        found = _Call.model_validate_json(json.dumps(row))
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(str(part) for part in wrong["loc"])
        raise InputError(
            "AB_HARNESS_CALLS_INVALID",
            f"the harness {quoted(command)} wrote a call that is none: {place}: {wrong['msg']}"[
                :300
            ],
            'write {"tokens_in": N, "tokens_out": N, "retry": false}, prompt and reply if you like',
            phase=_PHASE,
        ) from error
    return CallRecord(
        purpose="edit",
        step=0,
        retry=found.retry,
        tokens_in=found.tokens_in,
        tokens_out=found.tokens_out,
        prompt=kept(found.prompt),
        reply=kept(found.reply),
    )
