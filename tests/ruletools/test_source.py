"""Rule files read into records, compared with what clingo's own parser says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from clingo import ast
from support import RULES

from plan07 import rulebook
from plan07.errors import RulesError
from plan07.ruletools import naming, source
from plan07.ruletools.lexer import Text, tokens
from plan07.ruletools.source import Rule

TRICKY = [
    "p.",
    "p(1;2).",
    "p(1,a;2,b) :- q(1;X), r(X).",
    "p((1;2),3). q(()). r((a,)).",
    'p("a. b :- c % d", X) :- q(X), X = "%* *%".',
    "p(X) :- q(X), not r(X,_), not not s(X), X != 1, 1 < X <= 5.",
    "p(N) :- N = #count { X, Y : q(X), not r(Y) ; Z : s(Z) }, t.",
    "p :- 2 { q(X) : r(X), not s ; t } 3, not { u }, #sum+ { X : v(X) } > 1.",
    "p :- q : r, s; t.",
    "p :- q(X) : r(X); not s(Y) : t(Y), u; v.",
    "{ p(X) : q(X), not r ; s } = 1 :- t.",
    "p ; q | r.",
    "p(X) : q(X), r ; s :- t.",
    "#sum { 1, a : p : q } > 1 :- r.",
    "p(X + 1, -X, |X|, X \\ 2, X ** 2, ~X, 1..X) :- q(X), X = 1..3.",
    "-p(X) :- -q(X), not -r.",
    "p :- #true, not #false, #inf < X, q(X), X < #sup.",
    "p' :- _q'(X_y, Y'), __Z = 1, r(__Z).",
    "p(0x1F, 0b11, 0o17, -5).",
    ":- p, q.",
    "#false :- p.",
    ":~ p(X), not q. [X@2, a, X]",
    "p :- q, %* no. %* r. *% *% s. % t.",
    "p :- f(g(X), (Y, Z)) = W, q(X, Y, Z), r(W).",
    "p(X) :- X = @f(1), q.",
    "p :- a:.",
]


def shipped() -> list[str]:
    return [path.read_text("utf-8") for path in sorted(RULES.glob("*.lp"))]


def atoms_of(node: Any, sign: int = 0) -> Iterator[tuple[str, int, int]]:
    """Yield name, arity and sign of every atom below a node of clingo's tree."""
    if node is None:
        return
    if isinstance(node, ast.AST):
        if node.ast_type == ast.ASTType.Literal:
            sign = node.sign
        if node.ast_type == ast.ASTType.SymbolicAtom:
            yield from ((name, arity, sign) for name, arity in symbols(node.symbol))
            return
        for key in node.child_keys:
            child = getattr(node, key)
            for each in [child] if child is None or isinstance(child, ast.AST) else child:
                yield from atoms_of(each, sign)


def symbols(symbol: ast.AST, minus: str = "") -> Iterator[tuple[str, int]]:
    if symbol.ast_type == ast.ASTType.UnaryOperation:
        yield from symbols(symbol.argument, "-")
    elif symbol.ast_type == ast.ASTType.Pool:
        found = [each for argument in symbol.arguments for each in symbols(argument, minus)]
        # Alternatives with as many arguments are one atom with pools in it.
        yield from found[:1] if len(set(found)) == 1 else found
    elif symbol.ast_type == ast.ASTType.SymbolicTerm:
        yield minus + symbol.symbol.name, 0
    else:
        yield minus + symbol.name, len(symbol.arguments)


def variables_of(node: Any) -> Iterator[str]:
    if isinstance(node, ast.AST):
        if node.ast_type == ast.ASTType.Variable:
            yield node.name
        for key in node.child_keys:
            child = getattr(node, key)
            for each in [child] if child is None or isinstance(child, ast.AST) else child:
                yield from variables_of(each)


def by_clingo(text: str) -> list[tuple[Counter[Any], Counter[Any], Counter[str]]]:
    """Return for each rule the atoms of its head, those of its body, and its variables."""
    found = []

    def collect(node: ast.AST) -> None:
        if node.ast_type == ast.ASTType.Rule:
            head, body = Counter(atoms_of(node.head)), Counter[Any]()
            for literal in node.body:
                body.update(atoms_of(literal))
            found.append((head, body, Counter(variables_of(node))))

    ast.parse_string(text, collect)
    return found


SIGNS = {"": 0, "not": 1, "not not": 2}


def as_read(rule: Rule) -> tuple[Counter[Any], Counter[Any], Counter[str]]:
    head = Counter(
        (atom.name, atom.arity, SIGNS[atom.sign])
        for literal in rule.head
        for atom in literal.atoms()
    )
    body = Counter(
        (atom.name, atom.arity, SIGNS[atom.sign])
        for literal in rule.body
        for atom in literal.atoms()
    )
    variables = Counter(
        "_" if term.kind == "anonymous" else term.text
        for term in rule.all_terms()
        if term.kind in ("variable", "anonymous")
    )
    return head, body, variables


def rules_of(text: str) -> list[Rule]:
    declared = {"show", "defined", "const", "optimisation", "program"}
    return [each for each in source.parse_text(text).rules if each.kind not in declared]


@pytest.mark.parametrize("text", [*TRICKY, *shipped()], ids=lambda text: text[:30])
def test_what_is_read_is_what_clingo_reads(text: str) -> None:
    read = [as_read(rule) for rule in rules_of(text)]
    if text.startswith("#false"):
        # clingo keeps the constant as the head of a constraint.
        assert [each[1:] for each in read] == [each[1:] for each in by_clingo(text)]
    elif ":~" in text:
        assert read == []
    else:
        # A pool in the arguments of one atom is read once, with the pool in each argument.
        pooled = ";" in text and "(1,a;2,b)" in text
        assert [each[: 2 if pooled else 3] for each in read] == [
            each[: 2 if pooled else 3] for each in by_clingo(text)
        ]


@pytest.mark.parametrize(
    ("text", "kind", "heads"),
    [
        ("p.", "fact", (("p", 0),)),
        ("p(X) :- q(X).", "derivation", (("p", 1),)),
        ('violation(a(1), "O1").', "violation", (("violation", 2),)),
        ("advice(a, O) :- q(O).", "advice", (("advice", 2),)),
        ("precedes(O, P, a) :- q(O, P).", "edge", (("precedes", 3),)),
        ("ready(U) :- q(U).", "partition", (("ready", 1),)),
        ("{ p(X) : q(X) ; r }.", "choice", (("p", 1), ("r", 0))),
        ("p ; q.", "choice", (("p", 0), ("q", 0))),
        (":- p.", "constraint", ()),
        ("#false :- p.", "constraint", ()),
        (":~ p. [1@2]", "optimisation", ()),
        ("#maximize { X@1, a : p(X) }.", "optimisation", ()),
        ("#show p/1.", "show", ()),
        ("#show -p/1.", "show", ()),
        ("#show.", "show", ()),
        ("#show X : p(X).", "show", ()),
        ("#defined p/1.", "defined", ()),
        ("#const n = 3.", "const", ()),
        ("#program later.", "program", ()),
        ("#external p : q. [true]", "external", ()),
        ("#edge (a, b) : p.", "acyclic", ()),
        ("p :- &sum { x } > 1.", "unread", ()),
        ("#theory t { a { - : 1, unary } ; &s/0 : a, body }.", "theory", ()),
    ],
)
def test_kinds(text: str, kind: str, heads: tuple[tuple[str, int], ...]) -> None:
    (rule,) = source.parse_text(text).rules
    assert (rule.kind, rule.heads) == (kind, heads)
    assert rule.derives is (bool(heads))


def test_where_it_stands() -> None:
    (one, two) = source.parse_text('% é\np("é"). q :-\n  r,\n  not  s(X\n) : t(X).\n').rules
    assert (one.line, one.column, one.end_line, one.end_column) == (2, 1, 2, 8)
    assert (two.line, two.column, two.end_line, two.end_column) == (2, 9, 5, 10)
    assert two.text == "q :-\n  r,\n  not  s(X\n) : t(X)."
    literal = two.body[1]
    assert (literal.text, literal.sign, literal.name, literal.arity, literal.kind) == (
        "not s(X) : t(X)",
        "not",
        "s",
        1,
        "conditional",
    )
    assert (literal.line, literal.column) == (4, 3)
    assert source.one_line(two) == "q :- r, not s(X) : t(X)."


def test_a_statement_too_deep_to_be_read() -> None:
    deep = f"p({'f(' * 3000}a{')' * 3000}).\nq.\n"
    assert [rule.kind for rule in source.parse_text(deep).rules] == ["unread", "fact"]


class TestIds:
    def test_they_say_what_a_rule_derives(self) -> None:
        text = (
            "p(X) :- q(X).\np(X) :- r(X).\nviolation(code(1), O) :- q(O).\n"
            "precedes(O, P, ladder(N, name, W)) :- s(O, P, N, W).\n"
            'role(O, widen, change(K)) :- q(O), t(K).\nlexicon(("a"; "b"), change(rename)).\n'
            'advice("words", O) :- q(O).\n#show p/1.\n:- p(1).\n{ p(2) }.\n'
        )
        assert [rule.id for rule in source.parse_text(text, "my.lp").rules] == [
            "my.p",
            "my.p.2",
            "my.code",
            "my.ladder",
            "my.role.widen",
            "my.lexicon.rename",
            "my.advice",
            "my.show_p",
            "my.constraint",
            "my.p.3",
        ]

    def test_a_line_above_names_a_rule(self) -> None:
        text = "% words\n%@ id: a.b\n%@ title: Words of a title\np :- q. r.\n\n%@ id: c\n\ns.\n"
        p, r, s = source.parse_text(text).rules
        assert (p.id, p.title, p.named) == ("a.b", "Words of a title", True)
        assert (r.id, s.id, s.named) == ("rules.r", "rules.s", False)

    def test_every_id_is_one_rule_s(self) -> None:
        ids = [rule.id for rule in source.parse(rulebook.load()).rules]
        assert len(ids) == len(set(ids))
        assert all(naming.is_id(each) for each in ids)

    def test_titles(self) -> None:
        text = (
            "%*! p(X)\nWhat it means.  Output.\nArgs:\n    - X: a thing\n*%\n"
            "p(1).\n% It is so. More words.\np(2).\n"
            "violation(unknown_dependency(P), O) :- q(O, P).\n"
            'violation("own words", O) :- q(O, O).\n'
        )
        assert [rule.title for rule in source.parse_text(text).rules] == [
            "What it means",
            "It is so",
            "<subject> depends on <missing>, which the plan does not hold",
            "own words",
        ]


class TestPredicates:
    def test_roles_makers_and_readers(self) -> None:
        found = source.parse(rulebook.load()).predicates
        verb, kind, row = found["verb", 2], found["kind", 3], found["row", 4]
        assert (verb.role, verb.makers, verb.files) == ("input", (), ("actions.lp", "roles.lp"))
        assert (verb.text, verb.title) == ("verb(Obligation, Verb)", "What is to be done")
        assert (kind.role, kind.makers) == (
            "output",
            ("draft.kind.draft", "roles.kind", "roles.kind.phrase", "roles.kind.body"),
        )
        assert "impact.used" in kind.readers
        assert (row.role, row.text, row.makers) == ("private", "row/4", ("impact.row",))
        assert found["precedes", 3].shown == ("ladder.show_precedes", "temporal.show_precedes")

    def test_the_file_that_makes_it_is_heard_first(self) -> None:
        found = source.parse(rulebook.load()).predicates["precedes", 3]
        assert found.files == ("cycles.lp", "ladder.lp")
        assert found.args[2][1].startswith("declared, derived (kept from an earlier solve)")

    def test_values_that_are_listed(self) -> None:
        """What documentation lists is what conditions may ask for."""
        found = source.parse(rulebook.load()).predicates
        listed = {
            f"{each.text}.{name}": values
            for each in found.values()
            for (name, _), values in zip(each.args, each.values, strict=True)
            if values and each.role == "input"
        }
        resolutions = ("exact", "typed", "dynamic", "heuristic", "ambiguous")
        says = "impact_says(Cause, From, To, Change, Strength, Order, Resolution)"
        items = ("goal", "criterion/1")
        assert listed == {
            "announces(Document, Entity, As).As": ("changes", "mention"),
            "argument(Dependent, Dependency, Parameter, Use).Use": (
                "by_position",
                "by_keyword",
                "omits",
                "unclear",
            ),
            "grounding(Obligation, Target, Answer).Answer": (
                "unresolved",
                "ambiguous",
                "unsupported",
                "invalid_ref",
            ),
            "impact(Cause, From, To, Resolution).Resolution": resolutions,
            f"{says}.Strength": ("must", "should", "check", "revalidate", "unsaid"),
            f"{says}.Order": (
                "definition_first",
                "dependents_first",
                "together",
                "none",
                "unsaid",
            ),
            f"{says}.Resolution": resolutions,
            "names(Item, Entity).Item": items,
            "names_test(Item, Test).Item": items,
            "phrase(Obligation, Field, Phrase).Field": ("caused_by", "evidence", "validation"),
            "relation(Kind, Dependent, Dependency, Resolution).Resolution": resolutions,
            "says(Item, Phrase).Item": items,
            "score(Subject, Source, Number).Source": ("lex", "cochange", "confidence"),
            "state(Obligation, State).State": ("complete", "failed"),
            "status(Obligation, Status).Status": ("ready", "blocked", "alternative"),
            "uses(Relation, Dependent, Dependency, Resolution, Number).Resolution": resolutions,
            "verb(Obligation, Verb).Verb": ("modify", "preserve", "validate"),
        }

    def test_a_switch_lists_its_values(self) -> None:
        found = source.parse(rulebook.load()).predicates["cycle_policy", 1]
        assert (found.switch, found.values) == (True, (("collapse", "refuse"),))


class TestFaults:
    def test_every_fault_is_told_by_line_and_column(self) -> None:
        with pytest.raises(RulesError) as caught:
            source.parse_text('p("é", X :- q.\nr.\ns(.\n', "my.lp")
        assert caught.value.code == "RULES_SYNTAX"
        assert caught.value.message.startswith("my.lp:1:10: syntax error, unexpected :-")
        assert caught.value.message.endswith("(and 1 more)")
        assert [(each["line"], each["column"]) for each in caught.value.detail["faults"]] == [
            (1, 10),
            (3, 3),
        ]

    @pytest.mark.parametrize("text", ["p(é).", 'p("a\0").', '"é', "p. ü"])
    def test_no_text_ends_the_process(self, text: str) -> None:
        with pytest.raises(RulesError, match="unexpected character"):
            source.parse_text(text)


def test_tokens_and_comments_are_all_there_is() -> None:
    for text in shipped():
        found, comments = tokens(Text(text))
        spans = sorted((each.at, each.text) for each in [*found, *comments])
        rest, end = [], 0
        for at, part in spans:
            assert text[at : at + len(part)] == part
            rest.append(text[end:at])
            end = at + len(part)
        assert "".join([*rest, text[end:]]).strip() == ""
