"""Integers that an expression fixes by itself."""

from __future__ import annotations

from collections.abc import Callable

from qsfa_codegen.expr import int64
from qsfa_codegen.expr.nodes import INT, Arith, Call, Expr, Literal, Negate

FOLDABLE_CALLS: dict[str, Callable[..., int]] = {
    "ceil_div": int64.ceil_div,
    "align_up": int64.align_up,
    "abs": int64.absolute,
    "min": min,
    "max": max,
}


def folded(expr: Expr) -> int | None:
    """Value of an int64 expression of literals alone, None for any other.

    OverflowError and ZeroDivisionError where evaluating it would fail.
    """
    if expr.type != INT:
        return None
    match expr:
        case Literal(value=value):
            return int(value)
        case Negate(operand=operand):
            inner = folded(operand)
            return None if inner is None else int64.neg(inner)
        case Arith(op=op, left=left, right=right):
            a, b = folded(left), folded(right)
            return None if a is None or b is None else int64.ARITHMETIC[op](a, b)
        case Call(function=function, args=args) if function in FOLDABLE_CALLS:
            values = [folded(arg) for arg in args]
            known = [value for value in values if value is not None]
            return FOLDABLE_CALLS[function](*known) if len(known) == len(values) else None
    return None


def const_int(expr: Expr) -> int | None:
    """Value of an int64 expression of literals alone; None for any other, and where it fails."""
    try:
        return folded(expr)
    except (OverflowError, ZeroDivisionError):
        return None
