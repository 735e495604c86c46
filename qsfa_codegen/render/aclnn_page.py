"""The parameter table of the aclnn page, in Chinese, with the columns that CANN's own pages have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.expr.nodes import Literal
from qsfa_codegen.render.describe import spelt
from qsfa_codegen.render.page_tables import ParamTables
from qsfa_codegen.render.text import markdown_cell, markdown_code, table_cell
from qsfa_codegen.spec import aclnn
from qsfa_codegen.spec.model import Attr, Contiguous, Input, Operator, Output
from qsfa_codegen.spec.output_checks import empty_when

if TYPE_CHECKING:
    from qsfa_codegen.render.page_text import PageText

_NONE = "-"
_JOIN = "<br>"
_CONTIGUOUS = {Contiguous.AUTO: "√", Contiguous.NONE: "×", Contiguous.IGNORE: "不转换"}
_ATTR_TYPES = {
    "int64_t": "INT64",
    "double": "DOUBLE",
    "bool": "BOOL",
    "char *": "STRING",
    "const aclIntArray *": "INT64",
    "const aclFloatArray *": "FLOAT32",
    "const aclBoolArray *": "BOOL",
}


class AclnnRow(Struct, frozen=True):
    """A parameter of the first phase; texts are Markdown cells."""

    name: str
    role: str
    text: str
    usage: str
    dtype: str
    format: str
    shape: str
    contiguous: str


class AclnnPage:
    """The first phase's parameters."""

    def __init__(self, text: PageText) -> None:
        self._text = text
        self._operator: Operator = text.operator
        self._tables = ParamTables(text)
        self._signature = aclnn.signature(text.operator)
        self._is_wrapped = text.operator.aclnn.style == "wrapper"

    def declarations(self) -> list[str]:
        """C declarations in order."""
        return [param.declaration for param in self._signature]

    def rows(self) -> list[AclnnRow]:
        """The table's rows in the order of the signature."""
        return [self._row(param) for param in self._signature]

    def _row(self, param: aclnn.AclnnParam) -> AclnnRow:
        operator = self._operator
        match param.role:
            case aclnn.Role.INPUT:
                return self._input(param, operator.find(Input, param.source))
            case aclnn.Role.ATTR:
                return self._attr(param, operator.find(Attr, param.source))
            case aclnn.Role.OUTPUT:
                return self._output(param, operator.find(Output, param.source))
        return AclnnRow(markdown_code(param.name), "输入", "预留参数", "不使用", *[_NONE] * 4)

    def _input(self, param: aclnn.AclnnParam, thing: Input) -> AclnnRow:
        role = "输入/输出" if thing.name in aclnn.in_place_names(self._operator) or thing.mutated else "输入"
        return self._tensor(param, thing, role, self._tables.presence(thing))

    def _output(self, param: aclnn.AclnnParam, thing: Output) -> AclnnRow:
        return self._tensor(param, thing, "输出", table_cell(self._when_null(thing)))

    def _tensor(self, param: aclnn.AclnnParam, thing: Input | Output, role: str, usage: str) -> AclnnRow:
        return AclnnRow(
            markdown_code(param.name),
            role,
            self._text.doc(thing),
            usage or _NONE,
            self._tables.dtype(thing),
            thing.format,
            self._tables.shape(thing) or _NONE,
            _CONTIGUOUS[thing.contiguous] if "Tensor" in param.ctype else _NONE,
        )

    def _when_null(self, output: Output) -> str:
        """When a caller may pass nullptr for an output."""
        if not self._is_wrapped:
            return ""
        when = empty_when(output)
        if isinstance(when, Literal):
            return "始终为空张量，可传 nullptr" if when.value else ""
        return f"{self._text.views[0].when(when)}为空张量，可传 nullptr"

    def _attr(self, param: aclnn.AclnnParam, thing: Attr) -> AclnnRow:
        accepted = self._tables.accepted(thing)
        lines = [accepted if thing.domain is None or _JOIN in accepted else f"取值：{accepted}"]
        default = None if thing.default in (None, ()) else spelt(thing.default, thing.type)
        if default is not None and thing.trap is not None:
            lines.append(f"⚠ 注册默认值 {markdown_cell(default)} 会被拒绝")
        elif default is not None and self._is_wrapped and param.is_pointer and not param.required:
            lines.append(f"传 nullptr 时取默认值 {markdown_cell(default)}")
        return AclnnRow(
            markdown_code(param.name),
            "输入",
            self._text.doc(thing),
            _JOIN.join(lines),
            _ATTR_TYPES.get(param.ctype, _NONE),
            *[_NONE] * 3,
        )
