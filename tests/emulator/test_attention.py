"""The steps of sparse attention over a quantised cache, in the strided forms that a fast kernel takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from qsfa_codegen.emulator.launch import KernelType
from tests.emulator.launching import given, run, wanted
from tests.emulator.ops import formats

UNIT = "attention.cpp"
NOPE, ROPE, SLOT, ROW = 512, 64, 64, 656
HEADS, TILE = 32, 128
QUERIES = 32
SEEDS = (None, 1)

Numbers = NDArray[Any]


def columns(matrix: Numbers) -> Numbers:
    """Rows in columns of 16 elements, one column after the other."""
    return matrix.reshape(matrix.shape[0], -1, 16).transpose(1, 0, 2)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("kind", "mode"), [("half", formats.ROUND), ("bfloat16", formats.RINT)])
def test_a_slot_of_dequantised_rows(kind: str, mode: int, seed: int | None) -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(-128, 128, (SLOT, NOPE), np.int8)
    scales = rng.uniform(0.001, 0.1, (SLOT, 4)).astype(np.float32)
    rope = rng.integers(0, 0x3C00, (SLOT, ROPE), np.uint16)  # finite in both types
    rows = b"".join(
        code.tobytes() + turn.tobytes() + scale.tobytes()
        for code, turn, scale in zip(codes, rope, scales, strict=True)
    )
    assert len(rows) == SLOT * ROW
    done = run(UNIT, f"fill_{kind}", given("rows", rows), wanted("slot", SLOT * 2 * (NOPE + ROPE)), seed=seed)
    assert done.report.findings == ()
    products = codes.astype(np.float32) * np.repeat(scales, 128, axis=1)  # one rounding, to float
    expected = np.concatenate([formats.encode(kind, products.astype(np.float64), mode), rope], axis=1)
    assert done.outputs["slot"] == columns(expected).tobytes()
    counts = done.report.cores["aiv0"]
    batches = SLOT // 16
    assert counts.repeats == batches * (16 * (4 + 8 + 8 + 8 + 1) + 16 // 2 + 16 // 8)
    assert counts.instructions["V"] == 13 * batches
    assert counts.vector_barriers == 3 * batches


@pytest.mark.parametrize("seed", SEEDS)
def test_softmax_of_a_tile(seed: int | None) -> None:
    rng = np.random.default_rng(2)
    scores = rng.normal(0, 20, (HEADS, TILE)).astype(np.float32)
    done = run(
        UNIT,
        "softmax_tile",
        given("scores", scores.tobytes()),
        wanted("p", 2 * HEADS * TILE),
        wanted("maxima", 4 * HEADS),
        wanted("sums", 4 * HEADS),
        seed=seed,
    )
    assert done.report.findings == ()
    most = scores.max(axis=1) * np.float32(0.125)
    assert np.array_equal(np.frombuffer(done.outputs["maxima"], np.float32), -most)
    # exact in double, then one rounding: a product and a sum of floats
    shifted = (scores.astype(np.float64) * 0.125 - most[:, None].astype(np.float64)).astype(np.float32)
    powers = np.exp(shifted.astype(np.float64)).astype(np.float32)
    p = formats.encode("half", powers.astype(np.float64), formats.RINT)
    assert done.outputs["p"] == columns(p).tobytes()
    sums = np.frombuffer(done.outputs["sums"], np.float32)
    assert np.allclose(sums, powers.astype(np.float64).sum(axis=1), rtol=1e-6, atol=0)


def operands() -> tuple[Numbers, Numbers, Numbers]:
    """Q, P and the rows of a slot; small numbers, so that all sums are exact."""
    rng = np.random.default_rng(3)
    shapes = (QUERIES, NOPE + ROPE), (QUERIES, SLOT), (SLOT, NOPE + ROPE)
    q, p, k = (rng.integers(-8, 9, shape).astype(np.float16) / np.float16(4) for shape in shapes)
    return q, p, k


def products(kernel: str, size: int, seed: int | None) -> tuple[Numbers, Numbers]:
    q, p, k = operands()
    tensors = given("q", q.tobytes()), given("p", columns(p).tobytes()), given("slot", columns(k).tobytes())
    outputs = wanted("first", 4 * size), wanted("second", 4 * size)
    done = run(UNIT, kernel, *tensors, *outputs, type=KernelType.AIC, seed=seed)
    assert done.report.findings == ()
    first, second = (np.frombuffer(done.outputs[name], np.float32) for name in ("first", "second"))
    return first, second


@pytest.mark.parametrize("seed", SEEDS)
def test_scores_of_a_slot_that_is_left_or_right_operand(seed: int | None) -> None:
    q, _, k = operands()
    expected = q.astype(np.float64) @ k.astype(np.float64).T
    plain, turned = products("scores", QUERIES * SLOT, seed)
    assert np.array_equal(plain.reshape(QUERIES, SLOT), expected)
    assert np.array_equal(turned.reshape(SLOT, QUERIES), expected.T)


@pytest.mark.parametrize("seed", SEEDS)
def test_values_of_the_same_slot_transposed_on_the_way_to_l0(seed: int | None) -> None:
    _, p, k = operands()
    expected = p.astype(np.float64) @ k[:, :NOPE].astype(np.float64)
    sums, turned = products("values", QUERIES * NOPE, seed)
    assert np.array_equal(sums.reshape(NOPE // 16, QUERIES, 16), 2 * columns(expected))
    assert np.array_equal(turned.reshape(NOPE, QUERIES), expected.T)
