"""What the code of a family's kernel takes for granted about an operator.

A kernel is told much by the tiling data and by constants, but not everything: which dtypes it computes with,
how the axes of tensors follow each other, what sizes its loops come out even with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from qsfa_codegen.expr.constants import const_int
from qsfa_codegen.spec.buffer_plan import Allowed, layout_of, packed_row
from qsfa_codegen.spec.columns import registered_dtypes
from qsfa_codegen.spec.families import plain_attr, plain_fields
from qsfa_codegen.spec.model import (
    Attr,
    Chip,
    Dim,
    DimItem,
    DtypeRef,
    Input,
    Operator,
    Output,
    Record,
    Shape,
    leaves,
)
from qsfa_codegen.spec.paths import at_chip
from qsfa_codegen.spec.world import attr_values

_HALVES = ("float16", "bfloat16")
_BATCHED, _JOINED = 4, 3
"""Axes of the query with one for the batches, and with the rows of all batches one after the other."""


class Limits(Struct, frozen=True):
    """Dtypes by role, sizes of the packed row, and query heads, that a kernel is written for.

    ``heads_step`` is what numbers of heads are multiples of that are computed in several groups.
    """

    dtypes: Mapping[str, tuple[str, ...]]
    nope: Allowed
    tile: Allowed
    rope: Allowed
    heads: int
    heads_step: int


def _sparse_mla(caches: tuple[str, ...], nope: Allowed, rope: Allowed, heads_step: int) -> Limits:
    numbers = dict.fromkeys(("indices", "table", "q_lens", "kv_lens"), ("int32",))
    return Limits(
        {"q": _HALVES, "kv": caches, "out": _HALVES, **numbers},
        nope=nope,
        tile=Allowed(128, 128),
        rope=rope,
        heads=128,
        heads_step=heads_step,
    )


_LIMITS: Mapping[tuple[str, str], Limits] = {
    ("sparse_mla", "arch22"): _sparse_mla(
        ("int8",), Allowed(256, 512, 256), Allowed(16, 128, 16), heads_step=16
    ),
    ("sparse_mla", "arch35"): _sparse_mla(
        ("int8", "float8_e4m3fn", "hifloat8"), Allowed(128, 512, 128), Allowed(64, 64), heads_step=1
    ),
}


def beyond_kernel(operator: Operator, arch: str) -> Iterator[str]:
    """What of the operator the kernel of its family for ``arch`` cannot do with."""
    limits = None if operator.kernel is None else _LIMITS.get((operator.kernel.family, arch))
    if limits is None:
        return
    about = _About(operator, arch, limits)
    yield from about.dtypes()
    yield from about.row()
    yield from about.axes()


class _About:
    def __init__(self, operator: Operator, arch: str, limits: Limits) -> None:
        assert operator.kernel is not None
        self._operator = operator
        self._chips = [chip for chip in operator.chips if chip.arch == arch]
        self._arch = arch
        self._limits = limits
        layout = layout_of(operator, arch)
        assert layout is not None
        self._group = layout.parameters["heads"].most  # heads that are computed together
        self._roles = dict(operator.kernel.roles)
        self._params: dict[str, Input | Output] = {given.name: given for given in operator.inputs}
        self._params |= {output.name: output for output in operator.outputs}

    def _player(self, role: str) -> Input | Output | None:
        return self._params.get(self._roles.get(role, ""))

    # ------------------------------------------------------------------ dtypes

    def dtypes(self) -> Iterator[str]:
        """Dtypes that the code has no way to compute with."""
        for role, known in self._limits.dtypes.items():
            param = self._player(role)
            if param is not None:
                yield from self._unknown(f"'{param.name}'", param.dtype, known)
        out, query = self._player("out"), self._player("q")
        if out is not None and query is not None and self._differ(out, query):
            yield f"'{out.name}' has another dtype than '{query.name}'"
        record = self._record()
        if record is not None and record.dequant is not None:
            scale = next(field for field in record.fields if field.name == record.dequant.by)
            yield from self._unknown(f"'{scale.name}' of '{record.name}'", scale.dtype, ("float32",))

    def _differ(self, one: Input | Output, other: Input | Output) -> bool:
        return any(self._registered(one, chip) != self._registered(other, chip) for chip in self._chips)

    def _registered(self, param: Input | Output, chip: Chip) -> tuple[str, ...]:
        return registered_dtypes(self._operator, param.dtype, chip.id)

    def _unknown(self, name: str, dtype: DtypeRef, known: tuple[str, ...]) -> Iterator[str]:
        found = [d for chip in self._chips for d in registered_dtypes(self._operator, dtype, chip.id)]
        for other in dict.fromkeys(found):
            if other not in known:
                yield f"{name} can be {other}; expected: {' or '.join(known)}"

    # ------------------------------------------------------------------ the packed row

    def _record(self) -> Record | None:
        return next((r for r in self._operator.records if r.name == self._roles.get("row")), None)

    def row(self) -> Iterator[str]:
        """A packed row that is laid out in another way, or in sizes that loops do not come out even with."""
        record, sizes = self._record(), packed_row(self._operator, self._arch)
        if record is None or record.dequant is None or sizes is None:
            return
        nope, rope, scale = record.dequant.field, plain_fields(record)[0], record.dequant.by
        if [field.name for field in record.fields] != [nope, rope, scale]:
            yield f"the fields of '{record.name}' are in another order than '{nope}', '{rope}', '{scale}'"
        limits = self._limits
        if sizes.nope not in limits.nope:
            yield f"'{nope}' of '{record.name}' has {sizes.nope} elements; expected: {limits.nope}"
        if sizes.tile not in limits.tile:
            yield f"{sizes.tile} elements of '{nope}' share a scale; expected: {limits.tile}"
        if sizes.rope not in limits.rope:
            yield f"'{rope}' of '{record.name}' has {sizes.rope} elements at most; expected: {limits.rope}"
        attr = plain_attr(self._operator, record)
        lengths = {0} if attr is None else {0, *self._values(attr)}
        if len(lengths) > 2:
            yield f"'{rope}' of '{record.name}' has one of {len(lengths) - 1} lengths; expected: one, or none"

    def _values(self, attr: Attr) -> set[object]:
        return {value for chip in self._chips for value in attr_values(attr, chip) or ()}

    # ------------------------------------------------------------------ axes

    def axes(self) -> Iterator[str]:
        """Tensors whose axes follow each other in another way, and more heads than the code has room for."""
        query = self._axes("q")
        batched = next((axes for axes in query if len(axes) == _BATCHED), None)
        joined = next((axes for axes in query if len(axes) == _JOINED), None)
        if batched is None or joined is None:
            return  # who looks for these layouts says what is lacking
        batch, rows, heads, _ = batched
        one_after_the_other, by_batch = joined[:1], (batch, rows)
        yield from self._heads(heads)
        if not all(len(shape.items) - len(self._told(shape)) == 1 for shape in self._shapes("kv")):
            yield f"'{self._roles['kv']}' has no axis of size 1 for its heads"
        yield from self._leads("q", [(*by_batch, heads), (*one_after_the_other, heads)], 1)
        yield from self._leads("out", [(*by_batch, heads), (*one_after_the_other, heads)], 1)
        for role in ("indices", "row_max", "row_sum"):
            yield from self._leads(role, [by_batch, one_after_the_other], 1)
        yield from self._leads("table", [(batch,)], 1)
        for role in ("q_lens", "kv_lens"):
            yield from self._leads(role, [(batch,)], 0)

    def _heads(self, dim: str) -> Iterator[str]:
        values = self._operator.find(Dim, dim).values
        found = {n for chip in self._chips for n in (values and at_chip(values, chip)) or ()}
        most, step = self._limits.heads, self._limits.heads_step
        for heads in sorted(found):
            if heads > most:
                yield f"{dim} can be {heads}; expected: {most} at most"
            elif heads > self._group and heads % step:
                yield f"{dim} can be {heads}; expected above {self._group}: a multiple of {step}"

    def _axes(self, role: str) -> list[tuple[str, ...]]:
        """Names of the axes of a tensor in each of its layouts, those of size 1 left out."""
        return [self._told(shape) for shape in self._shapes(role)]

    def _shapes(self, role: str) -> list[Shape]:
        player = self._player(role)
        return [] if player is None or player.shape is None else list(leaves(player.shape))

    def _told(self, shape: Shape) -> tuple[str, ...]:
        names = [item.dim if isinstance(item, DimItem) else None for item in shape.items]
        return tuple(name or "?" for name in names if name is None or not self._is_one(name))

    def _is_one(self, dim: str) -> bool:
        size = self._operator.find(Dim, dim).derived
        return size is not None and const_int(size) == 1

    def _leads(self, role: str, known: Sequence[tuple[str, ...]], more: int) -> Iterator[str]:
        """Axes of a tensor must be those of one of ``known``, and so many more; what is empty has one."""
        for axes in self._axes(role):
            if len(axes) > 1 and not any(axes[: len(axes) - more] == names for names in known):
                yield (
                    f"'{self._roles[role]}' has the axes {', '.join(axes)}; expected first: "
                    f"{' or '.join(', '.join(names) for names in known)}"
                )
