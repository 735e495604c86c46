"""The bound of errors: what has just the roundings of a kernel keeps to it, what has a fault does not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from qsfa_codegen.reference.elements import Floats, half_bytes, round_to
from qsfa_codegen.reference.sparse_mla import (
    Problem,
    Row,
    attend,
    attended,
    keys_of,
    query_places,
    token_rows,
)
from qsfa_codegen.reference.sparse_mla_bound import max_bound, out_bound, sum_bound
from qsfa_codegen.reference.sparse_mla_data import numbers, random_indices, random_rows

Singles = NDArray[np.float32]
ROW = Row(512, 128, 64, (0, 512, 640))
_LOWEST = np.float32(-2e38)
_LEAST_NORMAL = np.float32(2.0**-126)
"""Vector cores may take smaller numbers for zeros."""


@dataclass(frozen=True)
class Kernel:
    """How it is computed: in tiles of so many tokens; a tile ``slack`` above the reference moves it."""

    tile: int
    slack: float
    drops: int = 0  # the last tokens of a row are forgotten


def problem(seed: int, half: str, tokens: int, heads: int, scale: float) -> Problem:
    random = np.random.default_rng(seed)
    return Problem(
        query=numbers(random, half, 1, 2, heads, 576),
        cache=random_rows(random, tokens, "int8", half, ROW)[None],
        indices=np.array([[random_indices(random, tokens, tokens, tokens) for _ in range(2)]]),
        scale=float(np.float32(scale)),
        row=ROW,
        half=half,
    )


def computed(asked: Problem, kernel: Kernel) -> tuple[Floats, Floats, Floats]:
    """Outputs of the online softmax in float32, with P and the result in the dtype of Q."""
    shape = asked.query.shape[:-1]
    out, peaks, sums = np.zeros((*shape, 512)), np.zeros(shape), np.zeros(shape)
    for place, batch, position in query_places(asked):
        tokens = attended(asked, place, batch, position)
        tokens = tokens[: len(tokens) - kernel.drops]
        if tokens:
            keys = keys_of(asked, token_rows(asked, batch, tokens)).astype(np.float32)
            found = one_row(asked, asked.query[place].astype(np.float32), keys, kernel)
            out[place], peaks[place], sums[place] = found
    return out, peaks, sums


def one_row(asked: Problem, query: Singles, keys: Singles, kernel: Kernel) -> tuple[Floats, Floats, Floats]:
    heads = len(query)
    reference = np.full(heads, _LOWEST)
    peak, total = reference.copy(), np.zeros(heads, np.float32)
    mixed = np.zeros((heads, 512), np.float32)
    for begin in range(0, len(keys), kernel.tile):
        part = keys[begin : begin + kernel.tile]
        logits = (query @ part.T) * np.float32(asked.scale)
        top = logits.max(axis=-1)
        peak = np.maximum(peak, top)
        moved = np.where(top - reference > np.float32(kernel.slack), top, reference)
        factor = np.exp(reference - moved)
        reference = moved
        weights = np.exp(logits - reference[:, None])
        weights[weights < _LEAST_NORMAL] = 0
        total = total * factor + weights.sum(axis=-1)
        rounded = round_to(weights.astype(np.float64), asked.half).astype(np.float32)
        mixed = mixed * factor[:, None] + rounded @ part[:, :512]
    out = round_to((mixed / total[:, None]).astype(np.float64), asked.half)
    return out, peak.astype(np.float64), (total * np.exp(reference - peak)).astype(np.float64)


def shares(asked: Problem, kernel: Kernel) -> list[float]:
    """The largest error of each output, as a part of what the bound allows."""
    answer = attend(asked)
    bounds = (out_bound(asked, answer), max_bound(answer), sum_bound(answer))
    wanted = (answer.out, answer.row_max, answer.row_sum)
    found = computed(asked, kernel)
    return [_share(np.abs(f - w), b) for f, w, b in zip(found, wanted, bounds, strict=True)]


def _share(errors: Floats, bound: Floats) -> float:
    assert not errors[bound == 0].any()
    return float((errors[bound > 0] / bound[bound > 0]).max(initial=0.0))


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 1 << 30),
    half=st.sampled_from(["float16", "bfloat16"]),
    tokens=st.integers(1, 300),
    heads=st.sampled_from([1, 4, 16]),
    scale=st.sampled_from([1 / 24, -1 / 24, 1.0, 0.0, 1e-3]),
    kernel=st.builds(Kernel, st.sampled_from([1, 16, 128]), st.sampled_from([0.0, 8.0])),
)
def test_a_kernel_keeps_to_the_bound(
    seed: int, half: str, tokens: int, heads: int, scale: float, kernel: Kernel
) -> None:
    assert max(shares(problem(seed, half, tokens, heads, scale), kernel)) <= 1


@pytest.mark.parametrize("half", ["float16", "bfloat16"])
def test_the_bound_is_not_far_from_the_errors_of_a_kernel(half: str) -> None:
    """Errors of random numbers add up to less than the worst case, but to a good part of it."""
    assert shares(problem(0, half, 40, 4, 1 / 24), Kernel(16, 8.0))[0] > 0.1


@pytest.mark.parametrize("half", ["float16", "bfloat16"])
@pytest.mark.parametrize("tokens", [40, 300])
def test_a_token_that_is_forgotten_is_out_of_the_bound(half: str, tokens: int) -> None:
    out, _, total = shares(problem(1, half, tokens, 4, 1 / 24), Kernel(16, 8.0, drops=1))
    assert out > 1
    assert total > 10


def test_a_scale_that_is_off_by_a_thousandth_is_out_of_the_bound() -> None:
    asked = problem(2, "bfloat16", 300, 4, 1 / 24)
    answer = attend(asked)
    asked.scale *= 1.001
    _, peaks, sums = computed(asked, Kernel(128, 8.0))
    assert (np.abs(peaks - answer.row_max) > max_bound(answer)).all()
    assert (np.abs(sums - answer.row_sum) > sum_bound(answer)).all()


def test_weights_that_are_flushed_to_zero_keep_to_the_bound() -> None:
    """V of the token with nearly all the weight is zero: what counts are weights below the normal numbers."""
    asked = problem(4, "bfloat16", 2, 1, 1.0)
    asked.query[:] = 0
    asked.query[..., 512] = 1
    rows = asked.cache[0]
    rows[0, :512], rows[1, :512] = 0, 1
    rows[:, 640:] = np.ones(4, "<f4").view(np.uint8)
    for row, logit in ((0, 88.0), (1, 0.0)):
        rows[row, 512:640] = half_bytes(np.array([logit] + [0.0] * 63), "bfloat16")
    assert 0 < attend(asked).out.max() < _LEAST_NORMAL
    assert shares(asked, Kernel(16, 0.0))[0] <= 1


def test_rows_without_tokens_have_exactly_zero() -> None:
    asked = problem(3, "bfloat16", 8, 2, 1 / 24)
    asked.indices[:, 1] = -1
    answer = attend(asked)
    for bound, value in (
        (out_bound(asked, answer), answer.out),
        (max_bound(answer), answer.row_max),
        (sum_bound(answer), answer.row_sum),
    ):
        assert not bound[0, 1].any()
        assert not value[0, 1].any()
        assert bound[0, 0].all()
