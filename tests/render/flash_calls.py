"""Two calls of the sparse flash attention with quantised keys, whose answers are known."""

from __future__ import annotations

from qsfa_codegen.contract.calls import Call, TensorArg


def tensor(dtype: str, *shape: int) -> TensorArg:
    return TensorArg(dtype, shape)


PLATFORM = {"aic": 64, "aiv": 64, "libapi_workspace": 16777216}
MODES = {"scale_value": 0.044194173, "key_quant_mode": 2, "value_quant_mode": 2, "attention_mode": 2}
PAGED = Call(
    "paged",
    "A2",
    {
        "query": tensor("bfloat16", 2, 64, 8, 576),
        "key": tensor("int8", 32, 16, 1, 656),
        "value": tensor("int8", 32, 16, 1, 656),
        "sparse_indices": tensor("int32", 2, 64, 1, 128),
        "block_table": tensor("int32", 2, 32),
        "actual_seq_lengths_query": tensor("int32", 2),
        "actual_seq_lengths_kv": tensor("int32", 2),
    },
    {**MODES, "sparse_block_size": 16, "layout_kv": "PA_BSND", "sparse_mode": 3},
    platform=PLATFORM,
)
TOKENS = Call(
    "tokens",
    "A2",
    {
        "query": tensor("float16", 96, 16, 576),
        "key": tensor("int8", 256, 1, 656),
        "value": tensor("int8", 256, 1, 656),
        "sparse_indices": tensor("int32", 96, 1, 64),
        "actual_seq_lengths_query": tensor("int32", 2),
        "actual_seq_lengths_kv": tensor("int32", 2),
    },
    {**MODES, "sparse_block_size": 8, "layout_query": "TND", "layout_kv": "TND", "sparse_mode": 0},
    platform=PLATFORM,
)
