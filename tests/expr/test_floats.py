"""Numbers of 32-bit floats and their shortest spelling. ctypes is the second opinion."""

from __future__ import annotations

import ctypes
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsfa_codegen.expr.cpp_text import float_text
from qsfa_codegen.expr.floats import shortest, single_precision


@given(st.floats(allow_nan=False, min_value=-3.4e38, max_value=3.4e38))
def test_rounding_is_that_of_c(value: float) -> None:
    assert single_precision(value) == ctypes.c_float(value).value


@pytest.mark.parametrize(("value", "held"), [(1e39, math.inf), (-1e39, -math.inf), (1e-46, 0.0)])
def test_what_leaves_the_range(value: float, held: float) -> None:
    assert single_precision(value) == held


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_the_shortest_spelling_is_the_same_number_and_no_longer(value: float) -> None:
    short = shortest(value)
    assert ctypes.c_float(short).value == value
    assert len(repr(short)) <= len(repr(value))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.5"),
        (-2.0, "-2.0"),
        (0.10000000149011612, "0.1f"),  # the float next to 0.1
        (0.1, "0.1"),  # has more than 32 bits: a number of the spec, not of an attribute
        (1.0000000474974513e-3, "0.001f"),
    ],
)
def test_literals_of_cpp_are_exactly_the_number(value: float, text: str) -> None:
    assert float_text(value) == text
