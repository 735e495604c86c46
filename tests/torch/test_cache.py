"""Filling and reading a paged cache: numbers worked out by hand, and a second computation in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from kv_quant_sparse_flash_attention import KvRow, empty_cache, gather, norm_rope_pack, store
from torch import Tensor

BF16, FP8 = torch.bfloat16, torch.float8_e4m3fn
SMALL = KvRow(kv=torch.int8, q=BF16, nope=4, rope_head_dim=4, tile_size=2)


def numbered(row: KvRow, count: int) -> Tensor:
    """Rows whose bytes are all the number of the row, from 1."""
    bits = torch.arange(1, count + 1, dtype=torch.uint8)[:, None].expand(count, row.size)
    return bits.contiguous().view(row.unit)


def first_bytes(cache: Tensor) -> list[list[int]]:
    found: list[list[int]] = cache.view(torch.uint8)[..., 0, 0].tolist()
    return found


# --------------------------------------------------------------------------- store, gather


@pytest.mark.parametrize("kv", [torch.int8, FP8, torch.uint8])
def test_rows_go_where_their_slots_say_and_minus_one_is_skipped(kv: torch.dtype) -> None:
    row = KvRow(kv=kv, q=BF16)
    cache = empty_cache(row, 3, 16)
    assert (cache.dtype, tuple(cache.shape)) == (kv, (3, 16, 1, 656))
    store(cache, numbered(row, 5), torch.tensor([17, -1, 0, 47, -1], dtype=torch.int32))
    expected = [[0] * 16 for _ in range(3)]
    expected[1][1], expected[0][0], expected[2][15] = 1, 3, 4
    assert first_bytes(cache) == expected
    assert cache.view(torch.uint8)[1, 1].unique().tolist() == [1]  # all of the row


@pytest.mark.parametrize(
    ("slots", "message"),
    [
        ([0, 48], "slots[1] is 48; expected: -1 or a slot from 0 to 47"),
        ([-2, 0], "slots[0] is -2; expected: -1 or a slot from 0 to 47"),
        ([7, 7], "slot 7 is given twice; expected: each at most once"),
    ],
)
def test_slots_that_cannot_be_leave_the_cache_alone(slots: list[int], message: str) -> None:
    cache = empty_cache(SMALL, 3, 16)
    with pytest.raises(ValueError) as caught:
        store(cache, numbered(SMALL, 2), torch.tensor(slots))
    assert str(caught.value) == message
    assert not cache.any()


def test_rows_of_another_size_are_refused() -> None:
    cache = empty_cache(SMALL, 1, 16)
    with pytest.raises(
        ValueError, match=r"rows is \[3, 20\] of torch.int8; expected: \[2, 20\] of torch.int8"
    ):
        store(cache, numbered(SMALL, 3), torch.tensor([0, 1]))


@pytest.mark.parametrize(
    ("slots", "message"),
    [
        (torch.tensor([0.0, 1.7]), "slots is [2] of torch.float32"),
        (torch.tensor([False, True]), "slots is [2] of torch.bool"),
        (torch.tensor([[0], [1]]), "slots is [2, 1] of torch.int64"),
        (torch.tensor(0), "slots is [] of torch.int64"),
        ([0, 1], "slots is a list"),
    ],
)
def test_slots_that_are_no_integers_in_a_row(slots: Any, message: str) -> None:
    """1.7 would be slot 1."""
    cache = empty_cache(SMALL, 1, 16)
    with pytest.raises(ValueError) as caught:
        store(cache, numbered(SMALL, 2), slots)
    assert str(caught.value) == f"{message}; expected: [tokens] of torch.int32 or torch.int64"
    assert not cache.any()


@pytest.mark.parametrize("shape", [(16, 1, 20), (1, 16, 2, 20), (1, 16, 20)])
def test_what_is_no_cache(shape: tuple[int, ...]) -> None:
    cache = torch.zeros(shape, dtype=torch.int8)
    expected = r"expected: \[blocks, tokens of a block, 1, elements\]"
    with pytest.raises(ValueError, match=expected):
        store(cache, numbered(SMALL, 1), torch.tensor([0]))
    with pytest.raises(ValueError, match=expected):
        gather(cache, torch.tensor([[0]]), torch.tensor([1]))
    assert not cache.any()


@pytest.mark.parametrize(("blocks", "page"), [(-1, 16), (2, 0)])
def test_sizes_that_no_cache_has(blocks: int, page: int) -> None:
    with pytest.raises(
        ValueError, match=f"there are {blocks} blocks of {page} tokens; expected: at least 0 of"
    ):
        empty_cache(SMALL, blocks, page)


@pytest.mark.parametrize(
    ("table", "lengths", "message"),
    [
        ([[0.5]], [1], "table is [1, 1] of torch.float32; expected: [1, blocks]"),
        ([[0], [0]], [1], "table is [2, 1] of torch.int64; expected: [1, blocks]"),
        ([0], [1], "table is [1] of torch.int64; expected: [1, blocks]"),
        ([[0]], [1.9], "lengths is [1] of torch.float32; expected: [batches]"),
        ([[0]], None, "lengths is a NoneType; expected: [batches]"),
        ([[0]], [[1]], "lengths is [1, 1] of torch.int64; expected: [batches]"),
    ],
)
def test_tables_and_lengths_are_looked_at(table: Any, lengths: Any, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        gather(empty_cache(SMALL, 1, 2), torch.tensor(table), lengths and torch.tensor(lengths))
    assert str(caught.value) == f"{message} of torch.int32 or torch.int64"


def test_gather_follows_the_block_table() -> None:
    cache = empty_cache(SMALL, 4, 2)
    store(cache, numbered(SMALL, 8), torch.arange(8))
    table = torch.tensor([[2, 0, 99], [99, 99, 99], [3, 1, 2]], dtype=torch.int32)
    rows, sums = gather(cache, table, torch.tensor([3, 0, 5], dtype=torch.int32))
    assert rows.view(torch.uint8)[:, 0, 0].tolist() == [5, 6, 1, 7, 8, 3, 4, 5]
    assert (sums.dtype, sums.tolist()) == (torch.int32, [3, 3, 8])


@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        ([5, 0], "table[0, 2] is 9; expected: a block from 0 to 3"),
        ([0, 7], "lengths are [0, 7]; expected: each from 0 to 6"),
        ([-1, 0], "lengths are [-1, 0]; expected: each from 0 to 6"),
    ],
)
def test_what_gather_refuses(lengths: list[int], message: str) -> None:
    table = torch.tensor([[2, 0, 9], [0, 1, 2]])
    with pytest.raises(ValueError) as caught:
        gather(empty_cache(SMALL, 4, 2), table, torch.tensor(lengths))
    assert str(caught.value) == message


# --------------------------------------------------------------------------- norm, rope, quantise, pack


def test_a_row_by_hand() -> None:
    """Mean of the squares 4, so that the norm divides by 2; a quarter turn moves halves across."""
    latent = torch.tensor([[2.0, -2, 2, -2, 1, 2, 3, 4]])
    weight = torch.tensor([1.0, 2, 3, 4])
    cos, sin = torch.zeros(1, 4), torch.ones(1, 4)
    rows = norm_rope_pack(SMALL, latent, weight, cos, sin, epsilon=0.0)
    nope, rope, scale = SMALL.unpack(rows)
    assert rope.tolist() == [[-3, -4, 1, 2]]
    assert scale.tolist() == [[pytest.approx(2 / 127), pytest.approx(4 / 127)]]
    assert nope.tolist() == [[64, -127, 95, -127]]  # 63.5 goes to the even 64
    turned = norm_rope_pack(SMALL, latent, weight, cos, sin, epsilon=0.0, interleaved=True)
    assert SMALL.unpack(turned)[1].tolist() == [[-2, 1, -4, 3]]


@pytest.mark.parametrize("kv", [torch.int8, FP8])
@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("rope", [0, 64])
def test_against_float64(kv: torch.dtype, rope: int, interleaved: bool) -> None:
    rng = np.random.default_rng(3)
    row = KvRow(kv=kv, q=torch.float16, rope_head_dim=rope)
    latent, weight = rng.standard_normal((5, 512 + rope)), rng.uniform(0.5, 2, 512)
    angles = rng.uniform(-3, 3, (5, rope // 2))
    repeat = np.repeat(angles, 2, axis=1) if interleaved else np.tile(angles, 2)
    tables = [torch.from_numpy(f(repeat)).float() for f in (np.cos, np.sin)]
    args = (torch.from_numpy(latent).float(), torch.from_numpy(weight).float(), *(tables if rope else []))
    rows = norm_rope_pack(row, *args, epsilon=1e-5, interleaved=interleaved)

    nope = latent[:, :512]
    normed = nope / np.sqrt((nope**2).mean(1, keepdims=True) + 1e-5) * weight
    steps = np.abs(normed.reshape(5, 4, 128)).max(2) / (127 if kv == torch.int8 else 448)
    np.testing.assert_allclose(row.unpack(rows)[2].numpy(), steps, rtol=2e-3)
    error = np.abs(row.dequantise(rows, torch.float64).numpy() - normed)
    allowed = np.repeat(steps, 128, axis=1) * 0.51 if kv == torch.int8 else np.abs(normed) * 2**-4 + 1e-3
    assert (error <= allowed + np.abs(normed) * 2**-10).all()

    turned = np.zeros((5, rope))
    for i in range(rope // 2):
        a, b = (2 * i, 2 * i + 1) if interleaved else (i, i + rope // 2)
        x, y = latent[:, 512 + a], latent[:, 512 + b]
        turned[:, a] = x * np.cos(angles[:, i]) - y * np.sin(angles[:, i])
        turned[:, b] = x * np.sin(angles[:, i]) + y * np.cos(angles[:, i])
    np.testing.assert_allclose(row.unpack(rows)[1].double().numpy(), turned, atol=3e-3)


def test_what_is_missing_is_said() -> None:
    with pytest.raises(ValueError, match=r"cos and sin are missing; expected: both, \[1, 4\]"):
        norm_rope_pack(SMALL, torch.ones(1, 8), torch.ones(4))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"latent": torch.ones(3, 7)}, "latent is [3, 7] of torch.float32; expected: [tokens, 8]"),
        ({"latent": torch.ones(1, 3, 8)}, "latent is [1, 3, 8] of torch.float32; expected: [tokens, 8]"),
        ({"latent": np.ones((3, 8))}, "latent is a ndarray; expected: [tokens, 8]"),
        ({"latent": torch.ones(3, 8).int()}, "latent is [3, 8] of torch.int32; expected: [tokens, 8]"),
        ({"weight": torch.ones(1)}, "weight is [1] of torch.float32; expected: [4]"),
        ({"weight": torch.ones(3, 4)}, "weight is [3, 4] of torch.float32; expected: [4]"),
        ({"cos": torch.ones(1, 4)}, "cos is [1, 4] of torch.float32; expected: [3, 4]"),
        ({"sin": torch.ones(4)}, "sin is [4] of torch.float32; expected: [3, 4]"),
        ({"sin": torch.ones(3, 2)}, "sin is [3, 2] of torch.float32; expected: [3, 4]"),
        ({"sin": torch.ones(3, 4).long()}, "sin is [3, 4] of torch.int64; expected: [3, 4]"),
        ({"epsilon": -1.0}, "epsilon is -1.0; expected: at least 0"),
        ({"epsilon": float("nan")}, "epsilon is nan; expected: at least 0"),
    ],
)
def test_nothing_is_broadcast(changes: dict[str, Any], message: str) -> None:
    """A row of cos for all tokens would give all the same position."""
    given = {
        "latent": torch.ones(3, 8),
        "weight": torch.ones(4),
        "cos": torch.ones(3, 4),
        "sin": torch.ones(3, 4),
    }
    with pytest.raises(ValueError) as caught:
        norm_rope_pack(SMALL, **{**given, **changes})
    of_floats = "" if "epsilon" in changes else " of a float dtype"
    assert str(caught.value) == message + of_floats


def test_angles_for_rows_without_rope_are_refused() -> None:
    row = KvRow(kv=torch.int8, q=BF16, nope=4, rope_head_dim=0, tile_size=2)
    with pytest.raises(ValueError, match=r"cos is \[2, 4\] of torch.float32; expected: \[2, 0\]"):
        norm_rope_pack(row, torch.ones(2, 4), torch.ones(4), torch.ones(2, 4), torch.ones(2, 4))
    none = torch.ones(2, 0)
    assert norm_rope_pack(row, torch.ones(2, 4), torch.ones(4), none, none).shape == (2, 12)


def test_the_weight_of_a_layer_may_be_a_parameter() -> None:
    weight = torch.nn.Parameter(torch.ones(4))
    latent = torch.ones(2, 8, requires_grad=True)
    rows = norm_rope_pack(SMALL, latent, weight, torch.ones(2, 4), torch.zeros(2, 4))
    assert not rows.requires_grad
    assert not SMALL.read(rows, "rope").requires_grad


# --------------------------------------------------------------------------- all of it


@pytest.mark.parametrize("kv", [torch.int8, FP8])
@pytest.mark.parametrize("rope", [0, 64])
def test_from_hidden_states_to_the_output(kv: torch.dtype, rope: int) -> None:
    """Norm, rotate, quantise, store, attend; against softmax(q · k) · v in float64 on what was stored."""
    rng = torch.Generator().manual_seed(5)
    row = KvRow(kv=kv, q=BF16, rope_head_dim=rope)
    latent = torch.randn(40, 512 + rope, generator=rng)
    tables = (torch.ones(40, rope), torch.zeros(40, rope)) if rope else ()
    rows = norm_rope_pack(row, latent, torch.ones(512), *tables)
    cache = empty_cache(row, 4, 16)
    slots = torch.cat([torch.arange(32, 48), torch.arange(0, 24)])  # blocks 2, 0 and 1
    slots[39] = -1  # a token that is not stored
    store(cache, rows, slots)
    query = torch.randn(1, 4, 512 + rope, generator=rng).to(BF16)
    out, row_max, row_sum = torch.ops._C_ascend.npu_kv_quant_sparse_flash_attention(
        query,
        cache,
        cache,
        torch.arange(39, dtype=torch.int32).view(1, 1, 39),
        0.05,
        key_quant_mode=2,
        value_quant_mode=2,
        block_table=torch.tensor([[2, 0, 1]], dtype=torch.int32),
        actual_seq_lengths_query=torch.tensor([1], dtype=torch.int32),
        actual_seq_lengths_kv=torch.tensor([39], dtype=torch.int32),
        layout_query="TND",
        layout_kv="PA_BSND",
        rope_head_dim=rope,
        return_softmax_lse=kv == torch.int8,
    )
    value = row.dequantise(rows[:39], BF16).double()
    key = torch.cat([value, row.unpack(rows[:39])[1].double()], dim=1)
    logits = query[0].double() @ key.T * 0.05
    expected = torch.softmax(logits, dim=1) @ value
    torch.testing.assert_close(out[0].double(), expected, rtol=0.008, atol=0.02)
    if kv == torch.int8:
        lse = (row_max + row_sum.log()).flatten().double()
        torch.testing.assert_close(lse, torch.logsumexp(logits, dim=1), rtol=1e-5, atol=1e-5)
