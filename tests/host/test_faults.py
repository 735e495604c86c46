"""Host code that crashes, hangs or ends the program: reported with its call, and the next calls run."""

from __future__ import annotations

from pathlib import Path

import pytest

from qsfa_codegen.contract.calls import Stage
from qsfa_codegen.contract.run import exit_status, outcome_json, outcome_text, run_both, run_second
from qsfa_codegen.host.build import STRICT, build
from qsfa_codegen.host.engine import HostEngine
from qsfa_codegen.host.errors import HostError
from tests.host.programs import QSFA, edited, evaluator, operator, paged

_HEAD = "ge::graphStatus RunTiling(gert::TilingContext *context)\n{\n"
_TROUBLE = """\
    volatile int64_t zero = 0;
    switch (*context->GetAttrs()->GetAttrPointer<int64_t>(ATTR_TILE_SIZE)) {
        case 1:
            *reinterpret_cast<volatile int *>(zero) = 0;
            break;
        case 2:
            for (; zero == 0;) {
            }
            break;
        case 3:
            std::exit(3);
        case 4:
            OP_LOGE(context->GetNodeName(), "%s", "50% of it\\n[is odd]");
            return ge::GRAPH_SUCCESS;
        case 5:
            return ge::GRAPH_FAILED;
        case 6:
            return static_cast<ge::graphStatus>(context->GetInputShape(0)->GetStorageShape().GetDim(7));
        default:
            break;
    }
"""


@pytest.fixture(scope="module")
def troubled() -> Path:
    """The operator's host code, in which a tile size of 1 to 6 brings about trouble."""
    includes = "#include <cstdio>\n"
    edits = {_HEAD: _HEAD + _TROUBLE, includes: includes + "#include <cstdlib>\n"}
    return build(edited(QSFA, f"op_host/{QSFA}_tiling.cpp", edits), STRICT)


def host(program: Path) -> HostEngine:
    return HostEngine(operator(QSFA), program, limit=1.5)


@pytest.mark.parametrize(
    ("tile", "fault"),
    [
        (1, "crashed with SIGSEGV in tiling"),
        (2, "no answer within 1.5 s"),
        (3, "ended with exit status 3"),
        (4, "tiling succeeded, but logged an error: 50% of it\n[is odd]"),
        (6, "crashed with SIGABRT in tiling: axis 7 of a shape with 4 axes is read"),
    ],
)
def test_trouble_is_the_result_of_its_call_alone(troubled: Path, tile: int, fault: str) -> None:
    calls = [paged("before"), paged("trouble", tile_size=tile), paged("after"), paged("last", sparse_mode=1)]
    with host(troubled) as engine:
        before, trouble, after, last = engine.results(calls)
    assert (before.ok, after.ok, last.ok) == (True, True, False)
    assert before.tiling == after.tiling
    assert last.violations[0].constraint == "sparse_mode_value"
    assert (trouble.id, trouble.fault, trouble.ok) == ("trouble", fault, False)


def test_a_rejection_without_a_word_is_unexplained(troubled: Path) -> None:
    with host(troubled) as engine:
        (result,) = engine.results([paged("silent", tile_size=5)])
    (violation,) = result.violations
    assert (violation.constraint, violation.message) == ("unexplained", "the host code gives no reason")


def test_inference_does_not_meet_the_trouble_of_tiling(troubled: Path) -> None:
    with host(troubled) as engine:
        (result,) = engine.results([paged("infer", tile_size=1)], Stage.INFER)
    assert result.ok


def test_many_calls_and_many_crashes(troubled: Path) -> None:
    calls = [paged(str(n), tile_size=1 if n % 50 == 7 else 128) for n in range(400)]
    with host(troubled) as engine:
        results = list(engine.results(calls))
    assert [r.id for r in results] == [str(n) for n in range(400)]
    assert [r.id for r in results if r.fault] == [str(n) for n in range(7, 400, 50)]


def test_a_crash_fails_the_run_and_is_shown(troubled: Path) -> None:
    with host(troubled) as engine:
        outcomes = list(run_second(engine, [paged("boom", tile_size=1)]))
        both = list(run_both(evaluator(QSFA), engine, [paged("boom", tile_size=1)]))
    assert exit_status(outcomes) == 1
    assert outcome_json(outcomes[0]) == (
        '{"id": "boom", "status": "fault", "reason": "crashed with SIGSEGV in tiling"}'
    )
    assert outcome_text(outcomes[0]) == "boom: fault: crashed with SIGSEGV in tiling"
    assert both[0].disagreements == ("cpp: crashed with SIGSEGV in tiling",)
    assert exit_status(both) == 1


def test_what_the_host_code_runs_must_come_out_as_expected(troubled: Path) -> None:
    wanted = {"status": "rejected", "violations": [{"constraint": "query_rank"}]}
    call = paged("x").named("x", wanted)
    with host(troubled) as engine:
        (outcome,) = run_second(engine, [call])
    assert outcome.differences[0] == 'status: expected "rejected", got "ok"'
    assert exit_status([outcome]) == 1


def test_a_run_that_is_given_up_ends_the_program(troubled: Path) -> None:
    with host(troubled) as engine:
        results = engine.results(paged(str(n)) for n in range(1000))
        assert next(results).ok
    with pytest.raises(ZeroDivisionError), host(troubled) as engine:
        raise ZeroDivisionError(next(engine.results([paged("x")])))


def test_a_program_that_does_not_start_is_no_fault_of_a_call() -> None:
    path = f"op_host/{QSFA}_infershape.cpp"
    renamed = edited(QSFA, path, {"IMPL_OP_INFERSHAPE(KvQuant": "IMPL_OP_INFERSHAPE(Quant"})
    with pytest.raises(HostError) as caught:
        HostEngine(operator(QSFA), build(renamed, STRICT))
    assert caught.value.diagnostic.code == "QS923"
    assert "registered for QuantSparseFlashAttention, but the definition is of Kv" in caught.value.detail
