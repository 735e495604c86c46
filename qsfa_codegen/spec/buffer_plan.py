"""What a kernel family keeps in the memories of a core, worked out from the parameters of its plan.

A family's kernel for an architecture is written once, with some sizes left open: those are parameters of the
spec's plan. How many bytes each of its buffers has follows from them and from the packed row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from qsfa_codegen.expr.constants import const_int
from qsfa_codegen.expr.memo import once_an_operator
from qsfa_codegen.expr.nodes import Expr, Ref, RefKind
from qsfa_codegen.spec.families import plain_fields
from qsfa_codegen.spec.kernel_facts import kernel_facts
from qsfa_codegen.spec.model import Attr, Chip, Const, KernelPlan, Operator, Text
from qsfa_codegen.spec.world import attr_values

_HALF, _FLOAT, _INT = 2, 4, 4
_BLOCK = 32
_FLOATS_OF_BLOCK = _BLOCK // _FLOAT
_LANES = 64
"""float32 elements of a vector repeat."""
_SIDE = 16
_HEADER = 64
_MERGING = 19_008
"""What vector cores of arch22 put the parts of a query row together with; the kernel asserts it."""


class Part(Struct, frozen=True):
    """So many copies of a buffer in one of the memories UB, L1, L0A, L0B, L0C; ``bytes`` of each."""

    space: str
    name: str
    copies: int
    bytes: int
    doc: Text

    @property
    def total(self) -> int:
        """Bytes of all copies."""
        return self.copies * self.bytes


class Row(Struct, frozen=True):
    """Elements of a dequantised row, so many of which share a scale, and bytes of a packed one, at most."""

    nope: int
    tile: int
    rope: int
    packed: int


class Allowed(Struct, frozen=True):
    """The values of a parameter that the kernel's code can do with."""

    least: int
    most: int
    multiple: int = 1

    def __contains__(self, value: int) -> bool:
        return self.least <= value <= self.most and value % self.multiple == 0

    def __str__(self) -> str:
        if self.least == self.most:
            return str(self.least)
        steps = f", a multiple of {self.multiple}" if self.multiple > 1 else ""
        return f"{self.least} to {self.most}{steps}"


class Limit(Struct, frozen=True):
    """Buffers in a memory end before byte ``end``, whatever the chip has, for the reason ``why``."""

    end: int
    why: str


class Layout(Struct, frozen=True):
    """The parameters of a kernel, and its buffers as a function of those and of the row.

    ``limits`` has the memories of which the kernel cannot have all that the chip has.
    """

    parameters: Mapping[str, Allowed]
    parts: Callable[[Mapping[str, int], Row], Iterator[Part]]
    limits: Mapping[str, Limit] = {}


def _list_work(size: Mapping[str, int]) -> int:
    """What turning entries of the list into rows takes: three numbers and a bit for each."""
    return size["list_tokens"] * 3 * _INT + size["list_tokens"] // 8


def _matrices(size: Mapping[str, int], row: Row) -> Iterator[Part]:
    """What a cube core multiplies."""
    tile, heads, depth = (size[name] for name in ("tile_rows", "heads", "depth"))
    yield _part(
        "L1", "keys", size["key_tiles"], tile * row.nope * _HALF, "NoPE of a tile", "一个 tile 的 NoPE"
    )
    yield _part("L1", "rope", size["rope_tiles"], tile * row.rope * _HALF, "its RoPE", "其 RoPE")
    yield _part(
        "L1", "query", 1, heads * (row.nope + row.rope) * _HALF, "Q of a query row", "一个 query 行的 Q"
    )
    yield _part("L1", "weights", 1, heads * tile * _HALF, "P of a tile", "一个 tile 的 P")
    yield _part("L0A", "left", size["operands"], heads * depth * _HALF, "elements of Q", "Q 的元素")
    yield _part("L0A", "weights", 1, heads * tile * _HALF, "P of a tile", "一个 tile 的 P")
    yield _part("L0B", "right", size["operands"], tile * depth * _HALF, "elements of K or V", "K 或 V 的元素")


def _lists(size: Mapping[str, int]) -> Iterator[Part]:
    """A part of a list with the rows that it means, and the block table."""
    tokens = size["list_tokens"] * _INT
    yield _part("UB", "entries", 1, tokens, "entries of a part of the list", "列表一段的索引")
    yield _part("UB", "rows", 1, tokens, "rows of the cache that they mean", "其对应的缓存行")
    yield _part(
        "UB", "table", 1, size["table_pages"] * _INT, "the block table of a batch", "一个 batch 的块表"
    )


def _sparse_mla_arch22(size: Mapping[str, int], row: Row) -> Iterator[Part]:
    tile, batch, heads, depth = (size[name] for name in ("tile_rows", "batch_rows", "heads", "depth"))
    mine = heads // 2
    yield from _matrices(size, row)
    result = heads * 4 * depth * _FLOAT
    yield _part(
        "L0C", "results", size["results"], result, "scores, or a part of P · V", "得分或 P · V 的一部分"
    )
    scratch = max(batch * row.nope * _FLOAT, _list_work(size), _MERGING)
    yield _part("UB", "scratch", 1, scratch, "rows in float32, among others", "float32 行等")
    pitch = -(-row.packed // _BLOCK) * _BLOCK
    yield _part("UB", "gathered", size["gather_buffers"], batch * pitch, "gathered rows", "聚合的行")
    stage = batch * (row.nope + row.rope) * _HALF
    yield _part("UB", "stage", size["stages"], stage, "dequantised rows, or outputs", "反量化的行或输出")
    scales = (batch + _FLOATS_OF_BLOCK * batch) * _BLOCK
    yield _part(
        "UB", "scales", 1, scales, "scales of a batch, and a block of each", "一批行的 scale 及其广播"
    )
    yield from _lists(size)
    yield _part("UB", "scores", 1, mine * tile * _FLOAT, "scores of a tile", "一个 tile 的得分")
    yield _part("UB", "weights", 1, mine * tile * _HALF, "P of a tile", "一个 tile 的 P")
    stats = size["stat_sets"] * 3 * _LANES * _FLOAT
    yield _part("UB", "stats", 1, stats, "maximum, reference and sum of heads", "各头的最大值、参考值与和")
    working = 5 * _LANES * _FLOAT + _BLOCK
    yield _part("UB", "working", 1, working, "statistics of a tile", "一个 tile 的统计量")
    yield _part("UB", "references", 1, mine * _BLOCK, "a block of each reference", "参考值的广播")
    yield _part("UB", "factors", 1, mine * _SIDE * _FLOAT, "factors of the accumulator", "累加器的系数")
    yield _part("UB", "zeros", 1, 8 * row.nope * _HALF, "outputs of rows without keys", "无 key 行的输出")
    yield _part("UB", "outputs", 2, _LANES * _FLOAT, "statistics on their way out", "待写出的统计量")
    yield _part("UB", "headers", size["ring_tiles"], _HEADER, "headers of tiles", "tile 的头部")


def _sparse_mla_arch35(size: Mapping[str, int], row: Row) -> Iterator[Part]:
    tile, batch, heads, depth = (size[name] for name in ("tile_rows", "batch_rows", "heads", "depth"))
    mine = heads // 2
    yield from _matrices(size, row)
    yield _part(
        "L0C", "results", size["results"], heads * 2 * depth * _FLOAT, "a part of P · V", "P · V 的一部分"
    )
    scores = size["score_tiles"]
    yield _part("L0C", "scores", scores, heads * tile * _FLOAT, "scores of a tile", "一个 tile 的得分")
    yield _part("UB", "scores", scores, mine * tile * _FLOAT, "scores of a tile", "一个 tile 的得分")
    yield _part(
        "UB", "results", size["landings"], mine * 2 * depth * _FLOAT, "a part of P · V", "P · V 的一部分"
    )
    pitch = -(-row.packed // _BLOCK) * _BLOCK
    yield _part("UB", "gathered", size["gather_buffers"], batch * pitch, "gathered rows", "聚合的行")
    stage = (batch + 1) * (row.nope + row.rope) * _HALF
    yield _part("UB", "stage", size["stages"], stage, "dequantised rows, or outputs", "反量化的行或输出")
    yield from _lists(size)
    yield _part(
        "UB", "scratch", 1, _list_work(size), "what the list is worked out with", "列表处理的中间结果"
    )
    yield _part("UB", "weights", 1, mine * tile * _HALF, "P of a tile", "一个 tile 的 P")
    stats = 3 * _LANES * _FLOAT
    yield _part(
        "UB", "stats", size["stat_sets"], stats, "maximum, sum and factor of heads", "各头的最大值、和与系数"
    )
    yield _part("UB", "output", 1, mine * row.nope * _FLOAT, "the running output", "累积输出")
    yield _part("UB", "zeros", 2, row.nope * _HALF, "output of a head without keys", "无 key 的头的输出")


_LAYOUTS: Mapping[tuple[str, str], Layout] = {
    ("sparse_mla", "arch22"): Layout(
        {
            "tile_rows": Allowed(128, 128),
            "batch_rows": Allowed(16, 16),
            "heads": Allowed(64, 64),
            "depth": Allowed(64, 64),
            "key_tiles": Allowed(3, 3),
            "rope_tiles": Allowed(2, 3),
            "operands": Allowed(2, 4),
            "results": Allowed(2, 7),
            "ring_tiles": Allowed(4, 14),
            "gather_buffers": Allowed(2, 4),
            "stages": Allowed(2, 4),
            "stat_sets": Allowed(4, 8),
            "list_tokens": Allowed(64, 2048, 64),
            "table_pages": Allowed(8, 16384, 8),
        },
        _sparse_mla_arch22,
        {
            "UB": Limit(
                184 << 10, "the instruction Select, which its softmax uses, overwrites what lies behind"
            )
        },
    ),
    ("sparse_mla", "arch35"): Layout(
        {
            "tile_rows": Allowed(128, 128),
            "batch_rows": Allowed(16, 16),
            "heads": Allowed(64, 64),
            "depth": Allowed(64, 64),
            "key_tiles": Allowed(3, 3),
            "rope_tiles": Allowed(2, 3),
            "operands": Allowed(2, 4),
            "results": Allowed(2, 6),
            "score_tiles": Allowed(2, 2),
            "landings": Allowed(2, 4),
            "gather_buffers": Allowed(2, 7),
            "stages": Allowed(2, 6),
            "stat_sets": Allowed(2, 8),
            "list_tokens": Allowed(64, 2048, 64),
            "table_pages": Allowed(8, 16384, 8),
        },
        _sparse_mla_arch35,
    ),
}


def _part(space: str, name: str, copies: int, size: int, en: str, zh: str) -> Part:
    return Part(space, name, copies, size, Text(en, zh))


def layout_of(operator: Operator, arch: str) -> Layout | None:
    """The layout of the family's kernel; None where the family has none for the architecture."""
    return None if operator.kernel is None else _LAYOUTS.get((operator.kernel.family, arch))


def plan_of(operator: Operator, arch: str) -> KernelPlan | None:
    """The spec's plan for an architecture."""
    plans = () if operator.kernel is None else operator.kernel.plans
    return next((plan for plan in plans if plan.arch == arch), None)


def is_planned(operator: Operator, arch: str) -> bool:
    """Whether the plan is for the family's own kernel: one for another body has none of its parameters."""
    layout = layout_of(operator, arch)
    return layout is not None and not plan_numbers(operator, arch).keys().isdisjoint(layout.parameters)


def plan_problems(operator: Operator, arch: str) -> Iterator[str]:
    """What keeps a family's kernel from being made with the spec's plan for it."""
    layout, given = layout_of(operator, arch), plan_numbers(operator, arch)
    if layout is None or not is_planned(operator, arch):
        return
    missing = [f"'{name}'" for name in layout.parameters if name not in given]
    if missing:
        yield f"the plan of {arch} lacks {', '.join(missing)}"
    for name, value in given.items():
        allowed = layout.parameters.get(name)
        if allowed is not None and value not in allowed:
            yield f"'{name}' is {value}; expected: {allowed}"


def plan_numbers(operator: Operator, arch: str) -> Mapping[str, int]:
    """Parameters of the plan that are numbers, by name."""
    plan = plan_of(operator, arch)
    found = {}
    for parameter in plan.parameters if plan is not None else ():
        value = _number(operator, arch, parameter.value)
        if value is not None:
            found[parameter.name] = value
    return found


@once_an_operator
def buffer_plan(operator: Operator, arch: str) -> tuple[Part, ...]:
    """The buffers of the family's kernel; none where it cannot be planned."""
    layout, row = layout_of(operator, arch), packed_row(operator, arch)
    if layout is None or row is None or not is_planned(operator, arch) or list(plan_problems(operator, arch)):
        return ()
    return tuple(layout.parts(plan_numbers(operator, arch), row))


def packed_row(operator: Operator, arch: str) -> Row | None:
    """The packed row of a sparse_mla operator at its largest; None where its sizes cannot be told."""
    roles = dict(operator.kernel.roles) if operator.kernel is not None else {}
    record = next((record for record in operator.records if record.name == roles.get("row")), None)
    if record is None or record.dequant is None or len(plain_fields(record)) != 1:
        return None
    counts = {field.name: field.count for field in record.fields}
    nope = _number(operator, arch, counts[record.dequant.field])
    tile = _number(operator, arch, record.dequant.tile)
    rope = _most(operator, arch, counts[plain_fields(record)[0]])
    if nope is None or tile is None or rope is None:
        return None
    return Row(nope, tile, rope, nope + rope * _HALF + nope // tile * _FLOAT)


def _most(operator: Operator, arch: str, expr: Expr) -> int | None:
    """The largest value of a number or of an attribute with a list of values."""
    if not isinstance(expr, Ref) or expr.kind is not RefKind.ATTR:
        return _number(operator, arch, expr)
    attr = operator.find(Attr, expr.name)
    listed = [attr_values(attr, chip) for chip in operator.chips if chip.arch == arch]
    values = [value for found in listed for value in found or ()]
    numbers = [value for value in values if isinstance(value, int)]
    return max(numbers) if all(listed) and numbers else None


def _number(operator: Operator, arch: str, expr: Expr) -> int | None:
    known = kernel_facts(operator, arch).known(expr)
    if isinstance(known, Ref) and known.kind is RefKind.CONST:
        return operator.find(Const, known.name).value
    return const_int(known)


def capacity(chip: Chip) -> dict[str, int]:
    """Bytes of each memory of a core."""
    return {"UB": chip.ub, "L1": chip.l1, "L0A": chip.l0a, "L0B": chip.l0b, "L0C": chip.l0c}


def limits_of(operator: Operator, arch: str) -> Mapping[str, Limit]:
    """By memory, where the buffers of the family's kernel have to end before the memory does."""
    layout = layout_of(operator, arch)
    return {} if layout is None else layout.limits


def kernel_room(operator: Operator, chip: Chip) -> dict[str, int]:
    """Bytes of each memory of a core that the buffers of the family's kernel can have."""
    limits = limits_of(operator, chip.arch)
    return {
        space: min(size, limits[space].end) if space in limits else size
        for space, size in capacity(chip).items()
    }


def table(parts: tuple[Part, ...], room: Mapping[str, int]) -> Iterator[tuple[str, ...]]:
    """Rows of a table: memory, buffer, copies, bytes of each, of all; and what a memory's buffers come to."""
    for space in dict.fromkeys(part.space for part in parts):
        inside = [part for part in parts if part.space == space]
        for part in inside:
            yield space, part.name, str(part.copies), f"{part.bytes:,}", f"{part.total:,}"
        yield space, "together", "", "", f"{sum(part.total for part in inside):,} of {room[space]:,}"
