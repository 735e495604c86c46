"""Right kernels of which each flag and each barrier is left out in turn: each time the emulator tells."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable

import pytest

from qsfa_codegen.emulator.launch import KernelType, Outcome
from tests.emulator.launching import given, run, wanted, workspace

UNIT = "mutants.cpp"
SEEDS = (None, 1, 2)
CHAIN = (1, 2, 3, 4, 5, 7, 8, 9)
WRITES_WHAT_WAS_READ = 6  # the barrier before a vector instruction that writes what the one before it reads
PING_PONG = range(1, 12)


def chain(without: int, seed: int | None) -> Outcome:
    return run(
        UNIT,
        "chain",
        given("x", struct.pack("320f", *([0.5] * 320))),
        wanted("y", 1280),
        given("without", struct.pack("i", without)),
        seed=seed,
    )


def ping_pong(without: int, seed: int | None) -> Outcome:
    draw = random.Random(2)
    operands = [struct.pack("768e", *(draw.randrange(-4, 5) for _ in range(768))) for _ in "ab"]
    return run(
        UNIT,
        "ping_pong",
        given("a", operands[0]),
        given("b", operands[1]),
        wanted("out", 3 * 1024),
        workspace(1024),
        given("without", struct.pack("i", without)),
        type=KernelType.MIX_1_2,
        seed=seed,
    )


def mistakes(outcome: Outcome) -> set[str]:
    return {finding.code for finding in outcome.report.findings if finding.severity == "error"}


@pytest.mark.parametrize("kernel", [chain, ping_pong])
def test_nothing_is_found_where_nothing_is_left_out(kernel: Callable[[int, int | None], Outcome]) -> None:
    outcomes = [kernel(0, seed) for seed in (*SEEDS, 3, 4, 5)]
    assert [outcome.report.findings for outcome in outcomes] == [()] * 6
    assert len({tuple(outcome.outputs.items()) for outcome in outcomes}) == 1


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("without", CHAIN)
def test_an_order_of_vector_code_is_left_out(without: int, seed: int | None) -> None:
    assert "race" in mistakes(chain(without, seed))


def test_a_write_after_a_read_of_the_same_pipe_is_a_warning() -> None:
    found = chain(WRITES_WHAT_WAS_READ, None).report.findings
    assert [(finding.code, finding.severity) for finding in found] == [("race", "warning")]
    assert "PipeBarrier<PIPE_V>" in found[0].help


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("without", PING_PONG)
def test_an_order_of_three_cores_is_left_out(without: int, seed: int | None) -> None:
    assert "race" in mistakes(ping_pong(without, seed))
