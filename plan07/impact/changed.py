"""What has changed in a repository since a revision, and whom that reaches, in one call."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import Any

from plan07 import reconstore
from plan07.impact import planned
from plan07.impact.between import between
from plan07.impact.study import impact
from plan07.reconfile import opened
from plan07.rulebook import Rulebook


def since(repository: str, revisions: str, rules: Rulebook) -> dict[str, Any]:
    """Return impact.json of what changed since a revision, or between two.

    Args:
        repository: its directory, whose evidence is brought up to date.
        revisions: `REV` or `REV..REV`.
        rules: the composed rules.

    Raises:
        InputError: there is no such revision, or the evidence cannot be kept.
        RulesError: the rules are broken.
    """
    root = os.path.abspath(repository)
    with ExitStack() as stack:
        lies = stack.enter_context(between(root, revisions, reconstore.refresh(root)))
        database = stack.enter_context(opened(lies.recon))
        around = planned.neighbourhood(database, rules)
        for name in lies.names:
            around.find(name)
        return impact(
            list(lies.seeds), around, database, rules, root=lies.root, known=list(lies.known)
        )
