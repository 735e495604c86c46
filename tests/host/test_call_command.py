"""``call`` with the engines cpp and both."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

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
        "attrs_.quantScaleRepoMode != 1": "attrs_.quantScaleRepoMode == 5",
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
        "expected: quant_scale_repo_mode is 1), cpp ok"
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
