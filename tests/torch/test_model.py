"""The model side: settings, routes, the call, and shards merged against the call over all tokens."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path as FilePath
from types import SimpleNamespace
from typing import Any

import kv_quant_sparse_flash_attention as package
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from kv_quant_sparse_flash_attention import chips, model
from kv_quant_sparse_flash_attention.chips import Chip
from kv_quant_sparse_flash_attention.model import ModelKind, Path, Shard
from torch import Tensor

from qsfa_codegen.reference import elements as reference

SPARSE = [ModelKind.SPARSE_SFA, ModelKind.KPOOL_INDEXER]
ROOT = FilePath(__file__).parents[2]


# --------------------------------------------------------------------------- settings


@pytest.mark.parametrize("kind", SPARSE)
@pytest.mark.parametrize(
    ("cache_dtype", "on"),
    [
        ("int8", True),
        ("fp8", True),
        ("hifloat8", True),
        ("auto", False),
        ("bfloat16", False),
        ("float16", False),
    ],
)
def test_the_switch_follows_cache_and_model(kind: ModelKind, cache_dtype: str, on: bool) -> None:
    assert model.settings(cache_dtype, kind).enable_sparse_sfa_c8 is on
    assert not model.settings(cache_dtype, ModelKind.OTHER).enable_sparse_sfa_c8


@pytest.mark.parametrize("given", [False, True])
def test_a_given_switch_wins(given: bool) -> None:
    for cache_dtype in ("int8", "auto"):
        found = model.settings(cache_dtype, ModelKind.SPARSE_SFA, enable_sparse_sfa_c8=given)
        assert found.enable_sparse_sfa_c8 is given


@pytest.mark.parametrize("word", ["fp9", "FP8", "int4", "fp8_e4m3", "", torch.int8, ["int8"]])
@pytest.mark.parametrize("switch", [None, False, True])
def test_words_that_are_not_known_are_refused(word: Any, switch: bool | None) -> None:
    """Off by mistake, and the cache is computed as floats."""
    with pytest.raises(ValueError) as raised:
        model.settings(word, ModelKind.SPARSE_SFA, enable_sparse_sfa_c8=switch)
    assert str(raised.value) == (
        f"cache_dtype is {word!r}; expected: one of fp8, int8, hifloat8, auto, bfloat16, float16"
    )


def test_kinds_may_be_given_as_text() -> None:
    assert model.settings("int8", "kpool_indexer").enable_sparse_sfa_c8
    assert not model.settings("int8", "other").enable_sparse_sfa_c8
    with pytest.raises(ValueError, match="the kind of the model is other"):
        model.settings("int8", "other", enable_sparse_sfa_c8=True)
    with pytest.raises(ValueError) as raised:
        model.settings("int8", "sfa")
    assert str(raised.value) == (
        "the kind of the model is 'sfa'; expected: one of sparse_sfa, kpool_indexer, other"
    )


def test_other_arguments_are_looked_at_even_where_they_do_not_matter() -> None:
    """A text is true, whatever it says."""
    with pytest.raises(ValueError, match="the chip is 'A9'; expected: one of A2"):
        model.settings("auto", ModelKind.OTHER, chip="A9")
    for wrong in ({"enable_sparse_sfa_c8": "false"}, {"sparse_kv_offload": "0"}):
        with pytest.raises(ValueError, match=r"is '(false|0)'; expected: True or False"):
            model.settings("int8", ModelKind.SPARSE_SFA, **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("chip", "taken"), [("A2", ["int8"]), (Chip.A3, ["int8"]), ("ascend950", ["fp8", "int8", "hifloat8"])]
)
def test_words_go_by_the_chip(chip: Chip | str, taken: list[str]) -> None:
    for word in ("fp8", "int8", "hifloat8"):
        assert not model.settings(word, "other", chip=chip).enable_sparse_sfa_c8
        if word in taken:
            assert model.settings(word, "sparse_sfa", chip=chip).enable_sparse_sfa_c8
        else:
            with pytest.raises(package.CallError, match=r"expected: one of int8; A5 takes (float8|hifloat8)"):
                model.settings(word, "sparse_sfa", chip=chip)


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


def test_caches_may_be_given_by_name() -> None:
    for name in ("int8", "float8_e4m3fn", "float8_e5m2", "hifloat8"):
        assert model.path_of(name) is Path.QUANTISED
    assert model.operator_of("hifloat8") is torch.ops._C_ascend.npu_kv_quant_sparse_flash_attention
    assert model.path_of("bfloat16") is Path.FLOAT


@pytest.mark.parametrize("name", ["fp8", "float16x", "nn", ""])
def test_names_that_are_no_dtypes(name: str) -> None:
    with pytest.raises(
        package.CallError, match=f"cache_dtype is '{name}'; expected: one of int8, .*hifloat8"
    ):
        model.path_of(name)


@pytest.mark.parametrize("dtype", [torch.uint8, "uint8"])
def test_bytes_do_not_say_what_they_are(dtype: torch.dtype | str) -> None:
    """They went to the operator for floats."""
    with pytest.raises(package.CallError) as raised:
        model.path_of(dtype)
    assert str(raised.value) == (
        "a cache of uint8 may hold bits of anything; expected: cache_dtype='hifloat8' beside the tensor"
    )


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


@pytest.mark.parametrize("chip", ["A2", "a2", "ascend910b", "Ascend910B3", Chip.A2])
def test_a_chip_is_known_by_any_of_its_names(chip: Chip | str) -> None:
    assert Chip(chip) is Chip.A2


def test_chips_given_as_text_are_looked_at() -> None:
    with pytest.raises(package.CallError, match="return_softmax_lse is true on A5"):
        model.attend(**call(chip="A5"))
    with pytest.raises(package.CallError) as raised:
        model.attend(**call(chip="A4"))
    assert str(raised.value) == (
        "the chip is 'A4'; expected: one of A2 (ascend910b), A3 (ascend910_93), A5 (ascend950)"
    )


@pytest.mark.parametrize("chip", ["A2", "A3"])
def test_a_cache_that_a_chip_does_not_take(chip: str) -> None:
    given = call(rope=64, return_softmax_lse=False)
    cache = given["cache"].view(torch.float8_e4m3fn)
    with pytest.raises(package.CallError) as raised:
        model.attend(**{**given, "cache": cache, "chip": chip})
    assert str(raised.value) == (
        f"the cache is float8_e4m3fn on {chip}; expected: one of int8; A5 takes float8_e4m3fn"
    )
    assert model.attend(**{**given, "cache": cache, "chip": "A5"}).softmax_sum.numel() == 0
    with pytest.raises(package.CallError, match=r"float8_e5m2 on A5; .*; no chip takes float8_e5m2"):
        model.attend(**{**given, "cache": cache.view(torch.float8_e5m2), "chip": "A5"})


def test_heads_that_a_chip_does_not_take() -> None:
    given = call(return_softmax_lse=False)
    given["query"] = given["query"].repeat(1, 6, 1)
    for chip in (None, "A5"):
        assert model.attend(**{**given, "chip": chip}).attention_out.shape == (1, 48, 512)
    with pytest.raises(
        package.CallError, match="query has 48 heads on A2; expected: one of 1, 2, 4, 8, 16, 32"
    ):
        model.attend(**{**given, "chip": "A2"})


def test_a_query_of_another_rank_is_refused_on_every_chip() -> None:
    for rank in range(3):
        query = torch.zeros([1] * rank, dtype=torch.bfloat16)
        with pytest.raises(package.CallError, match=r"query.*\[query_rank\]"):
            model.attend(**call(query=query, chip="A2"))


def test_the_chip_is_that_of_the_device() -> None:
    """In a process of its own, where torch takes devices to be NPUs."""
    names = ("Ascend910_9392", "Ascend950PR_9589", "Ascend310P3")
    found = subprocess.run(
        [sys.executable, "-m", "tests.torch.device_names", *names],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(FilePath(package.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    unknown = "the chip is 'Ascend310P3'; expected: one of A2 (ascend910b), A3 (ascend910_93), A5 (ascend950)"
    assert found.stdout.splitlines() == [
        # A3
        "npu:0",
        "the cache is float8_e4m3fn on A3; expected: one of int8; A5 takes float8_e4m3fn",
        "npu:0",
        "query has 48 heads on A3; expected: one of 1, 2, 4, 8, 16, 32, 64, 128",
        "npu:0",
        # A5
        "npu:0",
        "npu:0",
        "return_softmax_lse is true on A5; expected: false, as it writes no softmax outputs",
        "npu:0",
        "npu:0",
        # a device that the operator is not for, until the call says another chip
        *([unknown] * 4),
        "npu:0",
    ], found.stderr


def test_a_compiled_model_knows_the_chip(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of a device is looked up while tracing."""
    device = torch.device("meta")
    monkeypatch.setattr(chips, "NPU", device.type)
    monkeypatch.setattr(
        torch, "get_device_module", lambda _: SimpleNamespace(get_device_name=lambda _: "Ascend950")
    )

    def number(x: Tensor) -> Tensor:
        chip = chips.chip_of(device)
        return x if chip is None else x + len(chip.name)

    assert chips.chip_of(device) is Chip.A5
    assert torch.compile(number, fullgraph=True, backend="eager")(torch.ones(())) == 3


@pytest.mark.parametrize("half", [torch.bfloat16, torch.float16])
def test_a_cache_of_hifloat8(half: torch.dtype) -> None:
    """Whose elements are read by an independent decoder, against attention in float64."""
    random = np.random.default_rng(5)
    bits = (
        random.integers(0x08, 0x40, (40, 512), dtype=np.uint8)
        | random.integers(0, 2, (40, 512), dtype=np.uint8) << 7
    )
    scale, rope = 0.25 + torch.rand(40, 4), torch.randn(40, 64).to(half)
    row = package.KvRow(kv=torch.uint8, q=half)
    rows = row.pack(torch.from_numpy(bits.astype(np.uint8)), rope, scale)
    cache = package.empty_cache(row, 3, 16)
    package.store(cache, rows, torch.arange(40))
    entries = torch.full((1, 1, 2048), -1, dtype=torch.int32)
    entries[..., :40] = torch.arange(40)
    given = {**call(return_softmax_lse=False), "cache": cache, "indices": entries}
    given["query"] = given["query"].to(half)

    with pytest.raises(package.CallError, match="a cache of uint8 may hold bits of anything"):
        model.attend(**given)
    found = model.attend(**given, cache_dtype="hifloat8").attention_out[0].double()

    elements = np.array([[reference.hifloat8(int(code)) for code in line] for line in bits])
    values = elements.astype(np.float32) * scale.repeat_interleave(128, dim=1).numpy()
    values = torch.from_numpy(values).to(half).double()
    keys = torch.cat([values, rope.double()], dim=1)
    weights = torch.softmax(given["query"][0].double() @ keys.T * given["scale"], dim=-1)
    torch.testing.assert_close(found, weights @ values, rtol=0.01, atol=0.02)


def test_the_name_of_a_cache_and_its_tensor_must_agree() -> None:
    given = call()
    with pytest.raises(
        package.CallError, match=r"cache is torch.int8 and cache_dtype is hifloat8; .*torch.uint8"
    ):
        model.attend(**given, cache_dtype="hifloat8")
    assert torch.equal(model.attend(**given, cache_dtype="int8")[0], model.attend(**given)[0])
    given["cache"] = given["cache"].view(torch.uint8)
    with pytest.raises(package.CallError, match=r"on A2; expected: one of int8; A5 takes hifloat8"):
        model.attend(**given, cache_dtype="hifloat8", chip="A2")


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
    for compiled, plain in (
        (attend(**given), shard),
        (attend(**given, chip="A2", cache_dtype="int8", causal=False), shard),
        (merge([shard, shard]), model.merge([shard, shard])),
    ):
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


def random_shards(seed: int, ranks: int, shape: tuple[int, ...], dtype: torch.dtype) -> list[Shard]:
    """Outputs that no call has made; rows and heads are empty in some shards, in all of them at times."""
    random = torch.Generator().manual_seed(seed)
    softmax = (*shape[:-3], 1, *shape[-3:-1])

    def one() -> Shard:
        full = torch.rand(softmax, generator=random) < 0.6
        sums = torch.where(full, 1 + 100 * torch.rand(softmax, generator=random), 0)
        peaks = torch.where(full, 8 * torch.randn(softmax, generator=random), 0)
        out = torch.randn(shape, generator=random)
        return Shard(torch.where(full.squeeze(-3).unsqueeze(-1), out, 0).to(dtype), peaks, sums)

    return [one() for _ in range(ranks)]


def in_float64(shards: list[Shard]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Means weighted by exp(peak) * sum, and logs of the sums of these; zeros and -inf where none is."""
    outs = np.array([shard.attention_out.double().numpy() for shard in shards])
    with np.errstate(divide="ignore"):
        logs = [s.softmax_max.double().numpy() + np.log(s.softmax_sum.double().numpy()) for s in shards]
    lse = np.logaddexp.reduce(logs, axis=0)
    weights = np.exp(np.array(logs) - np.where(np.isinf(lse), 0, lse)).squeeze(-3)[..., None]
    return (weights * outs).sum(0), lse


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    ranks=st.integers(1, 5),
    shape=st.sampled_from([(3, 2, 4), (1, 1, 8), (2, 3, 4, 2), (1, 1, 1, 1)]),
    dtype=st.sampled_from([torch.float32, torch.bfloat16, torch.float16]),
)
def test_merging_against_float64(seed: int, ranks: int, shape: tuple[int, ...], dtype: torch.dtype) -> None:
    """One rounding of the output, and those of sums in float32."""
    shards = random_shards(seed, ranks, shape, dtype)
    merged = model.merge(shards)
    out, lse = in_float64(shards)
    assert merged.attention_out.dtype == dtype
    error = np.abs(merged.attention_out.double().numpy() - out)
    assert (error <= np.abs(out) * torch.finfo(dtype).eps + 1e-5).all()
    some = np.isfinite(lse)
    total, peak = merged.softmax_sum.double().numpy(), merged.softmax_max.double().numpy()
    np.testing.assert_allclose((peak[some] + np.log(total[some])), lse[some], rtol=1e-5, atol=1e-5)
    assert (total[~some] == 0).all()
    assert (peak[~some] == 0).all()
    assert (merged.attention_out.double().numpy()[~some.squeeze(-3)] == 0).all()


def test_merging_takes_plain_tuples() -> None:
    shards = random_shards(1, 3, (2, 2, 4), torch.bfloat16)
    expected = model.merge(shards)
    for plain in (
        [tuple(shard) for shard in shards],
        tuple(list(shard) for shard in shards),
        (tuple(shard) for shard in shards),
    ):
        for left, right in zip(model.merge(plain), expected, strict=True):  # type: ignore[arg-type]
            assert torch.equal(left, right)


@pytest.mark.parametrize("rubbish", [torch.nan, torch.inf, -7.0])
def test_what_a_shard_says_of_an_empty_row_does_not_count(rubbish: float) -> None:
    """Two rows of one head: the first is empty in one shard, the second in both."""
    full = Shard(
        torch.tensor([[[2.0]], [[9.0]]]), torch.tensor([[[1.0], [5.0]]]), torch.tensor([[[3.0], [0.0]]])
    )
    empty = Shard(torch.full((2, 1, 1), rubbish), torch.full((1, 2, 1), rubbish), torch.zeros(1, 2, 1))
    for shards in ([full, empty], [empty, full], [empty, full, empty]):
        merged = model.merge(shards)
        assert merged.attention_out.flatten().tolist() == [2, 0]
        assert merged.softmax_max.flatten().tolist() == [1, 0]
        assert merged.softmax_sum.flatten().tolist() == [3, 0]


def test_merging_hides_no_nan() -> None:
    """A sum that is no number is no empty row."""
    shard = Shard(torch.ones(1, 1, 2), torch.zeros(1, 1, 1), torch.ones(1, 1, 1))
    merged = model.merge([shard, shard._replace(softmax_sum=torch.full((1, 1, 1), torch.nan))])
    assert merged.attention_out.isnan().all()
    assert merged.softmax_sum.isnan().all()


def test_shards_of_several_query_rows() -> None:
    """Three rows of a sequence of five tokens, which two ranks share: the mask goes by the whole sequence."""
    given = call(tokens=5)
    given["query"] = torch.cat([given["query"] * factor for factor in (1, -1, 0.5)])
    given["q_lengths"] = torch.tensor([3], dtype=torch.int32)
    given["indices"] = given["indices"].expand(3, 1, 5).contiguous()
    whole = model.attend(**given)

    shards = []
    for rank in (0, 1):
        owned = torch.arange(rank, 5, 2)
        cache = torch.zeros_like(given["cache"])
        cache[0, : len(owned)] = given["cache"][0, owned]
        lists = torch.full((3, 1, 5), -1, dtype=torch.int32)
        for row, limit in enumerate((3, 4, 5)):
            seen = int((owned < limit).sum())
            lists[row, 0, :seen] = torch.arange(seen)
        changes = {
            "cache": cache,
            "indices": lists,
            "kv_lengths": torch.tensor([len(owned)], dtype=torch.int32),
        }
        shards.append(model.attend(**{**given, **changes}, causal=False))
    merged = model.merge(shards)
    torch.testing.assert_close(merged.attention_out, whole.attention_out, rtol=0.02, atol=0.02)
    torch.testing.assert_close(merged.softmax_max, whole.softmax_max)
    torch.testing.assert_close(merged.softmax_sum, whole.softmax_sum, rtol=1e-4, atol=1e-5)


GOOD = Shard(torch.ones(2, 4, 8), torch.zeros(1, 2, 4), torch.ones(1, 2, 4))


@pytest.mark.parametrize(
    ("shards", "message"),
    [
        ([], "there are no shards; expected: at least one"),
        (GOOD, "shard 0 has other parts; expected: attention_out, softmax_max, softmax_sum, three tensors"),
        ([GOOD, GOOD[:2]], "shard 1 has other parts"),
        ([(1.0, 2.0, 3.0)], "shard 0 has other parts"),
        ([None], "shard 0 has other parts"),
        (
            [GOOD, GOOD._replace(softmax_sum=torch.ones(0))],
            "softmax_sum of shard 1 is empty; expected: made with return_softmax_lse",
        ),
        (
            [GOOD, Shard(torch.ones(1, 4, 8), torch.zeros(1, 1, 4), torch.ones(1, 1, 4))],
            "attention_out of shard 1 is [1, 4, 8] of torch.float32; expected: [2, 4, 8] of torch.float32, "
            "as that of shard 0",
        ),
        (
            [GOOD, GOOD._replace(attention_out=GOOD.attention_out.half())],
            "attention_out of shard 1 is [2, 4, 8] of torch.float16; expected: [2, 4, 8] of torch.float32, "
            "as that of shard 0",
        ),
        (
            [GOOD._replace(softmax_max=torch.zeros(1, 1, 4))],
            "softmax_max of shard 0 is [1, 1, 4] of torch.float32; expected: [1, 2, 4] of torch.float32",
        ),
        (
            [GOOD._replace(softmax_sum=torch.ones(2, 4))],
            "softmax_sum of shard 0 is [2, 4] of torch.float32; expected: [1, 2, 4] of torch.float32",
        ),
        (
            [GOOD._replace(softmax_sum=GOOD.softmax_sum.bfloat16())],
            "softmax_sum of shard 0 is [1, 2, 4] of torch.bfloat16; expected: [1, 2, 4] of torch.float32",
        ),
        (
            [GOOD._replace(attention_out=torch.ones(2, 8))],
            "attention_out of shard 0 is [2, 8] of torch.float32; expected: [tokens, heads, 512] or "
            "[batches, tokens, heads, 512], of a float dtype",
        ),
    ],
)
def test_shards_that_do_not_belong_together(shards: Any, message: str) -> None:
    """Tensors of these sizes would be broadcast."""
    with pytest.raises(ValueError) as raised:
        model.merge(shards)
    assert message in str(raised.value)


def test_what_cannot_be_merged() -> None:
    shard = model.attend(**call(return_softmax_lse=False))
    with pytest.raises(ValueError, match="made with return_softmax_lse"):
        model.merge([shard])
