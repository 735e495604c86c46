"""C++ idiom that every generated host file shares: constants, enums, indices, dtype and type spellings."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from qsfa_codegen.expr.nodes import Expr, Kind, walk
from qsfa_codegen.render.text import cpp_comment, cpp_string
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.names import camel, pascal, upper
from qsfa_codegen.spec.reserved import CPP_KEYWORDS, CPP_MACROS
from qsfa_codegen.spec.value_names import value_constants

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Attr, Const, EnumDef, Input, Operator, Output

_FIELD_TYPES = {
    "bool": "bool",
    "int8": "int8_t",
    "int16": "int16_t",
    "int32": "int32_t",
    "int64": "int64_t",
    "uint8": "uint8_t",
    "uint16": "uint16_t",
    "uint32": "uint32_t",
    "uint64": "uint64_t",
    "float": "float",
    "double": "double",
}


def field_type(ctype: str) -> str:
    """The C++ spelling of a tiling field's type: ``uint32`` → ``uint32_t``."""
    return _FIELD_TYPES[ctype]


def ge_dtype(name: str) -> str:
    """``bfloat16`` → ``ge::DT_BF16``."""
    return f"ge::{DTYPES[name].ge}"


def ge_format(name: str) -> str:
    """``ND`` → ``ge::FORMAT_ND``."""
    return f"ge::FORMAT_{name}"


def variable(name: str) -> str:
    """The local variable that holds a dim, an attribute or a let: ``KV_ROWS`` → ``kvRows``."""
    spelt = camel(name)
    # The object that arithmetic goes through is called `arith`, and is looked for in texts.
    return f"{spelt}Value" if spelt == "arith" or spelt in CPP_KEYWORDS | CPP_MACROS else spelt


_OWN_NAMES = """
AbsentWhenEmpty AllBetween Append AppendOnes AreKnown Arith AsDtype AsTensor Attributes AttrAt AttrOr
AxesOf Axis Call Check Chip ChipNamed Contract Count DataOf Dim DimFromEnd DimRun Dims DoTiling DtypeName
DtypeOf Element Elements EndsWith FirstPhase Get Inputs IsKnown IsRankKnown List Listed ListOr NonDecreasing
NonEmpty OptionalInput OutputOrEmpty Outputs OutputsOf PaddedWith Passed PrepareTiling Product Rank Reject
RequiredInput Run RunTiling SameDims SizeOf Sizes StartsWith Store SymDim SymElements SymProduct
SymRun Symbols Tensor TensorOf TextOr Tiling TschBlockDim View WorkspaceBytes
"""
OWN_NAMES = frozenset(_OWN_NAMES.split())
"""Functions and types that generated host code has of its own."""
OWN_PREFIXES = ("Check", "Fill", "Has", "Make", "Read", "Set")


def let_function(operator: Operator, name: str) -> str:
    """The function that computes a derived value: ``row_count`` → ``RowCount``.

    Where something else in the generated code is called so: ``RowCountValue``.
    """
    function = pascal(name)
    taken = function in OWN_NAMES or function.startswith(OWN_PREFIXES)
    taken = taken or function.startswith(operator.name)
    taken = taken or any(enum.name == function for enum in operator.enums)
    taken = taken or any(const.name == function for const in operator.consts)
    return f"{function}Value" if taken else function


def enumerator(enum: str, label: str) -> str:
    """A label of an enum: ``Layout::ROWS_FIRST``."""
    return f"{enum}::{label}"


# --------------------------------------------------------------------------- declarations


def input_index(parameter: Input) -> str:
    """The name of the constant that holds an input's place."""
    return f"INPUT_{upper(parameter.name)}"


def output_index(parameter: Output) -> str:
    """The name of the constant that holds an output's place."""
    return f"OUTPUT_{upper(parameter.name)}"


def attr_index(attr: Attr) -> str:
    """The name of the constant that holds an attribute's place."""
    return f"ATTR_{upper(attr.name)}"


def index_constants(
    operator: Operator,
    inputs: Collection[str] = (),
    attrs: Collection[str] = (),
    outputs: Collection[str] = (),
) -> list[str]:
    """``constexpr size_t INPUT_QUERY = 0;`` for each parameter that is named, in the order of the ABI."""
    return [
        *(f"constexpr size_t {input_index(i)} = {i.index};" for i in operator.inputs if i.name in inputs),
        *(f"constexpr size_t {attr_index(a)} = {a.index};" for a in operator.attrs if a.name in attrs),
        *(f"constexpr size_t {output_index(o)} = {o.index};" for o in operator.outputs if o.name in outputs),
    ]


def places(operator: Operator) -> dict[str, int]:
    """Every constant that ``index_constants`` can declare, with its value."""
    return {
        **{input_index(parameter): parameter.index for parameter in operator.inputs},
        **{attr_index(attr): attr.index for attr in operator.attrs},
        **{output_index(parameter): parameter.index for parameter in operator.outputs},
    }


def constant(const: Const) -> str:
    """``constexpr int64_t NAME = 1; // why``."""
    return f"constexpr int64_t {const.name} = {int_literal(const.value)}; // {cpp_comment(const.doc.en)}"


def constants(operator: Operator, named: Collection[str]) -> list[str]:
    """Declarations of the constants that code names: those of the spec, then those of accepted values."""
    modes = (item for item in value_constants(operator).items() if item[0] in named)
    return [
        *(constant(const) for const in operator.consts if const.name in named),
        *(f"constexpr int64_t {name} = {int_literal(value)};" for name, value in modes),
    ]


def enum_class(enum: EnumDef) -> list[str]:
    """Lines of an ``enum class`` over int64_t with the codes of the spec."""
    body = [f"    {label.name} = {label.code}," for label in enum.labels]
    return [f"enum class {enum.name} : int64_t {{", *body, "};"]


def invalid_label(enum: EnumDef) -> str:
    """The name of the constant that no label has."""
    return f"INVALID_{upper(enum.name)}"


def enum_parser(enum: EnumDef) -> list[str]:
    """Lines that turn a string attribute into a label; a text that names none gives ``INVALID_…``.

    A view knows how long the text is, so that most labels are told apart by that.
    """
    free = min(label.code for label in enum.labels) - 1
    tests = [
        line
        for label in enum.labels
        for line in (
            f"    if (text == {cpp_string(label.name)}) {{",
            f"        return {enumerator(enum.name, label.name)};",
            "    }",
        )
    ]
    return [
        f"constexpr {enum.name} {invalid_label(enum)} = static_cast<{enum.name}>({int_literal(free)});",
        "",
        f"{enum.name} Parse{enum.name}(std::string_view text)",
        "{",
        *tests,
        f"    return {invalid_label(enum)};",
        "}",
    ]


ATTR_READS = ("AttrAt", "AttrOr", "TextOr", "ListOr")
"""What templates/op_host/attr_reads.cpp.j2 defines."""


def enums(operator: Operator, exprs: Iterable[Expr]) -> list[EnumDef]:
    """The enums that ``exprs`` speak of, in spec order."""
    used = {node.type.enum for expr in exprs for node in walk(expr) if node.type.kind is Kind.ENUM}
    return [enum for enum in operator.enums if enum.name in used]


_HEADERS = {
    "algorithm": ("std::min<", "std::max<"),
    "cmath": ("std::isfinite(",),
    "cstdarg": ("va_list",),
    "cstdint": ("int64_t",),
    "cstdio": ("std::vsnprintf(",),
    "cstdlib": ("std::abs(",),
    "cstring": ("std::strcmp(",),
    "initializer_list": ("std::initializer_list<",),
    "iterator": ("std::size(",),
    "limits": ("std::numeric_limits",),
    "optional": ("std::optional<",),
    "string": ("std::string ",),
    "string_view": ("std::string_view",),
    "strings.h": ("strcasecmp(",),
    "tuple": ("std::tuple<",),
    "type_traits": ("std::is_unsigned_v",),
}


def standard_headers(text: str) -> list[str]:
    """The standard headers that C++ text needs, in order."""
    return sorted(header for header, marks in _HEADERS.items() if any(mark in text for mark in marks))


# --------------------------------------------------------------------------- literals


def int_literal(value: int) -> str:
    """An int64 literal; the least value has no literal of its own."""
    if value == -(2**63):
        return "INT64_MIN"
    if value == 2**63 - 1:
        return "INT64_MAX"
    return str(value)


def float_literal(value: float) -> str:
    """A double literal that reads back as ``value``: ``1.0``, ``1e-06``."""
    return repr(float(value))


def bool_literal(value: bool) -> str:
    """``true`` or ``false``."""
    return "true" if value else "false"
