"""Dtypes: what a parameter has, which rows are compiled, and packed rows of several."""

from __future__ import annotations

from msgspec import Struct

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.nodes import Expr
from qsfa_codegen.spec.model.choice import Text


class DtypeRef(Struct, frozen=True):
    """Exactly one is set: a fixed dtype, a column, or (Follow) the input whose dtype it has."""

    fixed: str | None = None
    column: str | None = None
    follow: str | None = None


class DtypeRow(Struct, frozen=True):
    """One compiled kernel variant: a dtype name for each column."""

    dtypes: tuple[str, ...]
    span: Span


class DtypeMatrix(Struct, frozen=True):
    """Columns and, per chip, rows in registration order."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[DtypeRow, ...]], ...]  # chip id → rows
    select: tuple[tuple[str, str], ...]  # column → dtype attribute that chooses it
    unbound: tuple[tuple[str, str], ...]  # column → column to use when its optional input is absent
    span: Span

    def rows_of(self, chip: str) -> tuple[DtypeRow, ...]:
        """Rows of the chip called ``chip``."""
        return dict(self.rows)[chip]

    def column(self, name: str, chip: str) -> tuple[str, ...]:
        """Dtypes of column ``name`` in registration order, one for each row."""
        index = self.columns.index(name)
        return tuple(row.dtypes[index] for row in self.rows_of(chip))


class RecordField(Struct, frozen=True):
    """A field of a packed row; ``dtype`` is a column or a dtype, ``count`` its elements."""

    name: str
    dtype: DtypeRef
    count: Expr
    align: int
    doc: Text | None
    span: Span


class Record(Struct, frozen=True):
    """A packed row: fields in memory order. ``elements`` is its size in units of ``unit``."""

    name: str
    unit: DtypeRef
    fields: tuple[RecordField, ...]
    elements: Expr
    offsets: tuple[Expr, ...]  # byte offset of each field
    size: Expr  # bytes
    dequant: Dequant | None
    doc: Text | None
    span: Span

    def offset(self, field: str) -> Expr:
        """The byte offset of the field called ``field``; StopIteration when there is none."""
        return next(at for part, at in zip(self.fields, self.offsets, strict=True) if part.name == field)


class Dequant(Struct, frozen=True):
    """How a record's quantised field becomes float: ``field`` × ``by``, one scale a ``tile``."""

    field: str
    by: str
    tile: Expr
