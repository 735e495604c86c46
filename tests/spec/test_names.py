"""How one name is spelt in each place that has it."""

from __future__ import annotations

import pytest

from qsfa_codegen.spec import names

# A name of a spec, then snake, upper, camel, pascal and that of an aclnn parameter.
SPELLINGS = [
    ("rope_head_dim", "rope_head_dim", "ROPE_HEAD_DIM", "ropeHeadDim", "RopeHeadDim", "ropeHeadDim"),
    ("KV_D", "kv_d", "KV_D", "kvD", "KvD", "kVD"),
    ("x1", "x1", "X1", "x1", "X1", "x1"),
    ("keyCacheIn", "key_cache_in", "KEY_CACHE_IN", "keyCacheIn", "KeyCacheIn", "keyCacheIn"),
    ("StoreKVBlock", "store_kv_block", "STORE_KV_BLOCK", "storeKvBlock", "StoreKvBlock", "storeKVBlock"),
    ("actual_seq_lengths_kv", "actual_seq_lengths_kv", "ACTUAL_SEQ_LENGTHS_KV", "actualSeqLengthsKv",
     "ActualSeqLengthsKv", "actualSeqLengthsKv"),
]  # fmt: skip


@pytest.mark.parametrize("spellings", SPELLINGS, ids=lambda spellings: spellings[0])
def test_spellings(spellings: tuple[str, ...]) -> None:
    name, *expected = spellings
    functions = (names.snake, names.upper, names.camel, names.pascal, names.api_camel)
    assert [function(name) for function in functions] == expected


def test_an_op_type_comes_back_from_its_file_name() -> None:
    op_type = "KvQuantSparseFlashAttention"
    assert names.snake(op_type) == "kv_quant_sparse_flash_attention"
    assert names.pascal(names.snake(op_type)) == op_type
