"""``op_host/<op>_infershape.cpp``: output shapes and dtypes, and the checks that they rest on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.expr.arith import arith_struct
from qsfa_codegen.expr.nodes import Kind, Ref
from qsfa_codegen.render.artefact import Artefact
from qsfa_codegen.render.cpp import (
    ATTR_READS,
    constants,
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
from qsfa_codegen.render.presence import told_apart
from qsfa_codegen.render.text import (
    INDENT,
    call_with_format,
    cpp_comment,
    wrap_items,
)
from qsfa_codegen.render.tiling_reads import AttrText, attrs, default_constants
from qsfa_codegen.render.unknowns import FALSE, Test, broken_condition, some
from qsfa_codegen.render.words import words
from qsfa_codegen.spec.failure import MessageNames
from qsfa_codegen.spec.model import (
    Attr,
    AttrType,
    CheckKind,
    DtypeRef,
    Input,
    Presence,
    Registered,
)
from qsfa_codegen.spec.names import pascal

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

_FROM_END = re.compile(r"\bAxis\([^;]*-\d")
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
    """A function of checks, or one that calls ``parts``; ``within``: not called by inference itself."""

    name: str
    kind: CheckKind
    checks: tuple[_CheckText, ...]
    parts: tuple[str, ...]
    within: str

    @property
    def fallible(self) -> bool:
        return any(check.fallible for check in self.checks)

    @property
    def result(self) -> str:
        """The statement that says whether the call passed."""
        calls = [f"{part}(call)" for part in self.parts]
        joined = [f"{call} && " for call in calls[:-1]] + calls[-1:]
        return wrap_items("return ", joined, ";", INDENT) if calls else "return true;"


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
            *(line for setter in self._setters for line in (*setter.lines, setter.call, *setter.copies)),
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
        self._attr_reads = [line for attr in self._attr_texts() for line in _read_attr(attr, self._text.node)]
        self._body = "\n".join([*parts, *self._input_reads, *self._attr_reads])
        self._words = words(self._body)

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
            "defaults": default_constants(operator, [attr.name for attr in self._attrs]),
            "has_lists": any(attr.kind == "list" for attr in self._attr_texts()),
            "attr_reads": [name for name in ATTR_READS if name in self._words],
            "enums": [enum_class(e) for e in enums],
            "parsers": [enum_parser(e) for e in enums if self._parses(e)],
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
            "copies": [line for setter in self._setters for line in setter.copies],
            "outputs": operator.outputs,
            "dtypes": self._dtypes,
            "steps": self._steps(),
            "unknowns": self._unknowns(helpers),
            "dtype_from_attr": reads_data,
            "sizes": dtype_sizes(operator),
            "attr_checks": [
                group.name for group in self._groups if group.kind is CheckKind.ATTR and not group.within
            ],
        }

    def _unknowns(self, helpers: set[str]) -> list[str]:
        """The marks of what is not known yet, as far as they are used."""
        lines = []
        if helpers & {"IsKnown", "Axis"} or "UNKNOWN_DIM" in self._body:
            lines.append("constexpr int64_t UNKNOWN_DIM = -1;")
        if helpers & {"IsRankKnown", "SetUnknownRank"}:
            lines.append("constexpr int64_t UNKNOWN_RANK = -2; // stands alone in a shape without known rank")
        return lines

    def _attr_texts(self) -> list[AttrText]:
        return attrs(self._operator, [attr.name for attr in self._attrs])

    def _headers(self, helpers: set[str]) -> list[str]:
        """Standard headers of what is used, the template's helpers included."""
        parsers = (line for e in self._operator.enums if self._parses(e) for line in enum_parser(e))
        members = (member for attr in self._attrs for member in _attr_members(attr))
        return standard_headers("\n".join([self._body, "int64_t", *parsers, *members]))

    def _arith(self, helpers: set[str]) -> str:
        texts = [self._body, f"{ARITH}.Mul(" if "Product" in helpers else ""]
        return arith_struct(texts) if any(f"{ARITH}." in text for text in texts) else ""

    def _steps(self) -> str:
        """Attributes, every check, then every output, until one fails."""
        calls = ["ReadAttrs(context->GetAttrs(), call)"] if self._attr_reads else []
        calls += [f"{group.name}(call)" for group in self._groups if not group.within]
        calls += [setter.call for setter in self._setters]
        joined = [f"{call} && " for call in calls[:-1]] + calls[-1:]
        return wrap_items("const bool done = ", joined, ";", INDENT) if joined else ""

    def _helpers(self) -> set[str]:
        used = _HELPERS.keys() & set(re.findall(r"(\w+)[(<]", self._body))
        if self._runs:
            used.add("Run")
        if _FROM_END.search(self._body):
            used.add("AxisFromEnd")
        pending = list(used)
        for name in pending:
            new = [other for other in _HELPERS.get(name, ()) if other not in used]
            used.update(new)
            pending.extend(new)
        return used

    def _indices(self) -> list[str]:
        return [line for line in _all_indices(self._operator) if line.split()[2] in self._words]

    def _constants(self) -> list[str]:
        return constants(self._operator, self._words)

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
    left: set[str] = set()
    inferred = (check for check in operator.checks if check.at_infer)
    for screen in screens(tuple(told_apart(inferred, MessageNames(operator)))):
        with text.function():
            written = tuple(
                c for c in (_check(operator, text, check) for check in screen.checks) if c is not None
            )
        parts = tuple(part for part in screen.parts if part in left)
        if written or parts:
            left.add(screen.name)
            yield _Group(screen.name, screen.kind, written, parts, screen.within)


def _check(operator: Operator, text: InferText, check: Check) -> _CheckText | None:
    """One check; None when shape inference can never see it violated."""
    tensors = list_input(operator, check)
    indent = INDENT if tensors is None else 2 * INDENT
    with text.one_of(tensors.name if tensors else None):
        violated = text.violated(check)
        if violated == FALSE:
            return None
        said = failure(operator, check)
        arguments = [_argument(given, text) for given in said.givens]
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


def _argument(given: Given, text: InferText) -> str:
    """As for other hosts; a dtype attribute is kept as its code, which is what is printed."""
    spelt = text.cpp(given.expr)
    is_attr = isinstance(given.expr, Ref)
    return argument(given, spelt, lambda dtype: dtype if is_attr else f"static_cast<int64_t>({dtype})")


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


def _read_attr(attr: AttrText, node: str) -> Iterator[str]:
    call = f"call.{attr.member}"
    if attr.required:
        message = f"{attr.name} is absent; expected: {attr.name} is present [{attr.name}_presence]"
        yield f"const auto *{attr.local} = AttrAt<{attr.stored}>(*attrs, {attr.index});"
        yield f"if ({attr.local} == nullptr) {{"
        yield " " * INDENT + call_with_format(f"OP_LOGE({node}, ", message, [], 2 * INDENT)
        yield "    return false;"
        yield "}"
    value = _required(attr) if attr.required else _optional(attr)
    if attr.kind == "enum":
        yield f"{call}Text = {value};"
        yield f"{call} = Parse{attr.type}({call}Text);"
    else:
        yield f"{call} = {value};"


def _required(attr: AttrText) -> str:
    if attr.kind == "list":
        return f"{{{attr.local}->GetData(), {attr.local}->GetSize()}}"
    return attr.local if attr.kind in ("enum", "string") else f"*{attr.local}"


def _optional(attr: AttrText) -> str:
    if attr.kind == "list":
        return f"ListOr<{attr.type}>(*attrs, {attr.index}, {attr.absent_list})"
    function = "TextOr" if attr.kind in ("enum", "string") else "AttrOr"
    return f"{function}(*attrs, {attr.index}, {attr.absent})"


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
