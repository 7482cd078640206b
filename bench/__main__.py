"""`python -m bench NAME [OPTIONS]` runs a benchmark; without a name it lists them."""

from __future__ import annotations

import sys
from importlib import import_module

# Name to the module whose `main(argv)` runs it, imported when it is asked for, and what it does.
# `all` runs those of `bench.every`.
SUBCOMMANDS = {
    "solve": ("bench.solve", "a solve in process and cold, its memory and its growth"),
    "drive": ("bench.drive", "next, status and validate on a plan, in process and cold"),
    "rules": ("bench.rules", "where the time of a solve goes, by stage and by rule"),
    "peers": ("bench.peers", "next, beside task trackers for coding agents, to 10,000 tasks"),
    "neighbourhood": ("bench.neighbourhood", "reading and walking a recon.db of a million nodes"),
    "readers": ("bench.readers", "reading index.scip and .coverage of large projects"),
    "evidence": ("bench.evidence", "building the evidence of real projects; agreement with jedi"),
    "calibration": ("bench.calibration", "the impact table beside the commits of a repository"),
    "replay": (
        "bench.replay.command",
        "real commits re-applied in several orders, every state tried",
    ),
    "live": ("bench.live.record", "four arms on small tasks, recorded with a local model"),
    "model": ("bench.model", "three requests through a local model"),
    "all": ("bench.every", "each of the above for which everything is there"),
    "page": ("bench.page", "the results page and its plots, anew from the results"),
}


def main(argv: list[str]) -> int:
    """Run what the first argument names."""
    if not argv or argv[0] in ("-h", "--help"):
        print("usage: python -m bench NAME [--help] [OPTIONS]\n")
        width = max(map(len, SUBCOMMANDS))
        for name, (_, text) in SUBCOMMANDS.items():
            print(f"  {name.ljust(width)}  {text}")
        return 0
    if argv[0] not in SUBCOMMANDS:
        print(f"bench: there is no {argv[0]}; one of {', '.join(SUBCOMMANDS)}", file=sys.stderr)
        return 2
    return int(import_module(SUBCOMMANDS[argv[0]][0]).main(argv[1:]) or 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
