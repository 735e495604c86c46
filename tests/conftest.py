"""Fixtures for tests of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from qsfa_codegen.commands.new import new
from tests.cli_tools import Program


@pytest.fixture
def program(capsys: pytest.CaptureFixture[str]) -> Program:
    """The command line, run inside this process."""
    return Program(capsys)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a project with the spec that ``new`` writes, and a cache of its own."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    new("AddExample", Path("spec"))
    return folder


@pytest.fixture(scope="session")
def host_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where tests that compile host code keep the results, for all of them."""
    return tmp_path_factory.mktemp("cache")
