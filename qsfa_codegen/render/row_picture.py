"""A picture of the packed rows: a bar for each layout, with the bytes at which its fields begin."""

from __future__ import annotations

import unicodedata
from functools import partial
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.render.artefact import Artefact
from qsfa_codegen.render.describe import in_language
from qsfa_codegen.render.page_records import case_text
from qsfa_codegen.render.page_text import PageText
from qsfa_codegen.render.record_layouts import Layout, layouts
from qsfa_codegen.render.text import one_line
from qsfa_codegen.spec.columns import all_dtypes
from qsfa_codegen.spec.dtypes import DTYPES

if TYPE_CHECKING:
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.model import Operator, Record, RecordField

_WIDTH, _MARGIN = 860, 20
_HEAD, _BAR, _BELOW, _LEGEND_LINE = 26, 58, 40, 21
_LEAST, _LETTER, _LINE = 96, 8.5, 108
_MOST_TILES = 16
_COLOURS = 6


class Segment(Struct, frozen=True):
    """A field in a bar; ``cells`` are the left edges of its tiles or scales, where they are told apart."""

    x: int
    width: int
    colour: int
    name: str
    amount: str
    cells: tuple[int, ...]
    cell_width: float


class Mark(Struct, frozen=True):
    """A byte below a bar."""

    x: int
    text: str
    anchor: str


class Bar(Struct, frozen=True):
    """A layout of a row; ``y`` is the top of the bar."""

    y: int
    title: str
    segments: tuple[Segment, ...]
    marks: tuple[Mark, ...]


class Entry(Struct, frozen=True):
    """A line of the legend; ``colour`` is that of the field that it begins to tell of, or None."""

    y: int
    colour: int | None
    name: str
    text: str


def has_picture(operator: Operator) -> bool:
    """Whether every layout of every packed row has known sizes."""
    return bool(operator.records) and all(
        isinstance(layout.size, int) and all(isinstance(offset, int) for offset in layout.offsets)
        for record in operator.records
        for layout in layouts(operator, record)
    )


def picture_path(language: str) -> str:
    """The picture in one language."""
    return "docs/packed_rows.svg" if language == "zh" else f"docs/packed_rows.{language}.svg"


def _render(language: str, operator: Operator, templates: Templates) -> str:
    drawing = _Drawing(PageText(operator, language))
    for record in operator.records:
        drawing.add(record)
    return templates.render(
        "docs/packed_rows.svg.j2",
        width=_WIDTH,
        height=drawing.y + _MARGIN // 2,
        left=_MARGIN,
        bar_height=_BAR,
        language=language,
        title=escape(", ".join(record.name for record in operator.records)),
        bars=drawing.bars,
        legend=drawing.legend,
    )


class _Drawing:
    """Grows downwards; ``y`` is where the next thing goes."""

    def __init__(self, text: PageText) -> None:
        self._text = text
        self._operator = text.operator
        self.y = _MARGIN // 2
        self.bars: list[Bar] = []
        self.legend: list[Entry] = []

    def add(self, record: Record) -> None:
        """The bars of a row and the legend of its fields."""
        found = layouts(self._operator, record)
        sizes = [_bytes(layout) for layout in found]
        widths = _widths(record, [max(column) for column in zip(*sizes, strict=True)])
        for layout, amounts in zip(found, sizes, strict=True):
            self._bar(record, layout, amounts, widths)
        for colour, field in enumerate(record.fields):
            self._explain(colour % _COLOURS, field)
        counts = {len(segment.cells) for bar in self.bars for segment in bar.segments} - {0}
        if counts:
            self.legend.append(Entry(self.y, None, f"0…{max(counts) - 1}", self._about_tiles()))
            self.y += _LEGEND_LINE
        self.y += _LEGEND_LINE // 2

    def _about_tiles(self) -> str:
        return "各 tile 与其 scale" if self._text.language == "zh" else "tiles, and the scale of each"

    def _bar(self, record: Record, layout: Layout, amounts: list[int], widths: list[int]) -> None:
        self.y += _HEAD
        x = _MARGIN
        segments: list[Segment] = []
        marks: list[Mark] = []
        for place, amount in enumerate(amounts):
            if amount:
                segments.append(self._segment(record, place, x, widths[place], amounts))
                marks.append(Mark(x, str(layout.offsets[place]), "start" if x == _MARGIN else "middle"))
                x += widths[place]
        marks.append(Mark(x, str(layout.size), "middle" if x < _WIDTH - _MARGIN - 10 else "end"))
        title = case_text(self._text, layout).replace("`", "")
        named = " · ".join(part for part in (record.name, title, self._amount(layout.size)) if part)
        self.bars.append(Bar(self.y, escape(named), tuple(segments), tuple(marks)))
        self.y += _BAR + _BELOW

    def _segment(self, record: Record, place: int, x: int, width: int, amounts: list[int]) -> Segment:
        field = record.fields[place]
        count = self._tiles(record, amounts) if _has_cells(record, field) else 0
        step = width / count if count else 0.0
        return Segment(
            x,
            width,
            place % _COLOURS,
            escape(field.name),
            self._amount(amounts[place]),
            tuple(round(x + step * cell) for cell in range(count)),
            step,
        )

    def _tiles(self, record: Record, amounts: list[int]) -> int:
        """How many scales a row has; 0 where they are not to be drawn."""
        assert record.dequant is not None
        place = [field.name for field in record.fields].index(record.dequant.by)
        sizes = {DTYPES[name].size for name in all_dtypes(self._operator, record.fields[place].dtype)}
        count = amounts[place] // sizes.pop() if len(sizes) == 1 else 0
        return count if 1 < count <= _MOST_TILES else 0

    def _amount(self, number: object) -> str:
        return f"{number} 字节" if self._text.language == "zh" else f"{number} bytes"

    def _explain(self, colour: int, field: RecordField) -> None:
        dtypes = " / ".join(all_dtypes(self._operator, field.dtype))
        doc = "" if field.doc is None else one_line(in_language(field.doc, self._text.language))
        between = "：" if self._text.language == "zh" else ": "
        for number, line in enumerate(_wrapped(dtypes + (between + doc.replace("`", "") if doc else ""))):
            name = escape(field.name) if number == 0 else ""
            self.legend.append(Entry(self.y, colour if number == 0 else None, name, escape(line)))
            self.y += _LEGEND_LINE


def _has_cells(record: Record, field: RecordField) -> bool:
    return record.dequant is not None and field.name in (record.dequant.field, record.dequant.by)


def _bytes(layout: Layout) -> list[int]:
    """Bytes of each field."""
    edges = [edge for edge in (*layout.offsets, layout.size) if isinstance(edge, int)]
    return [end - begin for begin, end in pairwise(edges)]


def _widths(record: Record, most: list[int]) -> list[int]:
    """The width of each field: as its bytes are, but wide enough for its name."""
    least = [max(_LEAST, round(len(field.name) * _LETTER) + 24) for field in record.fields]
    room = _WIDTH - 2 * _MARGIN
    narrow = {place for place, size in enumerate(most) if size * room <= least[place] * sum(most)}
    free = max(0, room - sum(least[place] for place in narrow))
    total = sum(size for place, size in enumerate(most) if place not in narrow) or 1
    wide = [
        least[place] if place in narrow else max(least[place], free * size // total)
        for place, size in enumerate(most)
    ]
    return [width * room // max(room, sum(wide)) for width in wide]


def _wrapped(text: str) -> list[str]:
    """Lines that are no wider than ``_LINE`` letters; a Chinese one counts twice."""
    lines, width = [""], 0
    for word in text.replace(" ", " \0").split("\0"):
        for part in [word] if word.isascii() else list(word):
            size = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in part)
            if width + size > _LINE and lines[-1]:
                lines.append("")
                width = 0
            lines[-1] += part
            width += size
    return [line.strip() for line in lines]


ARTEFACTS = (
    Artefact("docs", lambda _: picture_path("zh"), partial(_render, "zh"), has_picture),
    Artefact("docs", lambda _: picture_path("en"), partial(_render, "en"), has_picture),
)
