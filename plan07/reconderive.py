"""What follows from the parts of all readers together: which test reaches what, and guesses.

Both are questions about names and edges, whichever reader brought them, and are asked in SQL.
"""

from __future__ import annotations

import json
import sqlite3

# A call of an unknown receiver may be one of so many; with more, the name says nothing.
_MOST_CANDIDATES = 12
# Names that builtin types have too: an unknown receiver is more likely one of those.
_COMMON = frozenset(
    name
    for kind in (str, bytes, list, dict, set, frozenset, tuple, int, float, complex)
    for name in dir(kind)
) | frozenset(
    (
        *(
            "read",
            "write",
            "close",
            "open",
            "flush",
            "seek",
            "send",
            "recv",
            "run",
            "start",
            "stop",
        ),
        *("put", "wait", "acquire", "release", "next", "match", "search", "group", "groups", "sub"),
        *("fullmatch", "findall", "isoformat", "strftime", "date", "time", "submit", "result"),
        *("exists", "is_file", "is_dir", "mkdir", "unlink", "resolve", "parent", "name", "setattr"),
        *("getvalue", "readline", "readlines", "cancel", "done", "fileno", "connect", "execute"),
        *("commit", "rollback", "fetchone", "fetchall", "cursor", "randrange", "shuffle", "choice"),
        *("parse_args", "add_argument", "format_help", "debug", "info", "warning", "error"),
    )
)
_GUESS = 0.6
_USES = "('calls','instantiates','references','uses_type')"
_SETUPS = "('setUp','setup_method','setUpClass','setup_class','setup','setUpTestData','asyncSetUp')"


def tests(database: sqlite3.Connection) -> None:
    """Add an edge `tests` from each test to what its body, its setup and its fixtures use."""
    database.execute(
        "CREATE TEMP TABLE helps(test INTEGER, helper INTEGER, PRIMARY KEY(test,helper))"
    )
    database.execute(
        "INSERT INTO helps "
        "WITH RECURSIVE reach(test, helper, depth) AS ("
        "  SELECT id, id, 0 FROM nodes WHERE is_test=1 AND kind IN ('function','method')"
        "  UNION SELECT t.id, s.id, 1 FROM nodes t JOIN nodes s ON s.parent_id=t.parent_id"
        f"    AND s.name IN {_SETUPS} AND s.kind='method'"
        "    WHERE t.is_test=1 AND t.kind='method'"
        "  UNION SELECT r.test, e.dst, r.depth+1 FROM reach r JOIN edges e ON e.src=r.helper"
        "    AND e.kind='references' JOIN nodes f ON f.id=e.dst"
        "    WHERE r.depth<6 AND (','||f.flags||',') LIKE '%,fixture,%'"
        ") SELECT DISTINCT test, helper FROM reach"
    )
    database.execute(
        "INSERT INTO edges SELECT h.test, 'tests', e.dst, e.file_id, min(e.line), sum(e.count), "
        # The surest of the ways, which the alphabet happens not to know.
        "CASE min(CASE e.resolution WHEN 'exact' THEN 0 WHEN 'typed' THEN 1 WHEN 'dynamic' THEN 2 "
        "WHEN 'heuristic' THEN 3 ELSE 4 END) WHEN 0 THEN 'exact' WHEN 1 THEN 'typed' "
        "WHEN 2 THEN 'dynamic' WHEN 3 THEN 'heuristic' ELSE 'ambiguous' END, "
        "max(e.confidence), e.source, NULL "
        f"FROM helps h JOIN edges e ON e.src=h.helper AND e.kind IN {_USES} "
        "JOIN nodes d ON d.id=e.dst LEFT JOIN files f ON f.id=d.file_id "
        "WHERE d.is_test=0 AND d.is_external=0 AND d.kind NOT IN ('module','package') "
        "AND (','||COALESCE(d.flags,'')||',') NOT LIKE '%,fixture,%' "
        "AND COALESCE(f.role,'source')<>'test' AND h.test<>e.dst "
        "GROUP BY h.test, e.dst, e.source ON CONFLICT DO NOTHING"
    )
    database.execute("DROP TABLE helps")


def guesses(database: sqlite3.Connection) -> dict[str, int]:
    """Fill in what unresolved calls may mean, and drop those that can mean nothing here.

    A name that exactly one method of the repository bears, and no builtin type, becomes an edge
    of resolution `heuristic`; every unresolved call stays a row as long as some entity bears its
    name.

    Returns:
        How many calls were guessed, and how many stay open.
    """
    named: dict[str, list[tuple[int, str, str]]] = {}
    query = (
        "SELECT n.id, n.name, n.kind, COALESCE(f.role,'source') FROM nodes n "
        "LEFT JOIN files f ON f.id=n.file_id WHERE n.is_external=0 "
        "AND n.kind IN ('function','method','class','property','field','variable','enum') "
        "AND n.name IN (SELECT DISTINCT name FROM unresolved) ORDER BY n.id"
    )
    for number, name, kind, role in database.execute(query):
        named.setdefault(name, []).append((number, kind, role))
    counts = {"calls guessed": 0, "calls open": 0}
    rows: list[tuple[str, int]] = []
    nothing: list[tuple[int]] = []
    edges: list[tuple[object, ...]] = []
    unresolved = database.execute(
        "SELECT rowid, file_id, src, name, kind, line FROM unresolved ORDER BY rowid"
    ).fetchall()
    for rowid, file_id, src, name, kind, line in unresolved:
        found = named.get(name, [])
        if kind != "calls":
            continue
        callables = [each for each in found if each[1] in ("function", "method", "class")]
        if not found:
            nothing.append((rowid,))
            continue
        counts["calls open"] += 1
        listed = [each[0] for each in callables] if len(callables) <= _MOST_CANDIDATES else []
        rows.append((json.dumps(listed), rowid))
        for only, only_kind, role in callables if len(found) == 1 else ():
            if only != src and _is_telling(name, only_kind, role):
                counts["calls guessed"] += 1
                edges.append((src, only, file_id, line, _GUESS))
    database.executemany("DELETE FROM unresolved WHERE rowid=?", nothing)
    database.executemany("UPDATE unresolved SET candidates=? WHERE rowid=?", rows)
    database.executemany(
        "INSERT INTO edges VALUES (?,'calls',?,?,?,1,'heuristic',?,'ast',NULL) "
        "ON CONFLICT(src,kind,dst,source) DO UPDATE SET count=count+1 WHERE resolution='heuristic'",
        edges,
    )
    return counts


def _is_telling(name: str, kind: str, role: str) -> bool:
    """Whether a name that one entity bears says that it is meant."""
    return (
        kind == "method"
        and role != "test"
        and len(name) > 3
        and not name.startswith("__")
        and name not in _COMMON
    )
