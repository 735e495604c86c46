"""``verify --toolkit`` with the libraries of a toolkit: one that is made here, around the stand-in."""

from __future__ import annotations

import json
import platform
import subprocess
from pathlib import Path

import pytest

from qsfa_codegen.host import compiler
from qsfa_codegen.host.build import INCLUDE, RUNNER
from tests.cli_tools import Program
from tests.host.programs import ROOT

SPEC = ROOT / "tests" / "host" / "data_rules.yaml"
NAME = "gather_runs"
PARTS = Path(__file__).parent / "toolkit"
SHARED = ("libmetadef.so", "libopp_registry.so", "libplatform.so")


def make(root: Path, *flags: str, lib64: str = "lib64") -> Path:
    """A toolkit in ``root``; flags of the compiler choose faults of its libraries."""
    root.mkdir()
    (root / "include").symlink_to(PARTS / "include")
    (root / "pkg_inc").symlink_to(INCLUDE)
    libraries = root / lib64
    libraries.mkdir(parents=True)
    includes = (f"-I{PARTS / 'include'}", f"-I{INCLUDE}", f"-I{RUNNER}")
    command = [*compiler.find().command, "-std=c++17", *includes, *flags, "-fPIC", "-shared"]
    target = libraries / SHARED[0]
    sources = (PARTS / "src" / "toolkit.cpp", RUNNER / "definition.cpp")  # definitions call the latter
    subprocess.run([*command, *sources, "-o", target], check=True)
    for name in SHARED[1:]:
        (libraries / name).symlink_to(target)
    for name in ("librt2_registry.a", "libtiling_api.a"):
        subprocess.run(["ar", "rc", libraries / name], check=True)
    return root


def test_calls_run_with_the_libraries(program: Program, tmp_path: Path) -> None:
    root = make(tmp_path / "cann")
    done = program("verify", SPEC, "--count", "1500", "--toolkit", root, "--format", "json")
    assert (done.status, done.err) == (0, "")
    compiled, theirs, ours = map(json.loads, done.out.splitlines())
    assert compiled == {"operator": NAME, "toolkit": str(root), "compiles": True}
    assert (theirs["toolkit"], theirs["disagreeing"]) == (str(root), 0)
    assert 500 < theirs["legal"] < theirs["calls"] <= ours["calls"] == 1500
    assert "toolkit" not in ours


def test_libraries_that_give_another_answer(program: Program, tmp_path: Path) -> None:
    root = make(tmp_path / "cann", "-DTEN_TIMES_THE_CORES", lib64=f"{platform.machine()}-linux/lib64")
    done = program("verify", SPEC, "--count", "600", "--toolkit", root)
    assert done.status == 1
    compiled, *lines = (line for line in done.out.splitlines() if line.startswith(NAME))
    assert compiled == f"{NAME}: compiles with the headers of {root}"
    theirs, ours = lines
    assert theirs.startswith(f"{NAME} with the libraries of {root}: ")
    assert ": the engines disagree about " in theirs
    assert ours.endswith("the engines agree")
    case = json.loads(next(line for line in done.out.splitlines() if line.startswith("{")))
    assert case["expect"]["status"] == "ok"


@pytest.mark.parametrize(
    ("missing", "why"),
    [
        ("lib64/libopp_registry.so", "libopp_registry.so is not in its lib64 or devlib"),
        ("lib64/librt2_registry.a", "librt2_registry.a is not in its lib64 or devlib"),
    ],
)
def test_a_toolkit_that_lacks_a_library(program: Program, tmp_path: Path, missing: str, why: str) -> None:
    root = make(tmp_path / "cann")
    (root / missing).unlink()
    done = program("verify", SPEC, "--count", "1", "--toolkit", root)
    assert (done.status, done.err) == (0, "")
    assert f"{NAME}: not run with the libraries of {root}: {why}\n" in done.out


def test_a_toolkit_without_context_builders(program: Program, tmp_path: Path) -> None:
    (tmp_path / "cann").mkdir()
    (tmp_path / "cann" / "include").symlink_to(INCLUDE)
    done = program("verify", SPEC, "--count", "1", "--toolkit", tmp_path / "cann", "--format", "json")
    told = json.loads(done.out.splitlines()[1])
    assert told["runs"] is False
    assert told["reason"].startswith("it has no base/context_builder/op_tiling_context_builder.h, so ")


def test_libraries_that_do_not_link(program: Program, tmp_path: Path) -> None:
    root = make(tmp_path / "cann")
    (root / "lib64" / "libplatform.so").unlink()
    (root / "lib64" / "libplatform.so").write_text("not a library")
    done = program("verify", SPEC, "--count", "1", "--toolkit", root)
    assert done.status == 0
    assert f"not run with the libraries of {root}: the host code does not link with it: " in done.out
