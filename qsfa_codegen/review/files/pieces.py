"""Lines as they can be shown: marked pieces, and of very long lines only what differs with some around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from qsfa_codegen.review.files.model import Hunk, Row, Side

LONG = 300
_AROUND = 60
_MOST_PIECES = 40


class Piece(Struct, frozen=True):
    """A stretch of a line; ``left_out``: it is not shown, only that something is missing."""

    start: int
    end: int
    marked: bool = False
    left_out: bool = False


class Line(Struct, frozen=True):
    """A line of a unified diff: ``sign`` is ``-``, ``+`` or a space."""

    sign: str
    side: Side
    quiet: bool


def pieces(side: Side) -> list[Piece]:
    """A line cut where marks begin and end; all pieces together are the whole line."""
    found: list[Piece] = []
    at = 0
    for start, end in _kept(side):
        if start > at:
            found.append(Piece(at, start, left_out=True))
        found += _cut(side.marks, start, end)
        at = end
    if at < len(side.text):
        found.append(Piece(at, len(side.text), left_out=True))
    return found


def left_out(piece: Piece) -> str:
    """What stands in place of a piece that is not shown."""
    return f"⋯{piece.end - piece.start} characters⋯"


def _cut(marks: Sequence[tuple[int, int]], start: int, end: int) -> Iterator[Piece]:
    at = start
    for mark_start, mark_end in marks:
        if mark_end <= start or mark_start >= end:
            continue
        if mark_start > at:
            yield Piece(at, mark_start)
        at = min(mark_end, end)
        yield Piece(max(start, mark_start), at, marked=True)
    if at < end:
        yield Piece(at, end)


def _kept(side: Side) -> list[tuple[int, int]]:
    length = len(side.text)
    if length <= LONG:
        return [(0, length)]
    if not side.marks:
        return [(0, LONG - _AROUND)]
    found = [(0, _AROUND)]
    for start, end in side.marks[:_MOST_PIECES]:
        near = (max(0, start - _AROUND), min(length, min(end, start + LONG) + _AROUND))
        # A gap that saves less than its own sign is none.
        if near[0] <= found[-1][1] + _AROUND // 2:
            found[-1] = (found[-1][0], max(found[-1][1], near[1]))
        else:
            found.append(near)
    return found


def unified(hunk: Hunk) -> Iterator[Line]:
    """The lines of a hunk, in each changed stretch the old ones first."""
    waiting: list[Row] = []
    for row in hunk.rows:
        if row.same:
            yield from _both(waiting)
            waiting = []
            assert row.new is not None
            yield Line(" ", row.new, quiet=False)
        elif waiting and (waiting[-1].noise is None) is not (row.noise is None):
            yield from _both(waiting)
            waiting = [row]
        else:
            waiting.append(row)
    yield from _both(waiting)


def _both(rows: Sequence[Row]) -> Iterator[Line]:
    yield from (Line("-", row.old, row.noise is not None) for row in rows if row.old is not None)
    yield from (Line("+", row.new, row.noise is not None) for row in rows if row.new is not None)


def head(hunk: Hunk) -> str:
    """``@@ -3,7 +3,8 @@`` and what the hunk belongs to."""
    old = [row.old.number for row in hunk.rows if row.old is not None]
    new = [row.new.number for row in hunk.rows if row.new is not None]
    where = f"@@ -{_range(old)} +{_range(new)} @@"
    return f"{where} {', '.join(hunk.scopes)}" if hunk.scopes else where


def _range(numbers: Sequence[int]) -> str:
    return f"{numbers[0]},{len(numbers)}" if numbers else "0,0"
