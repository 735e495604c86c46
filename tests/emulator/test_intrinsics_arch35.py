"""Kernels that call intrinsics of Ascend 950: a vector function is one instruction, what is wrong is told."""

from __future__ import annotations

import numpy as np
import pytest

from qsfa_codegen.emulator.launch import Outcome, Role, Tensor
from tests.emulator.launching import given, only, wanted
from tests.emulator.through import run_through

UNIT = "intrinsics_arch35.cpp"
COUNT = 1000
RNG = np.random.default_rng(950)
X, Y = RNG.standard_normal((2, 2 * COUNT)).astype(np.float32)


def added(kernel: str, seed: int | None = None) -> Outcome:
    tensors = (given("x", X.tobytes()), given("y", Y.tobytes()), wanted("z", X.nbytes))
    return run_through(UNIT, kernel, *tensors, on="A5", block_dim=2, seed=seed)


@pytest.mark.parametrize("seed", [None, 1])
def test_a_vector_function_is_one_instruction(seed: int | None) -> None:
    done = added("add_all", seed)
    assert done.report.findings == ()
    assert np.array_equal(np.frombuffer(done.outputs["z"], np.float32), X + Y)
    counts = done.report.cores["aiv1"]
    assert counts.instructions["V"] == 1
    assert counts.registers == 5 * 16  # mask, two loads, sum, store


def test_an_element_without_a_value_is_told() -> None:
    told = {finding.code for finding in added("add_more").report.findings}
    assert told == {"uninitialised"}


def test_what_is_squeezed_is_stored_without_gaps() -> None:
    kept = X[:COUNT][X[:COUNT] > 0]
    out = Tensor("out", Role.INOUT, bytes(4 * COUNT))
    done = run_through(UNIT, "keep_positive", given("x", X[:COUNT].tobytes()), out, on="A5")
    assert done.report.findings == ()
    values = np.frombuffer(done.outputs["out"], np.float32)
    assert np.array_equal(values[: len(kept)], kept)
    assert not values[len(kept) :].any()


def test_an_intrinsic_that_is_not_emulated() -> None:
    finding = only(run_through(UNIT, "other", given("x", bytes(4)), on="A5"))
    assert finding.code == "limit"
    assert "vtranspose" in finding.message
    assert "which is not emulated" in finding.message
