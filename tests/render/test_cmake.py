"""The build files: CMake itself reads them, with the repository's own commands replaced by recorders."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from qsfa_codegen.render.package import render
from qsfa_codegen.spec.load import load
from qsfa_codegen.spec.model import Operator

ROOT = Path(__file__).parents[2]
FLASH = ROOT / "spec" / "kv_quant_sparse_flash_attention.yaml"
COMMANDS = (
    "add_subdirectory",
    "add_op_to_compiled_list",
    "target_sources",
    "add_ops_compile_options",
    "add_modules_sources",
    "add_modules_ut_sources",
)
RECORDER = 'function({0})\n    message("{0} ${{ARGN}}")\nendfunction()\n'

pytestmark = pytest.mark.skipif(shutil.which("cmake") is None, reason="needs cmake")


@pytest.fixture(scope="module")
def flash() -> Operator:
    return load(FLASH)


def calls_in_order(text: str, folder: Path, *defines: str) -> list[str]:
    """The commands that a build file runs, each with its arguments."""
    script = folder / "script.cmake"
    recorders = "".join(RECORDER.format(command) for command in COMMANDS)
    script.write_text(recorders + text, encoding="utf-8")
    command = ["cmake", *(f"-D{define}" for define in defines), "-P", str(script)]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder).stderr.splitlines()


def calls(operator: Operator, path: str, folder: Path, *defines: str) -> dict[str, list[str]]:
    """The commands that the build file runs and their arguments, in order; each runs once."""
    lines = [line.split(" ", 1) for line in calls_in_order(render(operator)[path], folder, *defines)]
    found = {name: arguments.split(";") if arguments else [] for name, arguments in lines}
    assert len(found) == len(lines)
    return found


def styled(operator: Operator, style: str) -> Operator:
    return replace(operator, aclnn=replace(operator.aclnn, style=style))


def test_the_root_adds_the_host_side_and_tests_where_they_are_enabled(
    flash: Operator, tmp_path: Path
) -> None:
    text = render(flash)["CMakeLists.txt"]
    assert calls_in_order(text, tmp_path) == ["add_subdirectory op_host"]
    assert calls_in_order(text, tmp_path, "ENABLE_TEST=ON") == [
        "add_subdirectory op_host",
        "add_subdirectory tests",
    ]


def test_the_root_leaves_tests_alone_where_a_spec_does_not_emit_them(flash: Operator, tmp_path: Path) -> None:
    without = replace(flash, emit=("op_host",))
    for operator, folders in ((flash, ["op_host", "tests"]), (without, ["op_host"])):
        text = render(operator)["CMakeLists.txt"]
        assert [line.strip() for line in text.splitlines() if "add_subdirectory" in line] == [
            f"add_subdirectory({folder})" for folder in folders
        ]


@pytest.mark.parametrize("name", ["OP_HOST_UT", "UT_TEST_ALL"])
def test_unit_tests_are_sources_of_the_two_ut_modules(flash: Operator, tmp_path: Path, name: str) -> None:
    path = "tests/ut/op_host/CMakeLists.txt"
    tiling, infer = "OP_TILING_MODULE_NAME", "OP_INFERSHAPE_MODULE_NAME"
    text = render(flash)[path]
    assert calls_in_order(text, tmp_path, f"{name}=ON", f"{tiling}=tiling_ut", f"{infer}=infer_ut") == [
        f"add_modules_ut_sources UT_NAME;{module};MODE;PRIVATE;DIR;{tmp_path}"
        for module in ("tiling_ut", "infer_ut")
    ]
    assert calls_in_order(text, tmp_path) == []


@pytest.mark.parametrize(
    ("style", "target", "kind"),
    [
        ("auto", "op_host_aclnn", "aclnn"),
        ("wrapper", "op_host_aclnnInner", "aclnn_inner"),
        ("handwritten", "op_host_aclnnExc", "aclnn_exclude"),
    ],
)
def test_the_style_decides_how_the_definition_is_built(
    flash: Operator, tmp_path: Path, style: str, target: str, kind: str
) -> None:
    found = calls(styled(flash, style), "op_host/CMakeLists.txt", tmp_path, "BUILD_OPEN_PROJECT=ON")
    assert list(found) == [c for c in COMMANDS if c not in ("add_subdirectory", "add_modules_ut_sources")]
    assert found["add_op_to_compiled_list"] == []
    assert found["target_sources"] == [target, "PRIVATE", f"{flash.snake}_def.cpp"]
    assert found["add_modules_sources"] == ["OPTYPE", flash.snake, "ACLNNTYPE", kind]
    options = found["add_ops_compile_options"]
    assert options[:3] == ["OP_NAME", flash.name, "OPTIONS"]
    assert "--cce-auto-sync=off" in options


def test_a_build_of_kernels_alone_takes_no_host_sources(flash: Operator, tmp_path: Path) -> None:
    found = calls(flash, "op_host/CMakeLists.txt", tmp_path, "BUILD_OPS_RTY_KERNEL=ON")
    assert list(found) == ["add_op_to_compiled_list", "add_ops_compile_options"]


def test_without_a_kernel_nothing_is_said_about_its_compiler(flash: Operator, tmp_path: Path) -> None:
    found = calls(replace(flash, kernel=None), "op_host/CMakeLists.txt", tmp_path)
    assert "add_ops_compile_options" not in found


def test_files_stand_where_the_build_looks_for_them(flash: Operator) -> None:
    """Patterns by which the repository's build collects the sources of a folder."""
    host = {Path(path).name for path in render(flash) if path.startswith("op_host/")}
    for pattern in (f"{flash.snake}_def*.cpp", "*_infershape*.cpp", "*_tiling*.cpp"):
        assert len([name for name in host if Path(name).match(pattern)]) == 1
    assert f"op_kernel/{flash.snake}.cpp" in render(flash)
