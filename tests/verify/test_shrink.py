"""A call about which engines disagree becomes a small one, of the same kind, ready to be kept."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from qsfa_codegen.commands.verify_report import case
from qsfa_codegen.contract.calls import dump
from qsfa_codegen.contract.case_reader import parse_cases
from qsfa_codegen.contract.run import Outcome, run_both
from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.host.build import STRICT, build
from qsfa_codegen.host.engine import HostEngine
from qsfa_codegen.verify.disagree import first_of_each, signature, tally
from qsfa_codegen.verify.generate import Calls
from qsfa_codegen.verify.shrink import Shrinker
from tests.host.programs import QSFA, edited, evaluator, operator

FAULTS = {
    "attrs_.quantScaleRepoMode != QUANT_SCALE_REPO_MODE_COMBINE": "attrs_.quantScaleRepoMode == 5",
    "    params.sparseMode = static_cast<uint32_t>(attrs_.sparseMode);\n": "    params.sparseMode = "
    "static_cast<uint32_t>(dims_.b > 3 ? 9 : attrs_.sparseMode);\n",
    "dims_.sparseSize < 1": "dims_.sparseSize < 1 || dims_.qN == 16",
    "    params = {};\n": "    params = {};\n"
    "    if (dims_.blockSize > 512) {\n        __builtin_trap();\n    }\n",
}


@cache
def faulty() -> Path:
    return build(edited(QSFA, f"op_host/{QSFA}_tiling.cpp", FAULTS), STRICT)


@cache
def reduced() -> dict[str, Outcome]:
    """A small case of each fault, by the kind of disagreement."""
    calls = Calls(evaluator(QSFA))
    with HostEngine(operator(QSFA), faulty()) as host:
        found = tally(evaluator(QSFA), host, calls.calls(0, range(2500)))
        shrinker = Shrinker(evaluator(QSFA), host, calls.legal)
        return {" ".join(one.signature): shrinker.shrink(one) for one in first_of_each(found)}


def shape(outcome: Outcome, name: str) -> list[int]:
    shown: Any = case(outcome)
    return list(shown["inputs"][name]["shape"])


def test_each_fault_is_found() -> None:
    assert set(reduced()) == {
        "accepts quant_scale_repo_mode_value",
        "tiling.bytes",
        "rejects SPARSE_SIZE_value",
        "fault",
    }


def test_a_rule_that_is_missing_shrinks_to_a_legal_call_with_one_mistake() -> None:
    outcome = reduced()["accepts quant_scale_repo_mode_value"]
    assert [v.constraint for v in outcome.result.violations] == ["quant_scale_repo_mode_value"]
    assert outcome.call.attrs["quant_scale_repo_mode"] == 0
    assert len(outcome.call.inputs) == 4
    assert outcome.call.platform == {}
    assert outcome.call.attr_count is None


def test_a_wrong_field_shrinks_to_the_edge_of_the_fault() -> None:
    outcome = reduced()["tiling.bytes"]
    assert outcome.result.ok
    assert outcome.disagreements == ("tiling.bytes: baseParams.sparseMode python 3, cpp 9",)
    batches = shape(outcome, "query")[0] if len(shape(outcome, "query")) == 4 else None
    lengths = outcome.call.inputs.get("actual_seq_lengths_query")
    assert batches == 4 or shape(outcome, "actual_seq_lengths_query") == [4], lengths


def test_a_crash_shrinks_too() -> None:
    outcome = reduced()["fault"]
    assert outcome.disagreements[0].startswith("cpp: crashed with SIG")
    assert shape(outcome, "key")[1] == 528


@pytest.mark.parametrize(
    "kind", ["accepts quant_scale_repo_mode_value", "tiling.bytes", "rejects SPARSE_SIZE_value"]
)
def test_a_small_case_is_kept_as_a_line(kind: str) -> None:
    outcome = reduced()[kind]
    line = dump(case(outcome))
    assert len(line) < 3500
    sink = Sink()
    calls = parse_cases([line], operator(QSFA), sink)
    assert list(sink) == []
    with HostEngine(operator(QSFA), faulty()) as host:
        (again,) = run_both(evaluator(QSFA), host, calls)
    assert again.differences == ()
    assert signature(again) == signature(outcome)
    assert json.loads(line)["expect"]["status"] == ("ok" if outcome.result.ok else "rejected")
