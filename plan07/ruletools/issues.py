"""What `rules check` can find: every code with its level and its meaning, in one table."""

from __future__ import annotations

from typing import NamedTuple

from plan07.ruletools.records import Literal, Rule, SourceFile, Term

ERROR = "error"
ADVICE = "advice"

# An error makes rules wrong or unusable; advice is worth a look.
CODES: dict[str, tuple[str, str]] = {
    "FILE_UNREADABLE": (ERROR, "the file cannot be read, or is not UTF-8"),
    "FILE_STAGE": (ERROR, "its header names no stage, or one that there is not"),
    "FILE_INCLUDES": (ERROR, "it includes another file"),
    "FILE_EMPTY": (ERROR, "it holds no rule"),
    "SYNTAX": (ERROR, "clingo cannot parse it"),
    "STATEMENT_FORBIDDEN": (ERROR, "a statement that rule files may not hold"),
    "CHOICE_FORBIDDEN": (ERROR, "a choice or disjunction outside of the stage repair"),
    "LEVEL_RESERVED": (ERROR, "an optimisation level that the shipped repair uses"),
    "NEGATION_CLASSICAL": (ERROR, "`-p`, which leaves no answer beside `p`"),
    "NEGATION_LOOP": (ERROR, "a predicate that depends on its own absence"),
    "PREDICATE_UNKNOWN": (ERROR, "a condition that nothing makes"),
    "PREDICATE_MISSPELT": (ERROR, "a name that is nearly that of another predicate"),
    "PREDICATE_ARITY": (ERROR, "a known predicate with another number of arguments"),
    "PREDICATE_STAGE": (ERROR, "a condition that another stage makes"),
    "WISH_LOST": (ADVICE, "a wish that rests on what nobody knows while the plan is driven"),
    "PREDICATE_CLASH": (ERROR, "two files of a stage derive a predicate that neither documents"),
    "PREDICATE_UNREAD": (ADVICE, "a derived predicate that nothing reads"),
    "PREDICATE_PRIVATE": (ADVICE, "a condition that is private to a shipped file"),
    "DEFINED_UNKNOWN": (ERROR, "`#defined` of what nothing makes, which would hide a misspelling"),
    "CONSTANT_UNKNOWN": (ERROR, "a value that this argument never has"),
    "COMPARISON_CONTRADICTS": (ERROR, "conditions that never hold together"),
    "VARIABLE_UNSAFE": (ERROR, "a variable that no positive condition binds"),
    "VARIABLE_SINGLE": (ADVICE, "a variable that occurs once"),
    "VARIABLE_LOWERCASE": (ADVICE, "a constant that reads like a variable of the rule"),
    "ID_ORDER": (ADVICE, "texts compared by < or >: O10 comes before O9"),
    "INTEGER_WRAPS": (ERROR, "a number beyond 32 bits, which clingo wraps without a word"),
    "INTEGER_LARGE": (ADVICE, "a number so large that a sum of two may wrap"),
    "CONSTRAINT_REWRITTEN": (ADVICE, "a bare constraint, which refuses plans as a violation"),
    "HEADER_MISSING": (ADVICE, "no line `%# Title: question` at the top"),
    "ID_MISSING": (ADVICE, "rules that would share an id are only numbered"),
    "ID_INVALID": (ERROR, "an id that is no id, or used twice"),
    "TEST_MISSING": (ADVICE, "no `*_test.lp` beside the file"),
    "IGNORE_INVALID": (ERROR, "an ignore without a reason, or of what is no code"),
    "IGNORE_UNUSED": (ADVICE, "an ignore of what is not found there"),
    "GROUNDING_GROWS": (ERROR, "a rule that multiplies beyond the limits of the trial"),
    "ANSWERS_NONE": (ERROR, "a plan for which the rules have no answer"),
    "ANSWERS_SEVERAL": (ERROR, "a plan for which the rules have several answers"),
    "PLAN_FAILS": (ERROR, "a plan that the rules fail on, though the shipped rules do not"),
    "NOTICE": (ADVICE, "clingo's remark while it solved a plan"),
}


class Issue(NamedTuple):
    """One finding of `rules check`.

    Args:
        code: one of `CODES`.
        file, path: the name of the rule file, and where it lies.
        line, column: from 1.
        rule: the id of the rule, or "".
        message: one sentence that quotes the user's own tokens.
        fix: one safe thing to do.
    """

    code: str
    file: str
    path: str
    line: int
    column: int
    rule: str
    message: str
    fix: str

    @property
    def level(self) -> str:
        """Error or advice."""
        return CODES[self.code][0]

    def as_dict(self) -> dict[str, object]:
        """Return the wire form, keys in a fixed order."""
        return {
            "code": self.code,
            "level": self.level,
            "file": self.file,
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "rule": self.rule,
            "message": self.message,
            "fix": self.fix,
        }


def about_file(
    code: str, file: SourceFile, line: int, column: int, message: str, fix: str
) -> Issue:
    """Return a finding at a place of a file."""
    return Issue(code, file.name, file.path, line, column, "", message, fix)


def about_rule(code: str, rule: Rule, message: str, fix: str, at: Literal | None = None) -> Issue:
    """Return a finding about a rule, or about one literal of it."""
    line, column = (at.line, at.column) if at else (rule.line, rule.column)
    return Issue(code, rule.file, rule.path, line, column, rule.id, message, fix)


def about_term(
    code: str, file: SourceFile, rule: Rule, term: Term, message: str, fix: str
) -> Issue:
    """Return a finding about a term of a rule."""
    line, column = file.source.place(term.at)
    return Issue(code, rule.file, rule.path, line, column, rule.id, message, fix)
