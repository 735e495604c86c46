"""ReduceMax, ReduceMin and ReduceSum of whole tensors, in all forms, against numpy."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from qsfa_codegen.emulator.launch import Outcome
from tests.emulator.launching import given as tensor
from tests.emulator.launching import line, only, run, wanted
from tests.emulator.ops.test_reduce import tree_sum

UNIT = "reduce.cpp"
SOURCE = 96 * 1024
WORK = 32 * 1024
MAX, MIN, SUM = range(3)
OF_COUNT, OF_LANES, OF_BITS = range(3)
FLOATS: dict[str, type[np.floating[Any]]] = {"half": np.float16, "float": np.float32}

Values = NDArray[Any]


@dataclass(frozen=True)
class Call:
    """A call in one of its forms; ``bits`` are the lanes of a repeat that take part."""

    reduction: int
    form: int
    count: int
    stride: int = 8
    index: bool = False
    bits: int = 0
    work: int = WORK

    def packed(self) -> bytes:
        words = (self.reduction, self.form, self.count, self.stride, int(self.index), self.bits.bit_count())
        return struct.pack("6i2Qi4x", *words, self.bits % 2**64, self.bits >> 64, self.work)

    def parts(self, source: Values) -> list[Values]:
        """The elements of each repeat; those that take no part are NaN."""
        width = 256 // source.itemsize
        if self.form == OF_COUNT:
            used = np.full(-(-self.count // width) * width, np.nan, source.dtype)
            used[: self.count] = source[: self.count]
            return list(used.reshape(-1, width))
        active = np.array([self.bits >> lane & 1 == 1 for lane in range(width)])
        step = self.stride * 32 // source.itemsize
        rows = [source[i * step : i * step + width] for i in range(self.count)]
        return [np.where(active, row, np.array(np.nan, source.dtype)) for row in rows]

    def step(self, source: Values) -> int:
        """From repeat to repeat, in elements."""
        return 256 // source.itemsize if self.form == OF_COUNT else self.stride * 32 // source.itemsize


@st.composite
def calls(draw: st.DrawFn, width: int) -> Call:
    reduction = draw(st.sampled_from((MAX, MIN, SUM)))
    form = draw(st.sampled_from((OF_COUNT, OF_LANES, OF_BITS)))
    index = draw(st.booleans())
    if form == OF_COUNT:
        most = SOURCE * width // 256
        count = draw(st.one_of(st.integers(1, 3 * width), st.integers(1, most)))
        return Call(reduction, form, count, index=index)
    stride = draw(st.integers(0, 10))
    most = (SOURCE // 32 - 8) // stride if stride else 600
    repeats = draw(st.one_of(st.integers(1, min(most, 3)), st.integers(1, most)))
    whole = draw(st.integers(1, width))
    bits = (1 << whole) - 1 if form == OF_LANES else draw(st.integers(1, (1 << width) - 1))
    return Call(reduction, form, repeats, stride, index, bits)


def launched(kind: str, call: Call, source: Values) -> Outcome:
    return run(
        UNIT, f"reduce_{kind}", tensor("x", source.tobytes()), tensor("p", call.packed()), wanted("out", 32)
    )


def numbers(seed: int, dtype: type[np.floating[Any]]) -> Values:
    rng = np.random.default_rng(seed)
    count = SOURCE // np.dtype(dtype).itemsize
    spread = 4 if seed % 2 else 30000  # many equal ones, or few
    return rng.integers(-spread, spread + 1, count).astype(dtype)


def expected_sum(call: Call, source: Values) -> Any:
    zero = source.dtype.type(0)
    sums = [tree_sum(np.where(np.isnan(part), zero, part)) for part in call.parts(source)]
    with np.errstate(over="ignore", invalid="ignore"):
        if call.form == OF_COUNT:
            total = zero
            for one in sums:
                total = total + one
            return total
        width = 256 // source.itemsize
        while len(sums) > 1:
            padded = np.zeros(-(-len(sums) // width) * width, source.dtype)
            padded[: len(sums)] = sums
            sums = [tree_sum(row) for row in padded.reshape(-1, width)]
        return sums[0]


def expected_extreme(call: Call, source: Values) -> tuple[Any, int]:
    """The value, and the first index of it; repeats may overlap."""
    parts = np.array(call.parts(source))
    value = np.nanmax(parts) if call.reduction == MAX else np.nanmin(parts)
    repeat, lane = np.argwhere(parts == value)[0]
    return value, int(repeat) * call.step(source) + int(lane)


@pytest.mark.parametrize("kind", FLOATS)
@settings(max_examples=40, deadline=None)
@given(data=st.data(), seed=st.integers(0, 1000))
def test_a_tensor_becomes_its_sum_or_extreme(kind: str, data: st.DataObject, seed: int) -> None:
    dtype = FLOATS[kind]
    call = data.draw(calls(256 // np.dtype(dtype).itemsize))
    source = numbers(seed, dtype)
    done = launched(kind, call, source)
    assert {f.code for f in done.report.findings} <= {"not-finite"}
    result = np.frombuffer(done.outputs["out"], dtype)
    if call.reduction == SUM:
        assert np.array_equal(result[0], expected_sum(call, source), equal_nan=True)
        assert not result[1:].any()
        return
    value, index = expected_extreme(call, source)
    assert result[0] == value
    if call.index:
        whole = np.frombuffer(done.outputs["out"], np.uint16 if kind == "half" else np.uint32)
        assert whole[1] == index % 2 ** (8 * dtype().itemsize)
    else:
        assert not result[1:].any()


@pytest.mark.parametrize(
    ("call", "instructions"),
    [
        (Call(SUM, OF_COUNT, 8320), 1),
        (Call(SUM, OF_LANES, 65, bits=(1 << 128) - 1), 2),
        (Call(MAX, OF_LANES, 65, bits=(1 << 128) - 1), 1 + 2 + 1),
        (Call(MAX, OF_COUNT, 8320), 1 + 2 + 1),
        (Call(MAX, OF_COUNT, 100), 1),
        (Call(MAX, OF_COUNT, 200), 1 + 1 + 1),
        (Call(MIN, OF_LANES, 300, bits=(1 << 128) - 1, index=True), 2 + 2 + 1),
    ],
)
def test_rounds_are_those_of_the_real_headers(call: Call, instructions: int) -> None:
    done = launched("half", call, np.zeros(SOURCE // 2, np.float16))
    fill = 1
    assert done.report.cores["aiv0"].instructions["V"] == fill + instructions


def test_a_work_tensor_that_is_too_small() -> None:
    finding = only(launched("half", Call(MAX, OF_COUNT, 8320, work=256), np.zeros(SOURCE // 2, np.float16)))
    assert (finding.code, finding.at.line) == ("out-of-bounds", line(UNIT, "max"))
    assert "WholeReduce" not in finding.message
    assert "ReduceMax writes bytes" in finding.message


def test_a_count_of_zero_does_nothing() -> None:
    done = launched("float", Call(MAX, OF_COUNT, 0), np.ones(SOURCE // 4, np.float32))
    assert done.report.findings == ()
    assert done.outputs["out"] == bytes(32)


def test_without_a_pipe_there_are_no_events() -> None:
    finding = only(run(UNIT, "without_pipe", tensor("x", bytes(4)), tensor("p", bytes(4)), wanted("out", 32)))
    assert (finding.code, finding.at.line) == ("limit", line(UNIT, "without_pipe"))
