"""A scripted agent: `python agent.py EDITS` copies the files in EDITS/NODE over the repository.

It stands for a coding agent: it reads one obligation on standard input, edits, and exits. A file
`wait` in EDITS/NODE makes it hang the first time, after its first edit, as a wedged agent would.
"""

import json
import shutil
import sys
import time
from pathlib import Path

edits = Path(sys.argv[1])
node = json.load(sys.stdin)["node_id"]
folder = edits / node
for file in sorted(each for each in folder.rglob("*") if each.is_file()):
    name = file.relative_to(folder)
    if str(name) == "wait":
        marker = edits / f"{node}.waited"
        if not marker.exists():
            marker.touch()
            time.sleep(600)
        continue
    name.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, name)
