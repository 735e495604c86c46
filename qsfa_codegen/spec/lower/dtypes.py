"""Checks of dtypes: of each input, then of the row that all of them make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product as combinations

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.build import all_of, any_of, compare, dtype_of, literal, negation, present
from qsfa_codegen.expr.nodes import DTYPE, Expr, ParamQuery
from qsfa_codegen.spec.lower.pieces import chip_table, one_of, when_passed
from qsfa_codegen.spec.model import Check, CheckKind, Fact, Input, Operator
from qsfa_codegen.spec.parameters import always_passed, attr_ref, never_checked


def dtype_checks(operator: Operator) -> Iterator[Check]:
    """Each input has a dtype of its own; then all of them are a row."""
    for param in operator.inputs:
        if never_checked(param):
            continue
        yield Check(
            id=f"{param.name}_dtype",
            kind=CheckKind.DTYPE,
            parameter=param.name,
            when=all_of(when_passed(param), param.span),
            require=_dtype_requirement(operator, param),
            at_infer=False,
            establishes=(Fact("dtype", param.name),),
            message=None,
            span=param.span,
        )
    yield from _row_check(operator)


def _dtype_requirement(operator: Operator, param: Input) -> Expr:
    actual, span = dtype_of(param.name, param.span), param.span
    if param.dtype.follow is not None:
        return compare("==", actual, dtype_of(param.dtype.follow, span), span)
    if param.dtype.fixed is not None:
        return compare("==", actual, literal(param.dtype.fixed, span, DTYPE), span)
    column = param.dtype.column or ""
    first = _first_of_column(operator, column)
    if first is param:
        return _in_column(operator, column, actual)
    same_dtype = compare("==", actual, dtype_of(first.name, span), span)
    if always_passed(first):
        return same_dtype
    absent = negation(present(first.name, span), span)
    agrees = any_of([absent, same_dtype], span)
    parts = [_in_column(operator, column, actual), *((agrees,) if agrees is not None else ())]
    return all_of(parts, span) or same_dtype


def _in_column(operator: Operator, column: str, actual: Expr) -> Expr:
    """Whether a dtype is one of a column's, chip by chip where they differ."""
    span = actual.span
    spelled: dict[frozenset[str], Expr] = {}

    def options(chip_id: str) -> Expr:
        names = tuple(dict.fromkeys(operator.dtypes.column(column, chip_id)))
        accepted = one_of(actual, [literal(name, span, DTYPE) for name in names], span)
        return spelled.setdefault(frozenset(names), accepted)

    return chip_table(operator, options, span)


def _first_of_column(operator: Operator, column: str) -> Input:
    """The input that tells the dtype of a column: the first that is always passed, else the first."""
    found = [i for i in operator.inputs if i.dtype.column == column and not never_checked(i)]
    return next((i for i in found if always_passed(i)), found[0])


def _row_check(operator: Operator) -> Iterator[Check]:
    """Rows that are not every combination of their columns need a check of their own."""
    matrix = operator.dtypes
    if all(_is_product([r.dtypes for r in rows]) for _, rows in matrix.rows):
        return
    carriers = {column: _carrier(operator, column) for column in matrix.columns}
    told = {column: carrier for column, carrier in carriers.items() if carrier is not None}
    known = _in_rows(operator, told)
    if len(told) > 1:
        yield _row_check_of(operator, list(told.values())[-1], None, known)
    for column in matrix.columns:
        optional = next((i for i in operator.inputs if i.dtype.column == column), None)
        if column in told or optional is None or never_checked(optional):
            continue
        carrier = dtype_of(optional.name, optional.span)
        when = all_of([present(optional.name, optional.span), known], optional.span)
        yield _row_check_of(operator, carrier, when, _in_rows(operator, told | {column: carrier}))


def _row_check_of(operator: Operator, blamed: Expr, when: Expr | None, require: Expr) -> Check:
    name = blamed.param if isinstance(blamed, ParamQuery) else getattr(blamed, "name", "")
    span = operator.inputs[0].span
    return Check("dtype_row", CheckKind.DTYPE, name, when, require, False, (), None, span)


def _in_rows(operator: Operator, carriers: Mapping[str, Expr]) -> Expr:
    """Whether some row has the dtypes that the carriers of these columns have."""
    matrix = operator.dtypes
    span = operator.inputs[0].span
    used = [index for index, column in enumerate(matrix.columns) if column in carriers]
    values = [carriers[matrix.columns[index]] for index in used]

    def in_rows(chip_id: str) -> Expr:
        rows = dict.fromkeys(tuple(r.dtypes[i] for i in used) for r in matrix.rows_of(chip_id))
        return any_of([_row_matches(values, row, span) for row in rows], span) or literal(True, span)

    return chip_table(operator, in_rows, span)


def _is_product(rows: Sequence[tuple[str, ...]]) -> bool:
    pools = [dict.fromkeys(column) for column in zip(*rows, strict=True)]
    return len(set(combinations(*pools))) == len(set(rows))


def _carrier(operator: Operator, column: str) -> Expr | None:
    """What tells a call's dtype of a column: its first input that is always passed, or an attribute."""
    for param in operator.inputs:
        if param.dtype.column == column and always_passed(param):
            return dtype_of(param.name, param.span)
    chooser = dict(operator.dtypes.select).get(column)
    for attr in operator.attrs:
        if attr.name == chooser:
            return attr_ref(attr, attr.span)
    return None


def _row_matches(carriers: Sequence[Expr], row: Sequence[str], span: Span) -> Expr:
    parts = [
        compare("==", carrier, literal(name, span, DTYPE), span)
        for carrier, name in zip(carriers, row, strict=True)
    ]
    return all_of(parts, span) or literal(True, span)
