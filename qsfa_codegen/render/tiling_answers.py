"""What a tiling function answers: the tiling data, the key, the launch, the workspace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.expr.bounds import decide, fits
from qsfa_codegen.expr.branches import always_read
from qsfa_codegen.expr.cpp import Cpp
from qsfa_codegen.expr.cpp_text import PRIMARY
from qsfa_codegen.expr.limits import INT64_MAX
from qsfa_codegen.expr.nodes import (
    BOOL,
    FLOAT,
    INT,
    Call,
    Conditional,
    Contains,
    Expr,
    Kind,
    Literal,
    Not,
    Ref,
    RefKind,
)
from qsfa_codegen.render.cpp import field_type
from qsfa_codegen.render.host_names import ARITH
from qsfa_codegen.render.host_text import HostText, condition
from qsfa_codegen.render.text import INDENT, broken, call_with_format, cpp_comment, cpp_string, wrap_call
from qsfa_codegen.render.tiling_struct import MACRO
from qsfa_codegen.spec.layout import CTYPES
from qsfa_codegen.spec.model import TilingField, TilingMember, TilingStruct
from qsfa_codegen.spec.names import camel, pascal
from qsfa_codegen.spec.ranges import UINT32_MAX

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import KeyArg, Operator, TilingData, TilingKey, WorkspaceTerm

_WIDE = "static_cast<int64_t>("
KEY = "key"
BLOCK_DIM = "block_dim"
WORKSPACE = "workspace"


class FieldText(Struct, frozen=True):
    """A field and its value; ``stored`` when the value must be proven to fit at run time."""

    name: str
    value: str
    fallible: bool
    stored: bool


class FillText(Struct, frozen=True):
    """A function that fills one struct.

    ``locals`` compute what several fields are made of. ``plain`` are values that are proven to fit;
    ``stores`` are calls that store the others and give false for one that does not fit; ``nested`` are
    calls that fill the structs inside.
    """

    function: str
    type: str
    locals: tuple[str, ...]
    plain: tuple[FieldText, ...]
    stores: tuple[str, ...]
    nested: tuple[str, ...]
    fallible: bool

    @property
    def filled(self) -> str:
        """A bool expression that does all steps and says whether each succeeded; "true" without any."""
        return f" &&\n{' ' * 2 * INDENT}".join((*self.stores, *self.nested)) or "true"


class KeyText(Struct, frozen=True):
    """The statements that compute the key, and whether they need the arithmetic object."""

    statements: tuple[str, ...]
    fallible: bool


class TermText(Struct, frozen=True):
    """A part of the workspace: the statement that adds its bytes."""

    statement: str
    comment: str


class WorkspaceText(Struct, frozen=True):
    """A function that adds up the workspace of one architecture.

    ``locals`` compute what several terms are made of. ``test`` says whether it is that architecture;
    ``value`` is a call, or what is there without terms.
    """

    function: str
    value: str
    test: str
    locals: tuple[str, ...]
    terms: tuple[TermText, ...]


def fills(data: TilingData, text: HostText) -> list[FillText]:
    """One function a struct, the root's first."""
    return list(_fills(data.root, (), data.style, text))


def _fills(structure: TilingStruct, path: tuple[str, ...], style: str, text: HostText) -> Iterator[FillText]:
    own = [member for member in structure.members if isinstance(member, TilingField)]
    values = [_positive(field.value) for field in own]
    fallible = [text.cpp(value).checked for value in values]
    shared = _shared(values, fallible, text)
    with text.names.bound(shared):
        fields = [_field(*known, text) for known in zip(own, values, fallible, strict=True)]
    nested = [member for member in structure.members if isinstance(member, TilingMember)]
    calls = [f"{_fill_name((*path, member.name))}(params.{member.name})" for member in nested]
    yield FillText(
        function=_fill_name(path),
        type=structure.type_name,
        locals=tuple(text.locals(shared)),
        plain=tuple(field for field in fields if not field.stored),
        stores=tuple(_store(field, structure.type_name, style) for field in fields if field.stored),
        nested=tuple(calls),
        fallible=any(fallible),
    )
    for member in nested:
        yield from _fills(member.struct, (*path, member.name), style, text)


def _store(field: FieldText, struct: str, style: str) -> str:
    args = [cpp_string(field.name), field.value, *([ARITH] if field.fallible else [])]
    target = [f"params.{field.name}"] if style != MACRO else ["params", f"&{struct}::set_{field.name}"]
    return wrap_call("Store(", [*args, *target], ")", 2 * INDENT)


def _fill_name(path: tuple[str, ...]) -> str:
    return "Fill" + ("".join(pascal(name) for name in path) or "TilingData")


def _shared(values: Sequence[Expr], fallible: Sequence[bool], text: HostText) -> list[str]:
    """Derived values to compute once; one that fails must be blamed on the field that is stored first."""
    first = next((value for value, fails in zip(values, fallible, strict=True) if fails), None)
    blamed = always_read(first) if first is not None else frozenset()
    return [name for name in text.shared(values) if name in blamed or name not in text.names.fallible]


def _field(field: TilingField, value: Expr, fallible: bool, text: HostText) -> FieldText:
    cpp, ctype = text.cpp(value), CTYPES[field.ctype]
    if ctype.minimum is None or ctype.maximum is None or value.type != INT:
        return FieldText(field.name, _converted(field, cpp), fallible, stored=fallible)
    proven = field.ctype == "int64" or fits(value, text.ranges, ctype.minimum, ctype.maximum)
    stored = fallible or not proven
    return FieldText(field.name, cpp.text if stored else _converted(field, cpp), fallible, stored)


def _positive(value: Expr) -> Expr:
    """``0 if a else 1`` for ``1 if not a else 0``, which reads better."""
    match value:
        case Conditional(test=Not(operand=test), then=then, otherwise=otherwise):
            return Conditional(value.type, value.span, test, otherwise, then)
    return value


def _converted(field: TilingField, cpp: Cpp) -> str:
    """The value as the field's type, where that needs saying."""
    value, ctype = field.value, field_type(field.ctype)
    match value:
        case Literal() if value.type == INT:
            return cpp.text
        case Conditional(then=Literal(), otherwise=Literal()) if value.type == INT:
            return cpp.text
        case Ref(kind=RefKind.ATTR) if value.type == FLOAT:
            return cpp.text
        case Call(function="code", args=(label,)) if not isinstance(label, Literal):
            return f"static_cast<{ctype}>({cpp.text.removeprefix(_WIDE).removesuffix(')')})"
    exact = ctype == "int64_t" or (value.type == FLOAT and ctype == "double")
    return cpp.text if exact else f"static_cast<{ctype}>({cpp.text})"


# --------------------------------------------------------------------------- key and launch


def key_statements(key: TilingKey, text: HostText) -> KeyText:
    """``key``, from template arguments or from a plain expression."""
    if key.plain is not None:
        return KeyText(store_statements(KEY, "uint64_t", key.plain, text), text.cpp(key.plain).checked)
    args = [_key_argument(arg, text) for arg in key.args]
    fallible = any(arg.checked for arg in args)
    statements = [line for arg in key.args for line in _declared_only(arg, text)]
    statements.append(
        wrap_call("const uint64_t key = GET_TPL_TILING_KEY(", [arg.text for arg in args], ");", INDENT)
    )
    if fallible:
        statements += _rejection(f"{ARITH}.failed", KEY, f"{KEY}: an argument is beyond int64 [{KEY}_fits]")
    return KeyText(tuple(statements), fallible)


def _key_argument(arg: KeyArg, text: HostText) -> Cpp:
    """The code of one argument as an unsigned 64-bit value."""
    cpp = text.cpp(arg.value)
    if isinstance(arg.value, Literal) and arg.value.type.kind is Kind.BOOL:
        return Cpp("1" if arg.value.value else "0", PRIMARY, checked=False)
    return Cpp(f"static_cast<uint64_t>({cpp.text})", PRIMARY, cpp.checked)


def _declared_only(arg: KeyArg, text: HostText) -> list[str]:
    """A test that a number is one of the declared ones, where that is not proven."""
    value = arg.value
    if value.type != INT:
        return []
    options = tuple(Literal(INT, arg.span, code) for code in arg.declared)
    if decide(Contains(BOOL, arg.span, value, options), text.ranges) is True:
        return []
    unlisted = text.cpp(Contains(BOOL, arg.span, value, options, negated=True))
    allowed = ", ".join(str(code) for code in arg.declared)
    message = f"{arg.name}: it must be one of {allowed} [{KEY}_fits]"
    return _rejection(condition(unlisted), KEY, message)


def store_statements(name: str, ctype: str, value: Expr, text: HostText) -> tuple[str, ...]:
    """Statements that make the local variable ``name`` of an unsigned type hold ``value``, or reject."""
    cpp, local = text.cpp(value), camel(name)
    most = UINT32_MAX if ctype == "uint32_t" else INT64_MAX
    if fits(value, text.ranges, 0, most):
        return (f"const auto {local} = static_cast<{ctype}>({cpp.text});",)
    args = [cpp_string(name), cpp.text, *([ARITH] if cpp.checked else []), local]
    return (
        f"{ctype} {local} = 0;",
        wrap_call("if (!Store(", args, ")) {", 2 * INDENT),
        " " * INDENT + "return false;",
        "}",
    )


def _rejection(test: str, name: str, message: str) -> list[str]:
    return [
        f"// {name}_fits",
        broken("if (", test, ") {", INDENT),
        " " * INDENT + call_with_format("return Reject(", message, [], 2 * INDENT),
        "}",
    ]


# --------------------------------------------------------------------------- workspace


def workspaces(operator: Operator, text: HostText) -> list[WorkspaceText]:
    """The workspace of each architecture, in chip order; one without terms has the library's part alone."""
    assert operator.tiling is not None
    terms = dict(operator.tiling.workspace)
    only = len(operator.archs) == 1
    return [_workspace("" if only else arch, terms.get(arch, ()), text) for arch in operator.archs]


def _workspace(arch: str, terms: tuple[WorkspaceTerm, ...], text: HostText) -> WorkspaceText:
    """The function for ``arch``; for the only architecture when that is empty."""
    label = text.names.enum_label("arch", arch) if arch else ""
    test = f"{text.names.selector(RefKind.ARCH)} == {label}"
    function = f"{pascal(arch)}WorkspaceBytes"
    value = f"{function}({ARITH})" if terms else text.names.platform("libapi_workspace")
    sizes = [_size(term) for term in terms]
    shared = text.shared(sizes)
    with text.names.bound(shared):
        added = tuple(_term(term, size, text) for term, size in zip(terms, sizes, strict=True))
    return WorkspaceText(function, value, test, tuple(text.locals(shared)), added)


def _size(term: WorkspaceTerm) -> Expr:
    if term.when is None:
        return term.bytes
    return Conditional(INT, term.span, term.when, term.bytes, Literal(INT, term.span, 0))


def _term(term: WorkspaceTerm, size: Expr, text: HostText) -> TermText:
    statement = broken(f"bytes = {ARITH}.Add(bytes, ", text.cpp(size).text, ");", INDENT)
    comment = term.name if term.doc is None else f"{term.name}: {term.doc.en}"
    return TermText(statement, cpp_comment(comment))
