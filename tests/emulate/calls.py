"""Small calls of the first operator, and its naive kernel with one fault or none."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.reference.families import FamilyReference, reference_of
from qsfa_codegen.spec.load import analyse
from qsfa_codegen.spec.model import Operator
from tests.cli_tools import ROOT

SPEC = ROOT / "spec/kv_quant_sparse_flash_attention.yaml"
NAIVE = Path(__file__).with_name("naive")
HEADER = "arch22/kv_quant_sparse_flash_attention_kernel.h"


@cache
def operator() -> Operator:
    found = analyse(SPEC, Sink())
    assert found is not None
    return found


@cache
def evaluator() -> Evaluator:
    return Evaluator(operator())


def family() -> FamilyReference:
    found = reference_of(operator())
    assert found is not None
    return found


def case(
    name: str = "small",
    *,
    half: str = "bfloat16",
    layouts: tuple[str, str] = ("BSND", "BSND"),
    heads: int = 1,
    rope: int = 0,
    lse: bool = True,
    **attrs: object,
) -> dict[str, object]:
    """A call case with two batches of two query rows and a few tokens each."""
    joined, paged = layouts[0] == "TND", layouts[1] == "PA_BSND"
    width, row = 512 + rope, 528 + 2 * rope
    cache = [4, 16, 1, row] if paged else [8, 1, row] if joined else [2, 4, 1, row]
    inputs: dict[str, object] = {
        "query": {"dtype": half, "shape": [4, heads, width] if joined else [2, 2, heads, width]},
        "key": {"dtype": "int8", "shape": cache},
        "value": {"dtype": "int8", "shape": cache},
        "sparse_indices": {"dtype": "int32", "shape": [4, 1, 3] if joined else [2, 2, 1, 3]},
    }
    if joined:
        inputs["actual_seq_lengths_query"] = {"dtype": "int32", "shape": [2], "data": [2, 4]}
    if paged:
        inputs["block_table"] = {"dtype": "int32", "shape": [2, 2]}
    if joined or paged:
        lengths = [5, 3] if paged else [5, 8]
        inputs["actual_seq_lengths_kv"] = {"dtype": "int32", "shape": [2], "data": lengths}
    fixed = {"scale_value": 0.044, "key_quant_mode": 2, "value_quant_mode": 2, "attention_mode": 2}
    named = {"layout_query": layouts[0], "layout_kv": layouts[1], "rope_head_dim": rope}
    given = {**fixed, **named, "return_softmax_lse": lse, **attrs}
    return {"id": name, "chip": "A2", "inputs": inputs, "attrs": given}


def written(folder: Path, *cases: object) -> Path:
    """A file with the cases."""
    path = folder / "cases.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in cases))
    return path


def naive_with(fault: str, folder: Path) -> Path:
    """The naive kernel with a fault, as a folder for ``--kernel``."""
    text = (
        (NAIVE / HEADER).read_text().replace("#define NAIVE_FAULT FAULT_NONE", f"#define NAIVE_FAULT {fault}")
    )
    target = folder / "kernel" / HEADER
    target.parent.mkdir(parents=True)
    target.write_text(text)
    return folder / "kernel"


def line(mark: str) -> int:
    """The line of the naive kernel that ends in a comment with ``mark``."""
    lines = (NAIVE / HEADER).read_text().splitlines()
    (found,) = (number for number, text in enumerate(lines, 1) if text.endswith(f"// {mark}"))
    return found
