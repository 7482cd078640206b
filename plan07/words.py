"""The words of every violation and every piece of advice, in one table keyed by code."""

from __future__ import annotations

from typing import NamedTuple


class Message(NamedTuple):
    """How a code is told.

    In `message` and `fix`, `{subject}` and the details stand quoted, `{name:raw}` stands bare,
    `{name:roomy}` is half as much again, and lists are joined.

    Args:
        message: one sentence.
        fix: one safe thing to do.
        fields: names of the details, in the order of the code's arguments.
        collect: atoms that differ only in the arguments after `fields` are told as one; this
            detail lists those arguments.
        names_subject: the subject stands in the details too, under this name.
    """

    message: str
    fix: str
    fields: tuple[str, ...] = ()
    collect: str = ""
    names_subject: str = ""


# In the order in which they are told, and in which the first names the refusal.
TABLE: dict[str, Message] = {
    "re_decompose": Message(
        "the plan holds no obligation", "decompose the request again, in a smaller scope"
    ),
    "cap_exceeded": Message(
        "{subject}: {field:raw} has {count}, the cap is {limit}",
        "re-scope or shorten it, or raise the cap with --limit max_{field:raw}={count}",
        ("field", "count", "limit"),
    ),
    "id_invalid": Message(
        "the id {subject} is not one",
        "use letters, digits, dots, dashes and underscores, a letter or digit first, at most 64",
    ),
    "duplicate_id": Message(
        "the id {subject} is used {count} times",
        "give each obligation an id of its own",
        ("count",),
    ),
    "unknown_dependency": Message(
        "{subject} depends on {missing}, which the plan does not hold",
        "add the obligation {missing}, or remove the dependency",
        ("missing",),
        names_subject="id",
    ),
    "self_dependency": Message("{subject} depends on itself", "remove the dependency"),
    "depends_on_alternative": Message(
        "{subject} depends on the alternative {alternative}, which is not executed",
        "depend on the obligation that {alternative} stands in for",
        ("alternative",),
    ),
    "ungrounded": Message(
        "{subject} names neither a cause nor a dependency",
        "say in caused_by what demands it, or remove it",
    ),
    "artifact_cap": Message(
        "the plan takes {bytes} bytes with its {nodes} nodes, the artifact has room for {limit}",
        "re-scope the request into smaller plans, or raise the cap with "
        "--limit max_static_bytes={bytes:roomy}",
        ("bytes", "limit", "nodes"),
    ),
    "ambiguous_target": Message(
        "{subject} targets {target}, which may be any of {candidates}",
        "write the full name",
        ("target",),
        "candidates",
    ),
    "unknown_change": Message(
        "{subject} changes its target by {change}, which the impact table does not know, and "
        "others depend on that target",
        "use a change kind of impact.lp, or add rows for it in an overlay",
        ("change",),
    ),
    "temporal_inconsistent": Message(
        "an order would leave the repository invalid: {edges}",
        "remove the flagged dependencies, or let --repair drop the fewest of them",
        collect="edges",
    ),
    "ladder_conflict": Message(
        "the ladder contradicts itself: {edges}",
        "state the changes as evidence, or change the rungs in an overlay of ladder.lp",
        collect="edges",
    ),
    "breaking_gap": Message(
        "{subject} breaks what {dependents} must mend, and neither order is valid alone",
        "add a preserve obligation on the changed entity, or allow breaking_policy=atomic",
        collect="dependents",
    ),
    "unresolved_dependent": Message(
        "{subject} breaks {entity} ({causes}), and no obligation mends it",
        "add an obligation that modifies {entity}, or (unless something is deleted) a preserve "
        "obligation on the changed entity; name a harmless change in evidence.changes",
        ("entity",),
        "causes",
        "node",
    ),
    "undefined_test": Message(
        "{subject} validates with {test}, which neither the repository nor an obligation defines",
        "add an obligation that modifies the file of {test}",
        ("test",),
        names_subject="node",
    ),
    "decomposition_cycle": Message(
        "obligations depend on each other: {chain:raw}",
        "remove one of the dependencies, or allow cycle_policy=collapse",
        collect="members",
    ),
    "cycle_through_alternative": Message(
        "{subject} is a cycle through {alternatives}, an alternative",
        "remove the dependency on the alternative",
        collect="alternatives",
    ),
    "cycle_through_complete": Message(
        "{subject} must land in one step, but {complete} is complete already",
        "validate what is left in an obligation of its own",
        collect="complete",
    ),
    "composite_over_bounds": Message(
        "{subject} must land in one step and touches {files} files, a step may edit {limit}",
        "split it: add the new form beside the old one (expand), move the dependents over in "
        "small obligations (migrate), delete the old form last (contract); or add a preserve "
        "obligation on the changed entity",
        ("files", "limit"),
    ),
    # Changes of a plan.
    "redefines_untouched": Message(
        "{subject} is an obligation that the change does not touch",
        "give the replacement another id",
    ),
    "id_recycled": Message(
        "the id {subject} is, or was, that of another obligation of the plan",
        "give the obligation an id that the plan never had",
    ),
    "gains_dependency": Message(
        "{subject}, which the change does not touch, would wait for {dependency}",
        "let {dependency} wait for {subject} instead, or leave it out",
        ("dependency",),
    ),
    "precedes_complete": Message(
        "{subject} is complete, so {dependency} comes too late to stand before it",
        "add an obligation that validates or mends what {subject} has left",
        ("dependency",),
    ),
    "removes_complete": Message(
        "{subject} is complete, which is history", "remove only what is pending or failed"
    ),
    "dropped_obligation": Message(
        "{subject} is the only obligation that establishes {criterion}",
        "add another obligation that establishes it in the same revision",
        ("criterion",),
    ),
    "ungrounded_after_removal": Message(
        "{subject} would be left with neither a cause nor a dependency",
        "remove it too, or give it a cause",
    ),
    # Advice.
    "dependency_dropped": Message(
        "the dependency of {subject} on {dependency} was dropped to make the plan consistent",
        "record the revision, or write the plan anew",
        ("dependency",),
    ),
    "assumed_body": Message(
        "nothing says how {subject} changes its target, so it counts as a change of the body",
        "name the change in evidence.changes, or in caused_by (rename, new parameter, ...)",
    ),
    "target_unresolved": Message(
        "{subject} targets {target}, which the repository does not hold ({grounding:raw})",
        "check the name, unless the obligation creates it",
        ("target", "grounding"),
    ),
    "target_ambiguous": Message(
        "{subject} targets {target}, which may be any of {candidates}",
        "write the full name; --strict-grounding refuses such plans",
        ("target", "grounding"),
        "candidates",
    ),
    "uncertain_dependent": Message(
        "{subject} may break {entity} ({causes}, not certain)",
        "look at it, and add an obligation if it breaks",
        ("entity",),
        "causes",
    ),
    "no_effect_known": Message(
        "the impact table does not say what the {change:raw} of {subject} does along {cause:raw} "
        "to {entity}",
        "add a row to impact.lp in an overlay, or strength and order to the edge",
        ("cause", "change", "entity"),
    ),
    "shim_after_change": Message(
        "{shim} keeps the old form alive but lands after {subject}",
        "let {subject} keep the old form, or drop that dependency",
        ("shim",),
    ),
    "unverified_test": Message(
        "{subject} validates with {test}; whether that test exists is not known",
        "list the tests of the repository in evidence.tests",
        ("test",),
    ),
    "validates_before_change": Message(
        "{subject} waits for nothing, so it runs before {change} changes what it validates",
        "depend on {change}, unless it pins the old behaviour",
        ("change",),
    ),
    "complete_too_early": Message(
        "{subject} is complete although {dependency} is not",
        "check the states of the artifact",
        ("dependency",),
    ),
    "evidence_truncated": Message(
        "the evidence holds {kept} of {total} dependents of what {subject} changes ({cause:raw})",
        "group the dependents by file, or read more of them",
        ("cause", "kept", "total"),
    ),
    "dependents_unknown": Message(
        "calls that may concern what {subject} changes could not be resolved: {calls}",
        "look for dependents that the evidence does not list",
        ("calls",),
    ),
}

CODES = tuple(code.upper() for code in TABLE)

TABLE["overlay"] = Message(
    "{subject}: {text:raw}", "see the rule of the overlay that says so", ("text",)
)

# A rule of the user's own may refuse or advise; its words are in the user's rule file.
OTHER = Message("{subject}: a rule of the overlay says so", "see the rule")
