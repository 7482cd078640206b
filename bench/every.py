"""`python -m bench all`: each benchmark for which everything that it needs is there."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

from bench.__main__ import SUBCOMMANDS

# Name to the option of `all` that it needs, and to the options of its own that are passed on.
NEEDS = {"calibration": "repository", "model": "gguf"}
NAMES = (
    *("solve", "drive", "rules", "peers", "neighbourhood", "readers"),
    *("evidence", "calibration", "model"),
)


def main(argv: list[str]) -> int:
    """Run them one after the other; what one needs and is not there leaves out that one."""
    parser = argparse.ArgumentParser(prog="python -m bench all", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds and smaller sizes")
    parser.add_argument("--out", type=Path, metavar="FILE", help="the results, their page beside")
    parser.add_argument("--plot", type=Path, metavar="DIR", help="draw the plots into a directory")
    parser.add_argument("--bin", action="append", metavar="DIR", help="peers: where they lie")
    parser.add_argument("--sources", metavar="DIR", help="evidence: keep the projects here")
    parser.add_argument("--repository", metavar="PATH", help="calibration: a clone")
    parser.add_argument("--gguf", metavar="FILE", help="model: the weights")
    parser.add_argument("--python", metavar="PYTHON", help="model: has xllamacpp or llama_cpp")
    given = parser.parse_args(argv)
    for name in NAMES:
        need = NEEDS.get(name)
        if need and getattr(given, need) is None:
            print(f"bench: {name} is left out: it needs --{need}")
            continue
        import_module(SUBCOMMANDS[name][0]).main(arguments(name, given))
    return 0


def arguments(name: str, given: argparse.Namespace) -> list[str]:
    """Return the arguments of one of them."""
    words = ["--quick"] if given.quick else []
    words += ["--out", str(given.out)] if given.out else []
    words += ["--plot", str(given.plot)] if given.plot else []
    if name == "peers":
        words += [word for place in given.bin or () for word in ("--bin", place)]
    elif name == "evidence" and given.sources:
        words += ["--sources", given.sources]
    elif name == "calibration":
        words.append(given.repository)
    elif name == "model":
        words += ["--gguf", given.gguf]
        words += ["--python", given.python] if given.python else []
    return words
