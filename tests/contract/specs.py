"""Operators that the tests of the contract run, each loaded once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.spec.load import load

_ROOT = Path(__file__).parents[2]
_SPECS = {
    path.stem: path
    for path in sorted((*(_ROOT / "tests" / "specs").glob("*.yaml"), *(_ROOT / "spec").glob("*.yaml")))
    if path.stem != "chips"
}
NAMES = tuple(_SPECS)
QSFA = "kv_quant_sparse_flash_attention"


def rows_of_a_tile(ub_size: int, width: int) -> int:
    """Stands for the extern function of the grouped matmul: rows that fit the unified buffer."""
    return max(ub_size // (width * 16), 1)


@cache
def evaluator(name: str) -> Evaluator:
    """The contract of the operator whose spec file is called ``name``."""
    return fresh(name)


def fresh(name: str) -> Evaluator:
    """As ``evaluator``, loaded anew."""
    return Evaluator(load(_SPECS[name]), {"max_rows": rows_of_a_tile})
