"""The model side: settings, routes, the call, and shards merged against the call over all tokens."""

from __future__ import annotations

from typing import Any

import kv_quant_sparse_flash_attention as package
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from kv_quant_sparse_flash_attention import model
from kv_quant_sparse_flash_attention.model import Chip, ModelKind, Path, Shard
from torch import Tensor

SPARSE = [ModelKind.SPARSE_SFA, ModelKind.KPOOL_INDEXER]


# --------------------------------------------------------------------------- settings


@pytest.mark.parametrize("kind", SPARSE)
@pytest.mark.parametrize(
    ("cache_dtype", "on"), [("int8", True), ("fp8", True), ("auto", False), ("bfloat16", False)]
)
def test_the_switch_follows_cache_and_model(kind: ModelKind, cache_dtype: str, on: bool) -> None:
    assert model.settings(cache_dtype, kind).enable_sparse_sfa_c8 is on
    assert not model.settings(cache_dtype, ModelKind.OTHER).enable_sparse_sfa_c8


@pytest.mark.parametrize("given", [False, True])
def test_a_given_switch_wins(given: bool) -> None:
    for cache_dtype in ("int8", "auto"):
        found = model.settings(cache_dtype, ModelKind.SPARSE_SFA, enable_sparse_sfa_c8=given)
        assert found.enable_sparse_sfa_c8 is given


def test_a_model_without_sparse_attention_has_no_switch() -> None:
    with pytest.raises(ValueError, match="enable_sparse_sfa_c8 is true and the kind of the model is other"):
        model.settings("int8", ModelKind.OTHER, enable_sparse_sfa_c8=True)


@pytest.mark.parametrize("switch", [None, True])
def test_offload_excludes_it(switch: bool | None) -> None:
    with pytest.raises(NotImplementedError) as raised:
        model.settings("int8", ModelKind.SPARSE_SFA, enable_sparse_sfa_c8=switch, sparse_kv_offload=True)
    assert str(raised.value) == (
        "enable_sparse_sfa_c8 does not go with sparse_kv_offload; expected: enable_sparse_sfa_c8 false, and "
        "enable_sparse_li_c8 in its place"
    )


def test_offload_goes_without_it() -> None:
    for cache_dtype, switch in (("auto", None), ("int8", False)):
        found = model.settings(
            cache_dtype, ModelKind.SPARSE_SFA, enable_sparse_sfa_c8=switch, sparse_kv_offload=True
        )
        assert not found.enable_sparse_sfa_c8


# --------------------------------------------------------------------------- routes and the call


@pytest.mark.parametrize("dtype", [torch.int8, torch.float8_e4m3fn, torch.float8_e5m2])
def test_quantised_caches_go_to_the_operator(dtype: torch.dtype) -> None:
    assert model.path_of(dtype) is Path.QUANTISED
    assert model.operator_of(dtype) is torch.ops._C_ascend.npu_kv_quant_sparse_flash_attention


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_float_caches_go_elsewhere(dtype: torch.dtype) -> None:
    assert model.path_of(dtype) is Path.FLOAT
    with pytest.raises(RuntimeError, match="_C_ascend::npu_sparse_flash_attention is not registered"):
        model.operator_of(dtype)


def test_what_every_call_passes() -> None:
    assert model.PASSED == {
        "key_quant_mode": 2,
        "value_quant_mode": 2,
        "attention_mode": 2,
        "quant_scale_repo_mode": 1,
        "tile_size": 128,
        "layout_query": "TND",
        "layout_kv": "PA_BSND",
        "sparse_block_size": 1,
        "sparse_mode": 3,
    }


def call(rope: int = 64, tokens: int = 40, **changes: Any) -> dict[str, Any]:
    """A call of one batch with its last token as the query, which attends to all."""
    random = torch.Generator().manual_seed(rope + tokens)
    row = package.KvRow(kv=torch.int8, q=torch.bfloat16, rope_head_dim=rope)
    scale = 0.01 * torch.rand(tokens, 4, generator=random)
    nope = torch.randint(-127, 128, (tokens, 512), generator=random).to(torch.int8)
    rows = row.pack(nope, torch.randn(tokens, rope, generator=random).bfloat16(), scale)
    cache = package.empty_cache(row, -(-tokens // 16), 16)
    package.store(cache, rows, torch.arange(tokens))
    return {
        "query": torch.randn(1, 8, 512 + rope, generator=random).bfloat16(),
        "cache": cache,
        "indices": torch.arange(tokens, dtype=torch.int32)[None, None],
        "scale": (512 + rope) ** -0.5,
        "table": torch.arange(len(cache), dtype=torch.int32)[None],
        "q_lengths": torch.tensor([1], dtype=torch.int32),
        "kv_lengths": torch.tensor([tokens], dtype=torch.int32),
        "rope_head_dim": rope,
        "return_softmax_lse": True,
        **changes,
    }


@pytest.mark.parametrize("rope", [0, 64])
def test_the_call_is_that_of_the_operator(rope: int) -> None:
    given = call(rope)
    expected = torch.ops._C_ascend.npu_kv_quant_sparse_flash_attention(
        given["query"],
        given["cache"],
        given["cache"],
        given["indices"],
        given["scale"],
        key_quant_mode=2,
        value_quant_mode=2,
        block_table=given["table"],
        actual_seq_lengths_query=given["q_lengths"],
        actual_seq_lengths_kv=given["kv_lengths"],
        layout_query="TND",
        layout_kv="PA_BSND",
        rope_head_dim=rope,
        return_softmax_lse=True,
    )
    for left, right in zip(model.attend(**given), expected, strict=True):
        assert torch.equal(left, right)


def test_softmax_outputs_go_by_the_chip() -> None:
    for chip in (None, Chip.A2, Chip.A3):
        assert model.attend(**call(chip=chip)).softmax_sum.numel() == 8
    with pytest.raises(package.CallError, match="return_softmax_lse is true on A5; expected: false"):
        model.attend(**call(chip=Chip.A5))
    assert model.attend(**call(chip=Chip.A5, return_softmax_lse=False)).softmax_sum.numel() == 0


def test_caches_that_the_call_is_not_for() -> None:
    cache = call()["cache"]
    with pytest.raises(package.CallError, match="bfloat16, which goes to npu_sparse_flash_attention"):
        model.attend(**call(cache=torch.zeros(cache.shape, dtype=torch.bfloat16)))
    with pytest.raises(package.CallError, match=r"key.*float8_e5m2"):
        model.attend(**call(cache=cache.view(torch.float8_e5m2)))


def test_a_model_can_compile_it() -> None:
    given = call()
    attend = torch.compile(model.attend, fullgraph=True, backend="eager")
    merge = torch.compile(model.merge, fullgraph=True, backend="eager")
    shard = model.attend(**given)
    for compiled, plain in ((attend(**given), shard), (merge([shard, shard]), model.merge([shard, shard]))):
        for left, right in zip(compiled, plain, strict=True):
            assert torch.equal(left, right)


# --------------------------------------------------------------------------- shards


def shards_of(tokens: list[int], owners: list[int], ranks: int) -> tuple[Shard, list[Shard]]:
    """The call over all tokens of lists, and one a rank over the tokens that it owns, with no mask."""
    random = torch.Generator().manual_seed(len(tokens) * 7 + ranks)
    row = package.KvRow(kv=torch.int8, q=torch.bfloat16)
    count = len(owners)
    rows = row.pack(
        torch.randint(-127, 128, (count, 512), generator=random).to(torch.int8),
        torch.randn(count, 64, generator=random).bfloat16(),
        0.03 * torch.rand(count, 4, generator=random),
    )
    query = torch.randn(1, 4, 576, generator=random).bfloat16()

    def one(chosen: list[int]) -> Shard:
        """Attention over rows that stand behind each other."""
        entries = torch.full((1, 1, max(1, count)), -1, dtype=torch.int32)
        entries[0, 0, : len(chosen)] = torch.arange(len(chosen), dtype=torch.int32)
        cache = rows[chosen].unsqueeze(1) if chosen else rows.new_zeros(0, 1, rows.shape[-1])
        found: tuple[Tensor, Tensor, Tensor] = torch.ops._C_ascend.npu_kv_quant_sparse_flash_attention(
            query,
            cache,
            cache,
            entries,
            576**-0.5,
            key_quant_mode=2,
            value_quant_mode=2,
            actual_seq_lengths_query=torch.tensor([1], dtype=torch.int32),
            actual_seq_lengths_kv=torch.tensor([len(chosen)], dtype=torch.int32),
            layout_query="TND",
            layout_kv="TND",
            sparse_mode=0,
            return_softmax_lse=True,
        )
        return Shard(*found)

    return one(tokens), [one([t for t in tokens if owners[t] == rank]) for rank in range(ranks)]


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_merged_shards_are_the_unsplit_result(data: st.DataObject) -> None:
    """Ranks that own any of the tokens, none of them included."""
    ranks = data.draw(st.integers(1, 4))
    owners = data.draw(st.lists(st.integers(0, ranks - 1), min_size=1, max_size=12))
    tokens = data.draw(st.lists(st.integers(0, len(owners) - 1), max_size=12, unique=True))
    whole, shards = shards_of(tokens, owners, ranks)
    merged = model.merge(shards)
    assert merged.attention_out.dtype == torch.bfloat16
    torch.testing.assert_close(merged.softmax_max, whole.softmax_max, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(merged.softmax_sum, whole.softmax_sum, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(merged.attention_out, whole.attention_out, rtol=0.02, atol=0.02)
    assert not merged.attention_out.isnan().any()


def test_merging_by_hand() -> None:
    """Sums 1 and 3 at one peak: a quarter and three quarters. A later peak of log 2 doubles what it has."""

    def shard(value: float, peak: float, total: float) -> Shard:
        softmax = (torch.full((1, 1, 1), float(number)) for number in (peak, total))
        return Shard(torch.full((1, 1, 4), float(value)), *softmax)

    merged = model.merge([shard(0, 0, 1), shard(8, 0, 3)])
    assert merged.attention_out.unique().tolist() == [6.0]
    assert (merged.softmax_max.item(), merged.softmax_sum.item()) == (0, 4)
    merged = model.merge([shard(0, 0, 2), shard(8, float(torch.tensor(2.0).log()), 1)])
    torch.testing.assert_close(merged.attention_out, torch.full((1, 1, 4), 4.0))
    torch.testing.assert_close(merged.softmax_sum, torch.full((1, 1, 1), 2.0))
    merged = model.merge([shard(0, 0, 0), shard(8, -5, 2)])
    assert merged.attention_out.unique().tolist() == [8.0]
    assert merged.softmax_max.item() == -5


def test_the_layout_with_batches_side_by_side() -> None:
    out = torch.arange(24.0).reshape(2, 3, 4, 1)
    softmax = torch.ones(2, 1, 3, 4)
    merged = model.merge([Shard(out, 0 * softmax, softmax), Shard(0 * out, 0 * softmax, softmax)])
    assert torch.equal(merged.attention_out, out / 2)


def test_what_cannot_be_merged() -> None:
    with pytest.raises(ValueError, match="there are no shards"):
        model.merge([])
    shard = model.attend(**call(return_softmax_lse=False))
    with pytest.raises(ValueError, match="made with return_softmax_lse"):
        model.merge([shard])
