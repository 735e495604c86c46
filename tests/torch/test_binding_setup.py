"""The generated setup.py: what it builds, links and installs, with the released torch_npu and without."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.torch.binding_build import QSFA, ROOT, npu, torch_files

MODULE = f"{QSFA}_torch"
PYTHON_PACKAGE = ROOT / "generated" / QSFA / "python"

_PROGRAM = f"""\
import {MODULE}, torch
assert "torch_npu" not in __import__("sys").modules
operator = torch.ops._C_ascend.npu_{QSFA}
import {QSFA} as package
table = torch._C._dispatch_dump(operator.default._schema.name)
for line in table.splitlines():
    if line.partition(":")[0] in ("debug", "Meta", "CPU"):
        print(line.partition(" :: ")[0].rpartition("/")[2].partition(":")[0], line.partition(":")[0])
"""

_LISTED = """\
import runpy, setuptools
setuptools.setup = lambda **given: print(*[extension.name for extension in given["ext_modules"]])
runpy.run_path("setup.py")
"""


def python(*arguments: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: v for name, v in os.environ.items() if name not in ("PYTHONPATH", "WITHOUT_NPU")}
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env={**kept, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0", **environment},
        capture_output=True,
        text=True,
    )


def test_what_it_builds(libraries: dict[str, Path]) -> None:
    """The device library is linked with nothing left out: libtorch_npu.so exports all that it calls."""
    folder = libraries["built_by_setup"] / MODULE
    assert sorted(path.name for path in folder.iterdir()) == ["__init__.py", "_device.so", "_registration.so"]
    needed = subprocess.run(
        ["readelf", "-d", folder / "_device.so"], capture_output=True, text=True, check=True
    ).stdout
    assert "libtorch_npu.so" in re.findall(r"NEEDED.*\[(.*)\]", needed)


def test_torch_npu_does_not_export_what_its_own_macro_calls() -> None:
    """Why libraries get a macro of their own."""
    called = "unsafe_empty_workspace"
    header = npu() / "include/third_party/op-plugin/op_plugin/utils/op_api_common.h"
    assert called in header.read_text(encoding="utf-8").partition("define EXEC_NPU_CMD_V1(")[2]
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", npu() / "lib/libtorch_npu.so"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "RunOpApiV2" in listed
    assert called not in listed


def test_the_python_package_adds_what_the_library_lacks(libraries: dict[str, Path], tmp_path: Path) -> None:
    path = os.pathsep.join([str(libraries["built_by_setup"]), str(PYTHON_PACKAGE)])
    ran = python("-c", _PROGRAM, cwd=tmp_path, PYTHONPATH=path)
    assert (ran.returncode, ran.stderr) == (0, "")
    compiled = f"{QSFA}_register.cpp"
    assert set(ran.stdout.splitlines()) == {"ops.py CPU", f"{compiled} Meta", f"{compiled} debug"}


def test_a_library_that_comes_second_is_refused(libraries: dict[str, Path], tmp_path: Path) -> None:
    """Instead of a process that ends without a word of Python."""
    path = os.pathsep.join([str(libraries["built_by_setup"]), str(PYTHON_PACKAGE)])
    ran = python("-c", f"import {QSFA}, {MODULE}", cwd=tmp_path, PYTHONPATH=path)
    assert ran.returncode == 1, ran
    assert ran.stderr.splitlines()[-1] == (
        f"ImportError: _C_ascend::npu_{QSFA} is registered already, without this library; expected: "
        f"`import {MODULE}` before `import {QSFA}` and any other library that has the operator"
    )


def test_the_module_can_be_loaded_again(libraries: dict[str, Path], tmp_path: Path) -> None:
    program = f"import importlib, {MODULE} as m; importlib.reload(m); import {QSFA}; importlib.reload(m)"
    path = os.pathsep.join([str(libraries["built_by_setup"]), str(PYTHON_PACKAGE)])
    ran = python("-c", program, cwd=tmp_path, PYTHONPATH=path)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_adapters_compile_with_the_macro_of_torch_npu_too(libraries: dict[str, Path]) -> None:
    assert libraries["adapters_beside_op_plugin"].parent.is_dir()


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for path, text in torch_files(QSFA).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return tmp_path / "torch"


def test_without_torch_npu_it_says_what_to_do(package: Path) -> None:
    ran = python("setup.py", "-q", "build", cwd=package)
    assert (ran.returncode, ran.stderr) == (
        1,
        "torch_npu is not found: install it, or set WITHOUT_NPU=1 to build for tracing only\n",
    )


def test_without_torch_it_says_what_to_do(package: Path) -> None:
    (package / "torch.py").write_text("raise ImportError('no torch')\n", encoding="utf-8")
    ran = python("setup.py", "-q", "build", cwd=package)
    assert ran.returncode == 1
    assert ran.stderr == "torch is not found: install it, and give pip --no-build-isolation\n"


@pytest.mark.parametrize(("without", "expected"), [("1", ["registration"]), ("", ["registration", "device"])])
def test_what_is_built_is_what_is_asked_for(without: str, expected: list[str], package: Path) -> None:
    ran = python("-c", _LISTED, cwd=package, WITHOUT_NPU=without, PYTHONPATH=str(npu().parent))
    assert (ran.returncode, ran.stdout.split()) == (0, [f"{MODULE}._{name}" for name in expected])
