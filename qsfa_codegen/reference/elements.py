"""Numbers of two bytes and of one byte, as numpy has them: raw bits and float64."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BYTES = 1 << 8
"""How many bytes there are."""
UNIT = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24}
"""The largest relative error of rounding a normal number to the nearest one of a dtype."""
LEAST = {"float16": 2.0**-25, "bfloat16": 2.0**-134, "float32": 2.0**-150}
"""The largest error of rounding a number below the normal ones."""


def halves(raw: bytes, half: str) -> Floats:
    """Two-byte floats as numbers."""
    if half == "float16":
        return np.frombuffer(raw, dtype="<f2").astype(np.float64)
    words = np.frombuffer(raw, dtype="<u2").astype(np.uint32) << 16
    return words.view(np.float32).astype(np.float64)


def half_bytes(values: Floats, half: str) -> Bytes:
    """The bytes of numbers that a two-byte dtype has; the last axis doubles."""
    if half == "float16":
        words = values.astype(np.float16).view(np.uint16)
    else:
        words = (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return np.ascontiguousarray(words).view(np.uint8).reshape(*values.shape[:-1], 2 * values.shape[-1])


def round_to(values: Floats, half: str) -> Floats:
    """Float32 numbers rounded to two bytes, ties to even; infinities where they are too large."""
    with np.errstate(over="ignore"):
        singles = values.astype(np.float32)
        if half == "float16":
            return singles.astype(np.float16).astype(np.float64)
    bits = singles.view(np.uint32)
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(singles), np.nan, bits.view(np.float32).astype(np.float64))


@cache
def table(kind: str) -> NDArray[np.float32]:
    """The number of each quantised byte."""
    return np.array([element(kind, byte) for byte in range(BYTES)], dtype=np.float32)


def element(kind: str, byte: int) -> float:
    """The number of one quantised byte."""
    if kind == "int8":
        return float(byte - BYTES if byte >= BYTES // 2 else byte)
    return fp8(byte) if kind == "float8_e4m3fn" else hifloat8(byte)


def fp8(byte: int) -> float:
    """Sign, four exponent bits with bias 7, three mantissa bits; no infinities."""
    sign, exponent, mantissa = byte >> 7, byte >> 3 & 15, byte & 7
    if exponent == 15 and mantissa == 7:
        return math.nan
    size = mantissa / 8 * 2.0**-6 if exponent == 0 else (1 + mantissa / 8) * math.ldexp(1, exponent - 7)
    return -size if sign else size


_DOTS = {"11": 4, "10": 3, "01": 2, "001": 1, "0001": 0}


def hifloat8(byte: int) -> float:
    """Read from a string of bits, field by field."""
    if byte in (0x00, 0x80, 0x6F, 0xEF):
        return {0x00: 0.0, 0x80: math.nan, 0x6F: math.inf, 0xEF: -math.inf}[byte]
    bits = f"{byte:08b}"
    sign, rest = (-1.0 if bits[0] == "1" else 1.0), bits[1:]
    if rest.startswith("0000"):
        return sign * math.ldexp(1, int(rest[4:], 2) - 23)
    dot = next(code for code in _DOTS if rest.startswith(code))
    width, rest = _DOTS[dot], rest[len(dot) :]
    field, mantissa = rest[:width], rest[width:]
    exponent = 0 if not field else int("1" + field[1:], 2) * (-1 if field[0] == "1" else 1)
    return sign * math.ldexp(1 + int(mantissa, 2) / 2 ** len(mantissa), exponent)
