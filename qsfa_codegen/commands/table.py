"""Tables for people: columns that line up, also with Chinese text, in the width that there is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from qsfa_codegen.diagnostic_formats import display_width

_GAP = "  "
_NARROWEST = 12  # columns are not squeezed below this
# Blanks, words, and single wide characters with the punctuation that may not start a line.
_PIECE = re.compile(r"\s+|[^\s\u2e80-\uffef]+|[\u2e80-\uffef][，。；：、！？）」』》]*")


def render(header: Sequence[str], rows: Sequence[Sequence[str]], width: int | None) -> str:
    """The table as lines, each ended; cells longer than their column go on below. ``width`` None: no limit.

    A column in which every cell is empty is left out. Line breaks in cells are kept.
    """
    used = [index for index in range(len(header)) if any(row[index] for row in rows)]
    if not used:
        return ""
    cells = [[row[index] for index in used] for row in [header, *rows]]
    columns = [max(_widest(row[index]) for row in cells) for index in range(len(used))]
    if width is not None:
        columns = _squeezed(columns, width - len(_GAP) * (len(used) - 1))
    lines = [line for row in cells for line in _lines(row, columns)]
    heads = len(list(_lines(cells[0], columns)))
    rule = _GAP.join("-" * column for column in columns)
    return "".join(f"{line}\n" for line in [*lines[:heads], rule, *lines[heads:]])


def _widest(cell: str) -> int:
    return max(display_width(line) for line in cell.split("\n"))


def _squeezed(columns: Sequence[int], room: int) -> list[int]:
    """Widths that fit: the widest columns give way first, none below the narrowest width."""
    squeezed = list(columns)
    while sum(squeezed) > room and max(squeezed) > _NARROWEST:
        squeezed[squeezed.index(max(squeezed))] -= 1
    return squeezed


def _lines(row: Sequence[str], columns: Sequence[int]) -> Iterator[str]:
    wrapped = [list(wrap(cell, column)) for cell, column in zip(row, columns, strict=True)]
    for number in range(max(len(lines) for lines in wrapped)):
        parts = [lines[number] if number < len(lines) else "" for lines in wrapped]
        padded = [
            part + " " * (column - display_width(part)) for part, column in zip(parts, columns, strict=True)
        ]
        yield _GAP.join(padded).rstrip()


def wrap(text: str, width: int) -> Iterator[str]:
    """The text in lines of at most ``width`` screen columns, broken at blanks and between wide characters.

    A word that is longer than a line is cut.
    """
    for paragraph in text.split("\n"):
        line = ""
        for piece in _pieces(paragraph, width):
            if display_width(line + piece.rstrip()) > width:
                yield line.rstrip()
                line = ""
            line += piece if line else piece.lstrip()
        yield line.rstrip()


def _pieces(text: str, width: int) -> Iterator[str]:
    """Blanks and words; the characters of a word that is too long one by one."""
    for match in _PIECE.finditer(text):
        if display_width(match[0]) <= width or match[0].isspace():
            yield match[0]
        else:
            yield from match[0]
