"""What bytes that a kernel moves are: by the way they go, and by the tensor or the part of the workspace."""

from __future__ import annotations

from collections.abc import Mapping

GLOBAL_ROUTES = ("gm_ub", "ub_gm", "gm_l1", "l1_gm", "l0c_gm")
TO_OPERANDS = ("l1_l0a", "l1_l0b")
ON_CHIP: Mapping[str, str] = {"KV and P, UB to L1": "ub_l1", "scores and P · V, L0C to UB": "l0c_ub"}
"""What stays off GM where vector and cube cores reach each other's memory."""

GATHERED = "KV gathered, GM to UB"
WRITTEN = "KV dequantised, UB to GM"
LOADED = "KV dequantised, GM to L1"
QUERY = "Q, GM to L1"
OUTPUTS = "outputs, UB to GM"
OTHER = "lists, tables, what cores tell each other"
# What the accumulator is read for is the output.
USES: Mapping[tuple[str, str], str] = {
    ("gm_ub", "key"): GATHERED,
    ("ub_gm", "kv"): WRITTEN,
    ("gm_l1", "kv"): LOADED,
    ("gm_l1", "query"): QUERY,
    ("l0c_gm", "qk"): "scores, L0C to GM",
    ("gm_ub", "qk"): "scores, GM to UB",
    ("ub_gm", "p"): "P, UB to GM",
    ("gm_l1", "p"): "P, GM to L1",
    ("l0c_gm", "pv"): "P · V, L0C to GM",
    ("l0c_gm", "acc"): "P · V, L0C to GM",
    ("gm_ub", "pv"): "P · V, GM to UB",
    ("ub_gm", "pv"): "running output, UB to GM",
    ("gm_ub", "acc"): "running output, GM to UB",
    ("ub_gm", "acc"): "running output, UB to GM",
    ("gm_ub", "attention_out"): "running output, GM to UB",
    ("ub_gm", "attention_out"): OUTPUTS,
    ("ub_gm", "softmax_max"): OUTPUTS,
    ("ub_gm", "softmax_sum"): OUTPUTS,
}
ROWS = (*dict.fromkeys(USES.values()), OTHER)
