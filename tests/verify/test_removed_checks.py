"""Whatever check is taken out of the generated host code, the engines disagree.

One program has them all, each behind a switch that the environment turns off.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from qsfa_codegen.contract.calls import Call, Stage
from qsfa_codegen.host.build import build
from qsfa_codegen.host.engine import HostEngine, host_files
from qsfa_codegen.verify.disagree import disagreeing
from qsfa_codegen.verify.generate import Calls
from tests.host.programs import QSFA, evaluator, operator
from tests.host.switches import Switched, switched

TILING = f"op_host/{QSFA}_tiling.cpp"
INFER = f"op_host/{QSFA}_infershape.cpp"
RANDOM_CALLS = 2000

# No call that passes the checks before these breaks them, so nothing can tell whether host code still has
# them. paging_divides: pages are multiples of 16 tokens, and what divides them is one of 1, 2, 4, 8 and 16.
# workspace_fits: with the cores that accumOutSize can count, the workspace is far below 2^63 bytes.
NOT_BREAKABLE = {"paging_divides", "workspace_fits"}

# Fields that overflow only in calls in which one that is stored before them overflows too: the batch size,
# the pages of a batch within its tokens, and what follows from the tokens or the number of cores.
AFTER_OTHERS = {
    "actualLenDimsKV_fits",
    "actualLenDimsQ_fits",
    "bmm2ResUbSize_fits",
    "logSumExpSize_fits",
    "maxBlockNumPerBatch_fits",
    "mmResUbSize_fits",
}


@cache
def sources() -> dict[str, Switched]:
    files = host_files(operator(QSFA))
    return {path: switched(files[path], path) for path in (TILING, INFER)}


@cache
def program() -> Path:
    replaced = {path: source.text for path, source in sources().items()}
    return build({**host_files(operator(QSFA)), **replaced})


@cache
def calls_by_rule() -> dict[tuple[str, Stage | None], list[Call]]:
    """The calls that break each rule, by the stage they are made for."""
    made = Calls(evaluator(QSFA))
    found: dict[tuple[str, Stage | None], list[Call]] = {}
    for call in made.calls(0, range(len(made.derived) + RANDOM_CALLS)):
        for violation in evaluator(QSFA).evaluate(call).violations:
            found.setdefault((violation.constraint, call.stage), []).append(call)
    return found


def noticed(switch: str, rule: str, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether some call of verify tells that a check is missing."""
    monkeypatch.setenv("REMOVED_CHECK", switch)
    calls = [*calls_by_rule().get((rule, stage), ()), *calls_by_rule().get((rule, None), ())]
    with HostEngine(operator(QSFA), program()) as host:
        return any(disagreeing(evaluator(QSFA), host, calls))


@pytest.mark.parametrize(("path", "stage"), [(TILING, Stage.TILING), (INFER, Stage.INFER)])
def test_every_removed_check_is_noticed(path: str, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    checks = sources()[path].checks
    unnoticed = [rule for rule, switch in checks if not noticed(switch, rule, stage, monkeypatch)]
    assert len(checks) > (10 if stage is Stage.INFER else 60)
    assert set(unnoticed) == (NOT_BREAKABLE if stage is Stage.TILING else set())


def test_every_rule_has_a_check_that_can_be_removed() -> None:
    rules = {rule for source in sources().values() for rule, _ in source.checks}
    assert rules >= {check.id for check in operator(QSFA).checks}
    assert {"scale_value_presence", "workspace_fits"} <= rules


def test_with_all_checks_nothing_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not noticed("no such check", "B_value", Stage.TILING, monkeypatch)


def test_every_removed_check_of_a_field_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    fields = {rule for rule, _ in calls_by_rule() if rule.endswith("_fits")} - {"workspace_fits"}
    unnoticed = {
        field
        for field in sorted(fields)
        if not any(
            noticed(f"{field}:{what}", field, Stage.TILING, monkeypatch) for what in ("value", "arith")
        )
    }
    assert unnoticed == AFTER_OTHERS
    assert fields - unnoticed == {
        "accumOutSize_fits",
        "batchSize_fits",
        "qSeqSize_fits",
        "seqSize_fits",
        "sparseBlockCount_fits",
    }
