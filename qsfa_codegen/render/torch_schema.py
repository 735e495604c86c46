"""The torch operator's schema, and the C++ type that each of its parameters arrives as."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.spec.aclnn import in_place_names
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import AttrType, AttrValue, Input, Registered, ValueDepend

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Attr, BoundParam, Operator, TorchBinding

_ATTR_SCHEMA = {
    AttrType.INT: "int",
    AttrType.DTYPE: "int",
    AttrType.FLOAT: "float",
    AttrType.BOOL: "bool",
    AttrType.STR: "str",
    AttrType.LIST_INT: "int[]",
    AttrType.LIST_BOOL: "bool[]",
}
_CPP_TYPES = {
    "Tensor": "const at::Tensor &",
    "Tensor[]": "at::TensorList ",
    "int": "int64_t ",
    "float": "double ",
    "bool": "bool ",
    "str": "std::string_view ",
    "int[]": "at::IntArrayRef ",
    "bool[]": "const c10::List<bool> &",
}
_STRING_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def has_torch(operator: Operator) -> bool:
    """Whether the operator has a torch binding that can be generated: outputs are single tensors."""
    lists = any(o.registered is Registered.DYNAMIC for o in operator.outputs)
    return operator.torch is not None and not lists


class Source(Enum):
    """What a parameter of the torch operator stands for."""

    INPUT = "input"
    ATTR = "attribute"
    RESERVED = "reserved"


class TorchParam(Struct, frozen=True):
    """A parameter of the torch operator.

    ``kind`` is its schema type without alias and question mark; ``default`` is schema text, None
    where there is none.
    """

    bound: BoundParam
    source: Source
    kind: str
    optional: bool
    alias: str  # "(a!)" for a tensor that the operator writes, else ""
    default: str | None
    keyword: bool
    attr_type: AttrType | None = None  # of what stands for an attribute

    @property
    def name(self) -> str:
        """Its name in the schema and in C++."""
        return self.bound.name

    @property
    def schema(self) -> str:
        """``Tensor? row_mask=None``."""
        kind = self.kind.replace("Tensor", f"Tensor{self.alias}", 1)
        default = "" if self.default is None else f"={self.default}"
        return f"{kind}{'?' if self.optional else ''} {self.name}{default}"

    @property
    def cpp(self) -> str:
        """``const std::optional<at::Tensor> &row_mask``."""
        plain = _CPP_TYPES[self.kind]
        if not self.optional:
            return plain + self.name
        value = plain.removeprefix("const ").rstrip(" &")
        reference = "&" in plain
        return f"{'const ' if reference else ''}std::optional<{value}> {'&' if reference else ''}{self.name}"


def parameters(operator: Operator, binding: TorchBinding) -> tuple[TorchParam, ...]:
    """Parameters in schema order: positional, then keyword-only."""
    aliases = iter("abcdefghijklmnopqrstuvwxyz")
    written = {i.name for i in operator.inputs if i.mutated} | in_place_names(operator)
    written |= {o.alias for o in operator.outputs if o.alias is not None}
    found: list[TorchParam] = []
    for bound in (*binding.positional, *binding.keyword):
        alias = f"({next(aliases)}!)" if bound.source in written else ""
        found.append(_parameter(operator, bound, alias, keyword=len(found) >= len(binding.positional)))
    return tuple(found)


def schema(operator: Operator, binding: TorchBinding) -> str:
    """The schema as TORCH_LIBRARY takes it: ``name(Tensor x, *, int k=1) -> (Tensor y)``."""
    return "".join(schema_pieces(operator, binding))


def schema_pieces(operator: Operator, binding: TorchBinding) -> list[str]:
    """The schema's text, cut behind each parameter."""
    found = parameters(operator, binding)
    arguments: list[str] = []
    for parameter in found:
        if parameter.keyword and "*" not in arguments:
            arguments.append("*")
        arguments.append(parameter.schema)
    aliases = {p.bound.source: p.alias for p in found}
    in_place = {o.name: o.alias or o.name for o in operator.outputs}
    returns = [f"Tensor{aliases.get(in_place.get(name, ''), '')} {bound}" for name, bound in binding.returns]
    if not returns:
        return [f"{binding.name}(", *_joined(arguments, ") -> ()")]
    return [f"{binding.name}(", *_joined(arguments, ") -> ("), *_joined(returns, ")")]


def _joined(items: Sequence[str], end: str) -> list[str]:
    return [*(f"{item}, " for item in items[:-1]), f"{items[-1]}{end}"]


def _parameter(operator: Operator, bound: BoundParam, alias: str, *, keyword: bool) -> TorchParam:
    attr = next((a for a in operator.attrs if a.name == bound.source), None)
    if attr is not None:
        return _attr_parameter(attr, bound, keyword=keyword)
    default = literal(bound, bound.default) if bound.has_default else None
    if bound.source is None:
        kind = bound.type or "Tensor"
        optional = kind == "Tensor" or default == "None"
        return TorchParam(bound, Source.RESERVED, kind, optional, "", default, keyword)
    parameter = operator.find(Input, bound.source)
    optional = parameter.registered is Registered.OPTIONAL
    kind = _input_kind(parameter)
    return TorchParam(bound, Source.INPUT, kind, optional, alias, default, keyword)


def _attr_parameter(attr: Attr, bound: BoundParam, *, keyword: bool) -> TorchParam:
    default = literal(bound, bound.default, attr.type) if bound.has_default else None
    kind = bound.type or _ATTR_SCHEMA[attr.type]
    return TorchParam(bound, Source.ATTR, kind, default == "None", "", default, keyword, attr.type)


def _input_kind(parameter: Input) -> str:
    if parameter.value_depend is not ValueDepend.NONE:
        return "int[]"
    return "Tensor[]" if parameter.registered is Registered.DYNAMIC else "Tensor"


def literal(bound: BoundParam, value: AttrValue | None, kind: AttrType | None = None) -> str:
    """A value of a parameter as the schema and Python spell it; ``kind`` is that of its attribute."""
    names = {value: name for name, value in bound.value_map}
    if bound.value_map and not isinstance(value, tuple) and value in names:
        return _string(names[value])
    return _literal(value, kind)


def _literal(value: AttrValue | None, kind: AttrType | None) -> str:
    if value is None:
        return "None"
    if isinstance(value, tuple):
        return "[" + ", ".join(_literal(item, kind) for item in value) + "]"
    if isinstance(value, bool):
        return "True" if value else "False"
    if isinstance(value, str):
        return str(DTYPES[value].code) if kind is AttrType.DTYPE else _string(value)
    return repr(value)


def _string(text: str) -> str:
    return '"' + "".join(_STRING_ESCAPES.get(char, char) for char in text) + '"'
