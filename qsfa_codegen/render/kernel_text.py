"""Expressions in kernel code: what the kernel is told, in the words of the tiling data and the key.

A kernel knows its constants, its template arguments and the fields of the tiling data. Everything
that a spec says of it is written with those; what they do not determine becomes a parameter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.expr.build import strip
from qsfa_codegen.expr.cpp import emit
from qsfa_codegen.expr.nodes import INT, Arith, Call, Expr, Kind, Literal, Query, Ref, RefKind
from qsfa_codegen.expr.rewrite import bottom_up, substitute
from qsfa_codegen.expr.specialize import specialize
from qsfa_codegen.render.cpp import variable
from qsfa_codegen.render.needs import needs
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.layout import struct_layout
from qsfa_codegen.spec.lower import attr_ref
from qsfa_codegen.spec.model import Attr, Domain, Record
from qsfa_codegen.spec.names import pascal, upper
from qsfa_codegen.spec.ranges import Ranges

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Operator, TilingData

TILING = "tiling"


def column_type(column: str) -> str:
    """The template parameter for a dtype column: ``kv`` → ``KvType``."""
    return f"{pascal(column)}Type"


class Told(Struct, frozen=True):
    """How the kernel gets a value: as a template argument, or in a field of the tiling data.

    ``accessor`` is the function that reads an integer field: fields are narrower than what is
    calculated with them.
    """

    text: str
    is_argument: bool
    accessor: str | None = None


_LETS = (RefKind.LET, RefKind.TILING_LET)
_TYPES = {Kind.FLOAT: "float", Kind.BOOL: "bool"}


class KernelText(Struct, frozen=True):
    """C++ of an expression, its type, and what it reads.

    ``parameters`` are facts of the call that the kernel is not told: its caller has to know them.
    """

    text: str
    type: str
    reads_tiling: bool
    reads_key: bool
    parameters: tuple[str, ...]

    @property
    def constant(self) -> bool:
        """Whether it is the same in every call and every compiled variant."""
        return not (self.reads_tiling or self.reads_key or self.parameters)


class KernelNames:
    """Spelling of leaves in the kernel code of one architecture; notes what each text reads."""

    def __init__(self, operator: Operator, arch: str) -> None:
        self._operator = operator
        self._arch = arch
        self._chip = next(chip.id for chip in operator.chips if chip.arch == arch)
        self._ranges = Ranges(operator)
        self._lets = {let.name: let.value for let in operator.lets}
        self._told: dict[object, Told] = {}
        self._told_names: dict[tuple[RefKind, str], Told] = {}
        tiling = operator.tiling
        if tiling is not None:
            self._lets.update({let.name: let.value for let in tiling.lets})
            for arg in tiling.key.args if tiling.key is not None else ():
                self._tell(arg.value, Told(arg.name, is_argument=True))
            if tiling.data is not None:
                self._tell_fields(tiling.data)
        self._fixed = {
            (RefKind.ATTR, attr.name): value
            for attr in operator.attrs
            if (value := _only_value(attr)) is not None
        }
        self._reads_tiling = False
        self._reads_key = False
        self._parameters: dict[str, None] = {}
        self.accessors: dict[str, str] = {}
        self.constants: dict[str, str] = {}

    def spell(self, expr: Expr) -> KernelText:
        """``expr`` in kernel code; arithmetic is that of int64, unchecked as the host has checked it."""
        self._reads_tiling, self._reads_key, self._parameters = False, False, {}
        told = None if isinstance(expr, Literal) else self._told.get(strip(expr))
        text = self._read(told, as_bool=expr.type.kind is Kind.BOOL)
        if text is None and isinstance(expr, Ref) and expr.kind in _LETS:
            text = self._derived(expr.name, self._lets[expr.name])
        text = text or self._nested(expr)
        ctype = _TYPES.get(expr.type.kind, "int64_t")
        return KernelText(text, ctype, self._reads_tiling, self._reads_key, tuple(self._parameters))

    def direct(self, expr: Expr) -> KernelText | None:
        """``expr`` as the template argument or the field itself that holds it; None when none does."""
        told = self._told.get(strip(expr))
        if told is None:
            return None
        ctype = _TYPES.get(expr.type.kind, "int64_t")
        return KernelText(told.text, ctype, not told.is_argument, told.is_argument, ())

    def _tell_fields(self, data: TilingData) -> None:
        entries = struct_layout(data).entries
        names = [entry.field.name for entry in entries]
        for entry in entries:
            unique = names.count(entry.field.name) == 1
            name = pascal(entry.field.name if unique else entry.path.replace(".", "_"))
            accessor = name if entry.ctype.minimum is not None else None
            self._tell(entry.field.value, Told(f"{TILING}.{entry.path}", False, accessor))

    def _tell(self, value: Expr, told: Told) -> None:
        if isinstance(value, Literal):
            return
        self._told.setdefault(strip(value), told)
        if isinstance(value, Ref):
            self._told_names.setdefault((value.kind, value.name), told)

    def _read(self, told: Told | None, *, as_bool: bool) -> str | None:
        """The template argument or the field, noted as read."""
        if told is None:
            return None
        self._reads_key = self._reads_key or told.is_argument
        self._reads_tiling = self._reads_tiling or not told.is_argument
        text = told.text
        if told.accessor is not None:
            self.accessors[told.accessor] = told.text
            text = f"{told.accessor}({TILING})"
        return f"{text} != 0" if as_bool else text

    # ------------------------------------------------------------------ leaves

    def ref(self, kind: RefKind, name: str) -> str:
        """A name: a constant, a field, a derived value written out, or a parameter."""
        if kind is RefKind.CONST:
            return name
        if kind is RefKind.COLUMN:
            return column_type(name)
        told = self._told_names.get((kind, name))
        if kind in _LETS:
            value = self._lets[name]
            found = self._read(told, as_bool=value.type.kind is Kind.BOOL)
            return found or self._in_parentheses(self._derived(name, value))
        found = self._read(told, as_bool=False)
        if found is None:
            found = variable(name)
            self._parameters[found] = None
        return found

    def _derived(self, name: str, value: Expr) -> str:
        text = self._nested(value)
        only_constants = {kind for kind, _ in needs(self._operator, [value]).refs} <= {RefKind.CONST, *_LETS}
        if only_constants and value.type == INT:
            self.constants[upper(name)] = text
            return upper(name)
        return text

    def _in_parentheses(self, text: str) -> str:
        return text if text.isidentifier() else f"({text})"

    def query(self, query: Query, param: str, axis: int | None, tail: int = 0) -> str:
        """A fact about an input, which only the host can ask."""
        raise ValueError(f"a kernel cannot ask for the {query.value} of {param}")

    def enum_label(self, enum: str, label: str) -> str:
        """A label's code."""
        codes = {e.name: e for e in self._operator.enums}
        return str(codes[enum].label(label).code)

    def dtype(self, name: str) -> str:
        """A dtype: the kernel's type."""
        return DTYPES[name].kernel

    def call(self, function: str, args: tuple[str, ...]) -> str | None:
        """A function of the operator."""
        match function:
            case "elements":
                return self._nested(self._operator.find(Record, args[0]).elements)
            case "offset":
                record = self._operator.find(Record, args[0])
                names = [part.name for part in record.fields]
                return self._nested(record.offsets[names.index(args[1])])
            case "sizeof":
                return self._sizeof(args[0])
        return None

    def _sizeof(self, dtype: str) -> str:
        self._reads_key = True
        return f"static_cast<int64_t>(sizeof({dtype}))"

    def _nested(self, expr: Expr) -> str:
        known = bottom_up(substitute(specialize(expr, self._chip, self._arch), self._fixed), self._folded)
        return emit(known, self, self._ranges, unchecked=True).text

    def _folded(self, expr: Expr) -> Expr:
        """Sizes of dtypes that are the same in every variant as numbers, and no factors of 1."""
        match expr:
            case Call(function="sizeof", args=(Ref(kind=RefKind.COLUMN, name=column),)):
                sizes = self._ranges.sizes(column)
                return Literal(INT, expr.span, *sizes) if len(sizes) == 1 else expr
            case Arith(op="*", left=left, right=Literal(value=1)):
                return left
        return expr


def _only_value(attr: Attr) -> Literal | None:
    """The value of an attribute that accepts just one, on every chip."""
    if not isinstance(attr.domain, Domain) or len(attr.domain.values) != 1 or attr.enum is not None:
        return None
    return Literal(attr_ref(attr, attr.span).type, attr.span, attr.domain.values[0].value)
