"""Expressions that checks of several kinds are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.build import all_of, arch, chip, compare, literal, present, strip
from qsfa_codegen.expr.nodes import BOOL, Contains, Expr, Select, Type
from qsfa_codegen.spec.model import Input, Operator, Table
from qsfa_codegen.spec.parameters import always_passed

T = TypeVar("T")


def choice_expr(choice: T | Table[T], leaf: Callable[[T], Expr], type: Type) -> Expr:
    """A table of declarations as a table of expressions."""
    if not isinstance(choice, Table):
        return leaf(choice)
    cases = tuple((label, choice_expr(value, leaf, type)) for label, value in choice.cases)
    otherwise = None if choice.otherwise is None else choice_expr(choice.otherwise, leaf, type)
    return Select(type, choice.span, choice.selector, cases, otherwise)


def chip_table(operator: Operator, value: Callable[[str], Expr], span: Span) -> Expr:
    """A value per chip as the simplest table: plain, by arch, or by chip."""
    found = {c.id: value(c.id) for c in operator.chips}
    if len({strip(v) for v in found.values()}) == 1:
        return found[operator.chips[0].id]
    per_arch: dict[str, Expr] = {}
    for c in operator.chips:
        per_arch.setdefault(c.arch, found[c.id])
    if all(strip(found[c.id]) == strip(per_arch[c.arch]) for c in operator.chips):
        return Select(BOOL, span, arch(span), tuple(per_arch.items()), None)
    return Select(BOOL, span, chip(span), tuple(found.items()), None)


def one_of(value: Expr, options: Sequence[Expr], span: Span) -> Expr:
    """Whether ``value`` is one of ``options``."""
    if len(options) == 1:
        return compare("==", value, options[0], span)
    return Contains(BOOL, span, value, tuple(options))


def between(value: Expr, low: Expr, high: Expr, span: Span) -> Expr:
    """Whether ``value`` is from ``low`` to ``high``, both included."""
    bounds = [compare(">=", value, low, span), compare("<=", value, high, span)]
    return all_of(bounds, span) or literal(True, span)


def when_passed(param: Input) -> tuple[Expr, ...]:
    """The condition that an input is passed; none where it always is."""
    return () if always_passed(param) else (present(param.name, param.span),)
