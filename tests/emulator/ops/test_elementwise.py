"""Instructions that work element by element, over random masks, strides and repeats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.emulator.ops import elements, formats, lanes
from tests.emulator.ops.elements import FLOATING, type_of
from tests.emulator.ops.lanes import Operand, Shape, Strides, dst_strides, seeds, shapes, src_strides
from tests.emulator.ops.native import Bytes, Instruction, check_ranges

few = settings(max_examples=12, deadline=None)
FLOATS = ("half", "float")
NUMBERS = ("half", "float", "bfloat16", "int16", "int32")

UNARY = [
    (name, kind) for name in ("abs", "relu", "exp", "ln", "sqrt", "rsqrt", "reciprocal") for kind in FLOATS
]
UNARY += [("not", "uint16"), ("abs", "int16"), ("relu", "int32")]
BINARY = [(name, kind) for name in ("add", "sub", "mul", "max", "min") for kind in NUMBERS]
BINARY += [(name, kind) for name in ("div", "add_relu", "sub_relu") for kind in FLOATS]
BINARY += [("and", "uint16"), ("or", "uint16")]
SCALAR = [(name, kind) for name in ("add", "mul", "max", "min") for kind in NUMBERS]


def numbers(rng: np.random.Generator, kind: str, size: int = lanes.MEMORY) -> Bytes:
    """Memory whose elements of that kind are mostly of ordinary size."""
    raw = rng.integers(0, 256, size, np.uint8)
    if kind not in FLOATING or rng.random() < 0.3:
        return raw
    count = size // type_of[kind].itemsize
    values = rng.normal(0, 3, count) * 2.0 ** rng.integers(-3, 4, count)
    special = rng.random(count) < 0.2
    values[special] = rng.choice([0.0, -0.0, np.inf, -np.inf, np.nan], special.sum())
    return elements.rounded(kind, values).view(np.uint8)


def assert_same(kind: str, left: Bytes, right: Bytes) -> None:
    wrong = np.flatnonzero(left != right)
    assert elements.same(kind, left.view(type_of[kind]), right.view(type_of[kind])), wrong[:8]


def check(
    instruction: Instruction,
    kind: str,
    expected: tuple[Bytes, list[Any]],
    operands: list[Bytes],
    rng: np.random.Generator,
    *,
    reads_dst: bool = False,
) -> None:
    lanes.check_touched(instruction, operands, expected[1], reads_dst=reads_dst)
    check_ranges(instruction, rng, *operands)
    instruction.run(*operands)
    assert_same(kind, operands[0], expected[0])


@pytest.mark.parametrize(("name", "kind"), UNARY)
@few
@given(shape=shapes, dst=dst_strides, src=src_strides, seed=seeds)
def test_unary(name: str, kind: str, shape: Shape, dst: Strides, src: Strides, seed: int) -> None:
    rng = np.random.default_rng(seed)
    operands = [lanes.memory(rng), numbers(rng, kind)]
    dtype = type_of[kind]
    compute = elements.function(name, kind)
    expected = lanes.expect(shape, Operand(dst, dtype), [Operand(src, dtype)], operands, compute)
    instruction = Instruction(f"{name} {kind}", shape.fields(), dst.fields(), src.fields(), formats.INF_NAN)
    check(instruction, kind, expected, operands, rng)


@pytest.mark.parametrize(("name", "kind"), BINARY)
@few
@given(shape=shapes, dst=dst_strides, src0=src_strides, src1=src_strides, seed=seeds)
def test_binary(
    name: str, kind: str, shape: Shape, dst: Strides, src0: Strides, src1: Strides, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    operands = [lanes.memory(rng), numbers(rng, kind), numbers(rng, kind)]
    dtype = type_of[kind]
    sources = [Operand(src0, dtype), Operand(src1, dtype)]
    expected = lanes.expect(shape, Operand(dst, dtype), sources, operands, elements.function(name, kind))
    fields = shape.fields(), dst.fields(), src0.fields(), src1.fields(), formats.INF_NAN
    check(Instruction(f"{name} {kind}", *fields), kind, expected, operands, rng)


@pytest.mark.parametrize(("name", "kind"), SCALAR)
@few
@given(shape=shapes, dst=dst_strides, src=src_strides, seed=seeds)
def test_scalar(name: str, kind: str, shape: Shape, dst: Strides, src: Strides, seed: int) -> None:
    rng = np.random.default_rng(seed)
    operands = [lanes.memory(rng), numbers(rng, kind)]
    dtype = type_of[kind]
    scalar = numbers(rng, kind, 64)[: dtype.itemsize].view(dtype)
    operation = elements.function(name, kind)
    expected = lanes.expect(
        shape,
        Operand(dst, dtype),
        [Operand(src, dtype)],
        operands,
        lambda a: operation(a, np.resize(scalar, a.size)),
    )
    fields = shape.fields(), dst.fields(), src.fields(), int(scalar[0]), formats.INF_NAN
    check(Instruction(f"{name}s {kind}", *fields), kind, expected, operands, rng)


FUSED = [(name, kind) for name in ("fused_mul_add", "fused_mul_add_relu", "mul_add_dst") for kind in FLOATS]


@pytest.mark.parametrize(("name", "kind"), [*FUSED, ("mul_add_dst", "mixed")])
@few
@given(shape=shapes, dst=dst_strides, src0=src_strides, src1=src_strides, seed=seeds)
def test_products_that_are_added_are_rounded_once(
    name: str, kind: str, shape: Shape, dst: Strides, src0: Strides, src1: Strides, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    to, source = ("float", "half") if kind == "mixed" else (kind, kind)
    operands = [numbers(rng, to), numbers(rng, source), numbers(rng, source)]

    def compute(old: elements.Array, a: elements.Array, b: elements.Array) -> elements.Array:
        x, y, z = formats.decode(source, a), formats.decode(source, b), formats.decode(to, old)
        if name == "mul_add_dst":
            return elements.fused(to, x, y, z)
        sums = elements.fused(to, x, z, y)
        return elements.function("relu", to)(sums) if name.endswith("relu") else sums

    sources = [Operand(src0, type_of[source]), Operand(src1, type_of[source])]
    expected = lanes.expect(shape, Operand(dst, type_of[to]), sources, operands, compute, reads_dst=True)
    fields = shape.fields(), dst.fields(), src0.fields(), src1.fields(), formats.INF_NAN
    check(Instruction(f"{name} {kind}", *fields), to, expected, operands, rng, reads_dst=True)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("tiny", "expected"), [(2.0**-60, 1 + 2**-23), (-(2.0**-60), 1), (0.0, 1)])
def test_what_a_double_cannot_hold_breaks_a_tie(sign: int, tiny: float, expected: float) -> None:
    whole = Shape(False, lanes.first(64), 1).fields(), (1, 8), (1, 8), (1, 8)
    a, b = 97 * 257 * sign, 673 * 2.0**-24  # a · b is 1 + 2^-24, half way between two floats
    dst, left, right = (np.full(64, value, np.float32).view(np.uint8) for value in (tiny * sign, a, b))
    Instruction("mul_add_dst float", *whole, formats.INF_NAN).run(dst, left, right)
    assert (dst.view(np.float32) == sign * np.float32(expected)).all()


@pytest.mark.parametrize("kind", ["half", "float", "mixed"])
@few
@given(shape=shapes, dst=dst_strides, src=src_strides, seed=seeds)
def test_axpy(kind: str, shape: Shape, dst: Strides, src: Strides, seed: int) -> None:
    rng = np.random.default_rng(seed)
    to, source = ("float", "half") if kind == "mixed" else (kind, kind)
    operands = [numbers(rng, to), numbers(rng, source)]
    scalar = elements.rounded(source, rng.normal(0, 2, 1))

    def compute(old: elements.Array, a: elements.Array) -> elements.Array:
        factor = np.full(a.size, formats.decode(source, scalar)[0])
        return elements.fused(to, formats.decode(source, a), factor, formats.decode(to, old))

    sources = [Operand(src, type_of[source])]
    expected = lanes.expect(shape, Operand(dst, type_of[to]), sources, operands, compute, reads_dst=True)
    fields = shape.fields(), dst.fields(), src.fields(), int(scalar[0]), formats.INF_NAN
    check(Instruction(f"axpy {kind}", *fields), to, expected, operands, rng, reads_dst=True)


@pytest.mark.parametrize("kind", ["uint16", "int16", "uint32", "int32"])
@given(
    shape=shapes,
    dst=dst_strides,
    src=src_strides,
    seed=seeds,
    distance=st.integers(0, 40),
    left=st.booleans(),
)
@settings(max_examples=30, deadline=None)
def test_shift(
    kind: str, shape: Shape, dst: Strides, src: Strides, seed: int, distance: int, left: bool
) -> None:
    rng = np.random.default_rng(seed)
    operands = [lanes.memory(rng), lanes.memory(rng)]
    dtype = type_of[kind]
    bits, signed = 8 * dtype.itemsize, kind.startswith("i")
    round_up = signed and not left and bool(rng.integers(2)) and distance < bits

    def one(value: int) -> int:
        if not left:
            last = value >> (distance - 1) & 1 if round_up and distance else 0
            return (value >> distance) + last
        low = bits - 1 if signed else bits
        moved = (value << distance) % (1 << low)
        return moved - (1 << low) if value < 0 else moved

    def compute(a: elements.Array) -> elements.Array:
        return np.array([one(int(value)) for value in a]).astype(dtype)

    expected = lanes.expect(shape, Operand(dst, dtype), [Operand(src, dtype)], operands, compute)
    fields = shape.fields(), dst.fields(), src.fields(), distance, int(left), int(round_up)
    check(Instruction(f"shift {kind}", *fields), kind, expected, operands, rng)


@pytest.mark.parametrize(
    ("source", "to"),
    [("half", "float"), ("float", "half"), ("float", "bfloat16"), ("half", "int8"), ("int8", "half")],
)
@few
@given(shape=shapes, dst=dst_strides, src=src_strides, seed=seeds)
def test_cast_takes_as_many_lanes_as_the_wider_type_has(
    source: str, to: str, shape: Shape, dst: Strides, src: Strides, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    types: dict[str, np.dtype[Any]] = {**type_of, "int8": np.dtype(np.int8)}
    operands = [lanes.memory(rng), lanes.memory(rng)]

    def compute(a: elements.Array) -> elements.Array:
        if source == "int8":
            return formats.encode("half", a.astype(np.float64))
        values = formats.decode(source, a)
        if to == "int8":
            return formats.to_integer(values, np.int8, formats.ROUND)
        if to == "float":
            return elements.rounded(to, values)
        return formats.encode(to, values, formats.ROUND)

    expected = lanes.expect(shape, Operand(dst, types[to]), [Operand(src, types[source])], operands, compute)
    fields = shape.fields(), dst.fields(), src.fields(), formats.ROUND, formats.INF_NAN
    instruction = Instruction(f"cast {source} {to}", *fields)
    lanes.check_touched(instruction, operands, expected[1])
    check_ranges(instruction, rng, *operands)
    instruction.run(*operands)
    assert to != "int8" or np.array_equal(operands[0], expected[0])
    assert to == "int8" or elements.same(to, operands[0].view(types[to]), expected[0].view(types[to]))


@few
@given(shape=shapes, strides=dst_strides, seed=seeds)
def test_a_destination_may_be_its_own_source(shape: Shape, strides: Strides, seed: int) -> None:
    rng = np.random.default_rng(seed)
    memory = numbers(rng, "float")
    apart = memory.copy()
    fields = shape.fields(), strides.fields(), strides.fields(), strides.fields(), formats.INF_NAN
    instruction = Instruction("add float", *fields)
    width = 64
    for step, active in shape.steps(width):  # each repeat sees what those before it wrote
        at = strides.offsets(step, width, 4)[active]
        value = lanes.load(apart, at, np.float32)
        with np.errstate(all="ignore"):
            lanes.store(apart, at, value + value)
    instruction.run(memory, memory, memory)
    assert_same("float", memory, apart)


def test_saturating_arithmetic_stays_finite() -> None:
    big = np.full(128, 60000, np.float16).view(np.uint8)
    nan = np.full(128, np.nan, np.float16).view(np.uint8)
    out = np.zeros(256, np.uint8)
    for left, expected in ((big, 65504), (nan, 0)):
        plain = Shape(False, lanes.first(128), 1).fields(), (1, 8), (1, 8), (1, 8)
        Instruction("add half", *plain, formats.SATURATE).run(out, left, big)
        assert (out.view(np.float16) == expected).all()


def test_operands_of_vector_instructions_lie_at_whole_blocks() -> None:
    shape = Shape(False, 1, 1).fields()
    instruction = Instruction("add half", shape, (1, 8), (1, 8), (1, 8), formats.INF_NAN)
    assert [instruction.alignment(operand) for operand in range(3)] == [32, 32, 32]
