"""`rules pack`: the composed rules with their tests as one archive, the same bytes each time."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import tarfile
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from plan07 import rulefiles
from plan07.rulebook import Rulebook
from plan07.ruletools.export import with_limits

FORMAT = "plan07.rules/1"


class Pack(NamedTuple):
    """An archive of rules.

    Args:
        data: a tar.gz file.
        manifest: what `manifest.json` in it says.
    """

    data: bytes
    manifest: dict[str, Any]


def pack(rules: Rulebook, version: str, overlay: str | None = None) -> Pack:
    """Return the rules of a run as an archive.

    Its directory `rules`, given as `--rules`, makes the same schedules as the run, under the digest
    in the manifest: switches and limits stand in the files.

    Args:
        rules: the composed rules.
        version: of plan07.
        overlay: the user's directory, whose tests come along.
    """
    files = [file._replace(text=with_limits(rules, rules.text(file.name))) for file in rules.files]
    held = Rulebook(files)
    tests = dict(_tests(filter(None, (rulefiles.shipped_directory(), overlay))))
    manifest = {
        "format": FORMAT,
        "plan07": version,
        "digest": held.digest,
        "switches": held.chosen,
        "limits": held.numbers,
        "files": [
            {"name": file.name, "origin": _origin(file), "sha256": _sha256(file.text)}
            for file in files
        ],
        "tests": [{"name": name, "sha256": _sha256(text)} for name, text in sorted(tests.items())],
    }
    texts = {file.name: file.text for file in files} | tests
    members = {f"rules/{name}": text for name, text in sorted(texts.items())}
    listed = {"manifest.json": json.dumps(manifest, indent=2) + "\n", **members}
    return Pack(_archive(listed), manifest)


def _origin(file: rulefiles.RuleFile) -> str:
    return "overlaid" if file.overlaid else "shipped"


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _tests(directories: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the tests beside rule files; a user's stands in for a shipped one of its name."""
    for directory in directories:
        for name in sorted(os.listdir(directory)):
            if name.endswith("_test.lp"):
                with open(os.path.join(directory, name), encoding="utf-8") as stream:
                    yield name, stream.read()


def _archive(members: dict[str, str]) -> bytes:
    out = io.BytesIO()
    # Neither the clock nor the owner of a file gets into the archive.
    with (
        gzip.GzipFile(fileobj=out, mode="wb", mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name, text in members.items():
            data = text.encode()
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()
