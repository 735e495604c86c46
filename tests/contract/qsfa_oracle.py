"""The contract of the quantised sparse attention operator, written a second time by hand.

Plain Python over the JSON form of a call: it shares nothing with the package and knows no spec, so a
disagreement with the package is an error in one of the two.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from typing import Any

LONGEST = 2**63 - 1
U32 = 2**32 - 1
CHIPS = {
    "A2": "A2",
    "A3": "A3",
    "A5": "A5",
    "ascend910b": "A2",
    "ascend910_93": "A3",
    "ascend950": "A5",
}
# name, required, registered default
ATTRIBUTES: list[tuple[str, bool, Any]] = [
    ("scale_value", True, 1.0),
    ("key_quant_mode", True, 1),
    ("value_quant_mode", True, 1),
    ("sparse_block_size", False, 1),
    ("layout_query", False, "BSND"),
    ("layout_kv", False, "BSND"),
    ("sparse_mode", False, 3),
    ("pre_tokens", False, LONGEST),
    ("next_tokens", False, LONGEST),
    ("attention_mode", False, 0),
    ("quant_scale_repo_mode", False, 1),
    ("tile_size", False, 128),
    ("rope_head_dim", False, 64),
    ("return_softmax_lse", False, False),
]
HEADS = {"A2": {1, 2, 4, 8, 16, 32, 64, 128}, "A5": {1, 2, 4, 8, 16, 32, 48, 64, 128}}
KV_DTYPES = {"A2": {"int8"}, "A5": {"int8", "float8_e4m3fn", "hifloat8"}}
SPARSE_BLOCKS = {"A2": {1, 2, 4, 8, 16}, "A5": {1}}
RANK_Q = {"BSND": 4, "TND": 3}
RANK_KV = {"BSND": 4, "TND": 3, "PA_BSND": 4}


class RejectedError(Exception):
    """The call breaks the contract."""


@dataclass
class Verdict:
    """``outputs`` maps a name to (dtype, shape); the tiling members are None at shape inference."""

    accepted: bool
    why: str = ""
    outputs: dict[str, tuple[str, list[int]]] = field(default_factory=dict)
    key: int | None = None
    workspace: int | None = None
    block_dim: int | None = None
    data: bytes | None = None


def demand(holds: bool, why: str) -> None:
    if not holds:
        raise RejectedError(why)


def attributes(call: dict[str, Any], *, whole: bool = True) -> dict[str, Any]:
    """Every attribute as the host sees it; inference alone needs none of the required ones."""
    supplied = call.get("attr_count")
    given = call.get("attrs", {})
    found = {}
    for index, (name, required, default) in enumerate(ATTRIBUTES):
        if supplied is not None and index >= supplied:
            demand(not (required and whole), f"{name} is not supplied")
            found[name] = default
        else:
            found[name] = given.get(name, default)
    found["scale_value"] = single(float(found["scale_value"]))
    return found


def single(value: float) -> float:
    """The value as a 32-bit float."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def tensors(call: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {name: given for name, given in call.get("inputs", {}).items() if given is not None}


def chip_of(call: dict[str, Any]) -> str:
    demand(call["chip"] in CHIPS, "chip")
    chip = CHIPS[call["chip"]]
    return "A5" if chip == "A5" else "A2"  # A3 is A2 in everything below


# --------------------------------------------------------------------------- shape inference


def infer(call: dict[str, Any]) -> Verdict:
    """Outputs of a call whose shapes may be partly unknown."""
    try:
        return Verdict(True, outputs=infer_outputs(call))
    except RejectedError as error:
        return Verdict(False, str(error))


def known_dim(shape: list[int], axis: int) -> int:
    return -1 if shape == [-2] else shape[axis]


def infer_outputs(call: dict[str, Any]) -> dict[str, tuple[str, list[int]]]:
    chip_of(call)
    attrs = attributes(call, whole=False)
    given = tensors(call)
    layout, layout_kv, rope = attrs["layout_query"], attrs["layout_kv"], attrs["rope_head_dim"]
    demand(layout in RANK_Q, "layout_query")
    demand(layout_kv in RANK_KV, "layout_kv")
    demand(rope in (0, 64), "rope_head_dim")
    demand("query" in given and "key" in given, "presence")
    query, key = given["query"]["shape"], given["key"]["shape"]
    demand(query == [-2] or len(query) == RANK_Q[layout], "query rank")
    demand(key == [-2] or len(key) == RANK_KV[layout_kv], "key rank")
    infer_domains(query, known_dim(key, -2), rope)
    width = known_dim(query, -1)
    attention = [-2] if query == [-2] else [*query[:-1], -1 if width < 0 else width - rope]
    lse = infer_lse(attrs, query, key)
    return {
        "attention_out": (given["query"]["dtype"], attention),
        "softmax_max": ("float32", lse),
        "softmax_sum": ("float32", list(lse)),
    }


def infer_domains(query: list[int], kv_heads: int, rope: int) -> None:
    """Sizes that outputs depend on; heads are left to tiling, for inference does not know the chip."""
    demand(kv_heads in (-1, 1), "KV_N")
    if query != [-2]:
        demand(all(size == -1 or size > 0 for size in query[:-2]), "query dims")
        demand(query[-1] in (-1, 512 + rope), "Q_D")


def infer_lse(attrs: dict[str, Any], query: list[int], key: list[int]) -> list[int]:
    if not attrs["return_softmax_lse"]:
        return [0]
    if [-2] in (query, key):
        return [-2]
    kv_heads, heads = key[-2], query[-2]
    group = -1 if -1 in (kv_heads, heads) else heads // kv_heads
    if attrs["layout_query"] == "BSND":
        return [query[0], kv_heads, query[1], group]
    return [kv_heads, query[0], group]


# --------------------------------------------------------------------------- the whole contract


def judge(call: dict[str, Any]) -> Verdict:
    """The verdict of tiling: every rule, then key, workspace and bytes."""
    try:
        chip = chip_of(call)
        attrs = attributes(call)
        given = tensors(call)
        check_attributes(chip, attrs)
        check_presence(attrs, given)
        check_dtypes(chip, given)
        sizes = check_shapes(chip, attrs, given)
        check_rules(attrs, given, sizes)
        check_outputs(call, infer_outputs(call))
        return tile(call, chip, attrs, given, sizes)
    except RejectedError as error:
        return Verdict(False, str(error))


def check_attributes(chip: str, attrs: dict[str, Any]) -> None:
    accepted: dict[str, set[Any]] = {
        "key_quant_mode": {2},
        "value_quant_mode": {2},
        "sparse_block_size": SPARSE_BLOCKS[chip],
        "layout_query": {"BSND", "TND"},
        "layout_kv": {"BSND", "TND", "PA_BSND"},
        "sparse_mode": {0, 3},
        "pre_tokens": {LONGEST},
        "next_tokens": {LONGEST},
        "attention_mode": {2},
        "quant_scale_repo_mode": {1},
        "tile_size": {128},
        "rope_head_dim": {0, 64},
        "return_softmax_lse": {False} if chip == "A5" else {False, True},
    }
    demand(math.isfinite(attrs["scale_value"]), "scale_value")
    for name, values in accepted.items():
        demand(attrs[name] in values, name)
    paged = attrs["layout_kv"] == "PA_BSND"
    demand(paged or attrs["layout_kv"] == attrs["layout_query"], "layouts agree")


def check_presence(attrs: dict[str, Any], given: dict[str, Any]) -> None:
    for name in ("query", "key", "value", "sparse_indices"):
        demand(name in given, f"{name} presence")
    demand(("block_table" in given) == (attrs["layout_kv"] == "PA_BSND"), "block_table presence")
    if attrs["layout_query"] == "TND":
        demand("actual_seq_lengths_query" in given, "query lengths presence")
    if attrs["layout_kv"] != "BSND":
        demand("actual_seq_lengths_kv" in given, "kv lengths presence")


def check_dtypes(chip: str, given: dict[str, Any]) -> None:
    demand(given["query"]["dtype"] in ("float16", "bfloat16"), "query dtype")
    demand(given["key"]["dtype"] in KV_DTYPES[chip], "key dtype")
    demand(given["value"]["dtype"] == given["key"]["dtype"], "value dtype")
    for name in ("sparse_indices", "block_table", "actual_seq_lengths_query", "actual_seq_lengths_kv"):
        demand(name not in given or given[name]["dtype"] == "int32", f"{name} dtype")


def check_shapes(chip: str, attrs: dict[str, Any], given: dict[str, Any]) -> dict[str, int]:
    layout, layout_kv, rope = attrs["layout_query"], attrs["layout_kv"], attrs["rope_head_dim"]
    query, key, value = (given[name]["shape"] for name in ("query", "key", "value"))
    indices = given["sparse_indices"]["shape"]
    demand(len(query) == RANK_Q[layout], "query rank")
    demand(len(key) == RANK_KV[layout_kv], "key rank")
    demand(len(value) == len(key), "value rank")
    demand(len(indices) == len(query), "indices rank")
    lengths = given.get("actual_seq_lengths_query", {"shape": [query[0]]})["shape"]
    demand(len(lengths) == 1, "query lengths rank")
    batch = query[0] if layout == "BSND" else lengths[0]
    demand(batch > 0 and all(size > 0 for size in query), "empty query")
    demand(lengths == [batch], "query lengths shape")
    demand(query[-2] in HEADS[chip], "Q_N")
    demand(query[-1] == 512 + rope, "Q_D")
    demand(key[-2] == 1, "KV_N")
    demand(key[-1] == 512 + 2 * rope + 16, "KV_D")
    demand(value[:-1] == key[:-1] and value[-1] in (key[-1], 512), "value shape")
    demand(indices[:-1] == [*query[:-2], 1] and indices[-1] > 0, "indices shape")
    if "actual_seq_lengths_kv" in given:
        demand(given["actual_seq_lengths_kv"]["shape"] == [batch], "kv lengths shape")
    sizes = {"batch": batch, "rows": query[-3], "heads": query[-2], "sparse": indices[-1]}
    return sizes | check_cache(attrs, given, batch)


def check_cache(attrs: dict[str, Any], given: dict[str, Any], batch: int) -> dict[str, int]:
    """Lengths and blocks of the cache; ``s2`` is the longest sequence it can hold."""
    key = given["key"]["shape"]
    demand(all(size >= 0 for size in key), "negative key size")
    if attrs["layout_kv"] == "BSND":
        demand(key[0] == batch, "key batch")
        return {"s2": key[1], "block_size": 0, "max_blocks": 0}
    if attrs["layout_kv"] == "TND":
        return {"s2": key[0], "block_size": 0, "max_blocks": 0}
    table = given["block_table"]["shape"]
    demand(len(table) == 2 and table[0] == batch and table[1] > 0, "block_table shape")
    demand(16 <= key[1] <= 1024 and key[1] % 16 == 0, "block_size")
    demand(key[1] % attrs["sparse_block_size"] == 0, "paging divides")
    return {"s2": key[1] * table[1], "block_size": key[1], "max_blocks": table[1]}


def check_rules(attrs: dict[str, Any], given: dict[str, Any], sizes: dict[str, int]) -> None:
    if given["key"]["dtype"] == "hifloat8":
        demand(attrs["rope_head_dim"] == 64, "hifloat8 rope")
        demand(sizes["sparse"] == 2048, "hifloat8 sparse size")


def check_outputs(call: dict[str, Any], inferred: dict[str, tuple[str, list[int]]]) -> None:
    for name, allocated in call.get("outputs", {}).items():
        if allocated is not None:
            demand((allocated["dtype"], allocated["shape"]) == inferred[name], f"{name} as allocated")


# --------------------------------------------------------------------------- tiling


def up(value: int, step: int) -> int:
    return (value + step - 1) // step * step


def tile(
    call: dict[str, Any],
    chip: str,
    attrs: dict[str, Any],
    given: dict[str, Any],
    sizes: dict[str, int],
) -> Verdict:
    platform = call.get("platform", {})
    aic = platform.get("aic", 24 if chip == "A2" else 32)
    group = sizes["heads"]
    rows = up(min(group * sizes["rows"], 128), 16)
    s2_tile = min(512, sizes["s2"] or 1024)
    scores, values = up(s2_tile, 32) * rows, 576 * rows
    libapi = platform.get("libapi_workspace", 16 * 2**20)
    return Verdict(
        True,
        outputs=infer_outputs(call),
        key=tiling_key(attrs, group),
        workspace=libapi + workspace(chip, aic, group, scores, values),
        block_dim=aic,
        data=tiling_bytes(attrs, given, sizes, aic, (scores, values, s2_tile)),
    )


def workspace(chip: str, aic: int, group: int, scores: int, values: int) -> int:
    if chip == "A5":
        return 128 * 576 * 2 * 3 * (aic // 2) if group > 64 else 0
    floats = 2 * scores * aic * 4 + 2 * values * aic * 4 + 2 * 128 * aic * 4 + 2 * values * aic * 4
    return floats + 2 * scores * aic * 2 + 4 * 512 * 576 * 2 * aic + 4 * 128 * 4 * 2 * aic


def tiling_key(attrs: dict[str, Any], group: int) -> int:
    codes = {"BSND": 0, "TND": 1, "PA_BSND": 2}
    paged = attrs["layout_kv"] == "PA_BSND"
    parts = [
        (0, 1),
        (int(paged), 1),
        (codes[attrs["layout_query"]], 4),
        (codes[attrs["layout_kv"]], 4),
        (1, 4),
        (int(group > 64), 1),
    ]
    key, shift = 0, 0
    for code, bits in parts:
        key |= code << shift
        shift += bits
    return key


def tiling_bytes(
    attrs: dict[str, Any],
    given: dict[str, Any],
    sizes: dict[str, int],
    aic: int,
    tiles: tuple[int, int, int],
) -> bytes:
    q_lens, kv_lens = (given.get(f"actual_seq_lengths_{of}") for of in ("query", "kv"))
    row = 512 + 2 * attrs["rope_head_dim"] + 16
    scores, values, s2_tile = tiles
    base: list[tuple[str, int | float]] = [
        ("I", sizes["batch"]),
        ("I", sizes["s2"]),
        ("I", sizes["rows"]),
        ("q", sizes["block_size"]),
        ("I", sizes["max_blocks"]),
        ("I", q_lens["shape"][0] if q_lens else 0),
        ("I", kv_lens["shape"][0] if kv_lens else 0),
        ("f", attrs["scale_value"]),
        ("I", sizes["heads"]),
        ("I", 1 if attrs["layout_query"] == "TND" else 0),
        ("I", attrs["sparse_mode"]),
        ("q", attrs["sparse_block_size"]),
        ("I", sizes["sparse"]),
        ("q", row),
        ("I", int(q_lens is None)),
        ("I", int(kv_lens is None)),
        ("I", int(attrs["return_softmax_lse"])),
    ]
    rest: list[list[tuple[str, int | float]]] = [
        [("I", 0), ("I", aic * 2 * 128 * 576), ("I", 2 * aic * 2 * 128 * 8)],
        [("I", aic)],
        [("I", scores), ("I", values)],
        [("I", sizes["heads"]), ("I", s2_tile)],
    ]
    return b"".join(record(fields) for fields in [base, *rest])


def record(fields: list[tuple[str, int | float]]) -> bytes:
    """One struct: natural alignment inside, padded to 8 bytes at its end."""
    packed = b""
    for code, value in fields:
        if code == "I":
            demand(0 <= value <= U32, "a 32-bit tiling field")
        packed += b"\0" * (-len(packed) % struct.calcsize("<" + code))
        packed += struct.pack("<" + code, value)
    return packed + b"\0" * (-len(packed) % 8)
