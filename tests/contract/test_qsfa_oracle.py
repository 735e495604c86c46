"""The package against a second implementation of the contract, written by hand."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from qsfa_codegen.contract.calls import Result
from tests.contract import qsfa_oracle
from tests.contract.qsfa_calls import Case, judged
from tests.contract.qsfa_oracle import Verdict
from tests.contract.qsfa_random import changed_case_of, legal_case, partly_unknown_case
from tests.contract.specs import QSFA

KNOWN = Path(__file__).with_name("qsfa_known.jsonl")
PACKAGED = Path(__file__).parents[2] / "generated" / QSFA / "tests" / f"{QSFA}_cases.jsonl"

# A seed makes a whole case: drawing its sixty choices one by one would take most of the time.
seeds = st.integers(0, 2**64 - 1).map(Random)
many = settings(max_examples=1200, deadline=None, derandomize=True, database=None, phases=[Phase.generate])


def verdict_of(case: Case) -> Verdict:
    return qsfa_oracle.infer(case) if case.get("stage") == "infer" else qsfa_oracle.judge(case)


def assert_agree(case: Case, result: Result) -> None:
    verdict = verdict_of(case)
    broken = [violation.constraint for violation in result.violations]
    assert result.ok == verdict.accepted, (broken, verdict.why, case)
    if not verdict.accepted:
        return
    outputs = {name: (t.dtype, list(t.shape)) for name, t in result.outputs.items()}
    assert outputs == verdict.outputs
    if case.get("stage") == "infer":
        assert result.tiling is None
        return
    assert result.tiling is not None
    assert result.tiling.key == verdict.key
    assert result.tiling.workspace == (verdict.workspace,)
    assert result.tiling.block_dim == verdict.block_dim
    assert result.tiling.bytes == verdict.data


@given(seeds)
@settings(many, max_examples=600)
def test_legal_calls(rng: Random) -> None:
    case = legal_case(rng)
    result = judged(case)
    assert result.ok, result.violations
    assert_agree(case, result)


@given(seeds)
@many
def test_changed_calls(rng: Random) -> None:
    case = changed_case_of(rng)
    assert_agree(case, judged({**case, "stage": "tiling"}))


@given(seeds)
@many
def test_shape_inference_with_unknown_sizes(rng: Random) -> None:
    case = partly_unknown_case(rng)
    assert_agree(case, judged(case))


@given(seeds)
@settings(many, max_examples=300)
def test_without_a_stage_the_stricter_of_both_decides(rng: Random) -> None:
    case = changed_case_of(rng)
    whole = judged(case)
    parts = [judged({**case, "stage": stage}) for stage in ("infer", "tiling")]
    assert whole.ok == all(part.ok for part in parts)
    ids = {violation.constraint for part in parts for violation in part.violations}
    assert {violation.constraint for violation in whole.violations} == ids
    reported = [(v.constraint, v.message) for v in whole.violations]
    assert len(reported) == len(set(reported))


def test_derived_calls() -> None:
    """What the package derives from the spec, judged by the implementation that knows no spec."""
    verdicts = {"ok": 0, "rejected": 0}
    for line in PACKAGED.read_text(encoding="utf-8").splitlines():
        case: dict[str, Any] = json.loads(line)
        assert case["expect"] == expectation(verdict_of(case), case), case["id"]
        verdicts[case["expect"]["status"]] += 1
    assert verdicts["ok"] > 200
    assert verdicts["rejected"] > 350


def expectation(verdict: Verdict, case: dict[str, Any]) -> dict[str, Any]:
    """All that a case of the package should expect; which rule is broken is taken from the case."""
    if not verdict.accepted:
        (violation,) = case["expect"]["violations"]
        return {"status": "rejected", "violations": [{"constraint": violation["constraint"]}]}
    outputs = {name: {"dtype": dtype, "shape": shape} for name, (dtype, shape) in verdict.outputs.items()}
    if case.get("stage") == "infer":
        return {"status": "ok", "outputs": outputs}
    launch = {"key": verdict.key, "block_dim": verdict.block_dim, "workspace": [verdict.workspace]}
    return {"status": "ok", "outputs": outputs, "tiling": launch}


def test_the_oracle_knows_the_known_answers() -> None:
    for line in KNOWN.read_text().splitlines():
        case = json.loads(line)
        expected = case["expect"]
        verdict = verdict_of(case)
        assert verdict.accepted == (expected["status"] == "ok"), case["id"]
        if "tiling" in expected:
            assert verdict.data is not None
            assert verdict.data.hex() == expected["tiling"]["bytes"]
            assert verdict.key == expected["tiling"]["key"]
