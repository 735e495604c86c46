"""Arithmetic on elements in numpy, for comparison: bit patterns in, bit patterns out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.emulator.ops import formats

type_of: dict[str, np.dtype[Any]] = {
    "half": np.dtype(np.uint16),
    "bfloat16": np.dtype(np.uint16),
    "float": np.dtype(np.uint32),
    "int16": np.dtype(np.int16),
    "int32": np.dtype(np.int32),
    "uint16": np.dtype(np.uint16),
    "uint32": np.dtype(np.uint32),
}
FLOATING = ("half", "bfloat16", "float")
Array = NDArray[Any]


def rounded(kind: str, exact: Array) -> Array:
    """Codes of values of higher precision, to nearest even."""
    if kind != "float":
        return formats.encode(kind, exact.astype(np.float64))
    with np.errstate(over="ignore", invalid="ignore"):
        return exact.astype(np.float32).view(np.uint32)


def same(kind: str, left: Array, right: Array) -> bool:
    """The same codes; any NaN is as good as another."""
    if kind not in FLOATING:
        return np.array_equal(left, right)
    both = np.isnan(formats.decode(kind, left)) & np.isnan(formats.decode(kind, right))
    return bool(np.all((left == right) | both))


def floating(kind: str, function: Callable[..., Array]) -> Callable[..., Array]:
    """A function of exact values, as one of codes."""

    def on_codes(*codes: Array) -> Array:
        with np.errstate(all="ignore"):
            return rounded(kind, function(*[formats.decode(kind, code) for code in codes]))

    return on_codes


def maximum(a: Array, b: Array) -> Array:
    """NaN wins, and +0 over −0."""
    out = np.maximum(a, b)
    return np.where((a == 0) & (b == 0), np.where(np.signbit(a) & np.signbit(b), -0.0, 0.0), out)


def minimum(a: Array, b: Array) -> Array:
    return -maximum(-a, -b)


def relu(a: Array) -> Array:
    return np.where(np.isnan(a), a, np.where(a > 0, a, 0.0))


REAL: dict[str, Callable[..., Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "max": maximum,
    "min": minimum,
    "abs": np.abs,
    "relu": relu,
    "exp": np.exp,
    "ln": np.log,
    "sqrt": np.sqrt,
    "rsqrt": lambda a: 1 / np.sqrt(a),
    "reciprocal": lambda a: 1 / a,
}
WHOLE: dict[str, Callable[..., Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "abs": np.abs,
    "relu": lambda a: np.maximum(a, 0).astype(a.dtype),
    "not": np.invert,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
}


def function(name: str, kind: str) -> Callable[..., Array]:
    """An operation on codes of a kind."""
    if kind not in FLOATING:
        return WHOLE[name]
    if name in ("add_relu", "sub_relu"):
        inner, outer = floating(kind, REAL[name[:3]]), floating(kind, relu)
        return lambda a, b: outer(inner(a, b))
    return floating(kind, REAL[name])


def fused(kind: str, a: Array, b: Array, c: Array) -> Array:
    """a · b + c with one rounding, in exact integers."""
    from fractions import Fraction  # slow, but sure

    out = []
    for x, y, z in zip(a, b, c, strict=True):
        with np.errstate(all="ignore"):
            plain = float(x) * float(y) + float(z)
        if not np.isfinite(plain) or plain == 0:
            out.append(int(rounded(kind, np.array([plain]))[0]))
            continue
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        out.append(nearest(kind, exact, plain))
    return np.array(out, formats.CODE[kind])


def nearest(kind: str, exact: Any, guess: float) -> int:
    """The code of the number nearest to a fraction, ties to even; its neighbours are those of the guess."""
    sign = formats.SIGN[kind] if exact < 0 else 0
    size = abs(exact)
    with np.errstate(over="ignore"):
        code = int(rounded(kind, np.array([abs(guess)]))[0])
    around = [c for c in (code - 1, code, code + 1) if c >= 0]
    values = formats.decode(kind, np.array(around))
    top = {"half": 0x7C00, "bfloat16": 0x7F80, "float": 0x7F800000}[kind]
    past = {"half": 2.0**16, "bfloat16": 2.0**128, "float": 2.0**128}[kind]
    best = min(
        (
            (abs(type(size)(past if c >= top else float(v)) - size), c % 2, min(c, top))
            for c, v in zip(around, values, strict=True)
        ),
    )
    return sign | best[2]
