"""What a torch call must obey and what comes out of it, as a Python module without any compiled code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from qsfa_codegen.expr.build import ref
from qsfa_codegen.expr.memo import once_an_operator, once_each
from qsfa_codegen.expr.nodes import Expr, Ref, RefKind
from qsfa_codegen.render.host_checks import Screen, list_input, screens, violation
from qsfa_codegen.render.messages import Failure, Given, failure, format_text
from qsfa_codegen.render.needs import exprs_of, needs
from qsfa_codegen.render.presence import told_apart
from qsfa_codegen.render.python_names import (
    PythonMessageNames,
    PythonNames,
    codes,
    default_name,
    let_function,
    torch_dtype,
    word_function,
)
from qsfa_codegen.render.python_sizes import SizeText
from qsfa_codegen.render.python_text import HOLE, comment, docstring, statement, text_call
from qsfa_codegen.render.shape_text import shape_exprs
from qsfa_codegen.render.text import INDENT, one_line, python_string
from qsfa_codegen.render.torch_contract import torch_binding
from qsfa_codegen.render.torch_names import has_torch_type
from qsfa_codegen.render.torch_schema import TorchParam, parameters
from qsfa_codegen.render.words import words
from qsfa_codegen.spec import families
from qsfa_codegen.spec.bound import bound_operator
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import (
    Attr,
    CheckKind,
    Output,
)
from qsfa_codegen.spec.names import snake
from qsfa_codegen.spec.output_checks import allocated, dtype_expr

if TYPE_CHECKING:
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.model import Check, Dim, Let, Operator

_SIZE_KINDS = (CheckKind.DIM, CheckKind.CONSTRAINT)
_TYPES = {
    "Tensor": "Tensor",
    "Tensor[]": "Sequence[Tensor]",
    "int": "int",
    "float": "float",
    "bool": "bool",
    "str": "str",
    "int[]": "Sequence[int]",
    "bool[]": "Sequence[bool]",
}
UNLESS_OPEN = "unless_open"
_TRACING = (UNLESS_OPEN, "with_open_sizes")
"""Names of the module about sizes that a trace leaves open."""


class ParamText(Struct, frozen=True):
    """A field of the call: ``declaration`` is its type and default."""

    name: str
    declaration: str


class CheckText(Struct, frozen=True):
    """One check: the head of its ``if``, the statement inside, and the heads of what stands around both."""

    id: str
    test: str
    reject: str
    around: tuple[str, ...]


class StepText(Struct, frozen=True):
    """A function of checks, or of ``calls`` of other such functions; ``sized`` when it needs sizes.

    ``within`` is the function that calls it, empty when the whole check itself does.
    """

    name: str
    args: str
    summary: str
    sized: bool
    checks: tuple[CheckText, ...]
    calls: tuple[str, ...]
    within: str

    @property
    def call(self) -> str:
        """The statement that runs it."""
        return f"{self.name}({self.args})"


class LetText(Struct, frozen=True):
    """A derived value as a function."""

    function: str
    args: str
    type: str
    doc: str
    value: str


class OutputText(Struct, frozen=True):
    """An output that is allocated."""

    name: str
    doc: str
    shape: str
    dtype: str


@once_an_operator
def python_contract(operator: Operator) -> PythonContract:
    """The contract of an operator, shared by the modules of its package."""
    return PythonContract(operator)


class PythonContract:
    """Everything that the Python modules of an operator's torch side are made of."""

    def __init__(self, operator: Operator) -> None:
        self.binding = torch_binding(operator)
        self.operator = bound_operator(operator, self.binding, has_torch_type)
        self.params = parameters(operator, self.binding)
        self.names = PythonNames(self.operator, self.params)
        self.by_source = {p.bound.source: p for p in self.params}
        called = {p.bound.source or p.name: p.name for p in self.params}
        self.said = PythonMessageNames(self.operator, called)
        self._failure = once_each(self._say)
        self.outputs = [self.operator.find(Output, o.name) for o in allocated(operator) if o.alias is None]
        self.checks = [c for c in self.operator.checks if c.kind is not CheckKind.CHIP]
        self.sizes = SizeText(self.operator, self.names, self.outputs)
        self.more = list(_more(self.operator))

    def view(self) -> dict[str, Any]:
        """What the template of the contract reads."""
        read = needs(
            self.operator, [*(e for c in self.checks for e in exprs_of(c)), *self._size_exprs(), *self.more]
        )
        dims, lets = read.names(RefKind.DIM), read.names(RefKind.LET)
        return {
            "operator": self.operator,
            "binding": self.binding,
            "summary": one_line(self.operator.brief.en).rstrip("."),
            "params": [ParamText(p.name, _declaration(p)) for p in self.params],
            "keyword_at": len(self.binding.positional) if self.binding.keyword else -1,
            "given": self._tensors(),
            "defaults": self._defaults(),
            "words": [self._words(p) for p in self.params if p.bound.value_map],
            "steps": list(self._steps()),
            "lets": [self._let(let) for let in self.operator.lets if let.name in lets],
            "dims": [(snake(d.name), self._dim_doc(d)) for d in self.operator.dims if d.name in dims],
            "branches": self.sizes.branches(dims),
            "outputs": [self._output(o) for o in self.outputs],
            "shapes": self.sizes.shapes(),
            "like": self._like(),
            "dtypes": [(d.code, torch_dtype(d.name)) for d in DTYPES.values() if d.torch],
            "codes": [
                (codes(e.name), [(label.name, label.code) for label in e.labels]) for e in self.operator.enums
            ],
        }

    # ----------------------------------------------------------------- arguments

    def _defaults(self) -> list[tuple[str, str]]:
        """Constants that stand for an argument of None."""
        optional = [p.bound.source for p in self.params if p.optional]
        attrs = [a for a in self.operator.attrs if a.name in optional and a.default is not None]
        return [(default_name(a), repr(_plain_default(a))) for a in attrs]

    def _words(self, param: TorchParam) -> dict[str, Any]:
        attr = self.operator.find(Attr, param.bound.source or "")
        words = param.bound.value_map
        allowed = ", ".join(word for word, _ in words)
        message = f"{param.name} is {HOLE}; expected: one of {allowed} [{attr.name}_value]"
        values = [(word, _word_value(attr, value)) for word, value in words]
        reject = text_call("raise CallError(", message, [param.name], 2 * INDENT)
        return {"function": word_function(attr), "param": param.name, "pairs": values, "reject": reject}

    def _like(self) -> str:
        """The tensor whose device all others have, outputs too."""
        return next(p for p in self.params if p.kind == "Tensor" and not p.optional).name

    def _tensors(self) -> list[str]:
        """Every tensor that an argument can be, with its name, as items of a list."""
        kinds = {
            "Tensor": '("{0}", call.{0})',
            "Tensor[]": '*((f"{0}[{{n}}]", tensor) for n, tensor in enumerate(call.{0} or ()))',
        }
        return [kinds[p.kind].format(p.name) for p in self.params if p.kind in kinds]

    # ----------------------------------------------------------------- checks

    def _steps(self) -> Iterator[StepText]:
        parts: dict[str, list[StepText]] = {}
        for screen in screens(tuple(told_apart(self.checks, self.said))):
            step = self._step(screen, parts.get(screen.name, []))
            parts.setdefault(screen.within, []).append(step)
            yield step

    def _step(self, screen: Screen, parts: Sequence[StepText]) -> StepText:
        sized = screen.kind in _SIZE_KINDS
        reads = any(map(self._reads_dims, screen.checks)) or any("dims" in part.args for part in parts)
        return StepText(
            name=f"_{snake(screen.name)}",
            args="call, dims" if sized and reads else "call",
            summary=_summary(screen),
            sized=sized,
            checks=tuple(map(self._check, screen.checks)),
            calls=tuple(part.call for part in parts),
            within=screen.within,
        )

    def _say(self, check: Check) -> Failure:
        return failure(self.operator, check, self.said)

    def _reads_dims(self, check: Check) -> bool:
        givens = [g.expr for g in self._failure(check).givens]
        return self.names.reads_dims(*exprs_of(check), *givens)

    def _check(self, check: Check) -> CheckText:
        tensors = list_input(self.operator, check)
        around = [] if tensors is None else [f"for tensor in {self.names.param(tensors.name)} or ():"]
        if self.names.reads_sizes(*exprs_of(check)):
            around.append(f"with {UNLESS_OPEN}:")
        indent = (2 + len(around)) * INDENT
        self.names.one_of = tensors.name if tensors is not None else None
        test = statement("if ", self.names.text(violation(check)), ":", indent - INDENT)
        said = self._failure(check)
        message = format_text(said, lambda given: HOLE, None).replace("%%", "%")
        fields = [self._field(given) for given in said.givens]
        reject = text_call("raise CallError(", message, fields, indent)
        self.names.one_of = None
        return CheckText(check.id, test, reject, tuple(around))

    def _field(self, given: Given) -> str:
        """A fact of the call inside an f-string."""
        text = self.names.text(given.expr).replace('"', "'")
        match given.expr.type.kind.value:
            case "bool" if not isinstance(given.expr, Ref):
                return f"'passed' if {text} else 'absent'"
            case "dtype":
                return f"_name_of({text})"
            case "float":
                return f"{text}:g"
            case "enum" | "string":
                return f"{text}:.64"
            case "dims":
                return f"list({text})"
        return text

    # ----------------------------------------------------------------- derived values and sizes

    def _let(self, let: Let) -> LetText:
        args = self.names.let_args(let.name)
        kinds = {"call": "call: Call", "dims": "dims: Dims"}
        types = {"int64": "int", "float": "float", "bool": "bool", "dtype": "torch.dtype"}
        return LetText(
            function=let_function(let.name),
            args=", ".join(kinds[arg] for arg in args),
            type=types.get(let.value.type.kind.value, "str"),
            doc=docstring(_sentence(let.doc.en) if let.doc else f"The derived value ``{let.name}``"),
            value=statement("return ", self.names.text(let.value)),
        )

    def _dim_doc(self, dim: Dim) -> str:
        said = f": {one_line(dim.doc.en)}" if dim.doc is not None else ""
        return f"{dim.doc_name}{said}"

    # ----------------------------------------------------------------- outputs

    def _size_exprs(self) -> Iterator[Expr]:
        for output in self.outputs:
            yield from shape_exprs(output.shape)
            yield dtype_expr(self.operator, output.dtype, output.span)

    def _output(self, output: Output) -> OutputText:
        dtype = self.names.text(dtype_expr(self.operator, output.dtype, output.span))
        doc = one_line(output.doc.en.replace("`", "``")) if output.doc is not None else ""
        shape = f"{self.sizes.function(output)}({self.sizes.args(output)})"
        return OutputText(output.name, doc, shape, dtype)

    def results(self) -> list[str]:
        """What the operator returns, in the order of the binding, where ``outputs`` are those allocated."""
        return [self._result(name) for name, _ in self.binding.returns]

    def _result(self, name: str) -> str:
        if not name:
            return f"call.{self._like()}.new_empty(0)"
        output = self.operator.find(Output, name)
        source = output.alias or output.name
        given = next((p.name for p in self.params if p.bound.source == source), None)
        return f"outputs.{name}" if given is None else f"call.{given}"


def _more(operator: Operator) -> Iterator[Expr]:
    """What other modules of the package read of a call."""
    if families.reference_family(operator) is None or operator.kernel is None:
        return
    for rule in operator.contents:
        yield from (e for e in (rule.when, rule.require) if e is not None)
    lets = {let.name: let for let in operator.lets}
    for _, target in operator.kernel.roles:
        if target in lets:
            yield ref(RefKind.LET, target, lets[target].value.type, lets[target].span)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _declaration(param: TorchParam) -> str:
    kind = _TYPES[param.kind]
    optional = " | None" if param.optional else ""
    default = "" if param.default is None else f" = {_default(param)}"
    return f"{kind}{optional}{default}"


def _default(param: TorchParam) -> str:
    """The default in Python; the schema spells it almost so."""
    text = param.default or ""
    if text.startswith("["):
        inner = text[1:-1]
        return f"({inner},)" if inner and ", " not in inner else f"({inner})"
    return text


def _plain_default(attr: Attr) -> object:
    value = attr.default
    return DTYPES[value].code if attr.type.value == "dtype" and isinstance(value, str) else value


def _word_value(attr: Attr, value: object) -> str:
    if attr.type.value == "dtype" and isinstance(value, str):
        return torch_dtype(value)
    return python_string(value) if isinstance(value, str) else repr(value)


_SUMMARIES = {
    CheckKind.ATTR: "Values of attributes",
    CheckKind.PRESENCE: "Which inputs are passed",
    CheckKind.DTYPE: "Dtypes of inputs",
    CheckKind.RANK: "Numbers of dims",
    CheckKind.DIM: "Sizes",
    CheckKind.CONSTRAINT: "Rules between parameters",
}


def _summary(screen: Screen) -> str:
    names = ", ".join(dict.fromkeys(check.parameter for check in screen.checks))
    kind = _SUMMARIES[screen.kind]
    said = docstring(f"{kind}: {names}" if names else kind)
    return said if "\n" not in said else docstring(kind)


def render_contract(operator: Operator, templates: Templates) -> str:
    """The text of the contract module."""
    contract = python_contract(operator)
    view = contract.view()
    steps = templates.render("python/contract_steps.py.j2", **view)
    tools = templates.render("python/contract_tools.py.j2", named=words(steps))
    body = steps + tools
    named = words(body)
    view["consts"] = [
        (c.name, c.value, comment(c.doc.en)[0]) for c in contract.operator.consts if c.name in named
    ]
    view["tracing"] = [name for name in _TRACING if name in named]
    view["codes"] = [(name, pairs) for name, pairs in view["codes"] if name in named]
    head = templates.render("python/contract.py.j2", body=body.rstrip("\n"), named=named, **view)
    return head.rstrip("\n") + "\n"
