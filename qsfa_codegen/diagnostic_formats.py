"""Diagnostics as text for people, and as JSON, SARIF 2.1.0 and GitHub annotations for programs."""

from __future__ import annotations

import json
import os
import re
import stat
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePath

from msgspec import Struct, field

from qsfa_codegen import __version__
from qsfa_codegen.diagnostics import Diagnostic, Related, Severity, Span, split_lines

TOOL_NAME = "qsfa-codegen"
TAB_WIDTH = 4
MAX_WIDTH = 110
CONTEXT_WIDTH = 30
NEAR = 2 * MAX_WIDTH  # characters, more than are shown
MAX_SOURCE_BYTES = 16 << 20

# Terminals obey control characters, and direction overrides show a line as what it is not.
_UNSAFE = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_REPLACEMENT = "\ufffd"

JsonValue = str | int | None | list["JsonValue"] | dict[str, "JsonValue"]


def count(diagnostics: Iterable[Diagnostic], severity: Severity) -> int:
    """How many diagnostics have this severity."""
    return sum(1 for diagnostic in diagnostics if diagnostic.severity is severity)


def summary(diagnostics: Sequence[Diagnostic]) -> str:
    """``2 errors, 1 warning``, or ``no problems``."""
    parts = []
    for severity in Severity:
        number = count(diagnostics, severity)
        if number:
            parts.append(f"{number} {severity.value}{'s' if number > 1 else ''}")
    return ", ".join(parts) or "no problems"


# --------------------------------------------------------------------------- text


class Sources(Struct, frozen=True):
    """Source lines by file name: from texts that are given, otherwise from the file."""

    texts: Mapping[str, str] = field(default_factory=dict)

    def line(self, file: str, number: int) -> str | None:
        """Line ``number`` (from 1) of a file; None when it cannot be had."""
        text = self.texts.get(file)
        lines = _lines_of_file(file) if text is None else _lines_of_text(text)
        return lines[number - 1] if 1 <= number <= len(lines) else None


def _lines_of_file(file: str) -> list[str]:
    try:
        status = os.stat(file)
        # What cannot be a source is not opened: a pipe would block, a huge file fill the memory.
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_SOURCE_BYTES:
            return []
        return _read_lines(file, status.st_mtime_ns, status.st_size)
    except (OSError, ValueError):
        return []


@lru_cache(maxsize=8)
def _read_lines(file: str, changed: int, size: int) -> list[str]:
    """The lines of a file; ``changed`` and ``size`` only tell versions of it apart."""
    with open(file, encoding="utf-8", errors="replace", newline="") as stream:
        return split_lines(stream.read())


@lru_cache(maxsize=8)
def _lines_of_text(text: str) -> list[str]:
    return split_lines(text)


_STYLES = {"error": "1;31", "warning": "1;33", "note": "1;36", "gutter": "1;34", "bold": "1"}


class _Painter(Struct, frozen=True):
    colour: bool

    def __call__(self, style: str, text: str) -> str:
        return f"\033[{_STYLES[style]}m{text}\033[0m" if self.colour and text else text


def to_text(
    diagnostics: Iterable[Diagnostic], *, colour: bool = False, sources: Sources | None = None
) -> str:
    """Each diagnostic with its source line and the place underlined, as a compiler shows it.

    Ends with a newline unless there is nothing to say. Without ``sources`` lines come from the files.
    """
    paint, lines = _Painter(colour), sources or Sources()
    return "\n".join(_text(diagnostic, paint, lines) for diagnostic in diagnostics)


def _text(diagnostic: Diagnostic, paint: _Painter, sources: Sources) -> str:
    kind = diagnostic.severity.value
    head = f"{paint(kind, f'{kind}[{diagnostic.code}]')}: {paint('bold', printable(diagnostic.message))}"
    parts = [_located(diagnostic.span, head, kind, paint, sources)]
    if diagnostic.help:
        parts.append(f"  {paint('gutter', '=')} {paint('bold', 'help')}: {printable(diagnostic.help)}\n")
    for related in diagnostic.related:
        note = f"{paint('note', 'note')}: {printable(related.message)}"
        parts.append(_located(related.span, note, "note", paint, sources))
    return "".join(parts)


def _located(span: Span | None, message: str, style: str, paint: _Painter, sources: Sources) -> str:
    if span is None:
        return f"{message}\n"
    place = paint("bold", f"{printable(span.file)}:{span.line}:{span.column}:")
    source = sources.line(span.file, span.line)
    if source is None:
        return f"{place} {message}\n"
    shown, marks = _underlined(source, span)
    number = str(span.line)
    gutter = " " * len(number)
    rows = [f" {paint('gutter', f'{number} |')} {shown}".rstrip(), f" {paint('gutter', f'{gutter} |')} "]
    return f"{place} {message}\n{rows[0]}\n{rows[1]}{marks[0]}{paint(style, marks[1])}\n"


def _underlined(source: str, span: Span) -> tuple[str, tuple[str, str]]:
    """The line as shown, the blanks below it up to the span, and the carets."""
    start = min(span.column - 1, len(source))
    end = min(span.end_column - 1, len(source)) if span.end_line == span.line else len(source)
    source, start, end = _surroundings(source, start, max(start, end))
    before, marked, after = (_display(part, column) for part, column in _pieces(source, start, end))
    before, marked, after = _cropped(before, marked, after)
    carets = "^" * max(1, display_width(marked))
    return before + marked + after, (" " * display_width(before), carets)


def _surroundings(source: str, start: int, end: int) -> tuple[str, int, int]:
    """The part of a line that can be shown, and where the span is in it: lines may be as long as files."""
    first, last = max(0, start - NEAR), min(end, start + NEAR)
    return source[first : last + NEAR], start - first, last - first


def _pieces(source: str, start: int, end: int) -> Iterable[tuple[str, int]]:
    """Text before, inside and after the span, each with the screen column where it begins."""
    column = 0
    for part in (source[:start], source[start:end], source[end:]):
        yield part, column
        column += display_width(_display(part, column))


def _display(text: str, column: int) -> str:
    """The text as it goes to the screen from ``column`` on: tabs as blanks, unsafe characters replaced."""
    if "\t" not in text:
        return printable(text)
    shown = []
    for character in printable(text):
        piece = " " * (TAB_WIDTH - column % TAB_WIDTH) if character == "\t" else character
        column += display_width(piece)
        shown.append(piece)
    return "".join(shown)


def _cropped(before: str, marked: str, after: str) -> tuple[str, str, str]:
    """The three parts of a line, shortened around the marked one when the line is too wide."""
    if display_width(before + marked + after) <= MAX_WIDTH:
        return before, marked, after
    if display_width(before) > CONTEXT_WIDTH:
        before = "…" + _fit(before[::-1], CONTEXT_WIDTH)[::-1]
    if display_width(before + marked) > MAX_WIDTH:
        return before, _fit(marked, MAX_WIDTH - display_width(before)), "…"
    room = MAX_WIDTH - display_width(before + marked)
    return before, marked, after if display_width(after) <= room else _fit(after, room) + "…"


def _fit(text: str, width: int) -> str:
    used = 0
    for index, character in enumerate(text):
        used += _width(character)
        if used > width:
            return text[:index]
    return text


def display_width(text: str) -> int:
    """Screen columns that a text takes: 2 for wide East Asian characters, 0 for combining ones."""
    return len(text) if text.isascii() else sum(_width(character) for character in text)


def _width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def printable(text: str) -> str:
    """The text with a sign in place of each character that a terminal would obey or that misleads."""
    return _UNSAFE.sub(_REPLACEMENT, text)


# --------------------------------------------------------------------------- JSON


def to_json(diagnostics: Sequence[Diagnostic]) -> str:
    """One JSON object: ``diagnostics`` with their places, and the number of ``errors`` and ``warnings``."""
    document: JsonValue = {
        "diagnostics": [_json(diagnostic) for diagnostic in diagnostics],
        "errors": count(diagnostics, Severity.ERROR),
        "warnings": count(diagnostics, Severity.WARNING),
    }
    return _dump(document)


def _json(diagnostic: Diagnostic) -> JsonValue:
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "help": diagnostic.help,
        "location": _json_span(diagnostic.span),
        "related": [
            {"message": related.message, "location": _json_span(related.span)}
            for related in diagnostic.related
        ],
    }


def _json_span(span: Span | None) -> JsonValue:
    if span is None:
        return None
    return {
        "file": span.file,
        "line": span.line,
        "column": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _dump(document: JsonValue) -> str:
    text = json.dumps(document, ensure_ascii=False, indent=2)
    # A file name may hold bytes that are not UTF-8; output must be encodable all the same.
    return text.encode("utf-8", "replace").decode("utf-8") + "\n"


# --------------------------------------------------------------------------- SARIF


def to_sarif(diagnostics: Sequence[Diagnostic], titles: Mapping[str, str] | None = None) -> str:
    """A SARIF 2.1.0 log of one run; ``titles`` describes codes. Columns count Unicode code points."""
    codes = sorted({diagnostic.code for diagnostic in diagnostics})
    index = {code: position for position, code in enumerate(codes)}
    run: JsonValue = {
        "tool": {
            "driver": {
                "name": TOOL_NAME,
                "version": __version__,
                "rules": [_sarif_rule(code, (titles or {}).get(code)) for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_sarif_result(diagnostic, index) for diagnostic in diagnostics],
    }
    return _dump({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]})


SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def _sarif_rule(code: str, title: str | None) -> JsonValue:
    rule: dict[str, JsonValue] = {"id": code}
    if title:
        rule["shortDescription"] = _sarif_text(title)
    return rule


def _sarif_result(diagnostic: Diagnostic, index: Mapping[str, int]) -> JsonValue:
    message = diagnostic.message
    if diagnostic.help:
        message = f"{message}\nhelp: {diagnostic.help}"
    result: dict[str, JsonValue] = {
        "ruleId": diagnostic.code,
        "ruleIndex": index[diagnostic.code],
        "level": diagnostic.severity.value,
        "message": _sarif_text(message),
    }
    if diagnostic.span is not None:
        result["locations"] = [_sarif_location(diagnostic.span)]
    if diagnostic.related:
        result["relatedLocations"] = [_sarif_related(related) for related in diagnostic.related]
    return result


def _sarif_text(text: str) -> JsonValue:
    # Single braces would be placeholders for arguments (SARIF 3.11.5).
    return {"text": text.replace("{", "{{").replace("}", "}}")}


def _sarif_related(related: Related) -> JsonValue:
    return {**_sarif_location(related.span), "message": _sarif_text(related.message)}


def _sarif_location(span: Span) -> dict[str, JsonValue]:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(span.file)},
            "region": {
                "startLine": span.line,
                "startColumn": span.column,
                "endLine": span.end_line,
                "endColumn": span.end_column,
            },
        }
    }


def _uri(file: str) -> str:
    from urllib.parse import quote

    path = PurePath(file)
    if path.is_absolute():
        return path.as_uri()
    # A colon in the first segment of a relative reference would read as a scheme.
    return quote(file.encode("utf-8", "surrogateescape"), safe="/")


# --------------------------------------------------------------------------- GitHub


def to_github(diagnostics: Iterable[Diagnostic]) -> str:
    """Workflow commands, one line each, that GitHub turns into annotations."""
    return "".join(_github(diagnostic) for diagnostic in diagnostics)


def _github(diagnostic: Diagnostic) -> str:
    properties = _github_place(diagnostic.span)
    properties["title"] = diagnostic.code
    listed = ",".join(f"{name}={_github_property(value)}" for name, value in properties.items())
    message = diagnostic.message
    if diagnostic.help:
        message = f"{message}\nhelp: {diagnostic.help}"
    return f"::{diagnostic.severity.value} {listed}::{_github_data(message)}\n"


def _github_place(span: Span | None) -> dict[str, str]:
    if span is None:
        return {}
    place = {"file": span.file, "line": str(span.line), "endLine": str(span.end_line)}
    if span.line == span.end_line:  # GitHub takes columns only inside one line
        place |= {"col": str(span.column), "endColumn": str(span.end_column)}
    return place


def _github_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _github_property(text: str) -> str:
    return _github_data(text).replace(":", "%3A").replace(",", "%2C")
