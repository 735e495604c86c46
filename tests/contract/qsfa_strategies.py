"""Random calls of the quantised sparse attention operator: legal ones, and ones with a few changes."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

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

small = st.integers(1, 5)


@st.composite
def legal_cases(draw: st.DrawFn) -> Case:
    """A call that the contract accepts."""
    chip = draw(st.sampled_from(["A2", "A3", "A5", "ascend910b", "ascend950"]))
    newer = chip in ("A5", "ascend950")
    kv = draw(st.sampled_from(["int8", "float8_e4m3fn", "hifloat8"])) if newer else "int8"
    rope = 64 if kv == "hifloat8" else draw(st.sampled_from([0, 64]))
    layout, layout_kv = draw(st.sampled_from(LAYOUTS))
    attrs = {
        "scale_value": draw(st.floats(-2.0, 2.0, width=32)),
        "key_quant_mode": 2,
        "value_quant_mode": 2,
        "sparse_block_size": 1 if newer else draw(st.sampled_from([1, 2, 4, 8, 16])),
        "layout_query": layout,
        "layout_kv": layout_kv,
        "sparse_mode": draw(st.sampled_from([0, 3])),
        "attention_mode": 2,
        "rope_head_dim": rope,
        "return_softmax_lse": not newer and draw(st.booleans()),
    }
    case = {
        "id": "random",
        "chip": chip,
        "platform": {
            "aic": draw(st.sampled_from([1, 2, 20, 24, 64])),
            "aiv": 64,
            "libapi_workspace": draw(st.sampled_from([0, 2**24])),
        },
        "attrs": attrs,
    }
    case["inputs"] = draw(_inputs(layout, layout_kv, newer, kv, rope))
    return case


@st.composite
def _inputs(draw: st.DrawFn, layout: str, layout_kv: str, newer: bool, kv: str, rope: int) -> Case:
    batch = draw(small)
    rows = [batch, draw(small)] if layout == "BSND" else [draw(st.integers(1, 300))]
    heads = draw(st.sampled_from([1, 2, 4, 8, 16, 32, 64, 128, *([48] if newer else [])]))
    selected = 2048 if kv == "hifloat8" else draw(st.integers(1, 3000))
    width = 512 + 2 * rope + 16
    inputs: Case = {
        "query": tensor(draw(st.sampled_from(["float16", "bfloat16"])), *rows, heads, 512 + rope),
        "sparse_indices": tensor("int32", *rows, 1, selected),
    }
    cached = draw(st.integers(0, 2000))
    if layout_kv == "BSND":
        cache = [batch, cached]
    elif layout_kv == "TND":
        cache = [cached]
    else:
        cache = [draw(st.integers(0, 9)), 16 * draw(st.integers(1, 64))]
        inputs["block_table"] = tensor("int32", batch, draw(small))
    inputs["key"] = tensor(kv, *cache, 1, width)
    inputs["value"] = tensor(kv, *cache, 1, draw(st.sampled_from([width, 512])))
    if layout == "TND" or draw(st.booleans()):
        inputs["actual_seq_lengths_query"] = tensor("int32", batch)
    if layout_kv != "BSND" or draw(st.booleans()):
        inputs["actual_seq_lengths_kv"] = tensor("int32", batch)
    return inputs


@st.composite
def changed_cases(draw: st.DrawFn) -> Case:
    """A legal call with up to three changes, each of which may break it."""
    case = draw(legal_cases())
    for _ in range(draw(st.integers(0, 3))):
        draw(st.sampled_from([_attr, _attr, _axis, _axis, _axis, _rank, _dtype, _presence, _other]))(
            draw, case
        )
    for arg in case["inputs"].values():
        if arg["shape"] != [-2]:
            arg["shape"] = [max(size, -1) for size in arg["shape"]]
    return case


def _attr(draw: st.DrawFn, case: Case) -> None:
    name = draw(st.sampled_from(list(ATTRIBUTES)))
    case["attrs"][name] = draw(st.sampled_from(ATTRIBUTES[name]))


def _given(draw: st.DrawFn, case: Case) -> Any:
    return case["inputs"][draw(st.sampled_from(sorted(case["inputs"])))] if case["inputs"] else None


def _axis(draw: st.DrawFn, case: Case) -> None:
    arg = _given(draw, case)
    if arg and arg["shape"]:
        axis = draw(st.integers(0, len(arg["shape"]) - 1))
        arg["shape"][axis] = draw(st.sampled_from(SIZES) | st.integers(0, 5))


def _rank(draw: st.DrawFn, case: Case) -> None:
    arg = _given(draw, case)
    if arg:
        shape = arg["shape"]
        arg["shape"] = draw(st.sampled_from([[], [-2], shape[:-1], shape[1:], [*shape, 1], [1, *shape]]))


def _dtype(draw: st.DrawFn, case: Case) -> None:
    arg = _given(draw, case)
    if arg:
        arg["dtype"] = draw(st.sampled_from(DTYPES))


def _presence(draw: st.DrawFn, case: Case) -> None:
    name = draw(st.sampled_from(INPUTS))
    if case["inputs"].pop(name, None) is None:
        case["inputs"][name] = tensor(draw(st.sampled_from(DTYPES)), *draw(st.lists(small, max_size=4)))


def _other(draw: st.DrawFn, case: Case) -> None:
    if draw(st.booleans()):
        case["attr_count"] = draw(st.integers(0, 14))
    else:
        case["chip"] = draw(st.sampled_from(["A2", "A5", "ascend910_93", "ascend310p"]))


@st.composite
def partly_unknown_cases(draw: st.DrawFn) -> Case:
    """A call for shape inference, in which sizes and ranks may be unknown."""
    case = draw(changed_cases())
    case["stage"] = "infer"
    for arg in case["inputs"].values():
        unknown = draw(st.sampled_from(["nothing", "some", "rank"]))
        if unknown == "rank":
            arg["shape"] = [-2]
        elif unknown == "some":
            arg["shape"] = [-1 if draw(st.booleans()) else size for size in arg["shape"]]
    return case
