"""Arithmetic that can fail."""

from __future__ import annotations

from collections.abc import Iterator

from qsfa_codegen.expr.bounds import Ranges as Known
from qsfa_codegen.expr.bounds import assume, nonzero
from qsfa_codegen.expr.nodes import INT, Arith, Call, Conditional, Expr, Logic, children
from qsfa_codegen.spec.model import Operator
from qsfa_codegen.spec.ranges import Ranges
from qsfa_codegen.spec.rules.registry import Report, rule
from qsfa_codegen.spec.rules.usage import sites

_DIVIDING = frozenset({"ceil_div", "align_up"})


@rule(
    "QS444",
    "A divisor can be zero",
    "Dividing by zero rejects the call for no useful reason. A divisor must be provably non-zero: by the "
    "domain of its dims and attributes, or by the condition under which it is used.",
)
def zero_divisors(operator: Operator, report: Report) -> None:
    """Every divisor's interval excludes zero where it is evaluated."""
    ranges = Ranges(operator)
    reported: set[object] = set()
    for site in sites(operator):
        known: Known = ranges
        for guard in site.guard:
            known = assume(guard, True, known)
        for divisor in _possible_zeros(site.expr, known):
            if divisor.span not in reported:
                reported.add(divisor.span)
                report("this divisor can be zero", divisor.span, "guard it, or give it a domain without 0")


def _possible_zeros(expr: Expr, ranges: Known) -> Iterator[Expr]:
    divisor = _divisor(expr)
    if divisor is not None and not nonzero(divisor, ranges):
        yield divisor
    match expr:
        case Conditional(test=test, then=then, otherwise=otherwise):
            yield from _possible_zeros(test, ranges)
            yield from _possible_zeros(then, assume(test, True, ranges))
            yield from _possible_zeros(otherwise, assume(test, False, ranges))
        case Logic(op=op, operands=operands):
            for operand in operands:
                yield from _possible_zeros(operand, ranges)
                ranges = assume(operand, op == "and", ranges)
        case _:
            for child in children(expr):
                yield from _possible_zeros(child, ranges)


def _divisor(expr: Expr) -> Expr | None:
    if isinstance(expr, Arith) and expr.op in ("//", "%") and expr.type == INT:
        return expr.right
    if isinstance(expr, Call) and expr.function in _DIVIDING:
        return expr.args[1]
    return None


RULES = (zero_divisors,)
