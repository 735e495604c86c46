"""Expressions in kernel code: what the kernel is told, in the words of the tiling data and the key.

A kernel knows its constants, its template arguments and the fields of the tiling data. Everything
that a spec says of it is written with those; what they do not determine becomes a parameter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.expr.cpp import emit
from qsfa_codegen.expr.nodes import INT, Expr, Kind, Query, Ref, RefKind
from qsfa_codegen.render.cpp import variable
from qsfa_codegen.render.needs import needs
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.kernel_facts import LETS, Source, kernel_facts, named_functions
from qsfa_codegen.spec.layout import struct_layout
from qsfa_codegen.spec.model import EnumDef, Record
from qsfa_codegen.spec.names import pascal, upper
from qsfa_codegen.spec.ranges import Ranges

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Operator

_TYPES = {Kind.FLOAT: "float", Kind.BOOL: "bool"}
TILING = "tiling"


def column_type(column: str) -> str:
    """The template parameter for a dtype column: ``kv`` → ``KvType``."""
    return f"{pascal(column)}Type"


class KernelText(Struct, frozen=True):
    """C++ of an expression, its type, and what it reads.

    ``parameters`` declare facts of the call that the kernel is not told: its caller has to know them.
    """

    text: str
    type: str
    reads_tiling: bool
    parameters: tuple[str, ...]
    constant: bool


class KernelNames:
    """Spelling of leaves in the kernel code of one architecture."""

    def __init__(self, operator: Operator, arch: str) -> None:
        self.arch = arch
        self._operator = operator
        self._facts = kernel_facts(operator, arch)
        self._ranges = Ranges(operator)
        self._accessor_names = _accessor_names(operator)
        self.accessors: dict[str, str] = {}
        self.constants: dict[str, str] = {}

    def spell(self, expr: Expr) -> KernelText:
        """``expr`` in kernel code; arithmetic is that of int64, unchecked as the host has checked it."""
        source = self._facts.holder(expr)
        if source is not None:
            text = self._read(source, as_bool=expr.type.kind is Kind.BOOL)
        elif isinstance(expr, Ref) and expr.kind in LETS and self._facts.named(expr.kind, expr.name) is None:
            text = self._derived(expr.name, self._facts.lets[expr.name])
        else:
            text = self._nested(expr)
        return self._told(expr, text)

    def direct(self, expr: Expr) -> KernelText | None:
        """``expr`` as the template argument or the field itself that holds it; None when none does."""
        source = self._facts.holder(expr)
        if source is None:
            return None
        return self._told(expr, source.argument or _field(source))

    def known(self, expr: Expr) -> Expr:
        """``expr`` with what has one value in every call of the architecture as that value."""
        return self._facts.known(expr)

    def _told(self, expr: Expr, text: str) -> KernelText:
        reads = self._facts.reads(expr)
        parameters = tuple(f"{_ctype(ref)} {variable(ref.name)}" for ref in reads.parameters)
        return KernelText(text, _ctype(expr), reads.tiling, parameters, reads.constant)

    def _read(self, source: Source, *, as_bool: bool) -> str:
        """The template argument or the field; integer fields are read as wide as what is calculated."""
        text = source.argument or _field(source)
        name = self._accessor_names.get(text)
        if name is not None:
            self.accessors[name] = text
            text = f"{name}({TILING})"
        return f"{text} != 0" if as_bool else text

    # ------------------------------------------------------------------ leaves

    def ref(self, kind: RefKind, name: str) -> str:
        """A name: a constant, a field, a derived value written out, or a parameter."""
        if kind is RefKind.CONST:
            return name
        if kind is RefKind.COLUMN:
            return column_type(name)
        source = self._facts.named(kind, name)
        if kind in LETS:
            value = self._facts.lets[name]
            if source is not None:
                return self._read(source, as_bool=value.type.kind is Kind.BOOL)
            return _in_parentheses(self._derived(name, value))
        return variable(name) if source is None else self._read(source, as_bool=False)

    def _derived(self, name: str, value: Expr) -> str:
        text = self._nested(value)
        only_constants = {kind for kind, _ in needs(self._operator, [value]).refs} <= {RefKind.CONST, *LETS}
        if only_constants and value.type == INT:
            self.constants[upper(name)] = text
            return upper(name)
        return text

    def query(self, query: Query, param: str, axis: int | None, tail: int = 0) -> str:
        """A fact about an input, which only the host can ask: a rule keeps it out of kernels."""
        raise ValueError(f"a kernel cannot ask for the {query.value} of {param}")

    def enum_label(self, enum: str, label: str) -> str:
        """A label's code."""
        return str(self._operator.find(EnumDef, enum).label(label).code)

    def dtype(self, name: str) -> str:
        """A dtype: the kernel's type."""
        return DTYPES[name].kernel

    def call(self, function: str, args: tuple[str, ...]) -> str | None:
        """A function of the operator, or one that a kernel compiler's library may lack."""
        match function:
            case "elements":
                return self._nested(self._operator.find(Record, args[0]).elements)
            case "offset":
                return self._nested(self._operator.find(Record, args[0]).offset(args[1]))
            case "sizeof":
                return f"static_cast<int64_t>(sizeof({args[0]}))"
            case "min" | "max":
                return _chosen("<" if function == "min" else ">", args)
        return None

    def _nested(self, expr: Expr) -> str:
        return emit(self._facts.known(expr), self, self._ranges, unchecked=True).text


def _accessor_names(operator: Operator) -> dict[str, str]:
    """Functions that read the integer fields of the tiling data, by the text that reads a field itself."""
    data = operator.tiling.data if operator.tiling is not None else None
    entries = struct_layout(data).entries if data is not None else ()
    names = [entry.field.name for entry in entries]
    taken = {name for _, name, _ in named_functions(operator)}
    found = {}
    for entry in entries:
        if entry.ctype.minimum is not None:
            unique = names.count(entry.field.name) == 1
            name = pascal(entry.field.name if unique else entry.path.replace(".", "_"))
            found[f"{TILING}.{entry.path}"] = f"{name}Field" if name in taken else name
    return found


def _field(source: Source) -> str:
    assert source.entry is not None
    return f"{TILING}.{source.entry.path}"


def _ctype(expr: Expr) -> str:
    return _TYPES.get(expr.type.kind, "int64_t")


def _in_parentheses(text: str) -> str:
    return text if text.isidentifier() else f"({text})"


def _chosen(sign: str, args: Sequence[str]) -> str:
    """The smallest or largest of some values, without a library."""
    first, *others = map(_in_parentheses, args)
    for other in others:
        first = f"({first} {sign} {other} ? {first} : {other})"
    return first
