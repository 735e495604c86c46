"""A kernel family's words for a call, and the files of its kernel on one architecture.

The templates of a family know no operator. What they compute with stands in a struct ``Call``, whose members
are filled here from fields of the tiling data, by what the roles of the spec say of shapes and records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeGuard, TypeVar

from msgspec import Struct

from qsfa_codegen.expr.constants import const_int
from qsfa_codegen.expr.memo import once_an_operator
from qsfa_codegen.expr.nodes import Conditional, Expr, Not, ParamQuery, Query, Ref, RefKind, Select, walk
from qsfa_codegen.render.family_reading import FamilyError, by_case, dim_name, needed
from qsfa_codegen.render.kernel_text import TILING, KernelNames
from qsfa_codegen.render.text import commented
from qsfa_codegen.spec.buffer_plan import (
    buffer_plan,
    kernel_room,
    packed_row,
    plan_numbers,
    plan_of,
    table,
)
from qsfa_codegen.spec.families import plain_attr, plain_fields
from qsfa_codegen.spec.kernel_facts import LETS
from qsfa_codegen.spec.kernel_limits import beyond_kernel
from qsfa_codegen.spec.layout import Entry, struct_layout
from qsfa_codegen.spec.model import (
    Attr,
    Const,
    Dim,
    EnumDef,
    Input,
    Let,
    Output,
    Presence,
    Record,
    Shape,
    Table,
)
from qsfa_codegen.spec.names import pascal, upper
from qsfa_codegen.spec.parameters import attr_ref
from qsfa_codegen.spec.paths import at_chip
from qsfa_codegen.spec.world import attr_values

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Operator

T = TypeVar("T")
_BATCHED_RANK, _JOINED_RANK = 4, 3
_REGIONS = {"arch22": frozenset({"qk", "p", "pv", "acc", "kv", "kv_valid"})}
"""Regions of the workspace that the family's kernel uses on an architecture."""
_LANES_OF_BLOCK, _LANES = 8, 64
_TEXTS = 2
"""The first columns of a table are text."""


PARTS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("sparse_mla", "arch22"): (
        "sizes",
        "buffers",
        "flags",
        "load",
        "shared",
        "tiles",
        "dequant",
        "softmax",
        "output",
        "merge",
        "cube",
        "vector",
        "kernel_body",
    ),
    ("sparse_mla", "arch35"): (
        "sizes",
        "buffers",
        "flags",
        "load",
        "shared",
        "sequence",
        "tiles",
        "registers",
        "dequant",
        "softmax",
        "output",
        "merge",
        "cube",
        "vector",
        "kernel_body",
    ),
}
"""Files of a family's kernel for one architecture."""

COMMON = "common"
COMMON_PARTS: Mapping[str, tuple[str, ...]] = {
    "sparse_mla": (
        "units",
        "events",
        "arch",
        "call",
        "step",
        "heads",
        "plan",
        "core_rows",
        "list",
        "gather",
        "batches",
        "stages",
        "empty",
        "query",
        "products",
    ),
}
"""Files that are the same for all architectures of a family: ``arch`` has what they take from one."""
_NUMBERED = frozenset({"sizes", "buffers"})
"""Parts of each architecture that differ in numbers alone, so that one template makes them."""


def part_template(family: str, folder: str, part: str) -> str:
    """The template of a part of a family's kernel; ``folder`` is an architecture, or ``COMMON``."""
    return f"op_kernel/{family}/{'arch' if part in _NUMBERED else folder}/{part}.h.j2"


class FamilyText(Struct, frozen=True):
    """What the class of the kernel says in the family's words, and numbers for its templates."""

    types: tuple[str, ...]
    layouts: tuple[str, ...]
    call: str
    numbers: Mapping[str, object]


@once_an_operator
def family_parts(operator: Operator, arch: str) -> tuple[str, ...]:
    """Names of the files that make up the body of the kernel for an architecture, with the common ones.

    There are none where the family has no such kernel, or the spec does not say what that needs.
    """
    parts = () if operator.kernel is None else PARTS.get((operator.kernel.family, arch), ())
    if parts and operator.tiling is not None:
        return () if lacking_in_kernel(operator, arch) else parts
    return parts


@once_an_operator
def lacking_in_kernel(operator: Operator, arch: str) -> str:
    """What keeps the body of the family's kernel from being made; empty for nothing."""
    if operator.kernel is None or (operator.kernel.family, arch) not in PARTS:
        return "no template writes its computation"
    problem = next(beyond_kernel(operator, arch), "")
    if problem:
        return problem
    try:
        family_numbers(operator, arch)
    except FamilyError as error:
        return str(error)
    return ""


@once_an_operator
def family_numbers(operator: Operator, arch: str) -> Mapping[str, object]:
    """What the templates of the family's files are filled in with. FamilyError as in ``family_text``."""
    return family_text(operator, arch, KernelNames(operator, arch)).numbers


def family_text(operator: Operator, arch: str, names: KernelNames) -> FamilyText:
    """The words of the family. FamilyError when something cannot be told from the spec."""
    return _Writer(operator, arch, names).text()


class _Writer:
    def __init__(self, operator: Operator, arch: str, names: KernelNames) -> None:
        assert operator.kernel is not None
        assert operator.tiling is not None
        self._operator = operator
        self._arch = arch
        self._names = names
        self._roles = dict(operator.kernel.roles)
        self._lets = {let.name: let.value for let in (*operator.lets, *operator.tiling.lets)}
        data = operator.tiling.data
        self._entries: tuple[Entry, ...] = struct_layout(data).entries if data is not None else ()
        self._record = operator.find(Record, self._role("row"))
        regions = {term.name for term in dict(operator.tiling.workspace).get(arch, ())}
        lacking = sorted(_REGIONS.get(arch, frozenset()) - regions)
        if lacking:
            raise FamilyError(f"the workspace has no region {' or '.join(map(repr, lacking))}")

    def text(self) -> FamilyText:
        aliases = {"Tiling": "TilingData", "Pointers": "Arguments", "Query": "QType", "Cache": "KvType"}
        types = tuple(f"using {name} = {meant};" for name, meant in aliases.items())
        members = [f"call.{name} = {value};" for name, value in self._members()]
        body = "\n".join(f"        {line}" for line in ("Call call;", *members, "return call;"))
        head = f"    __aicore__ static inline Call CallOf(const TilingData &{TILING})"
        return FamilyText(types, tuple(self._layouts()), f"{head}\n    {{\n{body}\n    }}", self._numbers())

    def _numbers(self) -> dict[str, object]:
        row = needed(packed_row(self._operator, self._arch), self._sizes_unknown())
        tile = self._number(needed(self._record.dequant, self._sizes_unknown()).tile)
        lanes = sum(((1 << (row.nope // tile)) - 1) << at for at in range(0, _LANES, _LANES_OF_BLOCK))
        return {
            "nope": row.nope,
            "tile": tile,
            "rope_most": row.rope,
            "heads_most": self._most_heads(),
            "scale_lanes": f"0x{lanes:016x}",
            "plan": list(self._plan()),
            "buffers": list(self._buffers()),
            "table": self._table(),
        }

    # ------------------------------------------------------------------ plan

    def _plan(self) -> Iterator[str]:
        plan = needed(plan_of(self._operator, self._arch), self._unplanned())
        docs = {parameter.name: parameter.doc for parameter in plan.parameters}
        for name, value in plan_numbers(self._operator, self._arch).items():
            doc = docs[name]
            yield commented(f"constexpr uint32_t {upper(name)} = {value};", doc.en if doc else "")

    def _buffers(self) -> Iterator[str]:
        parts = buffer_plan(self._operator, self._arch)
        if not parts:
            raise FamilyError(self._unplanned())
        for part in parts:
            name = f"{part.space}_{upper(part.name)}_BYTES"
            yield commented(f"constexpr uint32_t {name} = {part.total};", part.doc.en)

    def _unplanned(self) -> str:
        return f"the plan of {self._arch} has no parameters of this kernel"

    def _sizes_unknown(self) -> str:
        return f"the sizes of the fields of '{self._record.name}' are not known before a call"

    def _table(self) -> str:
        """The buffers as a comment, for the chip with the least room."""
        chips = [chip for chip in self._operator.chips if chip.arch == self._arch]
        rooms = [kernel_room(self._operator, chip) for chip in chips]
        room = {space: min(one[space] for one in rooms) for space in rooms[0]}
        rows = [("memory", "buffer", "copies", "bytes", "in all"), *self._rows(room)]
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines = ["  ".join(_aligned(row, widths)).rstrip() for row in rows]
        return "\n".join(f"//   {line}" for line in lines)

    def _rows(self, room: Mapping[str, int]) -> Iterator[tuple[str, ...]]:
        yield from table(buffer_plan(self._operator, self._arch), room)

    # ------------------------------------------------------------------ layouts

    def _layouts(self) -> Iterator[str]:
        query, kv = self._choice("q"), self._choice("kv")
        yield self._layout("QUERY_JOINED", query, _joined(query))
        yield self._layout("KV_JOINED", kv, _joined(kv))
        yield self._layout("KV_PAGED", kv, self._paged())

    def _layout(self, name: str, choice: Table[Shape], label: str | None) -> str:
        """Whether the layout of a tensor is the one with this label."""
        if label is None:
            return f"static constexpr bool {name} = false;"
        attr = _attr_of(choice)
        enum = needed(self._operator.find(Attr, attr.name).enum, f"'{attr.name}' is no enum")
        code = self._operator.find(EnumDef, enum).label(label).code
        return f"static constexpr bool {name} = {self._spell(attr)} == {code};"

    def _paged(self) -> str:
        name = self._role("table")
        table = by_case(self._input("table").presence, f"the presence of '{name}'")
        paged = [label for label, presence in table.items() if presence is Presence.REQUIRED]
        return _only(paged, f"'{name}' is not required in just one layout")

    def _choice(self, role: str) -> Table[Shape]:
        choice = self._input(role).shape
        if not isinstance(choice, Table):
            raise FamilyError(self._one_layout(role))
        return choice

    def _cases_of(self, role: str) -> Mapping[str, Shape]:
        return by_case(self._input(role).shape, f"the shape of '{self._role(role)}'")

    def _one_layout(self, role: str) -> str:
        return f"'{self._role(role)}' does not have a layout with {_BATCHED_RANK} axes, and others"

    # ------------------------------------------------------------------ members of the call

    def _members(self) -> Iterator[tuple[str, str]]:
        batched, kv, indices = self._batched(), self._cases_of("kv"), self._cases_of("indices")
        inside = [s for label, s in kv.items() if s.rank == _BATCHED_RANK and label != self._paged()]
        own = _only(inside, self._one_layout("kv"))
        table = self._input("table").shape
        yield "batches", self._field(dim_name(batched, 0))
        yield "queryRows", self._field(dim_name(batched, 1))
        yield "kvRows", self._field(dim_name(own, 1))
        yield "heads", self._heads(dim_name(batched, 2))
        yield "entries", self._field(dim_name(next(iter(indices.values())), -1))
        yield "blockTokens", self._spell(attr_ref(self._attr("block_tokens"), self._record.span))
        yield "pageTokens", self._field(dim_name(kv[self._paged()], 1))
        yield "pages", self._field(dim_name(table if isinstance(table, Shape) else None, 1))
        yield from self._row(self._field(dim_name(own, -1)))
        yield "scale", self._spell(attr_ref(self._attr("scale"), self._record.span))
        yield "causal", self._spell(self._operator.find(Let, self._role("causal")).value)
        yield "hasQueryLengths", self._presence(self._role("q_lens"))
        yield "hasKvLengths", self._presence(self._role("kv_lens"))
        stats = self._operator.find(Output, self._role("row_max")).shape
        if not isinstance(stats, Table):
            raise FamilyError(f"no attribute says whether '{self._role('row_max')}' is written")
        yield "writesStats", self._flag(_attr_of(stats).name)

    def _batched(self) -> Shape:
        """The layout of the query that has an axis for each batch."""
        shapes = [shape for shape in self._cases_of("q").values() if shape.rank == _BATCHED_RANK]
        return _only(shapes, self._one_layout("q"))

    def _row(self, size: str) -> Iterator[tuple[str, str]]:
        """The parts of a row; how many plain elements it has follows from its bytes."""
        most = max(self._values(self._plain()))
        yield "rowBytes", f"static_cast<uint32_t>({size})"
        yield "rope", f"{size} == RowBytes({most}) ? {most} : 0"
        yield "ropeOffset", self._offset(plain_fields(self._record)[0])
        yield "scaleOffset", self._offset(needed(self._record.dequant, self._sizes_unknown()).by)

    def _offset(self, field: str) -> str:
        spelt = self._names.spell(self._record.offset(field))
        name = f"Row{pascal(field)}Offset"
        return f"static_cast<uint32_t>({name if spelt.constant else f'{name}(call.rope)'})"

    def _field(self, dim: str) -> str:
        """The field that holds the size of ``dim``, in whatever layout has it."""
        for entry in self._entries:
            if any(_is_dim(leaf) and leaf.name == dim for leaf in self._cases(entry.field.value)):
                return f"{TILING}.{entry.path}"
        raise FamilyError(f"no field of the tiling data is {dim}")

    def _heads(self, dim: str) -> str:
        """The field with the heads of a group: all heads over those of the cache, of which there is one."""
        for entry in self._entries:
            dims = {node.name for node in walk(self._expanded(entry.field.value)) if _is_dim(node)}
            if dim in dims and all(name == dim or self._is_one(name) for name in dims):
                return f"{TILING}.{entry.path}"
        raise FamilyError(f"no field of the tiling data is {dim}")

    def _most_heads(self) -> int:
        dim = self._operator.find(Dim, dim_name(self._batched(), 2))
        unlisted = f"the values of {dim.name} are not listed"
        values = dim.values
        if values is None:
            raise FamilyError(unlisted)
        chips = [chip for chip in self._operator.chips if chip.arch == self._arch]
        return max(count for chip in chips for count in needed(at_chip(values, chip), unlisted))

    def _is_one(self, dim: str) -> bool:
        size = self._operator.find(Dim, dim).derived
        return size is not None and const_int(size) == 1

    def _presence(self, param: str) -> str:
        """Whether an optional input is there: the field that says so, or says that it is not."""
        for entry in self._entries:
            value = _truth(entry.field.value)
            asked = value.operand if isinstance(value, Not) else value
            if isinstance(asked, ParamQuery) and asked.query is Query.PRESENT and asked.param == param:
                return f"{TILING}.{entry.path} {'==' if isinstance(value, Not) else '!='} 0"
        raise FamilyError(f"no field of the tiling data says whether '{param}' is there")

    def _flag(self, attr: str) -> str:
        """A switch of the caller: the field that is 1 or 0 for it."""
        for entry in self._entries:
            value = _truth(entry.field.value)
            if isinstance(value, Ref) and value.kind is RefKind.ATTR and value.name == attr:
                return f"{TILING}.{entry.path} != 0"
        raise FamilyError(f"no field of the tiling data is '{attr}'")

    def _expanded(self, expr: Expr) -> Expr:
        while isinstance(expr, Ref) and expr.kind in LETS:
            expr = self._lets[expr.name]
        return expr

    def _cases(self, expr: Expr) -> Iterator[Expr]:
        expr = self._expanded(expr)
        if isinstance(expr, Select):
            for _, case in expr.cases:
                yield from self._cases(case)
        else:
            yield expr

    # ------------------------------------------------------------------ parameters

    def _role(self, role: str) -> str:
        return needed(self._roles.get(role), f"nothing plays the role '{role}'")

    def _input(self, role: str) -> Input:
        return self._operator.find(Input, self._role(role))

    def _attr(self, role: str) -> Attr:
        return self._operator.find(Attr, self._role(role))

    def _spell(self, value: Expr) -> str:
        """A value that the tiling data, the key and constants determine."""
        spelt = self._names.direct(value) or self._names.spell(value)
        if spelt.parameters:
            raise FamilyError(f"the tiling data does not determine {', '.join(map(str, spelt.parameters))}")
        return spelt.text

    def _plain(self) -> Attr:
        """The attribute with the number of plain elements of a row."""
        return needed(plain_attr(self._operator, self._record), self._sizes_unknown())

    def _values(self, attr: Attr) -> tuple[int, ...]:
        chips = [chip for chip in self._operator.chips if chip.arch == self._arch]
        unlisted = f"the values of '{attr.name}' are not listed"
        found = (value for chip in chips for value in needed(attr_values(attr, chip), unlisted))
        return tuple(value for value in found if isinstance(value, int))

    def _number(self, expr: Expr) -> int:
        known = self._names.known(expr)
        if isinstance(known, Ref) and known.kind is RefKind.CONST:
            return self._operator.find(Const, known.name).value
        return needed(const_int(known), self._sizes_unknown())


def _aligned(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """Cells of a table, numbers at the right."""
    for column, (cell, width) in enumerate(zip(row, widths, strict=True)):
        yield cell.ljust(width) if column < _TEXTS else cell.rjust(width)


def _joined(choice: Table[Shape]) -> str | None:
    """The layout that has the rows of all batches one after the other."""
    shapes: Mapping[str, Shape] = by_case(choice)
    labels = [label for label, shape in shapes.items() if shape.rank == _JOINED_RANK]
    return _only(labels, f"{_JOINED_RANK} axes are more than one layout") if labels else None


def _attr_of(choice: Table[Shape]) -> Ref:
    if not isinstance(choice.selector, Ref) or choice.selector.kind is not RefKind.ATTR:
        raise FamilyError("a shape goes by something else than an attribute")
    return choice.selector


def _is_dim(expr: Expr) -> TypeGuard[Ref]:
    return isinstance(expr, Ref) and expr.kind is RefKind.DIM


def _truth(expr: Expr) -> Expr:
    """What a field says that is 1 or 0."""
    if isinstance(expr, Conditional) and const_int(expr.then) == 1 and const_int(expr.otherwise) == 0:
        return expr.test
    return expr


def _only(found: Sequence[T], otherwise: str) -> T:
    if len(found) != 1:
        raise FamilyError(otherwise)
    return found[0]
