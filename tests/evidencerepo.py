"""Small repositories for tests, built into a recon.db that can be asked."""

from __future__ import annotations

import json
import sqlite3
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from plan07 import reconreport, reconstore

TABLES = ("files", "nodes", "edges", "unresolved", "aliases", "tests", "cochange")


class Built:
    """A recon.db and its report."""

    def __init__(self, report: reconreport.Report) -> None:
        self.report = report
        self.path = report.path

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        database = sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)
        try:
            return database.execute(sql, values).fetchall()
        finally:
            database.close()

    def edges(self, kind: str) -> set[tuple[str, str]]:
        """Return (source, destination) of the edges of a kind."""
        return {(src, dst) for src, dst, _ in self.resolved(kind)}

    def resolved(self, kind: str) -> set[tuple[str, str, str]]:
        """Return (source, destination, resolution) of the edges of a kind."""
        return set(
            self.rows(
                "SELECT s.fqn, d.fqn, e.resolution FROM edges e JOIN nodes s ON s.id=e.src "
                "JOIN nodes d ON d.id=e.dst WHERE e.kind=?",
                kind,
            )
        )

    def uses(self, src: str) -> set[str]:
        """Return "kind destination resolution" of what an entity uses, imports left out."""
        return {
            f"{kind} {dst} {resolution}"
            for kind, dst, resolution in self.rows(
                "SELECT e.kind, d.fqn, e.resolution FROM edges e JOIN nodes s ON s.id=e.src "
                "JOIN nodes d ON d.id=e.dst WHERE s.fqn=? "
                "AND e.kind NOT IN ('contains','imports','tests')",
                src,
            )
        }

    def node(self, fqn: str) -> dict[str, Any]:
        """Return the columns of a node."""
        names = [row[1] for row in self.rows("PRAGMA table_info(nodes)")]
        (row,) = self.rows("SELECT * FROM nodes WHERE fqn=?", fqn)
        return dict(zip(names, row, strict=True))

    def kinds(self) -> dict[str, str]:
        """Return the kind of each entity of the repository."""
        return dict(self.rows("SELECT fqn, kind FROM nodes WHERE is_external=0"))

    def attributes(self, src: str, kind: str, dst: str) -> Any:
        """Return the attributes of an edge."""
        (row,) = self.rows(
            "SELECT e.attrs FROM edges e JOIN nodes s ON s.id=e.src JOIN nodes d ON d.id=e.dst "
            "WHERE s.fqn=? AND e.kind=? AND d.fqn=?",
            src,
            kind,
            dst,
        )
        return None if row[0] is None else json.loads(row[0])

    def dump(self) -> dict[str, list[tuple[Any, ...]]]:
        """Return every row of every table, but for what tells one build from another."""
        found = {table: self.rows(f"SELECT * FROM {table}") for table in TABLES}
        found["meta"] = self.rows("SELECT * FROM meta WHERE key<>'created' ORDER BY key")
        return found


def write(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files below a directory; texts are dedented."""
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, bytes):
            place.write_bytes(text)
        else:
            place.write_text(textwrap.dedent(text).lstrip("\n"), "utf-8")


def build(root: Path, output: Path | None = None, **options: Any) -> Built:
    """Build the evidence of a directory, in this process alone."""
    target = output or root.parent / f"{root.name}.db"
    anew = options.pop("anew", False)
    return Built(
        reconstore.build(str(root), str(target), options={"jobs": 1, **options}, anew=anew)
    )


def built(tmp_path: Path, files: Mapping[str, str | bytes]) -> Built:
    """Write a repository and build its evidence."""
    root = tmp_path / "repo"
    root.mkdir()
    write(root, files)
    return build(root)
