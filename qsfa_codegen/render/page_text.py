"""Text of an operator page in one language: names, sentences of the spec, cells that tell chips apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from qsfa_codegen.expr.nodes import RefKind, Type
from qsfa_codegen.render.describe import Describer, in_language
from qsfa_codegen.render.text import markdown_code, markdown_text, table_cell
from qsfa_codegen.spec.readable import cited, known_as

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Attr, Dim, Input, Let, Operator, Output, RecordField, Text

LINE_BREAK = "<br>"
_CODE_OR_NAME = re.compile(r"`[^`]*`|\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b")
_CHIP_LINE = {"en": "{}: {}", "zh": "{}：{}"}
_LIST = {"en": ", ", "zh": "、"}
_STOPS = {"en": ". ", "zh": "。"}


class PageNames:
    """Names as inline code: dims by their names in documents, parameters by those of an interface."""

    def __init__(self, dims: Mapping[str, str], parameters: Mapping[str, str]) -> None:
        self._dims = dims
        self._parameters = parameters

    def ref(self, kind: RefKind, name: str) -> str:
        """A name of the spec."""
        names = {RefKind.DIM: self._dims, RefKind.ATTR: self._parameters}.get(kind, {})
        return markdown_code(names.get(name, name))

    def param(self, name: str) -> str:
        """An input."""
        return markdown_code(self._parameters.get(name, name))

    def label(self, type: Type, label: str) -> str:
        """A label of an enum, a chip or an architecture."""
        return label

    def dtype(self, name: str) -> str:
        """A dtype in capitals, as operator pages write it."""
        return name.upper()

    def field(self, record: str, field: str) -> str:
        """A field of a record."""
        return markdown_code(field)

    def string(self, value: str) -> str:
        """A string value."""
        return markdown_code(f'"{value}"')


class PageText:
    """An operator in the words of one language, as Markdown.

    ``parameters`` are an interface's own names of inputs, attributes and outputs.
    """

    def __init__(
        self, operator: Operator, language: str, parameters: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.operator = operator
        self.language = language
        dims = {d.name: d.doc_name for d in operator.dims}
        names = [*(i.name for i in operator.inputs), *(a.name for a in operator.attrs)]
        names += [o.name for o in operator.outputs]
        self._parameters = {name: parameters.get(name, name) for name in names}
        self._known = {**{name: name for name in dims.values()}, **self._parameters}
        self._shown = known_as(operator) | {name: f"`{own}`" for name, own in self._parameters.items()}
        shown = PageNames(dims, self._parameters)
        self.views = [
            Describer(operator, chip, language, shown, LINE_BREAK, markdown_text) for chip in operator.chips
        ]

    def name(self, parameter: str) -> str:
        """A parameter as inline code."""
        return markdown_code(self._parameters.get(parameter, parameter))

    def words(self, text: Text | None) -> str:
        """A sentence of the spec as prose; consts as their numbers, dims by the names that pages use."""
        return markdown_text(cited(in_language(text, self.language), self._shown))

    def sentence(self, text: Text | None) -> str:
        """A text of the spec as a sentence that another can follow; empty without one."""
        said = unstopped(self.words(text))
        return f"{capital(said)}{_STOPS[self.language]}" if said else ""

    def doc(self, thing: Input | Attr | Output | Dim | Let | RecordField) -> str:
        """The description of something, for a cell."""
        return table_cell(self.words(thing.doc))

    def demand(self, text: Text) -> str:
        """The message of a rule, which is written without marks, with the parameters in it as code."""
        return markdown_text(
            _CODE_OR_NAME.sub(self._marked, cited(in_language(text, self.language), self._shown))
        )

    def cell(self, shown: Callable[[Describer], str]) -> str:
        """A cell, with a line for each group of chips where they differ."""
        groups: dict[str, list[str]] = {}
        for view in self.views:
            groups.setdefault(shown(view), []).append(view.chip.id)
        if len(groups) == 1:
            return table_cell(next(iter(groups)))
        line = _CHIP_LINE[self.language]
        lines = (line.format(self.listed(chips), text) for text, chips in groups.items())
        return table_cell(LINE_BREAK.join(lines))

    def listed(self, items: Sequence[str]) -> str:
        """``A2, A3``."""
        return _LIST[self.language].join(items)

    def unless_all(self, chips: Sequence[str]) -> str:
        """Chips where something holds; empty where it holds on all."""
        return "" if len(chips) == len(self.operator.chips) else self.listed(chips)

    def _marked(self, found: re.Match[str]) -> str:
        name = self._known.get(found[0])
        return found[0] if name is None else f"`{name}`"


def unstopped(text: str) -> str:
    """A sentence without its full stop, where more follows it."""
    return text.removesuffix("。").removesuffix(".")


def capital(text: str) -> str:
    """``text`` as the beginning of a sentence."""
    return text[:1].upper() + text[1:]
