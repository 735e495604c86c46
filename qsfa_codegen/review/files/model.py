"""Generated files before and after an edit, line beside line."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct


class Noise(Enum):
    """Why a line differs without anything to look at."""

    HEADER = "header lines"
    NUMBERING = "numbering"
    LAYOUT = "line breaks"


class Side(Struct, frozen=True):
    """A line of one version: ``number`` counts from 1, ``marks`` are the columns of what differs in it.

    Marks are half-open, in order and apart. A line without a counterpart has none.
    """

    number: int
    text: str
    marks: tuple[tuple[int, int], ...] = ()


class Row(Struct, frozen=True):
    """A line before the edit and the one that stands for it afterwards; None where there is none."""

    old: Side | None
    new: Side | None
    noise: Noise | None = None

    @property
    def same(self) -> bool:
        """Whether both versions have the line."""
        return self.old is not None and self.new is not None and self.old.text == self.new.text

    @property
    def changed(self) -> bool:
        """Whether there is something to look at."""
        return not self.same and self.noise is None


class Hunk(Struct, frozen=True):
    """Changed lines with some around them, and the parts of the file that the changed ones belong to."""

    rows: tuple[Row, ...]
    scopes: tuple[str, ...] = ()


class Fold(Struct, frozen=True):
    """Stretches of a file that are not shown, since they differ for one reason without any weight."""

    noise: Noise
    hunks: int

    def __str__(self) -> str:
        return f"{self.hunks} {'hunk' if self.hunks == 1 else 'hunks'}: only {self.noise.value}"


class Status(Enum):
    """What became of a file."""

    ADDED = "added"
    REMOVED = "removed"
    RENAMED = "renamed"
    CHANGED = "changed"


class FileChange(Struct, frozen=True):
    """A generated file that differs. ``was`` is its path before, the same as ``path`` unless renamed.

    ``artefact`` is the group that a spec's ``emit`` names. ``before`` and ``after`` are whole texts.
    """

    artefact: str
    path: str
    was: str
    status: Status
    before: str
    after: str
    hunks: tuple[Hunk, ...]
    folds: tuple[Fold, ...] = ()

    @property
    def added(self) -> int:
        """Number of lines to look at that only the new version has."""
        return sum(row.changed and row.new is not None for hunk in self.hunks for row in hunk.rows)

    @property
    def removed(self) -> int:
        """Number of lines to look at that only the old version has."""
        return sum(row.changed and row.old is not None for hunk in self.hunks for row in hunk.rows)


class Files(Struct, frozen=True):
    """All generated files of an operator: those that differ, by artefact, and how many do not.

    ``problem`` says why they could not be compared.
    """

    changed: tuple[FileChange, ...] = ()
    same: int = 0
    problem: str = ""

    @property
    def shown(self) -> tuple[FileChange, ...]:
        """Files in which there is something to look at."""
        return tuple(file for file in self.changed if file.hunks or file.status is not Status.CHANGED)

    @property
    def quiet(self) -> tuple[FileChange, ...]:
        """Files that differ without anything to look at."""
        return tuple(file for file in self.changed if file not in self.shown)
