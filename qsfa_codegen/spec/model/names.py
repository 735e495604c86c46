"""Names with a home: enums, consts, sizes and derived values."""

from __future__ import annotations

from msgspec import Struct

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.nodes import Expr
from qsfa_codegen.spec.model.choice import Case, Table, Text


class EnumLabel(Struct, frozen=True):
    """One label of an enum, with the code that attributes, tiling fields and keys share."""

    name: str
    code: int
    doc: Text | None
    span: Span


class EnumDef(Struct, frozen=True):
    """A set of labels."""

    name: str
    labels: tuple[EnumLabel, ...]
    span: Span

    def label(self, name: str) -> EnumLabel:
        """The label called ``name``; KeyError when there is none."""
        for label in self.labels:
            if label.name == name:
                return label
        raise KeyError(name)


class Const(Struct, frozen=True):
    """A number with a name and a reason; becomes a constexpr."""

    name: str
    value: int
    doc: Text
    span: Span


class Dim(Struct, frozen=True):
    """A named size.

    ``value`` is the size observed at the defining input (a Select over layouts where it depends);
    ``derived`` is what ``is:`` demands of it. Domain members are None where nothing was said;
    ``minimum`` is 1 unless said otherwise, and None for a derived dim.
    """

    name: str
    doc_name: str
    doc: Text | None
    value: Expr
    derived: Expr | None
    minimum: Expr | None
    maximum: Expr | None
    multiple_of: Expr | None
    values: tuple[int, ...] | Table[tuple[int, ...]] | None
    definers: tuple[Definer, ...]
    span: Span


class Definer(Struct, frozen=True):
    """Where a dim gets its size on one path of table cases (empty: always).

    An axis of an input, or the length of a list input when ``axis`` is None.
    """

    path: tuple[Case, ...]
    input: str
    axis: int | None


class Rest(Struct, frozen=True):
    """The run of axes that a `rest` item names, as observed at its defining input.

    It begins after ``fixed_before`` axes and leaves ``fixed_after`` axes plus the length of the
    runs ``rests_after`` at the end.
    """

    name: str
    input: str
    fixed_before: int
    fixed_after: int
    rests_after: tuple[str, ...]
    min_rank: int
    max_rank: int
    span: Span


class Let(Struct, frozen=True):
    """A derived value, evaluated on use, once."""

    name: str
    value: Expr
    doc: Text | None
    span: Span
