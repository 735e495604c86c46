"""Cube cores, and cores together: results, counts, races and deadlocks between cores."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence

import numpy as np
import pytest

from qsfa_codegen.emulator.launch import KernelType, Outcome, Role, Tensor
from tests.emulator.launching import given, line, only, run, wanted, workspace
from tests.emulator.ops import formats

UNIT = "cube.cpp"
M, N, K = 32, 48, 64
TURNS = 3
SEEDS = (None, 1, 2, 3)


def halves(values: Sequence[float]) -> bytes:
    return struct.pack(f"{len(values)}e", *values)


def unpacked(data: bytes) -> list[float]:
    return list(struct.unpack(f"{len(data) // 4}f", data))


def operands() -> tuple[list[float], list[float]]:
    draw = random.Random(3)
    a = [draw.randrange(-16, 17) / 4 for _ in range(M * K)]
    b = [draw.randrange(-16, 17) / 8 for _ in range(K * N)]
    return a, b


def product() -> list[float]:
    """A · B, row by row; exact, as all terms are multiples of 1/32."""
    a, b = operands()
    return [sum(a[i * K + k] * b[k * N + j] for k in range(K)) for i in range(M) for j in range(N)]


def launched(
    kernel: str, type: KernelType = KernelType.AIC, seed: int | None = None, turns: int = 1
) -> Outcome:
    a, b = operands()
    return run(
        UNIT,
        kernel,
        given("a", halves(a)),
        given("b", halves(b)),
        wanted("c", 4 * M * N * turns),
        workspace(4 * M * N),
        type=type,
        seed=seed,
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_matmul_through_l1_and_l0(seed: int | None) -> None:
    done = launched("matmul", seed=seed)
    assert done.report.findings == ()
    assert unpacked(done.outputs["c"]) == product()
    counts = done.report.cores["aic0"]
    assert counts.macs == M * N * K
    assert counts.bytes == {
        "gm_l1": 2 * (M * K + K * N),
        "l1_l0a": 2 * M * K,
        "l1_l0b": 2 * K * N,
        "l0c_gm": 4 * M * N,
    }
    assert counts.instructions == {"M": 1, "MTE1": M // 16 + K // 16, "MTE2": 2, "FIX": 1}


def test_a_matrix_of_constants() -> None:
    a, _ = operands()
    done = launched("constants")
    sums = [sum(a[i * K : (i + 1) * K]) for i in range(M)]
    expected = [s * (1.0 if j < N - 16 else 3.0) for s in sums for j in range(N)]
    assert unpacked(done.outputs["c"]) == expected
    overwritten = only(done)  # the first fill is not ordered against what LoadData put there
    assert (overwritten.code, overwritten.pipe) == ("race", "MTE1")


def test_atomic_adds_are_in_any_order() -> None:
    a, b = operands()
    start = [float(i) for i in range(M * N)]
    c = Tensor("c", Role.INOUT, struct.pack(f"{M * N}f", *start))
    done = run(UNIT, "matmul_atomic", given("a", halves(a)), given("b", halves(b)), c, type=KernelType.AIC)
    assert done.report.findings == ()
    assert unpacked(done.outputs["c"]) == [s + 2 * p for s, p in zip(start, product(), strict=True)]


@pytest.mark.parametrize("kind", ["half", "bfloat16"])
def test_atomic_adds_of_narrow_results(kind: str) -> None:
    a, b = operands()
    start = np.arange(M * N) % 16
    held = formats.encode(kind, start.astype(np.float64))
    c = Tensor("c", Role.INOUT, held.tobytes())
    tensors = given("a", halves(a)), given("b", halves(b)), c
    done = run(UNIT, f"matmul_atomic_{kind}", *tensors, type=KernelType.AIC)
    assert done.report.findings == ()
    rounded = formats.decode(kind, formats.encode(kind, np.array(product())))
    expected = formats.encode(kind, start + rounded)
    assert done.outputs["c"] == expected.tobytes()


@pytest.mark.parametrize("seed", SEEDS)
def test_matmul_and_relu_on_three_cores(seed: int | None) -> None:
    done = launched("matmul_relu", KernelType.MIX_1_2, seed, TURNS)
    assert done.report.findings == ()
    assert done.report.complete
    assert unpacked(done.outputs["c"]) == [max(0.0, p) for p in product()] * TURNS


def neighbours(type: KernelType, block_dim: int, seed: int | None = None) -> Outcome:
    return run(
        UNIT, "neighbours", wanted("out", 256), workspace(256), type=type, block_dim=block_dim, seed=seed
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("type", "block_dim"), [(KernelType.MIX_1_2, 4), (KernelType.MIX_AIV_1_0, 8)])
def test_sync_all_orders_every_core(type: KernelType, block_dim: int, seed: int | None) -> None:
    done = neighbours(type, block_dim, seed)
    assert done.report.findings == ()
    assert unpacked(done.outputs["out"]) == [float((core + 1) % 8) for core in range(8) for _ in range(8)]


def test_cores_of_a_kernel_without_mix_cannot_wait_for_each_other() -> None:
    finding = only(neighbours(KernelType.AIV, 8))
    assert (finding.code, finding.instruction) == ("no-cross-core-flags", "CrossCoreSetFlag")
    assert "MIX_AIV_1_0" in finding.help


@pytest.mark.parametrize("seed", SEEDS)
def test_a_tile_is_overwritten_before_it_is_read(seed: int | None) -> None:
    races = list(launched("tile_overwritten", KernelType.MIX_1_2, seed, TURNS).report.findings)
    places = {frozenset((f.at.line, f.other.line)) for f in races if f.code == "race"}
    assert frozenset((line(UNIT, "fixpipe"), line(UNIT, "taken"))) in places
    assert all("CrossCoreSetFlag" in f.help for f in races if f.buffer == "workspace" and f.at != f.other)


def test_fixpipe_before_mmad_is_done() -> None:
    finding = only(launched("result_too_early"))
    assert (finding.code, finding.at.line, finding.pipe) == ("race", line(UNIT, "fixpipe"), "FIX")
    assert "SetFlag<HardEvent::M_FIX>" in finding.help


def test_small_products_need_a_barrier() -> None:
    finding = only(launched("small_products"))
    assert (finding.code, finding.at.line) == ("race", line(UNIT, "small_products"))
    assert "PipeBarrier<PIPE_M>()" in finding.help


def test_a_vector_core_has_no_cube_pipe() -> None:
    finding = only(launched("cube_on_vector", KernelType.MIX_1_1))
    assert (finding.code, finding.core, finding.at.line) == (
        "no-such-pipe",
        "aiv0",
        line(UNIT, "cube_on_vector"),
    )


def test_l0a_is_full() -> None:
    finding = only(launched("too_large_for_l0"))
    assert (finding.code, finding.buffer, finding.offset) == ("capacity", "L0A of aic0", 32768)


def test_a_flag_of_one_vector_core_of_two() -> None:
    finding = only(launched("half_a_flag", KernelType.MIX_1_2))
    assert (finding.code, finding.at.line) == ("deadlock", line(UNIT, "half_a_flag"))
    assert "for cross-core flag 3" in finding.message


def test_a_cross_core_flag_that_is_left() -> None:
    found = launched("flag_nobody_waits_for", KernelType.MIX_1_2, turns=0).report.findings
    assert {f.code for f in found} == {"unbalanced-flag"}
    assert {f.at.line for f in found} == {line(UNIT, "flag_nobody_waits_for")}


def test_a_cross_core_flag_counts_to_fifteen() -> None:
    found = launched("flag_overflow", KernelType.MIX_1_2, turns=0).report.findings
    assert {(f.code, f.at.line) for f in found} == {("flag-overflow", line(UNIT, "flag_overflow"))}


@pytest.mark.parametrize("seed", SEEDS)
def test_sync_all_of_cube_and_vector_cores(seed: int | None) -> None:
    done = launched("matmul_then_all", KernelType.MIX_1_2, seed)
    assert done.report.findings == ()
    assert unpacked(done.outputs["c"]) == product()


def exchanged(kernel: str, seed: int | None) -> Outcome:
    shared = Tensor("shared", Role.INOUT, struct.pack("16i", *range(16)))
    return run(UNIT, kernel, shared, type=KernelType.MIX_1_2, seed=seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_number_passed_by_scalar_units(seed: int | None) -> None:
    done = exchanged("number_passed", seed)
    assert done.report.findings == ()
    assert struct.unpack_from("2i", done.outputs["shared"]) == (5, 5)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_number_that_stays_in_the_cache_of_its_writer(seed: int | None) -> None:
    finding = only(exchanged("number_kept_back", seed))
    assert (finding.code, finding.core, finding.buffer) == ("not-written-back", "aiv1", "shared")
    assert (finding.at.line, finding.other.line) == (line(UNIT, "number_read"), line(UNIT, "number_written"))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_number_that_is_old_in_the_cache_of_its_reader(seed: int | None) -> None:
    finding = only(exchanged("number_stale", seed))
    assert (finding.code, finding.core, finding.buffer) == ("stale-cache", "aiv1", "shared")
    assert (finding.at.line, finding.other.line) == (line(UNIT, "number_read"), line(UNIT, "number_written"))
