"""Each rule of the operator broken by hand, and what hand-written host code got wrong."""

from __future__ import annotations

from typing import Any

import pytest

from qsfa_codegen.contract.calls import Stage
from tests.contract.qsfa_calls import (
    Case,
    batched,
    broken,
    changed_case,
    judged,
    on_a5,
    packed,
    paged,
    tensor,
)

LEGAL: dict[str, Case] = {
    "paged": paged(),
    "packed": packed(),
    "batched": batched(),
    "paged TND": changed_case(
        paged(), layout_query="TND", query__shape=[10, 8, 576], sparse_indices__shape=[10, 1, 128]
    ),
    "A3 by its config name": changed_case(paged(), chip="ascend910_93"),
    "fp8": on_a5(paged()),
    "int8 on A5": on_a5(paged(), "int8"),
    "hifloat8": changed_case(on_a5(paged(), "hifloat8"), sparse_indices__shape=[2, 64, 1, 2048]),
    "48 heads on A5": changed_case(on_a5(paged()), query__shape=[2, 64, 48, 576]),
    "empty cache": changed_case(batched(), key__shape=[3, 0, 1, 656], value__shape=[3, 0, 1, 656]),
    "empty packed cache": changed_case(packed(), key__shape=[0, 1, 656], value__shape=[0, 1, 656]),
    "no blocks": changed_case(paged(), key__shape=[0, 16, 1, 656], value__shape=[0, 16, 1, 656]),
    "plain value": changed_case(paged(), value__shape=[32, 16, 1, 512]),
    "BSND lengths": changed_case(
        batched(), actual_seq_lengths_query=tensor("int32", 3), actual_seq_lengths_kv=tensor("int32", 3)
    ),
    "dequant scales are ignored": changed_case(
        paged(),
        key_dequant_scale=tensor("int64", 7, 0, 3),
        value_dequant_scale=tensor("bool", -1),
    ),
    "one attribute less": changed_case(paged(), attr_count=13),
    "attributes up to the last that has to be given": changed_case(
        changed_case(paged(), attr_count=10), rope_head_dim=0, return_softmax_lse=True
    ),
    "negative scale": changed_case(paged(), scale_value=-1.5),
    "integer scale": changed_case(paged(), scale_value=1),
    "outputs as inferred": changed_case(
        batched(),
        outputs={
            "attention_out": tensor("float16", 3, 5, 4, 512),
            "softmax_max": tensor("float32", 0),
            "softmax_sum": None,
        },
    ),
}


@pytest.mark.parametrize("name", LEGAL)
def test_legal(name: str) -> None:
    assert broken(LEGAL[name]) == []


BROKEN: dict[str, tuple[Case, list[str]]] = {
    # attributes
    "scale is infinite": (changed_case(paged(), scale_value="inf"), ["scale_value_value"]),
    "scale is not a number": (changed_case(paged(), scale_value="nan"), ["scale_value_value"]),
    "scale overflows float32": (changed_case(paged(), scale_value=1e39), ["scale_value_value"]),
    "registered key_quant_mode": (changed_case(paged(), key_quant_mode=1), ["key_quant_mode_value"]),
    "registered value_quant_mode": (changed_case(paged(), value_quant_mode=1), ["value_quant_mode_value"]),
    "registered attention_mode": (changed_case(paged(), attention_mode=0), ["attention_mode_value"]),
    "2^32 + 2 is not 2": (changed_case(paged(), key_quant_mode=2**32 + 2), ["key_quant_mode_value"]),
    "2^32 + 2 is not 2 for attention_mode": (
        changed_case(paged(), attention_mode=2**32 + 2),
        ["attention_mode_value"],
    ),
    "2^32 is not 0": (changed_case(paged(), sparse_mode=2**32), ["sparse_mode_value"]),
    "sparse_block_size 3": (changed_case(paged(), sparse_block_size=3), ["sparse_block_size_value"]),
    "sparse_block_size 32": (changed_case(paged(), sparse_block_size=32), ["sparse_block_size_value"]),
    "sparse_block_size 2 on A5": (
        changed_case(on_a5(paged()), sparse_block_size=2),
        ["sparse_block_size_value"],
    ),
    "unknown layout": (changed_case(paged(), layout_query="BNSD"), ["layout_query_value"]),
    "unknown layout of kv": (changed_case(paged(), layout_kv="NTD"), ["layout_kv_value"]),
    "paged query": (changed_case(paged(), layout_query="PA_BSND"), ["layout_query_value"]),
    "sparse_mode 1": (changed_case(paged(), sparse_mode=1), ["sparse_mode_value"]),
    "pre_tokens": (changed_case(paged(), pre_tokens=2**31 - 1), ["pre_tokens_value"]),
    "next_tokens": (changed_case(paged(), next_tokens=-1), ["next_tokens_value"]),
    "quant_scale_repo_mode": (
        changed_case(paged(), quant_scale_repo_mode=0),
        ["quant_scale_repo_mode_value"],
    ),
    "tile_size": (changed_case(paged(), tile_size=64), ["tile_size_value"]),
    "rope_head_dim": (changed_case(paged(), rope_head_dim=32), ["rope_head_dim_value"]),
    "statistics on A5": (
        changed_case(on_a5(paged()), return_softmax_lse=True),
        ["return_softmax_lse_value"],
    ),
    # presence
    "no query": (changed_case(paged(), query=None), ["query_presence"]),
    "no key": (changed_case(paged(), key=None), ["key_presence"]),
    "no value": (changed_case(paged(), value=None), ["value_presence"]),
    "no indices": (changed_case(paged(), sparse_indices=None), ["sparse_indices_presence"]),
    "no block table": (changed_case(paged(), block_table=None), ["block_table_presence"]),
    "a block table without paging": (
        changed_case(batched(), block_table=tensor("int32", 3, 4)),
        ["block_table_presence"],
    ),
    "TND without query lengths": (
        changed_case(packed(), actual_seq_lengths_query=None),
        ["actual_seq_lengths_query_presence"],
    ),
    "TND without kv lengths": (
        changed_case(packed(), actual_seq_lengths_kv=None),
        ["actual_seq_lengths_kv_presence"],
    ),
    "pages without kv lengths": (
        changed_case(paged(), actual_seq_lengths_kv=None),
        ["actual_seq_lengths_kv_presence"],
    ),
    # dtypes
    "float32 query": (changed_case(paged(), query__dtype="float32"), ["query_dtype"]),
    "fp8 key on A2": (
        changed_case(paged(), key__dtype="float8_e4m3fn", value__dtype="float8_e4m3fn"),
        ["key_dtype"],
    ),
    "fp8 e5m2 key on A5": (on_a5(paged(), "float8_e5m2"), ["key_dtype"]),
    "value unlike key": (changed_case(on_a5(paged()), value__dtype="int8"), ["value_dtype"]),
    "int64 indices": (changed_case(paged(), sparse_indices__dtype="int64"), ["sparse_indices_dtype"]),
    "block_table dtype": (changed_case(paged(), block_table__dtype="int64"), ["block_table_dtype"]),
    "query lengths dtype": (
        changed_case(packed(), actual_seq_lengths_query__dtype="int64"),
        ["actual_seq_lengths_query_dtype"],
    ),
    "kv lengths dtype, query lengths absent": (
        changed_case(paged(), actual_seq_lengths_kv__dtype="int64", actual_seq_lengths_query=None),
        ["actual_seq_lengths_kv_dtype"],
    ),
    # ranks
    "query rank": (changed_case(paged(), query__shape=[128, 8, 576]), ["query_rank"]),
    "TND query rank": (changed_case(packed(), query__shape=[2, 48, 16, 576]), ["query_rank"]),
    "key rank": (changed_case(paged(), key__shape=[32, 16, 656]), ["key_rank"]),
    "value rank": (changed_case(paged(), value__shape=[512, 1, 656]), ["value_rank"]),
    "indices rank": (changed_case(paged(), sparse_indices__shape=[128, 1, 128]), ["sparse_indices_rank"]),
    "block_table rank": (changed_case(paged(), block_table__shape=[2, 32, 1]), ["block_table_rank"]),
    "query lengths rank": (
        changed_case(packed(), actual_seq_lengths_query__shape=[2, 1]),
        ["actual_seq_lengths_query_rank"],
    ),
    "scalar kv lengths": (
        changed_case(paged(), actual_seq_lengths_kv__shape=[]),
        ["actual_seq_lengths_kv_rank"],
    ),
    # dims
    "no batch": (
        changed_case(
            batched(),
            query__shape=[0, 5, 4, 576],
            key__shape=[0, 70, 1, 656],
            value__shape=[0, 70, 1, 656],
            sparse_indices__shape=[0, 5, 1, 9],
        ),
        ["B_value"],
    ),
    "no lengths": (
        changed_case(packed(), actual_seq_lengths_query__shape=[0], actual_seq_lengths_kv__shape=[0]),
        ["B_value"],
    ),
    "no query tokens": (
        changed_case(packed(), query__shape=[0, 16, 576], sparse_indices__shape=[0, 1, 64]),
        ["Q_T_value"],
    ),
    "48 heads on A2": (changed_case(paged(), query__shape=[2, 64, 48, 576]), ["Q_N_value"]),
    "3 heads": (changed_case(on_a5(paged()), query__shape=[2, 64, 3, 576]), ["Q_N_value"]),
    "256 heads": (changed_case(paged(), query__shape=[2, 64, 256, 576]), ["Q_N_value"]),
    "query width of the other rope": (changed_case(paged(), query__shape=[2, 64, 8, 512]), ["query_shape"]),
    "row of the other rope": (
        changed_case(paged(), key__shape=[32, 16, 1, 528], value__shape=[32, 16, 1, 528]),
        ["key_shape"],
    ),
    "KV_N 0": (
        changed_case(
            paged(),
            key__shape=[32, 16, 0, 656],
            value__shape=[32, 16, 0, 656],
            sparse_indices__shape=[2, 64, 0, 128],
        ),
        ["key_shape"],
    ),
    "KV_N 2": (
        changed_case(
            paged(),
            key__shape=[32, 16, 2, 656],
            value__shape=[32, 16, 2, 656],
            sparse_indices__shape=[2, 64, 2, 128],
        ),
        ["key_shape"],
    ),
    "key batch is not query batch": (
        changed_case(batched(), key__shape=[4, 70, 1, 656]),
        ["key_shape"],
    ),
    "block_size 8": (
        changed_case(
            changed_case(paged(), sparse_block_size=8),
            key__shape=[32, 8, 1, 656],
            value__shape=[32, 8, 1, 656],
        ),
        ["BLOCK_SIZE_value"],
    ),
    "block_size 24": (
        changed_case(
            changed_case(paged(), sparse_block_size=8),
            key__shape=[32, 24, 1, 656],
            value__shape=[32, 24, 1, 656],
        ),
        ["BLOCK_SIZE_value"],
    ),
    "block_size 1040": (
        changed_case(paged(), key__shape=[32, 1040, 1, 656], value__shape=[32, 1040, 1, 656]),
        ["BLOCK_SIZE_value"],
    ),
    "no blocks a batch": (changed_case(paged(), block_table__shape=[2, 0]), ["MAX_BLOCKS_value"]),
    "sparse_size 0": (changed_case(paged(), sparse_indices__shape=[2, 64, 1, 0]), ["SPARSE_SIZE_value"]),
    "value blocks": (changed_case(paged(), value__shape=[31, 16, 1, 656]), ["value_shape"]),
    "value block size": (changed_case(paged(), value__shape=[32, 32, 1, 656]), ["value_shape"]),
    "value heads": (changed_case(paged(), value__shape=[32, 16, 2, 656]), ["value_shape"]),
    "value width": (changed_case(paged(), value__shape=[32, 16, 1, 576]), ["value_shape"]),
    "value tokens": (changed_case(packed(), value__shape=[255, 1, 656]), ["value_shape"]),
    "value length": (changed_case(batched(), value__shape=[3, 71, 1, 512]), ["value_shape"]),
    "indices rows": (
        changed_case(paged(), sparse_indices__shape=[2, 63, 1, 128]),
        ["sparse_indices_shape"],
    ),
    "indices batch": (
        changed_case(paged(), sparse_indices__shape=[1, 64, 1, 128]),
        ["sparse_indices_shape"],
    ),
    "indices heads": (
        changed_case(paged(), sparse_indices__shape=[2, 64, 8, 128]),
        ["sparse_indices_shape"],
    ),
    "indices tokens": (
        changed_case(packed(), sparse_indices__shape=[95, 1, 64]),
        ["sparse_indices_shape"],
    ),
    "block_table batch": (changed_case(paged(), block_table__shape=[3, 32]), ["block_table_shape"]),
    "query lengths batch": (
        changed_case(paged(), actual_seq_lengths_query__shape=[3]),
        ["actual_seq_lengths_query_shape"],
    ),
    "kv lengths batch": (
        changed_case(packed(), actual_seq_lengths_kv__shape=[3]),
        ["actual_seq_lengths_kv_shape"],
    ),
    # rules between parameters
    "layouts differ": (
        changed_case(
            packed(),
            layout_query="BSND",
            query__shape=[2, 48, 16, 576],
            sparse_indices__shape=[2, 48, 1, 64],
        ),
        ["layouts_agree"],
    ),
    "hifloat8 without rope": (
        changed_case(
            on_a5(paged(), "hifloat8"),
            rope_head_dim=0,
            query__shape=[2, 64, 8, 512],
            key__shape=[32, 16, 1, 528],
            value__shape=[32, 16, 1, 528],
            sparse_indices__shape=[2, 64, 1, 2048],
        ),
        ["hifloat8_needs_rope"],
    ),
    "hifloat8 and few indices": (on_a5(paged(), "hifloat8"), ["hifloat8_sparse_size"]),
    # what tiling fields hold
    "2^32 query rows": (
        changed_case(batched(), query__shape=[3, 2**32, 4, 576], sparse_indices__shape=[3, 2**32, 1, 9]),
        ["qSeqSize_fits"],
    ),
    "2^32 cached tokens by their product": (
        changed_case(paged(), block_table__shape=[2, 2**28]),
        ["seqSize_fits"],
    ),
    "sizes that overflow int64": (
        changed_case(paged(), block_table__shape=[2, 2**62]),
        [
            "seqSize_fits",
            "maxBlockNumPerBatch_fits",
            "mmResUbSize_fits",
            "s2BaseSize_fits",
            "workspace_fits",
        ],
    ),
    "a device of 2^15 cores": (
        changed_case(paged(), platform={"aic": 2**15, "aiv": 2**16}),
        ["accumOutSize_fits"],
    ),
    # the rest
    "unsupported chip": (changed_case(paged(), chip="ascend310p"), ["chip"]),
    "attr_count is short": (
        changed_case(batched(), attr_count=2),
        ["value_quant_mode_presence", "attention_mode_value"],
    ),
    "allocated shape": (
        changed_case(batched(), outputs={"attention_out": tensor("float16", 3, 5, 4, 576)}),
        ["attention_out_shape"],
    ),
    "allocated dtype": (
        changed_case(batched(), outputs={"softmax_max": tensor("float16", 0)}),
        ["softmax_max_out_dtype"],
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken(name: str) -> None:
    case, ids = BROKEN[name]
    assert broken(case) == ids


def test_every_violation_is_reported_and_none_that_follows_from_another() -> None:
    case = changed_case(
        paged(), sparse_mode=7, query__dtype="int8", block_table__shape=[2], value__shape=[1, 16, 1, 656]
    )
    assert broken(case) == ["sparse_mode_value", "query_dtype", "block_table_rank", "value_shape"]


def test_a_layout_that_is_wrong_hides_what_depends_on_it() -> None:
    case = changed_case(paged(), layout_query="NTD", query__shape=[1], sparse_indices__shape=[3])
    assert broken(case) == ["layout_query_value"]


STAGES: list[tuple[Case, Stage]] = [
    (changed_case(paged(), layout_query="NTD"), Stage.INFER),
    (changed_case(paged(), query__shape=[1]), Stage.INFER),
    (changed_case(paged(), sparse_mode=7, query__shape=[1]), Stage.INFER),
    (changed_case(paged(), sparse_mode=7), Stage.TILING),
    (changed_case(paged(), stage="tiling", layout_query="NTD"), Stage.TILING),
    (changed_case(paged(), chip="nowhere"), Stage.INFER),
    (changed_case(paged(), chip="nowhere", stage="tiling"), Stage.TILING),
]


@pytest.mark.parametrize(("case", "stage"), STAGES)
def test_the_stage_of_a_rejection(case: Case, stage: Stage) -> None:
    assert judged(case).stage is stage


MESSAGES: list[tuple[Case, str, str]] = [
    (
        changed_case(paged(), sparse_block_size=3),
        "sparse_block_size",
        "sparse_block_size is 3; expected: sparse_block_size is one of 1, 2, 4, 8, 16",
    ),
    (
        changed_case(packed(), query__shape=[1]),
        "query",
        "layout_query is TND, rank of query is 1; expected: the rank of query is 3",
    ),
    (
        changed_case(paged(), block_table=None),
        "block_table",
        "layout_kv is PA_BSND, block_table is absent; expected: block_table is present",
    ),
    (
        changed_case(paged(), chip="ascend310p"),
        "chip",
        "chip is ascend310p; the operator supports A2 (ascend910b), A3 (ascend910_93), A5 (ascend950)",
    ),
    (
        changed_case(batched(), outputs={"softmax_max": tensor("float32", 1)}),
        "softmax_max",
        "shape of the allocated softmax_max is [1]; it must be [0]",
    ),
    (
        changed_case(paged(), block_table__shape=[2, 2**28]),
        "baseParams.seqSize",
        "baseParams.seqSize is 4294967296: not in 0 to 4294967295",
    ),
]


@pytest.mark.parametrize(("case", "parameter", "message"), MESSAGES)
def test_a_message_names_what_was_given_and_what_is_allowed(case: Case, parameter: str, message: str) -> None:
    (violation,) = judged(case).violations
    assert (violation.parameter, violation.message) == (parameter, message)


def test_a_short_attr_count_names_the_attribute_that_is_missing() -> None:
    first: Any = judged(changed_case(paged(), attr_count=2)).violations[0]
    assert first.message == (
        "value_quant_mode is required, but the graph supplies only the first 2 attributes"
    )
