"""``call`` with the engines cpp and both."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from qsfa_codegen.commands.new import new
from qsfa_codegen.host import engine
from qsfa_codegen.host.build import STRICT, build
from tests.cli_tools import Program
from tests.contract import qsfa_calls
from tests.host.programs import QSFA, ROOT, edited

SPEC = ROOT / "spec" / f"{QSFA}.yaml"
LEGAL = qsfa_calls.changed_case(qsfa_calls.paged(), id="legal")
MISTAKES = qsfa_calls.changed_case(qsfa_calls.paged(), id="mistakes", sparse_mode=1, tile_size=3)


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "cases.jsonl"
    expecting = [{"constraint": "tile_size_value"}, {"constraint": "sparse_mode_value"}]
    lines = [LEGAL, {**MISTAKES, "expect": {"status": "rejected", "violations": expecting}}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def strict(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command compiles as the other tests do, so that it finds what they compiled."""

    def strictly(files: Mapping[str, str], *, sanitize: bool = False) -> Path:
        return build(files, STRICT, sanitize=sanitize)

    monkeypatch.setattr(engine, "build", strictly)


@pytest.mark.usefixtures("strict")
def test_cpp_reports_the_first_violation(program: Program, cases: Path) -> None:
    done = program("call", SPEC, cases, "--engine", "cpp")
    assert (done.status, done.err) == (0, "")
    legal, mistakes = map(json.loads, done.out.splitlines())
    assert legal["tiling"]["key"] == 1154
    assert legal["tiling"]["data"]["baseParams"]["batchSize"] == 2
    assert [v["constraint"] for v in mistakes["violations"]] == ["sparse_mode_value"]
    assert "unexpected" not in mistakes


@pytest.mark.usefixtures("strict")
def test_both_reports_every_violation_and_agrees(program: Program, cases: Path) -> None:
    cases.write_text(json.dumps(LEGAL) + "\n" + json.dumps(MISTAKES) + "\n")
    done = program("call", SPEC, cases, "--engine", "both", "--format", "text")
    assert (done.status, done.err) == (0, "")
    assert "engines disagree" not in done.out
    assert done.out.count("_value: ") == 2


@pytest.mark.usefixtures("strict")
def test_both_shows_a_disagreement_and_fails(
    program: Program, cases: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"op_host/{QSFA}_tiling.cpp"
    edits = {
        "    params.sparseMode = static_cast<uint32_t>(attrs_.sparseMode);\n": "    params.sparseMode = 9;\n",
        "attrs_.quantScaleRepoMode != QUANT_SCALE_REPO_MODE_COMBINE": "attrs_.quantScaleRepoMode == 5",
    }
    files = edited(QSFA, path, edits)
    monkeypatch.setattr(engine, "host_files", lambda operator: files)
    single = qsfa_calls.changed_case(LEGAL, id="single", quant_scale_repo_mode=3)
    cases.write_text(json.dumps(LEGAL) + "\n" + json.dumps(single) + "\n")
    done = program("call", SPEC, cases, "--engine", "both")
    assert done.status == 1
    legal, single = map(json.loads, done.out.splitlines())
    assert legal["status"] == "ok"
    assert legal["disagreements"] == ["tiling.bytes: baseParams.sparseMode python 3, cpp 9"]
    assert single["disagreements"] == [
        "status: python rejected for quant_scale_repo_mode_value (quant_scale_repo_mode is 3; "
        "expected: quant_scale_repo_mode is 1 (combine)), cpp ok"
    ]
    text = program("call", SPEC, cases, "--engine", "both", "--format", "text")
    assert "    engines disagree: tiling.bytes: baseParams.sparseMode python 3, cpp 9\n" in text.out


def test_without_a_compiler_the_command_says_so(
    program: Program, cases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    done = program("call", SPEC, cases, "--engine", "cpp", "--color", "never")
    assert (done.status, done.out) == (3, "")
    assert done.err.startswith("error[QS921]: there is no C++ compiler")


def test_the_engine_python_needs_no_compiler(
    program: Program, cases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert program("call", SPEC, cases).status == 1  # the order of the expected violations is not theirs


def test_sanitizers_are_for_host_code(program: Program, cases: Path) -> None:
    done = program("call", SPEC, cases, "--sanitize")
    assert done.status == 2
    assert "choose --engine cpp or both" in done.err


# --------------------------------------------------------------------------- cases of the package

WITH_EXTERN = """
tiling:
  extern:
    rows_at_once: {args: [ub, d], returns: int64, cpp: my/rows.h, python: my.rows}
  data:
    struct: StarterTilingData
    fields:
      rows: {type: int64, value: "rows_at_once(ub_size, D)"}
  block_dim: aiv
"""
OWN_CASES = {  # what becomes of tiling → a spec
    "generated": ROOT / f"spec/{QSFA}.yaml",
    "none": ROOT / "tests/specs/store_kv_block.yaml",
    "a library's": ROOT / "tests/specs/grouped_matmul_swiglu_quant_weight_nz_tensor_list.yaml",
    "calls a file of the user's": None,
}


@pytest.fixture(params=OWN_CASES)
def any_spec(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    spec = OWN_CASES[request.param]
    if spec is None:
        spec = new("Starter", tmp_path)
        spec.write_text(spec.read_text() + WITH_EXTERN)
    return spec


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("engine", ["python", "cpp", "both"])
def test_a_packages_own_cases_pass_with_every_engine(
    program: Program, any_spec: Path, engine: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert program("build", any_spec, "--out", out, "--quiet").status == 0
    (cases,) = out.glob("*/tests/*_cases.jsonl")
    done = program("call", any_spec, cases, "--engine", engine)
    assert len(done.out.splitlines()) == len(cases.read_text().splitlines()) > 10
    assert '"unexpected"' not in done.out
    assert done.status == 0


@pytest.mark.usefixtures("strict")
def test_what_the_engine_runs_is_held_against_the_expectation(program: Program, tmp_path: Path) -> None:
    spec, cases = new("Starter", tmp_path), tmp_path / "cases.jsonl"
    outputs = [{"y": {"shape": [2, 16]}}, {"y": {"shape": [2, 32]}}]
    lines = [
        {
            "id": f"case{number}",
            "chip": "A2",
            "inputs": {"x": {"dtype": "float16", "shape": [2, 16]}},
            "expect": {"outputs": expected, "tiling": {"key": 1}},
        }
        for number, expected in enumerate(outputs)
    ]
    cases.write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = program("call", spec, cases, "--engine", "cpp")
    right, wrong = map(json.loads, done.out.splitlines())
    assert done.status == 1
    assert "unexpected" not in right
    assert wrong["unexpected"] == ["outputs.y.shape[1]: expected 32, got 16"]
