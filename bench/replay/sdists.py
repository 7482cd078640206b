"""Makes small histories out of source distributions, for those who have no clones.

    python -m bench.replay.sdists --repos DIR

Two consecutive releases of a project, with the tests that they ship, become a git repository of two
commits, DIR/sdist__NAME; the corpus knows it as `sdist/NAME`. pip fetches them from the package
index, and takes nothing but the pinned hashes. All that git adds is fixed, so that the commits have
the same ids on every machine: those that corpus.json names.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import NamedTuple


class Release(NamedTuple):
    """A version of a project, and the SHA-256 of its source distribution (64 hex digits)."""

    version: str
    sha256: str


class Pair(NamedTuple):
    """Two consecutive releases of a project."""

    name: str
    old: Release
    new: Release


PAIRS = (
    Pair(
        "itsdangerous",
        Release("2.0.1", "9e724d68fc22902a1435351f84c3fb8623f303fffcc566a4cb952df8c572cff0"),
        Release("2.1.0", "d848fcb8bc7d507c4546b448574e8a44fc4ea2ba84ebf8d783290d53e81992f5"),
    ),
    Pair(
        "marshmallow",
        Release("3.15.0", "2aaaab4f01ef4f5a011a21319af9fce17ab13bf28a026d1252adab0e035648d5"),
        Release("3.16.0", "a762c1d8b2bcb0e5c8e964850d03f9f3bffd6a12b626f3c14b9d6b1841999af5"),
    ),
    Pair(
        "sqlite-utils",
        Release("3.24", "d1b92f8752fe1eac87e7f18a6b0e09f8e3c9ff247cf36260588e2f047eafd253"),
        Release("3.25", "38a970b97c17194d9605ab84df749802e1f3bcf06135dc180779d0a39576b142"),
    ),
    Pair(
        "typeguard",
        Release("4.1.5", "ea0a113bbc111bcffc90789ebb215625c963411f7096a7e9062d4e4630c155fd"),
        Release("4.2.0", "2aeae510750fca88d0a2ceca3e86de7f71aa43b6c3e6c267737ce1f5effc4b34"),
    ),
)


def fetch(name: str, release: Release, folder: Path) -> Path:
    """Return the source distribution of a release, fetched into a folder unless it is there.

    Raises:
        subprocess.CalledProcessError: pip could not get it, or what it got has another hash.
        ValueError: what was there already has another hash.
    """
    folder.mkdir(parents=True, exist_ok=True)
    found = folder / f"{name}-{release.version}.tar.gz"
    if not found.exists():
        pinned = folder / f"{name}.txt"
        pinned.write_text(f"{name}=={release.version} --hash=sha256:{release.sha256}\n")
        subprocess.run(
            [
                *(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary"),
                *(":all:", "--require-hashes", "-d", str(folder), "-r", str(pinned)),
            ],
            check=True,
        )
    digest = hashlib.sha256(found.read_bytes()).hexdigest()
    if digest != release.sha256:
        raise ValueError(f"{found} has SHA-256 {digest}, not {release.sha256}")
    return found


def unpack(archive: Path, tree: Path) -> None:
    """Unpack a source distribution, without the folder that holds all of it.

    Args:
        archive: the file; members that lead out of it are refused.
        tree: a directory that is not there yet.

    Raises:
        tarfile.FilterError: a member leads out of the archive, or is a device.
        ValueError: not everything lies in one folder.
    """
    with tempfile.TemporaryDirectory(dir=tree.parent) as place:
        with tarfile.open(archive) as packed:
            packed.extractall(place, filter="data")
        inside = sorted(Path(place).iterdir())
        if len(inside) != 1 or not inside[0].is_dir():
            raise ValueError(f"{archive.name} does not hold one folder")
        inside[0].rename(tree)


def commit(repository: Path, tree: Path, message: str, day: str) -> str:
    """Commit the files of a tree, and nothing else, and return the id of the commit.

    Args:
        repository: a git directory, made if it is not there.
        tree: a directory with all files.
        message: of the commit.
        day: YYYY-MM-DD, on which it is said to be made.
    """
    moment = f"{day}T00:00:00+0000"
    settings = {
        "PATH": os.environ.get("PATH", os.defpath),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_DIR": str(repository),
        "GIT_WORK_TREE": str(tree),
    }
    for who in ("AUTHOR", "COMMITTER"):
        settings |= {f"GIT_{who}_NAME": "sdist", f"GIT_{who}_EMAIL": "sdist@example.invalid"}
        settings[f"GIT_{who}_DATE"] = moment

    def git(*arguments: str) -> str:
        ended = subprocess.run(
            ["git", *arguments], env=settings, check=True, capture_output=True, text=True
        )
        return ended.stdout.strip()

    if not repository.exists():
        git("init", "-q", "--object-format=sha1", "-b", "main")
        git("config", "--unset", "core.worktree")
        git("config", "core.autocrlf", "false")
    git("add", "--all", "--force", ".")
    git("commit", "-q", "--no-verify", "--no-gpg-sign", "-m", message)
    return git("rev-parse", "HEAD")


def history(pair: Pair, repos: Path, archives: Path) -> tuple[str, str]:
    """Make the repository of a pair and return the ids of its two commits.

    Args:
        pair: which releases.
        repos: where `sdist__NAME` is made; one that is there already is made anew.
        archives: where the source distributions are kept.

    Raises:
        subprocess.CalledProcessError: pip or git failed.
        ValueError: a source distribution is not as they are.
    """
    target = repos / f"sdist__{pair.name}"
    repos.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=repos) as place:
        repository = Path(place) / "git"
        made = []
        for number, release in enumerate((pair.old, pair.new), 1):
            tree = Path(place) / release.version
            unpack(fetch(pair.name, release, archives), tree)
            message = f"{pair.name} {release.version}"
            made.append(commit(repository, tree, message, f"2000-01-0{number}"))
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir()
        repository.rename(target / ".git")
    return made[0], made[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--archives", type=Path, default=Path.home() / ".cache/plan07-sdists")
    chosen = parser.parse_args()
    for pair in PAIRS:
        old, new = history(pair, chosen.repos, chosen.archives)
        print(f"sdist/{pair.name} {old} {new}")


if __name__ == "__main__":
    main()
