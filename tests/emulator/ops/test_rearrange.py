"""Filling, copying, gathering, comparing and selecting."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.emulator.ops import elements, lanes
from tests.emulator.ops.elements import type_of
from tests.emulator.ops.lanes import Operand, Shape, Strides, dst_strides, seeds, shapes, src_strides
from tests.emulator.ops.native import Bytes, Instruction, check_ranges

some = settings(max_examples=25, deadline=None)
BITS = ("uint16", "uint32")


def check(
    instruction: Instruction,
    operands: list[Bytes],
    expected: Bytes,
    touched: list[Any],
    rng: np.random.Generator,
) -> None:
    lanes.check_touched(instruction, operands, touched)
    check_ranges(instruction, rng, *operands)
    instruction.run(*operands)
    assert np.array_equal(operands[0], expected)


@pytest.mark.parametrize("kind", BITS)
@some
@given(shape=shapes, dst=dst_strides, seed=seeds)
def test_duplicate(kind: str, shape: Shape, dst: Strides, seed: int) -> None:
    rng = np.random.default_rng(seed)
    operands, dtype = [lanes.memory(rng)], type_of[kind]
    value = int(rng.integers(0, 256**dtype.itemsize))
    expected, touched = operands[0].copy(), np.zeros(lanes.MEMORY, np.bool_)
    width = 256 // dtype.itemsize
    for step, active in shape.steps(width):
        at = dst.offsets(step, width, dtype.itemsize)[active]
        lanes.store(expected, at, np.full(at.size, value, dtype))
        lanes.mark(touched, at, dtype.itemsize)
    instruction = Instruction(f"duplicate {kind}", shape.fields(), dst.fields(), value)
    check(instruction, operands, expected, [touched], rng)


@pytest.mark.parametrize("kind", ["int16", "int32", "half", "float"])
@some
@given(shape=shapes, dst=dst_strides, start=st.integers(-2000, 2000), seed=seeds)
def test_an_arithmetic_progression_counts_the_lanes(
    kind: str, shape: Shape, dst: Strides, start: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    dtype, memory = type_of[kind], lanes.memory(rng)
    width, expected = 256 // dtype.itemsize, memory.copy()
    scalar = np.array([start])
    for step, active in shape.steps(width):
        values = start + step * width + np.arange(width)[active]
        codes = (
            values.astype(dtype) if kind.startswith("int") else elements.rounded(kind, values.astype(float))
        )
        lanes.store(expected, dst.offsets(step, width, dtype.itemsize)[active], codes)
    first = int(scalar[0]) if kind.startswith("int") else int(elements.rounded(kind, scalar.astype(float))[0])
    Instruction(f"index {kind}", shape.fields(), dst.fields(), first).run(memory)
    assert np.array_equal(memory, expected)


@pytest.mark.parametrize("kind", BITS)
@some
@given(shape=shapes.filter(lambda shape: not shape.counter), dst=dst_strides, src=src_strides, seed=seeds)
def test_copy(kind: str, shape: Shape, dst: Strides, src: Strides, seed: int) -> None:
    rng = np.random.default_rng(seed)
    operands, dtype = [lanes.memory(rng), lanes.memory(rng)], type_of[kind]
    expected = lanes.expect(shape, Operand(dst, dtype), [Operand(src, dtype)], operands, lambda a: a)
    check(Instruction(f"copy {kind}", shape.fields(), dst.fields(), src.fields()), operands, *expected, rng)


@some
@given(count=st.integers(0, 200), repeat=st.integers(0, 3), dst=dst_strides, src=src_strides, seed=seeds)
def test_copy_in_counter_mode_counts_within_a_repeat(
    count: int, repeat: int, dst: Strides, src: Strides, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    operands = [lanes.memory(rng), lanes.memory(rng)]
    expected = operands[0].copy().reshape(-1, 32)
    source = operands[1].reshape(-1, 32)
    for step in range(repeat):
        for block in range(-(-count // 16)):
            expected[step * dst.repeat + block * dst.block] = source[step * src.repeat + block * src.block]
    instruction = Instruction("copy uint16", 1, count, 0, repeat, dst.fields(), src.fields())
    check_ranges(instruction, rng, *operands)
    instruction.run(*operands)
    assert np.array_equal(operands[0], expected.ravel())


@pytest.mark.parametrize("kind", BITS)
@some
@given(repeat=st.integers(0, 5), dst=dst_strides, seed=seeds)
def test_brcb_fills_a_block_with_each_element(kind: str, repeat: int, dst: Strides, seed: int) -> None:
    rng = np.random.default_rng(seed)
    operands, dtype = [lanes.memory(rng), lanes.memory(rng)], type_of[kind]
    expected, written = (
        operands[0].copy().view(dtype).reshape(-1, 32 // dtype.itemsize),
        np.zeros(256, np.bool_),
    )
    read = np.zeros(lanes.MEMORY, np.bool_)
    read[: repeat * 8 * dtype.itemsize] = True
    for index in range(repeat * 8):
        block = index // 8 * dst.repeat + index % 8 * dst.block
        expected[block] = operands[1].view(dtype)[index]
        written[block] = True
    instruction = Instruction(f"brcb {kind}", repeat, dst.fields())
    check(instruction, operands, expected.view(np.uint8).ravel(), [np.repeat(written, 32), read], rng)


@pytest.mark.parametrize("kind", BITS)
@some
@given(shape=shapes, stride=st.integers(0, 12), base=st.integers(0, 40), seed=seeds)
def test_gather_takes_elements_from_offsets(
    kind: str, shape: Shape, stride: int, base: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    dtype = type_of[kind]
    size, width = dtype.itemsize, 256 // dtype.itemsize
    offsets = rng.integers(0, 1000, lanes.MEMORY // 4, np.uint32) * size
    operands = [lanes.memory(rng), lanes.memory(rng), offsets.view(np.uint8)]
    expected = operands[0].copy()
    touched = [np.zeros(lanes.MEMORY, np.bool_) for _ in range(3)]
    dst = Strides(1, stride)
    for step, active in shape.steps(width):
        lane = step * width + np.flatnonzero(active)
        source = offsets[lane].astype(np.int64) + base * size
        at = dst.offsets(step, width, size)[active]
        if lane.size:
            lanes.store(expected, at, lanes.load(operands[1], source, dtype))
        for marks, place, bytes_ in (
            (touched[0], at, size),
            (touched[1], source, size),
            (touched[2], lane * 4, 4),
        ):
            lanes.mark(marks, place, bytes_)
    instruction = Instruction(f"gather {kind}", shape.fields(), stride, base * size)
    check(instruction, operands, expected, touched, rng)


FIXED = {1: "01", 2: "10", 3: "0001", 4: "0010", 5: "0100", 6: "1000", 7: "1"}


@pytest.mark.parametrize("kind", BITS)
@some
@given(
    pattern=st.integers(0, 7), count=st.one_of(st.just(0), st.integers(1, 200)), repeat=st.integers(0, 3),
    src=src_strides, jump=st.integers(0, 3), seed=seeds,
)  # fmt: skip
def test_gather_mask_packs_the_elements_of_set_bits(
    kind: str, pattern: int, count: int, repeat: int, src: Strides, jump: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    dtype = type_of[kind]
    operands = [lanes.memory(rng), lanes.memory(rng), lanes.memory(rng)]
    each = count or 256 // dtype.itemsize
    packed = []
    for step in range(repeat):
        if pattern:  # the first element is the rightmost digit
            bits = [FIXED[pattern][-1 - i % len(FIXED[pattern])] == "1" for i in range(each)]
        else:
            bits = list(np.unpackbits(operands[2][step * jump * 32 :], bitorder="little")[:each] == 1)
        at = src.offsets(step, each, dtype.itemsize)[np.array(bits)]
        packed += list(lanes.load(operands[1], at, dtype)) if at.size else []
    expected = operands[0].copy()
    expected.view(dtype)[: len(packed)] = packed
    fields = pattern, count, repeat, src.fields(), jump
    instruction = Instruction(f"gather_mask {kind}", *fields)
    check_ranges(instruction, rng, *operands)
    assert instruction.touched(1, *operands)[0].sum() == len(packed) * dtype.itemsize
    assert instruction.run(*operands) == len(packed)
    assert np.array_equal(operands[0], expected)


def test_transpose() -> None:
    rng = np.random.default_rng(3)
    operands = [lanes.memory(rng), lanes.memory(rng)]
    matrix = operands[1].view(np.uint16)[:256].reshape(16, 16)
    instruction = Instruction("transpose")
    check_ranges(instruction, rng, *operands)
    instruction.run(*operands)
    assert np.array_equal(operands[0].view(np.uint16)[:256].reshape(16, 16), matrix.T)


@pytest.mark.parametrize("kind", ["uint8", "uint16", "uint32"])
@some
@given(
    repeat=st.integers(0, 4), jumps=st.tuples(st.integers(0, 5), st.integers(0, 5)),
    high=st.tuples(st.booleans(), st.booleans()),
    seed=seeds,
)  # fmt: skip
def test_rows_in_sixteen_blocks_become_columns(
    kind: str, repeat: int, jumps: tuple[int, int], high: tuple[bool, bool], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    dtype = np.dtype(kind)
    operands = [lanes.memory(rng, 1024) for _ in range(32)]
    expected = [operand.copy() for operand in operands[:16]]
    touched = [np.zeros(1024, np.bool_) for _ in range(32)]
    run = 16 if kind == "uint8" else 32  # bytes
    for step in [1] if repeat == 1 else range(repeat):  # a single repeat begins behind a stride
        dst, src = (
            32 * step * jump + (16 if up and run == 16 else 0) for jump, up in zip(jumps, high, strict=True)
        )
        rows = np.array([operand[src : src + run].view(dtype) for operand in operands[16:]])
        columns = np.ascontiguousarray(rows.T).view(np.uint8).reshape(16, run)
        for block, column in zip(expected, columns, strict=True):
            block[dst : dst + run] = column
        for marks in touched[:16]:
            marks[dst : dst + run] = True
        for marks in touched[16:]:
            marks[src : src + run] = True
    instruction = Instruction(f"transpose_blocks {kind}", repeat, *jumps, *map(int, high))
    written, read = instruction.touched(1, *operands), instruction.touched(0, *operands)
    for i, marks in enumerate(touched):
        assert np.array_equal(written[i] if i < 16 else read[i], marks)
        assert not (read[i] if i < 16 else written[i]).any()
    instruction.run(*operands)
    assert all(np.array_equal(*pair) for pair in zip(operands[:16], expected, strict=True))


RELATIONS = (operator.lt, operator.gt, operator.eq, operator.le, operator.ge, operator.ne)
VALUES = {"half": np.float16, "float": np.float32, "int32": np.int32}


def comparable(kind: str) -> np.ndarray[Any, Any]:
    """A few values, so that many are equal."""
    pool = np.array([0, 1, -1, 2, 3], VALUES[kind])
    return pool if kind == "int32" else np.append(pool, np.array([np.nan, np.inf, -0.0], VALUES[kind]))


@pytest.mark.parametrize("kind", VALUES)
@some
@given(
    relation=st.integers(0, 5), repeat=st.integers(0, 4), src0=src_strides, src1=src_strides,
    scalar=st.booleans(),
    seed=seeds,
)  # fmt: skip
def test_compare_gives_a_bit_for_each_element(
    kind: str, relation: int, repeat: int, src0: Strides, src1: Strides, scalar: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    dtype = np.dtype(VALUES[kind])
    pool = comparable(kind)
    picks = [rng.choice(pool, lanes.MEMORY // dtype.itemsize).view(np.uint8) for _ in range(2)]
    operands = [lanes.memory(rng), *picks]
    value = rng.choice(pool)
    width = 256 // dtype.itemsize
    bits = []
    for step in range(repeat):
        left = lanes.load(picks[0], src0.offsets(step, width, dtype.itemsize), dtype)
        right = lanes.load(picks[1], src1.offsets(step, width, dtype.itemsize), dtype)
        bits += list(RELATIONS[relation](left, value if scalar else right))
    expected = operands[0].copy()
    expected[: len(bits) // 8] = np.packbits(np.array(bits, np.bool_), bitorder="little")
    code = int(value.view(f"u{dtype.itemsize}"))
    fields = relation, repeat, src0.fields(), src1.fields(), int(scalar), code
    instruction = Instruction(f"compare {kind}", *fields)
    check_ranges(instruction, rng, *operands)
    instruction.run(*operands)
    assert np.array_equal(operands[0], expected)


@pytest.mark.parametrize("kind", ["half", "float"])
@some
@given(relation=st.integers(0, 5), mask=lanes.masks, src0=src_strides, src1=src_strides, seed=seeds)
def test_compare_to_the_register_heeds_the_mask(
    kind: str, relation: int, mask: int, src0: Strides, src1: Strides, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    dtype = np.dtype(VALUES[kind])
    width = 256 // dtype.itemsize
    picks = [rng.choice(comparable(kind), lanes.MEMORY // dtype.itemsize).view(np.uint8) for _ in range(2)]
    operands = [lanes.memory(rng, 16), *picks]
    active = Shape(False, mask, 1).active(0, width)
    left, right = (
        lanes.load(pick, src.offsets(0, width, dtype.itemsize), dtype)
        for pick, src in zip(picks, (src0, src1), strict=True)
    )
    expected = np.packbits(RELATIONS[relation](left, right) & active, bitorder="little")
    fields = relation, Shape(False, mask, 1).fields()[:3], src0.fields(), src1.fields()
    instruction = Instruction(f"compare_to_register {kind}", *fields)
    assert [instruction.alignment(operand) for operand in range(3)] == [16, 32, 32]
    assert np.array_equal(
        instruction.touched(1, *operands)[0][: width // 8], active.reshape(-1, 8).any(axis=1)
    )
    check_ranges(instruction, rng, *operands)
    instruction.run(*operands)
    assert np.array_equal(operands[0][: width // 8], expected)


@pytest.mark.parametrize("kind", ["half", "float"])
@some
@given(
    shape=shapes, dst=dst_strides, src0=src_strides, src1=src_strides, same=st.booleans(),
    scalar=st.booleans(),
    seed=seeds,
)  # fmt: skip
def test_select_takes_the_first_source_where_a_bit_is_set(
    kind: str, shape: Shape, dst: Strides, src0: Strides, src1: Strides, same: bool, scalar: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    dtype = type_of[kind]
    operands = [lanes.memory(rng) for _ in range(4)]
    value = int(rng.integers(0, 256**dtype.itemsize))
    width, expected = 256 // dtype.itemsize, operands[0].copy()
    for step, active in shape.steps(width):
        bits = np.unpackbits(operands[1][0 if same else step * width // 8 :], bitorder="little")[:width]
        left = lanes.load(operands[2], src0.offsets(step, width, dtype.itemsize), dtype)
        right = lanes.load(operands[3], src1.offsets(step, width, dtype.itemsize), dtype)
        chosen = np.where(bits == 1, left, np.array(value, dtype) if scalar else right)
        lanes.store(expected, dst.offsets(step, width, dtype.itemsize)[active], chosen[active])
    fields = shape.fields(), dst.fields(), src0.fields(), src1.fields(), int(same), int(scalar), value
    instruction = Instruction(f"select {kind}", *fields)
    check_ranges(instruction, rng, *operands)
    instruction.run(*operands)
    assert np.array_equal(operands[0], expected)


def test_a_gather_whose_offsets_are_out_of_bounds_tells_of_the_offsets_first() -> None:
    operands = [np.zeros(256, np.uint8) for _ in range(2)]
    operands.append(np.full(64, 2**31, np.uint32).view(np.uint8))
    accesses = Instruction("gather uint32", 0, 2**64 - 1, 0, 1, 8, 0).ranges(*operands)
    assert (accesses[0].operand, accesses[0].bytes, accesses[1].offset) == (2, 256, 2**31)
