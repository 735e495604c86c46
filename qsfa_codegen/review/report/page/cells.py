"""Rows of a diff as cells of a table: escaped, coloured, and marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup, escape
from msgspec import Struct

from qsfa_codegen.diagnostic_formats import printable
from qsfa_codegen.review.files.model import Row, Side
from qsfa_codegen.review.files.pieces import LONG, left_out, pieces
from qsfa_codegen.review.report.page.colours import Words, coloured


class Cell(Struct, frozen=True):
    """One side of a row: the number of the line, its text as HTML, and how far that is indented.

    There is no number where there is no line. Indents are even, and of deep ones the deepest.
    """

    number: int | None
    code: Markup
    indent: int = 0


class TableRow(Struct, frozen=True):
    """A row of the table; ``kind`` is same, changed, removed, added or quiet."""

    kind: str
    old: Cell
    new: Cell


_DEEPEST = 24
_NOTHING = Cell(None, Markup(""))


class Version(Struct, frozen=True):
    """A version of a file: its path, and its lines where these tell how to colour a part of it."""

    path: str
    lines: Sequence[str] = ()


def table_rows(rows: Sequence[Row], was: Version, now: Version) -> list[TableRow]:
    """Consecutive rows of a file for the table."""
    old = _side_cells(was, [row.old for row in rows], "del")
    new = _side_cells(now, [row.new for row in rows], "ins")
    return [TableRow(_kind(row), *cells) for row, *cells in zip(rows, old, new, strict=True)]


def _kind(row: Row) -> str:
    if row.same:
        return "same"
    if row.noise is not None:
        return "quiet"
    if row.old is None:
        return "added"
    return "removed" if row.new is None else "changed"


def _side_cells(version: Version, sides: Sequence[Side | None], mark: str) -> Iterator[Cell]:
    there = [side for side in sides if side is not None]
    above = version.lines[: there[0].number - 1] if there else ()
    # Colouring a long line takes long, and little of it is shown.
    shown = [side.text if len(side.text) <= LONG else "" for side in there]
    words = iter(coloured(version.path, shown, above))
    for side in sides:
        yield _NOTHING if side is None else _cell(side, next(words), mark)


def _cell(side: Side, words: Words, mark: str) -> Cell:
    indent = len(side.text) - len(side.text.lstrip(" "))
    return Cell(side.number, _code(side, words, mark), min(indent // 2 * 2, _DEEPEST))


def _code(side: Side, words: Words, mark: str) -> Markup:
    parts: list[Markup] = []
    for piece in pieces(side):
        if piece.left_out:
            parts.append(Markup('<span class="left-out">{}</span>').format(left_out(piece)))
            continue
        inner = Markup("").join(_coloured(side.text, piece.start, piece.end, words))
        parts.append(Markup("<{0}>{1}</{0}>").format(Markup(mark), inner) if piece.marked else inner)
    return Markup("").join(parts)


def _coloured(text: str, start: int, end: int, words: Words) -> Iterator[Markup]:
    at = start
    for word in words:
        if word.end <= at or word.start >= end:
            continue
        if word.start > at:
            yield _plain(text[at : word.start], first=at == 0)
        stop = min(word.end, end)
        shown = printable(text[max(at, word.start) : stop])
        yield Markup('<span class="{}">{}</span>').format(word.kind, shown)
        at = stop
    if at < end:
        yield _plain(text[at:end], first=at == 0)


def _plain(text: str, *, first: bool) -> Markup:
    """Text without a colour; how far a line is indented can be hidden where there is little room."""
    rest = text.lstrip(" ") if first else text
    indent = Markup('<span class="in">{}</span>').format(text[: len(text) - len(rest)])
    return (indent if len(rest) < len(text) else Markup("")) + escape(printable(rest))
