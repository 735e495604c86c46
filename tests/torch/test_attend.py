"""The CPU implementation against the float64 reference and against numbers worked out by hand."""

from __future__ import annotations

import math
from typing import Any

import kv_quant_sparse_flash_attention as package
import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kv_quant_sparse_flash_attention import cpu
from torch import Tensor

from qsfa_codegen.reference import sparse_mla as reference
from qsfa_codegen.reference.elements import half_bytes
from qsfa_codegen.reference.sparse_mla import Answer, Problem
from qsfa_codegen.reference.sparse_mla_data import rows_of
from tests.torch.problems import NOPE, TILE, arguments, make, row_of

TOLERANCES = {"float16": (0.002, 0.002), "bfloat16": (0.008, 0.04)}
LAYOUTS = [("BSND", "BSND"), ("BSND", "PA_BSND"), ("TND", "TND"), ("TND", "PA_BSND")]
run = torch.ops._C_ascend.npu_kv_quant_sparse_flash_attention


def outputs(problem: Problem, **changes: object) -> tuple[Tensor, Tensor, Tensor]:
    results: tuple[Tensor, Tensor, Tensor] = run(**arguments(problem, **changes))
    return results


def agrees(problem: Problem, out: Tensor, expected: Answer) -> None:
    """Within the spec's tolerance, which is scaled by the size of V."""
    rtol, atol = TOLERANCES[problem.half]
    size = max(1.0, float(np.abs(expected.out).max()))
    np.testing.assert_allclose(out.double().numpy(), expected.out, rtol=rtol, atol=atol * size)


def lse_agrees(problem: Problem, row_max: Tensor, row_sum: Tensor, expected: Answer) -> None:
    axis = 0 if problem.query.ndim == 3 else 1
    np.testing.assert_allclose(row_max.squeeze(axis).numpy(), expected.row_max, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(row_sum.squeeze(axis).numpy(), expected.row_sum, rtol=1e-5)


# --------------------------------------------------------------------------- against the reference


@pytest.mark.parametrize("half", ["float16", "bfloat16"])
@pytest.mark.parametrize("rope", [0, 64])
@pytest.mark.parametrize(("layout", "layout_kv"), LAYOUTS)
def test_int8_in_every_layout(layout: str, layout_kv: str, rope: int, half: str) -> None:
    problem = make(3, layout=layout, layout_kv=layout_kv, rope=rope, half=half, used=(4, 6, 0))
    out, row_max, row_sum = outputs(problem, return_softmax_lse=True)
    expected = reference.attend(problem)
    agrees(problem, out, expected)
    lse_agrees(problem, row_max, row_sum, expected)


@pytest.mark.parametrize("rope", [0, 64])
@pytest.mark.parametrize("half", ["float16", "bfloat16"])
def test_fp8(half: str, rope: int) -> None:
    problem = make(4, kind="float8_e4m3fn", half=half, rope=rope)
    agrees(problem, outputs(problem)[0], reference.attend(problem))


@pytest.mark.parametrize("half", ["float16", "bfloat16"])
def test_hifloat8(half: str) -> None:
    problem = make(5, kind="hifloat8", half=half, size=2048, used=(5,))
    agrees(problem, outputs(problem)[0], reference.attend(problem))


LENGTHS = st.lists(st.integers(0, 4), min_size=1, max_size=3).filter(any)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    q = draw(LENGTHS)
    layout, layout_kv = draw(st.sampled_from(LAYOUTS))
    size = draw(st.integers(1, 7))
    return make(
        draw(st.integers(0, 2**32)),
        layout=layout,
        layout_kv=layout_kv,
        q=q,
        kv=draw(st.lists(st.integers(0, draw(st.sampled_from([5, 40]))), min_size=len(q), max_size=len(q))),
        heads=draw(st.sampled_from([1, 2])),
        size=size,
        used=draw(st.lists(st.integers(0, size), min_size=1, max_size=3)),
        half=draw(st.sampled_from(["float16", "bfloat16"])),
        rope=draw(st.sampled_from([0, 64])),
        block=draw(st.sampled_from([1, 2, 4, 8, 16])),
        causal=draw(st.booleans()),
        room=draw(st.integers(0, 2)),
    )


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems(), st.sampled_from([1 << 26, 1 << 16, 1]))
def test_any_lengths_lists_and_pieces_of_work(problem: Problem, work: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cpu, "WORK_BYTES", work)
        out, row_max, row_sum = outputs(problem, return_softmax_lse=True)
    expected = reference.attend(problem)
    agrees(problem, out, expected)
    lse_agrees(problem, row_max, row_sum, expected)


def test_the_reference_finds_the_tokens_that_hands_find() -> None:
    """Blocks of 4 tokens, 10 tokens, 2 query rows: the first row sees 9 tokens, the second 10."""
    problem = make(0, layout_kv="BSND", q=(2,), kv=(10,), room=0, block=4, size=4)
    problem.indices = np.array([[[2, 0, 1, -1], [2, 1, -1, -1]]])
    tokens = reference.attend(problem).tokens
    assert tokens == {(0, 0): [8, 0, 1, 2, 3, 4, 5, 6, 7], (0, 1): [8, 9, 4, 5, 6, 7]}
    problem.indices = np.array([[[2, 0, 1, 3], [-1, -1, -1, -1]]])  # a fourth entry cannot count
    assert reference.attend(problem).tokens == {(0, 0): [8, 0, 1, 2, 3, 4, 5, 6, 7], (0, 1): []}


# --------------------------------------------------------------------------- worked out by hand


def by_hand(scale: float = 1.0, **changes: Any) -> Problem:
    """One head over four tokens; token t has the value t + 1 everywhere, and the scales are 1."""
    quantised = np.repeat(np.arange(1, 5, dtype=np.uint8)[:, None], NOPE, axis=1)
    scales = np.ones((4, NOPE // TILE), dtype=np.float32)
    cache = rows_of(quantised, np.zeros((4, 64)), scales, "bfloat16", row_of(64))
    return Problem(
        query=np.zeros((1, 1, 1, NOPE + 64)),
        cache=cache[None],
        indices=np.array([[[0, 1, 3]]]),
        scale=scale,
        row=row_of(64),
        **changes,
    )


def test_equal_logits_give_the_mean_of_the_selected_values() -> None:
    out, row_max, row_sum = outputs(by_hand(), return_softmax_lse=True)
    assert torch.equal(out, torch.full((1, 1, 1, NOPE), (1 + 2 + 4) / 3, dtype=torch.bfloat16))
    assert (row_max.item(), row_sum.item()) == (0, 3)


def test_logits_that_differ_by_log_two() -> None:
    """Q sees the first element of V alone: logits log 2 · (1, 2, 4), weights 2, 4, 16 over 22."""
    problem = by_hand(half="float16")
    problem.query[..., 0], problem.scale = 1.0, math.log(2)
    out, row_max, row_sum = outputs(problem, return_softmax_lse=True)
    assert out[0, 0, 0, 7].item() == pytest.approx((2 * 1 + 4 * 2 + 16 * 4) / 22, rel=1e-3)
    assert row_max.item() == pytest.approx(4 * math.log(2), rel=1e-6)
    assert row_sum.item() == pytest.approx(22 / 16, rel=1e-6)


def test_the_rope_part_takes_part_in_logits_and_not_in_values() -> None:
    problem = by_hand()
    rope = np.zeros((4, 64))
    rope[3, 63] = 1.0
    problem.cache[0, :, NOPE : NOPE + 2 * 64] = half_bytes(rope, "bfloat16")
    problem.query[..., NOPE + 63] = 64.0  # the last token outweighs all others
    out, row_max, row_sum = outputs(problem, return_softmax_lse=True)
    assert torch.equal(out, torch.full_like(out, 4))
    assert (row_max.item(), row_sum.item()) == (64, 1)


def test_each_tile_has_its_own_scale() -> None:
    problem = by_hand()
    scales = np.tile(np.array([1, 2, 4, 8], dtype=np.float32), (4, 1))
    problem.cache[0, :, NOPE + 128 :] = scales.view(np.uint8)
    problem.indices = np.array([[[1, -1, -1]]])
    out = outputs(problem)[0].flatten()
    assert [out[i * TILE].item() for i in range(4)] == [2, 4, 8, 16]
    assert [out[i * TILE + TILE - 1].item() for i in range(4)] == [2, 4, 8, 16]


def test_the_product_with_the_scale_is_rounded_to_the_dtype_of_the_query() -> None:
    """1 + 2^-8 lies half way between two bfloat16 numbers, 1 + 3 · 2^-8 too: ties go to even."""
    for factor, rounded in ((1 + 2**-8, 1.0), (1 + 3 * 2**-8, 1 + 4 * 2**-8)):
        problem = by_hand()
        problem.cache[0, :, NOPE + 128 :] = np.full((4, 4), factor, dtype=np.float32).view(np.uint8)
        problem.indices = np.array([[[0, -1, -1]]])
        assert outputs(problem)[0][0, 0, 0, 0].item() == rounded


def test_weights_are_rounded_to_the_dtype_of_the_query_before_they_meet_values() -> None:
    """Weights 1 and 0.7 of the values 0 and 86, over 1.7: 35.41 is 35.5 in bfloat16.

    But the weight 0.7 is 0.69921875 there, and 0.69921875 * 86 / 1.7 = 35.37 is 35.25.
    """
    problem = by_hand(scale=-math.log(0.7))
    rope = np.zeros((4, 64))
    rope[1] = 1.0
    problem.cache[0, :, :NOPE] = np.array([0, 86, 0, 0], dtype=np.uint8)[:, None]
    problem.cache[0, :, NOPE : NOPE + 2 * 64] = half_bytes(rope, "bfloat16")
    problem.query[..., NOPE] = -1.0
    problem.indices = np.array([[[0, 1, -1]]])
    out, _, row_sum = outputs(problem, return_softmax_lse=True)
    assert torch.equal(out, torch.full_like(out, 35.25))
    assert row_sum.item() == pytest.approx(1.7, rel=1e-6)  # of weights that are not rounded


def test_only_as_many_entries_count_as_reach_the_limit() -> None:
    """Two query rows over four tokens: the first may see three, so that its fourth entry is not looked at."""
    problem = by_hand()
    problem.query = np.zeros((1, 2, 1, NOPE + 64))
    problem.indices = np.array([[[3, 0, 1, 2], [3, 0, 1, 2]]])
    out = outputs(problem)[0][0, :, 0, 0]
    assert out.tolist() == [(1 + 2) / 2, (4 + 1 + 2 + 3) / 4]


def test_a_token_that_is_selected_twice_counts_twice() -> None:
    problem = by_hand()
    problem.indices = np.array([[[0, 0, 3]]])
    out, _, row_sum = outputs(problem, return_softmax_lse=True)
    assert out[0, 0, 0, 0].item() == 2
    assert row_sum.item() == 3


# --------------------------------------------------------------------------- edges


@pytest.mark.parametrize(("layout", "layout_kv"), LAYOUTS)
def test_an_empty_cache_gives_zeros(layout: str, layout_kv: str) -> None:
    problem = make(6, layout=layout, layout_kv=layout_kv, kv=(0, 0), room=0 if layout_kv != "PA_BSND" else 1)
    if layout_kv == "PA_BSND":
        problem.cache = problem.cache[:0]
        assert problem.table is not None
        problem.table[:] = 9  # names nothing, and no batch uses it
    for output in outputs(problem, return_softmax_lse=True):
        assert output.numel() > 0
        assert not output.any()


def test_rows_that_nobody_reads_may_hold_anything() -> None:
    """Bytes that are NaN as scales and as RoPE, in every row that no list names."""
    problem = make(7, layout_kv="BSND", q=(1, 2), kv=(20, 20), used=(3, 1), size=5)
    problem.indices[problem.indices == 0] = 20 - 1  # nor the first row, which short lists are padded with
    before = outputs(problem)[0]
    for batch in range(2):
        kept = set(problem.indices[batch].flatten())
        for token in set(range(21)) - kept:
            problem.cache[batch, token, NOPE:] = 0xFF
    after = outputs(problem)[0]
    assert not after.isnan().any()
    assert torch.equal(before, after)


def test_nan_in_a_row_that_is_read_shows() -> None:
    problem = by_hand()
    problem.cache[0, 1, NOPE + 128 :] = 0xFF
    assert outputs(problem)[0].isnan().all()


def test_infinite_sums_are_no_zeros() -> None:
    problem = by_hand()
    problem.cache[0, 1, NOPE + 128 :] = np.full(4, np.inf, dtype=np.float32).view(np.uint8)
    assert not outputs(problem)[0].isfinite().any()


def test_queries_and_caches_need_not_be_contiguous() -> None:
    problem = make(8, layout_kv="BSND")
    given = arguments(problem)
    wide = torch.zeros(*given["key"].shape[:-1], 1024, dtype=torch.int8)
    wide[..., 100 : 100 + 656] = given["key"]
    turned = given["query"].transpose(0, 2).contiguous().transpose(0, 2)
    assert not turned.is_contiguous()
    changes = {"key": wide[..., 100 : 100 + 656], "query": turned}
    assert torch.equal(run(**{**given, **changes})[0], run(**given)[0])


def test_compact_rows_and_rows_with_a_rope_of_zeros_give_the_same_bits() -> None:
    compact = make(9, rope=0)
    padded = make(9, rope=0)
    padded.row = row_of(64)
    padded.query = np.concatenate([compact.query, np.zeros((*compact.query.shape[:-1], 64))], axis=-1)
    nope, scales = np.split(compact.cache, [NOPE], axis=-1)
    padded.cache = np.concatenate([nope, np.zeros((*nope.shape[:-1], 128), dtype=np.uint8), scales], axis=-1)
    pairs = zip(
        outputs(compact, return_softmax_lse=True), outputs(padded, return_softmax_lse=True), strict=True
    )
    assert all(torch.equal(a, b) for a, b in pairs)


def test_paging_and_tokens_in_a_row_give_the_same_bits() -> None:
    """The rows of each batch, gathered by the block table, as a cache of their own."""
    problem = make(10, layout="TND")
    given = arguments(problem)
    rows, sums = package.gather(given["key"], given["block_table"], given["actual_seq_lengths_kv"])
    changes = {
        "key": rows,
        "value": rows,
        "block_table": None,
        "actual_seq_lengths_kv": sums,
        "layout_kv": "TND",
    }
    assert torch.equal(run(**{**given, **changes})[0], run(**given)[0])


def test_the_default_device_is_not_asked() -> None:
    """Models are built where new tensors go to a device, or nowhere."""
    given = arguments(make(13, layout_kv="PA_BSND"))
    without = {**arguments(make(13, layout_kv="BSND")), "actual_seq_lengths_query": None}
    expected = [run(**given)[0], run(**without)[0]]
    with torch.device("meta"):
        results = [run(**given)[0], run(**without)[0]]
    assert all(torch.equal(a, b) for a, b in zip(results, expected, strict=True))


def test_value_is_not_read() -> None:
    problem = make(11)
    given = arguments(problem)
    plain = torch.full((*given["key"].shape[:-1], NOPE), 55, dtype=torch.int8)
    assert torch.equal(run(**{**given, "value": plain})[0], run(**given)[0])


def test_lengths_left_out_are_the_whole_sequences() -> None:
    problem = make(12, layout_kv="BSND", q=(2, 2), kv=(5, 5), room=0)
    given = arguments(problem)
    without = {**given, "actual_seq_lengths_query": None, "actual_seq_lengths_kv": None}
    assert torch.equal(run(**without)[0], run(**given)[0])
