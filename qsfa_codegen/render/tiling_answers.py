"""What a tiling function answers: the tiling data, the key, the launch, the workspace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qsfa_codegen.expr.bounds import fits
from qsfa_codegen.expr.cpp import Cpp
from qsfa_codegen.expr.nodes import FLOAT, INT, Conditional, Expr, Kind, Literal
from qsfa_codegen.render.cpp import field_type
from qsfa_codegen.render.text import INDENT, cpp_comment, wrap_call
from qsfa_codegen.render.tiling_names import ARITH
from qsfa_codegen.render.tiling_text import TilingText, broken
from qsfa_codegen.spec.layout import CTYPES
from qsfa_codegen.spec.model import TilingField, TilingMember, TilingStruct
from qsfa_codegen.spec.names import camel, pascal

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import KeyArg, Operator, TilingKey, WorkspaceTerm

KEY = "tiling_key"
BLOCK_DIM = "block_dim"
WORKSPACE = "workspace"


@dataclass(frozen=True, slots=True)
class FieldText:
    """A field and its value; ``stored`` when the value must be proven to fit at run time."""

    name: str
    value: str
    fallible: bool
    stored: bool


@dataclass(frozen=True, slots=True)
class FillText:
    """A function that fills one struct: ``calls`` are the functions that fill what is nested in it."""

    function: str
    type: str
    plain: tuple[FieldText, ...]
    stored: tuple[FieldText, ...]
    calls: tuple[tuple[str, str], ...]

    @property
    def fallible(self) -> bool:
        """Whether it needs the arithmetic object."""
        return any(field.fallible for field in (*self.plain, *self.stored))


@dataclass(frozen=True, slots=True)
class TermText:
    """A part of the workspace: the local variable that holds its bytes."""

    variable: str
    statement: str


@dataclass(frozen=True, slots=True)
class WorkspaceText:
    """Workspace of one architecture; ``total`` returns the sum."""

    arch: str
    function: str
    terms: tuple[TermText, ...]
    total: str


def fills(root: TilingStruct, text: TilingText) -> list[FillText]:
    """One function a struct, the root's first."""
    return list(_fills(root, "FillTilingData", (), text))


def _fills(
    structure: TilingStruct, function: str, path: tuple[str, ...], text: TilingText
) -> Iterator[FillText]:
    fields = [_field(member, text) for member in structure.members if isinstance(member, TilingField)]
    nested = [member for member in structure.members if isinstance(member, TilingMember)]
    calls = tuple((_fill_name((*path, member.name)), member.name) for member in nested)
    yield FillText(
        function=function,
        type=structure.type_name,
        plain=tuple(field for field in fields if not field.stored),
        stored=tuple(field for field in fields if field.stored),
        calls=calls,
    )
    for member in nested:
        inner = (*path, member.name)
        yield from _fills(member.struct, _fill_name(inner), inner, text)


def _fill_name(path: tuple[str, ...]) -> str:
    return "Fill" + "".join(pascal(name) for name in path)


def _field(field: TilingField, text: TilingText) -> FieldText:
    cpp = text.cpp(field.value)
    if field.value.type != INT:
        return FieldText(field.name, _converted(field, cpp), cpp.checked, stored=cpp.checked)
    ctype = CTYPES[field.ctype]
    low = ctype.minimum if ctype.minimum is not None else 0
    high = ctype.maximum if ctype.maximum is not None else 0
    proven = ctype.maximum is not None and fits(field.value, text.ranges, low, high)
    stored = not (proven or (field.ctype == "int64" and not cpp.checked))
    return FieldText(field.name, cpp.text if stored else _converted(field, cpp), cpp.checked, stored)


def _converted(field: TilingField, cpp: Cpp) -> str:
    """The value as the field's type, where that needs saying."""
    if field.value.type.kind is Kind.BOOL:
        tested = cpp.text if cpp.precedence > 1 else f"({cpp.text})"
        return cpp.text if field.ctype == "bool" else f"{tested} ? 1 : 0"
    ctype = field_type(field.ctype)
    exact = ctype == "int64_t" or (field.value.type == FLOAT and field.ctype == "double")
    literal = isinstance(field.value, Literal) and field.value.type == INT
    return cpp.text if exact or literal else f"static_cast<{ctype}>({cpp.text})"


# --------------------------------------------------------------------------- key and launch


def key_argument(arg: KeyArg, text: TilingText) -> Cpp:
    """The code of one argument as an unsigned 64-bit value."""
    cpp = text.cpp(arg.value)
    if arg.value.type.kind is Kind.BOOL:
        if isinstance(arg.value, Literal):
            return Cpp("1" if arg.value.value else "0", cpp.precedence, checked=False)
        tested = cpp.text if cpp.precedence > 1 else f"({cpp.text})"
        return Cpp(f"{tested} ? 1 : 0", 1, cpp.checked)
    return Cpp(f"static_cast<uint64_t>({cpp.text})", cpp.precedence, cpp.checked)


def key_call(key: TilingKey, text: TilingText) -> Cpp:
    """The key of template arguments."""
    parts = [key_argument(arg, text) for arg in key.args]
    call = wrap_call("const uint64_t key = GET_TPL_TILING_KEY(", [part.text for part in parts], ");", INDENT)
    return Cpp(call, 0, any(part.checked for part in parts))


# --------------------------------------------------------------------------- workspace


def workspaces(operator: Operator, text: TilingText) -> list[WorkspaceText]:
    """The workspace of each architecture, in chip order; one without terms uses the library's alone."""
    assert operator.tiling is not None
    terms = dict(operator.tiling.workspace)
    return [_workspace(operator, arch, terms.get(arch, ()), text) for arch in operator.archs]


def _workspace(
    operator: Operator, arch: str, terms: tuple[WorkspaceTerm, ...], text: TilingText
) -> WorkspaceText:
    function = "WorkspaceBytes" if len(operator.archs) == 1 else f"{pascal(arch)}WorkspaceBytes"
    rendered = tuple(_term(term, text) for term in terms)
    library = text.names.platform("libapi_workspace")
    summed = [library, *(term.variable for term in rendered)]
    total = wrap_call(f"return Sum({ARITH}, {{", summed, "});", INDENT)
    return WorkspaceText(arch, function, rendered, total)


def _term(term: WorkspaceTerm, text: TilingText) -> TermText:
    size: Expr = term.bytes
    if term.when is not None:
        size = Conditional(INT, term.span, term.when, size, Literal(INT, term.span, 0))
    local = f"{camel(term.name)}Bytes"
    statement = broken(f"const int64_t {local} = ", text.cpp(size).text, ";", INDENT)
    if term.doc is not None:
        statement += f" // {cpp_comment(term.doc.en)}"
    return TermText(local, statement)
