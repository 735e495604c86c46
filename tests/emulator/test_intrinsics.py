"""Kernels that call intrinsics: bytes, counts and findings are those of kernels that call the API."""

from __future__ import annotations

import struct
from random import Random

import pytest

from qsfa_codegen.emulator.launch import KernelType, Outcome, Role, Tensor
from tests.emulator.launching import given, line, only, run, wanted
from tests.emulator.through import run_through

UNIT = "intrinsics.cpp"
SEEDS = (None, 1, 2)


def floats(count: int, seed: int) -> bytes:
    draw = Random(seed)
    return struct.pack(f"{count}f", *(draw.uniform(-8, 8) for _ in range(count)))


def halves(count: int, seed: int) -> bytes:
    draw = Random(seed)
    return struct.pack(f"{count}e", *(draw.randrange(-16, 17) / 4 for _ in range(count)))


def same(ours: Outcome, theirs: Outcome) -> None:
    assert ours.report.findings == theirs.report.findings == ()
    assert ours.report.cores == theirs.report.cores
    assert ours.report.cycles == theirs.report.cycles
    assert ours.outputs == theirs.outputs


CASES: dict[str, tuple[str, KernelType, int, tuple[Tensor, ...]]] = {
    "add_flags": (
        "vector.cpp",
        KernelType.AIV,
        2,
        (given("x", floats(2048, 1)), given("y", floats(2048, 2)), wanted("z", 8192)),
    ),
    "dequantise": (
        "vector.cpp",
        KernelType.AIV,
        1,
        (given("x", bytes(range(256)) * 8), given("scales", floats(16, 3)), wanted("y", 4096)),
    ),
    "matmul": (
        "cube.cpp",
        KernelType.AIC,
        1,
        (given("a", halves(32 * 64, 4)), given("b", halves(64 * 48, 5)), wanted("c", 4 * 32 * 48)),
    ),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kernel", CASES)
def test_the_same_as_through_the_api(kernel: str, seed: int | None) -> None:
    model, type, cores, tensors = CASES[kernel]
    through = run_through(UNIT, kernel, *tensors, type=type, block_dim=cores, seed=seed)
    same(through, run(model, kernel, *tensors, type=type, block_dim=cores, seed=seed))


def test_each_core_has_its_own_global_variables() -> None:
    done = run_through(UNIT, "own_globals", Tensor("z", Role.INOUT, bytes(3 * 64)), block_dim=3)
    assert [done.outputs["z"][64 * core] for core in range(3)] == [1, 1, 1]


def test_reads_of_the_scalar_unit_are_counted() -> None:
    numbers = [1.5, -2.0, 3.25, 8.0, 0.5, -0.75, 2.0, 4.0]
    done = run_through(UNIT, "scalar_sum", given("x", struct.pack("8f", *numbers)), wanted("z", 4))
    assert done.report.findings == ()
    assert struct.unpack("f", done.outputs["z"]) == (sum(numbers),)
    counts = done.report.cores["aiv0"]
    assert (counts.scalar_gm_reads, counts.instructions) == (9, {"S": 9})  # one of them writes


@pytest.mark.parametrize(
    ("kernel", "other"),
    [("not_waited", "copied"), ("read_too_early", "added")],
)
def test_a_race_is_found_with_its_lines(kernel: str, other: str) -> None:
    done = run_through(UNIT, kernel, given("x", floats(64, 6)), Tensor("z", Role.INOUT, bytes(256)))
    found = only(done)
    assert (found.code, found.at.file, found.at.line) == ("race", UNIT, line(UNIT, kernel))
    assert (found.other.file, found.other.line) == (UNIT, line(UNIT, other))


def test_a_buffer_ends_where_the_headers_say() -> None:
    found = only(run_through(UNIT, "past_a_buffer", given("x", floats(64, 7)), wanted("z", 4)))
    assert (found.code, found.at.line, found.offset) == ("out-of-bounds", line(UNIT, "past_a_buffer"), 768)


def test_an_intrinsic_that_is_not_emulated() -> None:
    found = only(run_through(UNIT, "not_emulated", given("x", floats(8, 8)), wanted("z", 4)))
    assert (found.code, found.at.line) == ("limit", line(UNIT, "not_emulated"))
    assert "vnchwconv_of_another_chip(float*, float*), which is not emulated" in found.message


def test_what_the_headers_refuse() -> None:
    found = only(run_through(UNIT, "refused", given("x", floats(8, 9)), wanted("z", 4)))
    assert (found.code, found.at.line) == ("limit", line(UNIT, "refused"))
    assert found.message == "the toolkit's headers refuse the call: the mask is 0"
