"""Rules taken apart so that their bodies can be put to the solver again, condition by condition.

A form is a rule without pools: `done(O) :- state(O, (complete; failed)).` has two. What is in it
is text again, so that the solver evaluates what the solver has read: nothing here knows what an
aggregate or a negation means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from plan07.ruletools import terms

# A node of a parsed program; which attributes it has depends on its kind.
Node: TypeAlias = Any
# Stands in a term where the rule has an anonymous variable.
ANY = "plan07_any"
_ATOM, _COMPARISON, _AGGREGATE, _CONDITIONAL = "atom", "comparison", "aggregate", "conditional"


class Way(NamedTuple):
    """One way in which a condition can be evaluated.

    Args:
        needs: variables that other conditions must have bound.
        gives: variables that are bound afterwards.
    """

    needs: frozenset[str]
    gives: frozenset[str]


class Part(NamedTuple):
    """What an aggregate counts, or a conditional literal demands.

    Args:
        conditions: when it applies, as ASP text.
        atoms: the positive atoms in it, as terms.
    """

    conditions: tuple[str, ...]
    atoms: tuple[str, ...]


class Condition(NamedTuple):
    """A literal of a body.

    Args:
        text: as ASP text.
        kind: atom, comparison, aggregate, conditional or boolean.
        sign: "", "not" or "not not".
        atom: of an atom, itself as a term.
        ways: how it can be evaluated, the best first.
        parts: of an aggregate or conditional literal.
    """

    text: str
    kind: str
    sign: str
    atom: str
    ways: tuple[Way, ...]
    parts: tuple[Part, ...] = ()


class Form(NamedTuple):
    """A rule without pools, for one of its head atoms.

    Args:
        head: the atom that it derives, or "" for a constraint.
        name: the predicate of the head.
        arguments: of the head, each with the variables that it needs to be compared: a computed
            argument needs all of its variables, another binds them.
        body: the conditions; those of a choice's element last.
        variables: those that stand outside aggregates and conditional literals, in order.
    """

    head: str
    name: str
    arguments: tuple[tuple[str, frozenset[str]], ...]
    body: tuple[Condition, ...]
    variables: tuple[str, ...]


@lru_cache(maxsize=4096)
def forms(text: str) -> tuple[Form, ...]:
    """Return the forms of a rule; none of a statement that is no rule.

    >>> [form.head for form in forms("a(1). ")], [form.head for form in forms("b(X;Y) :- c(X,Y).")]
    (['a(1)'], ['b(X)', 'b(Y)'])

    Args:
        text: one statement, which has been parsed before.
    """
    from clingo import ast

    rules: list[Node] = []

    def collect(statement: Node) -> None:
        if statement.ast_type == ast.ASTType.Rule:
            rules.extend(statement.unpool(condition=True))

    ast.parse_string(text, collect)
    return tuple(form for rule in rules for form in _forms(rule))


def _forms(rule: Node) -> Iterator[Form]:
    from clingo import ast

    known = _global_variables(rule)
    body = [_condition(literal, known) for literal in rule.body]
    if rule.head.ast_type == ast.ASTType.Literal:
        yield _form(rule.head, body, known)
        return
    for element in getattr(rule.head, "elements", ()):
        # `#sum { ... }` in a head puts the atom and its condition one level deeper.
        chosen = getattr(element, "condition", None)
        literal = getattr(element, "literal", None)
        if literal is not None and literal.ast_type == ast.ASTType.ConditionalLiteral:
            literal, chosen = literal.literal, literal.condition
        if literal is None:
            continue
        renamed = _renamed(literal, known)
        more = [_renamed(each, known) for each in chosen or ()]
        inner = [*known, *_variables([renamed, *more])]
        variables = tuple(dict.fromkeys(inner))
        yield _form(renamed, [*body, *(_condition(each, variables) for each in more)], variables)


def _form(head: Node, body: list[Condition], variables: tuple[str, ...]) -> Form:
    from clingo import ast

    if head.atom.ast_type != ast.ASTType.SymbolicAtom:
        return Form("", "", (), tuple(body), variables)
    symbol = head.atom.symbol
    arguments = tuple(symbol.arguments) if symbol.ast_type == ast.ASTType.Function else ()
    name = symbol.name if symbol.ast_type == ast.ASTType.Function else str(symbol).split("(")[0]
    return Form(
        str(symbol),
        name,
        tuple((str(each), _needed(each)) for each in arguments),
        tuple(body),
        variables,
    )


def _global_variables(rule: Node) -> tuple[str, ...]:
    """The variables that have one value in a ground instance of a rule."""
    from clingo import ast

    found: list[str] = []
    for literal in rule.body:
        if literal.ast_type == ast.ASTType.ConditionalLiteral:
            continue
        inner = literal.atom
        if inner.ast_type in (ast.ASTType.BodyAggregate, ast.ASTType.Aggregate):
            guards = [each for each in (inner.left_guard, inner.right_guard) if each is not None]
            found += _variables(guards)
        else:
            found += _variables([literal])
    if rule.head.ast_type == ast.ASTType.Literal:
        found += _variables([rule.head])
    return tuple(dict.fromkeys(found))


def _condition(literal: Node, known: tuple[str, ...]) -> Condition:
    from clingo import ast

    text = str(literal)
    used = frozenset(_variables([literal])) & frozenset(known)
    if literal.ast_type == ast.ASTType.ConditionalLiteral:
        inner = tuple(_positive([literal.literal, *literal.condition]))
        part = Part(tuple(map(str, literal.condition)), inner)
        return Condition(text, _CONDITIONAL, "", "", (Way(used, frozenset()),), (part,))
    sign = ("", "not", "not not")[literal.sign]
    inner = literal.atom
    if inner.ast_type == ast.ASTType.SymbolicAtom:
        atom = _anonymous(inner.symbol)
        if sign:
            return Condition(text, _ATOM, sign, atom, (Way(used, frozenset()),))
        needs = _needed(inner.symbol)
        return Condition(text, _ATOM, sign, atom, (Way(needs, used),))
    if inner.ast_type == ast.ASTType.Comparison:
        return Condition(text, _COMPARISON, sign, "", _ways(literal, used))
    if inner.ast_type in (ast.ASTType.BodyAggregate, ast.ASTType.Aggregate):
        parts = tuple(_part(element) for element in inner.elements)
        return Condition(text, _AGGREGATE, sign, "", _counted(literal, used), parts)
    return Condition(text, "boolean", sign, "", (Way(used, frozenset()),))


def _part(element: Node) -> Part:
    from clingo import ast

    conditions = list(element.condition)
    if element.ast_type == ast.ASTType.ConditionalLiteral:
        conditions.insert(0, element.literal)
    return Part(tuple(map(str, conditions)), tuple(_positive(conditions)))


def _ways(literal: Node, used: frozenset[str]) -> tuple[Way, ...]:
    """How a comparison can be evaluated: an equality may bind one of its sides."""
    from clingo import ast

    plain = Way(used, frozenset())
    guards = literal.atom.guards
    if literal.sign or len(guards) != 1:
        return (plain,)
    if guards[0].comparison != ast.ComparisonOperator.Equal:
        return (plain,)
    left, right = literal.atom.term, guards[0].term
    found = [plain]
    for bound, value in ((left, right), (right, left)):
        if not _needed(bound):
            needs = frozenset(_variables([value]))
            found.append(Way(needs, used - needs))
    return tuple(found)


def _counted(literal: Node, used: frozenset[str]) -> tuple[Way, ...]:
    """How an aggregate can be evaluated: `N = #count { … }` binds N."""
    from clingo import ast

    plain = Way(used, frozenset())
    guard = literal.atom.left_guard
    if literal.sign or guard is None or guard.comparison != ast.ComparisonOperator.Equal:
        return (plain,)
    inside = frozenset(_variables([*literal.atom.elements]))
    right = literal.atom.right_guard
    inside |= frozenset(_variables([right])) if right is not None else frozenset()
    needs = used & inside
    return (plain, Way(needs, used - needs))


def _needed(term: Node) -> frozenset[str]:
    """The variables of a term that stand in sums and the like only, and so are not bound by it."""
    from clingo import ast

    if not terms.is_computed(str(term)):
        return frozenset()
    computed: set[str] = set()
    plain: set[str] = set()
    todo: list[tuple[Node, bool]] = [(term, False)]
    operations = (
        ast.ASTType.BinaryOperation,
        ast.ASTType.UnaryOperation,
        ast.ASTType.Interval,
    )
    while todo:
        node, within = todo.pop()
        if node.ast_type == ast.ASTType.Variable:
            (computed if within else plain).add(node.name)
            continue
        inner = within or node.ast_type in operations
        todo += [(child, inner) for child in _children(node)]
    return frozenset(computed - plain)


def _children(node: Node) -> Iterator[Node]:
    from clingo import ast

    for key in node.child_keys:
        child = getattr(node, key)
        if isinstance(child, ast.AST):
            yield child
        elif child is not None:
            yield from child


def _variables(nodes: Iterable[Node]) -> list[str]:
    """The named variables in some nodes, in order."""
    return list(dict.fromkeys(name for node in nodes for name in terms.variables(str(node))))


def _positive(literals: list[Node]) -> Iterator[str]:
    """The positive atoms among some literals, as terms."""
    from clingo import ast

    for literal in literals:
        if not literal.sign and literal.atom.ast_type == ast.ASTType.SymbolicAtom:
            yield _anonymous(literal.atom.symbol)


def _anonymous(node: Node) -> str:
    """A term with a constant for each anonymous variable, as text."""
    return terms.filled(str(node), {"_": ANY})


def _renamed(node: Node, known: tuple[str, ...]) -> Node:
    """A choice's element whose own variables cannot be taken for those inside an aggregate."""

    def chosen(variable: Node) -> Node:
        if variable.name == "_" or variable.name in known:
            return variable
        return variable.update(name=f"{variable.name}_chosen")

    return _replaced(node, chosen)


def _replaced(node: Node, change: Callable[[Node], Node]) -> Node:
    """A node with its variables changed."""
    from clingo import ast

    if node.ast_type == ast.ASTType.Variable:
        return change(node)
    changed: dict[str, Any] = {}
    for key in node.child_keys:
        child = getattr(node, key)
        if isinstance(child, ast.AST):
            changed[key] = _replaced(child, change)
        elif child is not None:
            changed[key] = [_replaced(each, change) for each in child]
    return node.update(**changed) if changed else node
