"""Compare and Select in all their forms, the register between them, and the mask register."""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from qsfa_codegen.emulator.launch import Outcome, Tensor
from tests.emulator.launching import given, line, only, run, wanted

UNIT = "compare.cpp"
WIDTH, REPEATS, VALUE = 64, 3, 2.5
COUNT = WIDTH * REPEATS
FORMS = 7
RELATIONS = (operator.lt, operator.gt, operator.eq, operator.le, operator.ge, operator.ne)

Floats = NDArray[np.float32]


def operands() -> tuple[Floats, Floats]:
    rng = np.random.default_rng(1)
    x, y = ((rng.integers(0, 6, COUNT) / 2).astype(np.float32) for _ in range(2))
    return x, y


def launched(kernel: str, *more: Tensor, forms: int = 1) -> tuple[Outcome, NDArray[np.float32]]:
    x, y = operands()
    out = wanted("out", 4 * COUNT * forms)
    done = run(UNIT, kernel, given("x", x.tobytes()), given("y", y.tobytes()), out, *more)
    return done, np.frombuffer(done.outputs["out"], np.float32).reshape(forms, COUNT)


@pytest.mark.parametrize("mode", range(6))
def test_every_form_selects_what_its_bits_say(mode: int) -> None:
    relation = given("relation", np.int32(mode).tobytes())
    done, results = launched("compare_forms", relation, forms=FORMS)
    assert done.report.findings == ()
    x, y = operands()
    related: Callable[[Floats, Floats], NDArray[np.bool_]] = RELATIONS[mode]
    first = np.tile(related(x, y)[:WIDTH], REPEATS)
    by_register = np.where(first, x, y)
    by_tensor = np.where(related(x, y), x, y)
    by_value = np.where(related(x, np.full(COUNT, VALUE, np.float32)), x, np.float32(VALUE))
    expected = [by_register] * 3 + [by_tensor] * 2 + [by_value] * 2
    assert np.array_equal(results, np.array(expected))


def test_select_takes_the_instructions_of_the_real_headers() -> None:
    done, _ = launched("compare_forms", given("relation", bytes(4)), forms=FORMS)
    counts = done.report.cores["aiv0"]
    # Compare, CompareScalar, the register, Duplicate; Select alone, with one before it, with two
    assert counts.instructions["V"] == 4 + 2 + 3 + 1 + 3 + 2 + 3 * 3
    assert (
        counts.vector_barriers == 10 + 1 + 3 * 2 + 1
    )  # in the kernel, in the Selects, behind the one with a count


def test_the_register_needs_a_barrier_like_a_buffer() -> None:
    done, _ = launched("register_too_early")
    finding = only(done)
    assert (finding.code, finding.buffer) == ("race", "CMPMASK of aiv0")
    assert (finding.at.line, finding.other.line) == (
        line(UNIT, "register_too_early"),
        line(UNIT, "register_too_early_first"),
    )


@pytest.mark.parametrize(
    ("kernel", "code", "offset"),
    [("register_never_set", "uninitialised", 0), ("register_half_set", "undefined-padding", 8)],
)
def test_bits_that_nobody_has_set(kernel: str, code: str, offset: int) -> None:
    found = [f for f in launched(kernel)[0].report.findings if f.code != "not-finite"]
    assert [(f.code, f.buffer, f.offset, f.at.line) for f in found] == [
        (code, "CMPMASK of aiv0", offset, line(UNIT, kernel))
    ]


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        ("integers_less", "integers can be compared with CMPMODE::EQ alone"),
        ("no_such_pattern", "src1Pattern is 8; expected: 1 to 7"),
        ("nothing_counted", "mask is 0 in counter mode"),
        ("lanes_while_counting", "a mask of lanes while SetMaskCount is on"),
    ],
)
def test_calls_that_are_refused(kernel: str, message: str) -> None:
    finding = only(launched(kernel)[0])
    assert (finding.code, finding.at.line) == ("limit", line(UNIT, kernel))
    assert message in finding.message


def test_calls_leave_their_mask_in_the_register() -> None:
    done, results = launched("mask_register")
    assert done.report.findings == ()
    x, _ = operands()
    expected = np.zeros(COUNT, np.float32)
    for first, lanes in ((0, 8), (WIDTH, 8), (2 * WIDTH, WIDTH)):
        expected[first : first + lanes] = x[first : first + lanes] + 1
    assert np.array_equal(results[0], expected)
