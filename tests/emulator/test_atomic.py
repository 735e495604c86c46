"""Atomic writes to GM: sums and extremes of all types, and the order that they need."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from qsfa_codegen.emulator.launch import KernelType, Outcome, Role, Tensor
from tests.emulator.launching import given, line, only, run
from tests.emulator.ops import formats

UNIT = "atomic.cpp"
COUNT, ROWS, CORES = 64, 3, 4
SEEDS = (None, 1, 2, 3)
FLOATING = ("float", "half", "bfloat16")
INTEGERS = ("int32", "int16", "int8")
COMBINE = {"add": np.add, "max": np.maximum, "min": np.minimum}

Numbers = NDArray[Any]


def packed(kind: str, values: Numbers) -> bytes:
    """Small whole numbers as elements of the type."""
    if kind in ("half", "bfloat16"):
        return formats.encode(kind, values.astype(np.float64)).tobytes()
    return values.astype({"float": np.float32}.get(kind, kind)).tobytes()


def launched(kernel: str, kind: str = "float", seed: int | None = None, **more: Any) -> Outcome:
    rng = np.random.default_rng(3)
    x = rng.integers(-9, 10, CORES * COUNT)
    z = Tensor("z", Role.INOUT, packed(kind, np.arange((2 * ROWS - 1) * COUNT) % 8))
    return run(UNIT, kernel, given("x", packed(kind, x)), z, seed=seed, **more)


@pytest.mark.parametrize("seed", SEEDS[:2])
@pytest.mark.parametrize("kind", [*FLOATING, *INTEGERS])
@pytest.mark.parametrize("operation", COMBINE)
def test_cores_write_in_any_order(operation: str, kind: str, seed: int | None) -> None:
    done = launched(f"{operation}_{kind}", kind, seed, block_dim=CORES)
    assert done.report.findings == ()
    rows = np.random.default_rng(3).integers(-9, 10, (CORES, COUNT))
    expected = (np.arange((2 * ROWS - 1) * COUNT) % 8).reshape(-1, COUNT)
    for row in rows:
        for place in (0, 2, 4):
            expected[place] = COMBINE[operation](expected[place], row)
    assert done.outputs["z"] == packed(kind, expected.ravel())


def test_the_type_is_the_one_that_was_set() -> None:
    finding = only(launched("another_type", "int32"))
    assert (finding.code, finding.at.line) == ("limit", line(UNIT, "another_type"))
    assert "elements of 4 bytes that are not float, for which atomic writes are set" in finding.message


@pytest.mark.parametrize("seed", SEEDS)
def test_a_store_and_an_add_need_an_order(seed: int | None) -> None:
    found = launched("stored_and_added", seed=seed, block_dim=2).report.findings
    mark = line(UNIT, "stored_and_added")
    assert {(f.code, f.at.line, f.other.line) for f in found} == {("race", mark, mark)}


@pytest.mark.parametrize("seed", [*SEEDS, *range(4, 12)])
def test_a_reader_waits_for_every_core_that_adds(seed: int | None) -> None:
    found = launched("read_before_all", seed=seed, type=KernelType.MIX_1_2, block_dim=2).report.findings
    places = {frozenset((f.at.line, f.other.line)) for f in found if f.code == "race"}
    assert places == {frozenset((line(UNIT, "added"), line(UNIT, "read_before_all")))}
