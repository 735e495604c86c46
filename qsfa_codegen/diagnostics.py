"""What the compiler has to say about a spec: where, what, and how to fix it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum

from msgspec import Struct, field


class Severity(Enum):
    """How bad it is: an error stops generation, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


class Span(Struct, frozen=True, order=True):
    """A stretch of a file; lines and columns count from 1, the end is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


_LINE_BREAK = re.compile(r"\r\n|\r|\n")


def split_lines(text: str) -> list[str]:
    """Lines as spans count them: broken at LF, CR LF and CR only."""
    return _LINE_BREAK.split(text)


class Related(Struct, frozen=True):
    """A second place that explains a diagnostic, such as the first definition of a duplicate."""

    span: Span
    message: str


class Diagnostic(Struct, frozen=True):
    """One finding. ``code`` is stable (``QSnnn``); ``span`` is None for a finding about no file."""

    code: str
    message: str
    span: Span | None = None
    help: str | None = None
    severity: Severity = Severity.ERROR
    related: tuple[Related, ...] = ()


class SpecError(Exception):
    """Reading or checking a spec failed; carries every diagnostic of the run."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("; ".join(d.message for d in self.diagnostics))


class Sink(Struct):
    """Collects diagnostics so that one run reports all of them."""

    _items: list[Diagnostic] = field(default_factory=list)

    def error(
        self,
        code: str,
        message: str,
        span: Span | None,
        help: str | None = None,
        related: tuple[Related, ...] = (),
    ) -> None:
        """Record an error."""
        self._items.append(Diagnostic(code, message, span, help, Severity.ERROR, related))

    def add(self, diagnostic: Diagnostic) -> None:
        """Record a ready-made diagnostic."""
        self._items.append(diagnostic)

    @property
    def failed(self) -> bool:
        """True when at least one error was recorded."""
        return any(d.severity is Severity.ERROR for d in self._items)

    def __iter__(self) -> Iterator[Diagnostic]:
        """Diagnostics in file order, those without a place last, duplicates once."""
        return iter(
            sorted(
                dict.fromkeys(self._items),
                key=lambda d: (d.span is None, d.span or Span("", 0, 0, 0, 0), d.code),
            )
        )

    def __len__(self) -> int:
        return len(self._items)
