"""Attributes and what the contract accepts of them."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.spec.model.choice import Table, Text


class AttrType(Enum):
    """Types of attributes; DTYPE is registered as Int and holds a ge::DataType code."""

    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    STR = "str"
    DTYPE = "dtype"
    LIST_INT = "list_int"
    LIST_FLOAT = "list_float"
    LIST_BOOL = "list_bool"
    LIST_STR = "list_str"
    LIST_LIST_INT = "list_list_int"


AttrScalar = int | float | bool | str


AttrValue = AttrScalar | tuple[AttrScalar, ...] | tuple[tuple[int, ...], ...]


class NamedValue(Struct, frozen=True):
    """An accepted value and, where it has one, its name; ``const`` when the spec writes it as a constant."""

    value: AttrScalar
    name: str | None
    const: str | None = None


class Domain(Struct, frozen=True):
    """What the contract accepts of one attribute, or of each element of a list attribute.

    ``values`` empty means that only the bounds (and ``finite``) count. Bounds are inclusive unless
    ``above`` (exclusive lower bound).
    """

    values: tuple[NamedValue, ...] = ()
    minimum: int | float | None = None
    maximum: int | float | None = None
    above: int | float | None = None
    finite: bool = False


class DefaultTrap(Struct, frozen=True):
    """The registered default is rejected on these chips, on purpose."""

    chips: tuple[str, ...]
    doc: Text
    span: Span


class Attr(Struct, frozen=True):
    """An attribute. ``default`` is what is registered (None: nothing is)."""

    name: str
    index: int
    type: AttrType
    required: bool
    default: AttrValue | None
    enum: str | None
    domain: Domain | Table[Domain] | None
    lengths: tuple[int, ...]  # list attributes: accepted numbers of elements; empty: any
    trap: DefaultTrap | None
    chips: tuple[str, ...]  # chips it exists on; all of the operator's unless said
    was: tuple[str, ...]
    doc: Text | None
    span: Span
