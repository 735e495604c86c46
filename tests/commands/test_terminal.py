"""Colour, and what goes to which stream."""

from __future__ import annotations

import io
import json

import pytest

from qsfa_codegen.commands.terminal import Console, uses_colour
from qsfa_codegen.diagnostics import Diagnostic

FOUND = Diagnostic("QS999", "something is wrong", help="mend it")


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")


@pytest.mark.parametrize(
    ("choice", "environment", "terminal", "expected"),
    [
        ("auto", {}, True, True),
        ("auto", {}, False, False),
        ("auto", {"TERM": "dumb"}, True, False),
        ("auto", {"NO_COLOR": "1"}, True, False),
        ("auto", {"NO_COLOR": ""}, True, True),
        ("auto", {"FORCE_COLOR": "1"}, False, True),
        ("auto", {"FORCE_COLOR": ""}, False, False),
        ("auto", {"FORCE_COLOR": "0"}, True, False),
        ("auto", {"FORCE_COLOR": "0"}, False, False),
        ("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ("always", {"NO_COLOR": "1"}, False, True),
        ("never", {"FORCE_COLOR": "1"}, True, False),
    ],
)
def test_colour(
    monkeypatch: pytest.MonkeyPatch, choice: str, environment: dict[str, str], terminal: bool, expected: bool
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert uses_colour(choice, _Terminal() if terminal else io.StringIO()) is expected


def _say_everything(console: Console) -> None:
    console.finding(FOUND, "-old\n+new\n same\n")
    console.result("done")
    console.finish()


def test_text_parts_findings_from_results(capsys: pytest.CaptureFixture[str]) -> None:
    _say_everything(Console())
    out, err = capsys.readouterr()
    assert out == "done\n"
    assert err == "error[QS999]: something is wrong\n  = help: mend it\n  -old\n  +new\n   same\n\n"


def test_a_difference_cannot_move_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    Console().finding(FOUND, "-\x1b[2Jold\r\n")
    assert "  -\ufffd[2Jold\ufffd\n" in capsys.readouterr().err


def test_quiet_keeps_the_findings(capsys: pytest.CaptureFixture[str]) -> None:
    _say_everything(Console(quiet=True))
    out, err = capsys.readouterr()
    assert out == ""
    assert "QS999" in err


def test_differences_are_coloured(capsys: pytest.CaptureFixture[str]) -> None:
    _say_everything(Console(color="always"))
    assert "  \x1b[31m-old\x1b[0m\n  \x1b[32m+new\x1b[0m\n   same\n" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["json", "sarif", "github"])
def test_programs_get_one_document_with_the_difference_in_it(
    capsys: pytest.CaptureFixture[str], form: str
) -> None:
    _say_everything(Console(form, "always"))
    out, err = capsys.readouterr()
    assert err == ""
    assert "something is wrong" in out
    assert "done" not in out
    assert "\x1b" not in out
    if form != "github":
        assert "something is wrong\\n-old\\n+new\\n same" in out
        json.loads(out)


def test_a_document_is_written_also_when_nothing_was_found(capsys: pytest.CaptureFixture[str]) -> None:
    Console("json").finish()
    assert json.loads(capsys.readouterr().out) == {"diagnostics": [], "errors": 0, "warnings": 0}


def test_traces_are_for_those_who_debug(capsys: pytest.CaptureFixture[str]) -> None:
    Console().trace("Traceback …")
    assert capsys.readouterr().err == ""
    Console(debug=True).trace("Traceback …")
    assert capsys.readouterr().err == "Traceback …\n"


def test_progress_and_findings_do_not_share_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _Terminal()
    now = [0.0]
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    console = Console(color="never")
    progress = console.progress(3, "specs")
    now[0] = 2.0
    progress.step()
    console.finding(FOUND)
    assert terminal.getvalue() == (
        "\r1 of 3 specs\r\x1b[Kerror[QS999]: something is wrong\n  = help: mend it\n\n"
    )
