"""The facts by which a rule test says what it wishes for and what it loads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plan07 import rulefiles
from plan07.facts import Fact, Term
from plan07.ruletools.patterns import ANY

FORMS = "expect(Atom), forbid(Atom), violation_expected(Code, Subject), violations(any), "
FORMS += "exact(Name/Arity), order_expected(Before, After), load(File), stage(Name), plan(File), "
FORMS += "switch(Name, Value) or limit(Name, Number)"


def _is_word(term: Term) -> bool:
    return isinstance(term, Fact) and not term.args and term != ANY


def _is_atom(term: Term) -> bool:
    return isinstance(term, Fact) and term.name != "" and term != ANY


def _form(*wanted: Callable[[Term], bool]) -> Callable[[Sequence[Term]], bool]:
    return lambda args: (
        len(args) == len(wanted)
        and all(is_right(arg) for is_right, arg in zip(wanted, args, strict=True))
    )


def _is_any(term: Term) -> bool:
    return term == Fact("any")


def _is_text(term: Term) -> bool:
    return isinstance(term, str)


def _is_number(term: Term) -> bool:
    return isinstance(term, int) and term >= 0


def _is_stage(term: Term) -> bool:
    return isinstance(term, Fact) and term.name in rulefiles.STAGES and not term.args


WISHES: dict[str, Callable[[Sequence[Term]], bool]] = {
    "expect": _form(_is_atom),
    "forbid": _form(_is_atom),
    "violation_expected": lambda args: len(args) == 2,
    "violations": _form(_is_any),
    "exact": _form(_is_word, _is_number),
    "order_expected": _form(_is_text, _is_text),
    "switch": _form(_is_word, _is_word),
    "limit": _form(_is_word, _is_number),
    "stage": _form(_is_stage),
    "load": _form(_is_text),
    "plan": _form(_is_text),
}
# How many arguments those have that a misspelt fact may have been meant for.
ARITIES = {"expect": 1, "forbid": 1, "violation_expected": 2, "order_expected": 2, "exact": 2}
