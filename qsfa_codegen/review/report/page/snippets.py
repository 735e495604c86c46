"""The part of a spec that a change is about, before beside after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from qsfa_codegen.diagnostics import Span, split_lines
from qsfa_codegen.review.files.model import Row, Side
from qsfa_codegen.review.files.rows import side_by_side

_FEW = 3
_MANY = 24


class Texts:
    """The texts of a review, and the rows that two of them make."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._lines = {name: split_lines(text) for name, text in texts.items()}
        self._rows: dict[tuple[str, str], tuple[Row, ...]] = {}

    def rows(self, before: Span | None, after: Span | None) -> list[list[Row]]:
        """Runs of rows that show both places; none where they are those of the operator as a whole."""
        old, new = self._block(before), self._block(after)
        if before is not None and after is not None and old and new:
            found = [
                row
                for row in self._compared(before.file, after.file)
                if _in(row.old, old) or _in(row.new, new)
            ]
        elif after is not None and new:
            found = [Row(None, side) for side in self._sides(after.file, new)]
        elif before is not None and old:
            found = [Row(side, None) for side in self._sides(before.file, old)]
        else:
            return []
        return _runs(_chosen(found))

    def knows(self, span: Span | None) -> bool:
        """Whether there is more to see at the place than the name of the operator."""
        return bool(self._block(span))

    def _compared(self, before: str, after: str) -> tuple[Row, ...]:
        if (before, after) not in self._rows:
            self._rows[before, after] = side_by_side(self._lines[before], self._lines[after])
        return self._rows[before, after]

    def _sides(self, name: str, block: range) -> list[Side]:
        return [Side(number, self._lines[name][number - 1]) for number in block]

    def _block(self, span: Span | None) -> range:
        """Lines that belong to the place: of a key with what is below it; empty where nothing is known."""
        if span is None or span.file not in self._lines:
            return range(0)
        lines = self._lines[span.file]
        if not 0 < span.line <= len(lines) or _names_the_operator(lines, span.line):
            return range(0)
        if span.end_line > span.line:
            return range(span.line, min(span.end_line, len(lines)) + 1)
        own = _indent(lines[span.line - 1])
        end = span.line + 1
        while end <= len(lines) and (not lines[end - 1].strip() or _indent(lines[end - 1]) > own):
            end += 1
        while not lines[end - 2].strip():
            end -= 1
        return range(span.line, end)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _names_the_operator(lines: Sequence[str], number: int) -> bool:
    """A change of what has no place of its own points there."""
    section = next((line for line in reversed(lines[: number - 1]) if line[:1].isalpha()), "")
    return section.startswith("operator:") and lines[number - 1].strip().startswith("name:")


def _in(side: Side | None, block: range) -> bool:
    return side is not None and side.number in block


def _chosen(rows: Sequence[Row]) -> list[Row]:
    """Of a long stretch its first row and what changed, with a few rows around."""
    if len(rows) <= _MANY and any(row.changed for row in rows):
        return list(rows)
    wanted = {0}
    for at, row in enumerate(rows):
        if row.changed:
            wanted.update(range(max(0, at - _FEW), at + _FEW + 1))
    if len(wanted) == 1:
        wanted = set(range(_FEW))
    return [row for at, row in enumerate(rows) if at in wanted][:_MANY]


def _runs(rows: Sequence[Row]) -> list[list[Row]]:
    found = [[rows[0]]] if rows else []
    for one, other in pairwise(rows):
        if _follows(one.old, other.old) and _follows(one.new, other.new):
            found[-1].append(other)
        else:
            found.append([other])
    return found


def _follows(one: Side | None, other: Side | None) -> bool:
    return one is None or other is None or other.number == one.number + 1
