"""Checks of the number of axes."""

from __future__ import annotations

from collections.abc import Iterator

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.build import all_of, arith, call, compare, literal, rank_of, ref, total
from qsfa_codegen.expr.nodes import BOOL, DIMS, INT, Expr, RefKind
from qsfa_codegen.spec.by_chip import depends_on_chip
from qsfa_codegen.spec.lower.pieces import between, choice_expr, when_passed
from qsfa_codegen.spec.model import Check, CheckKind, Fact, Input, Operator, RestItem, Shape
from qsfa_codegen.spec.parameters import never_checked
from qsfa_codegen.spec.uses import Uses


def rank_checks(operator: Operator, uses: Uses) -> Iterator[Check]:
    """Each input with a shape has as many axes as that."""
    for param in operator.inputs:
        if never_checked(param) or param.shape is None:
            continue
        rank = _RankRule(operator, param)
        require = choice_expr(param.shape, rank.requirement, BOOL)
        yield Check(
            id=f"{param.name}_rank",
            kind=CheckKind.RANK,
            parameter=param.name,
            when=all_of(when_passed(param), param.span),
            require=require,
            at_infer=param.name in uses.inputs and not depends_on_chip(require),
            establishes=(Fact("rank", param.name),),
            message=None,
            span=param.span,
        )


class _RankRule:
    def __init__(self, operator: Operator, param: Input) -> None:
        self._param = param
        self._own = {r.name for r in operator.rests if r.input == param.name}

    def requirement(self, shape: Shape) -> Expr:
        span = shape.span
        actual = rank_of(self._param.name, span)
        if shape.like is not None:
            return compare("==", actual, rank_of(shape.like, span), span)
        rests = [item for item in shape.items if isinstance(item, RestItem)]
        fixed = len(shape.items) - len(rests)
        foreign = [r for r in rests if r.name not in self._own]
        lengths = [_rest_length(rest.name, span) for rest in foreign]
        known = total([*([literal(fixed, span)] if fixed or not lengths else []), *lengths], span)
        own = [r for r in rests if r.name in self._own]
        if not own:
            return compare("==", actual, known, span)
        low, high = own[0].min_rank, own[0].max_rank
        if not foreign:
            return between(actual, literal(fixed + low, span), literal(fixed + high, span), span)
        least = arith("+", known, literal(low, span), span) if low else known
        most = arith("+", known, literal(high, span), span)
        return between(actual, least, most, span)


def _rest_length(name: str, span: Span) -> Expr:
    return call("len", (ref(RefKind.REST, name, DIMS, span),), INT, span)
