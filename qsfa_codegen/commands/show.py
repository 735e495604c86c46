"""``show``: an operator's contract as tables for people, chip by chip."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from qsfa_codegen.commands import table
from qsfa_codegen.commands.operators import chips_of
from qsfa_codegen.commands.show_words import WORDS
from qsfa_codegen.expr.nodes import Expr
from qsfa_codegen.expr.prose import say
from qsfa_codegen.expr.specialize import specialize
from qsfa_codegen.render.describe import Describer, in_language, spelt
from qsfa_codegen.spec.failure import MessageNames
from qsfa_codegen.spec.model import (
    Attr,
    Chip,
    Dim,
    Input,
    Operator,
    Output,
    Presence,
    Text,
    TilingField,
    TilingStruct,
)
from qsfa_codegen.spec.readable import cited, known_as


class _Section(Struct, frozen=True):
    """A table with its title; header and rows have the same length."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


def show(operator: Operator, chip: str | None, language: str, width: int | None) -> str:
    """The tables of one chip (by id or SoC name), or of all; chips with equal tables share them.

    Raises BadUsageError. ``width`` is that of the screen in columns, None for no limit.
    """
    chips = chips_of(operator, chip)
    texts: dict[str, list[Chip]] = {}
    for one in chips:
        sections = _View(operator, one, language).sections()
        text = "\n".join(_rendered(section, width) for section in sections if section.rows)
        texts.setdefault(text, []).append(one)
    parts = [_head(operator, chips, language, width)]
    for text, sharing in texts.items():
        parts.append(f"=== {', '.join(one.id for one in sharing)} ===\n\n{text}")
    return "\n".join(parts)


def _rendered(section: _Section, width: int | None) -> str:
    return f"{section.title}\n{table.render(section.header, section.rows, width)}"


def _head(operator: Operator, chips: Sequence[Chip], language: str, width: int | None) -> str:
    words = WORDS[language]
    rows = [
        [one.id, one.soc, one.arch, str(one.aic), str(one.aiv), in_language(one.product, language)]
        for one in chips
    ]
    names = [
        [words["aclnn"], operator.aclnn.name],
        [words["torch"], f"{operator.torch.library}::{operator.torch.name}" if operator.torch else ""],
        [
            words["not supported"],
            ", ".join(in_language(product.name, language) for product in operator.unsupported),
        ],
    ]
    listed = "".join(f"{name}: {value}\n" for name, value in names if value)
    brief = "\n".join(table.wrap(in_language(operator.brief, language), width or 10_000))
    header = [words[key] for key in ("chip", "soc", "arch", "aic", "aiv", "products")]
    return f"{operator.name} ({operator.category})\n{brief}\n\n{listed}\n{table.render(header, rows, width)}"


class _View:
    """An operator as one chip sees it, in one language."""

    def __init__(self, operator: Operator, chip: Chip, language: str) -> None:
        self._operator = operator
        self._chip = chip
        self._language = language
        self._names = MessageNames(operator)
        self._view = Describer(operator, chip, language, self._names)
        self._shown = known_as(operator)
        self._words = WORDS[language]

    def sections(self) -> Iterator[_Section]:
        """Every table, empty ones included."""
        yield self._dtypes()
        yield self._inputs()
        yield self._attrs()
        yield self._outputs()
        yield self._dims()
        yield self._consts()
        yield self._enums()
        yield self._records()
        yield self._lets()
        yield self._constraints()
        yield self._contents()
        yield self._tiling()
        yield self._key()
        yield self._workspace()

    def _section(self, title: str, columns: str, rows: Sequence[Sequence[str]]) -> _Section:
        return _Section(self._words[title], [self._words[column] for column in columns.split()], rows)

    # ----------------------------------------------------------------------- pieces of text

    def _say(self, expr: Expr | None) -> str:
        return self._view.say(expr)

    def _can_be(self, when: Expr | None) -> bool:
        """Whether a condition can hold on this chip."""
        return not self._view.is_literal(when, False)

    def _when(self, when: Expr | None) -> str:
        """A condition; empty where it always holds on this chip."""
        return "" if self._view.is_literal(when, True) else self._say(when)

    def _as_written(self, expr: Expr | None) -> str:
        """A formula by the names of the spec, for those who maintain it."""
        if expr is None:
            return ""
        return say(specialize(expr, self._chip.id, self._chip.arch), self._language, self._names)

    def _doc(self, text: Text | None) -> str:
        return cited(in_language(text, self._language), self._shown).replace("`", "")

    # ----------------------------------------------------------------------- tables

    def _dtypes(self) -> _Section:
        matrix = self._operator.dtypes
        rows = [row.dtypes for row in matrix.rows_of(self._chip.id)]
        return _Section(self._words["dtype rows"], matrix.columns, rows)

    def _inputs(self) -> _Section:
        rows = [self._input(parameter) for parameter in self._operator.inputs]
        return self._section("inputs", "# name presence dtype shape meaning", rows)

    def _input(self, parameter: Input) -> list[str]:
        presence = self._view.choice(parameter.presence, lambda one: self._words[one.value])
        shape = "" if parameter.shape is None else self._view.choice(parameter.shape, self._view.shape)
        reserved = parameter.presence is Presence.IGNORED
        dtype = self._view.dtype(parameter.dtype)
        return [str(parameter.index), parameter.name, presence, dtype, "" if reserved else shape,
                self._doc(parameter.doc)]  # fmt: skip

    def _attrs(self) -> _Section:
        attrs = [attr for attr in self._operator.attrs if self._chip.id in attr.chips]
        return self._section(
            "attributes",
            "# name type registered default accepted meaning",
            [self._attr(attr) for attr in attrs],
        )

    def _attr(self, attr: Attr) -> list[str]:
        required = self._words["required" if attr.required else "optional"]
        accepted = self._view.accepted(attr)
        trap = attr.trap is not None and self._chip.id in attr.trap.chips
        default = "" if attr.default is None else spelt(attr.default, attr.type)
        marked = f"{default} ({self._words['rejected']})" if trap else default
        return [str(attr.index), attr.name, attr.type.value, required, marked, accepted, self._doc(attr.doc)]

    def _outputs(self) -> _Section:
        rows = [self._output(output) for output in self._operator.outputs]
        return self._section("outputs", "# name dtype shape meaning", rows)

    def _output(self, output: Output) -> list[str]:
        shape = self._view.choice(output.shape, self._view.shape)
        return [str(output.index), output.name, self._view.dtype(output.dtype), shape, self._doc(output.doc)]

    def _dims(self) -> _Section:
        rows = [[dim.doc_name, self._size(dim), self._doc(dim.doc)] for dim in self._operator.dims]
        return self._section("dims", "name accepted meaning", rows)

    def _size(self, dim: Dim) -> str:
        size = self._view.size(dim)
        return size if dim.derived is None else f"= {size}"

    def _consts(self) -> _Section:
        rows = [[const.name, str(const.value), self._doc(const.doc)] for const in self._operator.consts]
        return self._section("consts", "name value meaning", rows)

    def _enums(self) -> _Section:
        rows = [
            [enum.name, label.name, str(label.code), self._doc(label.doc)]
            for enum in self._operator.enums
            for label in enum.labels
        ]
        return self._section("enums", "enum label code meaning", rows)

    def _records(self) -> _Section:
        rows = [
            [record.name, field.name, self._view.dtype(field.dtype), self._say(field.count),
             self._say(offset), self._doc(field.doc)]
            for record in self._operator.records
            for field, offset in zip(record.fields, record.offsets, strict=True)
        ]  # fmt: skip
        return self._section("records", "record field dtype count offset meaning", rows)

    def _lets(self) -> _Section:
        tiling = self._operator.tiling
        lets = (*self._operator.lets, *(tiling.lets if tiling else ()))
        rows = [[let.name, self._as_written(let.value), self._doc(let.doc)] for let in lets]
        return self._section("derived values", "name value meaning", rows)

    def _constraints(self) -> _Section:
        rows = [
            [rule.id, rule.blame, self._when(rule.when), self._doc(rule.message) or self._say(rule.require)]
            for rule in self._operator.constraints
            if self._chip.id in rule.chips and self._can_be(rule.when)
        ]
        return self._section("constraints", "id parameter when rule", rows)

    def _contents(self) -> _Section:
        rows = [
            [rule.id, self._when(rule.when), self._doc(rule.doc) or self._say(rule.require)]
            for rule in self._operator.contents
            if self._can_be(rule.when)
        ]
        return self._section("contents", "id when rule", rows)

    def _tiling(self) -> _Section:
        tiling = self._operator.tiling
        fields = _fields(tiling.data.root, "") if tiling and tiling.data else ()
        rows = [
            [path, field.ctype, self._as_written(field.value), self._words["unused"] if field.unused else ""]
            for path, field in fields
        ]
        return self._section("tiling data", "field type value note", rows)

    def _key(self) -> _Section:
        key = self._operator.tiling.key if self._operator.tiling else None
        rows = [
            [arg.name, str(arg.bits), " ".join(map(str, arg.declared)), self._as_written(arg.value)]
            for arg in (key.args if key else ())
        ]
        if key and key.plain is not None:
            rows.append([self._words["key"], "", "", self._as_written(key.plain)])
        if key and key.legal:
            rows.append([self._words["legal"], "", "", str(len(key.legal))])
        return self._section("tiling key", "argument bits declared value", rows)

    def _workspace(self) -> _Section:
        tiling = self._operator.tiling
        terms = dict(tiling.workspace).get(self._chip.arch, ()) if tiling else ()
        rows = [
            [term.name, self._as_written(term.bytes), self._as_written(term.when), self._doc(term.doc)]
            for term in terms
        ]
        if tiling and tiling.block_dim is not None:
            rows.append([self._words["block dim"], self._as_written(tiling.block_dim), "", ""])
        return self._section("workspace", "term bytes when meaning", rows)


def _fields(structure: TilingStruct, prefix: str) -> Iterator[tuple[str, TilingField]]:
    """Every field with its path, in memory order."""
    for member in structure.members:
        if isinstance(member, TilingField):
            yield prefix + member.name, member
        else:
            yield from _fields(member.struct, f"{prefix}{member.name}.")
