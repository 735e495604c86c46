"""What a torch call must obey, as a header that device, meta and host functions share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from qsfa_codegen.expr.arith import arith_struct
from qsfa_codegen.expr.nodes import Expr, RefKind
from qsfa_codegen.render.cpp import constants, enum_class, enum_parser, standard_headers, variable
from qsfa_codegen.render.host_checks import called, groups, violation
from qsfa_codegen.render.host_text import HostText
from qsfa_codegen.render.needs import exprs_of, needs, size_leaves
from qsfa_codegen.render.parameters import literal
from qsfa_codegen.render.presence import told_apart
from qsfa_codegen.render.shape_text import shape_exprs, shape_key, shape_lines, size_expr
from qsfa_codegen.render.text import INDENT, broken, call_with_format, cpp_string, wrap_call
from qsfa_codegen.render.tiling_reads import (
    AttrText,
    attrs,
    default_constants,
    default_name,
    dim_branches,
    ends_block,
)
from qsfa_codegen.render.torch_calls import OUTPUTS, mapped_values, word_function
from qsfa_codegen.render.torch_names import (
    SymbolicNames,
    SymbolicText,
    TorchMessageNames,
    TorchNames,
    has_torch_type,
)
from qsfa_codegen.render.torch_schema import Source, TorchParam, parameters
from qsfa_codegen.render.words import words
from qsfa_codegen.spec.bound import bound_operator
from qsfa_codegen.spec.by_chip import depends_on_chip
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import (
    Attr,
    AttrType,
    CheckKind,
    Input,
    InputKind,
    Output,
    RestItem,
    Shape,
)
from qsfa_codegen.spec.names import pascal, upper
from qsfa_codegen.spec.output_checks import allocated, dtype_expr

if TYPE_CHECKING:
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.model import Check, Operator, ShapeItem, TorchBinding

_SIZE_KINDS = (CheckKind.DIM, CheckKind.CONSTRAINT)


def torch_binding(operator: Operator) -> TorchBinding:
    """The operator's torch binding, for operators that have one."""
    assert operator.torch is not None
    return operator.torch


def contract_namespace(operator: Operator) -> str:
    """Where the contract stands, beside the functions of the binding's namespace."""
    return f"{operator.snake}_contract"


class ViewText(Struct, frozen=True):
    """A tensor parameter and the call that makes its view."""

    member: str
    view: str
    empty_is_absent: bool


class SizesText(Struct, frozen=True):
    """The function that gives the sizes of all outputs that have the same ones."""

    name: str
    names: str
    lines: tuple[str, ...]


class OutputText(Struct, frozen=True):
    """An output that is allocated."""

    name: str
    statement: str


class WordText(Struct, frozen=True):
    """A function from the binding's words to values of an attribute."""

    function: str
    type: str
    param: str
    words: tuple[tuple[str, str], ...]
    reject: str


class _Contract:
    """Everything that the contract header is made of."""

    def __init__(self, operator: Operator) -> None:
        self.binding = torch_binding(operator)
        self.operator = bound_operator(operator, self.binding, has_torch_type)
        rules = [check for check in operator.checks if check.kind is not CheckKind.CHIP]
        self._by_chip = any(depends_on_chip(expr) for check in rules for expr in exprs_of(check))
        self.params = parameters(operator, self.binding)
        self.by_source = {p.bound.source: p for p in self.params}
        self.said = TorchMessageNames(self.operator, {p.bound.source or p.name: p.name for p in self.params})
        self.text = HostText(self.operator, TorchNames(self.operator, self.said))
        self.symbols = SymbolicText(self.operator, SymbolicNames(self.operator))
        self.outputs = [o for o in allocated(operator) if o.alias is None]
        self.outputs = [self.operator.find(Output, o.name) for o in self.outputs]
        self.checked = needs(self.operator, [e for c in self.operator.checks for e in exprs_of(c)])
        self.sized = needs(self.operator, list(self._size_exprs()))

    def _size_exprs(self) -> Iterator[Expr]:
        for output in self.outputs:
            yield from shape_exprs(output.shape)
            yield dtype_expr(self.operator, output.dtype, output.span)

    def view(self) -> dict[str, Any]:
        """What the templates read."""
        lets = self.text.lets(self.checked.names(RefKind.LET))
        read = self._attrs()
        rules = tuple(told_apart(self.operator.checks, self.said))
        checked = groups(self.operator, self.text, self._report, rules, known=self._sizes_of)
        return {
            "operator": self.operator,
            "binding": self.binding,
            "contract": contract_namespace(self.operator),
            "params": self.params,
            "lets": lets,
            "attrs": read,
            "readings": [line for attr in read for line in self._reading(attr)],
            "copies": [self._copy(p) for p in self.params if self._is_copied(p)],
            "arrays": [p.name for p in self.params if self._is_array(p)],
            "defaults": self._defaults(),
            "words": [self._words(p) for p in self.params if p.bound.value_map],
            "inputs": [self._input(i) for i in self.operator.inputs if i.name in self._read()],
            "groups": checked,
            "sizeless_steps": called(g for g in checked if g.kind not in _SIZE_KINDS),
            "size_steps": called(g for g in checked if g.kind in _SIZE_KINDS),
            "let_types": {"ge::DataType": "at::ScalarType"},
            "by_chip": self._by_chip,
            "kinds": self._kinds(),
            "list_parameters": {variable(i.name): self.by_source[i.name].name for i in self._lists()},
            **self._sizes(),
        }

    # ----------------------------------------------------------------- parameters

    def _read(self) -> set[str]:
        return {name for name in self.checked.inputs | self.sized.inputs if name in self.by_source}

    def _read_attrs(self) -> list[str]:
        used = self.checked.names(RefKind.ATTR) | self.sized.names(RefKind.ATTR)
        return [name for name in used if name in self.by_source]

    def _attrs(self) -> list[AttrText]:
        found = attrs(self.operator, self._read_attrs())
        return [replace(a, type="at::ScalarType") if a.kind == "dtype" else a for a in found]

    def _is_copied(self, param: TorchParam) -> bool:
        """Whether messages print the text of the parameter, which has no end of its own."""
        return param.source is Source.ATTR and param.kind == "str" and not param.bound.value_map

    def _copy(self, param: TorchParam) -> tuple[str, str]:
        """The member that keeps a text, and what it is made from."""
        given = f"call.{param.name}"
        if not param.optional:
            return param.name, given
        registered = self.operator.find(Attr, param.bound.source or "")
        return param.name, f"{given}.value_or({literal(registered.type, registered.default or '')})"

    def _is_array(self, param: TorchParam) -> bool:
        """Whether the parameter is an input of which torch gives the values, not a tensor."""
        return param.source is Source.INPUT and param.kind == "int[]" and param.bound.source in self._read()

    def _reading(self, attr: AttrText) -> list[str]:
        """Statements that set an attribute's member."""
        param, registered = self.by_source[attr.name], self.operator.find(Attr, attr.name)
        target = f"attrs_.{attr.member}"
        if param.bound.value_map:
            return [f"{target} = {word_function(registered)}(call_.{param.name});"]
        if attr.kind == "enum":
            return [f"{target}Text = {param.name}_.c_str();", f"{target} = Parse{attr.type}({target}Text);"]
        if attr.kind == "string":
            return [f"{target} = {param.name}_;"]
        given = f"call_.{param.name}"
        if param.optional and attr.kind != "list":
            given = f"{given}.value_or({literal(registered.type, registered.default or 0)})"
        match attr.kind:
            case "dtype":
                return [f"{target} = AsDtype({given});"]
            case "list":
                return [f"{target} = {self._list(registered, param, given)};"]
        return [f"{target} = {f'static_cast<float>({given})' if attr.type == 'float' else given};"]

    def _list(self, attr: Attr, param: TorchParam, given: str) -> str:
        """A list as the contract keeps it; one that is not given is the registered default."""
        value = f"{given}.value()" if param.optional else given
        default = default_name(attr) if attr.default else ""
        if attr.type is AttrType.LIST_BOOL:
            value, absent = f"{value}.vec()", f"std::vector<bool>{literal(attr.type, attr.default or ())}"
        else:
            absent = f"at::IntArrayRef({default})"
        return f"{given}.has_value() ? {value} : {absent}" if param.optional else value

    def _defaults(self) -> list[str]:
        """Lists that stand for one that is not given."""
        optional = [p.bound.source for p in self.params if p.optional and p.kind == "int[]"]
        return default_constants(self.operator, [name for name in self._read_attrs() if name in optional])

    def _words(self, param: TorchParam) -> WordText:
        attr = self.operator.find(Attr, param.bound.source or "")
        words = mapped_values(param, attr)
        allowed = ", ".join(word for word, _ in words)
        message = f"{param.name} is %s; expected: one of {allowed} [{attr.name}_value]"
        reject = call_with_format("Reject(", message, [f"std::string({param.name}).c_str()"], INDENT)
        spelt = tuple((cpp_string(word), value) for word, value in words)
        return WordText(word_function(attr), "int64_t", param.name, spelt, reject)

    def _input(self, parameter: Input) -> ViewText:
        param = self.by_source[parameter.name]
        given = f"{param.name}_" if self._is_array(param) else f"call_.{param.name}"
        return ViewText(variable(parameter.name), f"View({given})", parameter.empty_is_absent)

    def _lists(self) -> list[Input]:
        lists = [i for i in self.operator.inputs if i.kind is InputKind.TENSOR_LIST]
        return [i for i in lists if i.name in self._read()]

    def _kinds(self) -> set[str]:
        """Kinds of tensor parameters besides plain ones."""
        read = [self.by_source[name] for name in self._read()]
        found = {"optional_tensors" for p in read if p.optional and p.kind == "Tensor"}
        return found | {"tensor_lists" for p in read if p.kind == "Tensor[]"}

    def _sizes_of(self, check: Check) -> list[str]:
        """The sizes that a check asks for, which may be symbols of a trace."""
        return [self.text.cpp(node).text for node in size_leaves(self.operator, violation(check))]

    def _report(self, check: Check, message: str, args: Sequence[str], indent: int) -> str:
        return call_with_format("Reject(", message, args, indent)

    # ----------------------------------------------------------------- sizes

    def _sizes(self) -> dict[str, Any]:
        dims, symbols = self.checked.names(RefKind.DIM), self.sized.names(RefKind.DIM)
        return {
            "dims": self._members(dims),
            "branches": self._branches(self.text, dims),
            "symbols": self._members(symbols),
            "symbol_branches": self._branches(self.symbols, symbols),
            "sizes": self._size_functions(),
            "outputs": [self._output(o) for o in self.outputs],
        }

    def _members(self, names: Set[str]) -> list[str]:
        return [variable(d.name) for d in self.operator.dims if d.name in names]

    def _branches(self, text: HostText, names: Set[str]) -> list[tuple[Any, bool]]:
        found = dim_branches(self.operator, text, names)
        return [(branch, ends_block(found, number)) for number, branch in enumerate(found)]

    def _size_functions(self) -> list[SizesText]:
        same: dict[object, list[Output]] = {}
        for output in self.outputs:
            same.setdefault(shape_key(output.shape), []).append(output)
        return [
            SizesText(
                self._size_function(outputs[0]),
                ", ".join(o.name for o in outputs),
                tuple(shape_lines(outputs[0].shape, self.symbols, self._answer)),
            )
            for outputs in same.values()
        ]

    def _size_function(self, output: Output) -> str:
        first = next(o for o in self.outputs if shape_key(o.shape) == shape_key(output.shape))
        return f"{pascal(first.name)}Sizes"

    def _answer(self, shape: Shape, indent: int) -> list[str]:
        margin = " " * indent
        sizes = [self._size(item) for item in shape.items]
        if not any(isinstance(item, RestItem) for item in shape.items):
            return [margin + wrap_call("return Sizes{", sizes, "};", indent)]
        steps = ["Sizes sizes;", *map(_appended, shape.items, sizes), "return sizes;"]
        return [margin + step for step in steps]

    def _size(self, item: ShapeItem) -> str:
        if isinstance(item, RestItem):
            return self.symbols.names.ref(RefKind.REST, item.name)
        return self.symbols.cpp(size_expr(item)).text

    def _output(self, output: Output) -> OutputText:
        dtype = self.symbols.cpp(dtype_expr(self.operator, output.dtype, output.span)).text
        call = f"at::empty_symint({self._size_function(output)}(), options.dtype({dtype}))"
        return OutputText(output.name, broken(f"{OUTPUTS}.{output.name} = ", call, ";", INDENT))

    def options(self) -> str:
        """The parameter whose device and layout the outputs have."""
        first = next(i for i in self.operator.inputs if self._is_tensor(i))
        return self.by_source[first.name].name

    def _is_tensor(self, parameter: Input) -> bool:
        param = self.by_source.get(parameter.name)
        return param is not None and param.kind == "Tensor" and not param.optional


def _appended(item: ShapeItem, size: str) -> str:
    if not isinstance(item, RestItem):
        return f"sizes.push_back({size});"
    return f"sizes.append({size}.size(), 1);" if item.ones else f"Append(sizes, {size});"


def render_contract(operator: Operator, templates: Templates) -> str:
    """The text of the contract header."""
    contract = _Contract(operator)
    view = contract.view()
    steps = templates.render("torch/contract_steps.h.j2", options=contract.options(), **view)
    named = words(steps)
    defined = [e for e in operator.enums if e.name in named]
    parsed = {attr.type for attr in view["attrs"] if attr.kind == "enum"}
    multiplies = any(call in steps for call in (".Elements(", "Product("))
    tools = templates.render(
        "torch/contract_tools.h.j2",
        steps=steps,
        inline=True,
        constants=constants(operator, named),
        enums=[enum_class(e) for e in defined],
        parsers=[_inline(enum_parser(e)) for e in defined if e.name in parsed],
        arith=arith_struct([steps, "arith.Mul(" if multiplies else ""]).rstrip("\n"),
        dtypes=[(d.code, f"at::k{d.torch}") for d in DTYPES.values() if d.torch],
        **view,
    )
    return templates.render(
        "torch/contract.h.j2",
        guard=f"{upper(operator.snake)}_CONTRACT_H",
        namespace=torch_binding(operator).namespace,
        contract=contract_namespace(operator),
        headers=standard_headers(tools + steps),
        tools=tools.rstrip("\n"),
        steps=steps.rstrip("\n"),
    )


def _inline(lines: Sequence[str]) -> list[str]:
    return [f"inline {line}" if re.match(r"\w+ Parse\w+\(", line) else line for line in lines]
