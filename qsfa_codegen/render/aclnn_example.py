"""A C++ program that makes one legal call through the aclnn interface."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.contract.calls import TensorArg
from qsfa_codegen.render.answers import Answer
from qsfa_codegen.render.artefact import Artefact
from qsfa_codegen.render.cpp import bool_literal, int_literal
from qsfa_codegen.render.legal_call import LegalCall, legal_call
from qsfa_codegen.render.text import INDENT, cpp_comment, cpp_string, wrap_call
from qsfa_codegen.spec import aclnn
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Attr, Input, InputKind, Output, leaves
from qsfa_codegen.spec.output_checks import has_zero

if TYPE_CHECKING:
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.model import AttrValue, Operator

_FORMATS = frozenset({"ND", "NCHW", "NHWC", "HWCN", "NDHWC", "NCDHW"})  # whose storage is the view itself
_HALVES = {"float16": "0x3C00", "bfloat16": "0x3F80"}  # 1 in that format
_ELEMENTS = {
    "float32": ("float", "1.0f"),
    "float64": ("double", "1.0"),
    "float16": ("uint16_t", "FLOAT16_ONE"),
    "bfloat16": ("uint16_t", "BFLOAT16_ONE"),
}
_ARRAYS = {
    "const aclIntArray *": ("aclIntArray", "int64_t"),
    "const aclFloatArray *": ("aclFloatArray", "float"),
    "const aclBoolArray *": ("aclBoolArray", "bool"),
}
_RESERVED = {"int64_t": "0", "double": "0.0", "bool": "false"}
_OWN_NAMES = frozenset({"session", "workspace", "workspaceSize", "executor", "status"})


class OutputText(Struct, frozen=True):
    """An output to read back: its variable, its name for people, and how to print an element."""

    variable: str
    name: str
    value: str


class ProgramText(Struct, frozen=True):
    """The parts of the program that differ between operators."""

    statements: tuple[str, ...]
    call: str
    outputs: tuple[OutputText, ...]
    ones: tuple[tuple[str, str], ...]
    arrays: tuple[str, ...]
    has_bfloat16_output: bool


def has_example(operator: Operator) -> bool:
    """Whether the program can be written: the call is of plain tensors and attributes, and one is legal."""
    return aclnn_call(operator) is not None


@Answer
def aclnn_call(operator: Operator) -> LegalCall | None:
    """The call that the program makes; None where it cannot be written."""
    if operator.aclnn.style == "handwritten" or aclnn.unsupported_attrs(operator):
        return None
    return legal_call(operator, lambda legal: _is_plain(operator, legal))


def _is_plain(operator: Operator, legal: LegalCall) -> bool:
    passed = [i for i in operator.inputs if i.name in legal.call.inputs]
    tensors = all(i.kind is InputKind.TENSOR and i.storage is None for i in passed)
    places: list[Input | Output] = [*passed, *operator.outputs]
    return tensors and all(p.format in _FORMATS for p in places) and set(legal.outputs) >= _made(operator)


def _made(operator: Operator) -> set[str]:
    return {o.name for o in operator.outputs}


def example_path(operator: Operator) -> str:
    """Where the program stands in the package."""
    return f"examples/test_aclnn_{operator.snake}.cpp"


def aclnn_example(operator: Operator, templates: Templates) -> str:
    """The program's text, of an operator that has one."""
    legal = aclnn_call(operator)
    assert legal is not None
    chip = next(c for c in operator.chips if c.id == legal.call.chip)
    program = _Program(operator, legal).text()
    return templates.render(
        "examples/test_aclnn.cpp.j2",
        aclnn=operator.aclnn.name,
        header=f"aclnn_{operator.snake}.h",
        file=example_path(operator).rpartition("/")[2],
        chip=chip,
        program=program,
        headers=_headers(program),
    )


class _Program:
    def __init__(self, operator: Operator, legal: LegalCall) -> None:
        self._operator = operator
        self._legal = legal
        self._params = aclnn.signature(operator)

    def text(self) -> ProgramText:
        arguments = [self._argument(param) for param in self._params]
        head = f"const aclnnStatus status = {self._operator.aclnn.name}GetWorkspaceSize("
        outputs = [o for o in self._operator.outputs if self._is_read_back(o)]
        used = {tensor.dtype for p in self._params if (tensor := self._tensor(p)) and _is_given(p)}
        return ProgramText(
            statements=tuple(self._statement(param) for param in self._params),
            call=wrap_call(head, [*arguments, "&workspaceSize", "&executor"], ");", INDENT),
            outputs=tuple(self._output(o) for o in outputs),
            ones=tuple((_ELEMENTS[d][1], _HALVES[d]) for d in _HALVES if d in used),
            arrays=tuple(dict.fromkeys(_ARRAYS[p.ctype][0] for p in self._params if self._is_array(p))),
            has_bfloat16_output=any(self._legal.outputs[o.name].dtype == "bfloat16" for o in outputs),
        )

    def _is_read_back(self, output: Output) -> bool:
        """Whether the output is a tensor of its own that the call fills."""
        written = aclnn.in_place_names(self._operator)
        return output.name not in written and 0 not in self._legal.outputs[output.name].shape

    def _tensor(self, param: aclnn.AclnnParam) -> TensorArg | None:
        """The tensor that a parameter is in the call; None where it is something else or not passed."""
        if param.role is aclnn.Role.OUTPUT:
            return None if self._left_out(param.source) else self._legal.outputs[param.source]
        arg = self._legal.call.inputs.get(param.source) if param.role is aclnn.Role.INPUT else None
        return arg if isinstance(arg, TensorArg) and "Tensor" in param.ctype else None

    def _left_out(self, output: str) -> bool:
        """A wrapper takes nullptr for an output that its shape leaves without elements."""
        shapes = leaves(self._operator.find(Output, output).shape)
        may_be_null = self._operator.aclnn.style == "wrapper" and any(has_zero(shape) for shape in shapes)
        return may_be_null and 0 in self._legal.outputs[output].shape

    def _is_array(self, param: aclnn.AclnnParam) -> bool:
        return param.ctype in _ARRAYS and bool(self._values(param))

    # ----------------------------------------------------------------- statements

    def _statement(self, param: aclnn.AclnnParam) -> str:
        """The declaration of what is passed for a parameter."""
        name, tensor = _variable(param), self._tensor(param)
        if tensor is not None:
            return self._tensor_text(param, tensor)
        if self._is_array(param):
            return self._array_text(param)
        value = self._legal.attrs.get(param.source) if param.role is aclnn.Role.ATTR else None
        if value is None or param.ctype in _ARRAYS:
            return f"{_constant(param.ctype)}{name} = {_RESERVED.get(param.ctype, 'nullptr')};"
        if param.ctype == "char *":
            return f"char {name}[] = {cpp_string(str(value))};"
        if isinstance(value, str):  # a dtype
            return f"{_constant(param.ctype)}{name} = {_acl_dtype(value)};"
        label = _label(self._operator.find(Attr, param.source), value)
        comment = f" // {cpp_comment(label)}" if label else ""
        return f"{_constant(param.ctype)}{name} = {_number(value)};{comment}"

    def _array_text(self, param: aclnn.AclnnParam) -> str:
        kind, element = _ARRAYS[param.ctype]
        name, array, values = kind.removeprefix("acl"), _variable(param), f"{_variable(param)}Values"
        given = wrap_call(f"const {element} {values}[] = {{", self._values(param), "};", INDENT)
        arguments = [f"aclCreate{name}({values}, std::size({values}))", f"aclDestroy{name}"]
        return f"{given}\n    {wrap_call(f'const {name} {array}(', arguments, ');', INDENT)}"

    def _tensor_text(self, param: aclnn.AclnnParam, tensor: TensorArg) -> str:
        element, one = _element(tensor.dtype)
        value = one if _is_given(param) else "0"
        given = value if tensor.data is None else _braced(map(_number, tensor.data))
        arguments = [_acl_dtype(tensor.dtype), f"ACL_FORMAT_{self._format(param)}"]
        arguments += [_braced(map(str, tensor.shape)), given]
        return wrap_call(f"const DeviceTensor<{element}> {_variable(param)}(", arguments, ");", INDENT)

    def _format(self, param: aclnn.AclnnParam) -> str:
        if param.role is aclnn.Role.OUTPUT:
            return self._operator.find(Output, param.source).format
        return self._operator.find(Input, param.source).format

    def _values(self, param: aclnn.AclnnParam) -> Sequence[str]:
        """The elements of a host array; none where it is not passed."""
        if param.role is aclnn.Role.INPUT:
            arg = self._legal.call.inputs.get(param.source)
            if not isinstance(arg, TensorArg):
                return ()
            return [_number(value) for value in arg.data or (0,) * prod(arg.shape)]
        value = self._legal.attrs.get(param.source)
        return [_number(item) for item in value] if isinstance(value, tuple) else ()

    def _argument(self, param: aclnn.AclnnParam) -> str:
        name = _variable(param)
        if self._tensor(param) is not None:
            return f"{name}.Get()"
        return f"{name}.get()" if self._is_array(param) else name

    def _output(self, output: Output) -> OutputText:
        dtype = self._legal.outputs[output.name].dtype
        value = {
            "float16": "aclFloat16ToFloat(element)",
            "bfloat16": "BFloat16ToFloat(element)",
        }.get(dtype, "element")
        param = next(p for p in self._params if p.role is aclnn.Role.OUTPUT and p.source == output.name)
        return OutputText(_variable(param), output.name, value)


def _variable(param: aclnn.AclnnParam) -> str:
    """The local variable that is passed for a parameter."""
    return f"{param.name}Given" if param.name in _OWN_NAMES else param.name


def _is_given(param: aclnn.AclnnParam) -> bool:
    """Whether the caller fills the tensor."""
    return param.role is not aclnn.Role.OUTPUT


def _constant(ctype: str) -> str:
    """``const int64_t ``, ``const aclTensor *``, ``char *``."""
    return ctype if ctype.endswith("*") else f"const {ctype} "


def _label(attr: Attr, value: AttrValue) -> str:
    """What the spec calls a value."""
    values = (v for domain in leaves(attr.domain) for v in domain.values) if attr.domain else ()
    return next((v.name for v in values if v.value == value and v.name), "")


def _acl_dtype(dtype: str) -> str:
    return f"ACL_{DTYPES[dtype].ge.removeprefix('DT_')}"


def _braced(items: Iterable[str]) -> str:
    return f"{{{', '.join(items)}}}"


def _headers(program: ProgramText) -> list[str]:
    """The standard headers in order."""
    found = ["algorithm", "cstdint", "cstdio", "stdexcept", "string", "vector"]
    found += ["cstring"] if program.has_bfloat16_output else []
    found += ["iterator", "memory"] if program.arrays else []
    return sorted(found)


def _element(dtype: str) -> tuple[str, str]:
    """The C++ type of an element on the host, and the value that tensors are filled with."""
    if dtype in _ELEMENTS:
        return _ELEMENTS[dtype]
    whole = dtype.removeprefix("u")
    is_int = whole.startswith("int") and dtype != "int4"
    return (f"{dtype}_t" if is_int else "uint8_t"), "0"


def _number(value: object) -> str:
    if isinstance(value, bool):
        return bool_literal(value)
    return int_literal(value) if isinstance(value, int) else repr(value)


ARTEFACTS = (Artefact("examples", example_path, aclnn_example, has_example),)
