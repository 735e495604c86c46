"""``op_graph/<op>_proto.h``: the graph prototype, as CANN's opbuild makes it from the definition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qsfa_codegen.render.artefact import Artefact
from qsfa_codegen.render.cpp import ge_dtype
from qsfa_codegen.render.parameters import REGISTERED_TYPES, default_literal
from qsfa_codegen.render.text import wrap_call
from qsfa_codegen.spec.columns import registered_dtypes
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Input, Registered

if TYPE_CHECKING:
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.model import Attr, Operator, Output

_INDENT = 4
INT64_MAX = 2**63 - 1
_ANY_TYPE = "ge::TensorType::ALL()"
_INPUT_MACROS = {
    Registered.REQUIRED: "INPUT",
    Registered.OPTIONAL: "OPTIONAL_INPUT",
    Registered.DYNAMIC: "DYNAMIC_INPUT",
}
# A graph knows no optional output.
_OUTPUT_MACROS = {
    Registered.REQUIRED: "OUTPUT",
    Registered.OPTIONAL: "OUTPUT",
    Registered.DYNAMIC: "DYNAMIC_OUTPUT",
}
# What CANN registers for an optional attribute whose definition gives no default; lists are empty.
_UNSAID_DEFAULTS = {"Int": "0", "Float": "0.0", "Bool": "false", "String": '""'}


def _render(operator: Operator, templates: Templates) -> str:
    roots = sorted({i.dtype.follow for i in operator.inputs if i.dtype.follow is not None})
    return templates.render(
        "op_graph/proto.h.j2",
        name=operator.name,
        lines=[
            *(_input(parameter, roots) for parameter in operator.inputs),
            *(_output(parameter, roots) for parameter in operator.outputs),
            *(_datatype(operator, root) for root in roots),
            *(_attr(attr) for attr in operator.attrs),
        ],
    )


def _input(parameter: Input, roots: list[str]) -> str:
    kind = _type_name(parameter.dtype.follow or parameter.name, roots)
    return f".{_INPUT_MACROS[parameter.registered]}({parameter.name}, {kind})"


def _output(parameter: Output, roots: list[str]) -> str:
    return f".{_OUTPUT_MACROS[parameter.registered]}({parameter.name}, {_type_name(parameter.name, roots)})"


def _type_name(root: str, roots: list[str]) -> str:
    """An input that others follow shares a named type with them; every other parameter takes any type."""
    return f'"{root}_type"' if root in roots else _ANY_TYPE


def _datatype(operator: Operator, root: str) -> str:
    """The named type of ``root``: its dtypes in the definition's own rows (the first chip's), by code."""
    dtypes = registered_dtypes(operator, operator.find(Input, root).dtype, operator.chips[0].id)
    by_code = sorted(set(dtypes), key=lambda name: DTYPES[name].code)
    return wrap_call(
        f".DATATYPE({root}_type, ge::TensorType({{", list(map(ge_dtype, by_code)), "}))", _INDENT
    )


def _attr(attr: Attr) -> str:
    kind = REGISTERED_TYPES[attr.type]
    if attr.required:
        return f".REQUIRED_ATTR({attr.name}, {kind})"
    default = str(INT64_MAX) if attr.default == INT64_MAX else default_literal(attr)
    return f".ATTR({attr.name}, {kind}, {default or _UNSAID_DEFAULTS.get(kind, '{}')})"


ARTEFACTS = (Artefact("op_graph", lambda op: f"op_graph/{op.snake}_proto.h", _render),)
