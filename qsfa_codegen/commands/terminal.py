"""Where a command's words go, and whether they are coloured."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TextIO

from qsfa_codegen import diagnostic_formats
from qsfa_codegen.diagnostics import Diagnostic

FORMATS = tuple(diagnostic_formats.FORMATS)
COLOURS = ("auto", "always", "never")

_RESET = "\x1b[0m"
_STYLES = {"bold": "\x1b[1m", "added": "\x1b[32m", "removed": "\x1b[31m", "place": "\x1b[36m"}


def uses_colour(choice: str, stream: TextIO) -> bool:
    """Whether to colour what goes to ``stream``: as told, else by NO_COLOR, FORCE_COLOR and the terminal."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def painted(style: str, text: str, *, colour: bool) -> str:
    """``text`` in one of the program's styles, when there is colour at all."""
    return f"{_STYLES[style]}{text}{_RESET}" if colour and text else text


def painted_diff(diff: str, *, colour: bool) -> str:
    """A unified diff with its lines coloured."""
    styles = {"+": "added", "-": "removed", "@": "place"}
    return "".join(
        painted(styles[line[0]], line.rstrip("\n"), colour=colour) + "\n" if line[0] in styles else line
        for line in diff.splitlines(keepends=True)
    )


class Reporter:
    """Says what was found and done.

    As text, findings go to stderr at once and results to stdout. In the formats for programs stdout
    holds one document with all findings, written by ``finish``, and nothing else.
    """

    def __init__(self, format: str = "text", color: str = "auto", *, quiet: bool = False) -> None:
        self._format = format
        self._quiet = quiet
        self._found: list[Diagnostic] = []
        self.colour = uses_colour(color, sys.stderr)

    def findings(self, found: Iterable[Diagnostic], detail: str = "") -> None:
        """Report diagnostics; ``detail`` is shown to people below them."""
        diagnostics = list(found)
        self._found += diagnostics
        if self._format == "text" and diagnostics:
            text = diagnostic_formats.to_text(diagnostics, colour=self.colour)
            print(text + painted_diff(detail, colour=self.colour), file=sys.stderr)

    def result(self, text: str) -> None:
        """Report what was done."""
        if self._format == "text" and not self._quiet:
            print(text, flush=True)

    def finish(self) -> None:
        """Write what can only be written when everything is known."""
        if self._format == "json":
            sys.stdout.write(diagnostic_formats.to_json(self._found))
        elif self._format == "sarif":
            from qsfa_codegen.catalogue import titles

            sys.stdout.write(diagnostic_formats.to_sarif(self._found, titles()))
        elif self._format == "github":
            sys.stdout.write(diagnostic_formats.to_github(self._found))
