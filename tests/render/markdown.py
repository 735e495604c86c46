"""A reader of the Markdown that operator pages are made of: headings, tables, fences, the rest as prose."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r":?-+:?")
_SPAN = re.compile(r"(?<![`\\])(`+)(?!`).+?(?<!`)\1(?!`)")


@dataclass(frozen=True)
class Table:
    """Cells as they are written, a bar in them as itself."""

    header: list[str]
    rows: list[list[str]]

    def column(self, name: str) -> list[str]:
        """The cells below a header."""
        return [row[self.header.index(name)] for row in self.rows]

    def row(self, first: str) -> dict[str, str]:
        """The row that begins with a cell."""
        (found,) = [row for row in self.rows if row[0] == first]
        return dict(zip(self.header, found, strict=True))


@dataclass(frozen=True)
class Page:
    """What a page consists of, in order; ``bad`` are lines of tables with too many or too few cells."""

    headings: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    fences: list[tuple[str, str]] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    bad: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Everything outside of fences, a line each."""
        cells = [" | ".join(row) for table in self.tables for row in (table.header, *table.rows)]
        return "\n".join((*self.headings, *self.prose, *cells))

    def html(self) -> list[str]:
        """Angle brackets that a browser would see, except for the line breaks of cells."""
        outside = _SPAN.sub("", self.text).replace("<br>", "")
        return re.findall(r"<[A-Za-z!/?].{0,20}", outside)

    def shape(self) -> object:
        """What both languages of a page have in common."""
        levels = [heading.split(" ")[0] for heading in self.headings]
        tables = [(len(table.header), len(table.rows)) for table in self.tables]
        return levels, tables, [language for language, _ in self.fences], len(self.prose)


def cells(line: str) -> list[str]:
    """The cells of a line of a table."""
    parts = _BAR.split(line)
    assert (parts[0].strip(), parts[-1].strip()) == ("", ""), line
    return [part.strip().replace("\\|", "|") for part in parts[1:-1]]


def read(text: str) -> Page:
    """The parts of a page."""
    page = Page()
    lines = re.sub(r"\A<!--.*?-->", "", text, flags=re.DOTALL).splitlines()
    place = 0
    while place < len(lines):
        line = lines[place].strip()
        if line.startswith("```"):
            end = next(n for n in range(place + 1, len(lines)) if lines[n].strip() == "`" * _ticks(line))
            page.fences.append((line.strip("`"), "\n".join(lines[place + 1 : end])))
            place = end
        elif line.startswith("|"):
            end = next((n for n in range(place, len(lines)) if not lines[n].startswith("|")), len(lines))
            _table(page, lines[place:end])
            place = end - 1
        elif re.match("#{1,6} ", line):
            page.headings.append(line)
        elif line:
            page.prose.append(line)
        place += 1
    return page


def _ticks(line: str) -> int:
    return len(line) - len(line.lstrip("`"))


def _table(page: Page, lines: list[str]) -> None:
    header, rule, *rows = [cells(line) for line in lines]
    assert all(_RULE.fullmatch(cell) for cell in rule), lines[1]
    page.bad.extend(line for line, row in zip(lines[2:], rows, strict=True) if len(row) != len(header))
    page.bad.extend([lines[1]] if len(rule) != len(header) else [])
    page.tables.append(Table(header, rows))
