"""What the operator definition registers for an attribute: its type and default."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qsfa_codegen.render.cpp import bool_literal, float_literal, int_literal
from qsfa_codegen.render.text import cpp_string
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import AttrType, AttrValue

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Attr

REGISTERED_TYPES = {
    AttrType.INT: "Int",
    AttrType.FLOAT: "Float",
    AttrType.BOOL: "Bool",
    AttrType.STR: "String",
    AttrType.DTYPE: "Int",
    AttrType.LIST_INT: "ListInt",
    AttrType.LIST_FLOAT: "ListFloat",
    AttrType.LIST_BOOL: "ListBool",
    AttrType.LIST_STR: "ListString",
    AttrType.LIST_LIST_INT: "ListListInt",
}
"""How operator definitions and graph prototypes call an attribute's type."""


def default_literal(attr: Attr) -> str | None:
    """The registered default as a C++ expression; None when nothing is registered.

    A dtype attribute's default is its ge::DataType code.
    """
    return None if attr.default is None else literal(attr.type, attr.default)


def literal(kind: AttrType, value: AttrValue) -> str:
    """A value of an attribute of type ``kind`` as a C++ expression; lists in braces."""
    if isinstance(value, tuple):
        return "{" + ", ".join(literal(kind, item) for item in value) + "}"
    if isinstance(value, bool):
        return bool_literal(value)
    if kind is AttrType.DTYPE:
        return str(DTYPES[value].code if isinstance(value, str) else value)
    if isinstance(value, str):
        return cpp_string(value)
    if kind in (AttrType.FLOAT, AttrType.LIST_FLOAT):
        return float_literal(value)
    assert isinstance(value, int)
    return int_literal(value)
