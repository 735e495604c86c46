"""Transcripts of the command line: tests/e2e/*/transcript, and the console blocks of the documentation.

A line that starts with "$ " is a command, which goes on in lines with "> "; what follows is its output
(both streams) and, when it is not 0, its exit status in brackets. "..." stands for any text, or on a line of
its own for any lines.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import pytest

from tests.cli_tools import ROOT

_CASES = sorted((ROOT / "tests/e2e").glob("*/transcript"))
_DOCUMENTS = [ROOT / "README.md", ROOT / "docs/tutorial.md"]
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Step:
    """A command and the output that is expected of it."""

    command: str
    output: str


def _steps(text: str) -> Iterator[Step]:
    for part in re.split(r"(?m)^\$ ", text)[1:]:
        first, *rest = part.strip("\n").split("\n")
        more = list(takewhile(lambda line: line.startswith("> "), rest))
        command = "\n".join([first, *(line.removeprefix("> ") for line in more)])
        yield Step(command, "\n".join(rest[len(more) :]))


def _matches(expected: str, actual: str) -> bool:
    lines = (
        r"(?:.*\n)*" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + r"\n"
        for line in expected.split("\n")
    )
    return re.fullmatch("".join(lines), f"{actual}\n") is not None


@dataclass(frozen=True)
class Shell:
    """Runs commands in a folder, with the program on the PATH."""

    folder: Path
    bin: Path

    def run(self, command: str) -> str:
        """Both streams of a command, then its exit status in brackets unless it is 0."""
        environment = {
            "PATH": f"{self.bin}:{os.environ['PATH']}",
            "HOME": str(self.folder),
            "XDG_CACHE_HOME": str(self.bin / "cache"),
            "PYTHONPATH": str(ROOT),
            "LC_ALL": "C.UTF-8",
        }
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        status = f"[{done.returncode}]" if done.returncode else ""
        shown = re.sub(r"(?m) +$", "", done.stdout).strip("\n")
        return "\n".join(part for part in (shown, status) if part)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    bin = tmp_path / "bin"
    bin.mkdir()
    (bin / "qsfa-codegen").write_text(f'#!/bin/sh\nexec {sys.executable} -m qsfa_codegen "$@"\n')
    (bin / "qsfa-codegen").chmod(0o755)
    return Shell(tmp_path / "project", bin)


def _check(shell: Shell, text: str) -> None:
    for step in _steps(text):
        actual = shell.run(step.command)
        if not _matches(step.output, actual):
            pytest.fail(f"$ {step.command}\n--- expected\n{step.output}\n--- actual\n{actual}", pytrace=False)


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case.parent.name)
def test_transcript(case: Path, shell: Shell) -> None:
    shutil.copytree(case.parent, shell.folder, ignore=shutil.ignore_patterns("transcript"))
    _check(shell, case.read_text(encoding="utf-8"))


@pytest.mark.parametrize("document", _DOCUMENTS, ids=lambda document: document.name)
def test_documentation_shows_what_happens(document: Path, shell: Shell) -> None:
    blocks = _BLOCK.findall(document.read_text(encoding="utf-8"))
    assert blocks
    shell.folder.mkdir()
    if document.name == "README.md":  # it speaks of this repository
        shutil.copytree(ROOT / "spec", shell.folder / "spec")
        shell.run("qsfa-codegen build")
    _check(shell, "".join(blocks))


def test_every_case_has_steps() -> None:
    assert len(_CASES) >= 6
    for case in _CASES:
        assert len(list(_steps(case.read_text(encoding="utf-8")))) >= 2


def test_wildcards() -> None:
    assert _matches("a\n...\nd", "a\nb\nc\nd")
    assert _matches("a\n...\nd", "a\nd")
    assert _matches("a ... b", "a x y b")
    assert _matches("a\n...", "a\nb\nc")
    assert not _matches("a ... b", "a x\ny b")
    assert not _matches("a\n...\nd", "a\nb\nc")
    assert not _matches("a.c", "abc")
