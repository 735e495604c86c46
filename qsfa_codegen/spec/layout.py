"""Where tiling fields stand in memory, and which bits of the tiling key each argument has.

The host fills these bytes and kernels read them, so one function decides them for every engine.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from qsfa_codegen.spec.model import KeyArg, TilingData, TilingField, TilingMember, TilingStruct

KEY_BITS = 64


class CType(Struct, frozen=True):
    """A scalar type that a tiling field can have; ``minimum`` and ``maximum`` are None for floats."""

    name: str
    code: str  # of the struct module, little endian
    size: int  # bytes; also its alignment
    minimum: int | None
    maximum: int | None


def _integer(bits: int, *, signed: bool) -> CType:
    name = f"{'' if signed else 'u'}int{bits}"
    code = {8: "b", 16: "h", 32: "i", 64: "q"}[bits]
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return CType(name, code if signed else code.upper(), bits // 8, low, high)


CTYPES: dict[str, CType] = {
    ctype.name: ctype
    for ctype in (
        *(_integer(bits, signed=signed) for bits in (8, 16, 32, 64) for signed in (True, False)),
        CType("bool", "?", 1, 0, 1),
        CType("float", "f", 4, None, None),
        CType("double", "d", 8, None, None),
    )
}
"""Types of tiling fields by the spelling that specs use."""


class Placed(Struct, frozen=True):
    """A member of a struct at ``offset`` bytes from the struct's start, after ``gap`` bytes of padding."""

    member: TilingField | TilingMember
    offset: int
    size: int
    gap: int


class StructLayout(Struct, frozen=True):
    """A struct's members in memory order; ``tail`` bytes of padding bring it to ``size`` bytes."""

    members: tuple[Placed, ...]
    tail: int
    size: int


class Entry(Struct, frozen=True):
    """A scalar field: ``path`` joins member names with dots, ``offset`` counts bytes from the root."""

    path: str
    offset: int
    ctype: CType
    field: TilingField


class Layout(Struct, frozen=True):
    """All scalar fields in memory order, and the whole size in bytes."""

    size: int
    entries: tuple[Entry, ...]


def place(structure: TilingStruct, align: int) -> StructLayout:
    """Offsets of the direct members: scalars at their own alignment, nested structs at ``align``."""
    placed: list[Placed] = []
    end = 0
    for member in structure.members:
        size, alignment = _size_and_alignment(member, align)
        offset = _round_up(end, alignment)
        placed.append(Placed(member, offset, size, offset - end))
        end = offset + size
    size = _round_up(end, align)
    return StructLayout(tuple(placed), size - end, size)


def structs(root: TilingStruct) -> Iterator[TilingStruct]:
    """A struct and every struct inside it, the outer one first."""
    yield root
    for member in root.members:
        if isinstance(member, TilingMember):
            yield from structs(member.struct)


def library_structs(data: TilingData) -> tuple[TilingStruct, ...]:
    """Structs that a library of the toolkit defines and fills: their layout is not known here."""
    return tuple(structure for structure in structs(data.root) if structure.library is not None)


def struct_layout(data: TilingData) -> Layout:
    """Every scalar field of the tiling data with its byte offset from the root."""
    return Layout(place(data.root, data.align).size, tuple(_entries(data.root, data.align, "", 0)))


class Packer:
    """Writes the values of one tiling struct as the bytes that kernels read; made once, used often."""

    def __init__(self, data: TilingData) -> None:
        self.layout = struct_layout(data)
        code, end = "<", 0
        for entry in self.layout.entries:
            code += f"{entry.offset - end}x{entry.ctype.code}"
            end = entry.offset + entry.ctype.size
        self._struct = struct.Struct(f"{code}{self.layout.size - end}x")
        self._paths = tuple(tuple(entry.path.split(".")) for entry in self.layout.entries)

    def pack(self, values: Sequence[int | float | bool]) -> bytes:
        """The bytes for values in the order of ``layout.entries``; padding is zero.

        Raises ValueError when a field cannot hold its value.
        """
        try:
            return self._struct.pack(*values)
        except (struct.error, OverflowError) as error:
            culprits = zip(self.layout.entries, values, strict=True)
            path, value = next((e.path, v) for e, v in culprits if not _holds(e.ctype, v))
            raise ValueError(f"{path} cannot hold {value}") from error

    def unpack(self, data: bytes) -> tuple[int | float, ...]:
        """The values of fields in the order of ``layout.entries``; ``data`` has ``layout.size`` bytes."""
        values: tuple[int | float, ...] = self._struct.unpack(data)
        return tuple([int(value) if value is True or value is False else value for value in values])

    def nested(self, values: Sequence[int | float | bool]) -> dict[str, object]:
        """Values in the order of ``layout.entries`` by name, nested as the structs are."""
        root: dict[str, object] = {}
        places: dict[tuple[str, ...], _Place] = {(): root}
        for path, value in zip(self._paths, values, strict=True):
            place = places.get(path[:-1])
            if place is None:
                place = _place(places, path[:-1])
            place[path[-1]] = value
        return root


_Place = dict[str, object]


def _place(places: dict[tuple[str, ...], _Place], path: tuple[str, ...]) -> _Place:
    """The mapping of a nested struct, made when it is first needed."""
    if path not in places:
        outer = _place(places, path[:-1])
        outer[path[-1]] = places[path] = {}
    return places[path]


def _holds(ctype: CType, value: int | float | bool) -> bool:
    try:
        struct.pack(ctype.code, value)
    except (struct.error, OverflowError):
        return False
    return True


def pack(data: TilingData, values: Mapping[str, int | float | bool]) -> bytes:
    """As ``Packer``, for one use; ``values`` is keyed by ``Entry.path``."""
    packer = Packer(data)
    return packer.pack([values[entry.path] for entry in packer.layout.entries])


def key_shifts(args: Sequence[KeyArg]) -> tuple[int, ...]:
    """The lowest bit of each argument: they fill the key from bit 0, in order."""
    shifts: list[int] = []
    used = 0
    for arg in args:
        shifts.append(used)
        used += arg.bits
    return tuple(shifts)


def encode_key(args: Sequence[KeyArg], codes: Sequence[int]) -> int:
    """The tiling key of one code for each argument.

    A bool is stored as it is, a uint as its place in ``declared``, which is what the kernel's
    template machinery decodes. Raises ValueError for a code that is not declared.
    """
    key = 0
    for arg, shift, code in zip(args, key_shifts(args), codes, strict=True):
        if code not in arg.declared:
            raise ValueError(f"{code} is not a declared value of {arg.name}")
        key |= (code if arg.kind == "bool" else arg.declared.index(code)) << shift
    return key


def _entries(structure: TilingStruct, align: int, prefix: str, base: int) -> Iterator[Entry]:
    for placed in place(structure, align).members:
        path, offset = prefix + placed.member.name, base + placed.offset
        if isinstance(placed.member, TilingMember):
            yield from _entries(placed.member.struct, align, path + ".", offset)
        else:
            yield Entry(path, offset, CTYPES[placed.member.ctype], placed.member)


def _size_and_alignment(member: TilingField | TilingMember, align: int) -> tuple[int, int]:
    if isinstance(member, TilingMember):
        return place(member.struct, align).size, align
    size = CTYPES[member.ctype].size
    return size, size


def _round_up(value: int, step: int) -> int:
    return -(-value // step) * step
