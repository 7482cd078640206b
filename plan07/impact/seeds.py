"""Seeds as a user writes them, and their entities looked up in recon.db."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import Any

from plan07.errors import InputError
from plan07.impact.closure import Closure, Seed
from plan07.impact.neighbourhood import Neighbourhood

_CHANGE = re.compile(r"[a-z][a-z0-9_]{0,63}\Z")
_PARAMETER = re.compile(r"[^\W\d]\w{0,99}\Z")
_PHASE = "evidence"


def parse(text: str) -> Seed:
    """Return the seed in `ENTITY=CHANGE_KIND` or `ENTITY=CHANGE_KIND:PARAMETER`.

    >>> parse("auth.load=param_removed:timeout")
    Seed(entity='auth.load', change='param_removed', detail={'param': 'timeout'}, origin='user')

    Raises:
        InputError: it is written otherwise.
    """
    entity, equals, said = text.rpartition("=")
    change, colon, parameter = said.partition(":")
    change = change.strip().replace("-", "_")
    parameter = parameter.strip()
    well_formed = equals and entity.strip() and _CHANGE.match(change)
    if not well_formed or (colon and not _PARAMETER.match(parameter)):
        raise InputError(
            "SEED_INVALID",
            f"a seed cannot be {text!r:.200}",
            "write --seed ENTITY=CHANGE_KIND, or ENTITY=CHANGE_KIND:PARAMETER",
            phase="usage",
            detail={"seed": text},
        )
    detail: dict[str, Any] = {"param": parameter} if colon else {}
    return Seed(entity.strip(), change, detail)


def grounded(seeds: Iterable[Seed], around: Neighbourhood) -> list[Seed]:
    """Return seeds under the names that recon.db has for their entities.

    Raises:
        InputError: an entity is not there, or the name means several.
    """
    found = []
    for each in seeds:
        answer, names = around.find(each.entity)
        if answer == "binding":
            found.append(each._replace(entity=names[0]))
            continue
        if answer == "ambiguous":
            shown = ", ".join(names[:_MOST_SHOWN])
            more = f" and {len(names) - _MOST_SHOWN} more" if len(names) > _MOST_SHOWN else ""
            raise InputError(
                "ENTITY_AMBIGUOUS",
                f"{each.entity!r} may be any of {shown}{more}",
                "write the full name",
                phase=_PHASE,
                detail={"entity": each.entity, "candidates": names},
            )
        alike = [] if answer == "invalid_ref" else around.alike(each.entity)
        raise InputError(
            "ENTITY_UNKNOWN",
            f"the evidence knows no entity {each.entity!r}",
            f"perhaps it is {' or '.join(alike)}"
            if alike
            else "write its qualified name, such as package.module.Class.method",
            phase=_PHASE,
            detail={"entity": each.entity, "answer": answer, "candidates": alike},
        )
    return found


_MOST_SHOWN = 8


def refuse_unknown(found: Closure) -> None:
    """Refuse kinds of change that the table does not know.

    Raises:
        InputError: there is one.
    """
    for entity, change in found.unknown:
        close = difflib.get_close_matches(change, found.kinds, 3)
        raise InputError(
            "CHANGE_UNKNOWN",
            f"{entity!r} changes by {change!r}, which the impact table does not know",
            f"use {' or '.join(close)}"
            if close
            else f"use one of {', '.join(sorted(found.kinds))}, or add rows in an overlay",
            phase="usage",
            detail={"entity": entity, "change": change, "known": sorted(found.kinds)},
        )


def distinct(seeds: Sequence[Seed]) -> list[Seed]:
    """Return seeds, each once, sorted by entity and change."""
    known = {(s.entity, s.change, str(s.detail.get("param", ""))): s for s in reversed(seeds)}
    return [known[key] for key in sorted(known)]
