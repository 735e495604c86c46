"""Whatever check is taken out of the generated host code, the engines disagree.

One program has them all, each behind a switch that the environment turns off.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call, Stage, TensorArg
from qsfa_codegen.expr.nodes import Expr, Literal
from qsfa_codegen.host.build import build
from qsfa_codegen.host.engine import HostEngine, host_files
from qsfa_codegen.spec.model import leaves
from qsfa_codegen.verify.disagree import disagreeing
from qsfa_codegen.verify.generate import Calls
from tests.host.programs import QSFA, evaluator, operator, paged
from tests.host.switches import Switched, switched

TILING = f"op_host/{QSFA}_tiling.cpp"
INFER = f"op_host/{QSFA}_infershape.cpp"
RANDOM_CALLS = 2000

# No call that passes the checks before these breaks them, so nothing can tell whether host code still has
# them. They stay: a chip that accepts other block sizes, or another buffer, would need them. Tests below try
# every value for the first and the largest for the second.
# paging_divides: pages are multiples of 16 tokens, and what divides them is one of 1, 2, 4, 8 and 16.
# workspace_fits: with the cores that accumOutSize can count, the workspace is far below 2^63 bytes.
NOT_BREAKABLE = {"paging_divides", "workspace_fits"}

# Fields that overflow only in calls in which one that is stored before them overflows too, each with those:
# the number of lengths is the batch size; a page has tokens, so the tokens of a batch outgrow its pages; the
# products of tiles overflow only where the tokens of query or key do; LSE takes fewer bytes than the output.
AFTER_OTHERS = {
    "actualLenDimsKV_fits": {"batchSize_fits"},
    "actualLenDimsQ_fits": {"batchSize_fits"},
    "bmm2ResUbSize_fits": {"qSeqSize_fits"},
    "logSumExpSize_fits": {"accumOutSize_fits"},
    "maxBlockNumPerBatch_fits": {"seqSize_fits"},
    "mmResUbSize_fits": {"qSeqSize_fits", "seqSize_fits"},
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
    assert unnoticed == AFTER_OTHERS.keys()
    assert fields - unnoticed == {
        "accumOutSize_fits",
        "batchSize_fits",
        "qSeqSize_fits",
        "seqSize_fits",
        "sparseBlockCount_fits",
    }


def large(batch: int = 2, tokens: int = 64) -> Call:
    """A call with all sizes as they should be, and too large for the fields that count them."""
    call = paged("large")
    lengths = TensorArg("int32", (batch,))
    sizes = {
        "query": (batch, tokens, 8, 576),
        "sparse_indices": (batch, tokens, 1, 128),
        "block_table": (batch, 16),
    }
    inputs = dict(call.inputs)
    for name, shape in sizes.items():
        given = inputs[name]
        assert isinstance(given, TensorArg)
        inputs[name] = TensorArg(given.dtype, shape)
    inputs |= {"actual_seq_lengths_query": lengths, "actual_seq_lengths_kv": lengths}
    return replace(call, inputs=inputs)


@pytest.mark.parametrize("field", sorted(AFTER_OTHERS))
def test_a_field_overflows_only_after_one_that_is_stored_before_it(field: str) -> None:
    source = host_files(operator(QSFA))[TILING]
    stored = [f"{name}_fits" for name in re.findall(r'Store\("(\w+)"', source)]
    assert all(stored.index(first) < stored.index(field) for first in AFTER_OTHERS[field])
    calls = [call for (rule, _), found in calls_by_rule().items() if rule == field for call in found]
    calls += [large(batch=2**32), large(tokens=2**61)]
    broken = [{violation.constraint for violation in evaluator(QSFA).evaluate(c).violations} for c in calls]
    # Others are rejected before anything is stored.
    checked = [rules for rules in broken if field in rules and all(rule.endswith("_fits") for rule in rules)]
    assert checked
    assert all(rules & AFTER_OTHERS[field] for rules in checked)


def test_every_accepted_block_divides_every_page() -> None:
    sizes = {dim.name: dim for dim in operator(QSFA).dims}["BLOCK_SIZE"]
    accepted = {attr.name: attr for attr in operator(QSFA).attrs}["sparse_block_size"].domain
    assert accepted is not None
    blocks = {value.value for domain in leaves(accepted) for value in domain.values}
    least, most, step = (number(part) for part in (sizes.minimum, sizes.maximum, sizes.multiple_of))
    pages = [page for page in range(least, most + 1) if page % step == 0]
    assert (len(blocks), len(pages)) == (5, 64)
    assert [(block, page) for block in blocks for page in pages if page % int(block)] == []


def number(expr: Expr | None) -> int:
    assert isinstance(expr, Literal)
    return int(expr.value)


def test_the_largest_workspace_is_far_from_its_limit() -> None:
    # accumOutSize: aic * 2 * KV_N * M_TILE_MAX * d_pad in 32 bits; the sizes are those of the contract.
    most_cores = (2**32 - 1) // (2 * 1 * 128 * 576)
    call = paged("cores")
    base = evaluator(QSFA).evaluate(replace(call, platform={"aic": most_cores, "aiv": 2 * most_cores}))
    over = evaluator(QSFA).evaluate(
        replace(call, platform={"aic": most_cores + 1, "aiv": 2 * most_cores + 2})
    )
    assert base.tiling is not None
    assert sum(base.tiling.workspace) < 2**40
    assert "accumOutSize_fits" in {violation.constraint for violation in over.violations}
