"""The tables of packed rows: fields with their byte offsets."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.render.record_layouts import Layout, layouts
from qsfa_codegen.render.text import markdown_code, table_cell

if TYPE_CHECKING:
    from qsfa_codegen.expr.nodes import Expr
    from qsfa_codegen.render.describe import Describer
    from qsfa_codegen.render.page_text import PageText
    from qsfa_codegen.spec.model import Record, RecordField


class RecordRow(Struct, frozen=True):
    """A field with its byte offset in each case."""

    name: str
    dtype: str
    count: str
    offsets: tuple[str, ...]
    text: str


class RecordTable(Struct, frozen=True):
    """A packed row: cases are the combinations its size depends on; ``sizes`` in bytes."""

    name: str
    text: str
    cases: tuple[str, ...]
    rows: tuple[RecordRow, ...]
    sizes: tuple[str, ...]


def record_tables(text: PageText) -> list[RecordTable]:
    """A table for each packed row of the operator."""
    return [_record(text, record) for record in text.operator.records]


def _record(text: PageText, record: Record) -> RecordTable:
    found = layouts(text.operator, record)
    rows = [
        RecordRow(
            markdown_code(field.name),
            text.cell(partial(_dtype, field)),
            text.cell(partial(_count, field)),
            tuple(_bytes(text, layout.offsets[place]) for layout in found),
            text.doc(field),
        )
        for place, field in enumerate(record.fields)
    ]
    return RecordTable(
        markdown_code(record.name),
        text.sentence(record.doc),
        tuple(table_cell(case_text(text, layout)) for layout in found),
        tuple(rows),
        tuple(_bytes(text, layout.size) for layout in found),
    )


def _bytes(text: PageText, number: int | Expr) -> str:
    return str(number) if isinstance(number, int) else text.cell(lambda view: view.say(number))


def case_text(text: PageText, layout: Layout) -> str:
    """What tells a layout from the others."""
    parts = [f"{text.name(name)} = {value}" for name, value in layout.values]
    for column, names in layout.dtypes:
        carrier = next((i.name for i in text.operator.inputs if i.dtype.column == column), column)
        parts.append(f"{text.name(carrier)}: {'/'.join(name.upper() for name in names)}")
    return text.listed(parts)


def _dtype(field: RecordField, view: Describer) -> str:
    return view.dtype(field.dtype)


def _count(field: RecordField, view: Describer) -> str:
    return view.say(field.count)
