"""Masks, strides and repeats of vector instructions: strategies, and where lanes lie, in numpy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.emulator.ops.native import Bytes, Instruction

MEMORY = 8192  # bytes of an operand; all that the strategies give fits in


@dataclass(frozen=True)
class Strides:
    """In blocks of 32 bytes."""

    block: int
    repeat: int

    def fields(self) -> tuple[int, int]:
        return self.block, self.repeat

    def offsets(self, step: int, width: int, size: int) -> NDArray[np.int64]:
        """Where the elements of all lanes of a repeat lie, in bytes."""
        at = np.arange(width) * size
        return step * self.repeat * 32 + at // 32 * self.block * 32 + at % 32


@dataclass(frozen=True)
class Shape:
    """The mask and the repeats."""

    counter: bool
    mask: int  # 128 bits, or a count
    repeat: int

    def fields(self) -> tuple[int, int, int, int]:
        return int(self.counter), self.mask % 2**64, self.mask >> 64, self.repeat

    def repeats(self, width: int) -> int:
        return -(-self.mask // width) if self.counter else self.repeat

    def active(self, step: int, width: int) -> NDArray[np.bool_]:
        if self.counter:
            return np.arange(width) + step * width < self.mask
        return np.array([self.mask >> lane & 1 == 1 for lane in range(width)])

    def steps(self, width: int) -> Iterator[tuple[int, NDArray[np.bool_]]]:
        for step in range(self.repeats(width)):
            yield step, self.active(step, width)


def first(lanes: int) -> int:
    return (1 << lanes) - 1


masks = st.one_of(
    st.integers(0, 2**128 - 1),
    st.integers(0, 128).map(first),
    st.sampled_from([0, first(128), first(64), 1, 1 << 63, 1 << 127, 0x5555 << 30]),
)
shapes = st.one_of(
    st.builds(Shape, st.just(False), masks, st.integers(0, 4)),
    st.builds(Shape, st.just(True), st.integers(0, 300), st.integers(0, 3)),
)
dst_strides = st.builds(Strides, st.integers(1, 4), st.integers(0, 12))
src_strides = st.builds(Strides, st.integers(0, 4), st.integers(0, 12))
seeds = st.integers(0, 2**32 - 1)


def memory(rng: np.random.Generator, size: int = MEMORY) -> Bytes:
    return rng.integers(0, 256, size, np.uint8)


def load(operand: Bytes, offsets: NDArray[np.int64], dtype: type[Any] | np.dtype[Any]) -> NDArray[Any]:
    size = np.dtype(dtype).itemsize
    return np.ascontiguousarray(operand[offsets[:, None] + np.arange(size)]).view(dtype)[:, 0]


def store(operand: Bytes, offsets: NDArray[np.int64], values: NDArray[Any]) -> None:
    raw = np.ascontiguousarray(values).view(np.uint8).reshape(offsets.size, values.dtype.itemsize)
    for offset, element in zip(offsets, raw, strict=True):
        operand[offset : offset + element.size] = element


def mark(marks: NDArray[np.bool_], offsets: NDArray[np.int64], size: int) -> None:
    marks[(offsets[:, None] + np.arange(size)).ravel()] = True


@dataclass(frozen=True)
class Operand:
    """A vector operand: its strides and the type of its elements."""

    strides: Strides
    dtype: np.dtype[Any]


def expect(
    shape: Shape,
    dst: Operand,
    sources: list[Operand],
    operands: list[Bytes],
    compute: Callable[..., NDArray[Any]],
    *,
    reads_dst: bool = False,
) -> tuple[Bytes, list[NDArray[np.bool_]]]:
    """The destination after the instruction, and for each operand the bytes that take part.

    ``compute`` gets the elements of a repeat's active lanes, one array a source; with ``reads_dst`` the old
    destination comes first.
    """
    width = 256 // max(operand.dtype.itemsize for operand in (dst, *sources))
    memories = [operand.copy() for operand in operands]
    touched = [np.zeros(operand.size, np.bool_) for operand in operands]
    for step, active in shape.steps(width):
        places = [o.strides.offsets(step, width, o.dtype.itemsize)[active] for o in (dst, *sources)]
        for marks, place, operand in zip(touched, places, (dst, *sources), strict=True):
            mark(marks, place, operand.dtype.itemsize)
        taken = [
            load(memories[1 + i], place, source.dtype)
            for i, (place, source) in enumerate(zip(places[1:], sources, strict=True))
        ]
        if reads_dst:
            taken.insert(0, load(memories[0], places[0], dst.dtype))
        if active.any():
            store(memories[0], places[0], compute(*taken))
    return memories[0], touched


def check_touched(
    instruction: Instruction,
    operands: list[Bytes],
    touched: list[NDArray[np.bool_]],
    *,
    reads_dst: bool = False,
) -> None:
    """``Ranges`` names exactly these bytes: the destination's as written, those of sources as read."""
    reads = instruction.touched(0, *operands)
    writes = instruction.touched(1, *operands)
    assert np.array_equal(writes[0], touched[0])
    assert np.array_equal(reads[0], touched[0] if reads_dst else np.zeros_like(touched[0]))
    for read, expected in zip(reads[1:], touched[1:], strict=True):
        assert np.array_equal(read, expected)
