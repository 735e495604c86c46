"""Numbers of 32-bit floats, which is what float attributes and tiling fields hold."""

from __future__ import annotations

import struct

_DIGITS = 9  # enough to tell any two of them apart


def single_precision(value: float) -> float:
    """``value`` rounded to 32 bits, infinite when too large."""
    try:
        rounded: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    return rounded


def shortest(value: float) -> float:
    """The number with the fewest digits that is ``value`` when it has 32 bits; ``value`` when it has more."""
    if single_precision(value) != value:
        return value
    texts = (f"{value:.{digits}g}" for digits in range(1, _DIGITS + 1))
    return next((float(text) for text in texts if single_precision(float(text)) == value), value)
