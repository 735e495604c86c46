"""A build of many specs holds one operator at a time: nothing of a rendered one stays after `forget`."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from msgspec import Struct

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.memo import forget
from qsfa_codegen.render import cases, package
from qsfa_codegen.spec.load import load
from qsfa_codegen.spec.model import Operator

ROOT = Path(__file__).parents[2]
SPECS = {
    "kernel": ROOT / "spec/kv_quant_sparse_flash_attention.yaml",
    "no_kernel": ROOT / "spec/add_rms_norm_bias.yaml",
}


def left_of(file: str) -> set[str]:
    """Names of the types of everything alive that is the operator of ``file`` or has a place in it."""
    gc.collect()
    return {type(thing).__name__ for thing in gc.get_objects() if file_of(thing) == file}


def file_of(thing: object) -> str | None:
    if type(thing) is Operator:
        return thing.source.file
    span = getattr(thing, "span", None) if isinstance(thing, Struct) else None
    return span.file if type(span) is Span else None


@pytest.mark.parametrize("name", SPECS)
def test_nothing_of_an_operator_outlives_its_build(name: str, tmp_path: Path) -> None:
    copy = tmp_path / f"{name}.yaml"
    copy.write_bytes(SPECS[name].read_bytes())
    operator = load(copy, ROOT / "spec/chips.yaml")
    file = operator.source.file
    assert package.render(operator)
    assert cases.without_cases(operator) == {}
    assert {"Operator", "Check", "Ref"} <= left_of(file)
    del operator
    forget()
    assert left_of(file) == set()
