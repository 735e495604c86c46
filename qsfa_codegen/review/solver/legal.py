"""What makes a call legal, as terms: rules, outputs that have a value, tiling structs that hold theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import z3

from qsfa_codegen.contract.tiling import TilingRule
from qsfa_codegen.expr.limits import INT64_MAX, UINT32_MAX
from qsfa_codegen.expr.nodes import Expr
from qsfa_codegen.review.solver.encode import Encoder
from qsfa_codegen.review.solver.symbols import Term, UnsupportedError
from qsfa_codegen.review.solver.terms import YES, both
from qsfa_codegen.spec.model import Check, Chip, DtypeRef, Operator, Output, Shape, Table

Make = Callable[[], Term]


class Rules(NamedTuple):
    """What makes a call legal: conditions by the id of their rule, and rules that cannot be told."""

    conditions: tuple[tuple[str, Term], ...]
    untold: frozenset[str]


def rules_of(encoder: Encoder, operator: Operator, chip: Chip) -> Rules:
    """What makes a call of an operator legal on a chip."""
    conditions: list[tuple[str, Term]] = []
    untold: set[str] = set()
    for id, make in _all_rules(encoder, operator, chip):
        try:
            conditions.append((id, make()))
        except UnsupportedError:
            untold.add(id)
    return Rules(tuple(conditions), frozenset(untold))


def _all_rules(encoder: Encoder, operator: Operator, chip: Chip) -> Iterator[tuple[str, Make]]:
    for check in operator.checks:
        yield check.id, partial(_holds, encoder, check)
    for output in operator.outputs:
        yield f"{output.name}_shape", partial(_has_value, encoder, output)
    yield from _tiling(encoder, operator, chip)


def _holds(encoder: Encoder, check: Check) -> Term:
    """A rule that fails to have a value is broken, as when the contract is run."""
    require = encoder.of(check.require)
    kept = z3.And(require.ok, require.term)
    if check.when is None:
        return kept
    when = encoder.of(check.when)
    return z3.And(when.ok, z3.Implies(when.term, kept))


def _has_value(encoder: Encoder, output: Output) -> Term:
    return both(_shape_ok(encoder, output.shape), _dtype_ok(encoder, output.dtype))


def _dtype_ok(encoder: Encoder, dtype: DtypeRef) -> Term:
    if dtype.column is not None:
        return encoder.column(dtype.column).ok
    return YES if dtype.follow is None else encoder.passed(dtype.follow)


def _shape_ok(encoder: Encoder, shape: Shape | Table[Shape]) -> Term:
    if not isinstance(shape, Table):
        return both(*(encoder.size_ok(item) for item in shape.items))
    selector = encoder.of(shape.selector)
    found = z3.BoolVal(False) if shape.otherwise is None else _shape_ok(encoder, shape.otherwise)
    for label, case in reversed(shape.cases):
        found = z3.If(encoder.is_case(shape.selector, label), _shape_ok(encoder, case), found)
    return both(selector.ok, found)


def _tiling(encoder: Encoder, operator: Operator, chip: Chip) -> Iterator[tuple[str, Make]]:
    tiling = operator.tiling
    if tiling is None:
        return
    for field in TilingRule(operator, tiling).fields:
        if field.low is not None and field.high is not None and field.value is not None:
            yield field.id, partial(_between, encoder, field.value, field.low, field.high)
    key = tiling.key
    for arg in () if key is None else key.args:
        yield "key_fits", partial(_declared, encoder, arg.value, arg.declared)
    if key is not None and key.plain is not None:
        yield "key_fits", partial(_between, encoder, key.plain, 0, 2**64 - 1)
    terms = dict(tiling.workspace).get(chip.arch, ())
    yield "workspace_fits", partial(_workspace, encoder, [(t.when, t.bytes) for t in terms], chip, INT64_MAX)
    if tiling.block_dim is not None:
        yield "block_dim_fits", partial(_between, encoder, tiling.block_dim, 0, UINT32_MAX)


def _between(encoder: Encoder, expr: Expr | None, low: int, high: int) -> Term:
    assert expr is not None
    value = encoder.stored(expr)
    return z3.And(value.ok, value.term >= low, value.term <= high)


def _declared(encoder: Encoder, expr: Expr, codes: tuple[int, ...]) -> Term:
    value = encoder.stored(expr)
    return z3.And(value.ok, z3.Or(*(value.term == code for code in codes)))


def _workspace(encoder: Encoder, terms: list[tuple[Expr | None, Expr]], chip: Chip, high: int) -> Term:
    total: Term = z3.IntVal(chip.libapi_workspace)
    ok: list[Term] = []
    for when, size in terms:
        value = encoder.of(size)
        if when is None:
            total, ok = total + value.term, [*ok, value.ok]
            continue
        test = encoder.of(when)
        total = total + z3.If(test.term, value.term, 0)
        ok += [test.ok, z3.Implies(test.term, value.ok)]
    return z3.And(*ok, total >= 0, total <= high)
