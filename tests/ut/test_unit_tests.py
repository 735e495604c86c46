"""The generated unit tests, compiled and run: they pass on generated host code and fail on damaged one."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from qsfa_codegen.host import compiler
from qsfa_codegen.host.build import INCLUDE
from qsfa_codegen.host.engine import host_files
from qsfa_codegen.render import unit_tests
from qsfa_codegen.render.package import render_these
from qsfa_codegen.render.text import LINE_LIMIT
from qsfa_codegen.spec.load import load
from qsfa_codegen.spec.model import Operator
from tests.host.programs import QSFA, SPECS
from tests.host.switches import switched
from tests.render.style import CLANG_FORMAT, STYLE

ROOT = Path(__file__).parents[2]
STAND_IN = Path(__file__).with_name("include")
FLAGS = ("-std=c++17", "-O0", "-fno-exceptions", "-Wall", "-Wextra", "-Werror")
OTHERS = ("specs/grouped_matmul_swiglu_quant_weight_nz_tensor_list", "host/data_rules")
"""Operators with what the four have not: lists of tensors, and data that tiling reads."""


@cache
def operators() -> tuple[Operator, ...]:
    paths = [*(ROOT / "spec" / name for name in SPECS), *(ROOT / "tests" / name for name in OTHERS)]
    return tuple(load(path.with_suffix(".yaml")) for path in paths)


@cache
def files(operator: Operator) -> Mapping[str, str]:
    return {**host_files(operator), **render_these(operator, unit_tests.ARTEFACTS)}


# --------------------------------------------------------------------------- compiling


def has_gtest() -> bool:
    """Whether the compiler finds gtest; `make test` installs it where it may."""
    asked = [*compiler.find().command, "-E", "-x", "c++", "-"]
    source = "#include <gtest/gtest.h>\n"
    return subprocess.run(asked, input=source, capture_output=True, text=True).returncode == 0


needs_gtest = pytest.mark.skipif(not has_gtest(), reason="needs gtest (Debian: apt-get install libgtest-dev)")


class Workshop(NamedTuple):
    """A folder with a package for each operator, and the objects of the tests in it."""

    folder: Path
    tests: tuple[Path, ...]
    host: tuple[Path, ...]

    def linked(self, name: str, others: Sequence[Path] = ()) -> Path:
        """The tests with the host code; an object of ``others`` takes the place of the one of its name."""
        replaced = {path.name: path for path in others}
        objects = [*self.tests, *(replaced.get(path.name, path) for path in self.host)]
        program = self.folder / f"{name}.program"
        libraries = ("-lgtest_main", "-lgtest", "-lpthread", "-o", str(program))
        subprocess.run([*compiler.find().command, *map(str, objects), *libraries], check=True)
        return program


def compiled(source: Path, target: Path, *flags: str) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    includes = (f"-I{INCLUDE}", f"-I{STAND_IN}")
    command = [*compiler.find().command, *FLAGS, *flags, *includes, "-c", str(source), "-o", str(target)]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return target


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    folder = tmp_path_factory.mktemp("ut")
    tests: dict[str, list[str]] = {}
    host: list[Path] = []
    for operator in operators():
        for path, text in files(operator).items():
            target = folder / operator.snake / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
            if path.startswith("tests/") and path.endswith(".cpp"):
                tests.setdefault(path.rpartition("_")[2], []).append(f'#include "{target}"\n')
            elif path.endswith(("_tiling.cpp", "_infershape.cpp")):
                host.append(target)
    # The framework's headers take most of the time: tests of one kind are compiled together.
    for kind, includes in tests.items():
        (folder / f"tests_{kind}").write_text("".join(includes), encoding="utf-8")
    sources = [folder / f"tests_{kind}" for kind in tests]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(lambda s: compiled(s, folder / f"{s.name}.o"), [*sources, *host]))
    return Workshop(folder, tuple(objects[: len(sources)]), tuple(objects[len(sources) :]))


class Report(NamedTuple):
    """How many of a program's tests ran, and which of them failed; a crash ends the run with a failure."""

    ran: int
    failed: frozenset[str]


def run(program: Path, only: str = "*", **environment: str) -> Report:
    command = [str(program), f"--gtest_filter={only}"]
    ran = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    names = re.findall(r"^\[ RUN      \] (\S+)", ran.stdout, re.M)
    failed = set(re.findall(r"^\[  FAILED  \] (\S+), where", ran.stdout, re.M))
    if ran.returncode < 0:
        failed.add(names[-1])
    assert (ran.returncode == 0) is not bool(failed), ran.stdout + ran.stderr
    return Report(len(names), frozenset(failed))


def test_the_stand_in_is_formatted() -> None:
    headers = sorted(STAND_IN.rglob("*.h"))
    command = [str(CLANG_FORMAT), "--dry-run", "--Werror", f"--style=file:{STYLE}", *map(str, headers)]
    subprocess.run(command, check=True)
    for header in headers:
        lines = header.read_text(encoding="utf-8").splitlines()
        assert max(map(len, lines)) <= LINE_LIMIT
        own = header.name == "fake_node.h"
        assert lines[0].startswith(
            "// No header of" if own else f"// Stands in for {header.relative_to(STAND_IN)}"
        )


# --------------------------------------------------------------------------- on the generated host code


@pytest.fixture(scope="module")
def program(workshop: Workshop) -> Path:
    return workshop.linked("program")


@needs_gtest
def test_they_pass_on_the_generated_host_code(program: Path) -> None:
    report = run(program)
    assert report.failed == frozenset()
    assert report.ran > 400


# --------------------------------------------------------------------------- on damaged host code

OP = "KvQuantSparseFlashAttention"
SUITES = f"{OP}/{OP}"

# Without these checks a later one rejects the same calls: what is absent has no axes, and shapes follow from
# attributes. `verify`, which reads the messages, notices them (tests/verify/test_removed_checks.py).
MASKED = {
    "infershape": {"layout_query_value", "rope_head_dim_value"},
    "tiling": {
        "scale_value_presence",
        "key_quant_mode_presence",
        "value_quant_mode_presence",
        "rope_head_dim_value",
        "query_presence",
        "key_presence",
        "value_presence",
        "sparse_indices_presence",
        "block_table_presence",  # of one that is absent; one that must be absent is noticed
        "key_dtype",
        "KV_S_value",
        "KV_T_value",
    },
}
# No call on a chip breaks these alone.
NOT_BREAKABLE = {"infershape": set[str](), "tiling": {"paging_divides", "workspace_fits"}}


WRONG = {
    "infershape": {
        "OUTPUT_SOFTMAX_MAX, ge::DT_FLOAT)": (
            'OUTPUT_SOFTMAX_MAX, IsKept("DataTypes") ? ge::DT_FLOAT : ge::DT_INT8)'
        ),
        "SetSoftmaxMaxShape(call, outputs[OUTPUT_SOFTMAX_MAX])": (
            '(!IsKept("Shapes") || SetSoftmaxMaxShape(call, outputs[OUTPUT_SOFTMAX_MAX]))'
        ),
    },
    "tiling": {
        "params.sparseMode = ": 'params.sparseMode = (IsKept("field") ? 0 : 1) + ',
        "context_->SetBlockDim(blockDim)": 'context_->SetBlockDim(blockDim + (IsKept("launch") ? 0 : 1))',
        "int64_t bytes = platform_->libapiWorkspace;": (
            'int64_t bytes = IsKept("workspace") ? platform_->libapiWorkspace : 0;'
        ),
    },
}
"""Texts of the host code, and in their place the same with a switch that makes an answer wrong."""


class Damaged(NamedTuple):
    """The program with a switch in each check, and the checks of each part: rule and switch."""

    program: Path
    checks: Mapping[str, Sequence[tuple[str, str]]]


@pytest.fixture(scope="module")
def damaged(workshop: Workshop) -> Damaged:
    objects: list[Path] = []
    checks: dict[str, Sequence[tuple[str, str]]] = {}
    for part, edits in WRONG.items():
        file = f"{QSFA}_{part}.cpp"
        source = workshop.folder / QSFA / "op_host" / file
        switches = switched(source.read_text(encoding="utf-8"), part)
        text = switches.text
        for old, new in edits.items():
            assert old in text
            text = text.replace(old, new)
        other = source.with_name(f"switched_{file}")
        other.write_text(text, encoding="utf-8")
        objects.append(compiled(other, workshop.folder / "switched" / f"{file}.o"))
        checks[part] = switches.checks
    return Damaged(workshop.linked("switched", objects), checks)


@needs_gtest
def test_with_all_checks_nothing_fails(damaged: Damaged) -> None:
    assert run(damaged.program, f"{SUITES}*").failed == frozenset()


@pytest.mark.parametrize(("part", "suite", "fewest"), [("infershape", "Infer", 11), ("tiling", "Tiling", 60)])
@needs_gtest
def test_they_fail_when_a_check_is_removed(damaged: Damaged, part: str, suite: str, fewest: int) -> None:
    assert len(damaged.checks[part]) >= fewest
    unnoticed: set[str] = set()
    noticed: set[str] = set()
    for rule, switch in damaged.checks[part]:
        failed = run(damaged.program, f"{SUITES}{suite}Rejects*", REMOVED_CHECK=switch).failed
        assert all(f"breaks_{rule.lower()}" in name for name in failed), (rule, failed)
        (noticed if failed else unnoticed).add(rule)
    assert unnoticed == MASKED[part] | NOT_BREAKABLE[part]
    assert part != "tiling" or "block_table_presence" in noticed


@pytest.mark.parametrize(
    ("switch", "test"),
    [
        ("DataTypes", "InferAccepts.DataTypes"),
        ("Shapes", "InferAccepts.Shapes"),
        ("field", "TilingAccepts.Answers"),
        ("launch", "TilingAccepts.Answers"),
        ("workspace", "TilingAccepts.Answers"),
    ],
)
@needs_gtest
def test_they_fail_when_an_answer_is_wrong(damaged: Damaged, switch: str, test: str) -> None:
    failed = run(damaged.program, f"{SUITES}*", REMOVED_CHECK=switch).failed
    assert failed
    assert all(name.startswith(f"{SUITES}{test}/") for name in failed)
