"""``build --watch``, as a process of its own: edits, and the lines that they bring."""

from __future__ import annotations

import os
import queue
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest

from qsfa_codegen.commands.watched import State, next_state
from qsfa_codegen.resources import CHIPS, resource
from tests.cli_tools import ROOT, Program
from tests.review.repository import SPEC, TIGHTER, WIDER, WORDS, edit

PATIENCE = 60  # seconds, for a machine that has much else to do
PACKAGE = Path("generated/add_example")


class Watch:
    """The program, watching the current folder; ``said`` is everything that it has printed."""

    def __init__(self, *arguments: str | Path) -> None:
        self._child = subprocess.Popen(
            [sys.executable, "-m", "qsfa_codegen", "build", "--watch", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,  # so that lines stay in order
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self.said: list[str] = []
        assert self._child.stdout is not None
        self._reader = threading.Thread(target=self._read, args=(self._child.stdout,))
        self._reader.start()

    def _read(self, stream: IO[str]) -> None:
        for line in stream:
            self._lines.put(line.rstrip("\n"))

    def line(self, pattern: str) -> str:
        """The next line with ``pattern``; what comes before it goes to ``said`` only."""
        while True:
            try:
                said = self._lines.get(timeout=PATIENCE)
            except queue.Empty:
                pytest.fail(f"no line has {pattern!r}: {self.said}")
            self.said.append(said)
            if re.search(pattern, said):
                return said

    def end(self, number: signal.Signals = signal.SIGINT) -> int:
        """The exit status, once the signal has been sent."""
        self._child.send_signal(number)
        return self.ended()

    def ended(self) -> int:
        """The exit status; all that was printed is in ``said`` then."""
        status = self._child.wait(PATIENCE)
        self._reader.join(PATIENCE)
        while not self._lines.empty():
            self.said.append(self._lines.get())
        return status

    def kill(self) -> None:
        """Make sure that it is gone."""
        self._child.kill()
        self.ended()


@pytest.fixture
def watch(project: Path) -> Iterator[Callable[..., Watch]]:
    """Starts to watch the project."""
    started: list[Watch] = []

    def start(*arguments: str | Path) -> Watch:
        started.append(Watch(*arguments))
        return started[-1]

    yield start
    for child in started:
        child.kill()


def test_each_edit_brings_a_line(watch: Callable[..., Watch]) -> None:
    child = watch()
    first = child.line("add_example: ")
    assert re.fullmatch(r"\d\d:\d\d:\d\d add_example: \d+ files written", first)
    edit(*TIGHTER)
    line = child.line("add_example: ")
    assert re.fullmatch(r"\d\d:\d\d:\d\d add_example: 1 breaking for callers; \d+ files written", line)
    assert "4096" in (PACKAGE / "README.en.md").read_text(encoding="utf-8")
    edit(TIGHTER[1], WIDER[1])  # against the last build, not against the first
    assert "add_example: 1 widening; " in child.line("add_example: ")
    edit(*WORDS)
    assert "add_example: 1 docs only; " in child.line("add_example: ")
    assert child.end() == 130
    assert "Traceback" not in "\n".join(child.said)


def test_the_lines_of_many_edits_are_one_each(watch: Callable[..., Watch]) -> None:
    child = watch()
    child.line("add_example: ")
    edit(*WORDS)
    child.line("1 docs only")
    os.utime(SPEC)  # which says nothing, as nothing is another
    edit(WORDS[1], WORDS[0])
    child.line("1 docs only")
    assert child.end() == 130
    assert sum("add_example: " in line for line in child.said) == 3


def test_a_spec_that_was_not_edited_says_nothing(program: Program, watch: Callable[..., Watch]) -> None:
    child = watch()
    child.line("add_example: ")
    assert program("new", "OtherExample").status == 0
    child.line("other_example: ")
    assert child.end() == 130
    assert sum(" add_example: " in line for line in child.said) == 1


def test_a_broken_spec_is_shown_and_mended(watch: Callable[..., Watch]) -> None:
    child = watch()
    child.line("add_example: ")
    before = {path: path.read_bytes() for path in PACKAGE.rglob("*") if path.is_file()}
    good = SPEC.read_bytes()
    SPEC.write_bytes(good[: len(good) // 2] + b"\n  - {")  # as of an editor that is not done yet
    child.line(r"^spec/add_example.yaml:\d+:\d+: error\b.*QS|^error\b.*QS")
    child.line(r"spec/add_example.yaml: \d+ errors?; no file written")
    assert {path: path.read_bytes() for path in PACKAGE.rglob("*") if path.is_file()} == before
    SPEC.write_bytes(good)
    assert "add_example: no change for callers; no file changed" in child.line("add_example: ")
    SPEC.write_bytes(b"\xff\x00junk")
    child.line(r"spec/add_example.yaml: 1 error; no file written")
    SPEC.write_bytes(good.replace(TIGHTER[0].encode(), TIGHTER[1].encode()))
    child.line("add_example: 1 breaking for callers; ")
    assert child.end() == 130


def test_a_save_by_rename_and_a_file_that_is_gone_for_a_while(watch: Callable[..., Watch]) -> None:
    child = watch(SPEC)
    child.line("add_example: ")
    saved = SPEC.with_name(".add_example.yaml.swp")
    saved.write_text(SPEC.read_text(encoding="utf-8").replace(*TIGHTER), encoding="utf-8")
    saved.replace(SPEC)
    child.line("add_example: 1 breaking for callers; ")
    text = SPEC.read_text(encoding="utf-8")
    SPEC.unlink()
    child.line("QS100")
    child.line("spec/add_example.yaml: 1 error; no file written")
    SPEC.write_text(text, encoding="utf-8")
    child.line("add_example: no change for callers; no file changed")
    assert child.end() == 130


def test_specs_come_go_and_move(program: Program, watch: Callable[..., Watch]) -> None:
    child = watch("--take-over")
    child.line("add_example: ")
    assert program("new", "OtherExample").status == 0
    assert re.search(r"other_example: \d+ files written", child.line("other_example: "))
    SPEC.with_name("other_example.yaml").unlink()
    child.line("QS909")
    child.line("other_example: without a spec; no file written")
    moved = SPEC.with_name("adding.yml")
    text = SPEC.read_text(encoding="utf-8").replace(*TIGHTER)
    SPEC.unlink()
    moved.write_text(text, encoding="utf-8")
    child.line("add_example: 1 breaking for callers; ")
    moved.unlink()
    child.line(r"no spec was named, and spec/ has none; no file written")
    SPEC.write_text(text, encoding="utf-8")
    child.line("add_example: no change for callers; ")
    assert child.end() == 130


def test_chips_are_watched_before_they_are_there(watch: Callable[..., Watch]) -> None:
    child = watch(SPEC)
    child.line("add_example: ")
    text = resource(CHIPS).read_text(encoding="utf-8")
    cores = "cores: {aic: 24, aiv: 48}"
    assert cores in text
    SPEC.with_name(CHIPS).write_text(text.replace(cores, "cores: {aic: 20, aiv: 40}"), encoding="utf-8")
    assert "breaking" in child.line("add_example: ")
    SPEC.with_name(CHIPS).write_text("chips: [", encoding="utf-8")
    child.line("spec/add_example.yaml: .*no file written")
    SPEC.with_name(CHIPS).unlink()
    assert "breaking" in child.line("add_example: ")
    assert child.end() == 130


def test_templates_are_watched(watch: Callable[..., Watch]) -> None:
    own = resource("templates") / "docs" / "README.en.md.j2"
    name = own.relative_to(resource("templates"))
    mine = Path("mine") / name
    mine.parent.mkdir(parents=True)
    text = own.read_text(encoding="utf-8")
    mine.write_text(text, encoding="utf-8")
    child = watch("--templates", "mine")
    child.line("add_example: ")
    mine.write_text(text + "\nOurs.\n", encoding="utf-8")
    assert "add_example: no change for callers; " in child.line("add_example: ")
    assert "Ours." in (PACKAGE / "README.en.md").read_text(encoding="utf-8")
    mine.write_text("{% if", encoding="utf-8")
    child.line("QS908")
    child.line("the templates cannot be used; no file written")
    mine.write_text(text, encoding="utf-8")
    child.line("add_example: no change for callers; ")
    assert child.end() == 130


def test_an_edit_by_hand_is_kept(watch: Callable[..., Watch]) -> None:
    child = watch()
    child.line("add_example: ")
    page = PACKAGE / "README.en.md"
    page.write_text("mine\n", encoding="utf-8")
    edit(*TIGHTER)
    child.line("QS901")
    child.line("add_example: 1 breaking for callers; refused; no file written")
    assert page.read_text(encoding="utf-8") == "mine\n"
    assert child.end() == 130


def test_it_ends_when_the_program_itself_is_changed(
    project: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Path("program/source.py")
    source.parent.mkdir()
    source.write_text("old", encoding="utf-8")

    def change(known: State, look: Callable[[], State]) -> State:
        source.write_text("newer", encoding="utf-8")
        return next_state(known, look)

    monkeypatch.setattr("qsfa_codegen.commands.watch.PACKAGE", source.parent)
    monkeypatch.setattr("qsfa_codegen.commands.watch.next_state", change)
    done = program("build", "--watch")
    assert done.status == 3
    assert "the program was changed: start it again" in done.err
    assert len(done.out.splitlines()) == 1


@pytest.mark.parametrize("option", ["--check", "--format=sarif", "--format=json", "--format=github"])
def test_what_does_not_go_with_it(option: str, project: Path, program: Program) -> None:
    done = program("build", "--watch", option)
    assert (done.status, done.out) == (2, "")
    assert "--watch" in done.err
    assert option.split("=")[0] in done.err
    assert not PACKAGE.exists()
