"""Where a piece of an expression stands in the spec file."""

from __future__ import annotations

from qsfa_codegen.diagnostics import Span


class Source:
    """The text of an expression and the span of its YAML scalar; ``indent`` blanks stand before it."""

    def __init__(self, text: str, span: Span) -> None:
        self.text = text
        self.span = span
        self.indent = len(text) - len(text.lstrip())
        self._ascii = text.isascii()
        self._first = _first_column(text, span)

    def at(self, start: int, end: int) -> Span:
        """Span of the characters ``start`` to ``end`` of the text.

        The whole scalar where its characters do not correspond one to one with the file: when it
        goes over several lines or holds escapes.
        """
        if self._first is None:
            return self.span
        start = max(0, min(start, len(self.text)))
        end = max(start + 1, end)
        line = self.span.line
        return Span(self.span.file, line, self._first + start, line, self._first + end)

    def offset(self, column: int) -> int:
        """Character offset of Python's ``col_offset``: UTF-8 bytes after the indent."""
        if self._ascii:
            return self.indent + column
        encoded = self.text.lstrip().encode("utf-8", "replace")
        return self.indent + len(encoded[:column].decode("utf-8", "ignore"))


def _first_column(text: str, span: Span) -> int | None:
    """Column of the first character of ``text``: behind the quote when there are quotes."""
    quotes = span.end_column - span.column - len(text)
    if span.line != span.end_line or quotes not in (0, 2):
        return None
    return span.column + quotes // 2
