"""Operations on vector registers against what numpy makes of them, with random contents and masks."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray

from tests.emulator.launching import SOURCES
from tests.emulator.ops import elements, formats
from tests.emulator.registers import CODES, KINDS, Array, contents, lanes, launched, masks, seeds

UNIT = "registers_elements.cpp"
ROWS = 12
EXAMPLES = settings(max_examples=3, deadline=None)
LEAST = {"float": 2.0**-126, "half": 2.0**-14}  # normal numbers


def kind_of(name: str) -> str:
    return KINDS.get(name, name.removesuffix("_t"))


def kernels(macro: str) -> list[tuple[str, str]]:
    """The operations and types that the kernels have under a macro."""
    text = (SOURCES / UNIT).read_text()
    return re.findall(rf"^{macro}\((\w+), (?:\w+, )?(\w+)[,)]", text, re.MULTILINE)


def flushed(kind: str, codes: Array) -> Array:
    """Subnormal numbers as zeros."""
    values = formats.decode(kind, codes)
    tiny = (values != 0) & (np.abs(values) < LEAST[kind])
    return np.where(tiny, codes & formats.SIGN[kind], codes).astype(codes.dtype)


def flushing(name: str, kind: str) -> Callable[..., Array]:
    inner = elements.function(name, kind)
    return lambda *codes: flushed(kind, inner(*[flushed(kind, code) for code in codes]))


def operation(name: str, type_name: str) -> Callable[..., Array]:
    kind = kind_of(type_name)
    if name in ("exp", "ln", "sqrt", "div"):
        return flushing(name, kind)
    return elements.function(name, kind)


def prepared(seed: int, name: str) -> tuple[Array, Array, Array, NDArray[np.bool_]]:
    rng = np.random.default_rng(seed)
    a, b, c = (contents(name, ROWS, rng) for _ in range(3))
    return a, b, c, masks(name, ROWS, rng)


def done(name: str, type_name: str, sources: tuple[Array, ...], mask: NDArray[np.bool_]) -> Array:
    on = mask.astype(f"u{np.dtype(CODES[type_name]).itemsize}")
    return launched(UNIT, f"{name}_{type_name}", [*sources, on], CODES[type_name])


def check(type_name: str, got: Array, expected: Array) -> None:
    assert elements.same(kind_of(type_name), got, expected.astype(got.dtype)), np.argwhere(got != expected)[
        :5
    ]


@pytest.mark.parametrize(("name", "type_name"), kernels("BINARY"))
@EXAMPLES
@given(seed=seeds)
def test_two_registers(name: str, type_name: str, seed: int) -> None:
    a, b, c, mask = prepared(seed, type_name)
    with np.errstate(all="ignore"):
        expected = np.where(mask, operation(name, type_name)(a, b), 0)
    check(type_name, done(name, type_name, (a, b, c), mask), expected)


@pytest.mark.parametrize(("name", "type_name"), kernels("MERGING"))
@EXAMPLES
@given(seed=seeds)
def test_merging_keeps_what_the_mask_leaves_out(name: str, type_name: str, seed: int) -> None:
    a, b, c, mask = prepared(seed, type_name)
    result = operation(name.removeprefix("merged_"), type_name)(a, b)
    check(type_name, done(name, type_name, (a, b, c), mask), np.where(mask, result, c))


@pytest.mark.parametrize(("name", "type_name"), kernels("UNARY"))
@EXAMPLES
@given(seed=seeds)
def test_one_register(name: str, type_name: str, seed: int) -> None:
    a, b, c, mask = prepared(seed, type_name)
    expected = np.where(mask, operation(name, type_name)(a), 0)
    check(type_name, done(name, type_name, (a, b, c), mask), expected)


@pytest.mark.parametrize("name", ["add", "mul", "max", "min"])
@EXAMPLES
@given(seed=seeds)
def test_a_register_and_a_scalar(name: str, seed: int) -> None:
    a, b, c, mask = prepared(seed, "float")
    scalar = np.full_like(a, np.float32(0.75).view(np.uint32))
    expected = np.where(mask, operation(name, "float")(a, scalar), 0)
    check("float", done(f"{name}s", "float", (a, b, c), mask), expected)


@EXAMPLES
@given(seed=seeds)
def test_scalars_of_other_types(seed: int) -> None:
    a, b, c, mask = prepared(seed, "half")
    scalar = np.full_like(a, np.float16(0.75).view(np.uint16))
    check(
        "half", done("muls", "half", (a, b, c), mask), np.where(mask, operation("mul", "half")(a, scalar), 0)
    )
    a, b, c, mask = prepared(seed, "int32_t")
    with np.errstate(over="ignore"):
        check("int32_t", done("adds", "int32_t", (a, b, c), mask), np.where(mask, a + np.int32(7), 0))


def fused(type_name: str, x: Array, y: Array, z: Array, mask: NDArray[np.bool_]) -> Array:
    """x · y + z where the mask is on, rounded once."""
    kind = kind_of(type_name)
    out = np.zeros_like(z)
    x, y, z = (formats.decode(kind, codes)[mask] for codes in (x, y, z))
    out[mask] = elements.fused(kind, x, y, z)
    return out


@pytest.mark.parametrize("type_name", ["float", "half"])
@EXAMPLES
@given(seed=seeds)
def test_products_are_added(type_name: str, seed: int) -> None:
    a, b, c, mask = prepared(seed, type_name)
    check(type_name, done("mul_add_dst", type_name, (a, b, c), mask), fused(type_name, a, b, c, mask))
    if type_name == "float":
        check(type_name, done("mul_dst_add", "float", (a, b, c), mask), fused("float", c, a, b, mask))
        scalar = np.full_like(a, np.float32(0.75).view(np.uint32))
        check(type_name, done("axpy", "float", (a, b, c), mask), fused("float", a, scalar, c, mask))


@EXAMPLES
@given(seed=seeds)
def test_the_exponential_of_a_difference(seed: int) -> None:
    a, b, c, mask = prepared(seed, "float")
    difference = operation("sub", "float")(a, b)
    expected = np.where(mask, operation("exp", "float")(difference), 0)
    check("float", done("exp_sub", "float", (a, b, c), mask), expected)


@EXAMPLES
@given(seed=seeds)
def test_filling(seed: int) -> None:
    a, b, c, mask = prepared(seed, "float")
    value = np.float32(2.5).view(np.uint32)
    check("float", done("duplicate", "float", (a, b, c), mask), np.where(mask, value, 0))
    check("float", done("duplicate_lowest", "float", (a, b, c), mask), np.where(mask, a[:, :1], 0))
    a, b, c, mask = prepared(seed, "half")
    check("half", done("move", "half", (a, b, c), mask), np.where(mask, a, c))
    check("half", done("duplicate_all", "half", (a, b, c), mask), np.full_like(a, 0x4100))
    rising = np.broadcast_to(np.arange(7, 71), (ROWS, 64))
    whole = tuple(np.zeros((ROWS, 64), np.int32) for _ in range(3))
    check("int32_t", done("arange", "int32_t", whole, rising > 0), rising)


def shifted(value: int, distance: int, bits: int, signed: bool) -> tuple[int, int]:
    """To the left, where signed numbers keep their sign, and to the right."""
    if distance > bits:
        return 0, -1 if value < 0 else 0
    body = bits - 1 if signed else bits
    low = (value << distance) % 2**body
    return (low - 2**body if value < 0 else low), value >> distance


@pytest.mark.parametrize(
    ("distance", "type_name"),
    [(3, "int32_t"), (3, "uint32_t"), (5, "int16_t"), (40, "int32_t"), (40, "uint32_t")],
)
@EXAMPLES
@given(seed=seeds)
def test_shifts(distance: int, type_name: str, seed: int) -> None:
    a, b, c, mask = prepared(seed, type_name)
    bits, signed = 8 * a.itemsize, type_name.startswith("int")
    pairs = np.array([shifted(int(value), distance, bits, signed) for value in a.ravel()])
    for name, column in (("left", 0), ("right", 1)):
        expected = np.where(mask, pairs[:, column].reshape(a.shape), 0).astype(a.dtype)
        check(type_name, done(f"{name}_{distance}", type_name, (a, b, c), mask), expected)


COMPARED: dict[str, Callable[..., Any]] = {
    "lt": np.less, "gt": np.greater, "eq": np.equal, "le": np.less_equal, "ge": np.greater_equal,
    "ne": np.not_equal,
}  # fmt: skip


@pytest.mark.parametrize(("name", "type_name"), kernels("COMPARISON"))
@EXAMPLES
@given(seed=seeds)
def test_comparison(name: str, type_name: str, seed: int) -> None:
    a, b, c, mask = prepared(seed, type_name)
    kind = kind_of(type_name)
    x, y = (formats.decode(kind, codes) if type_name in KINDS else codes for codes in (a, b))
    one = elements.rounded(kind, np.ones(1)) if type_name in KINDS else np.ones(1, CODES[type_name])
    expected = np.where(mask & COMPARED[name](x, y), one, 0)
    check(type_name, done(name, type_name, (a, b, c), mask), expected)


@pytest.mark.parametrize("type_name", ["float", "int8_t"])
@EXAMPLES
@given(seed=seeds)
def test_selection(type_name: str, seed: int) -> None:
    a, b, c, mask = prepared(seed, type_name)
    check(type_name, done("select", type_name, (a, b, c), mask), np.where(mask, a, b))


def tree_sum(type_name: str, values: Array) -> Array:
    add = operation("add", type_name)
    with np.errstate(over="ignore"):
        while values.shape[-1] > 1:
            values = add(values[..., 0::2], values[..., 1::2])
    return values[..., 0]


def most(type_name: str, values: Array, mask: NDArray[np.bool_], greatest: bool) -> tuple[Array, Array]:
    """The codes of the greatest or least, and their places: the first NaN, else the first of equals."""
    sign = 1.0 if greatest else -1.0
    if type_name in KINDS:
        with np.errstate(invalid="ignore"):  # signalling NaN
            numbers = formats.decode(kind_of(type_name), values) * sign
        below = elements.rounded(kind_of(type_name), np.array([-np.inf]) * sign)[0]
    else:
        numbers = values.astype(np.float64) * sign
        below = getattr(np.iinfo(CODES[type_name]), "min" if greatest else "max")
    codes = np.where(mask, values, below)
    numbers = np.where(mask, numbers, -np.inf)
    order = np.where(np.isnan(numbers), 3e308, numbers)
    order = np.where((order == 0) & ~np.signbit(numbers), 1e-300, order)  # +0 is above −0
    place = np.argmax(order, axis=-1)
    return np.take_along_axis(codes, place[..., None], -1)[..., 0], place


@pytest.mark.parametrize("type_name", ["float", "half", "int32_t"])
@EXAMPLES
@given(seed=seeds)
def test_a_register_is_added_up(type_name: str, seed: int) -> None:
    a, b, c, mask = prepared(seed, type_name)
    expected = np.zeros_like(a)
    expected[:, 0] = tree_sum(type_name, np.where(mask, a, 0).astype(a.dtype))
    check(type_name, done("reduce_sum", type_name, (a, b, c), mask), expected)


@pytest.mark.parametrize(
    ("name", "type_name"),
    [("reduce_max", "float"), ("reduce_max", "half"), ("reduce_max", "int32_t"), ("reduce_min", "float")],
)
@EXAMPLES
@given(seed=seeds)
def test_the_greatest_and_the_least_of_a_register(name: str, type_name: str, seed: int) -> None:
    a, b, c, mask = prepared(seed, type_name)
    expected = np.zeros_like(a)
    expected[:, 0], expected[:, 1] = most(type_name, a, mask, name == "reduce_max")
    check(type_name, done(name, type_name, (a, b, c), mask), expected)


@pytest.mark.parametrize(
    ("name", "type_name"), [("block_sum", "float"), ("block_max", "float"), ("block_min", "half")]
)
@EXAMPLES
@given(seed=seeds)
def test_blocks_are_reduced(name: str, type_name: str, seed: int) -> None:
    a, b, c, mask = prepared(seed, type_name)
    blocks, on = a.reshape(ROWS, 8, -1), mask.reshape(ROWS, 8, -1)
    expected = np.zeros_like(a)
    if name == "block_sum":
        expected[:, :8] = tree_sum(type_name, np.where(on, blocks, 0).astype(a.dtype))
    else:
        expected[:, :8] = most(type_name, blocks, on, name == "block_max")[0]
    check(type_name, done(name, type_name, (a, b, c), mask), expected)


@pytest.mark.parametrize(("name", "type_name"), kernels("ORDER"))
@EXAMPLES
@given(seed=seeds)
def test_order_of_elements(name: str, type_name: str, seed: int) -> None:
    a, b, c, mask = prepared(seed, type_name)
    if name == "interleave":
        both = np.stack([a, b], axis=-1).reshape(ROWS, -1)
        low, high = np.split(both, 2, axis=1)
    else:
        both = np.concatenate([a, b], axis=1)
        low, high = both[:, 0::2], both[:, 1::2]
    check(type_name, done(f"{name}_low", type_name, (a, b, c), mask), low)
    check(type_name, done(f"{name}_high", type_name, (a, b, c), mask), high)


def of_masks(name: str, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    third = np.broadcast_to(np.arange(mask.shape[1]) % 3 == 0, mask.shape)
    if name == "mask_interleave":
        return np.stack([mask, third], axis=-1).reshape(ROWS, -1)[:, mask.shape[1] :]
    if name == "mask_deinterleave":
        return np.concatenate([mask, third], axis=1)[:, 0::2]
    known: dict[str, NDArray[np.bool_]] = {
        "mask_and": mask & third,
        "mask_or": mask | third,
        "mask_xor": mask ^ third,
        "mask_not": ~mask,
    }
    return known[name]


@pytest.mark.parametrize(("name", "type_name"), kernels("MASKS"))
@EXAMPLES
@given(seed=seeds)
def test_masks(name: str, type_name: str, seed: int) -> None:
    a, b, c, mask = prepared(seed, type_name)
    one = elements.rounded(kind_of(type_name), np.ones(1)) if type_name in KINDS else np.ones(1, np.int32)
    expected = np.where(of_masks(name, mask), one, 0)
    check(type_name, done(name, type_name, (a, b, c), mask), expected)


PATTERNS: dict[str, Callable[[int], Array]] = {
    "all": lambda n: np.ones(n),
    "none": lambda n: np.zeros(n),
    "vl1": lambda n: np.arange(n) < 1,
    "vl3": lambda n: np.arange(n) < 3,
    "vl32": lambda n: np.arange(n) < 32,
    "vl128": lambda n: np.arange(n) < 128,
    "m4": lambda n: np.arange(n) % 4 == 0,
    "half": lambda n: np.arange(n) < n // 2,
    "quarter": lambda n: np.arange(n) < n // 4,
}


@pytest.mark.parametrize(
    ("name", "type_name"), re.findall(r"PATTERN\((\w+), \w+, (\w+)\)", (SOURCES / UNIT).read_text())[1:]
)
def test_patterns_of_masks(name: str, type_name: str) -> None:
    a, b, c, mask = prepared(1, type_name)
    got = done(f"pattern_{name}", type_name, (a, b, c), mask)
    expected = PATTERNS[name](lanes(type_name)) != 0
    assert np.array_equal(got != 0, np.broadcast_to(expected, got.shape))
