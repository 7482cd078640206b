"""Reads `tags.jsonl`, which `ctags --output-format=json --fields=+n -o tags.jsonl -R` writes."""

import json

from plan07.recon import NodeRow, Part

KINDS = {"class": "class", "struct": "struct", "func": "function", "method": "method"}


def read(repository):
    place = repository.look("tags.jsonl")
    if place is None:
        return
    nodes = []
    with open(place, encoding="utf-8") as stream:
        for tag in map(json.loads, stream):
            path, name = tag["path"], tag["name"]
            if tag["kind"] in KINDS and not repository.nodes(path):
                fqn = ".".join(filter(None, [tag.get("scope"), name]))
                nodes.append(NodeRow(fqn, KINDS[tag["kind"]], name, path, tag["line"]))
    yield Part(nodes=nodes)
