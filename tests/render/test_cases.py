"""The call cases of a package."""

from __future__ import annotations

import json

from qsfa_codegen.render import cases, package
from qsfa_codegen.render.templates import Templates
from tests.contract.specs import QSFA, evaluator


def test_the_package_has_its_call_cases() -> None:
    operator = evaluator(QSFA).operator
    (artefact,) = cases.ARTEFACTS
    assert artefact in package.ARTEFACTS
    assert artefact.group == "tests"
    assert artefact.path(operator) == "tests/kv_quant_sparse_flash_attention_cases.jsonl"


def test_each_line_is_one_case() -> None:
    operator = evaluator("store_kv_block").operator
    (artefact,) = cases.ARTEFACTS
    text = artefact.render(operator, Templates())
    assert text.endswith("\n")
    lines = [json.loads(line) for line in text.splitlines()]
    assert len({line["id"] for line in lines}) == len(lines) > 50
    assert lines[0] == {
        "id": "a2_ok_int8",
        "chip": "A2",
        "inputs": {
            "keyIn": {"dtype": "int8", "shape": [2, 3, 2, 3]},
            "keyCacheIn": {"dtype": "int8", "shape": [4, 1, 3, 2, 3]},
            "groupLen": {"dtype": "int32", "shape": [5]},
            "groupKeyIdx": {"dtype": "int32", "shape": [5]},
            "groupKeyCacheIdx": {"dtype": "int32", "shape": [5]},
        },
        "attrs": {"blockSize": 1},
        "expect": {
            "status": "ok",
            "outputs": {},
            "tiling": {"key": 1, "block_dim": 48, "workspace": [16 * 1024 * 1024]},
        },
    }
