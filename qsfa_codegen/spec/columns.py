"""Dtype columns in expressions: what tells a call's dtype of a column, and sizes that all rows agree on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qsfa_codegen.expr.build import call, dtype_of, literal, present, ref
from qsfa_codegen.expr.memo import once_an_operator, once_each
from qsfa_codegen.expr.nodes import DTYPE, INT, Arith, Call, Conditional, Expr, Literal, Ref, RefKind
from qsfa_codegen.expr.rewrite import bottom_up
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Attr, DtypeRef, Input
from qsfa_codegen.spec.parameters import always_passed, attr_ref, never_checked

if TYPE_CHECKING:
    from collections.abc import Callable

    from qsfa_codegen.diagnostics import Span
    from qsfa_codegen.spec.model import Operator

_BITS_PER_BYTE = 8


def column_dtype(operator: Operator, column: str, span: Span) -> Expr:
    """The dtype that a call has in a column, as a fact about its inputs and attributes.

    An attribute that selects it, else an input that is always passed, else the first of its inputs that is
    passed, else the column that stands in for it. A column that nothing tells stays as it is; a rule keeps
    those out of everything that needs them.
    """
    chooser = dict(operator.dtypes.select).get(column)
    if chooser is not None:
        return attr_ref(operator.find(Attr, chooser), span)
    carriers = [i for i in operator.inputs if i.dtype.column == column and not never_checked(i)]
    always = next((i for i in carriers if always_passed(i)), None)
    if always is not None:
        return dtype_of(always.name, span)
    fallback = dict(operator.dtypes.unbound).get(column)
    found = None if fallback is None else column_dtype(operator, fallback, span)
    for carrier in reversed(carriers):
        own = dtype_of(carrier.name, span)
        found = own if found is None else Conditional(DTYPE, span, present(carrier.name, span), own, found)
    return ref(RefKind.COLUMN, column, DTYPE, span) if found is None else found


def root_dtype(operator: Operator, ref: DtypeRef) -> DtypeRef:
    """What a parameter that follows others follows in the end: a column or a fixed dtype."""
    while ref.follow is not None:
        ref = operator.find(Input, ref.follow).dtype
    return ref


def registered_dtypes(operator: Operator, ref: DtypeRef, chip: str) -> tuple[str, ...]:
    """Dtypes in registration order: one for each row of the chip's matrix, or a single one that all share."""
    root = root_dtype(operator, ref)
    if root.column is not None:
        return operator.dtypes.column(root.column, chip)
    assert root.fixed is not None
    return (root.fixed,)


def all_dtypes(operator: Operator, ref: DtypeRef) -> tuple[str, ...]:
    """Dtypes that a parameter can have on some chip, each once."""
    found = (registered_dtypes(operator, ref, chip.id) for chip in operator.chips)
    return tuple(dict.fromkeys(name for names in found for name in names))


def column_sizes(operator: Operator, column: str) -> set[int]:
    """Bytes that an element of a column can have."""
    return {DTYPES[name].size for name in all_dtypes(operator, DtypeRef(column=column))}


def with_known_sizes(operator: Operator, expr: Expr) -> Expr:
    """``expr`` with sizes of dtypes that are the same in every row as numbers; a size of 1 is no factor."""
    return _knowing_sizes(operator)(expr)


@once_an_operator
def _knowing_sizes(operator: Operator) -> Callable[[Expr], Expr]:
    def known(node: Expr) -> Expr:
        match node:
            case Call(function="sizeof", args=(Literal(value=dtype),)):
                return Literal(INT, node.span, DTYPES[str(dtype)].size)
            case Call(function="sizeof", args=(Ref(kind=RefKind.COLUMN, name=column),)):
                sizes = column_sizes(operator, column)
                return Literal(INT, node.span, next(iter(sizes))) if len(sizes) == 1 else node
            case Arith(op="*" | "//", left=left, right=Literal(value=1)):
                return left
        return node

    return once_each(lambda expr: bottom_up(expr, known))


def size_of_dtype(dtype: DtypeRef, span: Span) -> Expr:
    """Bytes of one element."""
    if dtype.fixed is not None and DTYPES[dtype.fixed].bits % _BITS_PER_BYTE == 0:
        return literal(DTYPES[dtype.fixed].bits // _BITS_PER_BYTE, span)
    if dtype.column is not None:
        return call("sizeof", (ref(RefKind.COLUMN, dtype.column, DTYPE, span),), INT, span)
    return call("sizeof", (literal(dtype.fixed or "", span, DTYPE),), INT, span)
