"""The type that an attribute has in expressions."""

from __future__ import annotations

from qsfa_codegen.expr.nodes import BOOL, DTYPE, FLOAT, INT, STRING, Type, list_type
from qsfa_codegen.spec.model import AttrType

ATTR_TYPES: dict[AttrType, Type] = {
    AttrType.INT: INT,
    AttrType.FLOAT: FLOAT,
    AttrType.BOOL: BOOL,
    AttrType.STR: STRING,
    AttrType.DTYPE: DTYPE,
    AttrType.LIST_INT: list_type(INT),
    AttrType.LIST_FLOAT: list_type(FLOAT),
    AttrType.LIST_BOOL: list_type(BOOL),
    AttrType.LIST_STR: list_type(STRING),
    AttrType.LIST_LIST_INT: list_type(list_type(INT)),
}
