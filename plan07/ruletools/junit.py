"""The outcomes of rule tests in the XML that continuous integration reads."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import groupby
from xml.etree import ElementTree

from plan07.errors import InputError
from plan07.messages import printable
from plan07.ruletools.outcomes import ERROR, PASSED, Outcome, told


def write(path: str, outcomes: Sequence[Outcome]) -> None:
    """Write outcomes to a file, one suite for each test file.

    Raises:
        InputError: the file cannot be written.
    """
    text = document(outcomes)
    try:
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
    except (OSError, ValueError) as error:
        raise InputError(
            "JUNIT_UNWRITABLE",
            f"{path!r} cannot be written",
            "name a file in a directory that is there",
            phase="usage",
            detail={"path": path, "reason": str(error)},
        ) from error


def document(outcomes: Sequence[Outcome]) -> str:
    """Return outcomes as a JUnit document, without times."""
    root = ElementTree.Element("testsuites")
    for path, group in groupby(outcomes, key=lambda outcome: outcome.path):
        own = list(group)
        statuses = [outcome.status for outcome in own]
        errors, passed = statuses.count(ERROR), statuses.count(PASSED)
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=printable(os.path.basename(path)),
            tests=str(len(own)),
            failures=str(len(own) - passed - errors),
            errors=str(errors),
        )
        for outcome in own:
            case = ElementTree.SubElement(
                suite,
                "testcase",
                classname=printable(os.path.basename(path)),
                name=outcome.name,
                file=printable(path),
                line=str(outcome.line),
            )
            if outcome.status != PASSED:
                lines = [printable(line) for line in told(outcome)]
                kind = "error" if outcome.status == ERROR else "failure"
                ElementTree.SubElement(case, kind, message=lines[0]).text = "\n".join(lines)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
