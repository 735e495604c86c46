"""How a tiling function reads a call: attributes, inputs, dims; each of them once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.expr.build import TRUE, is_case, strip
from qsfa_codegen.expr.nodes import ARCH, BOOL, CHIP, Expr, Ref, RefKind, Select
from qsfa_codegen.render.cpp import attr_index, input_index, variable
from qsfa_codegen.render.host_text import HostText
from qsfa_codegen.render.parameters import literal
from qsfa_codegen.render.text import INDENT, broken, call_with_format
from qsfa_codegen.spec.model import Attr, AttrType, InputKind, Registered
from qsfa_codegen.spec.names import upper
from qsfa_codegen.spec.paths import accepted_labels

if TYPE_CHECKING:
    from collections.abc import Collection

    from qsfa_codegen.spec.model import Dim, Input, Operator

_ELEMENTS = {AttrType.LIST_INT: "int64_t", AttrType.LIST_FLOAT: "float", AttrType.LIST_BOOL: "bool"}
_SCALARS = {AttrType.INT: "int64_t", AttrType.FLOAT: "float", AttrType.BOOL: "bool"}


_READING = ("call", "attrs")
"""Names that functions which read attributes have for other things."""


class AttrText(Struct, frozen=True):
    """An attribute: how it is declared, and how it is read.

    ``kind`` is value, enum, string, dtype or list; ``type`` the C++ type of the member, or of a
    list's element. ``absent`` is the constant to use when the caller's graph does not supply the
    attribute; None: that is an error when it is ``required``.
    """

    name: str
    member: str
    index: str
    kind: str
    type: str
    absent: str | None
    required: bool

    @property
    def rejection(self) -> str:
        """The statement for a required attribute that the caller's graph does not supply."""
        message = f"{self.name} is absent; expected: {self.name} is present [{self.name}_presence]"
        return call_with_format("return Reject(", message, [], 2 * INDENT)

    @property
    def local(self) -> str:
        """The variable that points to the value while it is read."""
        return f"{self.member}Attr" if self.member in _READING else self.member

    @property
    def absent_list(self) -> str:
        """The list to use when the caller's graph does not supply the attribute."""
        return "{}" if self.absent is None else f"{{{self.absent}, std::size({self.absent})}}"

    @property
    def stored(self) -> str:
        """The type under which a context keeps the value."""
        if self.kind == "list":
            return f"gert::TypedContinuousVector<{self.type}>"
        return {"enum": "char", "string": "char", "dtype": "int64_t"}.get(self.kind, self.type)


class InputText(Struct, frozen=True):
    """An input and the calls that read it; ``tensors``: it is a list, of which the first is kept."""

    name: str
    member: str
    index: str
    getter: str
    empty_is_absent: bool
    tensors: bool


class Branch(Struct, frozen=True):
    """Assignments of one case; ``head`` opens its block and is empty for what is read in every case."""

    head: str
    assignments: tuple[str, ...]


def attrs(operator: Operator, used: Collection[str]) -> list[AttrText]:
    """The attributes in ``used``, in the order of the ABI."""
    return [_attr(attr) for attr in operator.attrs if attr.name in used]


def default_constants(operator: Operator, used: Collection[str]) -> list[str]:
    """What an attribute is when an older graph does not supply it: the registered defaults."""
    return [_default_constant(attr) for attr in operator.attrs if attr.name in used and _has_fallback(attr)]


def inputs(operator: Operator, used: Collection[str]) -> list[InputText]:
    """The inputs in ``used``, in the order of the ABI."""
    return [_input(param) for param in operator.inputs if param.name in used]


def dim_branches(operator: Operator, text: HostText, used: Collection[str]) -> list[Branch]:
    """How the dims in ``used`` are read, case by case; a dim that a case does not have stays 0."""
    always: list[str] = []
    tables: dict[object, tuple[Expr, dict[str, list[str]]]] = {}
    for dim in operator.dims:
        if dim.name not in used:
            continue
        value = dim.value
        if isinstance(value, Select) and value.otherwise is None:
            _, by_label = tables.setdefault(strip(value.selector), (value.selector, {}))
            for label, size in value.cases:
                by_label.setdefault(label, []).append(_assignment(dim, size, text))
        else:
            always.append(_assignment(dim, value, text))
    first = [Branch("", tuple(always))] if always else []
    return [*first, *(b for s, labels in tables.values() for b in _branches(operator, text, s, labels))]


def _attr(attr: Attr) -> AttrText:
    absent = default_name(attr) if _has_fallback(attr) else None
    kind, ctype = _kind_and_type(attr)
    required = attr.required or (absent is None and attr.default != ())
    return AttrText(attr.name, variable(attr.name), attr_index(attr), kind, ctype, absent, required)


def _kind_and_type(attr: Attr) -> tuple[str, str]:
    if attr.enum is not None:
        return "enum", attr.enum
    if attr.type in _SCALARS:
        return "value", _SCALARS[attr.type]
    if attr.type in _ELEMENTS:
        return "list", _ELEMENTS[attr.type]
    if attr.type is AttrType.DTYPE:
        return "dtype", "ge::DataType"
    if attr.type is AttrType.STR:
        return "string", "std::string_view"
    raise ValueError(f"tiling cannot read attribute {attr.name} of type {attr.type.value}")


def _has_fallback(attr: Attr) -> bool:
    return not attr.required and attr.default is not None and attr.default != ()


def default_name(attr: Attr) -> str:
    """The constant that is an attribute's registered default."""
    return f"DEFAULT_{upper(attr.name)}"


def _default_constant(attr: Attr) -> str:
    assert attr.default is not None
    value = literal(attr.type, attr.default)
    kind, ctype = _kind_and_type(attr)
    if kind == "list":
        return f"constexpr {ctype} {default_name(attr)}[] = {value};"
    spelt = {"enum": "char", "string": "char", "dtype": "int64_t"}.get(kind, ctype)
    if spelt == "char":
        return f"constexpr const char *{default_name(attr)} = {value};"
    return f"constexpr {spelt} {default_name(attr)} = {value};"


def _input(param: Input) -> InputText:
    return InputText(
        name=param.name,
        member=variable(param.name),
        index=input_index(param),
        getter="RequiredInput" if param.registered is Registered.REQUIRED else "OptionalInput",
        empty_is_absent=param.empty_is_absent,
        tensors=param.kind is InputKind.TENSOR_LIST,
    )


def _assignment(dim: Dim, size: Expr, text: HostText) -> str:
    target = text.names.ref(RefKind.DIM, dim.name)
    return broken(f"{target} = ", text.cpp(size).text, ";", 2 * INDENT)


def _branches(
    operator: Operator, text: HostText, selector: Expr, by_label: dict[str, list[str]]
) -> Iterator[Branch]:
    total = _labels(operator, selector)
    complete = total is not None and total <= set(by_label) and len(by_label) > 1
    for number, (label, assignments) in enumerate(by_label.items()):
        last = number == len(by_label) - 1
        test = text.cpp(is_case(selector, (label,), False, selector.span)).text
        if complete and last:
            head = "} else {"
        elif number:
            head = broken("} else if (", test, ") {", INDENT)
        else:
            head = broken("if (", test, ") {", INDENT)
        yield Branch(head, tuple(assignments))


def _labels(operator: Operator, selector: Expr) -> frozenset[str] | None:
    """Every value that the selector can have in a call that passed the checks before it."""
    if selector.type == BOOL:
        return frozenset((TRUE, "false"))
    if selector.type == CHIP:
        return frozenset(chip.id for chip in operator.chips)
    if selector.type == ARCH:
        return frozenset(operator.archs)
    if isinstance(selector, Ref) and selector.kind is RefKind.ATTR:
        return accepted_labels(operator.find(Attr, selector.name))
    return None


def ends_block(branches: Sequence[Branch], number: int) -> bool:
    """Whether the block of a branch is closed before the next one starts."""
    following = branches[number + 1].head if number + 1 < len(branches) else ""
    return bool(branches[number].head) and not following.startswith("}")
