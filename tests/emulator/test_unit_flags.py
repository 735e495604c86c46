"""Unit flags of Mmad and Fixpipe: they order the two without events, and amounts that differ are told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from qsfa_codegen.emulator.launch import KernelType, Outcome, Role, Tensor
from tests.emulator.launching import given, line, only, run

UNIT = "unit_flags.cpp"
SIDE, TURNS = 64, 3
SEEDS = (None, *range(8))

Numbers = NDArray[Any]


def left(matrix: Numbers) -> bytes:
    """Rows of fractals, as L0A has them."""
    return matrix.reshape(SIDE // 16, 16, SIDE // 16, 16).transpose(0, 2, 1, 3).astype(np.float16).tobytes()


def right(matrix: Numbers) -> bytes:
    """Rows of fractals, each transposed, as L0B has them."""
    return matrix.reshape(SIDE // 16, 16, SIDE // 16, 16).transpose(0, 2, 3, 1).astype(np.float16).tobytes()


def operands() -> tuple[Numbers, list[Numbers]]:
    rng = np.random.default_rng(5)
    a, *b = (rng.integers(-4, 5, (SIDE, SIDE)) for _ in range(1 + TURNS))
    return a, b


def launched(kernel: str, rows: int = SIDE, seed: int | None = None) -> Outcome:
    a, b = operands()
    c = Tensor("c", Role.INOUT, bytes(4 * TURNS * SIDE * SIDE))
    tensors = (
        given("a", left(a)),
        given("b", b"".join(map(right, b))),
        c,
        given("rows", np.int32(rows).tobytes()),
    )
    return run(UNIT, kernel, *tensors, type=KernelType.AIC, seed=seed)


def results(done: Outcome) -> Numbers:
    return np.frombuffer(done.outputs["c"], np.float32).reshape(TURNS, SIDE, SIDE)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("rows", [SIDE, 40, 17])
def test_no_event_is_needed_where_both_have_unit_flags(rows: int, seed: int | None) -> None:
    done = launched("by_unit_flags", rows, seed)
    assert done.report.findings == ()
    a, b = operands()
    expected = np.zeros((TURNS, SIDE, SIDE))
    for turn in range(TURNS):
        expected[turn, :rows] = 2 * (a @ b[turn])[:rows]
    assert np.array_equal(results(done), expected)
    assert done.report.cores["aic0"].flags == 4 + 6  # of the loads, and of TPipe


@pytest.mark.parametrize("seed", SEEDS[:3])
def test_unit_flags_of_ascend_950(seed: int | None) -> None:
    _, b = operands()
    ones = np.ones((SIDE, SIDE))  # the same in the layouts of all chips
    c = Tensor("c", Role.INOUT, bytes(4 * TURNS * SIDE * SIDE))
    tensors = given("a", left(ones)), given("b", b"".join(map(right, b))), c, given("rows", bytes(4))
    done = run(UNIT, "on_arch35", *tensors, type=KernelType.AIC, seed=seed, on="A5")
    assert done.report.findings == ()
    assert np.array_equal(results(done), np.array([ones @ matrix for matrix in b]))


@pytest.mark.parametrize("seed", SEEDS[:3])
def test_a_result_that_is_put_out_twice(seed: int | None) -> None:
    done = launched("put_twice", seed=seed)
    assert done.report.findings == ()
    a, b = operands()
    assert np.array_equal(results(done), np.array([a @ b[0], a @ b[0], a @ b[1]]))


def test_cycles_do_not_depend_on_the_order() -> None:
    assert len({launched("by_unit_flags", seed=seed).report.cycles for seed in SEEDS}) == 1


def test_fractals_that_nobody_puts_out() -> None:
    finding = only(launched("half_is_left"))
    half = SIDE // 2 * SIDE * 4
    assert (finding.code, finding.at.line, finding.offset) == (
        "unbalanced-flag",
        line(UNIT, "half_is_left"),
        half,
    )
    assert f"the unit flag of bytes {half} to {half + 511} of L0C of aic0 is still set" in finding.message


@pytest.mark.parametrize("seed", SEEDS[:3])
@pytest.mark.parametrize(
    ("kernel", "pipe", "awaited"),
    [
        (
            "half_is_needed",
            "M",
            "a Fixpipe that clears the unit flag of bytes 8192 to 8703 of L0C, set in line",
        ),
        ("too_much", "FIX", "an Mmad that sets the unit flag of bytes 8192 to 8703 of L0C"),
        ("never_flipped", "FIX", "an Mmad that sets the unit flag of bytes 0 to 511 of L0C"),
    ],
)
def test_amounts_that_differ(kernel: str, pipe: str, awaited: str, seed: int | None) -> None:
    finding = only(launched(kernel, seed=seed))
    at = line(UNIT, kernel)
    assert (finding.code, finding.at.line) == ("deadlock", at)
    assert f"{pipe} of aic0 waits in line {at} for {awaited}" in finding.message


@pytest.mark.parametrize("seed", SEEDS[:3])
def test_a_unit_flag_on_one_side_alone(seed: int | None) -> None:
    found = {finding.code: finding for finding in launched("one_sided", seed=seed).report.findings}
    assert found.keys() - {"uninitialised"} == {"race", "unbalanced-flag"}
    places = found["race"].at.line, found["race"].other.line
    assert set(places) == {line(UNIT, "one_sided"), line(UNIT, "one_sided_first")}


def test_the_reserved_value() -> None:
    finding = only(launched("reserved"))
    assert (finding.code, finding.at.line) == ("limit", line(UNIT, "reserved"))
    assert "unitFlag is 1; expected: 0, 2 or 3" in finding.message
