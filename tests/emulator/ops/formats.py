"""Number formats in numpy, stated without the code under test: by tables of all values of a format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Doubles: TypeAlias = NDArray[np.float64]
Marks: TypeAlias = NDArray[np.bool_]

NONE, RINT, FLOOR, CEIL, ROUND, TRUNC, ODD = range(7)
MODES = (NONE, RINT, FLOOR, CEIL, ROUND, TRUNC, ODD)
INF_NAN, SATURATE = range(2)

CODE = {
    "half": np.uint16,
    "bfloat16": np.uint16,
    "float8": np.uint8,
    "hifloat8": np.uint8,
    "float": np.uint32,
}
QUIET_NAN = {"half": 0x7E00, "bfloat16": 0x7FC0, "float8": 0x7F, "float": 0x7FC00000}
SIGN = {"half": 0x8000, "bfloat16": 0x8000, "float8": 0x80, "float": 0x80000000}


def decode(kind: str, codes: Array) -> Doubles:
    """The values of codes of a format."""
    with np.errstate(invalid="ignore"):  # widening a signalling NaN
        if kind == "half":
            return codes.astype(np.uint16).view(np.float16).astype(np.float64)
        if kind == "bfloat16":
            return (codes.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
        if kind == "float":
            return codes.astype(np.uint32).view(np.float32).astype(np.float64)
    if kind == "hifloat8":
        return HIFLOAT8[codes]
    exponent, mantissa = (codes >> 3) & 15, (codes & 7).astype(np.float64)
    size = np.where(exponent == 0, mantissa / 8 * 2.0**-6, (1 + mantissa / 8) * 2.0 ** (exponent - 7.0))
    size[(codes & 0x7F) == 0x7F] = np.nan
    return np.where(codes & 0x80, -size, size)


def hifloat8(code: int) -> float:
    """A number of HiFloat8, read from left to right: sign, dot, exponent, mantissa."""
    sign, digits = (-1.0 if code & 0x80 else 1.0), f"{code & 0x7F:07b}"
    if digits == "0000000":
        return np.nan if sign < 0 else 0.0
    if digits == "1101111":
        return sign * np.inf
    if digits.startswith("0000"):
        return sign * 2.0 ** (int(digits[4:], 2) - 23)
    dots = {"11": 4, "10": 3, "01": 2, "001": 1, "0001": 0}
    dot = next(prefix for prefix in dots if digits.startswith(prefix))
    field, mantissa = digits[len(dot) :][: dots[dot]], digits[len(dot) + dots[dot] :]
    size = int("1" + field[1:], 2) if field else 0
    exponent = -size if field.startswith("1") else size
    return sign * 2.0**exponent * (1 + int(mantissa, 2) / (1 << len(mantissa)))


HIFLOAT8 = np.array([hifloat8(code) for code in range(256)])


def pick_up(mode: int, low_rest: Doubles, high_rest: Doubles, low_odd: Marks, negative: Marks) -> Marks:
    """Whether a magnitude between two neighbours, with these distances to them, goes to the larger one."""
    inexact = low_rest > 0
    near = low_rest > high_rest
    tie = low_rest == high_rest
    choice: dict[int, Marks] = {
        FLOOR: negative,
        CEIL: ~negative,
        ROUND: near | tie,
        TRUNC: np.zeros_like(negative),
        ODD: ~low_odd,
        RINT: near | (tie & low_odd),
    }
    choice[NONE] = choice[RINT]
    return inexact & choice[mode]


def encode(kind: str, values: Doubles, mode: int = RINT, overflow: int = INF_NAN) -> Array:
    """The codes of exact values in a format, by search in the table of all magnitudes."""
    if kind == "hifloat8":
        return encode_hifloat8(values, overflow)
    top = {"half": 0x7C00, "bfloat16": 0x7F80, "float8": 0x7F}[kind]
    table = decode(kind, np.arange(top))
    table = np.append(table, 2 * table[-1] - table[-2])  # where the next number would stand
    size = np.abs(values)
    finite = np.minimum(np.where(np.isfinite(size), size, 0), table[-1])
    low = np.minimum(np.searchsorted(table, finite, side="right") - 1, top - 1)
    up = pick_up(mode, finite - table[low], table[low + 1] - finite, low % 2 == 1, np.signbit(values))
    code = low + up
    greatest, beyond = top - 1, top if kind != "float8" else QUIET_NAN[kind]
    code = np.where(code >= top, greatest if overflow == SATURATE else beyond, code)
    code = np.where(np.isinf(values), greatest if overflow == SATURATE else beyond, code)
    code = np.where(np.signbit(values), code | SIGN[kind], code)
    nan = np.where(np.signbit(values), QUIET_NAN[kind] | SIGN[kind], QUIET_NAN[kind])
    return np.where(np.isnan(values), 0 if overflow == SATURATE else nan, code).astype(CODE[kind])


def encode_hifloat8(values: Doubles, overflow: int) -> Array:
    """The codes of the nearest numbers, ties away from zero; there is no negative zero."""
    codes = np.array(sorted((c for c in range(0x80) if c != 0x6F), key=lambda c: HIFLOAT8[c]))
    table = np.append(HIFLOAT8[codes], 1.5 * 2.0**15)  # the next would be half as large again
    codes = np.append(codes, 0x6E if overflow == SATURATE else 0x6F)
    size = np.abs(np.nan_to_num(values, nan=0.0, posinf=1e300, neginf=-1e300))
    code = codes[np.searchsorted((table[:-1] + table[1:]) / 2, size, side="right")]
    code = np.where((values < 0) & (code != 0), code | 0x80, code)
    return np.where(np.isnan(values), 0 if overflow == SATURATE else 0x80, code).astype(np.uint8)


def to_integral(values: Doubles, mode: int) -> Doubles:
    """Round to integral values."""
    known: dict[int, Callable[[Doubles], Doubles]] = {
        NONE: np.rint,
        RINT: np.rint,
        FLOOR: np.floor,
        CEIL: np.ceil,
        TRUNC: np.trunc,
        ROUND: lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
        ODD: lambda x: np.where(
            (x == np.trunc(x)) | (np.trunc(x) % 2 == 1) | (np.trunc(x) % -2 == -1),
            np.trunc(x),
            np.trunc(x) + np.copysign(1, x),
        ),
    }
    with np.errstate(invalid="ignore"):
        return known[mode](values)


def to_integer(values: Doubles, dtype: type[np.integer[Any]], mode: int) -> Array:
    """Round to an integer type, with the ends of its range for what is past them and 0 for NaN."""
    limits = np.iinfo(dtype)
    rounded = np.nan_to_num(to_integral(values, mode), nan=0.0, posinf=2.0**70, neginf=-(2.0**70))
    inside = (rounded >= limits.min) & (rounded < limits.max + 1)
    ends = np.where(rounded < 0, limits.min, limits.max).astype(dtype)
    return np.where(inside, np.where(inside, rounded, 0).astype(dtype), ends)


def to_float(integers: list[int], mode: int) -> Array:
    """Codes of float32 nearest to integers, in exact arithmetic."""
    codes = []
    for value in integers:
        size = abs(value)
        near = np.float32(size)  # correct to nearest; its neighbours are the other candidates
        low = near if int(near) <= size else np.nextafter(near, np.float32(0))
        high = np.nextafter(low, np.float32(np.inf))
        rests = np.array([size - int(low)], np.float64), np.array([int(high) - size], np.float64)
        odd = np.array([low.view(np.uint32) % 2 == 1])
        up = pick_up(mode, *rests, odd, np.array([value < 0]))[0]
        code = int((high if up else low).view(np.uint32))
        codes.append(code | (SIGN["float"] if value < 0 else 0))
    return np.array(codes, np.uint32)
