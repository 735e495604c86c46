"""README in Chinese and English, and the page of the aclnn interface: every table and sentence is derived."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.expr.nodes import Expr, RefKind, Type
from qsfa_codegen.render import torch_schema
from qsfa_codegen.render.artefact import Artefact
from qsfa_codegen.render.describe import Describer, in_language, spelt
from qsfa_codegen.render.record_layouts import Layout, layouts
from qsfa_codegen.render.text import markdown_cell, markdown_code, markdown_text
from qsfa_codegen.render.tiling import has_tiling
from qsfa_codegen.spec import aclnn
from qsfa_codegen.spec.model import (
    Attr,
    Check,
    CheckKind,
    Dim,
    Input,
    Let,
    Operator,
    Output,
    Record,
    RecordField,
    Table,
    leaves,
)

if TYPE_CHECKING:
    from qsfa_codegen.render.templates import Templates

LINE_BREAK = "<br>"
_MATH_ENDS = re.compile(r"[$`]|(?<=<)(?=[A-Za-z/!?])")
_QUOTED = re.compile(r"`([^`]+)`")
_CHIP_LINE = {"en": "{}: {}", "zh": "{}：{}"}
_CHIP_JOIN = {"en": ", ", "zh": "、"}
_RUN = {"en": "a run of axes", "zh": "连续的若干维度"}
_CHECKED = {
    "en": (
        "Checked by the generated code ({}); a call that breaks one is rejected with an error that carries "
        "the id in parentheses.",
        "The generated code does not check these.",
    ),
    "zh": (
        "以下约束由生成代码（{}）校验，不满足时调用被拒绝，错误信息带括号中的编号。",
        "生成代码不校验以下约束。",
    ),
}
_PRESENCE = {
    "en": {"required": "required", "optional": "optional", "absent": "not passed", "ignored": "reserved"},
    "zh": {"required": "必选", "optional": "可选", "absent": "不传", "ignored": "预留"},
}


class PageNames:
    """Names as inline code, consts as their numbers."""

    def __init__(self, operator: Operator) -> None:
        self._dims = {d.name: d.doc_name for d in operator.dims}

    def ref(self, kind: RefKind, name: str) -> str:
        """A name of the spec."""
        return markdown_code(self._dims.get(name, name) if kind is RefKind.DIM else name)

    def param(self, name: str) -> str:
        """An input."""
        return markdown_code(name)

    def label(self, type: Type, label: str) -> str:
        """A label of an enum, a chip or an architecture."""
        return label

    def dtype(self, name: str) -> str:
        """A dtype in capitals, as operator pages write it."""
        return name.upper()

    def field(self, record: str, field: str) -> str:
        """A field of a record."""
        return markdown_code(field)


class ParamRow(Struct, frozen=True):
    """A row of a parameter table; texts are Markdown cells."""

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


class RecordRow(Struct, frozen=True):
    """A field of a packed row with its byte offset in each case."""

    name: str
    dtype: str
    count: str
    offsets: tuple[str, ...]
    text: str


class RecordTable(Struct, frozen=True):
    """A packed row: cases are the combinations its size depends on."""

    name: str
    text: str
    cases: tuple[str, ...]
    rows: tuple[RecordRow, ...]
    sizes: tuple[str, ...]


class Rule(Struct, frozen=True):
    """A constraint in words with its id; ``chips`` empty where it holds on all."""

    id: str
    chips: str
    text: str


class Page:
    """Everything the templates need, in one language."""

    def __init__(self, operator: Operator, language: str) -> None:
        self.operator = operator
        self._language = language
        self._shown = {c.name: str(c.value) for c in operator.consts}
        self._shown |= {d.name: f"`{d.doc_name}`" for d in operator.dims}
        names = PageNames(operator)
        self._views = [
            Describer(operator, c, language, names, LINE_BREAK, markdown_cell) for c in operator.chips
        ]

    # ----------------------------------------------------------------- identity

    def brief(self) -> str:
        """One line about the operator."""
        return markdown_text(in_language(self.operator.brief, self._language))

    def formula(self) -> str:
        """The formula as lines of a display block; no text of a spec can end the block."""
        lines = (_MATH_ENDS.sub("", line).strip() for line in self.operator.formula.splitlines())
        return "\n".join(line for line in lines if line)

    def products(self) -> list[tuple[str, str, bool]]:
        """(product, chip id, supported)."""
        return [
            *((in_language(c.product, self._language), c.id, True) for c in self.operator.chips),
            *((in_language(p.name, self._language), "", False) for p in self.operator.unsupported),
        ]

    # ----------------------------------------------------------------- cells

    def _cell(self, shown: Callable[[Describer], str]) -> str:
        """A cell, with a line for each group of chips where they differ."""
        groups: dict[str, list[str]] = {}
        for view in self._views:
            groups.setdefault(shown(view), []).append(view.chip.id)
        if len(groups) == 1:
            return next(iter(groups))
        line, join = _CHIP_LINE[self._language], _CHIP_JOIN[self._language]
        return LINE_BREAK.join(line.format(join.join(chips), text) for text, chips in groups.items())

    def _doc(self, thing: Input | Attr | Output | Dim | Let) -> str:
        return markdown_cell(self._cited(in_language(thing.doc, self._language)))

    def _prose(self, text: str) -> str:
        return markdown_text(self._cited(text))

    def _cited(self, text: str) -> str:
        """Consts as their numbers and dims by the names that pages use."""
        return _QUOTED.sub(lambda found: self._shown.get(found[1], found[0]), text)

    # ----------------------------------------------------------------- tables

    def dims(self) -> list[tuple[str, str, str]]:
        """(name, meaning, sizes)."""
        sizes = [(d.doc_name, self._doc(d), self._cell(partial(_size, d))) for d in self.operator.dims]
        derived = [n for n in self.operator.lets if n.doc is not None]
        sizes += [(n.name, self._doc(n), self._cell(partial(_value, n))) for n in derived]
        runs = [(f"{r.name}…", _RUN[self._language], self._views[0].run(r)) for r in self.operator.rests]
        return [(markdown_code(name), meaning, size) for name, meaning, size in (*runs, *sizes)]

    def inputs(self) -> list[ParamRow]:
        """Input table."""
        return [self._input(param) for param in self.operator.inputs]

    def _input(self, param: Input) -> ParamRow:
        words = _PRESENCE[self._language]
        return ParamRow(
            markdown_code(param.name),
            self._cell(lambda view: view.choice(param.presence, lambda p: words[p.value])),
            self._cell(partial(_dtype, param)),
            param.format,
            "" if param.shape is None else self._shape(param),
            self._doc(param),
        )

    def _shape(self, thing: Input | Output) -> str:
        shape = thing.shape
        assert shape is not None
        return self._cell(lambda view: view.choice(shape, lambda s: markdown_code(view.shape(s))))

    def outputs(self) -> list[ParamRow]:
        """Output table."""
        return [
            ParamRow(
                markdown_code(o.name),
                "",
                self._cell(partial(_dtype, o)),
                o.format,
                self._shape(o),
                self._doc(o),
            )
            for o in self.operator.outputs
        ]

    def attrs(self) -> list[AttrRow]:
        """Attribute table."""
        return [
            AttrRow(
                markdown_code(a.name),
                a.type.value,
                a.required,
                "" if a.default is None else markdown_cell(spelt(a.default)),
                a.trap is not None,
                self._cell(partial(_accepted, a)),
                self._doc(a),
            )
            for a in self.operator.attrs
        ]

    def traps(self) -> list[tuple[str, str, str]]:
        """(attribute, chips, warning) of every default that is rejected."""
        found = []
        for attr in self.operator.attrs:
            if attr.trap is not None:
                limited = len(attr.trap.chips) < len(self.operator.chips)
                chips = _CHIP_JOIN[self._language].join(attr.trap.chips) if limited else ""
                text = self._prose(in_language(attr.trap.doc, self._language))
                found.append((markdown_code(attr.name), chips, text))
        return found

    # ----------------------------------------------------------------- packed rows

    def records(self) -> list[RecordTable]:
        """A table for each packed row."""
        return [self._record(record) for record in self.operator.records]

    def _record(self, record: Record) -> RecordTable:
        found = layouts(self.operator, record)
        rows = [
            RecordRow(
                markdown_code(field.name),
                self._cell(partial(_field_dtype, field)),
                self._cell(partial(_count, field)),
                tuple(self._bytes(layout.offsets[place]) for layout in found),
                markdown_cell(self._cited(in_language(field.doc, self._language))),
            )
            for place, field in enumerate(record.fields)
        ]
        return RecordTable(
            markdown_code(record.name),
            _capital(self._prose(in_language(record.doc, self._language))).rstrip("。."),
            tuple(self._case_name(layout) for layout in found),
            tuple(rows),
            tuple(self._bytes(layout.size) for layout in found),
        )

    def _bytes(self, number: int | Expr) -> str:
        return str(number) if isinstance(number, int) else self._cell(lambda view: view.say(number))

    def _case_name(self, layout: Layout) -> str:
        """What tells a layout from the others."""
        parts = [f"{markdown_code(name)} = {value}" for name, value in layout.values]
        for column, names in layout.dtypes:
            carrier = next((i.name for i in self.operator.inputs if i.dtype.column == column), column)
            parts.append(f"{markdown_code(carrier)}: {'/'.join(name.upper() for name in names)}")
        return ", ".join(parts)

    # ----------------------------------------------------------------- rules

    def checked(self) -> str:
        """Which of the generated code checks the constraints."""
        operator = self.operator
        places = ["aclnn"] if operator.aclnn.style == "wrapper" else []
        places += ["tiling"] if has_tiling(operator) else []
        places += ["torch"] if operator.torch is not None else []
        words = _CHECKED[self._language]
        return words[0].format(_CHIP_JOIN[self._language].join(places)) if places else words[1]

    def constraints(self) -> list[Rule]:
        """Cross-parameter rules, with the chips where they matter."""
        checks = [c for c in self.operator.checks if c.kind is CheckKind.CONSTRAINT or c.id == "dtype_row"]
        found: list[Rule] = []
        for check in checks:
            groups: dict[str, list[str]] = {}
            for view in self._views:
                if view.is_literal(check.when, False):
                    continue
                groups.setdefault(self._claim(check, view), []).append(view.chip.id)
            found.extend(self._rule(check.id, text, chips) for text, chips in groups.items())
        return found

    def _claim(self, check: Check, view: Describer) -> str:
        if check.message is None:
            return _joined(view.when(check.when), view.say(check.require), self._language)
        return f"{markdown_code(check.parameter)} {self._prose(view.text(check.message))}"

    def contents(self) -> list[Rule]:
        """Rules about tensor data."""
        found = []
        view = self._views[0]
        for rule in self.operator.contents:
            text = self._prose(in_language(rule.doc, self._language)).rstrip("。.")
            said = text or _joined(view.when(rule.when), view.say(rule.require), self._language)
            found.append(Rule(rule.id, "", said))
        return found

    def _rule(self, id: str, text: str, chips: Sequence[str]) -> Rule:
        everywhere = len(chips) == len(self.operator.chips)
        return Rule(id, "" if everywhere else _CHIP_JOIN[self._language].join(chips), text)

    def notes(self) -> list[str]:
        """Notes of the spec."""
        return [self._prose(in_language(note, self._language)) for note in self.operator.notes]

    # ----------------------------------------------------------------- interfaces

    def torch_schema(self) -> str:
        """The torch schema; empty without a binding."""
        binding = self.operator.torch
        return "" if binding is None else torch_schema.schema(self.operator, binding)

    def torch_call(self) -> list[str]:
        """Arguments of an example call: what must be passed, and what has no accepted default."""
        binding = self.operator.torch
        if binding is None:
            return []
        attrs = {a.name: a for a in self.operator.attrs}
        args = [p.name for p in binding.positional if not p.has_default]
        for param in (*binding.positional, *binding.keyword):
            attr = attrs.get(param.source or "")
            if attr is not None and param.has_default and _must_say(attr, param.default):
                args.append(f"{param.name}={_first_accepted(attr)}")
        return args

    def aclnn_parameters(self) -> list[tuple[str, str, str, str]]:
        """(C declaration, role, required or optional, description) in order."""
        things: dict[str, Input | Attr | Output] = {i.name: i for i in self.operator.inputs}
        things |= {a.name: a for a in self.operator.attrs}
        outputs = {o.name: o for o in self.operator.outputs}
        rows = []
        for param in aclnn.signature(self.operator):
            is_output = param.role is aclnn.Role.OUTPUT
            thing = outputs.get(param.source) if is_output else things.get(param.source)
            doc = "" if thing is None else self._doc(thing)
            kind = _PRESENCE[self._language]["required" if param.required else "optional"]
            rows.append((markdown_code(param.declaration), param.role.value, kind, doc))
        return rows

    def example_arguments(self) -> list[str]:
        """Names of the first phase's parameters, as an example call passes them."""
        return [param.name for param in aclnn.signature(self.operator)]

    def declarations(self) -> list[str]:
        """C declarations of the first phase's parameters."""
        return [param.declaration for param in aclnn.signature(self.operator)]


def _size(dim: Dim, view: Describer) -> str:
    return view.size(dim)


def _value(let: Let, view: Describer) -> str:
    return view.say(let.value)


def _dtype(thing: Input | Output, view: Describer) -> str:
    return view.dtype(thing.dtype)


def _field_dtype(field: RecordField, view: Describer) -> str:
    return view.dtype(field.dtype)


def _accepted(attr: Attr, view: Describer) -> str:
    return view.accepted(attr)


def _count(field: RecordField, view: Describer) -> str:
    return view.say(field.count)


def _joined(when: str, claim: str, language: str) -> str:
    if not when:
        return _capital(claim)
    return f"{_capital(when)}，{claim}" if language == "zh" else f"{_capital(when)}, {claim}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _must_say(attr: Attr, default: object) -> bool:
    if attr.domain is None or isinstance(attr.domain, Table):
        return False
    return bool(attr.domain.values) and all(v.value != default for v in attr.domain.values)


def _first_accepted(attr: Attr) -> str:
    values = [v.value for domain in leaves(attr.domain) for v in domain.values] if attr.domain else []
    value = values[0]
    return f'"{value}"' if isinstance(value, str) else str(value)


# --------------------------------------------------------------------------- artefacts


def _page(template: str, language: str, operator: Operator, templates: Templates) -> str:
    return templates.render(template, page=Page(operator, language), operator=operator, aclnn=operator.aclnn)


def _aclnn_path(operator: Operator) -> str:
    return f"docs/{operator.aclnn.name}.md"


ARTEFACTS = (
    Artefact("docs", lambda _: "README.md", partial(_page, "docs/README.md.j2", "zh")),
    Artefact("docs", lambda _: "README.en.md", partial(_page, "docs/README.en.md.j2", "en")),
    Artefact("docs", _aclnn_path, partial(_page, "docs/aclnn.md.j2", "zh")),
)
