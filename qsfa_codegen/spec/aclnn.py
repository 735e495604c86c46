"""The aclnn signature of an operator: the C names, types and order that CANN derives from its definition."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import Enum

from msgspec import Struct

from qsfa_codegen.spec.columns import registered_dtypes
from qsfa_codegen.spec.model import (
    Attr,
    AttrType,
    BoundParam,
    Input,
    InputKind,
    Operator,
    Output,
    Registered,
    ValueDepend,
)
from qsfa_codegen.spec.names import api_camel

TENSOR = "aclTensor *"
TENSOR_LIST = "aclTensorList *"
_ATTR_TYPES = {
    AttrType.INT: "int64_t",
    AttrType.DTYPE: "int64_t",
    AttrType.FLOAT: "double",
    AttrType.BOOL: "bool",
    AttrType.STR: "char *",
    AttrType.LIST_INT: "const aclIntArray *",
    AttrType.LIST_FLOAT: "const aclFloatArray *",
    AttrType.LIST_BOOL: "const aclBoolArray *",
}
_SCALAR_TYPES = {InputKind.SCALAR: "const aclScalar *", InputKind.SCALAR_LIST: "const aclScalarList *"}
_ARRAY_TYPES = {"float32": "const aclFloatArray *", "bool": "const aclBoolArray *"}
_RESERVED_TYPES = {"int": "int64_t", "float": "double", "bool": "bool", "str": "char *"}
_REF = "Ref"


class Role(Enum):
    """What an aclnn parameter is to the operator."""

    INPUT = "input"
    ATTR = "attribute"
    OUTPUT = "output"
    RESERVED = "reserved"


class AclnnParam(Struct, frozen=True):
    """One parameter of aclnn…GetWorkspaceSize.

    ``name`` and ``ctype`` as in C; ``source`` is the operator's parameter ("" for a reserved one).
    ``required`` is what the registration says: false also for an attribute that has a default.
    """

    name: str
    ctype: str
    role: Role
    source: str
    required: bool

    @property
    def declaration(self) -> str:
        """``const aclTensor *query``: the star stands with the name."""
        return f"{self.ctype}{'' if self.ctype.endswith('*') else ' '}{self.name}"

    @property
    def is_pointer(self) -> bool:
        """Whether a caller can pass nullptr."""
        return self.ctype.endswith("*")


def signature(operator: Operator) -> tuple[AclnnParam, ...]:
    """Parameters of the public aclnn function: inputs, attributes, outputs, each in registered order.

    An output that is an input updated in place is that input and does not come again. A handwritten
    binding that lists its parameters has those instead. The workspace size and the executor, which
    every function ends with, are not part of it.
    """
    own = inner_signature(operator)
    if not operator.aclnn.parameters:
        return own
    by_source = {p.source: p for p in own}
    return tuple(_bound(bound, by_source) for bound in operator.aclnn.parameters)


def inner_signature(operator: Operator) -> tuple[AclnnParam, ...]:
    """Parameters of the function that CANN itself generates (``aclnn`` or ``aclnnInner``).

    It has none for ``unsupported_attrs``.
    """
    in_place = in_place_names(operator)
    outputs = [o for o in operator.outputs if o.name not in in_place]
    return (
        *(_input(i, operator) for i in operator.inputs),
        *(_attr(a) for a in operator.attrs if a.type in _ATTR_TYPES),
        *(_output(o, alone=len(operator.outputs) == 1) for o in outputs),
    )


def unsupported_attrs(operator: Operator) -> tuple[Attr, ...]:
    """Attributes of types that CANN generates no aclnn function for."""
    return tuple(a for a in operator.attrs if a.type not in _ATTR_TYPES)


def in_place_names(operator: Operator) -> frozenset[str]:
    """Inputs that an output shares its name with: CANN treats them as one tensor, updated in place."""
    return frozenset(o.name for o in operator.outputs) & frozenset(i.name for i in operator.inputs)


def input_name(parameter: Input, in_place: Collection[str]) -> str:
    """``row_mask`` → ``rowMaskOptional``; updated in place: ``xRef``."""
    name = api_camel(parameter.name) + (_REF if parameter.name in in_place else "")
    return name + ("Optional" if parameter.registered is Registered.OPTIONAL else "")


def attr_name(attr: Attr) -> str:
    """``round_mode`` → ``roundModeOptional``: only what is passed by pointer can be left out in C."""
    optional = not attr.required and _ATTR_TYPES.get(attr.type, "*").endswith("*")
    return api_camel(attr.name) + ("Optional" if optional else "")


def output_name(parameter: Output, *, alone: bool) -> str:
    """``row_sum`` → ``rowSumOut``; the only output of an operator is ``out``."""
    name = "out" if alone else api_camel(parameter.name) + "Out"
    return name + ("Optional" if parameter.registered is Registered.OPTIONAL else "")


def _input(parameter: Input, operator: Operator) -> AclnnParam:
    name = input_name(parameter, in_place_names(operator))
    required = parameter.registered is not Registered.OPTIONAL
    return AclnnParam(name, _input_type(parameter, name, operator), Role.INPUT, parameter.name, required)


def _input_type(parameter: Input, name: str, operator: Operator) -> str:
    if parameter.kind in _SCALAR_TYPES:
        return _SCALAR_TYPES[parameter.kind]
    if parameter.value_depend is not ValueDepend.NONE:
        first = registered_dtypes(operator, parameter.dtype, operator.chips[0].id)[0]
        return _ARRAY_TYPES.get(first, "const aclIntArray *")
    base = TENSOR_LIST if parameter.registered is Registered.DYNAMIC else TENSOR
    # CANN goes by the spelling alone, so an input that merely ends in Ref counts as updated too.
    written = name.endswith(_REF)
    return base if written else f"const {base}"


def _attr(attr: Attr) -> AclnnParam:
    return AclnnParam(attr_name(attr), _ATTR_TYPES[attr.type], Role.ATTR, attr.name, attr.required)


def _output(parameter: Output, *, alone: bool) -> AclnnParam:
    base = TENSOR_LIST if parameter.registered is Registered.DYNAMIC else TENSOR
    required = parameter.registered is not Registered.OPTIONAL
    name = output_name(parameter, alone=alone)
    return AclnnParam(name, f"const {base}", Role.OUTPUT, parameter.name, required)


# --------------------------------------------------------------------------- handwritten bindings


def _bound(bound: BoundParam, by_source: Mapping[str, AclnnParam]) -> AclnnParam:
    if bound.source is None:
        ctype = _RESERVED_TYPES.get(bound.type or "", f"const {TENSOR}")
        return AclnnParam(api_camel(bound.name), ctype, Role.RESERVED, "", False)
    derived = by_source[bound.source]
    name = derived.name if bound.name == bound.source else api_camel(bound.name)
    ctype = "const aclIntArray *" if bound.convert == "int_array" else derived.ctype
    return AclnnParam(name, ctype, derived.role, derived.source, derived.required)
