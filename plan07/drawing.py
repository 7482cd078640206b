"""The graph of a plan as a tree of text, Mermaid or DOT, with the state of each node."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from plan07.messages import printable
from plan07.partition import PARTS, Standing
from plan07.scope import place

_MARKS = {
    "ready": ">",
    "blocked": ".",
    "alternative": "?",
    "complete": "x",
    "failed": "!",
    "stranded": "-",
}
_FILLS = {
    "ready": "#c8e6c9",
    "blocked": "#eeeeee",
    "alternative": "#e1bee7",
    "complete": "#bbdefb",
    "failed": "#ffcdd2",
    "stranded": "#ffe0b2",
}


def tree(artifact: Mapping[str, Any], standing: Standing) -> str:
    """Return a line for each node, indented by how deep it lies, with what it waits for.

    Args:
        artifact: the plan.
        standing: its partition.
    """
    nodes = {node["id"]: node for node in artifact["nodes"]}
    depths: dict[str, int] = {}
    lines = []
    for name in sorted(nodes, key=lambda each: (_depth(each, nodes, depths), place(each))):
        node = nodes[name]
        state = _state(name, standing)
        after = f"  after {', '.join(node['dependencies'])}" if node["dependencies"] else ""
        first = f"{'  ' * depths[name]}[{_MARKS[state]}] {name} {node['obligation']}"
        lines.append(f"{first} {_target(node)} ({state}){after}")
    legend = "  ".join(f"[{mark}] {state}" for state, mark in _MARKS.items())
    return "\n".join([*lines, "", legend])


def _depth(name: str, nodes: Mapping[str, Any], known: dict[str, int]) -> int:
    """The longest path that leads to a node; a plan of one long chain needs no recursion.

    A file that something else wrote may hold a ring; whoever closes it counts for nothing.
    """
    todo, begun = [name], set()
    while todo:
        each = todo[-1]
        needs = [x for x in nodes[each]["dependencies"] if x in nodes]
        if each not in begun:
            begun.add(each)
            todo += [x for x in needs if x not in known and x not in begun]
        else:
            known.setdefault(each, max((known[x] + 1 for x in needs if x in known), default=0))
            todo.pop()
    return known[name]


def mermaid(artifact: Mapping[str, Any], standing: Standing) -> str:
    """Return a Mermaid flowchart.

    Args:
        artifact: the plan.
        standing: its partition.
    """
    names = {node["id"]: f"n{number}" for number, node in enumerate(artifact["nodes"])}
    lines = ["flowchart TD"]
    for node in artifact["nodes"]:
        label = f"{node['id']} {node['obligation']}<br/>{_escaped(_target(node))}"
        lines.append(f'  {names[node["id"]]}["{label}"]:::{_state(node["id"], standing)}')
    for node in artifact["nodes"]:
        for each in node["dependencies"]:
            if each in names:
                lines.append(f"  {names[each]} --> {names[node['id']]}")
    lines += [f"  classDef {state} fill:{fill}" for state, fill in _FILLS.items()]
    return "\n".join(lines)


def dot(artifact: Mapping[str, Any], standing: Standing) -> str:
    """Return a graph for Graphviz.

    Args:
        artifact: the plan.
        standing: its partition.
    """
    lines = ["digraph plan {", '  node [shape=box, style=filled, fontname="sans-serif"];']
    for node in artifact["nodes"]:
        label = _quoted(f"{node['id']} {node['obligation']}\n{_target(node)}")
        fill = _FILLS[_state(node["id"], standing)]
        lines.append(f'  {_quoted(node["id"])} [label={label}, fillcolor="{fill}"];')
    for node in artifact["nodes"]:
        for each in node["dependencies"]:
            lines.append(f"  {_quoted(each)} -> {_quoted(node['id'])};")
    return "\n".join([*lines, "}"])


FORMS: dict[str, Callable[[Mapping[str, Any], Standing], str]] = {
    "tree": tree,
    "mermaid": mermaid,
    "dot": dot,
}


def _state(name: str, standing: Standing) -> str:
    if name in standing.stranded:
        return "stranded"
    return next(part for part in PARTS if name in standing.parts[part])


def _target(node: Mapping[str, Any]) -> str:
    more = len(node.get("members", ())) - 1
    entity = printable(node["target_entity"])
    return f"{entity} and {more} more" if more > 0 else entity


def _escaped(text: str) -> str:
    """Return a text as Mermaid shows it: whatever could end a label is an entity."""
    return re.sub(r"[^\w .:/()\[\]-]", lambda found: f"#{ord(found.group())};", text)


def _quoted(text: str) -> str:
    clean = printable(text.replace("\n", "\0")).replace("\\u0000", "\0")
    return '"' + clean.replace("\\", "\\\\").replace('"', '\\"').replace("\0", "\\n") + '"'
