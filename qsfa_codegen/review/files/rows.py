"""Two texts as rows, line beside line, and the rows that are worth showing as hunks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from qsfa_codegen.review.files.model import Row, Side
from qsfa_codegen.review.files.sequences import opcodes
from qsfa_codegen.review.files.words import compared

CONTEXT = 3
_NUMBER = re.compile(r"\b\d+\b")


def side_by_side(old: Sequence[str], new: Sequence[str]) -> tuple[Row, ...]:
    """Every line of both, those that are equal beside each other."""
    rows: list[Row] = []
    for what, i, i_end, j, j_end in opcodes(old, new):
        if what == "equal":
            rows += (Row(Side(i + k + 1, old[i + k]), Side(j + k + 1, new[j + k])) for k in range(i_end - i))
        else:
            rows += _Block(old, new).rows(i, i_end, j, j_end)
    return tuple(rows)


def stretches(rows: Sequence[Row], counts: Callable[[Row], bool]) -> Iterator[range]:
    """The longest runs of rows that count."""
    start = None
    for index, row in enumerate(rows):
        if counts(row) and start is None:
            start = index
        elif not counts(row) and start is not None:
            yield range(start, index)
            start = None
    if start is not None:
        yield range(start, len(rows))


def windows(rows: Sequence[Row]) -> tuple[range, ...]:
    """Where there is something to look at, with a few rows around it; windows that meet are one."""
    found: list[range] = []
    for run in stretches(rows, lambda row: row.changed):
        window = range(max(0, run.start - CONTEXT), min(len(rows), run.stop + CONTEXT))
        if found and found[-1].stop >= window.start:
            window = range(found.pop().start, window.stop)
        found.append(window)
    return tuple(found)


class _Block:
    """Lines that were replaced by others."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self._old = old
        self._new = new

    def rows(self, i: int, i_end: int, j: int, j_end: int) -> Iterator[Row]:
        """Lines that differ only in numbers stand beside each other, and between them those most alike."""
        before = [_NUMBER.sub("0", line) for line in self._old[i:i_end]]
        after = [_NUMBER.sub("0", line) for line in self._new[j:j_end]]
        for what, a, a_end, b, b_end in opcodes(before, after):
            if what == "equal":
                for k in range(a_end - a):
                    yield from self._alike(i + a + k, i + a + k + 1, j + b + k, j + b + k + 1)
            else:
                yield from self._alike(i + a, i + a_end, j + b, j + b_end)

    def _alike(self, i: int, i_end: int, j: int, j_end: int) -> Iterator[Row]:
        words = compared(self._old[i:i_end], self._new[j:j_end])

        def old(at: int) -> Side:
            return Side(i + at + 1, self._old[i + at], words.old[at])

        def new(at: int) -> Side:
            return Side(j + at + 1, self._new[j + at], words.new[at])

        left = right = 0
        for a, b in (*words.pairs, (i_end - i, j_end - j)):
            yield from (Row(old(at), None) for at in range(left, a))
            yield from (Row(None, new(at)) for at in range(right, b))
            if a < i_end - i:
                yield Row(old(a), new(b))
            left, right = a + 1, b + 1
