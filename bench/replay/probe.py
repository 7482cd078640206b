"""Runs in the environment of a project: imports its modules, then runs its tests.

Called as `python probe.py OUT PACKAGES -- PYTEST-ARGUMENTS`, in the root of the project; needs
nothing but pytest. Writes JSON: the modules that cannot be imported, and the outcome of each test.
"""

import importlib
import json
import pkgutil
import sys


def imports(packages):
    """Return the modules that cannot be imported, with the kind of error."""
    failed = {}
    todo = list(packages)
    while todo:
        name = todo.pop()
        if name.rpartition(".")[2] == "__main__":
            continue
        try:
            module = importlib.import_module(name)
        except BaseException as error:
            failed[name] = type(error).__name__
            continue
        for found in pkgutil.iter_modules(getattr(module, "__path__", ())):
            todo.append("%s.%s" % (name, found.name))
    return failed


class Outcomes:
    """Notes how each test ended."""

    def __init__(self):
        self.tests = {}

    def pytest_runtest_logreport(self, report):
        known = self.tests.get(report.nodeid)
        if report.when == "call" or known is None or report.outcome == "failed":
            if known != "failed":
                self.tests[report.nodeid] = report.outcome


def main(out, packages, arguments):
    told = {"imports": imports([each for each in packages.split(",") if each])}
    if arguments:
        try:
            import pytest

            noted = Outcomes()
            told["status"] = int(pytest.main(arguments, plugins=[noted]))
            told["tests"] = noted.tests
        except BaseException as error:
            told["status"] = -1
            told["tests"] = {}
            told["error"] = repr(error)
    with open(out, "w") as stream:
        json.dump(told, stream)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[4:])
