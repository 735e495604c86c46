"""Constraints: each can hold, each can be broken, each says whom it blames."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from qsfa_codegen.expr.evaluate import UNKNOWN, Value
from qsfa_codegen.expr.memo import once_an_operator
from qsfa_codegen.expr.nodes import Expr, ParamQuery, Query, Ref, RefKind, walk
from qsfa_codegen.spec.by_chip import depends_on_chip
from qsfa_codegen.spec.contents import host_reads_data, tiling_contents
from qsfa_codegen.spec.impossible import impossible
from qsfa_codegen.spec.model import Constraint, Operator, Presence
from qsfa_codegen.spec.rules.registry import WARNING, Report, rule
from qsfa_codegen.spec.world import telling_chips, world_of


class Outcome(Struct, frozen=True):
    """What enumeration saw of a constraint over all chips."""

    applies: bool
    holds: bool
    breaks: bool


@once_an_operator
def outcomes(operator: Operator) -> tuple[tuple[Constraint, Outcome], ...]:
    """Whether each constraint can apply, hold and be broken, as far as the declared domains show."""
    return tuple((constraint, _outcome(operator, constraint)) for constraint in operator.constraints)


def _outcome(operator: Operator, constraint: Constraint) -> Outcome:
    applies = holds = breaks = False
    for condition, require in _seen(operator, constraint):
        if condition is False:
            continue
        applies = True
        holds = holds or require is not False
        breaks = breaks or require is not True
    return Outcome(applies, holds, breaks)


def _seen(operator: Operator, constraint: Constraint) -> Iterator[tuple[Value, Value]]:
    exprs = [e for e in (constraint.when, constraint.require) if e is not None]
    for chip in telling_chips(operator):
        if chip.id not in constraint.chips:
            continue
        world = world_of(operator, chip)
        for point in world.points(exprs, len(operator.constraints), rules=True):
            world.move_to(point)
            if world.possible(skip=constraint.id):
                yield world.known(constraint.when, True), world.known(constraint.require, UNKNOWN)


@rule(
    "QS460",
    "No legal call can meet a constraint",
    "As far as the declared domains show, the constraint is broken whenever it applies: "
    "those calls are all rejected.",
)
def unsatisfiable(operator: Operator, report: Report) -> None:
    """Each constraint holds for some combination of declared values."""
    judge = impossible(operator)
    for constraint, seen in outcomes(operator):
        if seen.applies and (not seen.holds or judge.never(constraint.require, constraint.when)):
            report(
                f"no accepted values satisfy '{constraint.id}'",
                constraint.span,
                "correct the rule, or the accepted values it speaks of",
            )


@rule(
    "QS461",
    "A constraint never applies",
    "Its `when` is false for every combination of accepted values; the rule is dead.",
)
def never_applies(operator: Operator, report: Report) -> None:
    """Each `when` can be true."""
    for constraint, seen in outcomes(operator):
        if not seen.applies:
            report(f"the `when` of '{constraint.id}' is never true", constraint.span, "correct or remove it")


@rule(
    "QS462",
    "A constraint can never be broken",
    "It follows from the accepted values already; saying it again suggests that something else was meant. "
    "Only listed values are compared: a rule that follows from bounds and multiples is kept without a word, "
    "as a guard for values to come, and has no breaking call among the derived ones.",
    WARNING,
)
def always_holds(operator: Operator, report: Report) -> None:
    """Each constraint excludes some combination of accepted values."""
    for constraint, seen in outcomes(operator):
        if seen.applies and not seen.breaks:
            report(f"'{constraint.id}' always holds", constraint.span, "remove it, or correct it")


@rule(
    "QS463",
    "A constraint blames something that is no parameter",
    "The blamed input or attribute stands in the error message.",
)
def blame(operator: Operator, report: Report) -> None:
    """`blame` names an input or an attribute."""
    known = {i.name for i in operator.inputs} | {a.name for a in operator.attrs}
    for constraint in operator.constraints:
        if constraint.blame not in known:
            report(
                f"'{constraint.blame}' is neither an input nor an attribute",
                constraint.span,
                f"blame one of {', '.join(sorted(known))}",
            )


@rule(
    "QS464",
    "Shape inference cannot check a constraint",
    "Shape inference does not know the chip, and the graph may not know dtypes then.",
)
def infer_knows(operator: Operator, report: Report) -> None:
    """`at: infer` only for rules over shapes, attributes and presence."""
    lets = {n.name: n.value for n in operator.lets}
    for constraint in operator.constraints:
        if not constraint.at_infer:
            continue
        exprs = [e for e in (constraint.when, constraint.require) if e is not None]
        if any(_needs_more(e, lets) for e in exprs) or len(constraint.chips) < len(operator.chips):
            report(f"'{constraint.id}' depends on the chip or a dtype", constraint.span, "remove `at: infer`")


def _needs_more(expr: Expr, lets: dict[str, Expr]) -> bool:
    pending = [expr]
    seen: set[str] = set()
    for current in pending:
        if depends_on_chip(current):
            return True
        for node in walk(current):
            if isinstance(node, ParamQuery) and node.query is Query.DTYPE:
                return True
            if isinstance(node, Ref) and node.kind is RefKind.LET and node.name not in seen:
                seen.add(node.name)
                pending.append(lets[node.name])
    return False


@rule(
    "QS465",
    "A rule reads a reserved input",
    "A reserved input is never read; a rule about it could never be checked.",
)
def reserved_read(operator: Operator, report: Report) -> None:
    """No constraint, derived value or size asks about an ignored input."""
    reserved = {i.name for i in operator.inputs if i.presence is Presence.IGNORED}
    for check in operator.checks:
        for node in walk(check.require):
            if isinstance(node, ParamQuery) and node.param in reserved:
                report(f"'{node.param}' is reserved and cannot be asked about", node.span)
    for rule_ in operator.contents:
        for name in rule_.names:
            if name in reserved:
                report(f"'{name}' is reserved and cannot be asked about", rule_.span)


@rule(
    "QS466",
    "A content rule names something unknown",
    "`names` lists the parameters that a predicate reads.",
)
def content_names(operator: Operator, report: Report) -> None:
    """Names of content rules are inputs or attributes."""
    known = {i.name for i in operator.inputs} | {a.name for a in operator.attrs}
    for rule_ in operator.contents:
        for name in rule_.names:
            if name not in known:
                report(f"'{name}' is neither an input nor an attribute", rule_.span)


@rule(
    "QS467",
    "Tiling cannot check a rule about data",
    "Tiling sees data of value-depend inputs alone, as whole numbers; a rule with `at: tiling` about "
    "anything else would be checked nowhere.",
)
def tiling_contents_readable(operator: Operator, report: Report) -> None:
    """Rules with `at: tiling` read value-depend tensors of whole numbers, and nothing else."""
    inputs = {i.name: i for i in operator.inputs}
    for content in tiling_contents(operator):
        if not content.inputs:
            report(f"'{content.rule.id}' reads no data", content.rule.span, "make it a constraint")
        for name in content.inputs:
            if not host_reads_data(operator, inputs[name]):
                report(
                    f"'{content.rule.id}' reads data of '{name}', which tiling does not have",
                    content.rule.span,
                    "remove `at: tiling`, or make the input a value-depend tensor of integers",
                )


RULES = (
    unsatisfiable,
    never_applies,
    always_holds,
    blame,
    infer_knows,
    reserved_read,
    content_names,
    tiling_contents_readable,
)
