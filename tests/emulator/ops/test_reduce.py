"""Reductions of repeats, blocks and pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.emulator.ops import formats, lanes
from tests.emulator.ops.lanes import Shape, Strides, seeds, shapes, src_strides
from tests.emulator.ops.native import Bytes, Instruction, check_ranges

some = settings(max_examples=40, deadline=None)
FLOATS: dict[str, np.dtype[Any]] = {"half": np.dtype(np.float16), "float": np.dtype(np.float32)}
SUM, MAX, MIN = range(3)
VALUE_INDEX, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX = range(4)


def tree_sum(values: np.ndarray[Any, Any]) -> Any:
    """The sum of neighbours, again and again, in the type of the values."""
    while values.size > 1:
        with np.errstate(all="ignore"):
            values = values[::2] + values[1::2]
    return values[0]


def numbers(rng: np.random.Generator, dtype: np.dtype[Any]) -> Bytes:
    count = lanes.MEMORY // dtype.itemsize
    if rng.random() < 0.5:
        return rng.integers(-4, 5, count).astype(dtype).view(np.uint8)  # many equal ones
    return rng.normal(0, 50, count).astype(dtype).view(np.uint8)


def with_nan(rng: np.random.Generator, dtype: np.dtype[Any]) -> Bytes:
    """Numbers, some of them NaN in some examples."""
    values = numbers(rng, dtype).view(dtype)
    if rng.random() < 0.5:
        values[rng.random(values.size) < 0.02] = np.nan
    return values.view(np.uint8)


def repeats(
    shape: Shape, src: Strides, memory: Bytes, dtype: np.dtype[Any]
) -> list[tuple[int, np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
    width = 256 // dtype.itemsize
    return [
        (step, active, lanes.load(memory, src.offsets(step, width, dtype.itemsize), dtype))
        for step, active in shape.steps(width)
    ]


@pytest.mark.parametrize("kind", FLOATS)
@some
@given(shape=shapes, stride=st.integers(0, 4), src=src_strides, seed=seeds)
def test_the_sum_of_a_repeat_and_of_all(
    kind: str, shape: Shape, stride: int, src: Strides, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    dtype = FLOATS[kind]
    operands = [lanes.memory(rng), numbers(rng, dtype)]
    expected = operands[0].copy().view(dtype)
    accumulated = dtype.type(0)
    for step, active, values in repeats(shape, src, operands[1], dtype):
        if active.any():
            expected[step * stride] = tree_sum(np.where(active, values, dtype.type(0)))
            accumulated += tree_sum(np.where(active, values, dtype.type(0)))
    fields = SUM, VALUE_INDEX, shape.fields(), stride, src.fields(), formats.INF_NAN
    instruction = Instruction(f"whole_reduce {kind}", *fields)
    assert instruction.alignment(0) == dtype.itemsize
    check_ranges(instruction, rng, *operands)
    instruction.run(*operands)
    assert np.array_equal(operands[0], expected.view(np.uint8))
    accumulate = Instruction(f"accumulate {kind}", shape.fields(), src.fields(), formats.INF_NAN)
    total = np.array([accumulate.run(operands[1])]).view(dtype)[0]
    assert total == accumulated
    assert np.array_equal(accumulate.touched(0, operands[1])[0], instruction.touched(0, *operands)[1])


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("order", [VALUE_INDEX, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX])
@some
@given(shape=shapes, stride=st.integers(0, 4), src=src_strides, greatest=st.booleans(), seed=seeds)
def test_the_extreme_of_a_repeat_and_its_first_index(
    kind: str, order: int, shape: Shape, stride: int, src: Strides, greatest: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    dtype = FLOATS[kind]
    index_type = np.uint16 if kind == "half" else np.uint32
    operands = [lanes.memory(rng), with_nan(rng, dtype)]
    expected = operands[0].copy()
    unit = {ONLY_VALUE: dtype.itemsize, ONLY_INDEX: 4}.get(order, 2 * dtype.itemsize)
    for step, active, values in repeats(shape, src, operands[1], dtype):
        if not active.any():
            continue
        there = values[active]
        place = there.argmax() if greatest else there.argmin()
        index = np.flatnonzero(active)[place]
        value = there[place].tobytes()
        parts = {
            VALUE_INDEX: value + index_type(index).tobytes(),
            INDEX_VALUE: index_type(index).tobytes() + value,
            ONLY_VALUE: value,
            ONLY_INDEX: np.uint32(index).tobytes(),
        }
        at = step * stride * unit
        expected[at : at + unit] = np.frombuffer(parts[order], np.uint8)
    reduction = MAX if greatest else MIN
    fields = reduction, order, shape.fields(), stride, src.fields(), formats.INF_NAN
    instruction = Instruction(f"whole_reduce {kind}", *fields)
    assert instruction.alignment(0) == unit
    check_ranges(instruction, rng, *operands)
    instruction.run(*operands)
    assert np.array_equal(operands[0], expected)


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("reduction", [SUM, MAX, MIN])
@pytest.mark.parametrize("group", ["block", "pair"])
@some
@given(shape=shapes, stride=st.integers(0, 4), src=src_strides, seed=seeds)
def test_groups_that_take_no_part_keep_their_old_result(
    kind: str, reduction: int, group: str, shape: Shape, stride: int, src: Strides, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    dtype = FLOATS[kind]
    size = 32 // dtype.itemsize if group == "block" else 2
    groups = 256 // dtype.itemsize // size
    operands = [lanes.memory(rng), with_nan(rng, dtype)]
    expected = operands[0].copy().view(dtype)
    for step, active, values in repeats(shape, src, operands[1], dtype):
        for i, (some_active, elements) in enumerate(
            zip(active.reshape(groups, size), values.reshape(groups, size), strict=True)
        ):
            if some_active.any():
                zeroed = np.where(some_active, elements, dtype.type(0))
                there = elements[some_active]
                result = {SUM: tree_sum(zeroed), MAX: there.max(), MIN: there.min()}[reduction]
                expected[step * stride * groups + i] = result
    fields = reduction, shape.fields(), stride, src.fields(), formats.INF_NAN
    instruction = Instruction(f"{group}_reduce {kind}", *fields)
    assert instruction.alignment(0) == (8 * dtype.itemsize if group == "block" else 32)
    check_ranges(instruction, rng, *operands)
    instruction.run(*operands)
    assert np.array_equal(operands[0].view(dtype), expected, equal_nan=True)


def test_halves_are_rounded_in_every_step_of_a_sum() -> None:
    values = np.zeros(128, np.float16)
    values[:4] = [60000, 60000, -30000, 100]  # past the range in the first step
    out = np.zeros(32, np.uint8)
    fields = SUM, 0, (0, 2**64 - 1, 2**64 - 1, 1), 1, (1, 8)
    Instruction("block_reduce half", *fields[:1], *fields[2:], formats.SATURATE).run(
        out, values.view(np.uint8)
    )
    assert out.view(np.float16)[0] == 65504 - 29904
