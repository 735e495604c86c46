"""Casts of vector registers, bit for bit: every code of 8 and 16 bits, chosen and random ones of 32."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.emulator.launching import SOURCES
from tests.emulator.ops import formats
from tests.emulator.ops.formats import INF_NAN, SATURATE
from tests.emulator.ops.test_numbers import edges, float_codes
from tests.emulator.registers import CODES, KINDS, VECTOR, Array, lanes, launched

UNIT = "registers_casts.cpp"
RNG = np.random.default_rng(8)
MODES = {
    "UNKNOWN": formats.NONE,
    "CAST_RINT": formats.RINT,
    "CAST_FLOOR": formats.FLOOR,
    "CAST_CEIL": formats.CEIL,
    "CAST_ROUND": formats.ROUND,
    "CAST_TRUNC": formats.TRUNC,
    "CAST_ODD": formats.ODD,
}
PLACES = {"UNKNOWN": 0, "ZERO": 0, "ONE": 1, "TWO": 2, "THREE": 3}


class Case(NamedTuple):
    """The arguments of a CAST in the kernels."""

    to: str
    source: str
    layout: str
    sat: str
    round: str

    @property
    def kernel(self) -> str:
        return "cast_" + "_".join(self)


CASES = [
    Case(*found)
    for found in re.findall(
        r"^CAST\((\w+), (\w+), (\w+), (\w+), (\w+)\)", (SOURCES / UNIT).read_text(), re.MULTILINE
    )
]


def codes_of(case: Case) -> Array:
    """All codes of narrow types, and those of 32 bits that matter."""
    dtype = np.dtype(CODES[case.source])
    if dtype.itemsize < 4:
        return np.arange(2 ** (8 * dtype.itemsize), dtype=f"u{dtype.itemsize}").view(dtype)
    if case.source == "float":
        near = [edges(KINDS[case.to])] if case.to in KINDS else []
        return np.concatenate([float_codes(), *near])
    few = [2**p + d for p in range(8, 32) for d in (-2, -1, 0, 1)]
    bits = np.concatenate([np.array(few), RNG.integers(0, 2**32, 2000)]).astype(np.uint32)
    return np.concatenate([bits, -bits]).view(dtype)


def wrapped(values: NDArray[np.float64], dtype: type[Any], mode: int) -> Array:
    """Rounded to whole numbers of which the lower bits stay; infinities become the ends of the range."""
    whole = formats.to_integral(np.where(np.isfinite(values), values, 0), mode)
    low = np.array([int(value) % 2 ** (8 * dtype().itemsize) for value in whole])
    unsigned = low.astype(f"u{dtype().itemsize}")
    ends = np.iinfo(dtype)
    result = np.where(np.isnan(values), 0, unsigned.view(dtype))
    result = np.where(values == np.inf, ends.max, result)
    return np.where(values == -np.inf, ends.min, result).astype(dtype)


def expected(case: Case, codes: Array) -> Array:
    """What each code becomes."""
    mode, to = MODES[case.round], CODES[case.to]
    overflow = SATURATE if case.sat == "SAT" else INF_NAN
    if case.source in KINDS:
        values = formats.decode(KINDS[case.source], codes)
        if case.to not in KINDS:
            one = formats.to_integer if case.sat != "NO_SAT" else wrapped
            return one(values, to, mode)
        if case.to == "float":
            with np.errstate(invalid="ignore"):
                return values.astype(np.float32).view(np.uint32)
        return formats.encode(KINDS[case.to], values, mode, overflow)
    if case.to == "float":
        return formats.to_float([int(code) for code in codes], mode)
    if case.to in KINDS:
        return formats.encode(KINDS[case.to], codes.astype(np.float64), mode)
    if case.sat == "NO_SAT":
        return codes.astype(to)
    ends = np.iinfo(to)
    return np.clip(codes.astype(np.int64), ends.min, ends.max).astype(to)


def same(name: str, got: Array, wanted: Array) -> NDArray[np.bool_]:
    """Equal codes; to float, any NaN is as good as another."""
    equal: NDArray[np.bool_] = got == wanted
    if name != "float":
        return equal
    return equal | np.isnan(got.view(np.float32)) & np.isnan(wanted.view(np.float32))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.kernel.removeprefix("cast_"))
def test_a_cast(case: Case) -> None:
    codes, place = codes_of(case), PLACES[case.layout]
    source_lanes, target_lanes = lanes(case.source), lanes(case.to)
    wide = min(source_lanes, target_lanes)
    from_step, to_step = source_lanes // wide, target_lanes // wide
    rows = -(-codes.size // wide)
    padded = np.resize(codes, (rows, wide))
    registers = RNG.integers(0, 256, (rows, VECTOR), np.uint8).view(codes.dtype)
    registers[:, place if from_step > 1 else 0 :: from_step] = padded
    on = np.ones((rows, source_lanes), f"u{codes.itemsize}")
    on[rows // 2 :, ::3] = 0  # every third element is left out of the later rows
    taken = on[:, place if from_step > 1 else 0 :: from_step] != 0
    got = launched(UNIT, case.kernel, [registers, on], CODES[case.to])
    result = np.zeros((rows, target_lanes), CODES[case.to])
    result[:, place if to_step > 1 else 0 :: to_step] = np.where(
        taken, expected(case, padded.ravel()).reshape(rows, wide), 0
    )
    wrong = np.argwhere(~same(case.to, got, result))
    assert wrong.size == 0, [(padded[r, c // to_step], got[r, c], result[r, c]) for r, c in wrong[:5]]
