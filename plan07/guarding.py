"""Keeps the plan as it is while an agent works, unless plan07 itself takes it further.

A person may confirm, revise or abandon a plan during a run, and an agent may report its test calls.
Such changes are appended to the audit, and the plan's digest stands in them. Whatever else happens
to the files of the plan is undone.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping

from plan07.errors import Plan07Error
from plan07.state import Store


@contextlib.contextmanager
def untouched(store: Store, *more: str) -> Iterator[list[str]]:
    """Put the files of a plan back if the body meddles with them; the list names those.

    Args:
        store: the plan.
        more: further files, which nobody has anything to do with.
    """
    paths = (*store.files(), *more)
    before = {path: _content(path) for path in paths}
    meddled: list[str] = []
    try:
        yield meddled
    finally:
        after = {path: _content(path) for path in paths}
        if not _gone_on(store, before, after):
            for path, content in before.items():
                if after[path] != content:
                    meddled.append(path)
                    _put_back(store, path, content)


def _gone_on(
    store: Store, before: Mapping[str, bytes | None], after: Mapping[str, bytes | None]
) -> bool:
    """Whether all that changed came about as plan07 writes it."""
    changed = {path for path in before if before[path] != after[path]}
    if not changed:
        return True
    appended = {store.audit_path, store.calls_path}
    if not all((after[path] or b"").startswith(before[path] or b"") for path in appended):
        return False
    if changed - appended - {store.path, store.evidence_path} or store.audit_path not in changed:
        return False
    try:
        return store.path not in changed or not store.load().notes
    except Plan07Error:
        return False


def _put_back(store: Store, path: str, content: bytes | None) -> None:
    if content is not None:
        store.put(path, content)
        return
    with contextlib.suppress(OSError):
        os.unlink(path)


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except OSError:
        return None
