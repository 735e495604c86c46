"""The wheel: everything the program needs is inside."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.cli_tools import ROOT


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds what installing the wheel puts into site-packages."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def _run(installed: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(installed), "XDG_CACHE_HOME": str(folder / "cache")}
    program = (
        "import sys, qsfa_codegen.__main__ as m; assert m.__file__.startswith(sys.argv.pop(1)); m.main()"
    )
    return subprocess.run(
        [sys.executable, "-P", "-c", program, str(installed), *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_wheel_works_away_from_the_sources(installed: Path, tmp_path: Path) -> None:
    for arguments in (
        ["new", "AddExample"],
        ["validate"],
        ["build"],
        ["build", "--check"],
        ["show", "spec/add_example.yaml"],
        ["schema"],
        ["schema", "chips"],
        ["explain", "QS305"],
    ):
        done = _run(installed, tmp_path, *arguments)
        assert (done.returncode, done.stderr) == (0, ""), arguments


def test_the_wheel_generates_what_the_sources_do(installed: Path, tmp_path: Path) -> None:
    spec = ROOT / "spec/kv_quant_sparse_flash_attention.yaml"
    done = _run(installed, tmp_path, "build", str(spec), "--out", "theirs")
    assert (done.returncode, done.stderr) == (0, "")
    ours = [sys.executable, "-m", "qsfa_codegen", "build", str(spec), "--out", str(tmp_path / "ours"), "-q"]
    subprocess.run(ours, cwd=ROOT, check=True)
    files = sorted(path.relative_to(tmp_path / "ours") for path in (tmp_path / "ours").rglob("*.*"))
    assert len(files) > 5
    for file in files:
        if (tmp_path / "ours" / file).is_file():
            assert (tmp_path / "theirs" / file).read_bytes() == (tmp_path / "ours" / file).read_bytes()


def test_the_wheel_holds_no_more_than_the_package(installed: Path) -> None:
    assert {path.name.split("-")[0] for path in installed.iterdir()} == {"qsfa_codegen"}
    (metadata,) = installed.glob("*.dist-info")
    assert (metadata / "licenses/LICENSE").read_text() == (ROOT / "LICENSE").read_text()
    assert "qsfa-codegen = qsfa_codegen.__main__:main" in (metadata / "entry_points.txt").read_text()
    assert ".pyc" not in (metadata / "RECORD").read_text()  # what the wheel brought, not what running it made


@pytest.mark.parametrize("part", ["host", "emulator"])
def test_the_wheel_has_what_generated_code_is_compiled_with(installed: Path, part: str) -> None:
    ours, theirs = ROOT / "qsfa_codegen" / part, installed / "qsfa_codegen" / part
    sources = sorted(path.relative_to(ours) for pattern in ("*.h", "*.cpp") for path in ours.rglob(pattern))
    assert len(sources) > 20
    assert [path for path in sources if not (theirs / path).is_file()] == []
