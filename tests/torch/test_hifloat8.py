"""HiFloat8: values worked out from the published definition, and the way back from floats."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from kv_quant_sparse_flash_attention import hifloat8

from qsfa_codegen.reference import elements as reference

CODES = torch.arange(256).to(torch.uint8)
BY_HAND = {
    0b0_0000_000: 0.0,
    0b0_0000_001: 2.0**-22,  # the smallest
    0b0_0000_111: 2.0**-16,  # the largest without a mantissa
    0b0_0001_000: 1.0,
    0b0_0001_001: 1.125,
    0b0_0001_111: 1.875,
    0b0_001_0_000: 2.0,
    0b0_001_0_111: 3.75,
    0b0_001_1_000: 0.5,
    0b0_001_1_111: 0.9375,
    0b0_01_00_000: 4.0,
    0b0_01_01_111: 15.0,
    0b0_01_10_000: 0.25,
    0b0_01_11_000: 0.125,
    0b0_01_11_111: 0.234375,
    0b0_10_000_00: 16.0,
    0b0_10_011_11: 224.0,
    0b0_10_100_00: 2.0**-4,
    0b0_10_111_11: 1.75 * 2.0**-7,
    0b0_11_0000_0: 256.0,
    0b0_11_0000_1: 384.0,
    0b0_11_0111_0: 32768.0,  # the largest
    0b0_11_0111_1: math.inf,
    0b0_11_1000_0: 2.0**-8,
    0b0_11_1111_0: 2.0**-15,
    0b0_11_1111_1: 1.5 * 2.0**-15,
    0b1_0001_000: -1.0,
    0b1_0000_001: -(2.0**-22),
    0b1_11_0111_1: -math.inf,
}


@pytest.mark.parametrize(
    ("code", "value"), BY_HAND.items(), ids=lambda v: f"{v:#x}" if isinstance(v, int) else ""
)
def test_values_by_hand(code: int, value: float) -> None:
    assert hifloat8.value_of(code) == value
    assert hifloat8.decode(torch.tensor([code], dtype=torch.uint8)).item() == value


def test_zero_with_the_sign_is_nan() -> None:
    assert math.isnan(hifloat8.value_of(0x80))
    assert hifloat8.decode(torch.tensor(0x80, dtype=torch.uint8)).isnan()


def test_every_value_against_another_reading() -> None:
    expected = [reference.hifloat8(code) for code in range(256)]
    np.testing.assert_array_equal(hifloat8.decode(CODES).numpy(), np.array(expected, dtype=np.float32))


def test_the_numbers_that_there_are() -> None:
    """31 exponents with mantissas, 7 without; each number once, and its negative too."""
    values = hifloat8.decode(CODES)
    finite = values[values.isfinite() & (values > 0)].double()
    assert len(finite.unique()) == len(finite) == 7 * 8 + 8 * 4 + 16 * 2 - 1 + 7
    exponents = finite.log2().floor().unique().tolist()
    assert exponents == list(range(-22, 16))
    assert torch.equal(values[129:], -values[1:128])


def test_what_is_no_code() -> None:
    for code in (-1, 256):
        with pytest.raises(ValueError, match=f"the code is {code}; expected: 0 to 255"):
            hifloat8.value_of(code)
    with pytest.raises(ValueError, match=r"the bits are torch.int8; expected: torch.uint8"):
        hifloat8.decode(torch.tensor([-1], dtype=torch.int8))


def test_shapes_are_kept() -> None:
    assert hifloat8.decode(CODES.view(4, 2, 32)).shape == (4, 2, 32)
    assert hifloat8.encode(torch.zeros(3, 0, 2)).shape == (3, 0, 2)


# --------------------------------------------------------------------------- from floats


def test_every_number_comes_back() -> None:
    back = hifloat8.encode(hifloat8.decode(CODES))
    assert torch.equal(back, CODES)


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (1.0625, 0x09),  # half way from 1 to 1.125: away from zero
        (-1.0625, 0x89),
        (1.0624, 0x08),
        (15.5, 0b0_10_000_00),  # half way from 15 to 16
        (2.0**-23, 0x01),  # half way from 0 to the smallest
        (0.999 * 2.0**-23, 0x00),
        (-(2.0**-24), 0x00),  # there is no negative zero
        (1.5 * 2.0**-16, 0b0_11_1111_0),  # half way from 2^-16 to 2^-15
        (36000.0, 0x6E),
        (40960.0, 0x6F),  # half way from 2^15 to where 1.5 · 2^15 would be
        (-math.inf, 0xEF),
        (math.nan, 0x80),
        (-0.0, 0x00),
    ],
)
def test_rounding_by_hand(value: float, code: int) -> None:
    assert hifloat8.encode(torch.tensor([value])).item() == code


@settings(max_examples=300, deadline=None)
@given(st.floats(-32768, 32768, width=32))
def test_the_nearest_number_is_taken(value: float) -> None:
    numbers = np.array([reference.hifloat8(code) for code in range(256)])
    numbers = numbers[np.isfinite(numbers)]
    code = int(hifloat8.encode(torch.tensor(value)).item())
    nearest = np.abs(numbers - value).min()
    assert abs(reference.hifloat8(code) - value) == nearest
