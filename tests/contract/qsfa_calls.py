"""Legal calls of the quantised sparse attention operator, and ways to change them."""

from __future__ import annotations

import copy
import json
from typing import Any

from qsfa_codegen.contract.calls import Call, Result
from qsfa_codegen.contract.case_reader import parse_cases
from qsfa_codegen.diagnostics import Sink
from tests.contract.specs import QSFA, evaluator

Case = dict[str, Any]
DEVICE = {"aic": 64, "aiv": 64, "libapi_workspace": 16777216}
SCALE = 0.044194173


def _case(chip: str, inputs: dict[str, Any], **attrs: Any) -> Case:
    required = {"scale_value": SCALE, "key_quant_mode": 2, "value_quant_mode": 2, "attention_mode": 2}
    return {
        "id": "case",
        "chip": chip,
        "platform": dict(DEVICE),
        "inputs": inputs,
        "attrs": {**required, **attrs},
    }


def tensor(dtype: str, *shape: int) -> dict[str, Any]:
    return {"dtype": dtype, "shape": list(shape)}


def paged() -> Case:
    """Known answer 1: BSND query over a paged cache."""
    return _case(
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
        sparse_block_size=16,
        layout_kv="PA_BSND",
    )


def packed() -> Case:
    """Known answer 2: TND query over a TND cache."""
    return _case(
        "A2",
        {
            "query": tensor("float16", 96, 16, 576),
            "key": tensor("int8", 256, 1, 656),
            "value": tensor("int8", 256, 1, 656),
            "sparse_indices": tensor("int32", 96, 1, 64),
            "actual_seq_lengths_query": tensor("int32", 2),
            "actual_seq_lengths_kv": tensor("int32", 2),
        },
        sparse_block_size=8,
        layout_query="TND",
        layout_kv="TND",
        sparse_mode=0,
    )


def batched() -> Case:
    """BSND query over a BSND cache, without lengths."""
    return _case(
        "A2",
        {
            "query": tensor("float16", 3, 5, 4, 576),
            "key": tensor("int8", 3, 70, 1, 656),
            "value": tensor("int8", 3, 70, 1, 512),
            "sparse_indices": tensor("int32", 3, 5, 1, 9),
        },
    )


def on_a5(case: Case, dtype: str = "float8_e4m3fn") -> Case:
    """The case on the chip that has the small float types."""
    changed = changed_case(case, chip="A5")
    changed["inputs"]["key"]["dtype"] = changed["inputs"]["value"]["dtype"] = dtype
    changed["attrs"]["sparse_block_size"] = 1
    return changed


def changed_case(case: Case, **changes: Any) -> Case:
    """A copy of the case: ``input__shape=…``, ``input__dtype=…``, ``input=None``, an attribute or a key."""
    made = copy.deepcopy(case)
    for name, value in changes.items():
        owner, _, part = name.partition("__")
        if part:
            made["inputs"][owner][part] = value
        elif owner in made["inputs"] or (isinstance(value, dict) and "shape" in value):
            made["inputs"][owner] = value
        elif owner in ("chip", "attr_count", "stage", "platform", "outputs", "id"):
            made[owner] = value
        else:
            made["attrs"][owner] = value
    return made


def parsed(case: Case) -> Call:
    """The case as the package reads it."""
    sink = Sink()
    calls = parse_cases([json.dumps(case)], evaluator(QSFA).operator, sink)
    assert [d.message for d in sink] == []
    return calls[0]


def judged(case: Case) -> Result:
    """What the package says of the case."""
    return evaluator(QSFA).evaluate(parsed(case))


def broken(case: Case) -> list[str]:
    """Ids of the rules that the case breaks."""
    return [violation.constraint for violation in judged(case).violations]
