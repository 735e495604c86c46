"""Files around the sources: hooks, targets, and what they rely on."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from qsfa_codegen.cli import cli
from tests.cli_tools import ROOT, Program

HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_runs_a_command_that_exists(hook: dict[str, str], project: Path, program: Program) -> None:
    name, command, *options = hook["entry"].split()
    assert name == "qsfa-codegen"
    assert command in cli.commands
    program("build")
    files = [] if hook.get("pass_filenames", True) is False else ["spec/add_example.yaml"]
    assert program(command, *options, *files).status == 0


def test_the_validating_hook_gets_specs_only() -> None:
    (hook,) = [hook for hook in HOOKS if hook["id"] == "qsfa-codegen-validate"]
    taken = [
        path
        for path in ("spec/op.yaml", "spec/deep/op.yml", "spec/chips.yaml", "README.md", "docs/spec.yaml")
        if re.search(hook["files"], path) and not re.search(hook["exclude"], path)
    ]
    assert taken == ["spec/op.yaml", "spec/deep/op.yml"]


def test_continuous_integration_runs_the_tests_from_nothing() -> None:
    script = ROOT / ".ci/run"
    assert os.access(script, os.X_OK)
    assert script.read_text(encoding="utf-8").splitlines()[-1] == "exec make test"


@pytest.mark.parametrize("target", ["build", "check", "test", "lint", "bench", "clean", "docs"])
def test_make_has_its_targets(target: str) -> None:
    listed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert re.search(rf"(?m)^  {target} +\S", listed)


def test_make_test_says_which_tool_is_missing(tmp_path: Path) -> None:
    for tool in ("make", "sh", "sed", "expand"):
        found = shutil.which(tool)
        assert found is not None
        (tmp_path / tool).symlink_to(found)
    done = subprocess.run(
        [tmp_path / "make", "tools"],
        cwd=ROOT,
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "needs g++" in done.stderr
