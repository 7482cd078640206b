"""Checks that a wheel holds exactly the packages and the rules, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import zipfile


def main(path: str) -> None:
    """Compare the wheel with what git tracks."""
    names = {name for name in zipfile.ZipFile(path).namelist() if ".dist-info/" not in name}
    tracked = subprocess.run(
        ["git", "ls-files", "plan07", "encoders/plan07_encoders", "rules"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    expected = {
        name.replace("encoders/", "", 1) if name.startswith("encoders/") else name
        for name in tracked
        if not name.startswith("rules/")
    }
    expected |= {
        f"plan07/{name}"
        for name in tracked
        if name.startswith("rules/") and name.endswith(".lp") and not name.endswith("_test.lp")
    }
    if names != expected:
        sys.exit(f"wheel: too much {sorted(names - expected)}, missing {sorted(expected - names)}")
    print(f"wheel: {len(names)} files, as tracked")


if __name__ == "__main__":
    main(sys.argv[1])
