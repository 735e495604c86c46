"""README in Chinese and English, and the page of the aclnn interface: every table and sentence is derived."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from qsfa_codegen.render import torch_schema
from qsfa_codegen.render.aclnn_example import aclnn_example, example_path, has_example
from qsfa_codegen.render.aclnn_page import AclnnPage
from qsfa_codegen.render.artefact import Artefact
from qsfa_codegen.render.describe import in_language
from qsfa_codegen.render.kernel import archs_with_body, has_kernel
from qsfa_codegen.render.page_records import RecordTable, record_tables
from qsfa_codegen.render.page_rules import PageRules
from qsfa_codegen.render.page_tables import ParamTables
from qsfa_codegen.render.page_text import PageText
from qsfa_codegen.render.python_package import has_cpu
from qsfa_codegen.render.row_picture import has_picture, picture_path
from qsfa_codegen.render.torch_example import torch_example
from qsfa_codegen.spec import aclnn

if TYPE_CHECKING:
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.model import Operator

_MATH_ENDS = re.compile(r"[$`]|(?<=<)(?=[A-Za-z/!?])")
_OF_CHIPS = {"zh": "{}（{}）", "en": "{} ({})"}
_BLOCK_STARTS = re.compile(r"^(?=[-+*>#=|~:]|\d+[.)])")


class Page:
    """What an operator is, for the top of its pages, in one language."""

    def __init__(self, text: PageText) -> None:
        self._text = text
        self._operator = text.operator

    def brief(self) -> str:
        """One line about the operator."""
        return self._text.words(self._operator.brief)

    def formula(self) -> str:
        """The formula as lines of a display block; no text of a spec can end the block."""
        lines = (_MATH_ENDS.sub(_harmless, line).strip() for line in self._operator.formula.splitlines())
        return "\n".join(_BLOCK_STARTS.sub("{}", line) for line in lines if line)

    def python(self) -> bool:
        """Whether the operator comes as a Python package too."""
        operator = self._operator
        return torch_schema.has_torch(operator) and (not operator.emit or "python" in operator.emit)

    def on_cpu(self) -> bool:
        """Whether that package computes the operator."""
        return has_cpu(self._operator)

    def products(self) -> list[tuple[str, str, bool]]:
        """(product, chip id, supported)."""
        language = self._text.language
        return [
            *((in_language(c.product, language), c.id, True) for c in self._operator.chips),
            *((in_language(p.name, language), "", False) for p in self._operator.unsupported),
        ]

    def kernels(self, *, whole: bool) -> str:
        """Architectures with the whole kernel, or those whose body the user writes: `arch22` (A2, A3)."""
        operator, has_body = self._operator, archs_with_body(self._operator)
        found = []
        for arch in operator.archs if has_kernel(operator) else ():
            if (arch in has_body) == whole:
                chips = self._text.listed([chip.id for chip in operator.chips if chip.arch == arch])
                found.append(_OF_CHIPS[self._text.language].format(f"`{arch}`", chips))
        return self._text.listed(found)

    def records(self) -> list[RecordTable]:
        """A table for each packed row."""
        return record_tables(self._text)

    def picture(self) -> str:
        """The picture of all packed rows; empty where there is none."""
        return picture_path(self._text.language) if has_picture(self._operator) else ""

    def socs(self) -> str:
        """Names of the chips as builds know them."""
        return self._text.listed([f"`{chip.soc}`" for chip in self._operator.chips])

    def torch_schema(self) -> str:
        """The torch schema; empty without a binding."""
        binding = self._operator.torch
        return "" if binding is None else torch_schema.schema(self._operator, binding)

    def torch_example(self) -> str:
        """A Python program that makes a legal call; empty where there is none."""
        return torch_example(self._operator, self._text.language)


def _harmless(end: re.Match[str]) -> str:
    """What a formula has instead of a mark that ends it, or between a bracket and what makes it a tag."""
    return "" if end[0] else " "


def _readme(language: str, operator: Operator, templates: Templates) -> str:
    text = PageText(operator, language)
    template = "docs/README.md.j2" if language == "zh" else f"docs/README.{language}.md.j2"
    return templates.render(
        template,
        operator=operator,
        aclnn=operator.aclnn,
        page=Page(text),
        tables=ParamTables(text),
        rules=PageRules(text),
        has_adapter=torch_schema.has_torch(operator),
        example_path=example_path(operator) if has_example(operator) else "",
    )


def _aclnn(operator: Operator, templates: Templates) -> str:
    text = PageText(operator, "zh", {p.source: p.name for p in aclnn.signature(operator)})
    return templates.render(
        "docs/aclnn.md.j2",
        operator=operator,
        aclnn=operator.aclnn,
        page=Page(text),
        parameters=AclnnPage(text),
        tables=ParamTables(text),
        rules=PageRules(text, ("aclnn",)),
        example=aclnn_example(operator, templates) if has_example(operator) else "",
        example_path=example_path(operator),
    )


def _aclnn_path(operator: Operator) -> str:
    return f"docs/{operator.aclnn.name}.md"


ARTEFACTS = (
    Artefact("docs", lambda _: "README.md", partial(_readme, "zh")),
    Artefact("docs", lambda _: "README.en.md", partial(_readme, "en")),
    Artefact("docs", _aclnn_path, _aclnn),
)
