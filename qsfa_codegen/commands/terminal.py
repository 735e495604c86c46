"""Where a command's words go, and whether they are coloured."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TextIO

from msgspec.structs import replace

from qsfa_codegen.commands.progress import Progress
from qsfa_codegen.diagnostics import Diagnostic

FORMATS = ("text", "json", "sarif", "github")
COLOURS = ("auto", "always", "never")

_RESET = "\x1b[0m"
_STYLES = {
    "bold": "\x1b[1m",
    "added": "\x1b[32m",
    "removed": "\x1b[31m",
    "added_word": "\x1b[1;7;32m",
    "removed_word": "\x1b[1;7;31m",
    "place": "\x1b[36m",
    "quiet": "\x1b[2m",
}
_DIFF_STYLES = {"+": "added", "-": "removed", "@": "place"}


def uses_colour(choice: str, stream: TextIO) -> bool:
    """Whether to colour what goes to ``stream``: as told, else by NO_COLOR, FORCE_COLOR and the terminal."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if forced := os.environ.get("FORCE_COLOR"):
        return forced != "0"
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def painted(style: str, text: str, *, colour: bool) -> str:
    """``text`` in one of the program's styles, when there is colour at all."""
    return f"{_STYLES[style]}{text}{_RESET}" if colour and text else text


def _painted_diff(diff: str, *, colour: bool) -> str:
    """A diff, each line of it ended, as it goes to the screen."""
    from qsfa_codegen.diagnostic_formats import printable

    lines = (
        painted(_DIFF_STYLES[line[0]], line, colour=colour) if line[:1] in _DIFF_STYLES else line
        for line in map(printable, diff.split("\n")[:-1])
    )
    return "".join(f"  {line}\n" for line in lines)


class Console:
    """Says what was found and done.

    As text, findings go to stderr at once and results to stdout. In the formats for programs stdout
    holds one document with all findings, written by ``finish``, and nothing else. ``debug`` shows
    where the program failed.
    """

    def __init__(
        self, format: str = "text", color: str = "auto", *, quiet: bool = False, debug: bool = False
    ) -> None:
        self._format = format
        self._quiet = quiet
        self._debug = debug
        self._found: list[Diagnostic] = []
        self._told: set[tuple[Diagnostic, str]] = set()
        self._choice = color
        self._colour = uses_colour(color, sys.stderr)
        self._progress: Progress | None = None
        self._texts: dict[str, str] = {}

    @property
    def colour(self) -> bool:
        """Whether results are coloured."""
        return uses_colour(self._choice, sys.stdout)

    def progress(self, total: int, what: str) -> Progress:
        """A count of finished items that the other output keeps clear of."""
        self._progress = Progress(total, what, enabled=not self._quiet)
        return self._progress

    def finding(self, found: Diagnostic, detail: str = "") -> None:
        """Report a diagnostic, once; ``detail``, such as a diff, belongs below it."""
        if (found, detail) in self._told:  # as a mistake in chips.yaml, which all specs share
            return
        self._told.add((found, detail))
        if self._format != "text":
            message = f"{found.message}\n{detail}".rstrip("\n")
            self._found.append(replace(found, message=message))
            return
        from qsfa_codegen.diagnostic_formats import (  # most runs find nothing, and it takes a while
            Sources,
            to_text,
        )

        text = to_text([found], colour=self._colour, sources=Sources(self._texts))
        self._write(text + _painted_diff(detail, colour=self._colour), sys.stderr)

    def add_sources(self, texts: Mapping[str, str]) -> None:
        """Texts, by the names that findings have for them, that are shown instead of files of these names."""
        self._texts.update(texts)

    def trace(self, text: str) -> None:
        """Show where the program failed, to those who debug it."""
        if self._debug and text:
            self._write(text, sys.stderr)

    def note(self, text: str) -> None:
        """Say something that is neither a finding nor a result."""
        if not self._quiet:
            self._write(text, sys.stderr)

    def result(self, text: str) -> None:
        """Report what was done."""
        if self._format == "text" and not self._quiet:
            self._write(text, sys.stdout)

    def write(self, text: str) -> None:
        """Write a line of a result that is itself in a form for programs."""
        self._write(text, sys.stdout)

    def _write(self, text: str, stream: TextIO) -> None:
        if self._progress:
            self._progress.clear()
        print(text, file=stream, flush=True)

    def finish(self) -> None:
        """Write what can only be written when everything is known."""
        if self._progress:
            self._progress.clear()
        if self._format != "text":
            sys.stdout.write(_document(self._format, self._found))


def _document(form: str, found: list[Diagnostic]) -> str:
    """All findings in a format for programs."""
    from qsfa_codegen.diagnostic_formats import to_github, to_json, to_sarif

    if form == "json":
        return to_json(found)
    if form == "github":
        return to_github(found)
    from qsfa_codegen.catalogue import titles

    return to_sarif(found, titles())
