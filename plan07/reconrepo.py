"""A repository as its recon.db knows it, for whoever asks which entity lies where."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence

from plan07.recon import FileRow, NodeRow, Repository
from plan07.reconfile import meta


def repository(database: sqlite3.Connection, root: str) -> Repository:
    """Return the repository that a recon.db is about.

    Args:
        database: opened; nodes are read from it when they are asked for.
        root: the directory of the repository.
    """
    query = "SELECT path, lang, blob, role, parsed, error FROM files ORDER BY path"
    files = [
        FileRow(path, lang, blob, role, bool(parsed), error)
        for path, lang, blob, role, parsed, error in database.execute(query)
    ]

    def nodes(path: str) -> Sequence[NodeRow]:
        query = (
            "SELECT n.fqn, n.kind, n.name, f.path, n.line, n.end_line FROM files f "
            "JOIN nodes n ON n.file_id=f.id WHERE f.path=? ORDER BY n.line, n.id"
        )
        return [NodeRow(*row) for row in database.execute(query, (path,))]

    commit = meta(database, "commit")
    return Repository(os.path.abspath(root), files, commit=commit, nodes=nodes)
