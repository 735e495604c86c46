"""``verify`` on the command line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from qsfa_codegen.host import build as host_build
from qsfa_codegen.host import engine
from qsfa_codegen.host.build import STRICT, build
from tests.cli_tools import Program
from tests.host.programs import QSFA, ROOT, edited
from tests.verify.test_shrink import FAULTS

SPEC = ROOT / "spec" / f"{QSFA}.yaml"
SMALL = ("verify", SPEC, "--count", "2500")


@pytest.fixture(autouse=True)
def strict(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command compiles as the other tests do, so that it finds what they compiled."""

    def strictly(files: Mapping[str, str], *, sanitize: bool = False) -> Path:
        return build(files, STRICT, sanitize=sanitize)

    monkeypatch.setattr(host_build, "build", strictly)
    monkeypatch.delenv("ASCEND_HOME_PATH", raising=False)


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> None:
    files = edited(QSFA, f"op_host/{QSFA}_tiling.cpp", FAULTS)
    monkeypatch.setattr(engine, "host_files", lambda operator: files)


def test_engines_that_agree(program: Program) -> None:
    done = program(*SMALL)
    assert (done.status, done.err) == (0, "")
    first, second = done.out.splitlines()
    assert first.startswith(f"{QSFA}: 2,500 calls, 1,")
    assert first.endswith(" of them legal: the engines agree")
    assert second == "  rules that no call broke: paging_divides"


def test_few_calls_break_few_rules(program: Program) -> None:
    done = program("verify", SPEC, "--count", "1")
    assert done.out == f"{QSFA}: 1 call, 1 of them legal: the engines agree\n  rules that no call broke: 56\n"


def test_the_number_of_processes_changes_nothing(program: Program) -> None:
    outputs = [program(*SMALL, "--format", "json", "--jobs", jobs).out for jobs in ("1", "2")]
    assert outputs[0] == outputs[1]
    found = json.loads(outputs[0])
    assert (found["operator"], found["calls"], found["seed"]) == (QSFA, 2500, 0)
    assert (found["disagreeing"], found["disagreements"], found["unbroken"]) == (0, [], ["paging_divides"])


def test_another_seed_makes_other_calls(program: Program) -> None:
    legal = {
        json.loads(program(*SMALL, "--format", "json", "--seed", s).out)["legal"] for s in ("0", "1", "2")
    }
    assert len(legal) == 3


@pytest.mark.usefixtures("faulty")
def test_disagreements_are_printed_as_cases(program: Program, tmp_path: Path) -> None:
    done = program(*SMALL)
    assert (done.status, done.err) == (1, "")
    lines = done.out.splitlines()
    assert ": the engines disagree about " in lines[0]
    assert lines[0].endswith(", in 4 ways")
    assert any(line.startswith("  ") and "cpp: crashed with SIG" in line for line in lines)
    cases = [line for line in lines if line.startswith("{")]
    assert len(cases) == 4
    kept = tmp_path / "cases.jsonl"
    kept.write_text("".join(f"{line}\n" for line in cases))
    assert program("call", SPEC, kept).status == 0


@pytest.mark.usefixtures("faulty")
def test_disagreements_as_json(program: Program) -> None:
    done = program(*SMALL, "--format", "json")
    assert done.status == 1
    found = json.loads(done.out)
    assert found["disagreeing"] == sum(one["calls"] for one in found["disagreements"])
    said = [one["says"][0] for one in found["disagreements"]]
    assert "tiling.bytes: baseParams.sparseMode python 3, cpp 9" in said
    assert {one["case"]["expect"]["status"] for one in found["disagreements"]} == {"ok", "rejected"}


def test_a_spec_with_errors(program: Program, project: Path) -> None:
    spec = project / "spec" / "add_example.yaml"
    spec.write_text(spec.read_text().replace("name: AddExample", "name: 7"))
    done = program("verify", spec)
    assert done.status == 1
    assert "error[QS" in done.err


@pytest.mark.parametrize("arguments", [("--count", "0"), ("--jobs", "0"), ("no_such.yaml",)])
def test_usage(program: Program, arguments: tuple[str, ...]) -> None:
    assert program("verify", *arguments).status == 2


# --------------------------------------------------------------------------- a toolkit's headers


def toolkit(root: Path, folder: str) -> Path:
    """An include tree with the headers by which a toolkit is known, and nothing in them."""
    register = root / folder / "register"
    register.mkdir(parents=True)
    for name in ("op_def_registry.h", "op_impl_registry.h"):
        (register / name).write_text("#error empty tree\n")
    return root


@pytest.mark.parametrize("folder", ["include", "include/external"])
@pytest.mark.parametrize("named", [True, False])
def test_code_that_a_toolkit_refuses(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, named: bool
) -> None:
    root = toolkit(tmp_path / "cann", folder)
    if not named:
        monkeypatch.setenv("ASCEND_HOME_PATH", str(root))
    done = program("verify", SPEC, "--count", "1", *(("--toolkit", root) if named else ()))
    assert done.status == 1
    assert f"error[QS924]: op_host/{QSFA}_def.cpp does not compile with the headers of {root}\n" in done.err
    assert "#error empty tree" in done.err
    assert "the engines agree" in done.out


@pytest.mark.parametrize("named", [True, False])
def test_a_folder_without_a_toolkit(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    if not named:
        monkeypatch.setenv("ASCEND_HOME_PATH", str(tmp_path / "none"))
    done = program("verify", SPEC, *(("--toolkit", tmp_path / "none") if named else ()))
    assert (done.status, done.out) == (2, "")
    assert f"{tmp_path / 'none'} has no CANN toolkit: register/op_def_registry.h was looked for" in done.err


def test_headers_of_the_machine_s_architecture_are_found(program: Program, tmp_path: Path) -> None:
    import platform

    root = toolkit(tmp_path / "cann", f"{platform.machine()}-linux/include")
    stand_in = host_build.INCLUDE
    done = program("verify", SPEC, "--count", "1", "--toolkit", root)
    assert "#error empty tree" in done.err
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "include").symlink_to(stand_in)
    done = program("verify", SPEC, "--count", "1", "--toolkit", tmp_path / "real")
    assert (done.status, done.err) == (0, "")
    assert f"{QSFA}: compiles with the headers of {tmp_path / 'real'}\n" in done.out
