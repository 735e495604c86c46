"""Short ways to build trees, for code that lowers declarations to expressions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.memo import once_a_tree
from qsfa_codegen.expr.nodes import (
    ARCH,
    BOOL,
    CHIP,
    DTYPE,
    FLOAT,
    INT,
    STRING,
    Arith,
    Call,
    Compare,
    Contains,
    Expr,
    Kind,
    Literal,
    Logic,
    Not,
    ParamQuery,
    Query,
    Ref,
    RefKind,
    Type,
)

_LITERAL_TYPES = {"int": INT, "float": FLOAT, "bool": BOOL, "str": STRING}
TRUE = "true"
FALSE = "false"


def literal(value: int | float | bool | str, span: Span, type: Type | None = None) -> Literal:
    """A literal; the type follows the Python type unless given (enum label, dtype name)."""
    return Literal(type or _LITERAL_TYPES[value.__class__.__name__], span, value)


def ref(kind: RefKind, name: str, type: Type, span: Span) -> Ref:
    """A name."""
    return Ref(type, span, kind, name)


def dim(name: str, span: Span) -> Ref:
    """The dim ``name``."""
    return Ref(INT, span, RefKind.DIM, name)


def arch(span: Span) -> Ref:
    """The selector ``arch``."""
    return Ref(ARCH, span, RefKind.ARCH, "arch")


def chip(span: Span) -> Ref:
    """The selector ``chip``."""
    return Ref(CHIP, span, RefKind.CHIP, "chip")


def present(param: str, span: Span) -> ParamQuery:
    """Whether the caller passes ``param``."""
    return ParamQuery(BOOL, span, Query.PRESENT, param)


def rank_of(param: str, span: Span) -> ParamQuery:
    """The rank of ``param``."""
    return ParamQuery(INT, span, Query.RANK, param)


def dtype_of(param: str, span: Span) -> ParamQuery:
    """The dtype of ``param``."""
    return ParamQuery(DTYPE, span, Query.DTYPE, param)


def size_of(param: str, axis: int, span: Span) -> ParamQuery:
    """One dim of ``param``."""
    return ParamQuery(INT, span, Query.DIM, param, axis)


def compare(op: str, left: Expr, right: Expr, span: Span) -> Compare:
    """A comparison."""
    return Compare(BOOL, span, op, left, right)


def arith(op: str, left: Expr, right: Expr, span: Span) -> Arith:
    """int64 arithmetic."""
    return Arith(INT, span, op, left, right)


def product(factors: Sequence[Expr], span: Span) -> Expr:
    """The product of ``factors`` from the left, literal ones left out."""
    kept = [f for f in factors if not (isinstance(f, Literal) and f.value == 1)]
    if not kept:
        return literal(1, span)
    result = kept[0]
    for factor in kept[1:]:
        result = arith("*", result, factor, span)
    return result


def total(terms: Sequence[Expr], span: Span) -> Expr:
    """The sum of ``terms`` from the left; 0 when there are none."""
    if not terms:
        return literal(0, span)
    result = terms[0]
    for term in terms[1:]:
        result = arith("+", result, term, span)
    return result


def all_of(operands: Sequence[Expr], span: Span) -> Expr | None:
    """Their conjunction; None when there are none."""
    return _logic("and", operands, span)


def any_of(operands: Sequence[Expr], span: Span) -> Expr | None:
    """Their disjunction; None when there are none."""
    return _logic("or", operands, span)


def _logic(op: str, operands: Sequence[Expr], span: Span) -> Expr | None:
    if len(operands) < 2:
        return operands[0] if operands else None
    return Logic(BOOL, span, op, tuple(operands))


def negation(operand: Expr, span: Span) -> Expr:
    """``not operand``."""
    return Not(BOOL, span, operand)


def call(function: str, args: Sequence[Expr], type: Type, span: Span) -> Call:
    """A function call."""
    return Call(type, span, function, tuple(args))


def is_case(selector: Expr, labels: Sequence[str], negated: bool, span: Span) -> Expr:
    """Whether a table selector has (or, negated, has not) one of the case labels."""
    if selector.type.kind is Kind.BOOL:
        wanted = (labels[0] == TRUE) != negated
        return selector if wanted else negation(selector, span)
    options = tuple(Literal(selector.type, span, label) for label in labels)
    if len(options) == 1:
        return compare("!=" if negated else "==", selector, options[0], span)
    return Contains(BOOL, span, selector, options, negated)


def same(left: Expr, right: Expr) -> bool:
    """Whether two trees are equal apart from where they stand."""
    return strip(left) == strip(right)


_NOWHERE = Span("", 0, 0, 0, 0)


@once_a_tree
def strip(expr: Expr) -> object:
    """A hashable picture of a tree without spans, and without what values are called."""
    fields = [_strip_value(getattr(expr, name)) for name in expr.__struct_fields__ if name not in _UNSEEN]
    return (expr.__class__.__name__, *fields)


_NODES = frozenset(get_args(Expr))
_UNSEEN = frozenset({"span", "constant", "meaning"})


def _strip_value(value: Any) -> object:
    if type(value) is tuple:
        return tuple([_strip_value(item) for item in value])
    return strip(value) if type(value) in _NODES else value
