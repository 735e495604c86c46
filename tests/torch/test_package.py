"""The package as users meet it: its page's example, and its installation."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "python-package.md"
WAY = ROOT / "docs" / "model-to-kernel.md"
PROJECT = ROOT / "generated" / "kv_quant_sparse_flash_attention" / "python"


def block(page: Path, language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    return str(found)


@pytest.mark.parametrize("page", [PAGE, WAY], ids=lambda page: page.stem)
def test_the_example_prints_what_the_page_says(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(block(page, "python"), str(page), "exec"), {})
    assert capsys.readouterr().out == block(page, "text")


def test_every_module_is_on_the_page() -> None:
    modules = {path.stem for path in (PROJECT / "kv_quant_sparse_flash_attention").glob("*.py")}
    listed = re.findall(r"^\| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(listed) == modules - {"__init__"}


def test_the_project_builds_a_wheel_with_every_module(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(command, cwd=PROJECT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("kv_quant_sparse_flash_attention-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    modules = {path.name for path in (PROJECT / "kv_quant_sparse_flash_attention").glob("*.py")}
    modules.add("py.typed")
    assert {f"kv_quant_sparse_flash_attention/{name}" for name in modules} <= names
