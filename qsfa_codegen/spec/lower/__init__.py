"""From declarations to one ordered list of checks, which every engine runs.

Order: attributes, presence, dtype, rank, dims, then constraints in file order. What a check needs to
make sense is checked before it, so that one mistake of a caller gives one violation.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from qsfa_codegen.expr.build import all_of, chip, literal
from qsfa_codegen.expr.nodes import CHIP, Expr, RefKind
from qsfa_codegen.expr.specialize import substitute
from qsfa_codegen.spec.by_chip import chip_lets, depends_on_chip
from qsfa_codegen.spec.lower.attrs import attr_checks
from qsfa_codegen.spec.lower.dims import DimChecks
from qsfa_codegen.spec.lower.dtypes import dtype_checks
from qsfa_codegen.spec.lower.pieces import one_of
from qsfa_codegen.spec.lower.presence import presence_checks
from qsfa_codegen.spec.lower.ranks import rank_checks
from qsfa_codegen.spec.model import Check, CheckKind, Constraint, Operator
from qsfa_codegen.spec.uses import output_uses


def lower(operator: Operator) -> tuple[Check, ...]:
    """Every check of the operator in the order of checking."""
    uses = output_uses(operator)
    checks = (
        *attr_checks(operator, uses),
        *presence_checks(operator, uses),
        *dtype_checks(operator),
        *rank_checks(operator, uses),
        *DimChecks(operator, uses).checks(),
        *(_constraint(c, operator) for c in operator.constraints),
    )
    lets = chip_lets(operator)
    return tuple(_with_chips_said(check, lets) for check in checks) if lets else checks


def _with_chips_said(check: Check, lets: Mapping[tuple[RefKind, str], Expr]) -> Check:
    """The check with derived values that go by the chip written out: engines must see that it needs it."""
    when = None if check.when is None else substitute(check.when, lets)
    require = substitute(check.require, lets)
    known = not any(depends_on_chip(expr) for expr in (when, require) if expr is not None)
    return replace(check, when=when, require=require, at_infer=check.at_infer and known)


def _constraint(rule: Constraint, operator: Operator) -> Check:
    conditions: list[Expr] = []
    if len(rule.chips) < len(operator.chips):
        options = [literal(name, rule.span, CHIP) for name in rule.chips]
        conditions.append(one_of(chip(rule.span), options, rule.span))
    if rule.when is not None:
        conditions.append(rule.when)
    return Check(
        rule.id,
        CheckKind.CONSTRAINT,
        rule.blame,
        all_of(conditions, rule.span),
        rule.require,
        rule.at_infer,
        (),
        rule.message,
        rule.span,
    )
