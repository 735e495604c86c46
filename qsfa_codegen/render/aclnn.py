"""The two-phase aclnn interface: its header, and the wrapper that checks a call before CANN runs it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from qsfa_codegen.expr.arith import arith_struct
from qsfa_codegen.expr.build import all_of, arch, chip, compare, literal
from qsfa_codegen.expr.nodes import ARCH, CHIP, Expr, ParamQuery, RefKind
from qsfa_codegen.render.aclnn_names import AclnnNames, parameter_names, text_for_callers
from qsfa_codegen.render.artefact import Artefact
from qsfa_codegen.render.cpp import constants, enum_class, enum_parser, standard_headers, variable
from qsfa_codegen.render.host_checks import called, groups
from qsfa_codegen.render.host_names import dtype_sizes
from qsfa_codegen.render.host_text import HostText, broken, call_with_format
from qsfa_codegen.render.needs import exprs_of, needs
from qsfa_codegen.render.presence import told_apart
from qsfa_codegen.render.shape_text import Choice, shape_exprs, shape_key, shape_lines, size_expr
from qsfa_codegen.render.text import (
    INDENT,
    LINE_LIMIT,
    cpp_comment,
    wrap_call,
    wrap_items,
    wrap_words,
)
from qsfa_codegen.render.tiling_reads import AttrText, attrs, default_constants, dim_branches, ends_block
from qsfa_codegen.render.words import words
from qsfa_codegen.spec.aclnn import AclnnParam, Role, inner_signature, signature
from qsfa_codegen.spec.failure import MessageNames
from qsfa_codegen.spec.model import CheckKind, Input, InputKind, Output, Registered, RestItem, Shape
from qsfa_codegen.spec.names import output_check, pascal, upper
from qsfa_codegen.spec.output_checks import allocated, dtype_expr, has_zero, output_checks
from qsfa_codegen.spec.paths import walk_choice

if TYPE_CHECKING:
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.model import Attr, Check, Operator, ShapeItem, Text

WRAPPER = "wrapper"
_ARRAY_DTYPES = (
    ("aclIntArray", "ge::DT_INT64"),
    ("aclFloatArray", "ge::DT_FLOAT"),
    ("aclBoolArray", "ge::DT_BOOL"),
)
_BEFORE_DIMS = (CheckKind.CHIP, CheckKind.ATTR, CheckKind.PRESENCE, CheckKind.DTYPE, CheckKind.RANK)
_INVALID = "return Reject(ACLNN_ERR_PARAM_INVALID, "
_NULLPTR = "return Reject(ACLNN_ERR_PARAM_NULLPTR, "
_OUTPUT = ["const char *name", "const char *id", "const Tensor &output"]
_PHASE = ["uint64_t *workspaceSize", "aclOpExecutor **executor"]
_TOO_LARGE = "%s: a size does not fit in 64 bits [%s]"


def is_wrapped(operator: Operator) -> bool:
    """Whether the operator's aclnn function is ours, over CANN's inner one."""
    return operator.aclnn.style == WRAPPER


# --------------------------------------------------------------------------- header


def _render_header(operator: Operator, templates: Templates) -> str:
    params = signature(operator)
    return templates.render(
        "op_api/aclnn.h.j2",
        guard=f"{upper(f'aclnn_{operator.snake}')}_H",
        name=operator.aclnn.name,
        brief=_comment(text_for_callers(operator, operator.brief.en)),
        parameters=[line for param in params for line in _parameter_lines(operator, param)],
        declarations=[param.declaration for param in params],
    )


def _parameter_lines(operator: Operator, param: AclnnParam) -> list[str]:
    doc = _doc(operator, param)
    said = "" if doc is None else f": {text_for_callers(operator, doc.en)}"
    lines = _comment(param.name + said)
    return [lines[0], *(f"    {line}" for line in lines[1:])]


def _doc(operator: Operator, param: AclnnParam) -> Text | None:
    places: dict[Role, Sequence[Input | Attr | Output]] = {
        Role.INPUT: operator.inputs,
        Role.ATTR: operator.attrs,
        Role.OUTPUT: operator.outputs,
    }
    return next((i.doc for i in places.get(param.role, ()) if i.name == param.source), None)


def _comment(text: str) -> list[str]:
    return [cpp_comment(line) for line in wrap_words(text, LINE_LIMIT - 2 * INDENT)]


# --------------------------------------------------------------------------- what a call is


class ViewText(Struct, frozen=True):
    """A tensor parameter: the member that shows it, and the call that makes the view."""

    member: str
    view: str
    empty_is_absent: bool
    array: str | None  # the member that keeps the shape of a host array


class ListText(Struct, frozen=True):
    """A list of tensors: none of them may be nullptr."""

    name: str
    member: str
    parameter: str
    reject: str


class PointerText(Struct, frozen=True):
    """An attribute that is passed by pointer and must be given."""

    id: str
    name: str
    reject: str


class EmptyText(Struct, frozen=True):
    """An output that may be left out where it has no elements: what is passed on for it."""

    member: str
    declaration: str


class ShapeCheck(Struct, frozen=True):
    """The function that checks the shape of all outputs that have the same one."""

    name: str
    definition: str
    outputs: tuple[tuple[str, str, str], ...]  # what callers know it as, id of the check, member
    lines: tuple[str, ...]

    @property
    def ids(self) -> str:
        """Which checks it stands for."""
        return ", ".join(id for _, id, _ in self.outputs)


class _Wrapper:
    """Everything that the wrapper's source is made of."""

    def __init__(self, operator: Operator) -> None:
        self.operator = operator
        self.said = MessageNames(operator, parameter_names(operator))
        self.text = HostText(operator, AclnnNames(operator, self.said))
        self.params = inner_signature(operator)
        self.outputs = [o for o in allocated(operator) if o.registered is not Registered.DYNAMIC]
        names = {o.name for o in self.outputs}
        self.output_checks = [c for c in output_checks(operator) if c.parameter in names]
        self._exprs = list(self._roots())
        self.needs = needs(operator, self._exprs)
        self._by_source = {(p.role, p.source): p for p in self.params}

    def _roots(self) -> Iterator[Expr]:
        for check in (*self.operator.checks, *self.output_checks):
            yield from exprs_of(check)
        for output in self.outputs:
            yield from shape_exprs(output.shape)
            yield dtype_expr(self.operator, output.dtype, output.span)

    def view(self) -> dict[str, Any]:
        """What the templates read."""
        # Derived values first: whether they can fail decides how everything else calls them.
        lets = self.text.lets(self.needs.names(RefKind.LET))
        read = self._attrs()
        names = {p.name for p in self.params}
        call = next(name for name in ("call", "given", "passed", "received") if name not in names)
        return {
            "operator": self.operator.name,
            "snake": self.operator.snake,
            "aclnn": self.operator.aclnn,
            "declarations": [p.declaration for p in self.params],
            "sizes": dtype_sizes(self.operator),
            "arguments": wrap_call(f"const Call {call}{{", [p.name for p in self.params], "};", 2 * INDENT),
            "call": call,
            "inner_call": self._inner_call(),
            "first_phase": wrap_call(f"aclnnStatus {self._method('FirstPhase')}(", _PHASE, ")"),
            "has_shape": wrap_call(
                f"bool {self._method('HasShape')}(", [*_OUTPUT, "const gert::Shape &expected"], ")"
            ),
            "lets": lets,
            "attrs": read,
            "readings": [line for attr in read for line in self._reading(attr)],
            "required": self._required(),
            **self._tensors(),
            **self._steps(),
        }

    def _method(self, name: str) -> str:
        return f"{self.operator.name}Contract::{name}"

    def _inner_call(self) -> str:
        empty = {self.param(Role.OUTPUT, o.name): variable(o.name) for o in self._sometimes_empty()}
        passed = [f"{empty[p]}.Get()" if p in empty else f"call_.{p.name}" for p in self.params]
        head = f"return {self.operator.aclnn.inner}GetWorkspaceSize("
        return wrap_call(head, [*passed, "workspaceSize", "executor"], ");", INDENT)

    # ----------------------------------------------------------------- parameters

    def param(self, role: Role, source: str) -> AclnnParam:
        """The C parameter of an operator's parameter."""
        return self._by_source[role, source]

    def _attrs(self) -> list[AttrText]:
        return attrs(self.operator, self.needs.names(RefKind.ATTR))

    def defaults(self) -> list[str]:
        """What a nullptr means for an attribute that is passed by pointer."""
        read = [a.name for a in self._attrs() if self.param(Role.ATTR, a.name).is_pointer]
        return default_constants(self.operator, read)

    def _required(self) -> list[PointerText]:
        found = [p for p in self.params if p.role is Role.ATTR and p.is_pointer and p.required]
        return [self._pointer(p) for p in found]

    def _pointer(self, param: AclnnParam) -> PointerText:
        id = f"{param.source}_presence"
        message = f"{param.name} is nullptr; expected: {param.name} is given [{id}]"
        return PointerText(id, param.name, call_with_format(_NULLPTR, message, (), 2 * INDENT))

    def _reading(self, attr: AttrText) -> list[str]:
        """Statements that set an attribute's member."""
        param = self.param(Role.ATTR, attr.name)
        given, target = f"call_.{param.name}", f"attrs_.{attr.member}"
        has_default = param.is_pointer and attr.absent is not None
        if attr.kind == "list":
            absent = f"{{{attr.absent}, std::size({attr.absent})}}" if has_default else "{}"
            return [wrap_call(f"{target} = ListOr<{attr.type}>(", [given, absent], ");", INDENT)]
        if attr.kind == "dtype":
            return [f"{target} = AsDtype({given});"]
        if attr.kind == "value":
            return [f"{target} = {given if attr.type != 'float' else f'static_cast<float>({given})'};"]
        value = f"TextOr({given}, {attr.absent})" if has_default else given
        if attr.kind == "string":
            return [f"{target} = {value};"]
        return [f"{target}Text = {value};", f"{target} = Parse{attr.type}({target}Text);"]

    # ----------------------------------------------------------------- tensors

    def _tensors(self) -> dict[str, Any]:
        read = [i for i in self.operator.inputs if i.name in self.needs.inputs]
        lists = [i for i in read if i.kind is InputKind.TENSOR_LIST]
        params = [self.param(Role.INPUT, i.name) for i in read]
        return {
            "inputs": [self._input(i) for i in read],
            "outputs": [self._view(variable(o.name), self.param(Role.OUTPUT, o.name)) for o in self.outputs],
            "lists": [self._list(i) for i in lists],
            "list_parameters": {variable(i.name): self.param(Role.INPUT, i.name).name for i in lists},
            "kinds": words(" ".join(p.ctype for p in params)),
            "arrays": [(a, d) for a, d in _ARRAY_DTYPES if any(a in p.ctype for p in params)],
            "empty": [self._empty(o) for o in self._sometimes_empty()],
            "has_lists": any(attr.kind == "list" for attr in self._attrs()),
        }

    def _list(self, parameter: Input) -> ListText:
        name = parameter.name
        called = self.param(Role.INPUT, name).name
        message = f"tensor %ld of {called} is nullptr [{name}_presence]"
        reject = call_with_format(_NULLPTR, message, ["position"], 3 * INDENT)
        return ListText(name, variable(name), called, reject)

    def _input(self, parameter: Input) -> ViewText:
        view = self._view(variable(parameter.name), self.param(Role.INPUT, parameter.name))
        return replace(view, empty_is_absent=parameter.empty_is_absent)

    def _view(self, member: str, param: AclnnParam) -> ViewText:
        if "Array" in param.ctype:
            kept = f"{member}Shape_"
            return ViewText(member, f"View(call_.{param.name}, {kept})", False, kept)
        return ViewText(member, f"View(call_.{param.name})", False, None)

    def _sometimes_empty(self) -> list[Output]:
        return [o for o in self.outputs if any(has_zero(shape) for _, shape in walk_choice(o.shape))]

    def _empty(self, output: Output) -> EmptyText:
        dtype = self.text.cpp(dtype_expr(self.operator, output.dtype, output.span)).text
        shape = next(shape for _, shape in walk_choice(output.shape) if has_zero(shape))
        sizes = ", ".join("0" for _ in shape.items)
        member = variable(output.name)
        given = f"call_.{self.param(Role.OUTPUT, output.name).name}"
        arguments = [given, f"{{{sizes}}}", dtype]
        return EmptyText(member, wrap_call(f"const OutputOrEmpty {member}(", arguments, ");", INDENT))

    # ----------------------------------------------------------------- steps

    def _steps(self) -> dict[str, Any]:
        own = tuple(told_apart(self.operator.checks, self.said))
        checked = groups(self.operator, self.text, self._report, own)
        allocated_ones = tuple(told_apart(self.output_checks, self.said))
        of_outputs = groups(self.operator, self.text, self._report, allocated_ones, "CheckOutput")
        shapes = self._shape_checks()
        dims = self.needs.names(RefKind.DIM)
        branches = dim_branches(self.operator, self.text, dims)
        first = ["CheckChip", *(["CheckLists"] if self._has_tensor_lists() else [])]
        first += called(g for g in checked if g.kind in _BEFORE_DIMS)
        then = called(g for g in checked if g.kind not in _BEFORE_DIMS)
        then += called(of_outputs) + ["CheckOutputShapes" for _ in shapes[:1]]
        return {
            "groups": [*checked, *of_outputs],
            "shapes": shapes,
            "shape_calls": _shape_calls(shapes),
            "dims": [variable(d.name) for d in self.operator.dims if d.name in dims],
            "branches": [(branch, ends_block(branches, n)) for n, branch in enumerate(branches)],
            "first": _chain("const bool readable = ", first),
            "then": _chain("const bool legal = ", then) if then else "",
            "chip_test": self._chip_test(),
            "chip_reject": self._chip_reject(),
            "uses_chip": bool(self.needs.names(RefKind.CHIP)),
            "uses_arch": not self.needs.names(RefKind.CHIP) or bool(self.needs.names(RefKind.ARCH)),
        }

    def _has_tensor_lists(self) -> bool:
        return any(
            i.kind is InputKind.TENSOR_LIST for i in self.operator.inputs if i.name in self.needs.inputs
        )

    def _report(self, check: Check, message: str, args: Sequence[str], indent: int) -> str:
        is_missing = check.kind is CheckKind.PRESENCE and isinstance(check.require, ParamQuery)
        return call_with_format(_NULLPTR if is_missing else _INVALID, message, args, indent)

    def _chip_test(self) -> str:
        span = self.operator.aclnn.span
        if self.needs.names(RefKind.CHIP):
            other = [compare("!=", chip(span), literal(c.id, span, CHIP), span) for c in self.operator.chips]
        else:
            other = [compare("!=", arch(span), literal(a, span, ARCH), span) for a in self.operator.archs]
        test = all_of(other, span)
        assert test is not None
        return broken("if (", self.text.cpp(test).text, ") {", INDENT)

    def _chip_reject(self) -> str:
        supported = " or ".join(c.soc for c in self.operator.chips)
        message = f"chip: this one is not supported; expected: {supported} [chip]"
        return call_with_format(_INVALID, message, (), 2 * INDENT)

    # ----------------------------------------------------------------- shapes of outputs

    def _shape_checks(self) -> list[ShapeCheck]:
        same: dict[object, list[Output]] = {}
        for output in self.outputs:
            same.setdefault(shape_key(output.shape), []).append(output)
        return [self._shape_check(outputs) for outputs in same.values()]

    def _shape_check(self, outputs: Sequence[Output]) -> ShapeCheck:
        shape: Choice = outputs[0].shape
        lines = shape_lines(shape, self.text, self._expected)
        fallible = any(map(_uses_arith, lines))
        name = f"Has{pascal(outputs[0].name)}Shape"
        return ShapeCheck(
            name=name,
            definition=wrap_call(f"bool {self._method(name)}(", _OUTPUT, ")"),
            outputs=tuple(map(self._checked, outputs)),
            lines=(*((f"{' ' * INDENT}Arith arith;",) if fallible else ()), *lines),
        )

    def _checked(self, output: Output) -> tuple[str, str, str]:
        called = self.param(Role.OUTPUT, output.name).name
        return called, output_check(output.name, "shape"), variable(output.name)

    def _expected(self, shape: Shape, indent: int) -> list[str]:
        margin, items = " " * indent, shape.items
        sizes = [self._size(item) for item in items]
        fallible = any(_uses_arith(size) for size in sizes)
        answer = f"return HasShape(name, id, output, gert::Shape({{{', '.join(sizes)}}}));"
        if any(isinstance(item, RestItem) for item in items):
            lines = ["gert::Shape expected;", *map(_appended, items, sizes)]
        elif fallible or indent + len(answer) > LINE_LIMIT:
            lines = [wrap_call("const gert::Shape expected{", sizes, "};", indent)]
        else:
            return [margin + answer]
        if fallible:
            reject = call_with_format(_INVALID, _TOO_LARGE, ["name", "id"], indent + INDENT)
            lines += ["if (arith.failed) {", f"    {reject}", "}"]
        return [margin + line for line in (*lines, "return HasShape(name, id, output, expected);")]

    def _size(self, item: ShapeItem) -> str:
        if isinstance(item, RestItem):
            return self.text.names.ref(RefKind.REST, item.name)
        return self.text.cpp(size_expr(item)).text


def _uses_arith(text: str) -> bool:
    return "arith" in words(text)


def _appended(item: ShapeItem, size: str) -> str:
    if isinstance(item, RestItem):
        return f"{'AppendOnes' if item.ones else 'Append'}(expected, {size});"
    return f"expected.AppendDim({size});"


def _shape_calls(shapes: Sequence[ShapeCheck]) -> str:
    calls = [
        f'{shape.name}("{name}", "{id}", outputs_.{member})'
        for shape in shapes
        for name, id, member in shape.outputs
    ]
    pieces = [f"{call} && " for call in calls[:-1]] + calls[-1:]
    return wrap_items("return ", pieces, ";", INDENT)


def _chain(head: str, steps: Sequence[str]) -> str:
    pieces = [f"{step}() && " for step in steps[:-1]] + [f"{steps[-1]}()"]
    return wrap_items(head, pieces, ";", INDENT)


# --------------------------------------------------------------------------- source


def _render_source(operator: Operator, templates: Templates) -> str:
    wrapper = _Wrapper(operator)
    view = wrapper.view()
    steps = templates.render("op_api/aclnn_steps.cpp.j2", **view)
    named = words(steps)
    defined = [e for e in operator.enums if e.name in named]
    parsed = {attr.type for attr in view["attrs"] if attr.kind == "enum"}
    multiplies = any(call in steps for call in (".Elements(", "Product("))
    view |= {
        "constants": constants(operator, named),
        "defaults": wrapper.defaults(),
        "enums": [enum_class(e) for e in defined],
        "parsers": [enum_parser(e) for e in defined if e.name in parsed],
        "arith": arith_struct([steps, "arith.Mul(" if multiplies else ""]).rstrip("\n"),
    }
    tools = templates.render("op_api/aclnn_tools.cpp.j2", steps=steps, **view)
    return templates.render(
        "op_api/aclnn.cpp.j2",
        steps=steps,
        tools=tools,
        headers=[h for h in standard_headers(tools + steps) if h != "cstdint"],
        **view,
    )


def _header_path(operator: Operator) -> str:
    return f"op_host/op_api/aclnn_{operator.snake}.h"


def _source_path(operator: Operator) -> str:
    return f"op_host/op_api/aclnn_{operator.snake}.cpp"


ARTEFACTS = (
    Artefact("op_api", _header_path, _render_header, is_wrapped),
    Artefact("op_api", _source_path, _render_source, is_wrapped),
)
