"""Lines that differ without anything to look at: headers, places that moved on, line breaks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from qsfa_codegen.review.files.model import Noise, Row, Side
from qsfa_codegen.review.files.rows import stretches

_PLACE = re.compile(r"constexpr size_t (\w+) = (\d+);")
_CPP_WORD = re.compile(r'"(?:\\.|[^"\\])*"|\w+|\S')


class Known(Struct, frozen=True):
    """What is known of a version of a file: lines of its header, and the value of each place constant."""

    header: int
    places: Mapping[str, int]


def marked(rows: Sequence[Row], old: Known, new: Known, *, cpp: bool) -> tuple[Row, ...]:
    """The rows, those of no weight marked. ``cpp``: where lines break means nothing."""
    found = [replace(row, noise=_noise(row, old, new)) for row in rows]
    if cpp:
        for run in stretches(found, lambda row: row.changed):
            if _only_line_breaks(found[run.start : run.stop]):
                found[run.start : run.stop] = [replace(found[at], noise=Noise.LAYOUT) for at in run]
    return tuple(found)


def _noise(row: Row, old: Known, new: Known) -> Noise | None:
    if row.same:
        return None
    if _within(row.old, old.header) and _within(row.new, new.header):
        return Noise.HEADER
    if row.old is not None and row.new is not None:
        before, after = _PLACE.fullmatch(row.old.text), _PLACE.fullmatch(row.new.text)
        # Only what is known to be a place: an edited limit or count is no numbering.
        if before and after and before[1] == after[1] and _is(before, old) and _is(after, new):
            return Noise.NUMBERING
    return None


def _within(side: Side | None, header: int) -> bool:
    return side is None or side.number <= header


def _is(found: re.Match[str], known: Known) -> bool:
    return known.places.get(found[1]) == int(found[2])


def _only_line_breaks(rows: Sequence[Row]) -> bool:
    before = [row.old.text for row in rows if row.old is not None]
    after = [row.new.text for row in rows if row.new is not None]
    if any("//" in line or line.lstrip().startswith("#") for line in (*before, *after)):
        return False  # both end with their line
    return list(_tokens(before)) == list(_tokens(after))


def _tokens(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield from _CPP_WORD.findall(line)
