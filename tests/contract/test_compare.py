"""What counts as a disagreement of two engines."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from qsfa_codegen.contract.calls import Result, Stage, TensorArg, TilingResult, Violation
from qsfa_codegen.contract.compare import disagreements

TILING = TilingResult(7, 5, 1, (16,), {"base": {"rows": 2}, "cols": 3}, b"\x02\x03")
OK = Result("x", outputs={"y": TensorArg("int8", (2, 3))}, tiling=TILING)
ONE, TWO = Violation("one", "a", "a is 1"), Violation("two", "b", "b is 2")
REJECTED = Result("x", stage=Stage.TILING, violations=(ONE, TWO))


def found(python: Result, cpp: Result) -> list[str]:
    return list(disagreements(python, cpp))


def test_equal_results_agree() -> None:
    assert found(OK, OK) == []
    assert found(REJECTED, REJECTED) == []


@pytest.mark.parametrize("violation", [ONE, replace(TWO, message="in other words", parameter="")])
def test_one_of_the_violations_is_enough(violation: Violation) -> None:
    assert found(REJECTED, replace(REJECTED, violations=(violation,), stage=Stage.INFER)) == []


def test_a_violation_that_the_contract_does_not_have() -> None:
    other = Result("x", stage=Stage.TILING, violations=(Violation("three", "c", "c is 3"),))
    assert found(REJECTED, other) == [
        "violation: python rejected for one (a is 1), two (b is 2), cpp rejected for three (c is 3)"
    ]


def test_status() -> None:
    assert found(OK, REJECTED) == ["status: python ok, cpp rejected for one (a is 1), two (b is 2)"]
    assert found(REJECTED, OK) == ["status: python rejected for one (a is 1), two (b is 2), cpp ok"]


def test_a_fault_is_all_there_is_to_say() -> None:
    assert found(OK, Result("x", fault="crashed")) == ["cpp: crashed"]
    assert found(REJECTED, Result("x", fault="crashed")) == ["cpp: crashed"]


def test_outputs() -> None:
    assert found(OK, replace(OK, outputs={"y": TensorArg("int8", (2, 4))})) == [
        "outputs.y: python int8 [2, 3], cpp int8 [2, 4]"
    ]
    assert found(OK, replace(OK, outputs={"z": TensorArg("bool", ())})) == [
        "outputs.y: python int8 [2, 3], cpp nothing",
        "outputs.z: python nothing, cpp bool []",
    ]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"key": 8}, "tiling.key: python 7, cpp 8"),
        ({"key": None}, "tiling.key: python 7, cpp nothing"),
        ({"block_dim": 6}, "tiling.block_dim: python 5, cpp 6"),
        ({"schedule_mode": 0}, "tiling.schedule_mode: python 1, cpp 0"),
        ({"workspace": (16, 0)}, "tiling.workspace: python [16], cpp [16, 0]"),
        (
            {"bytes": b"\x03\x03", "data": {"base": {"rows": 3}, "cols": 3}},
            "tiling.bytes: base.rows python 2, cpp 3",
        ),
        ({"bytes": b"\x02\x03\x01"}, "tiling.bytes: python 0203, cpp 020301"),
    ],
)
def test_tiling(change: dict[str, object], words: str) -> None:
    assert found(OK, replace(OK, tiling=replace(TILING, **change))) == [words]


def test_no_tiling() -> None:
    assert found(OK, replace(OK, tiling=None)) == ["tiling: python a tiling, cpp nothing"]
