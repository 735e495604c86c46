"""Random calls of the quantised sparse attention operator: legal ones, and ones with a few changes."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.contract.qsfa_calls import Case, tensor

ATTRIBUTES: dict[str, list[Any]] = {
    "scale_value": [0.5, -3.0, 0, 1e39, "inf", "nan"],
    "key_quant_mode": [0, 1, 2, 3, 2**32 + 2],
    "value_quant_mode": [1, 2, -2, 2**32 + 2],
    "sparse_block_size": [0, 1, 2, 3, 4, 8, 16, 17, 32, 2**32 + 1],
    "layout_query": ["BSND", "TND", "PA_BSND", "bsnd", ""],
    "layout_kv": ["BSND", "TND", "PA_BSND", "PA"],
    "sparse_mode": [0, 1, 3, 4, 2**32],
    "pre_tokens": [2**63 - 1, 2**31 - 1],
    "next_tokens": [2**63 - 1, 0],
    "attention_mode": [0, 1, 2, 2**32 + 2],
    "quant_scale_repo_mode": [0, 1, 2**32 + 1],
    "tile_size": [64, 128],
    "rope_head_dim": [0, 1, 32, 64, -64, 2**32],
    "return_softmax_lse": [False, True],
}
DTYPES = ["float16", "bfloat16", "int8", "int32", "int64", "float8_e4m3fn", "hifloat8", "float32"]
SIZES = [0, 1, 2, 3, 16, 17, 48, 64, 128, 512, 528, 576, 656, 1024, 2048, 2**31, 2**32, 2**62, -1]
INPUTS = [
    "query",
    "key",
    "value",
    "sparse_indices",
    "key_dequant_scale",
    "value_dequant_scale",
    "block_table",
    "actual_seq_lengths_query",
    "actual_seq_lengths_kv",
]
LAYOUTS = [("BSND", "BSND"), ("TND", "TND"), ("BSND", "PA_BSND"), ("TND", "PA_BSND")]


def legal_case(rng: Random) -> Case:
    """A call that the contract accepts."""
    chip = rng.choice(["A2", "A3", "A5", "ascend910b", "ascend950"])
    newer = chip in ("A5", "ascend950")
    kv = rng.choice(["int8", "float8_e4m3fn", "hifloat8"]) if newer else "int8"
    rope = 64 if kv == "hifloat8" else rng.choice([0, 64])
    layout, layout_kv = rng.choice(LAYOUTS)
    attrs = {
        "scale_value": rng.uniform(-2.0, 2.0),
        "key_quant_mode": 2,
        "value_quant_mode": 2,
        "sparse_block_size": 1 if newer else rng.choice([1, 2, 4, 8, 16]),
        "layout_query": layout,
        "layout_kv": layout_kv,
        "sparse_mode": rng.choice([0, 3]),
        "attention_mode": 2,
        "rope_head_dim": rope,
        "return_softmax_lse": not newer and rng.random() < 0.5,
    }
    case = {
        "id": "random",
        "chip": chip,
        "platform": {
            "aic": rng.choice([1, 2, 20, 24, 64]),
            "aiv": 64,
            "libapi_workspace": rng.choice([0, 2**24]),
        },
        "attrs": attrs,
    }
    case["inputs"] = _inputs(rng, layout, layout_kv, newer, kv, rope)
    return case


def _inputs(rng: Random, layout: str, layout_kv: str, newer: bool, kv: str, rope: int) -> Case:
    batch = rng.randint(1, 5)
    rows = [batch, rng.randint(1, 5)] if layout == "BSND" else [rng.randint(1, 300)]
    heads = rng.choice([1, 2, 4, 8, 16, 32, 64, 128, *([48] if newer else [])])
    selected = 2048 if kv == "hifloat8" else rng.randint(1, 3000)
    width = 512 + 2 * rope + 16
    inputs: Case = {
        "query": tensor(rng.choice(["float16", "bfloat16"]), *rows, heads, 512 + rope),
        "sparse_indices": tensor("int32", *rows, 1, selected),
    }
    cached = rng.randint(0, 2000)
    if layout_kv == "BSND":
        cache = [batch, cached]
    elif layout_kv == "TND":
        cache = [cached]
    else:
        cache = [rng.randint(0, 9), 16 * rng.randint(1, 64)]
        inputs["block_table"] = tensor("int32", batch, rng.randint(1, 5))
    inputs["key"] = tensor(kv, *cache, 1, width)
    inputs["value"] = tensor(kv, *cache, 1, rng.choice([width, 512]))
    if layout == "TND" or rng.random() < 0.5:
        inputs["actual_seq_lengths_query"] = tensor("int32", batch)
    if layout_kv != "BSND" or rng.random() < 0.5:
        inputs["actual_seq_lengths_kv"] = tensor("int32", batch)
    return inputs


def changed_case_of(rng: Random) -> Case:
    """A legal call with up to three changes, each of which may break it."""
    case = legal_case(rng)
    for _ in range(rng.randint(0, 3)):
        rng.choice([_attr, _attr, _axis, _axis, _axis, _rank, _dtype, _presence, _other])(rng, case)
    for arg in case["inputs"].values():
        if arg["shape"] != [-2]:
            arg["shape"] = [max(size, -1) for size in arg["shape"]]
    return case


def _attr(rng: Random, case: Case) -> None:
    name = rng.choice(list(ATTRIBUTES))
    case["attrs"][name] = rng.choice(ATTRIBUTES[name])


def _given(rng: Random, case: Case) -> Any:
    return case["inputs"][rng.choice(sorted(case["inputs"]))] if case["inputs"] else None


def _axis(rng: Random, case: Case) -> None:
    arg = _given(rng, case)
    if arg and arg["shape"]:
        axis = rng.randrange(len(arg["shape"]))
        arg["shape"][axis] = rng.choice([*SIZES, rng.randint(0, 5)])


def _rank(rng: Random, case: Case) -> None:
    arg = _given(rng, case)
    if arg:
        shape = arg["shape"]
        arg["shape"] = rng.choice([[], [-2], shape[:-1], shape[1:], [*shape, 1], [1, *shape]])


def _dtype(rng: Random, case: Case) -> None:
    arg = _given(rng, case)
    if arg:
        arg["dtype"] = rng.choice(DTYPES)


def _presence(rng: Random, case: Case) -> None:
    name = rng.choice(INPUTS)
    if case["inputs"].pop(name, None) is None:
        case["inputs"][name] = tensor(
            rng.choice(DTYPES), *(rng.randint(1, 5) for _ in range(rng.randint(0, 4)))
        )


def _other(rng: Random, case: Case) -> None:
    if rng.random() < 0.5:
        case["attr_count"] = rng.randint(0, 14)
    else:
        case["chip"] = rng.choice(["A2", "A5", "ascend910_93", "ascend310p"])


def partly_unknown_case(rng: Random) -> Case:
    """A call for shape inference, in which sizes and ranks may be unknown."""
    case = changed_case_of(rng)
    case["stage"] = "infer"
    for arg in case["inputs"].values():
        unknown = rng.choice(["nothing", "some", "rank"])
        if unknown == "rank":
            arg["shape"] = [-2]
        elif unknown == "some":
            arg["shape"] = [-1 if rng.random() < 0.5 else size for size in arg["shape"]]
    return case
