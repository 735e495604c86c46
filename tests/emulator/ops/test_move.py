"""Copies between GM, UB and L1."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.emulator.ops import lanes
from tests.emulator.ops.lanes import seeds
from tests.emulator.ops.native import CLOBBER, Bytes, Instruction, check_ranges

some = settings(max_examples=60, deadline=None)
small = st.integers(0, 5)


def memories(seed: int, size: int = lanes.MEMORY) -> tuple[np.random.Generator, Bytes, Bytes]:
    rng = np.random.default_rng(seed)
    return rng, lanes.memory(rng, size), lanes.memory(rng, size)


@some
@given(bursts=small, length=small, src_gap=small, dst_gap=small, seed=seeds)
def test_a_copy_counts_blocks(bursts: int, length: int, src_gap: int, dst_gap: int, seed: int) -> None:
    rng, dst, src = memories(seed)
    expected = dst.copy().reshape(-1, 32)
    for burst in range(bursts):
        to, source = burst * (length + dst_gap), burst * (length + src_gap)
        expected[to : to + length] = src.reshape(-1, 32)[source : source + length]
    instruction = Instruction("move", bursts, length, src_gap, dst_gap)
    check_ranges(instruction, rng, dst, src)
    instruction.run(dst, src)
    assert np.array_equal(dst, expected.ravel())


@some
@given(
    bursts=small, elements=st.integers(0, 60), size=st.sampled_from([1, 2, 4]), src_gap=st.integers(0, 70),
    dst_gap=small, left=st.integers(0, 8), right=st.integers(0, 8), pad=st.booleans(), seed=seeds,
)  # fmt: skip
def test_a_padded_copy_fills_whole_blocks(
    bursts: int,
    elements: int,
    size: int,
    src_gap: int,
    dst_gap: int,
    left: int,
    right: int,
    pad: bool,
    seed: int,
) -> None:
    rng, dst, src = memories(seed)
    value = rng.integers(0, 256, size, np.uint8)
    length, before, after = elements * size, left * size, right * size
    whole = -(-(before + length + after) // 32) * 32
    expected, unsure = dst.copy(), np.zeros(dst.size, np.bool_)
    for burst in range(bursts if length else 0):
        to, source = burst * (whole + 32 * dst_gap), burst * (length + src_gap)
        expected[to : to + whole] = np.resize(value, whole)
        unsure[to : to + whole] = not pad or not left + right
        expected[to + before : to + before + length] = src[source : source + length]
        unsure[to + before : to + before + length] = False
    fields = bursts, length, src_gap, dst_gap, before, after, int(pad), size
    instruction = Instruction("move_pad_in", *fields, int.from_bytes(value.tobytes(), "little"))
    assert np.array_equal(instruction.touched(CLOBBER, dst, src)[0], unsure)
    check_ranges(instruction, rng, dst, src)
    instruction.run(dst, src)
    assert np.array_equal(dst[~unsure], expected[~unsure])


@pytest.mark.parametrize("pad", [0, 1])
def test_a_copy_without_padding_repeats_the_first_element(pad: int) -> None:
    dst, src = np.zeros(64, np.uint8), np.arange(1, 65, dtype=np.uint8)
    Instruction("move_pad_in", 1, 6, 0, 0, 0, 0, pad, 2, 9).run(dst, src)
    assert list(dst[:34]) == [1, 2, 3, 4, 5, 6, *[1, 2] * 13, 0, 0]


TYPES = {"half": np.float16, "float": np.float32, "int32": np.int32}


@pytest.mark.parametrize("kind", TYPES)
@some
@given(
    bursts=small, elements=st.integers(0, 60), src_gap=small, gap=st.integers(0, 40), atomic=small, seed=seeds
)
def test_a_copy_to_gm_may_add_to_what_is_there(
    kind: str, bursts: int, elements: int, src_gap: int, gap: int, atomic: int, seed: int
) -> None:
    atomic %= 4
    dtype = np.dtype(TYPES[kind])
    rng = np.random.default_rng(seed)
    values = [rng.normal(0, 100, 1024).astype(dtype) for _ in range(2)]
    dst, src = (value.view(np.uint8) for value in values)
    expected, source = values[0].copy(), values[1]
    length = elements * dtype.itemsize
    combine = (lambda _, new: new, np.add, np.maximum, np.minimum)[atomic]
    for burst in range(bursts):
        to = burst * (elements + gap)
        there = burst * (-(-length // 32) + src_gap) * 32 // dtype.itemsize
        old, new = expected[to : to + elements], source[there : there + elements]
        expected[to : to + elements] = combine(old, new)
    fields = bursts, length, src_gap, gap * dtype.itemsize, atomic
    instruction = Instruction(f"move_out {kind}", *fields)
    check_ranges(instruction, rng, dst, src)
    instruction.run(dst, src)
    assert np.array_equal(dst.view(dtype), expected)


@some
@given(
    size=st.sampled_from([1, 2, 4]), matrices=st.integers(0, 3), rows=st.integers(0, 20),
    columns=st.integers(0, 70),
    slack=st.integers(0, 9), between=st.integers(0, 9), step=st.integers(1, 3), seed=seeds,
)  # fmt: skip
def test_nd_to_nz_makes_columns_of_blocks(
    size: int, matrices: int, rows: int, columns: int, slack: int, between: int, step: int, seed: int
) -> None:
    rng, dst, src = memories(seed, 65536)
    pitch = columns + slack
    matrix_stride = rows * pitch + between
    column_stride = rows * step + between
    block_columns = -(-columns * size // 32)
    dst_matrix_stride = (block_columns * column_stride + between) * 32 // size
    expected = dst.copy().reshape(-1, 32)
    for matrix in range(matrices):
        at = (matrix * matrix_stride + np.arange(rows)[:, None] * pitch + np.arange(columns)) * size
        picked = src[at[:, :, None] + np.arange(size)].reshape(rows, columns * size)
        padded = np.zeros((rows, block_columns * 32), np.uint8)
        padded[:, : columns * size] = picked
        for row in range(rows):
            for column in range(block_columns):
                to = matrix * dst_matrix_stride * size // 32 + column * column_stride + row * step
                expected[to] = padded[row, column * 32 : column * 32 + 32]
    fields = size, matrices, rows, columns, matrix_stride, pitch, column_stride, step, dst_matrix_stride
    instruction = Instruction("nd_to_nz", *fields)
    check_ranges(instruction, rng, dst, src)
    instruction.run(dst, src)
    assert np.array_equal(dst, expected.ravel())
