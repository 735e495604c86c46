"""Comparison of results with what cases expect, and how results are shown."""

from __future__ import annotations

import json
from typing import Any

import pytest

from qsfa_codegen.contract.calls import Stage
from qsfa_codegen.contract.run import differences, exit_status, outcome_json, outcome_text, run_cases
from tests.contract.qsfa_calls import Case, batched, changed_case, paged, parsed, tensor
from tests.contract.specs import QSFA, evaluator

ACTUAL = {
    "status": "ok",
    "outputs": {"y": {"dtype": "float16", "shape": (2, 3)}},
    "tiling": {"key": 3, "data": {"scale": 0.10000000149011612, "flag": 1}, "bytes": "00ff"},
}


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        ({}, []),
        ({"status": "ok"}, []),
        ({"outputs": {"y": {"shape": [2, 3]}}}, []),
        ({"tiling": {"data": {"scale": 0.1}}}, []),
        ({"tiling": {"data": {"flag": 1}, "bytes": "00ff"}}, []),
        ({"status": "rejected"}, ['status: expected "rejected", got "ok"']),
        ({"outputs": {"y": {"shape": [2]}}}, ["outputs.y.shape: expected [2], got [2, 3]"]),
        ({"outputs": {"y": {"shape": [2, 4]}}}, ["outputs.y.shape[1]: expected 4, got 3"]),
        ({"outputs": {"z": {"dtype": "int8"}}}, ['outputs.z.dtype: expected "int8", got null']),
        (
            {"tiling": {"key": 4, "bytes": ""}},
            ["tiling.key: expected 4, got 3", 'tiling.bytes: expected "", got "00ff"'],
        ),
        ({"tiling": {"data": {"scale": 0.2}}}, ["tiling.data.scale: expected 0.2, got 0.10000000149011612"]),
        ({"violations": []}, ["violations: expected [], got null"]),
        ({"violations": [{"constraint": "x"}]}, ['violations: expected [{"constraint": "x"}], got null']),
    ],
)
def test_any_subset_can_be_expected(expected: dict[str, Any], found: list[str]) -> None:
    assert list(differences(expected, ACTUAL)) == found


def outcome(case: Case, expect: Any = None, stage: Stage | None = None) -> Any:
    call = parsed({**case, "expect": expect})
    (made,) = run_cases(evaluator(QSFA), [call], stage)
    return made


def test_the_json_form_is_that_of_the_case_format() -> None:
    shown = json.loads(outcome_json(outcome(changed_case(batched(), id="b"))))
    assert list(shown) == ["id", "status", "outputs", "tiling"]
    assert shown["outputs"]["softmax_max"] == {"dtype": "float32", "shape": [0]}
    assert list(shown["tiling"]) == ["key", "block_dim", "schedule_mode", "workspace", "data", "bytes"]
    assert shown["tiling"]["bytes"].startswith("0300000046000000")


def test_the_json_form_of_a_rejection() -> None:
    shown = json.loads(outcome_json(outcome(changed_case(paged(), sparse_mode=1))))
    assert shown == {
        "id": "case",
        "status": "rejected",
        "stage": "tiling",
        "violations": [
            {
                "constraint": "sparse_mode_value",
                "parameter": "sparse_mode",
                "message": "sparse_mode is 1; expected: sparse_mode is 0 (all) or 3 (right_down_causal)",
            }
        ],
    }


def test_a_stage_can_be_asked_for() -> None:
    shown = json.loads(outcome_json(outcome(changed_case(paged(), sparse_mode=1), stage=Stage.INFER)))
    assert list(shown) == ["id", "status", "outputs"]


def test_what_was_not_expected_is_shown_and_makes_the_run_fail() -> None:
    wrong = outcome(paged(), {"status": "ok", "tiling": {"key": 7}})
    right = outcome(changed_case(paged(), sparse_mode=1), {"status": "rejected"})
    assert json.loads(outcome_json(wrong))["unexpected"] == ["tiling.key: expected 7, got 1154"]
    assert "unexpected" not in json.loads(outcome_json(right))
    assert exit_status([right]) == 0
    assert exit_status([right, wrong]) == 1


def test_the_text_form() -> None:
    assert outcome_text(outcome(paged(), {"tiling": {"key": 7}})).splitlines() == [
        "case: ok; attention_out bfloat16 [2, 64, 8, 512], softmax_max float32 [0], softmax_sum float32 [0];"
        " key 1154; block dim 64; workspace 293928960",
        "    not as expected: tiling.key: expected 7, got 1154",
    ]
    case = changed_case(paged(), sparse_mode=1, block_table=None)
    assert outcome_text(outcome(case)).splitlines() == [
        "case: rejected at tiling",
        "    sparse_mode_value: sparse_mode is 1; expected: sparse_mode is 0 (all) or 3 (right_down_causal)",
        "    block_table_presence: layout_kv is PA_BSND, block_table is absent;"
        " expected: block_table is present",
    ]
    inferred = outcome(changed_case(batched(), query=tensor("float16", -2)), stage=Stage.INFER)
    assert outcome_text(inferred) == (
        "case: ok; attention_out float16 [-2], softmax_max float32 [0], softmax_sum float32 [0]"
    )
