"""What the page shows: texts that were made safe for a reader, and cells that are HTML."""

from __future__ import annotations

from msgspec import Struct

from qsfa_codegen.review.report.page.cells import TableRow


class Part(Struct, frozen=True):
    """Consecutive rows under a heading."""

    head: str
    rows: list[TableRow]


class Parameter(Struct, frozen=True):
    """A parameter of a call: what is given for it."""

    name: str
    given: str


class Call(Struct, frozen=True):
    """A call that the two contracts treat differently."""

    id: str
    chip: str
    before: str
    after: str
    inputs: list[Parameter]
    attrs: list[Parameter]
    json: str


class Item(Struct, frozen=True):
    """A change of the contract."""

    id: str
    code: str
    title: str
    subject: str
    message: str
    old: str
    new: str
    before: str
    after: str
    allowed: str | None
    basis: str
    open: bool
    parts: list[Part]
    call: Call | None


class Group(Struct, frozen=True):
    """Changes of one class."""

    kind: str
    name: str
    breaks: bool
    items: list[Item]


class File(Struct, frozen=True):
    """A file that differs; ``more`` are rows that there was no room for."""

    id: str
    path: str
    state: str
    added: int
    removed: int
    bar: list[str]
    folds: list[str]
    open: bool
    parts: list[Part]
    more: int


class Artefact(Struct, frozen=True):
    """Files of one artefact, and those that differ in nothing to look at."""

    name: str
    files: list[File]
    quiet: list[str]
    quiet_said: str

    @property
    def added(self) -> int:
        """Lines that only the new version has."""
        return sum(file.added for file in self.files)

    @property
    def removed(self) -> int:
        """Lines that only the old version has."""
        return sum(file.removed for file in self.files)


class Operator(Struct, frozen=True):
    """What became of one operator."""

    id: str
    name: str
    file: str
    said: str
    relation: str
    breaks: bool
    groups: list[Group]
    artefacts: list[Artefact]
    files_said: str


class Page(Struct, frozen=True):
    """The whole page."""

    title: str
    base: str
    verdict: str
    breaks: bool
    operators: list[Operator]
    quiet: list[str]
    kinds: list[tuple[str, str, int]]
    artefacts: list[str]
