"""The tiling data that host and kernel share: one struct per group of fields, laid out by us."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.expr.functions import PLATFORM_VALUES
from qsfa_codegen.expr.nodes import Ref, RefKind
from qsfa_codegen.expr.prose import say
from qsfa_codegen.expr.rewrite import substitute
from qsfa_codegen.render.artefact import Artefact
from qsfa_codegen.render.cpp import field_type
from qsfa_codegen.render.text import INDENT, commented, wrap_call
from qsfa_codegen.spec.failure import MessageNames
from qsfa_codegen.spec.layout import StructLayout, library_structs, place
from qsfa_codegen.spec.model import TilingField, TilingMember
from qsfa_codegen.spec.names import upper

if TYPE_CHECKING:
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.model import Operator, TilingData, TilingStruct

NAMESPACE = "optiling"
PLAIN = "plain"
MACRO = "macro"
_UNUSED = "reserved: the kernels of this package do not read it"


class StructView(Struct, frozen=True):
    """One struct type: its member declarations, and what a compiler must find about its layout."""

    name: str
    lines: tuple[str, ...]
    size: int
    offsets: tuple[tuple[str, int], ...]


class MacroView(Struct, frozen=True):
    """One struct in the macro form, and the call that registers it."""

    name: str
    lines: tuple[str, ...]
    registration: str


def has_struct_file(operator: Operator) -> bool:
    """Whether the tiling data is a file of its own: in the plain style, and when all of it is ours."""
    data = tiling_data(operator)
    return data is not None and data.style == PLAIN and not library_structs(data)


def tiling_data(operator: Operator) -> TilingData | None:
    """The operator's tiling data; None when it has no tiling or hands over no data."""
    return operator.tiling.data if operator.tiling else None


def struct_file(operator: Operator) -> str:
    """Name of the header with the structs, in op_kernel."""
    return f"{operator.snake}_tiling_data.h"


def structs(root: TilingStruct) -> list[TilingStruct]:
    """The struct types of ``root``, each once, a nested one before what contains it."""
    found: dict[str, TilingStruct] = {}
    for structure in _inside_out(root):
        found.setdefault(structure.type_name, structure)
    return list(found.values())


def struct_views(operator: Operator, data: TilingData) -> list[StructView]:
    """The structs of the plain style, in the order of definition."""
    said = _FieldText(operator)
    return [_struct_view(structure, place(structure, data.align), said) for structure in structs(data.root)]


def macro_views(operator: Operator, data: TilingData) -> list[MacroView]:
    """The structs of the macro style; only the root is registered under the operator's own name."""
    return [
        MacroView(
            name=structure.type_name,
            lines=tuple(_macro_line(member) for member in structure.members),
            registration=wrap_call(
                "REGISTER_TILING_DATA_CLASS(",
                [
                    operator.name if structure is data.root else f"{structure.type_name}Op",
                    structure.type_name,
                ],
                ")",
            ),
        )
        for structure in structs(data.root)
    ]


def _inside_out(structure: TilingStruct) -> Iterator[TilingStruct]:
    for member in structure.members:
        if isinstance(member, TilingMember):
            yield from _inside_out(member.struct)
    yield structure


def _struct_view(structure: TilingStruct, layout: StructLayout, said: _FieldText) -> StructView:
    lines: list[str] = []
    gaps = 0
    for placed in layout.members:
        if placed.gap:
            lines.append(_padding(gaps, placed.gap))
            gaps += 1
        lines.append(_member_line(placed.member, said))
    if layout.tail:
        lines.append(_padding(gaps, layout.tail))
    offsets = tuple((placed.member.name, placed.offset) for placed in layout.members)
    return StructView(structure.type_name, tuple(lines), layout.size, offsets)


def _padding(number: int, size: int) -> str:
    return f"uint8_t padding{number}[{size}];"


def _member_line(member: TilingField | TilingMember, said: _FieldText) -> str:
    if isinstance(member, TilingMember):
        return f"{member.struct.type_name} {member.name};"
    declaration = f"{field_type(member.ctype)} {member.name};"
    return commented(declaration, _UNUSED if member.unused else said.of(member), INDENT)


class _FieldText:
    """What the host writes into a field, in words."""

    def __init__(self, operator: Operator) -> None:
        self._operator = operator
        self._names = MessageNames(operator)
        assert operator.tiling is not None
        lets = {RefKind.LET: operator.lets, RefKind.TILING_LET: operator.tiling.lets}
        self._docs = {(k, let.name): let.doc.en for k, group in lets.items() for let in group if let.doc}
        self._docs |= {(RefKind.DIM, dim.name): dim.doc.en for dim in operator.dims if dim.doc}
        self._docs |= {(RefKind.PLATFORM, name): known.en for name, known in PLATFORM_VALUES.items()}
        self._plain = {(k, let.name): let.value for k, group in lets.items() for let in group if not let.doc}

    def of(self, field: TilingField) -> str:
        """``B: batch size``, or how the value follows from what has a meaning of its own."""
        value = field.value
        while (written := substitute(value, self._plain)) is not value:
            value = written
        said = say(value, "en", self._names, plain=True)
        doc = self._docs.get((value.kind, value.name)) if isinstance(value, Ref) else None
        return said if doc is None else f"{said}: {doc}"


def _macro_line(member: TilingField | TilingMember) -> str:
    if isinstance(member, TilingMember):
        return f"TILING_DATA_FIELD_DEF_STRUCT({member.struct.type_name}, {member.name});"
    declaration = f"TILING_DATA_FIELD_DEF({field_type(member.ctype)}, {member.name});"
    return commented(declaration, _UNUSED if member.unused else "", INDENT)


def _render(operator: Operator, templates: Templates) -> str:
    data = tiling_data(operator)
    assert data is not None
    return templates.render(
        "op_kernel/op_tiling_data.h.j2",
        guard=f"{upper(operator.name)}_TILING_DATA_H",
        namespace=NAMESPACE,
        operator=operator.name,
        structs=struct_views(operator, data),
        root=data.root.type_name,
        align=data.align,
    )


ARTEFACTS = (
    Artefact(
        group="op_kernel",
        path=lambda operator: f"op_kernel/{struct_file(operator)}",
        render=_render,
        applies=has_struct_file,
    ),
)
