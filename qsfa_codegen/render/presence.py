"""Checks of presence told apart: a parameter that must be passed, and one that must not be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from qsfa_codegen.expr.build import literal, present
from qsfa_codegen.expr.nodes import BOOL, Expr, Literal, Not, ParamQuery, Query, walk
from qsfa_codegen.expr.prose import fragment
from qsfa_codegen.expr.rewrite import bottom_up
from qsfa_codegen.expr.specialize import simplify
from qsfa_codegen.render.host_checks import violation
from qsfa_codegen.spec.model import CheckKind, Text

if TYPE_CHECKING:
    from qsfa_codegen.spec.failure import MessageNames
    from qsfa_codegen.spec.model import Check


def told_apart(checks: Iterable[Check], names: MessageNames) -> Iterator[Check]:
    """``checks`` in order; one of presence becomes a check for each way of breaking it, in its own words."""
    for check in checks:
        if check.kind is CheckKind.PRESENCE and _asks(check):
            yield from (part for passed in (False, True) if (part := _part(check, passed, names)) is not None)
        else:
            yield check


def _part(check: Check, passed: bool, names: MessageNames) -> Check | None:
    """The check for calls that do (not) pass the parameter; None where they may."""
    wrong = simplify(bottom_up(violation(check), lambda node: _with(node, check.parameter, passed)))
    if isinstance(wrong, Literal) and wrong.value is False:
        return None
    given = present(check.parameter, check.span)
    require: Expr = Not(BOOL, check.span, given) if passed else given
    if isinstance(wrong, Literal):
        return replace(check, when=None, require=require)
    wanted = "absent" if passed else "present"
    sentence = f"must be {wanted} {fragment(wrong, 'en', names, plain=True)}"
    return replace(check, when=wrong, require=require, message=Text(sentence, ""))


def _asks(check: Check) -> bool:
    return any(_is_present(node, check.parameter) for node in walk(violation(check)))


def _with(node: Expr, parameter: str, passed: bool) -> Expr:
    return literal(passed, node.span) if _is_present(node, parameter) else node


def _is_present(node: Expr, parameter: str) -> bool:
    return isinstance(node, ParamQuery) and node.query is Query.PRESENT and node.param == parameter
