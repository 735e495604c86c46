"""Tables of an operator page: dims, inputs, attributes, outputs and the combinations of their dtypes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.expr.nodes import BOOL
from qsfa_codegen.render.describe import Describer, spelt
from qsfa_codegen.render.text import markdown_cell, markdown_code
from qsfa_codegen.spec.columns import root_dtype
from qsfa_codegen.spec.model import Attr, Dim, Input, Let, Operator, Output, Rest, RestItem, leaves
from qsfa_codegen.spec.parameters import never_checked

if TYPE_CHECKING:
    from qsfa_codegen.render.page_text import PageText

_RUN = {"en": "a run of axes", "zh": "连续的若干维"}
_PRESENCE = {
    "en": {"required": "required", "optional": "optional", "absent": "not passed", "ignored": "reserved"},
    "zh": {"required": "必选", "optional": "可选", "absent": "不传", "ignored": "预留"},
}


class ParamRow(Struct, frozen=True):
    """A row of the input or output table; texts are Markdown cells."""

    name: str
    kind: str
    dtype: str
    format: str
    shape: str
    text: str


class AttrRow(Struct, frozen=True):
    """A row of the attribute table."""

    name: str
    type: str
    required: bool
    default: str
    trapped: bool
    accepted: str
    text: str


class DtypeTable(Struct, frozen=True):
    """The dtypes that may be passed together: parameters by column, and rows with the chips they hold on."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class ParamTables:
    """Rows of the tables about parameters."""

    def __init__(self, text: PageText) -> None:
        self.text = text
        self.operator: Operator = text.operator

    def dims(self) -> list[tuple[str, str, str]]:
        """(name, meaning, sizes)."""
        text = self.text
        run = _RUN[text.language]
        rows = [(f"{r.name}…", run, text.cell(partial(_run, r))) for r in self.operator.rests]
        rows += [(d.doc_name, text.doc(d), text.cell(partial(_size, d))) for d in self.operator.dims]
        derived = (n for n in self._documented() if n.value.type != BOOL)
        rows += [(n.name, text.doc(n), text.cell(partial(_value, n))) for n in derived]
        return [(markdown_code(name), meaning, sizes) for name, meaning, sizes in rows]

    def conditions(self) -> list[tuple[str, str, str]]:
        """(name, meaning, when it holds)."""
        return [
            (markdown_code(n.name), self.text.doc(n), self.text.cell(partial(_value, n)))
            for n in self._documented()
            if n.value.type == BOOL
        ]

    def _documented(self) -> list[Let]:
        return [let for let in self.operator.lets if let.doc is not None]

    def units(self) -> list[tuple[str, str]]:
        """(as it stands in a shape, the run of axes that it has as many axes as), where each axis is 1."""
        choices = (*(i.shape for i in self.operator.inputs), *(o.shape for o in self.operator.outputs))
        shapes = [shape for choice in choices if choice is not None for shape in leaves(choice)]
        items = [item for shape in shapes for item in shape.items if isinstance(item, RestItem)]
        runs = dict.fromkeys(item.name for item in items if item.ones)
        return [(markdown_code(f"1… ({run})"), markdown_code(f"{run}…")) for run in runs]

    # ----------------------------------------------------------------- inputs and outputs

    def inputs(self) -> list[ParamRow]:
        """Input table."""
        return [self._row(param, self.presence(param)) for param in self.operator.inputs]

    def outputs(self) -> list[ParamRow]:
        """Output table."""
        return [self._row(param, "") for param in self.operator.outputs]

    def _row(self, param: Input | Output, kind: str) -> ParamRow:
        text = self.text
        return ParamRow(
            self.text.name(param.name),
            kind,
            self.dtype(param),
            param.format,
            self.shape(param),
            text.doc(param),
        )

    def presence(self, param: Input) -> str:
        """Whether a caller passes it, case by case."""
        words = _PRESENCE[self.text.language]
        return self.text.cell(lambda view: view.choice(param.presence, lambda p: words[p.value]))

    def dtype(self, param: Input | Output) -> str:
        """Its dtypes."""
        return self.text.cell(lambda view: view.dtype(param.dtype))

    def shape(self, param: Input | Output) -> str:
        """Its shape, case by case; empty where nothing is said."""
        shape = param.shape
        if shape is None:
            return ""
        return self.text.cell(lambda view: view.choice(shape, lambda s: markdown_code(view.shape(s))))

    # ----------------------------------------------------------------- attributes

    def attrs(self) -> list[AttrRow]:
        """Attribute table."""
        return [
            AttrRow(
                self.text.name(a.name),
                a.type.value,
                a.required,
                "" if a.default is None else markdown_cell(spelt(a.default, a.type)),
                a.trap is not None,
                self.accepted(a),
                self.text.doc(a),
            )
            for a in self.operator.attrs
        ]

    def accepted(self, attr: Attr) -> str:
        """The values that it accepts."""
        return self.text.cell(lambda view: view.accepted(attr))

    # ----------------------------------------------------------------- dtypes

    def dtype_rows(self) -> DtypeTable | None:
        """Dtypes that go together, where one dtype does not settle the others."""
        matrix = self.operator.dtypes
        shown = [column for column in matrix.columns if self._carriers(column)]
        if len(shown) < 2:
            return None
        places = [matrix.columns.index(column) for column in shown]
        groups: dict[tuple[str, ...], list[str]] = {}
        for chip in self.operator.chips:
            for row in matrix.rows_of(chip.id):
                names = tuple(row.dtypes[place].upper() for place in places)
                groups.setdefault(names, []).append(chip.id)
        rows = [(*names, self.text.listed(list(dict.fromkeys(chips)))) for names, chips in groups.items()]
        header = tuple(self.text.listed(self._carriers(column)) for column in shown)
        return DtypeTable(header, tuple(self._by_chips(rows)))

    def _by_chips(self, rows: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
        """Rows with their chips in front, those of the same chips together."""
        for chips in dict.fromkeys(row[-1] for row in rows):
            yield from ((chips, *row[:-1]) for row in rows if row[-1] == chips)

    def _carriers(self, column: str) -> list[str]:
        inputs = (param for param in self.operator.inputs if not never_checked(param))
        params: tuple[Input | Output, ...] = (*inputs, *self.operator.outputs)
        names = [attr for chosen, attr in self.operator.dtypes.select if chosen == column]
        names += [p.name for p in params if root_dtype(self.operator, p.dtype).column == column]
        return [self.text.name(name) for name in names]


def _run(rest: Rest, view: Describer) -> str:
    return view.run(rest)


def _size(dim: Dim, view: Describer) -> str:
    return view.size(dim)


def _value(let: Let, view: Describer) -> str:
    return view.say(let.value)
