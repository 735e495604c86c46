"""Layout of tiling data against ctypes, a C++ compiler and the rules of the macro form; key bits."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.nodes import INT, Literal
from qsfa_codegen.spec.layout import CTYPES, encode_key, key_shifts, pack, place, struct_layout
from qsfa_codegen.spec.model import KeyArg, TilingData, TilingField, TilingMember, TilingStruct

SPAN = Span("spec.yaml", 1, 1, 1, 1)
ZERO = Literal(INT, SPAN, 0)
SCALARS: dict[str, Any] = {
    "bool": ctypes.c_bool,
    "int8": ctypes.c_int8,
    "uint8": ctypes.c_uint8,
    "int16": ctypes.c_int16,
    "uint16": ctypes.c_uint16,
    "int32": ctypes.c_int32,
    "uint32": ctypes.c_uint32,
    "int64": ctypes.c_int64,
    "uint64": ctypes.c_uint64,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
}


def field(name: str, ctype: str) -> TilingField:
    return TilingField(name, ctype, ZERO, False, SPAN)


def structure(name: str, *members: TilingField | TilingMember) -> TilingStruct:
    return TilingStruct(name, members, SPAN)


def data(root: TilingStruct) -> TilingData:
    return TilingData(root, 8, "plain")


@st.composite
def trees(draw: st.DrawFn, depth: int = 2, name: str = "S") -> TilingStruct:
    members: list[TilingField | TilingMember] = []
    for index in range(draw(st.integers(1, 5))):
        if depth and draw(st.integers(0, 3)) == 0:
            members.append(TilingMember(f"m{index}", draw(trees(depth - 1, f"{name}_{index}"))))
        else:
            members.append(field(f"m{index}", draw(st.sampled_from(sorted(SCALARS)))))
    return structure(name, *members)


def as_ctypes(tree: TilingStruct) -> Any:
    fields: list[tuple[str, Any]] = []
    for member in tree.members:
        inner = as_ctypes(member.struct) if isinstance(member, TilingMember) else SCALARS[member.ctype]
        fields.append((member.name, inner))
    # An array of no elements has the alignment of its type and no size.
    fields.append(("aligns_to_8", ctypes.c_uint64 * 0))
    return type(tree.type_name, (ctypes.Structure,), {"_fields_": fields})


def ctypes_offsets(kind: Any, prefix: str = "", base: int = 0) -> Iterator[tuple[str, int]]:
    for name, inner, *_ in kind._fields_:
        offset = base + getattr(kind, name).offset
        if issubclass(inner, ctypes.Structure):
            yield from ctypes_offsets(inner, f"{prefix}{name}.", offset)
        elif name != "aligns_to_8":
            yield prefix + name, offset


@settings(max_examples=60, deadline=None)
@given(trees())
def test_offsets_are_those_of_an_aligned_c_struct(tree: TilingStruct) -> None:
    layout = struct_layout(data(tree))
    kind: Any = as_ctypes(tree)
    assert [(e.path, e.offset) for e in layout.entries] == list(ctypes_offsets(kind))
    assert layout.size == ctypes.sizeof(kind)


class MacroForm:
    """What BEGIN_TILING_DATA_DEF does: pad to the field's size, structs and the end to 8 bytes."""

    def __init__(self, tree: TilingStruct) -> None:
        self.size = 0
        self.offsets: list[tuple[str, int]] = []
        for member in tree.members:
            if isinstance(member, TilingMember):
                nested = MacroForm(member.struct)
                self._pad(8)
                self.offsets += [(f"{member.name}.{path}", self.size + at) for path, at in nested.offsets]
                self.size += nested.size
            else:
                size = ctypes.sizeof(SCALARS[member.ctype])
                self._pad(size)
                self.offsets.append((member.name, self.size))
                self.size += size
        self._pad(8)

    def _pad(self, step: int) -> None:
        while self.size % step:
            self.size += 1


@settings(max_examples=60, deadline=None)
@given(trees())
def test_plain_and_macro_form_have_the_same_bytes(tree: TilingStruct) -> None:
    layout = struct_layout(data(tree))
    macro = MacroForm(tree)
    assert [(e.path, e.offset) for e in layout.entries] == macro.offsets
    assert layout.size == macro.size


def test_offsets_are_those_of_a_cpp_compiler(tmp_path: Path) -> None:
    inner = structure("Inner", field("flag", "bool"), field("count", "uint32"), field("one", "uint8"))
    root = structure(
        "Root",
        field("a", "uint16"),
        TilingMember("inner", inner),
        field("b", "float"),
        field("c", "int64"),
        field("d", "int8"),
    )
    source = tmp_path / "offsets.cpp"
    source.write_text(
        "#include <cstddef>\n#include <cstdint>\n#include <cstdio>\n"
        "struct alignas(8) Inner { bool flag; uint32_t count; uint8_t one; };\n"
        "struct alignas(8) Root { uint16_t a; Inner inner; float b; int64_t c; int8_t d; };\n"
        'int main() { std::printf("%zu %zu %zu %zu %zu %zu %zu %zu", offsetof(Root, a),\n'
        "offsetof(Root, inner) + offsetof(Inner, flag), offsetof(Root, inner) + offsetof(Inner, count),\n"
        "offsetof(Root, inner) + offsetof(Inner, one), offsetof(Root, b), offsetof(Root, c),\n"
        "offsetof(Root, d), sizeof(Root)); }\n"
    )
    binary = tmp_path / "offsets"
    subprocess.run(["g++", "-std=c++17", str(source), "-o", str(binary)], check=True)
    printed = subprocess.run([str(binary)], check=True, capture_output=True, text=True).stdout
    layout = struct_layout(data(root))
    assert [e.offset for e in layout.entries] + [layout.size] == [int(word) for word in printed.split()]


def test_padding_is_told_before_each_member_and_at_the_end() -> None:
    layout = place(structure("S", field("a", "uint8"), field("b", "uint32"), field("c", "uint8")), 8)
    assert [placed.gap for placed in layout.members] == [0, 3, 0]
    assert (layout.tail, layout.size) == (7, 16)


def test_packed_bytes_are_little_endian_with_zero_padding() -> None:
    root = structure("S", field("a", "uint8"), field("b", "int32"), field("c", "float"), field("d", "bool"))
    packed = pack(data(root), {"a": 255, "b": -2, "c": 1.0, "d": True})
    assert packed.hex(" ", 4) == "ff000000 feffffff 0000803f 01000000"


@pytest.mark.parametrize(
    ("ctype", "low", "high"),
    [
        ("uint8", 0, 255),
        ("int8", -128, 127),
        ("uint32", 0, 4294967295),
        ("int32", -2147483648, 2147483647),
        ("uint64", 0, 18446744073709551615),
        ("int64", -9223372036854775808, 9223372036854775807),
    ],
)
def test_a_value_outside_its_field_is_an_error(ctype: str, low: int, high: int) -> None:
    root = data(structure("S", field("a", ctype)))
    assert (CTYPES[ctype].minimum, CTYPES[ctype].maximum) == (low, high)
    for value in (low, high):
        pack(root, {"a": value})
    for value in (low - 1, high + 1):
        with pytest.raises(ValueError, match="a cannot hold"):
            pack(root, {"a": value})


def key_arg(name: str, kind: str, bits: int, *declared: int) -> KeyArg:
    return KeyArg(name, kind, bits, None, declared, ZERO, SPAN)


ARGS = (
    key_arg("FIRST", "bool", 1, 0, 1),
    key_arg("SECOND", "uint", 4, 7, 3, 5),
    key_arg("THIRD", "bool", 1, 1),
    key_arg("FOURTH", "uint", 8, 0, 1),
)


def test_arguments_fill_the_key_from_the_lowest_bit() -> None:
    assert key_shifts(ARGS) == (0, 1, 5, 6)


def test_a_uint_is_stored_as_its_place_in_the_declaration() -> None:
    assert encode_key(ARGS, (1, 7, 1, 1)) == 0b1_1_0000_1
    assert encode_key(ARGS, (0, 5, 1, 0)) == 0b0_1_0010_0


def test_an_undeclared_code_is_an_error() -> None:
    with pytest.raises(ValueError, match="0 is not a declared value of THIRD"):
        encode_key(ARGS, (0, 7, 0, 0))
