"""Known kernels for Ascend 950: right results and counts, nothing found, in whatever order the pipes run."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from qsfa_codegen.emulator.launch import KernelType, Outcome, Tensor
from tests.emulator.launching import given, run, wanted
from tests.emulator.ops import formats

UNIT = "arch35.cpp"
SEEDS = (None, 1, 2, 3)
RNG = np.random.default_rng(35)


def launched(kernel: str, *tensors: Tensor, **options: Any) -> Outcome:
    done = run(UNIT, kernel, *tensors, on="A5", **options)
    assert done.report.findings == ()
    assert done.report.complete
    return done


@pytest.mark.parametrize("kernel", ["add_registers", "add_in_scope"])
@pytest.mark.parametrize("seed", SEEDS)
def test_vector_add_with_registers(kernel: str, seed: int | None) -> None:
    x, y = RNG.standard_normal((2, 2000)).astype(np.float32)
    done = launched(
        kernel,
        given("x", x.tobytes()),
        given("y", y.tobytes()),
        wanted("z", 8000),
        block_dim=2,
        seed=seed,
        trace=True,
    )
    assert np.array_equal(np.frombuffer(done.outputs["z"], np.float32), x + y)
    counts = done.report.cores["aiv0"]
    assert counts.instructions["V"] == 1
    assert counts.registers == 5 * 16  # mask, two loads, sum, store
    assert counts.busy["V"] == 6 + 5 * 16
    spans = [event for event in json.loads(done.trace)["traceEvents"] if event["ph"] == "X"]
    assert [span["args"]["registers"] for span in spans if "registers" in span["args"]] == [5 * 16] * 2


ROWS, ROW, GROUP = 8, 512, 128


def widened(kind: str, codes: NDArray[np.uint8]) -> NDArray[np.float64]:
    if kind == "int8":
        return codes.view(np.int8).astype(np.float64)
    return formats.decode(kind, codes)


def dequantised(kind: str, codes: NDArray[np.uint8], scales: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Codes of bfloat16: a product of floats, which is rounded once, and then to the narrower format."""
    exact = widened(kind, codes).reshape(ROWS, -1, GROUP) * scales[:, :, None].astype(np.float64)
    product = exact.astype(np.float32).astype(np.float64)
    return formats.encode("bfloat16", product.reshape(ROWS, ROW)).astype(np.uint16)


@pytest.mark.parametrize(
    ("kind", "layout"),
    [
        ("int8", "dequantise"),
        ("float8", "dequantise"),
        ("hifloat8", "dequantise"),
        ("float8", "columns"),  # casts of whole registers; int8 has none to float
        ("hifloat8", "columns"),
    ],
)
def test_rows_are_dequantised(kind: str, layout: str) -> None:
    kernel = f"{layout}_float8_e4m3" if kind == "float8" else f"{layout}_{kind}"
    numbers = [c for c in range(256) if np.isfinite(widened(kind, np.array([c], np.uint8)))[0]]
    codes = RNG.choice(numbers, (ROWS, ROW)).astype(np.uint8)
    scales = RNG.uniform(0.001, 2, (ROWS, ROW // GROUP)).astype(np.float32)
    data = np.concatenate([codes, scales.view(np.uint8)], axis=1)
    done = launched(kernel, given("x", data.tobytes()), wanted("y", 2 * ROWS * ROW))
    result = np.frombuffer(done.outputs["y"], np.uint16)
    if layout == "columns":
        result = result.reshape(ROW // 16, ROWS, 16).transpose(1, 0, 2)
    assert np.array_equal(result.reshape(ROWS, ROW), dequantised(kind, codes, scales))


M, N, K, TURNS = 32, 48, 64, 3


def operands() -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(48)
    return rng.integers(-8, 9, (M, K)) / 4, rng.integers(-8, 9, (K, N)) / 4, rng.integers(-4, 5, (N, M)) / 2


def chain(without: int, seed: int | None) -> Outcome:
    """relu(a · b) · d, with one order left out."""
    inputs = [given(name, x.astype(np.float16).tobytes()) for name, x in zip("abd", operands(), strict=True)]
    return run(
        UNIT,
        "matmul_relu_matmul",
        *inputs,
        wanted("c", 4 * M * M * TURNS),
        given("without", np.int32(without).tobytes()),
        type=KernelType.MIX_1_2,
        seed=seed,
        on="A5",
    )


@pytest.mark.parametrize("seed", [*SEEDS, 4, 5, 6])
def test_a_result_goes_to_both_vector_cores_and_back_to_l1(seed: int | None) -> None:
    a, b, d = operands()
    middle = np.maximum(a @ b, 0).astype(np.float16).astype(np.float64)
    done = chain(-1, seed)
    assert done.report.findings == ()
    result = np.frombuffer(done.outputs["c"], np.float32).reshape(TURNS, M, M)
    assert np.array_equal(result, np.stack([(middle @ d).astype(np.float32)] * TURNS))
    cube = done.report.cores["aic0"]
    assert cube.bytes["l0c_ub"] == 4 * M * N * TURNS
    assert cube.moves["l0c_ub"] == TURNS
    assert cube.bytes["l1_l0a"] == 2 * (M * K + M * N) * TURNS
    loads = 2 * M * K, 2 * K * N, 2 * M * N, 2 * N * M  # L0A and L0B at the same rate
    assert cube.busy["MTE1"] == TURNS * (4 * 20 + sum(loads) // 256)
    for name in ("aiv0", "aiv1"):
        vector = done.report.cores[name]
        assert vector.bytes == {"ub_l1": M * N * TURNS}
        assert vector.bursts == {"ub_l1": N // 16 * TURNS}
        assert vector.instructions["V"] == TURNS


READY = (0, 2)
FREE = (1, 3)
EVENTS = {"MTE2_MTE1": 100, "MTE1_M": 102, "M_MTE1": 103, "V_MTE3": 107, "M_FIX": 117, "FIX_M": 118}
MTE3_V = 106


@pytest.mark.parametrize("seed", [None, 1])
@pytest.mark.parametrize("without", [*READY, *EVENTS.values()])
def test_an_order_of_the_chain_is_left_out(without: int, seed: int | None) -> None:
    assert "race" in {f.code for f in chain(without, seed).report.findings if f.severity == "error"}


@pytest.mark.parametrize("seed", [None, 1])
@pytest.mark.parametrize("without", [*FREE, MTE3_V])
def test_an_order_that_the_others_imply_is_not_missed(without: int, seed: int | None) -> None:
    assert chain(without, seed).report.findings == ()


LANDING = 16384


def part_of(product: NDArray[Any], layout: str, kind: str, stride: int) -> NDArray[Any]:
    """What stands in the UB of a vector core that a matrix went to, with zeros elsewhere."""
    flat = np.zeros(LANDING // np.dtype(kind).itemsize, kind)
    rows, columns = product.shape
    for row, column in np.ndindex(rows, columns):
        place = row * stride + column if layout == "rows" else column // 16 * stride + row * 16 + column % 16
        flat[place] = product[row, column]
    return flat


def put_out(
    kernel: str, a: NDArray[Any], b: NDArray[Any], part: tuple[int, ...], seed: int | None = None
) -> Outcome:
    return run(
        UNIT,
        kernel,
        *(given(name, x.astype(np.float16).tobytes()) for name, x in (("a", a), ("b", b))),
        given("part", np.array(part, np.int32).tobytes()),
        wanted("landing", 2 * LANDING),
        type=KernelType.MIX_1_2,
        seed=seed,
        on="A5",
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_unit_flags_order_mmad_and_fixpipe_to_ub(seed: int | None) -> None:
    a, b, _ = operands()
    done = put_out("part_rows_float", a, b, (N, M, N, 1, 0, 0, 3), seed)
    assert done.report.findings == ()
    landing = np.frombuffer(done.outputs["landing"], np.float32).reshape(2, -1)[:, : M // 2 * N]
    assert np.array_equal(landing.reshape(M, N), a @ b)
    half = put_out("part_rows_float", a, b, (N, M // 2, N, 0, 0, 0, 3), seed)
    assert {finding.code for finding in half.report.findings} == {"unbalanced-flag"}


@settings(max_examples=12, deadline=None)
@drawn(
    layout=st.sampled_from(["rows", "nz"]),
    kind=st.sampled_from(["float", "half"]),
    targets=st.integers(0, 2),
    second=st.booleans(),
    relu=st.booleans(),
    m=st.integers(1, M // 2),
    n=st.integers(1, N // 16),
    gap=st.integers(0, 3),
)
def test_parts_of_a_product_go_to_ub(
    layout: str, kind: str, targets: int, second: bool, relu: bool, m: int, n: int, gap: int
) -> None:
    rng = np.random.default_rng(m)
    a, b = rng.integers(-8, 9, (M, K)) / 4, rng.integers(-8, 9, (K, N)) / 4
    if targets != 0:
        kind, relu = "float", False
    rows, columns = (2 * m, 16 * n) if targets < 2 else (m, 32)
    dtype = {"float": "f4", "half": "f2"}[kind]
    stride = (columns if layout == "rows" else 16 * rows) + 16 * gap
    done = put_out(f"part_{layout}_{kind}", a, b, (columns, rows, stride, targets, second, relu, 0))
    assert done.report.findings == ()
    product = (a @ b)[:rows, :columns]
    product = np.maximum(product, 0) if relu else product
    if targets == 0:
        halves = [product[:0], product] if second else [product, product[:0]]
    else:
        halves = np.split(product, 2, axis=targets - 1)
    expected = [part_of(half, layout, dtype, stride) for half in halves]
    assert np.array_equal(np.frombuffer(done.outputs["landing"], dtype).reshape(2, -1), expected)
    assert done.report.cores["aic0"].bytes["l0c_ub"] == rows * columns * np.dtype(dtype).itemsize


@pytest.mark.parametrize("seed", SEEDS)
def test_buffers_of_tpipe_are_the_same_for_both_kinds_of_cores(seed: int | None) -> None:
    rng = np.random.default_rng(5)
    a, b = rng.integers(-8, 9, (2, 16, 16))
    x = np.stack([a, b.T]).astype(np.float16)  # the right operand lies as L0B wants it
    done = launched(
        "shared_buffers", given("x", x.tobytes()), wanted("y", 1024), type=KernelType.MIX_1_2, seed=seed
    )
    assert np.array_equal(np.frombuffer(done.outputs["y"], np.float32).reshape(16, 16), a @ b)


@pytest.mark.parametrize("seed", SEEDS)
def test_vector_instructions_are_in_order_without_barriers(seed: int | None) -> None:
    x = np.arange(256, dtype=np.float32)
    done = launched("vector_order", given("x", x.tobytes()), wanted("y", 1024), seed=seed)
    assert np.array_equal(np.frombuffer(done.outputs["y"], np.float32), (x + 1) * 2)
    older = run(UNIT, "vector_order", given("x", x.tobytes()), wanted("y", 1024), seed=seed, on="A2")
    assert {finding.code for finding in older.report.findings} == {"race"}
