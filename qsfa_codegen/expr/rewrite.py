"""New trees from old ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import is_not

from qsfa_codegen.expr.build import strip
from qsfa_codegen.expr.nodes import (
    BOOL,
    DIMS,
    FLOAT,
    Arith,
    Call,
    Compare,
    Conditional,
    Contains,
    Expr,
    Literal,
    Logic,
    Negate,
    Not,
    ParamQuery,
    Ref,
    RefKind,
    Select,
    Subscript,
    children,
    refs,
)
from qsfa_codegen.expr.relations import OPPOSITE


def with_children(expr: Expr, new: tuple[Expr, ...]) -> Expr:
    """``expr`` with other children, which stand in the order of ``nodes.children``."""
    match expr:
        case Subscript(type, span, _, index):
            return Subscript(type, span, new[0], index)
        case Negate(type, span, _):
            return Negate(type, span, new[0])
        case Not(type, span, _):
            return Not(type, span, new[0])
        case Arith(type, span, op, _, _):
            return Arith(type, span, op, new[0], new[1])
        case Compare(type, span, op, _, _):
            return Compare(type, span, op, new[0], new[1])
        case Contains(type, span, _, _, negated):
            return Contains(type, span, new[0], new[1:], negated)
        case Logic(type, span, op, _):
            return Logic(type, span, op, new)
        case Conditional(type, span, _, _, _):
            return Conditional(type, span, new[0], new[1], new[2])
        case Call(type, span, function, _):
            return Call(type, span, function, new)
        case Select(type, span, _, cases, otherwise):
            values = new[1 : len(cases) + 1]
            named = tuple((label, value) for (label, _), value in zip(cases, values, strict=True))
            return Select(type, span, new[0], named, None if otherwise is None else new[-1])
    return expr


def bottom_up(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """``expr`` with ``change`` applied to every node, children first; unchanged parts are shared."""
    old = children(expr)
    if old:
        new = tuple([bottom_up(child, change) for child in old])
        if any(map(is_not, old, new)):
            expr = with_children(expr, new)
    return change(expr)


def substitute(expr: Expr, mapping: Mapping[tuple[RefKind, str], Expr]) -> Expr:
    """``expr`` with names replaced by expressions, which are not searched again."""
    if refs(expr).isdisjoint(mapping):
        return expr

    def change(node: Expr) -> Expr:
        return mapping.get((node.kind, node.name), node) if isinstance(node, Ref) else node

    return bottom_up(expr, change)


def written_out(expr: Expr, values: Mapping[tuple[RefKind, str], Expr]) -> Expr:
    """``expr`` with values in place of names, those in the values too."""
    while (written := substitute(expr, values)) is not expr:
        expr = written
    return expr


Group = tuple[tuple[str, ...], Expr]


def grouped_cases(table: Select) -> list[Group]:
    """Cases with the labels of equal values together; those equal to ``otherwise`` are left to it.

    A table by a flag, or by anything whose evaluation could fail, stays as it is.
    """
    if not _may_skip(table.selector):
        return [((label,), value) for label, value in table.cases]
    groups: dict[object, Group] = {}
    other = None if table.otherwise is None else strip(table.otherwise)
    for label, value in table.cases:
        key = strip(value)
        if key != other:
            labels, first = groups.get(key, ((), value))
            groups[key] = ((*labels, label), first)
    return list(groups.values())


def _may_skip(selector: Expr) -> bool:
    if selector.type == BOOL:
        return False
    if isinstance(selector, Ref):
        return selector.kind not in (RefKind.LET, RefKind.TILING_LET)
    return isinstance(selector, ParamQuery)


def negate(expr: Expr) -> Expr:
    """The opposite of a bool expression, with ``not`` pushed inwards as far as that stays readable.

    It evaluates the same operands in the same order, and fails where ``expr`` fails.
    """
    match expr:
        case Literal(type, span, value):
            return Literal(type, span, not value)
        case Not(operand=operand):
            return operand
        case Compare(type, span, op, left, right) if op in ("==", "!=") or left.type not in (FLOAT, DIMS):
            return Compare(type, span, OPPOSITE[op], left, right)
        case Contains(type, span, item, options, negated):
            return Contains(type, span, item, options, not negated)
        case Logic(type, span, op, operands):
            dual = "or" if op == "and" else "and"
            return Logic(type, span, dual, tuple(negate(operand) for operand in operands))
        case Conditional(type, span, test, then, otherwise):
            return Conditional(type, span, test, negate(then), negate(otherwise))
        case Select(type, span, selector, cases, other):
            opposites = tuple((label, negate(value)) for label, value in cases)
            return Select(type, span, selector, opposites, None if other is None else negate(other))
    return Not(BOOL, expr.span, expr)
