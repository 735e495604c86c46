"""Typed expression trees. Frozen: every engine reads the same tree."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from enum import Enum
from typing import Any

from msgspec import Struct

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.memo import once_a_tree


class _Word(Enum):
    """One of a few words."""

    # Members are singletons, and hashed all the time: Enum's own hash is a Python function.
    __hash__ = object.__hash__


class Kind(_Word):
    """What sort of value an expression has."""

    INT = "int64"
    FLOAT = "float"
    BOOL = "bool"
    STRING = "string"
    ENUM = "enum"
    DTYPE = "dtype"
    CHIP = "chip"
    ARCH = "arch"
    LIST = "list"
    DIMS = "dims"  # the dims a `rest` item stands for


class Type(Struct, frozen=True):
    """A kind; ``enum`` names the enum of an ENUM, ``item`` is the element type of a LIST."""

    kind: Kind
    enum: str | None = None
    item: Type | None = None

    def __str__(self) -> str:
        if self.kind is Kind.ENUM:
            return f"enum {self.enum}"
        if self.kind is Kind.LIST:
            return f"list of {self.item}"
        return str(self.kind.value)


INT = Type(Kind.INT)
FLOAT = Type(Kind.FLOAT)
BOOL = Type(Kind.BOOL)
STRING = Type(Kind.STRING)
DTYPE = Type(Kind.DTYPE)
CHIP = Type(Kind.CHIP)
ARCH = Type(Kind.ARCH)
DIMS = Type(Kind.DIMS)


def enum_type(name: str) -> Type:
    """The type of values of enum ``name``."""
    return Type(Kind.ENUM, enum=name)


def list_type(item: Type) -> Type:
    """The type of a list attribute."""
    return Type(Kind.LIST, item=item)


class RefKind(_Word):
    """What a name stands for."""

    CONST = "const"
    DIM = "dim"
    ATTR = "attr"
    LET = "let"
    TILING_LET = "tiling let"
    PLATFORM = "platform"  # aic, aiv, ub_size, libapi_workspace: known when tiling runs
    COLUMN = "dtype column"
    RECORD = "record"
    REST = "rest"  # the dims of a `rest` item
    CHIP = "chip"  # the selector `chip`
    ARCH = "arch"  # the selector `arch`


class Query(_Word):
    """Facts about one tensor parameter of the call."""

    PRESENT = "present"  # bool
    RANK = "rank"  # int64
    DIM = "dim"  # int64, with axis (negative counts from the end)
    DTYPE = "dtype"  # dtype
    NUMEL = "numel"  # int64
    COUNT = "count"  # int64, number of tensors of a list input
    STRIDE = "stride"  # int64, with axis; bindings only
    DIMS = "dims"  # all dims from ``axis`` on, without the last ``tail``


class Literal(Struct, frozen=True):
    """int, float, bool, an enum label (str), a dtype name (str), a string, a chip or arch id.

    ``constant`` is what code calls the value and ``meaning`` what people call it, where they do; both are
    no part of the value: trees that differ in them alone are the same.
    """

    type: Type
    span: Span
    value: int | float | bool | str
    constant: str = ""
    meaning: str = ""


class Ref(Struct, frozen=True):
    """A name."""

    type: Type
    span: Span
    kind: RefKind
    name: str


class ParamQuery(Struct, frozen=True):
    """A fact about the input ``param``; ``axis`` for DIM, STRIDE and DIMS, ``tail`` for DIMS only."""

    type: Type
    span: Span
    query: Query
    param: str
    axis: int | None = None
    tail: int = 0


class Subscript(Struct, frozen=True):
    """One element of a list attribute; the index is a constant."""

    type: Type
    span: Span
    base: Expr
    index: int


class Negate(Struct, frozen=True):
    """Arithmetic minus."""

    type: Type
    span: Span
    operand: Expr


class Not(Struct, frozen=True):
    """Logical not."""

    type: Type
    span: Span
    operand: Expr


class Arith(Struct, frozen=True):
    """``+ - *`` and floor ``// %`` on int64 (or ``+ - *`` on float)."""

    type: Type
    span: Span
    op: str
    left: Expr
    right: Expr


class Compare(Struct, frozen=True):
    """``== != < <= > >=``; a chain ``a < b < c`` is a Logic 'and' of two of these.

    ``==`` also compares two DIMS values: as many sizes, each equal.
    """

    type: Type
    span: Span
    op: str
    left: Expr
    right: Expr


class Contains(Struct, frozen=True):
    """``item in (a, b)`` or ``item not in (a, b)``."""

    type: Type
    span: Span
    item: Expr
    options: tuple[Expr, ...]
    negated: bool = False


class Logic(Struct, frozen=True):
    """``and`` / ``or`` of two or more operands, evaluated left to right, stopping early."""

    type: Type
    span: Span
    op: str
    operands: tuple[Expr, ...]


class Conditional(Struct, frozen=True):
    """``then if test else otherwise``."""

    type: Type
    span: Span
    test: Expr
    then: Expr
    otherwise: Expr


class Call(Struct, frozen=True):
    """A function of the language (see ``expr.functions``) or an ``extern`` of the spec."""

    type: Type
    span: Span
    function: str
    args: tuple[Expr, ...]


class Select(Struct, frozen=True):
    """The table form ``{by, of}``: the case whose label equals the selector's value.

    A bool selector has the labels "true" and "false"; an ENUM selector its labels; a DTYPE selector
    dtype names; CHIP and ARCH their ids. Without a matching case and without ``otherwise`` the value
    does not exist there (evaluating it raises ``Unbound``).
    """

    type: Type
    span: Span
    selector: Expr
    cases: tuple[tuple[str, Expr], ...]
    otherwise: Expr | None = None


Expr = (
    Literal
    | Ref
    | ParamQuery
    | Subscript
    | Negate
    | Not
    | Arith
    | Compare
    | Contains
    | Logic
    | Conditional
    | Call
    | Select
)


def children(expr: Expr) -> tuple[Expr, ...]:
    """Direct subexpressions, in evaluation order."""
    inside = _INSIDE.get(type(expr))
    return () if inside is None else inside(expr)


def _of_select(expr: Select) -> tuple[Expr, ...]:
    branches = (expr.selector, *(value for _, value in expr.cases))
    return branches if expr.otherwise is None else (*branches, expr.otherwise)


_INSIDE: dict[type, Callable[[Any], tuple[Expr, ...]]] = {
    Subscript: lambda expr: (expr.base,),
    Negate: lambda expr: (expr.operand,),
    Not: lambda expr: (expr.operand,),
    Arith: lambda expr: (expr.left, expr.right),
    Compare: lambda expr: (expr.left, expr.right),
    Contains: lambda expr: (expr.item, *expr.options),
    Logic: lambda expr: expr.operands,
    Conditional: lambda expr: (expr.test, expr.then, expr.otherwise),
    Call: lambda expr: expr.args,
    Select: _of_select,
}


@once_a_tree
def walk(expr: Expr) -> tuple[Expr, ...]:
    """The expression and everything inside it, outermost first."""
    found = [expr]
    for node in found:
        found.extend(children(node))
    return tuple(found)


@once_a_tree
def refs(expr: Expr) -> AbstractSet[tuple[RefKind, str]]:
    """The names in ``expr``, in the order of ``walk``."""
    return dict.fromkeys((n.kind, n.name) for n in walk(expr) if isinstance(n, Ref)).keys()
