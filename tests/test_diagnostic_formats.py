"""Diagnostics as text, JSON, SARIF and GitHub annotations, character by character."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsfa_codegen import __version__
from qsfa_codegen.diagnostic_formats import (
    MAX_WIDTH,
    TAB_WIDTH,
    Sources,
    display_width,
    summary,
    to_github,
    to_json,
    to_sarif,
    to_text,
)
from qsfa_codegen.diagnostics import Diagnostic, Related, Severity, Span

SOURCE = """\
spec: 1
operator: {nam: X}
\tb:\tvalue
中文: 'é́x'
"""


def span(line: int, column: int, end: int, end_line: int | None = None) -> Span:
    return Span("s.yaml", line, column, end_line or line, end)


def text(*diagnostics: Diagnostic, source: str = SOURCE, colour: bool = False) -> str:
    return to_text(diagnostics, colour=colour, sources=Sources({"s.yaml": source}))


class TestText:
    def test_full(self) -> None:
        problem = Diagnostic(
            "QS203",
            "no key 'nam'",
            span(2, 12, 15),
            "did you mean 'name'?",
            related=(Related(span(1, 1, 5), "see here"),),
        )
        assert text(problem) == (
            "s.yaml:2:12: error[QS203]: no key 'nam'\n"
            " 2 | operator: {nam: X}\n"
            "   |            ^^^\n"
            "  = help: did you mean 'name'?\n"
            "s.yaml:1:1: note: see here\n"
            " 1 | spec: 1\n"
            "   | ^^^^\n"
        )

    def test_warning_without_a_place(self) -> None:
        assert text(Diagnostic("QS900", "m", severity=Severity.WARNING)) == "warning[QS900]: m\n"

    def test_two_are_apart(self) -> None:
        assert text(Diagnostic("QS1", "a"), Diagnostic("QS2", "b")) == "error[QS1]: a\n\nerror[QS2]: b\n"

    def test_nothing(self) -> None:
        assert text() == ""

    def test_tabs_become_blanks(self) -> None:
        assert text(Diagnostic("QS1", "m", span(3, 5, 10))).splitlines()[1:] == [
            " 3 |     b:  value",
            "   |         ^^^^^",
        ]

    def test_a_tab_is_underlined_whole(self) -> None:
        assert text(Diagnostic("QS1", "m", span(3, 4, 5))).splitlines()[2] == "   |       ^^"

    def test_wide_and_combining_characters(self) -> None:
        lines = text(
            Diagnostic("QS1", "m", span(4, 1, 3)), Diagnostic("QS1", "m", span(4, 6, 10))
        ).splitlines()
        assert lines[1:3] == [" 4 | 中文: 'é́x'", "   | ^^^^"]
        assert lines[6] == "   |        ^^^"

    @pytest.mark.parametrize(
        ("place", "marks"),
        [
            (span(1, 3, 3), "  ^"),
            (span(1, 8, 9), "       ^"),
            (span(1, 40, 41), "       ^"),
            (span(1, 5, 3, end_line=3), "    ^^^"),
        ],
        ids=["empty", "end of line", "beyond the line", "several lines"],
    )
    def test_edges(self, place: Span, marks: str) -> None:
        assert text(Diagnostic("QS1", "m", place)).splitlines()[2] == "   | " + marks

    def test_line_numbers_set_the_gutter(self) -> None:
        lines = text(Diagnostic("QS1", "m", span(120, 1, 2)), source="x\n" * 120).splitlines()
        assert lines[1:] == [" 120 | x", "     | ^"]

    def test_a_line_that_does_not_exist(self) -> None:
        assert text(Diagnostic("QS1", "m", span(99, 1, 2))) == "s.yaml:99:1: error[QS1]: m\n"

    @pytest.mark.parametrize("source", ["a\r\nbb\r\n", "a\rbb\r", "a\nbb"])
    def test_line_ends(self, source: str) -> None:
        assert text(Diagnostic("QS1", "m", span(2, 1, 3)), source=source).splitlines()[1:] == [
            " 2 | bb",
            "   | ^^",
        ]

    def test_long_lines_are_cut_around_the_place(self) -> None:
        source = "a" * 500 + "HERE" + "b" * 500
        _, shown, marks = text(Diagnostic("QS1", "m", span(1, 501, 505)), source=source).splitlines()
        at = marks.index("^")
        assert (shown[at : at + 4], marks.count("^")) == ("HERE", 4)
        assert shown.startswith(" 1 | …aaa")
        assert shown.endswith("bbb…")
        assert display_width(shown) <= MAX_WIDTH + len(" 1 | ") + 2

    def test_a_long_place_is_cut(self) -> None:
        _, shown, marks = text(Diagnostic("QS1", "m", span(1, 3, 900)), source="中" * 1000).splitlines()
        assert shown.endswith("…")
        assert display_width(shown) <= MAX_WIDTH + len(" 1 | ") + 2
        assert set(marks.removeprefix("   |     ")) == {"^"}

    def test_terminal_sequences_are_disarmed(self) -> None:
        shown = text(Diagnostic("QS1", "m\x1b[2J\nx", span(1, 1, 2), "h\u202e"), source="\x1b]0;x\x07")
        assert "\x1b" not in shown
        assert "\x07" not in shown
        assert "\u202e" not in shown
        assert shown.splitlines()[0] == "s.yaml:1:1: error[QS1]: m�[2J�x"

    def test_colour(self) -> None:
        shown = text(Diagnostic("QS1", "m", span(1, 1, 5), "h"), colour=True)
        assert "\033[1;31merror[QS1]\033[0m: \033[1mm\033[0m\n" in shown
        assert "\033[1;31m^^^^\033[0m\n" in shown
        plain = shown
        for code in ("\033[1;31m", "\033[1;34m", "\033[1m", "\033[0m"):
            plain = plain.replace(code, "")
        assert plain == text(Diagnostic("QS1", "m", span(1, 1, 5), "h"))

    def test_lines_come_from_the_file(self, tmp_path: Path) -> None:
        path = tmp_path / "a.yaml"
        path.write_bytes(b"x: \xff1\n")
        shown = to_text([Diagnostic("QS1", "m", Span(str(path), 1, 4, 1, 5))])
        assert shown.splitlines()[1:] == [" 1 | x: �1", "   |    ^"]

    def test_a_file_that_is_gone(self, tmp_path: Path) -> None:
        path = str(tmp_path / "no.yaml")
        assert to_text([Diagnostic("QS1", "m", Span(path, 1, 1, 1, 2))]) == f"{path}:1:1: error[QS1]: m\n"

    def test_a_file_that_changes(self, tmp_path: Path) -> None:
        path = tmp_path / "a.yaml"
        problem = Diagnostic("QS1", "m", Span(str(path), 1, 1, 1, 2))
        for content in ("one\n", "other\n"):
            path.write_text(content)
            assert to_text([problem]).splitlines()[1] == f" 1 | {content.strip()}"

    def test_a_pipe_is_not_opened(self, tmp_path: Path) -> None:
        path = str(tmp_path / "pipe")
        os.mkfifo(path)
        assert to_text([Diagnostic("QS1", "m", Span(path, 1, 1, 1, 1))]) == f"{path}:1:1: error[QS1]: m\n"

    def test_a_huge_file_is_not_read(self, tmp_path: Path) -> None:
        path = tmp_path / "huge"
        with path.open("wb") as file:
            file.truncate(1 << 40)
        assert to_text([Diagnostic("QS1", "m", Span(str(path), 1, 1, 1, 1))]).count("\n") == 1

    @given(st.text(max_size=40), st.integers(1, 45), st.integers(1, 45), st.integers(1, 3))
    def test_any_line_gives_three_lines(self, source: str, start: int, end: int, end_line: int) -> None:
        first = Sources({"s.yaml": source}).line("s.yaml", 1)
        assert first is not None
        lines = text(Diagnostic("QS1", "m", span(1, start, end, end_line)), source=source).split("\n")
        assert len(lines) == 4
        assert lines[2].startswith("   | ")
        assert lines[2].strip(" |^") == ""
        assert lines[2].count("^") >= 1
        blanks = first[len(first.rstrip()) :].replace("\t", " " * TAB_WIDTH)  # not shown, but underlined
        assert display_width(lines[2]) <= max(display_width(lines[1]), 5) + display_width(blanks) + 1


@pytest.mark.parametrize(
    ("character", "width"),
    [("a", 1), ("é", 1), ("\u0301", 0), ("中", 2), ("Ａ", 2), ("ｱ", 1), ("😀", 2), ("\u200b", 0), ("−", 1)],
)
def test_display_width(character: str, width: int) -> None:
    assert display_width(character) == width


@pytest.mark.parametrize(
    ("errors", "warnings", "words"),
    [
        (0, 0, "no problems"),
        (1, 0, "1 error"),
        (2, 1, "2 errors, 1 warning"),
        (0, 3, "3 warnings"),
    ],
)
def test_summary(errors: int, warnings: int, words: str) -> None:
    wrong = [Diagnostic("QS1", "m")] * errors
    assert summary([*wrong, *[Diagnostic("QS2", "m", severity=Severity.WARNING)] * warnings]) == words


FULL = Diagnostic(
    "QS150",
    "no key {x} 中",
    Span("a b/s.yaml", 2, 3, 4, 5),
    "try 100%",
    related=(Related(Span("/abs/t.yaml", 1, 1, 1, 2), "first {here}"),),
)
BARE = Diagnostic("QS100", "m", severity=Severity.WARNING)


def test_json() -> None:
    assert json.loads(to_json([FULL, BARE])) == {
        "diagnostics": [
            {
                "code": "QS150",
                "severity": "error",
                "message": "no key {x} 中",
                "help": "try 100%",
                "location": {"file": "a b/s.yaml", "line": 2, "column": 3, "endLine": 4, "endColumn": 5},
                "related": [
                    {
                        "message": "first {here}",
                        "location": {
                            "file": "/abs/t.yaml",
                            "line": 1,
                            "column": 1,
                            "endLine": 1,
                            "endColumn": 2,
                        },
                    }
                ],
            },
            {
                "code": "QS100",
                "severity": "warning",
                "message": "m",
                "help": None,
                "location": None,
                "related": [],
            },
        ],
        "errors": 1,
        "warnings": 1,
    }
    assert to_json([]).endswith("}\n")


def test_json_of_a_name_that_is_not_text() -> None:
    to_json([Diagnostic("QS1", "m", Span("\udcff.yaml", 1, 1, 1, 1))]).encode("utf-8")


# What SARIF 2.1.0 demands of the parts that are used, as its schema says it.
_TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
_REGION = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        name: {"type": "integer", "minimum": 1}
        for name in ("startLine", "startColumn", "endLine", "endColumn")
    },
}
_LOCATION = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "message": _TEXT,
        "physicalLocation": {
            "type": "object",
            "additionalProperties": False,
            "required": ["artifactLocation"],
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "uri": {"type": "string", "pattern": r"^[A-Za-z0-9._~!$&'()*+,;=:@/%-]+$"}
                    },
                },
                "region": _REGION,
            },
        },
    },
}
_RESULT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["message"],
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": -1},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": _TEXT,
        "locations": {"type": "array", "items": _LOCATION},
        "relatedLocations": {"type": "array", "uniqueItems": True, "items": _LOCATION},
    },
}
_RULE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["id"],
    "properties": {"id": {"type": "string"}, "shortDescription": _TEXT},
}
_DRIVER = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name"],
    "properties": {
        "name": {"type": "string"},
        "version": {"type": "string"},
        "rules": {"type": "array", "uniqueItems": True, "items": _RULE},
    },
}
_RUN = {
    "type": "object",
    "additionalProperties": False,
    "required": ["tool"],
    "properties": {
        "tool": {"type": "object", "required": ["driver"], "properties": {"driver": _DRIVER}},
        "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        "results": {"type": "array", "items": _RESULT},
    },
}
SARIF = {
    "type": "object",
    "additionalProperties": False,
    "required": ["version", "runs"],
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"enum": ["2.1.0"]},
        "runs": {"type": "array", "items": _RUN},
    },
}


class TestSarif:
    def log(self, *diagnostics: Diagnostic) -> Any:
        log = json.loads(to_sarif(diagnostics, {"QS150": "An {unknown} key"}))
        jsonschema.validate(log, SARIF)
        return log

    def test_nothing_found(self) -> None:
        assert self.log()["runs"][0]["results"] == []

    def test_run(self) -> None:
        run = self.log(FULL, BARE, FULL)["runs"][0]
        driver = run["tool"]["driver"]
        assert (driver["name"], driver["version"]) == ("qsfa-codegen", __version__)
        assert driver["rules"] == [
            {"id": "QS100"},
            {"id": "QS150", "shortDescription": {"text": "An {{unknown}} key"}},
        ]
        assert run["columnKind"] == "unicodeCodePoints"
        assert [(r["ruleId"], r["ruleIndex"], r["level"]) for r in run["results"]] == [
            ("QS150", 1, "error"),
            ("QS100", 0, "warning"),
            ("QS150", 1, "error"),
        ]

    def test_result(self) -> None:
        result = self.log(FULL)["runs"][0]["results"][0]
        assert result["message"] == {"text": "no key {{x}} 中\nhelp: try 100%"}
        assert result["locations"] == [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "a%20b/s.yaml"},
                    "region": {"startLine": 2, "startColumn": 3, "endLine": 4, "endColumn": 5},
                }
            }
        ]
        (related,) = result["relatedLocations"]
        assert related["message"] == {"text": "first {{here}}"}
        assert related["physicalLocation"]["artifactLocation"] == {"uri": "file:///abs/t.yaml"}

    def test_no_place(self) -> None:
        assert "locations" not in self.log(BARE)["runs"][0]["results"][0]

    @pytest.mark.parametrize(
        ("file", "uri"),
        [("a:b.yaml", "a%3Ab.yaml"), ("a%b#c?.yaml", "a%25b%23c%3F.yaml"), ("中.yaml", "%E4%B8%AD.yaml")],
    )
    def test_uris(self, file: str, uri: str) -> None:
        result = self.log(Diagnostic("QS1", "m", Span(file, 1, 1, 1, 1)))["runs"][0]["results"][0]
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


class TestGithub:
    def test_several_lines_have_no_columns(self) -> None:
        assert to_github([FULL]) == (
            "::error file=a b/s.yaml,line=2,endLine=4,title=QS150::no key {x} 中%0Ahelp: try 100%25\n"
        )

    def test_one_line(self) -> None:
        assert to_github([Diagnostic("QS1", "m", Span("s.yaml", 2, 3, 2, 9))]) == (
            "::error file=s.yaml,line=2,endLine=2,col=3,endColumn=9,title=QS1::m\n"
        )

    def test_no_place(self) -> None:
        assert to_github([BARE]) == "::warning title=QS100::m\n"

    def test_escapes(self) -> None:
        place = Span("a,b:c%d.yaml", 1, 1, 2, 1)
        assert to_github([Diagnostic("QS1", "x: 1%, y\r\nz", place)]) == (
            "::error file=a%2Cb%3Ac%25d.yaml,line=1,endLine=2,title=QS1::x: 1%25, y%0D%0Az\n"
        )


def test_many_findings_in_one_long_line_take_no_time() -> None:
    line = "[" + "value, " * 150_000 + "]"
    spans = [Span("s.yaml", 1, 2 + 7 * 700 * k, 1, 7 + 7 * 700 * k) for k in range(200)]
    sources = Sources({"s.yaml": line})
    start = time.process_time()
    shown = to_text([Diagnostic("QS999", "wrong", span) for span in spans], sources=sources)
    assert time.process_time() - start < 5
    assert shown.count("^^^^^\n") == 200
    assert max(len(row) for row in shown.splitlines()) < 130
    row, marks = shown.splitlines()[4 * 100 + 1 : 4 * 100 + 3]
    assert row[marks.index("^") : marks.rindex("^") + 1] == "value"
    assert row.startswith(" 1 | …")
    assert row.endswith("…")
