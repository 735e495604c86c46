"""Checks of the outputs that a caller has allocated, for interfaces that are given them."""

from __future__ import annotations

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.build import (
    any_of,
    compare,
    dtype_of,
    literal,
    present,
)
from qsfa_codegen.expr.nodes import DTYPE, Expr, Literal
from qsfa_codegen.expr.specialize import simplify
from qsfa_codegen.spec.columns import column_dtype
from qsfa_codegen.spec.model import (
    Check,
    CheckKind,
    DimItem,
    DtypeRef,
    Operator,
    Output,
    Shape,
    Text,
)
from qsfa_codegen.spec.names import output_check
from qsfa_codegen.spec.paths import condition, walk_choice


def output_checks(operator: Operator) -> tuple[Check, ...]:
    """Presence, then dtype, of every output that a caller allocates, each in output order.

    Facts about an output are queries about a parameter of its name, which no input has. An output
    without elements may be left out: ``empty_when`` says in which calls.
    """
    outputs = allocated(operator)
    return (*map(_presence, outputs), *(_dtype(operator, output) for output in outputs))


def allocated(operator: Operator) -> tuple[Output, ...]:
    """Outputs that a caller allocates."""
    inputs = {i.name for i in operator.inputs}
    return tuple(o for o in operator.outputs if o.name not in inputs)


def empty_when(output: Output) -> Expr:
    """Whether the output has no elements because its shape has an axis that is written as 0."""
    span = output.span
    cases = [condition(path, span) for path, shape in walk_choice(output.shape) if has_zero(shape)]
    if any(case is None for case in cases):
        return literal(True, span)
    return any_of([case for case in cases if case is not None], span) or literal(False, span)


def has_zero(shape: Shape) -> bool:
    """Whether an axis of the shape is written as 0."""
    sizes = [item.size for item in shape.items if isinstance(item, DimItem)]
    return any(isinstance(size, Literal) and size.value == 0 for size in sizes)


def dtype_expr(operator: Operator, dtype: DtypeRef, span: Span) -> Expr:
    """The dtype of a parameter as an expression."""
    if dtype.follow is not None:
        return dtype_of(dtype.follow, span)
    if dtype.fixed is not None:
        return literal(dtype.fixed, span, DTYPE)
    assert dtype.column is not None
    return column_dtype(operator, dtype.column, span)


def _presence(output: Output) -> Check:
    given = present(output.name, output.span)
    passed = simplify(any_of([empty_when(output), given], output.span) or given)
    return _check(output, "presence", CheckKind.PRESENCE, None, passed, None)


def _dtype(operator: Operator, output: Output) -> Check:
    span = output.span
    wanted = dtype_expr(operator, output.dtype, span)
    same = compare("==", dtype_of(output.name, span), wanted, span)
    empty = empty_when(output)
    always = isinstance(empty, Literal) and empty.value is False
    when = None if always else present(output.name, span)
    return _check(output, "dtype", CheckKind.DTYPE, when, same, _wording(operator, output))


def _wording(operator: Operator, output: Output) -> Text | None:
    """A dtype of the matrix is named by the parameter that has it."""
    column = output.dtype.column
    if column is None:
        return None
    holders = [i.name for i in operator.inputs if i.dtype.column == column]
    holder = holders[0] if holders else dict(operator.dtypes.select)[column]
    return Text(f"must have the dtype of {holder}", f"的数据类型须与 {holder} 一致")


def _check(
    output: Output, what: str, kind: CheckKind, when: Expr | None, require: Expr, message: Text | None
) -> Check:
    return Check(
        id=output_check(output.name, what),
        kind=kind,
        parameter=output.name,
        when=when,
        require=require,
        at_infer=False,
        establishes=(),
        message=message,
        span=output.span,
    )
