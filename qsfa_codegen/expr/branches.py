"""Tables and conditionals taken apart: for statements of generated code, and as other expressions."""

from __future__ import annotations

from collections.abc import Set

from msgspec import Struct

from qsfa_codegen.expr.build import is_case
from qsfa_codegen.expr.nodes import (
    BOOL,
    Conditional,
    Contains,
    Expr,
    Literal,
    Logic,
    Ref,
    Select,
    children,
)
from qsfa_codegen.expr.rewrite import grouped_cases, negate


class Case(Struct, frozen=True):
    """One branch: its condition (None: every other case) and value, for if/else statements.

    ``label`` is that of the case when a table is taken apart, for switch statements.
    """

    label: str | None
    condition: Expr | None
    value: Expr


def cases(expr: Expr) -> tuple[Case, ...]:
    """The branches of a table or of ``a if test else b``; any other expression is one branch."""
    match expr:
        case Select(selector=selector, cases=branches, otherwise=other):
            found = [
                Case(label, is_case(selector, (label,), False, expr.span), value) for label, value in branches
            ]
            return (*found, Case(None, None, other)) if other is not None else tuple(found)
        case Conditional(test=test, then=then, otherwise=other):
            return (Case(None, test, then), *cases(other))
    return (Case(None, None, expr),)


def as_conditionals(table: Select) -> Expr:
    """Nested conditionals; without ``otherwise`` the value of most labels is what remains."""
    groups = grouped_cases(table)
    result = table.otherwise
    if result is None:
        most = max(groups, key=lambda group: len(group[0]))
        result = groups.pop(groups.index(most) if len(most[0]) > 1 else -1)[1]
    for labels, value in reversed(groups):
        test = is_case(table.selector, labels, False, table.span)
        result = Conditional(table.type, table.span, test, value, result)
    return result


def as_logic(expr: Conditional) -> Logic | None:
    """``test and then``, for example, when one branch of a condition is a constant.

    It evaluates the same operands where everything is known; an unknown test makes a difference.
    """
    test, then, other = expr.test, expr.then, expr.otherwise
    if isinstance(other, Literal) and expr.type == BOOL:
        return _logic("or", negate(test), then) if other.value else _logic("and", test, then)
    if isinstance(then, Literal) and expr.type == BOOL:
        return _logic("or", test, other) if then.value else _logic("and", negate(test), other)
    return None


def _logic(op: str, left: Expr, right: Expr) -> Logic:
    return Logic(BOOL, left.span, op, (left, right))


def always_read(expr: Expr) -> Set[str]:
    """The names that are read whatever the value of any of them is."""
    match expr:
        case Ref(name=name):
            return {name}
        case Conditional(test=test, then=then, otherwise=other):
            return always_read(test) | (always_read(then) & always_read(other))
        case Logic(operands=(first, *_)):
            return always_read(first)
        case Contains(item=item):
            return always_read(item)
        case Select(selector=selector):
            return always_read(selector)
    return {name for part in children(expr) for name in always_read(part)}
