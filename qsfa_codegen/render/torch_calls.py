"""From the parameters of a torch operator to the arguments of its aclnn function."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.render.parameters import literal
from qsfa_codegen.render.text import INDENT, wrap_call
from qsfa_codegen.render.torch_names import carried_dtype
from qsfa_codegen.render.torch_schema import Source, TorchParam, parameters
from qsfa_codegen.spec.aclnn import AclnnParam, Role, signature
from qsfa_codegen.spec.columns import all_dtypes
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Attr, AttrType, AttrValue, DtypeRef, Input, Output
from qsfa_codegen.spec.names import pascal

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Operator, TorchBinding

OUTPUTS = "outputs"
CARRIER = "WithDtype"
"""The function that gives aclnn a tensor with a dtype that torch lacks."""
_VALUE_TYPES = {
    AttrType.INT: "int64_t",
    AttrType.DTYPE: "int64_t",
    AttrType.FLOAT: "double",
    AttrType.BOOL: "bool",
}
_ARRAYS = {
    AttrType.LIST_INT: "aclIntArray",
    AttrType.LIST_FLOAT: "aclFloatArray",
    AttrType.LIST_BOOL: "aclBoolArray",
}


class Argument(Struct, frozen=True):
    """An argument of the aclnn function: its text, and the statements that make it."""

    text: str
    statements: tuple[str, ...] = ()


def arguments(operator: Operator, binding: TorchBinding, namespace: str) -> list[Argument]:
    """An argument for each aclnn parameter, in their order. Each text names an object that lives on.

    ``namespace`` is where the functions of the contract stand.
    """
    return list(_Adapter(operator, binding, namespace).arguments())


def word_function(attr: Attr) -> str:
    """The function that turns the binding's words into values of an attribute."""
    return f"{pascal(attr.name)}Of"


class _Adapter:
    def __init__(self, operator: Operator, binding: TorchBinding, namespace: str) -> None:
        self._operator = operator
        self._namespace = namespace
        self._attrs = {a.name: a for a in operator.attrs}
        self._fixed = dict(binding.fixed)
        found = parameters(operator, binding)
        self._params = {p.bound.source or p.name: p for p in found}

    def arguments(self) -> Iterator[Argument]:
        for param in signature(self._operator):
            match param.role:
                case Role.OUTPUT:
                    yield self._output(param.source)
                case Role.ATTR:
                    yield self._attr(self._attrs[param.source])
                case _:
                    yield self._input(param)

    def _output(self, name: str) -> Argument:
        alias = self._operator.find(Output, name).alias
        given = None if alias is None else self._params.get(alias)
        text = f"{OUTPUTS}.{name}" if given is None else given.name
        return self._carried(text, name, self._operator.find(Output, name).dtype)

    def _input(self, param: AclnnParam) -> Argument:
        given = self._params.get(param.source or param.name)
        if given is not None:
            return self._tensor(given)
        name = param.source or param.name
        if not param.is_pointer:
            return Argument(name, (f"{param.ctype} {name} = {{}};",))
        return Argument(name, (f"const std::optional<at::Tensor> {name};",))

    def _tensor(self, given: TorchParam) -> Argument:
        if given.source is not Source.INPUT or given.kind != "Tensor":
            return Argument(given.name)
        dtype = self._operator.find(Input, given.bound.source or "").dtype
        carried = self._carried(given.name, given.name, dtype)
        if not (given.optional and carried.statements):
            return carried
        plain = f"{given.name}_tensor"
        copy = f"const at::Tensor {plain} = {given.name}.value_or(at::Tensor());"
        carried = self._carried(plain, given.name, dtype)
        return Argument(carried.text, (copy, *carried.statements))

    def _carried(self, text: str, name: str, dtype: DtypeRef) -> Argument:
        """A tensor for aclnn; one whose dtype torch lacks goes with the name of that dtype."""
        carried = carried_dtype(all_dtypes(self._operator, dtype))
        if carried is None:
            return Argument(text)
        told = DTYPES[carried].ge.replace("DT_", "ACL_", 1)
        head = f"const auto &{name}_typed = {self._namespace}::{CARRIER}("
        call = wrap_call(head, [text, told, f'"{name}"', "0"], ");", INDENT)
        return Argument(f"{name}_typed", (call,))

    def _attr(self, attr: Attr) -> Argument:
        given = self._params.get(attr.name)
        if given is None:
            return self._pinned(attr)
        if given.bound.value_map:
            value = f"{self._namespace}::{word_function(attr)}({given.name})"
            return Argument(attr.name, (f"const {_VALUE_TYPES[attr.type]} {attr.name} = {value};",))
        if attr.type is AttrType.STR:
            return self._string(attr, given)
        if attr.type is AttrType.LIST_BOOL:
            return self._flags(attr, given)
        if given.optional:
            return self._or_default(attr, given)
        return Argument(given.name)

    def _string(self, attr: Attr, given: TorchParam) -> Argument:
        copy, chars = f"{given.name}_text", f"{given.name}_chars"
        value = given.name
        if given.optional:
            value = f"{given.name}.value_or({_default(attr)})"
        return Argument(chars, (f"std::string {copy}({value});", f"char *{chars} = {copy}.data();"))

    def _flags(self, attr: Attr, given: TorchParam) -> Argument:
        flags, array = f"{given.name}_flags", f"{given.name}_array"
        default = f"c10::List<bool>({literal(attr.type, attr.default) if attr.default else ''})"
        source = f"{given.name}.value_or({default})" if given.optional else given.name
        return Argument(
            array,
            (
                f"c10::SmallVector<bool, 8> {flags};",
                f"for (const bool flag : {source}) {{",
                f"    {flags}.push_back(flag);",
                "}",
                f"const at::ArrayRef<bool> {array}({flags});",
            ),
        )

    def _or_default(self, attr: Attr, given: TorchParam) -> Argument:
        if attr.type in _ARRAYS:
            return Argument(given.name)
        value = f"{given.name}_value"
        text = f"{given.name}.value_or({_default(attr)})"
        return Argument(value, (f"const {_VALUE_TYPES[attr.type]} {value} = {text};",))

    def _pinned(self, attr: Attr) -> Argument:
        name = attr.name
        value = self._fixed.get(name)
        if value is None:
            value = attr.default
        if attr.type in _ARRAYS:
            return Argument(name, tuple(_pinned_array(attr, self._fixed.get(name))))
        if attr.type is AttrType.STR:
            text = "nullptr" if self._fixed.get(name) is None else f"{name}_text"
            copy = () if text == "nullptr" else (f"char {text}[] = {literal(attr.type, value or '')};",)
            return Argument(name, (*copy, f"char *{name} = {text};"))
        written = "{}" if value is None else literal(attr.type, value)
        return Argument(name, (f"const {_VALUE_TYPES[attr.type]} {name} = {written};",))


def _default(attr: Attr) -> str:
    return "{}" if attr.default is None else literal(attr.type, attr.default)


def _pinned_array(attr: Attr, value: AttrValue | None) -> Iterator[str]:
    """Nothing pinned is nullptr, for which the registered default stands."""
    if not isinstance(value, tuple):
        yield f"{_ARRAYS[attr.type]} *{attr.name} = nullptr;"
        return
    element = "int64_t" if attr.type is AttrType.LIST_INT else "bool"
    if value:
        yield f"const {element} {attr.name}_values[] = {literal(attr.type, value)};"
    yield f"const at::ArrayRef<{element}> {attr.name}{f'({attr.name}_values)' if value else ''};"


def mapped_values(param: TorchParam, attr: Attr) -> list[tuple[str, str]]:
    """What each of the binding's words stands for."""
    return [(word, _mapped(attr, value)) for word, value in param.bound.value_map]


def _mapped(attr: Attr, value: int | float | bool | str) -> str:
    if attr.type is AttrType.DTYPE and isinstance(value, str):
        return str(DTYPES[value].code)
    return literal(attr.type, value)
