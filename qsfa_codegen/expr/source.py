"""Where a piece of an expression stands in the spec file."""

from __future__ import annotations

from dataclasses import dataclass

from qsfa_codegen.diagnostics import Span


@dataclass(frozen=True, slots=True)
class Source:
    """The text of an expression and the span of its YAML scalar."""

    text: str
    span: Span

    def at(self, start: int, end: int) -> Span:
        """Span of the characters ``start`` to ``end`` of the text.

        The whole scalar where its characters do not correspond one to one with the file: when it
        goes over several lines or holds escapes.
        """
        if self.span.line != self.span.end_line:
            return self.span
        quotes = self.span.end_column - self.span.column - len(self.text)
        if quotes not in (0, 2):
            return self.span
        first = self.span.column + quotes // 2
        start = max(0, min(start, len(self.text)))
        end = max(start + 1, end)
        return Span(self.span.file, self.span.line, first + start, self.span.line, first + end)

    @property
    def indent(self) -> int:
        """Number of blanks before the expression."""
        return len(self.text) - len(self.text.lstrip())

    def offset(self, column: int) -> int:
        """Character offset of Python's ``col_offset``: UTF-8 bytes after the indent."""
        if self.text.isascii():
            return self.indent + column
        encoded = self.text.lstrip().encode("utf-8", "replace")
        return self.indent + len(encoded[:column].decode("utf-8", "ignore"))
