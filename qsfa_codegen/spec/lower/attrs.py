"""Checks of attributes: values, lengths, chips that do not have one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.build import all_of, call, chip, compare, literal
from qsfa_codegen.expr.floats import single_precision
from qsfa_codegen.expr.nodes import BOOL, FLOAT, INT, Expr, Literal, Select, Subscript, Type
from qsfa_codegen.spec.by_chip import depends_on_chip
from qsfa_codegen.spec.lower.pieces import choice_expr, one_of
from qsfa_codegen.spec.model import (
    Attr,
    AttrScalar,
    AttrType,
    Check,
    CheckKind,
    Domain,
    Fact,
    NamedValue,
    Operator,
)
from qsfa_codegen.spec.parameters import attr_ref
from qsfa_codegen.spec.uses import Uses
from qsfa_codegen.spec.value_names import constant_of


def attr_checks(operator: Operator, uses: Uses) -> Iterator[Check]:
    """Each attribute is accepted, on chips that have it; its length first where it is a list."""
    for attr in operator.attrs:
        for require in _attr_requirements(attr, operator):
            yield Check(
                id=f"{attr.name}_value",
                kind=CheckKind.ATTR,
                parameter=attr.name,
                when=None,
                require=require,
                at_infer=attr.name in uses.attrs and not depends_on_chip(require),
                establishes=(Fact("attr", attr.name),),
                message=None,
                span=attr.span,
            )


def _attr_requirements(attr: Attr, operator: Operator) -> Iterator[Expr]:
    span = attr.span
    everything = literal(True, span)
    if attr.lengths:
        known = one_of(_length(attr), [literal(n, span) for n in attr.lengths], span)
        trapped = isinstance(attr.default, tuple) and len(attr.default) not in attr.lengths
        yield _by_chip(attr, operator, known, everything) if trapped else known
    if attr.domain is not None and not _is_everything(attr):
        accepted = choice_expr(attr.domain, lambda domain: _accepted(operator, attr, domain), BOOL)
        yield _by_chip(attr, operator, accepted, _is_default(attr))
    elif len(attr.chips) < len(operator.chips):
        yield _by_chip(attr, operator, everything, _is_default(attr))


def _length(attr: Attr) -> Expr:
    return call("len", (attr_ref(attr, attr.span),), INT, attr.span)


def _is_everything(attr: Attr) -> bool:
    """Both truth values are accepted: nothing to check."""
    return attr.type is AttrType.BOOL and isinstance(attr.domain, Domain) and len(attr.domain.values) == 2


def _accepted(operator: Operator, attr: Attr, domain: Domain) -> Expr:
    span = attr.span

    def spelt(value: NamedValue) -> Literal:
        plain = _typed(value.value, base.type.item or base.type, span)
        return replace(plain, constant=constant_of(operator, attr, value), meaning=value.name or "")

    base = attr_ref(attr, span)
    if attr.lengths and base.type.item is not None:
        elements = [Subscript(base.type.item, span, base, index) for index in range(min(attr.lengths))]
        parts = [_in_domain(element, domain, span, spelt) for element in elements]
        return all_of(parts, span) or literal(True, span)
    return _in_domain(base, domain, span, spelt)


def _in_domain(value: Expr, domain: Domain, span: Span, spelt: Callable[[NamedValue], Literal]) -> Expr:
    """Whether a value is in a domain."""
    if value.type == BOOL and len(domain.values) > 1:
        return literal(True, span)
    if domain.values:
        return one_of(value, [spelt(accepted) for accepted in domain.values], span)
    parts: list[Expr] = []
    if domain.finite:
        parts.append(call("is_finite", (value,), BOOL, span))
    for op, bound in ((">=", domain.minimum), (">", domain.above), ("<=", domain.maximum)):
        if bound is not None:
            parts.append(compare(op, value, _bound(bound, value.type, span), span))
    return all_of(parts, span) or literal(True, span)


def _bound(bound: float, type: Type, span: Span) -> Literal:
    return _typed(bound, type, span) if type == FLOAT else literal(bound, span)


def _typed(value: AttrScalar, type: Type, span: Span) -> Literal:
    """An accepted value as the attribute holds it: floats have 32 bits."""
    if type == FLOAT and isinstance(value, int | float):
        return Literal(type, span, single_precision(value))
    return Literal(type, span, value)


def _by_chip(attr: Attr, operator: Operator, accepted: Expr, elsewhere: Expr) -> Expr:
    """What is accepted on chips that have the attribute, and on those that do not."""
    if len(attr.chips) == len(operator.chips):
        return accepted
    cases = tuple((name, accepted) for name in attr.chips)
    return Select(BOOL, attr.span, chip(attr.span), cases, elsewhere)


def _is_default(attr: Attr) -> Expr:
    """All that may be passed where a chip does not have the attribute."""
    base, span = attr_ref(attr, attr.span), attr.span
    if not isinstance(attr.default, tuple):
        return literal(True, span) if attr.default is None else _equals(base, attr.default)
    same: list[Expr] = []
    if attr.lengths != (len(attr.default),):  # or else it is checked already
        same.append(compare("==", _length(attr), literal(len(attr.default), span), span))
    for index, item in enumerate(attr.default):
        if base.type.item is not None and not isinstance(item, tuple):
            same.append(_equals(Subscript(base.type.item, span, base, index), item))
    return all_of(same, span) or literal(True, span)


def _equals(value: Expr, scalar: AttrScalar) -> Expr:
    return compare("==", value, _typed(scalar, value.type, value.span), value.span)
