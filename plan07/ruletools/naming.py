"""What a rule is called: its kind, its id and its title.

Ids are written above a rule (`%@ id: NAME`) or made of what it derives, so that they survive when
other rules are added; so are titles.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from plan07.ruletools.domains import alternatives
from plan07.ruletools.lexer import Comment
from plan07.ruletools.records import Literal, Rule, Term
from plan07.words import TABLE

_HEADS = {
    "precedes": "edge",
    "atomic": "edge",
    "violation": "violation",
    "advice": "advice",
    "ready": "partition",
    "blocked": "partition",
    "complete": "partition",
    "failed": "partition",
    "alternative": "partition",
}
_PLAIN = re.compile(r"%[ \t]+(?!plan07:|Stage:)(.+)")
_SENTENCE = re.compile(r"(?<=[^.])[.:](?:\s|\Z)")
_DETAIL = re.compile(r"\{(\w+)(?::\w+)?\}")
_META = re.compile(r"%@[ \t]*(\w+)[ \t]*:[ \t]*(.*?)[ \t]*\Z")
_ID = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*\Z")


def metadata(comments: Iterable[Comment]) -> dict[int, dict[str, str]]:
    """Return what `%@` lines say, by the line below the block of comments that they stand in.

    Without a title, the first sentence of the other comments in the block is one.
    """
    found: dict[int, dict[str, str]] = {}
    for comment in comments:
        if comment.trails:
            continue
        said = found.pop(comment.line, {})
        meta = _META.match(comment.text)
        plain = _PLAIN.match(comment.text)
        if meta:
            said[meta[1]] = meta[2]
        elif plain:
            said["comment"] = f"{said.get('comment', '')} {plain[1]}".strip()
        found[comment.end_line + 1] = said
    return found


def title(said: Mapping[str, str]) -> str:
    """Return the title in what stands above a rule, or ""."""
    return said.get("title") or _SENTENCE.split(said.get("comment", ""), 1)[0].rstrip(".")


def words(rule: Rule) -> str:
    """Return what a violation or advice tells, its details in angle brackets."""
    if rule.kind not in ("violation", "advice"):
        return ""
    code = next(iter(next(rule.derived()).args), None)
    if code is None:
        return ""
    if code.kind == "string":
        return code.text.strip('"')
    words = TABLE.get(code.text)
    return _DETAIL.sub(r"<\1>", words.message) if words else ""


def kind(head: Sequence[Literal], heads: Sequence[tuple[str, int]], body: Sequence[Literal]) -> str:
    """Return what kind of rule a rule with a head is; the arguments are as in `Rule`."""
    if len(head) > 1 or any(each.kind != "atom" for each in head):
        return "choice"
    special = _HEADS.get(heads[0][0])
    return special or ("derivation" if body else "fact")


def stem(rule: Rule) -> str:
    """Return what sets a rule apart: the code, rung or order that it derives, or its head."""
    if not rule.heads:
        return f"{rule.kind}_{rule.signature[0]}" if rule.signature else rule.kind
    name = rule.heads[0][0]
    args = next(rule.derived()).args
    if rule.kind in ("violation", "advice"):
        name = args[0].text if args and args[0].kind in ("constant", "function") else name
    elif rule.kind == "edge":
        name = _named_by(args[2:3]) or name
    elif first := _named_by(args):
        name = f"{name}.{first}"
    return name.replace("'", "_").replace("-", "not_")


def _named_by(args: Iterable[Term]) -> str:
    """Return the first name among some terms; `change(rename)` is named by what it is about."""
    for arg in args:
        term = next(alternatives(arg))
        if term.kind == "function" and term.args and term.args[0].kind == "constant":
            return term.args[0].text
        if term.kind in ("constant", "function"):
            return term.text
    return ""


def is_id(text: str) -> bool:
    """Return whether a text can be the id of a rule: words in lower case, joined by dots."""
    return bool(_ID.match(text))
