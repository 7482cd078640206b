"""The seeds of what lies between two revisions, and the evidence of the state before.

Whom a change breaks is asked of the state before it: there, callers of what was deleted still call
it. So both states are built, each in a directory of its own.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from plan07 import reconstore
from plan07.facts import Fact, constant, fact
from plan07.impact.closure import Seed
from plan07.impact.differences import State, differences
from plan07.impact.revisions import Changed, changed, check_out, span
from plan07.recon import NodeRow
from plan07.reconfile import opened, text

_COLUMNS = (
    *("n.fqn", "n.kind", "n.name", "f.path", "n.line", "n.end_line", "p.fqn", "n.signature"),
    *("n.params", "n.returns", "n.flags", "n.is_test", "n.is_external", "n.sig_hash"),
    "n.body_hash",
)


class Between(NamedTuple):
    """What lies between two revisions.

    Args:
        recon: the recon.db of the state before.
        root: the files of the state before.
        seeds: how entities changed.
        names: entities that the rules will ask about.
        known: what the rules need to know of what was added.
    """

    recon: str
    root: str
    seeds: list[Seed]
    names: list[str]
    known: list[Fact]


@contextmanager
def between(root: str, revisions: str, recon: str) -> Iterator[Between]:
    """Compare two revisions; what is built for it is gone afterwards.

    Args:
        root: the directory of the repository.
        revisions: REV, compared with the working tree, or REV..REV.
        recon: the recon.db of the working tree, up to date.

    Raises:
        InputError: there is no such revision, or a state cannot be built.
    """
    ends = span(root, revisions)
    with tempfile.TemporaryDirectory(prefix="plan07-") as directory:
        old_root, old = _built(root, ends.old, recon, directory, "old")
        new = recon
        if ends.new is not None:
            _, new = _built(root, ends.new, recon, directory, "new")
        with opened(old) as before, opened(new) as after:
            files = changed(root, ends, dict(after.execute("SELECT path, blob FROM files")))
            found = compared(before, after, files)
        yield Between(old, old_root, *found)


def _built(root: str, commit: str, recon: str, directory: str, name: str) -> tuple[str, str]:
    place = os.path.join(directory, name)
    check_out(root, commit, place)
    # What was kept of files that are alike in both states need not be made again.
    kept = reconstore.cache_path(recon)
    output = os.path.join(directory, f"{name}.db")
    if os.path.isfile(kept):
        shutil.copyfile(kept, reconstore.cache_path(output))
    return place, reconstore.refresh(place, output)


def compared(
    before: sqlite3.Connection, after: sqlite3.Connection, files: Changed
) -> tuple[list[Seed], list[str], list[Fact]]:
    """Return the seeds, the names and the facts of `Between`.

    Args:
        before: the recon.db of the state before.
        after: that of the state after.
        files: that differ.
    """
    old = State(nodes(before, files.old))
    new_nodes = nodes(after, files.new)
    new = State(new_nodes, _overrides(after, new_nodes))
    seeds = differences(old, new, files.moved)
    names = list(dict.fromkeys(each.entity for each in seeds))
    known: list[Fact] = []
    for seed in seeds:
        base = new.overrides.get(seed.entity)
        if seed.change == "override_added" and base is not None:
            overrides, exact = constant("overrides"), constant("exact")
            known.append(fact("uses", overrides, seed.entity, base, exact, 1000))
            names.append(base)
    return seeds, names, known


def nodes(database: sqlite3.Connection, paths: frozenset[str]) -> dict[str, NodeRow]:
    """Return the entities of some files, outer ones before inner ones."""
    found: dict[str, NodeRow] = {}
    listed = sorted(paths)
    for start in range(0, len(listed), 500):
        batch = listed[start : start + 500]
        query = (
            f"SELECT {', '.join(_COLUMNS)} FROM files f JOIN nodes n ON n.file_id=f.id "
            "LEFT JOIN nodes p ON p.id=n.parent_id "
            f"WHERE f.path IN ({','.join('?' * len(batch))}) AND n.is_external=0"
        )
        for row in database.execute(query, batch):
            fqn, kind, name, path, line, end_line, parent, *told = row
            signature, params, returns, flags, is_test, is_external, sig_hash, body_hash = told
            found[text(fqn)] = NodeRow(
                text(fqn),
                kind,
                name,
                path,
                line,
                end_line,
                parent,
                signature,
                params,
                returns,
                tuple(filter(None, (flags or "").split(","))),
                bool(is_test),
                bool(is_external),
                sig_hash,
                body_hash,
            )
    return {name: found[name] for name in sorted(found, key=lambda each: (each.count("."), each))}


def _overrides(database: sqlite3.Connection, nodes: dict[str, NodeRow]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, node in nodes.items():
        if node.kind not in ("method", "property"):
            continue
        query = (
            "SELECT m.fqn FROM nodes n JOIN edges e ON e.src=n.id AND e.kind='overrides' "
            "JOIN nodes m ON m.id=e.dst WHERE n.fqn=? ORDER BY m.fqn LIMIT 1"
        )
        row = database.execute(query, (name,)).fetchone()
        if row is not None:
            found[name] = text(row[0])
    return found
