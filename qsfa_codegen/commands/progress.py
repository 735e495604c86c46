"""How far a long run has come, on stderr, once it is long."""

from __future__ import annotations

import sys
import time
from typing import TextIO

_DELAY = 1.0  # seconds before a terminal gets its line
_REDRAW = 0.1  # seconds between two states of it
_REPEAT = 10.0  # seconds between two lines of a log


class Progress:
    """Counts finished items. A terminal has one line that changes; anything else gets a line now and then."""

    def __init__(self, total: int, what: str, *, enabled: bool = True, stream: TextIO | None = None) -> None:
        self._total = total
        self._what = what
        self._stream = stream or sys.stderr
        self._enabled = enabled and total > 1
        self._terminal = self._stream.isatty()
        self._done = 0
        self._shown = False
        self._next = time.monotonic() + (_DELAY if self._terminal else _REPEAT)

    def step(self, items: int = 1) -> None:
        """So many more items are finished."""
        self._done += items
        now = time.monotonic()
        if not self._enabled or now < self._next or self._done >= self._total:
            return
        line = f"{self._done} of {self._total} {self._what}"
        self._stream.write(f"\r{line}" if self._terminal else f"{line}\n")
        self._stream.flush()
        self._shown = self._terminal
        self._next = now + (_REDRAW if self._terminal else _REPEAT)

    def clear(self) -> None:
        """Take the terminal's line away, so that other output can stand there."""
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._shown = False
