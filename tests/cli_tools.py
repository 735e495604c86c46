"""Running the command line in tests."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from qsfa_codegen.__main__ import run

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Done:
    """What a command left: exit status and both streams."""

    status: int
    out: str
    err: str


@dataclass
class Program:
    """The program, run inside this process in the current folder."""

    capsys: pytest.CaptureFixture[str]

    def __call__(self, *arguments: str | Path) -> Done:
        self.capsys.readouterr()
        status = run([str(argument) for argument in arguments])
        return Done(status, *self.capsys.readouterr())


def process(*arguments: str | Path, env: dict[str, str] | None = None, input: str | None = None) -> Done:
    """The program as a process of its own in the current folder, with ``env`` added to the environment."""
    done = subprocess.run(
        [sys.executable, "-m", "qsfa_codegen", *map(str, arguments)],
        capture_output=True,
        text=True,
        input=input,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)
