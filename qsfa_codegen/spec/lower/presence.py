"""Checks of which inputs are passed."""

from __future__ import annotations

from collections.abc import Iterator

from qsfa_codegen.expr.build import literal, negation, present
from qsfa_codegen.expr.nodes import BOOL, Expr
from qsfa_codegen.spec.by_chip import depends_on_chip
from qsfa_codegen.spec.lower.pieces import choice_expr
from qsfa_codegen.spec.model import Check, CheckKind, Fact, Input, Operator, Presence, leaves
from qsfa_codegen.spec.uses import Uses


def presence_checks(operator: Operator, uses: Uses) -> Iterator[Check]:
    """Each input that must or must not be passed in some case."""
    for param in operator.inputs:
        if not any(p in (Presence.REQUIRED, Presence.ABSENT) for p in leaves(param.presence)):
            continue
        require = choice_expr(param.presence, lambda p, i=param: _presence(i, p), BOOL)  # type: ignore[misc]
        yield Check(
            id=f"{param.name}_presence",
            kind=CheckKind.PRESENCE,
            parameter=param.name,
            when=None,
            require=require,
            at_infer=param.name in uses.inputs | uses.carriers and not depends_on_chip(require),
            establishes=(Fact("input", param.name),),
            message=None,
            span=param.span,
        )


def _presence(param: Input, presence: Presence) -> Expr:
    passed = present(param.name, param.span)
    match presence:
        case Presence.REQUIRED:
            return passed
        case Presence.ABSENT:
            return negation(passed, param.span)
        case _:
            return literal(True, param.span)
