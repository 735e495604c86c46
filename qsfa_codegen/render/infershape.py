"""``op_host/<op>_infershape.cpp``: output shapes and dtypes, and the checks that they rest on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.expr.arith import arith_struct
from qsfa_codegen.expr.nodes import Kind
from qsfa_codegen.render.artefact import Artefact
from qsfa_codegen.render.cpp import (
    attr_index,
    constant,
    enum_class,
    enum_parser,
    ge_dtype,
    index_constants,
    input_index,
    output_index,
    standard_headers,
    variable,
)
from qsfa_codegen.render.host_checks import argument, list_input, screens, specifier
from qsfa_codegen.render.host_names import dtype_sizes
from qsfa_codegen.render.infer_outputs import dim_value, rest_run, setters
from qsfa_codegen.render.infer_text import ARITH, InferText
from qsfa_codegen.render.messages import Given, failure, format_text
from qsfa_codegen.render.parameters import literal
from qsfa_codegen.render.text import (
    INDENT,
    call_with_format,
    cpp_comment,
    wrap_items,
)
from qsfa_codegen.render.unknowns import FALSE, Test, broken_condition, some
from qsfa_codegen.spec.model import (
    Attr,
    AttrType,
    CheckKind,
    DtypeRef,
    Input,
    Presence,
    Registered,
)
from qsfa_codegen.spec.names import pascal, upper

if TYPE_CHECKING:
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.model import Check, EnumDef, Operator, Output

_GETTERS = {
    Registered.REQUIRED: ("Required", ""),
    Registered.OPTIONAL: ("Optional", ""),
    Registered.DYNAMIC: ("Dynamic", ", 0"),
}
_ELEMENT_TYPES = {
    AttrType.INT: "int64_t",
    AttrType.DTYPE: "int64_t",
    AttrType.FLOAT: "float",
    AttrType.BOOL: "bool",
    AttrType.LIST_INT: "int64_t",
    AttrType.LIST_FLOAT: "float",
    AttrType.LIST_BOOL: "bool",
}
_LISTS = frozenset({AttrType.LIST_INT, AttrType.LIST_FLOAT, AttrType.LIST_BOOL})
_ZEROS = {AttrType.BOOL: "false", AttrType.FLOAT: "0.0"}

# Helper functions of the template, with those that each of them calls.
_HELPERS = {
    "IsKnown": (),
    "IsRankKnown": (),
    "Rank": (),
    "Axis": ("IsRankKnown",),
    "AxesOf": ("IsRankKnown", "Run"),
    "AreKnown": ("IsKnown", "Run"),
    "Product": ("Run",),
    "SameDims": ("Run",),
    "Run": (),
    "NonEmpty": (),
    "Count": (),
    "DtypeOf": (),
    "SizeOf": (),
    "AttrAt": (),
    "AttrOr": ("AttrAt",),
    "TextOr": ("AttrAt",),
    "ListOr": ("AttrAt",),
    "SetShape": (),
    "SetUnknownRank": (),
    "Append": ("Run",),
    "AppendOnes": (),
}


class _CheckText(Struct, frozen=True):
    """One check: the locals it needs, the head of its ``if`` and the log call inside."""

    id: str
    locals: tuple[str, ...]
    head: str
    log: str
    tensors: Input | None
    fallible: bool

    @property
    def parts(self) -> tuple[str, ...]:
        """Every text that names something of the call."""
        return (*self.locals, self.head, self.log, f"{self.count} {self.index}")

    @property
    def count(self) -> str:
        """How many tensors the list input has that is checked tensor by tensor."""
        return "" if self.tensors is None else f"call.{variable(self.tensors.name)}Count"

    @property
    def index(self) -> str:
        """The place of the list input whose tensors are checked one by one."""
        return "" if self.tensors is None else input_index(self.tensors)


class _Group(Struct, frozen=True):
    name: str
    kind: CheckKind
    checks: tuple[_CheckText, ...]

    @property
    def fallible(self) -> bool:
        return any(check.fallible for check in self.checks)


class _Function(Struct, frozen=True):
    """A function of one expression, with a comment that says what it gives."""

    name: str
    comment: str
    value: str


def _render(operator: Operator, templates: Templates) -> str:
    return templates.render("op_host/op_infershape.cpp.j2", **_File(operator).view())


class _File:
    """Everything the template asks for; what the functions use decides what stands before them."""

    def __init__(self, operator: Operator) -> None:
        self._operator = operator
        self._text = InferText(operator)
        self._setters = setters(operator, self._text)
        self._groups = list(_groups(operator, self._text))
        self._dtypes = [_dtype_lines(operator, output) for output in operator.outputs]
        parts = [
            *(line for setter in self._setters for line in (*setter.lines, *setter.calls)),
            *(line for lines in self._dtypes for line in lines),
            *(part for group in self._groups for check in group.checks for part in check.parts),
        ]
        self._dims, self._runs = self._observations(parts)
        parts += [function.value for function in (*self._dims, *self._runs)]
        members = set(re.findall(r"\bcall\.(\w+)", " ".join(parts)))
        self._inputs = [i for i in operator.inputs if members & set(_members_of(i))]
        self._attrs = [a for a in operator.attrs if variable(a.name) in members]
        self._members = members
        self._input_reads = [line for i in self._inputs for line in self._read_input(i)]
        self._attr_reads = [line for attr in self._attrs for line in _read_attr(attr, self._text.node)]
        self._body = "\n".join([*parts, *self._input_reads, *self._attr_reads])
        self._words = set(re.findall(r"\w+", self._body))

    def _observations(self, parts: Sequence[str]) -> tuple[list[_Function], list[_Function]]:
        """Functions for the dims and runs of axes that ``parts`` ask for, directly or through others."""
        operator, text = self._operator, "\n".join(parts)
        dims = []
        for dim in operator.dims:
            name = f"Dim{pascal(dim.name)}"
            if f"{name}(call)" in text:
                comment = dim.doc.en if dim.doc is not None else dim.name
                with self._text.function():
                    dims.append(_Function(name, cpp_comment(comment), dim_value(dim, self._text)))
        text += "\n".join(function.value for function in dims)
        runs: list[_Function] = []
        # A run is written before those that it stands behind.
        for rest in reversed(operator.rests):
            name = f"{pascal(rest.name)}Axes"
            if f"{name}(call)" in text:
                comment = f"{rest.name}: axes of {rest.input}"
                runs.append(_Function(name, cpp_comment(comment), rest_run(rest)))
                text += runs[-1].value
        return dims, list(reversed(runs))

    def view(self) -> dict[str, object]:
        """What the template fills in."""
        operator = self._operator
        enums = [e for e in operator.enums if any(a.enum == e.name for a in self._attrs)]
        reads_data = any("call." in line for lines in self._dtypes for line in lines)
        helpers = self._helpers()
        loops = any(check.tensors for group in self._groups for check in group.checks)
        return {
            "name": operator.name,
            "helpers": helpers,
            "headers": self._headers(helpers),
            "indices": self._indices(),
            "constants": self._constants(),
            "defaults": [line for attr in self._attrs for line in _default_array(attr)],
            "enums": [(enum_class(e), enum_parser(e) if self._parses(e) else []) for e in enums],
            "arith": self._arith(helpers),
            "members": [
                *self._input_members(),
                *(member for attr in self._attrs for member in _attr_members(attr)),
            ],
            "has_context": loops,
            "node": self._text.node,
            "context": self._text.context,
            "inputs": self._input_reads,
            "attrs": self._attr_reads,
            "dims": self._dims,
            "runs": self._runs,
            "groups": self._groups,
            "setters": self._setters,
            "outputs": operator.outputs,
            "dtypes": self._dtypes,
            "steps": self._steps(),
            "unknowns": self._unknowns(helpers),
            "dtype_from_attr": reads_data,
            "sizes": dtype_sizes(operator),
            "attr_checks": [group.name for group in self._groups if group.kind is CheckKind.ATTR],
        }

    def _unknowns(self, helpers: set[str]) -> list[str]:
        """The marks of what is not known yet, as far as they are used."""
        lines = []
        if helpers & {"IsKnown", "Axis"} or "UNKNOWN_DIM" in self._body:
            lines.append("constexpr int64_t UNKNOWN_DIM = -1;")
        if helpers & {"IsRankKnown", "SetUnknownRank"}:
            lines.append("constexpr int64_t UNKNOWN_RANK = -2; // stands alone in a shape without known rank")
        return lines

    def _headers(self, helpers: set[str]) -> list[str]:
        """Standard headers of what is used, the template's helpers included."""
        marks = "int64_t std::initializer_list" if "SetShape" in helpers else "int64_t"
        parsers = (line for e in self._operator.enums if self._parses(e) for line in enum_parser(e))
        members = (member for attr in self._attrs for member in _attr_members(attr))
        return standard_headers("\n".join([self._body, marks, *parsers, *members]))

    def _arith(self, helpers: set[str]) -> str:
        texts = [self._body, f"{ARITH}.Mul(" if "Product" in helpers else ""]
        return arith_struct(texts) if any(f"{ARITH}." in text for text in texts) else ""

    def _steps(self) -> str:
        """Attributes, every check, then every output, until one fails."""
        calls = ["ReadAttrs(context->GetAttrs(), call)"] if self._attr_reads else []
        calls += [f"{group.name}(call)" for group in self._groups]
        calls += [call for setter in self._setters for call in setter.calls]
        joined = [f"{call} && " for call in calls[:-1]] + calls[-1:]
        return wrap_items("const bool done = ", joined, ";", INDENT) if joined else ""

    def _helpers(self) -> set[str]:
        used = _HELPERS.keys() & set(re.findall(r"(\w+)[(<]", self._body))
        if self._runs:
            used.add("Run")
        pending = list(used)
        for name in pending:
            new = [other for other in _HELPERS[name] if other not in used]
            used.update(new)
            pending.extend(new)
        return used

    def _indices(self) -> list[str]:
        return [line for line in _all_indices(self._operator) if line.split()[2] in self._words]

    def _constants(self) -> list[str]:
        return [constant(const) for const in self._operator.consts if const.name in self._words]

    def _parses(self, enum: EnumDef) -> bool:
        return any(a.enum == enum.name and a.type is AttrType.STR for a in self._attrs)

    def _input_members(self) -> Iterator[str]:
        for parameter in self._inputs:
            name = variable(parameter.name)
            if name in self._members:
                yield f"const gert::Shape *{name} = nullptr;"
            if f"{name}Count" in self._members:
                yield f"int64_t {name}Count = 0;"
            if f"{name}Dtype" in self._members:
                yield f"ge::DataType {name}Dtype = ge::DT_UNDEFINED;"

    def _read_input(self, parameter: Input) -> Iterator[str]:
        name, index = variable(parameter.name), input_index(parameter)
        kind, tail = _GETTERS[parameter.registered]
        if name in self._members:
            shape = f"context->Get{kind}InputShape({index}{tail})"
            yield f"call.{name} = {f'NonEmpty({shape})' if parameter.empty_is_absent else shape};"
        if f"{name}Count" in self._members:
            yield f"call.{name}Count = Count(*context, {index});"
        if f"{name}Dtype" in self._members:
            yield f"call.{name}Dtype = DtypeOf(context->Get{kind}InputDesc({index}{tail}));"


def _members_of(parameter: Input) -> tuple[str, ...]:
    name = variable(parameter.name)
    return (name, f"{name}Count", f"{name}Dtype")


def _all_indices(operator: Operator) -> list[str]:
    return index_constants(
        operator,
        {i.name for i in operator.inputs},
        {a.name for a in operator.attrs},
        {o.name for o in operator.outputs},
    )


# --------------------------------------------------------------------------- checks


def _groups(operator: Operator, text: InferText) -> Iterator[_Group]:
    """The checks of shape inference in the contract's order, as functions of about a screen."""
    for name, part in screens([check for check in operator.checks if check.at_infer]):
        with text.function():
            written = tuple(c for c in (_check(operator, text, check) for check in part) if c is not None)
        if written:
            yield _Group(name, part[0].kind, written)


def _check(operator: Operator, text: InferText, check: Check) -> _CheckText | None:
    """One check; None when shape inference can never see it violated."""
    tensors = list_input(operator, check)
    indent = INDENT if tensors is None else 2 * INDENT
    with text.one_of(tensors.name if tensors else None):
        violated = text.violated(check)
        if violated == FALSE:
            return None
        said = failure(operator, check)
        arguments = [argument(given, text.cpp(given.expr), _dtype_code) for given in said.givens]
        alternatives = some([violated, Test(f"{ARITH}.failed")]) if text.can_fail() else violated
        head = broken_condition("if (", alternatives, ") {", indent)
        log = call_with_format(
            f"OP_LOGE({text.node}, ", format_text(said, _specifier), arguments, indent + INDENT
        )
    fallible = f"{ARITH}." in head
    return _CheckText(check.id, tuple(text.new_locals()), head, log, tensors, fallible)


def _specifier(given: Given) -> str:
    """As for other hosts; but a dtype attribute may hold any number, so its code is what is printed."""
    return "%ld" if given.expr.type.kind is Kind.DTYPE else specifier(given)


def _dtype_code(spelt: str) -> str:
    return f"static_cast<int64_t>({spelt})"


# --------------------------------------------------------------------------- attributes


def _attr_members(attr: Attr) -> Iterator[str]:
    name = variable(attr.name)
    if attr.enum is not None:
        yield f"{attr.enum} {name} = {{}};"
        if attr.type is AttrType.STR:
            yield f"const char *{name}Text = nullptr;"
    elif attr.type is AttrType.STR:
        yield f"std::string_view {name};"
    elif attr.type in _LISTS:
        yield f"List<{_ELEMENT_TYPES[attr.type]}> {name};"
    else:
        kind = "double" if attr.type is AttrType.FLOAT else _ELEMENT_TYPES[attr.type]
        yield f"{kind} {name} = {_ZEROS.get(attr.type, '0')};"


def _read_attr(attr: Attr, node: str) -> Iterator[str]:
    name, index = f"call.{variable(attr.name)}", attr_index(attr)
    if attr.required:
        message = f"{attr.name} is absent; expected: {attr.name} is present [{attr.name}_presence]"
        yield f"if (AttrAt<void>(attrs, {index}) == nullptr) {{"
        yield " " * INDENT + call_with_format(f"OP_LOGE({node}, ", message, [], 2 * INDENT)
        yield "    return false;"
        yield "}"
    value = _attr_value(attr, index)
    if attr.enum is None:
        yield f"{name} = {value};"
    elif attr.type is AttrType.STR:
        yield f"{name}Text = {value};"
        yield f"{name} = Parse{attr.enum}({name}Text);"
    else:
        yield f"{name} = static_cast<{attr.enum}>({value});"


def _attr_value(attr: Attr, index: str) -> str:
    if attr.type in _LISTS:
        return f"ListOr<{_ELEMENT_TYPES[attr.type]}>(attrs, {index}, {_list_default(attr)})"
    if attr.type is AttrType.STR:
        return f"TextOr(attrs, {index}, {_scalar_default(attr)})"
    return f"AttrOr<{_ELEMENT_TYPES[attr.type]}>(attrs, {index}, {_scalar_default(attr)})"


def _scalar_default(attr: Attr) -> str:
    """What a graph without the attribute means."""
    if attr.default is None:
        return '""' if attr.type is AttrType.STR else _ZEROS.get(attr.type, "0")
    if attr.type is AttrType.DTYPE and isinstance(attr.default, str):
        return ge_dtype(attr.default)
    return literal(attr.type, attr.default)


def _list_default(attr: Attr) -> str:
    return f"{{DEFAULT_{upper(attr.name)}, {len(attr.default)}}}" if _has_elements(attr) else "{}"  # type: ignore[arg-type]


def _has_elements(attr: Attr) -> bool:
    return isinstance(attr.default, tuple) and bool(attr.default)


def _default_array(attr: Attr) -> Iterator[str]:
    if _has_elements(attr) and attr.default is not None:
        element = _ELEMENT_TYPES[attr.type]
        yield f"constexpr {element} DEFAULT_{upper(attr.name)}[] = {literal(attr.type, attr.default)};"


# --------------------------------------------------------------------------- dtypes


def _dtype_lines(operator: Operator, output: Output) -> list[str]:
    """Statements that set the dtype of an output."""
    index, sources = output_index(output), _dtype_sources(operator, output.dtype)
    if len(sources) == 1:
        return [f"context->SetOutputDataType({index}, {sources[0]});"]
    name = f"{variable(output.name)}Dtype"
    lines = [f"ge::DataType {name} = {sources[0]};"]
    for source in sources[1:]:
        lines += [f"if ({name} == ge::DT_UNDEFINED) {{", f"    {name} = {source};", "}"]
    return [*lines, f"context->SetOutputDataType({index}, {name});"]


def _dtype_sources(operator: Operator, ref: DtypeRef) -> list[str]:
    """Where a dtype comes from: the first of these that is defined."""
    if ref.follow is not None:
        return [_input_dtype(operator.find(Input, ref.follow))]
    if ref.fixed is not None:
        return [ge_dtype(ref.fixed)]
    assert ref.column is not None
    chooser = dict(operator.dtypes.select).get(ref.column)
    if chooser is not None:
        return [f"static_cast<ge::DataType>(call.{variable(chooser)})"]
    carriers = [i for i in operator.inputs if i.dtype.column == ref.column]
    always = [i for i in carriers if i.presence is Presence.REQUIRED]
    if always:
        return [_input_dtype(always[0])]
    sources = [_input_dtype(carrier) for carrier in carriers]
    other = dict(operator.dtypes.unbound).get(ref.column)
    return sources if other is None else [*sources, *_dtype_sources(operator, DtypeRef(column=other))]


def _input_dtype(parameter: Input) -> str:
    kind, tail = _GETTERS[parameter.registered]
    return f"context->Get{kind}InputDataType({input_index(parameter)}{tail})"


ARTEFACTS = (Artefact("op_host", lambda op: f"op_host/{op.snake}_infershape.cpp", _render),)
