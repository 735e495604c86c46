"""Cast, bit for bit: all sources of 8 and 16 bits, and chosen and random ones of 32 and 64 bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.emulator.ops import formats
from tests.emulator.ops.formats import INF_NAN, MODES, QUIET_NAN, SATURATE, SIGN, Array
from tests.emulator.ops.native import Instruction

INTEGERS: dict[str, type[np.integer[Any]]] = {
    "int8": np.int8,
    "uint8": np.uint8,
    "int16": np.int16,
    "int32": np.int32,
    "int64": np.int64,
}
RNG = np.random.default_rng(20)


def edges(kind: str) -> Array:
    """Floats at, next to and half way between numbers of a smaller format, and outside its range."""
    if kind == "hifloat8":
        numbers = np.sort(formats.HIFLOAT8[:0x6F])
        near, far = numbers[:-1], numbers[1:]
        spots = np.concatenate([near, (near + far) / 2, [2.0**15 * 1.25, 2.0**-23, 2.0**-24]])
        return around(spots.astype(np.float32))
    codes = (
        RNG.integers(0, 0x7BFF if kind == "half" else 0x7F7F, 1500).astype(np.uint16)
        if kind != "float8"
        else np.arange(0x7F, dtype=np.uint8)
    )
    near = formats.decode(kind, codes)
    far = formats.decode(kind, codes + 1)
    return around(np.concatenate([near, (near + far) / 2]).astype(np.float32))


def around(spots: Array) -> Array:
    """Codes of floats, of their neighbours and of what is the other side of zero."""
    spots = np.concatenate(
        [np.nextafter(spots, np.float32(-np.inf)), spots, np.nextafter(spots, np.float32(np.inf))]
    )
    return np.concatenate([spots, -spots]).view(np.uint32)


def float_codes() -> Array:
    """Bit patterns of float32: random ones, special ones, and halves of small integers."""
    special = np.array([0, 1, 0x7FFFFF, 0x800000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000], np.uint32)
    halves = (np.arange(-600, 600, dtype=np.float32) / 4).view(np.uint32)
    limits = np.array([2.0**p + d for p in (7, 15, 16, 31, 63) for d in (-1, -0.5, 0, 1)], np.float32)
    parts = [special, special | 0x80000000, halves, limits.view(np.uint32), (-limits).view(np.uint32)]
    return np.concatenate([*parts, RNG.integers(0, 2**32, 4000, np.uint32)])


def sources(kind: str, to: str) -> Array:
    if kind in ("int8", "uint8", "float8"):
        return np.arange(256, dtype=np.uint8)
    if kind in ("half", "bfloat16", "int16"):
        return np.arange(65536, dtype=np.uint16)
    if kind == "float":
        near = [edges(to)] if to in ("half", "bfloat16", "float8") else []
        return np.concatenate([float_codes(), *near])
    bits = np.uint32 if kind == "int32" else np.uint64
    size = 8 * bits(0).itemsize
    powers = [(2**p + d) % 2**size for p in range(size) for d in (-3, -1, 0, 1, 3)]
    wide = RNG.integers(0, 2**size, 1000, bits) >> RNG.integers(0, size - 1, 1000).astype(bits)
    return np.concatenate([np.array(powers, bits), wide, RNG.integers(0, 2**size, 1000, bits)])


def cast(kind: str, to: str, codes: Array, mode: int, overflow: int) -> Array:
    target = formats.CODE[to] if to in formats.CODE else INTEGERS[to]
    size = np.dtype(target).itemsize
    wider = max(size, codes.itemsize)
    steps = [1, 8 * size // wider], [1, 8 * codes.itemsize // wider]
    out = np.zeros(codes.size, target)
    name = f"cast {kind} {to}"
    mask = [1, codes.size, 0]
    Instruction(name, mask, 1, *steps, mode, overflow).run(out.view(np.uint8), codes.view(np.uint8))
    return out


def from_float(kind: str, to: str, codes: Array, mode: int, overflow: int) -> Array:
    values = formats.decode(kind, codes)
    if to in INTEGERS:
        return formats.to_integer(values, INTEGERS[to], mode)
    if to != "float":
        return formats.encode(to, values, mode, overflow)
    if kind == "float":
        values = formats.to_integral(values, mode)
    with np.errstate(invalid="ignore"):
        out = values.astype(np.float32).view(np.uint32)
    nan = np.where(np.signbit(values), QUIET_NAN["float"] | SIGN["float"], QUIET_NAN["float"])
    return np.where(np.isnan(values), nan, out).astype(np.uint32)


def from_integer(kind: str, to: str, codes: Array, mode: int) -> Array:
    values = codes.view(INTEGERS[kind])
    if to in INTEGERS:
        limits = np.iinfo(INTEGERS[to])
        return np.clip(
            values, max(limits.min, np.iinfo(values.dtype).min), min(limits.max, np.iinfo(values.dtype).max)
        ).astype(INTEGERS[to])
    if kind == "int16" and to == "float":
        return values.astype(np.float32).view(np.uint32)  # exact
    if to == "float":
        return formats.to_float([int(value) for value in values], mode)
    return formats.encode(to, values.astype(np.float64), mode)


FROM_FLOAT = [
    ("half", "int8"), ("half", "uint8"), ("half", "int16"), ("half", "int32"), ("half", "float"),
    ("half", "bfloat16"), ("bfloat16", "half"), ("bfloat16", "int32"), ("bfloat16", "float"),
    ("float", "int16"),
    ("float", "int32"), ("float", "int64"), ("float", "half"), ("float", "bfloat16"), ("float", "float"),
    ("float", "float8"), ("float8", "float"),
]  # fmt: skip
FROM_INTEGER = [
    ("int8", "half"), ("uint8", "half"), ("int16", "half"), ("int16", "float"), ("int32", "float"),
    ("int64", "float"), ("int32", "int16"), ("int32", "int64"), ("int64", "int32"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "to"), FROM_FLOAT)
def test_a_floating_number_is_cast_in_every_mode(kind: str, to: str) -> None:
    codes = sources(kind, to)
    for mode in [formats.RINT] if to == "float8" else MODES:  # the chip's modes
        expected = from_float(kind, to, codes, mode, INF_NAN)
        got = cast(kind, to, codes, mode, INF_NAN)
        wrong = np.flatnonzero(got.view(expected.dtype) != expected)
        assert wrong.size == 0, (
            mode,
            [hex(code) for code in codes[wrong[:5]]],
            got[wrong[:5]],
            expected[wrong[:5]],
        )


@pytest.mark.parametrize(("kind", "to"), FROM_INTEGER)
def test_an_integer_is_cast_in_every_mode(kind: str, to: str) -> None:
    codes = sources(kind, to)
    for mode in MODES:
        expected = from_integer(kind, to, codes, mode)
        assert np.array_equal(cast(kind, to, codes, mode, INF_NAN).view(expected.dtype), expected), mode


@pytest.mark.parametrize(("kind", "to"), [("float", "half"), ("float", "bfloat16"), ("float", "float8")])
def test_saturation_leaves_no_infinity_and_no_nan(kind: str, to: str) -> None:
    codes = sources(kind, to)
    for mode in [formats.RINT] if to == "float8" else MODES:
        expected = from_float(kind, to, codes, mode, SATURATE)
        assert np.isfinite(formats.decode(to, expected)).all()
        assert np.array_equal(cast(kind, to, codes, mode, SATURATE), expected), mode


@pytest.mark.parametrize(
    ("to", "value", "mode", "expected"),
    [
        ("half", 0.5 + 2**-12, formats.RINT, 0.5),
        ("half", 0.5 + 2**-12, formats.ROUND, 0.5 + 2**-11),
        ("half", 0.5 + 2**-12, formats.ODD, 0.5 + 2**-11),
        ("bfloat16", 0.5 + 2**-9 + 2**-11, formats.RINT, 0.5 + 2**-8),
        ("bfloat16", 0.5 + 2**-9 + 2**-11, formats.TRUNC, 0.5),
    ],
)
def test_the_examples_of_the_public_documents(to: str, value: float, mode: int, expected: float) -> None:
    code = np.array([value] * 8, np.float32).view(np.uint32)
    assert formats.decode(to, cast("float", to, code, mode, INF_NAN))[0] == expected
