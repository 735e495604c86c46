"""The generated torch adapter, compiled against a stand-in for torch and called."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call, InputArg, Result, TensorArg, tensors
from qsfa_codegen.contract.derive import derive
from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.render.package import render
from qsfa_codegen.render.torch_names import torch_type
from qsfa_codegen.render.torch_schema import Source, TorchParam, parameters
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Attr, AttrType, Operator

STUB = Path(__file__).parent / "torch_stub"
COMPILE = ("g++", "-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", f"-I{STUB}")
CHECKED = ("-fsanitize=undefined", "-fno-sanitize-recover=undefined")
TYPES = (
    *("Byte", "Char", "Short", "Int", "Long", "Half", "Float", "Double", "Bool"),
    *("BFloat16", "Float8_e5m2", "Float8_e4m3fn"),
)

_DRIVER = """\
#include "exec_npu_cmd.h"
#include "{adapter}"

std::string g_command;

namespace {{
struct Argument {{
    bool given;
    int64_t integer;
    double real;
    const char *text;
    int64_t count;
    const at::Tensor *const *tensors;
    const int64_t *values;
}};

std::string g_answer;

const at::Tensor UNDEFINED;

const at::Tensor &One(const Argument &argument)
{{
    return argument.given ? *argument.tensors[0] : UNDEFINED;
}}

[[maybe_unused]] std::vector<at::Tensor> Several(const Argument &argument)
{{
    std::vector<at::Tensor> tensors;
    for (int64_t index = 0; index < argument.count; ++index) {{
        tensors.push_back(*argument.tensors[index]);
    }}
    return tensors;
}}

[[maybe_unused]] at::IntArrayRef Values(const Argument &argument)
{{
    return {{argument.values, static_cast<size_t>(argument.count)}};
}}

[[maybe_unused]] c10::List<bool> Flags(const Argument &argument)
{{
    return c10::List<bool>(std::vector<bool>(argument.values, argument.values + argument.count));
}}

template <typename T> std::optional<T> Optional(const Argument &argument, const T &value)
{{
    return argument.given ? std::optional<T>(value) : std::nullopt;
}}

void Answer(const at::Tensor &tensor)
{{
    g_answer += Shown(tensor) + ";";
}}

[[maybe_unused]] void Answers(const at::Tensor &tensor)
{{
    Answer(tensor);
}}

template <typename... T> void Answers(const std::tuple<T...> &tensors)
{{
    std::apply([](const auto &...each) {{ (Answer(each), ...); }}, tensors);
}}
}} // namespace

extern "C" {{
void *NewTensor(int type, int64_t rank, const int64_t *sizes)
{{
    return new at::Tensor(static_cast<at::ScalarType>(type), std::vector<int64_t>(sizes, sizes + rank));
}}

const char *Run(const Argument *a)
{{
    g_command.clear();
    g_answer.clear();
    try {{
{lists}        {call};
    }} catch (const std::exception &error) {{
        g_answer = std::string("!") + error.what();
    }}
    return g_answer.c_str();
}}

const char *Passed() {{ return g_command.c_str(); }}
}}
"""


class Argument(ctypes.Structure):
    """One argument of a call, whatever it is."""

    _fields_ = (
        ("given", ctypes.c_bool),
        ("integer", ctypes.c_int64),
        ("real", ctypes.c_double),
        ("text", ctypes.c_char_p),
        ("count", ctypes.c_int64),
        ("tensors", ctypes.c_void_p),
        ("values", ctypes.c_void_p),
    )


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a call: the outputs or a message, and what the aclnn function was given."""

    outputs: tuple[str, ...] | None
    message: str
    name: str
    passed: tuple[str, ...]

    @property
    def id(self) -> str:
        """The check that the message names."""
        return self.message.rpartition("[")[2].rstrip("]")


class Adapter:
    """The compiled adapter of one operator."""

    def __init__(self, operator: Operator, folder: Path, flags: Sequence[str] = CHECKED) -> None:
        assert operator.torch is not None
        self._attrs = {a.name: a for a in operator.attrs}
        self.params = parameters(operator, operator.torch)
        self._kept: list[Any] = []
        for path, text in render(replace(operator, emit=("torch",))).items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        source, library = folder / "driver.cpp", folder / "driver.so"
        source.write_text(self._driver(operator), encoding="utf-8")
        command = [*COMPILE, *flags, f"-I{folder}", str(source), "-o", str(library)]
        subprocess.run(command, check=True)
        self._library = ctypes.CDLL(str(library))
        self._library.NewTensor.restype = ctypes.c_void_p
        self._library.Run.restype = ctypes.c_char_p
        self._library.Passed.restype = ctypes.c_char_p

    def call(self, call: Call, changes: Mapping[str, object] | None = None) -> Answer:
        """What the adapter does with a call; ``changes`` are arguments as torch callers give them."""
        self._kept.clear()
        given = {p.name: as_given(p, call, self._attrs) for p in self.params} | dict(changes or {})
        arguments = (Argument * len(self.params))(*(self._argument(p, given[p.name]) for p in self.params))
        answer = self._library.Run(arguments).decode()
        name, *passed = self._library.Passed().decode().split("; ")
        failed = answer.startswith("!")
        outputs = None if failed else tuple(answer.split(";")[:-1])
        return Answer(outputs, answer[1:] if failed else "", name, tuple(passed))

    def can_be(self, shape: Sequence[int]) -> bool:
        """The stand-in for torch takes any number as a size."""
        return True

    def _driver(self, operator: Operator) -> str:
        binding = operator.torch
        assert binding is not None
        lists = [(i, p) for i, p in enumerate(self.params) if p.kind == "Tensor[]"]
        made = "".join(f"        const auto list{i} = Several(a[{i}]);\n" for i, _ in lists)
        arguments = ", ".join(_argument_text(i, p) for i, p in enumerate(self.params))
        call = f"{binding.namespace}::{binding.name}({arguments})"
        return _DRIVER.format(
            adapter=f"{operator.snake}_torch_adpt.h",
            lists=made,
            call=f"Answers({call})" if binding.returns else call,
        )

    def _argument(self, param: TorchParam, value: Any) -> Argument:
        if value is None:
            return Argument(given=False)
        if param.kind in ("Tensor", "Tensor[]"):
            return self._tensors(value)
        if param.kind == "str":
            return Argument(given=True, text=str(value).encode())
        if param.kind in ("int[]", "bool[]"):
            values = value.shape[0] * [0] if isinstance(value, TensorArg) else value
            return Argument(given=True, count=len(values), values=self._array(ctypes.c_int64, values))
        if param.kind == "float":
            return Argument(given=True, real=value)
        return Argument(given=True, integer=int(value))

    def _tensors(self, value: InputArg) -> Argument:
        made = [self._tensor(item) for item in tensors(value)]
        return Argument(given=True, count=len(made), tensors=self._array(ctypes.c_void_p, made))

    def _tensor(self, item: TensorArg) -> int:
        kind = torch_type(item.dtype)
        assert kind is not None
        sizes = self._array(ctypes.c_int64, item.shape)
        return int(self._library.NewTensor(TYPES.index(kind), len(item.shape), ctypes.c_void_p(sizes)))

    def _array(self, kind: Any, values: Sequence[Any]) -> int:
        array = (kind * max(1, len(values)))(*values)
        self._kept.append(array)
        return ctypes.addressof(array)


def as_given(param: TorchParam, call: Call, attrs: Mapping[str, Attr]) -> object:
    """A parameter's argument in a call, as a caller of torch gives it; tensors as their shapes."""
    source = param.bound.source
    if param.source is Source.INPUT:
        return call.inputs.get(source or "")
    if param.source is Source.RESERVED:
        return None
    attr = attrs[source or ""]
    value = call.attrs.get(attr.name, attr.default)
    if attr.type is AttrType.DTYPE:
        return DTYPES[str(value)].code
    words = {number: word for word, number in param.bound.value_map}
    if words and isinstance(value, int):
        return words.get(value, "no such word")
    return value


def _argument_text(index: int, param: TorchParam) -> str:
    a = f"a[{index}]"
    value = {
        "Tensor": f"One({a})",
        "Tensor[]": f"list{index}",
        "int": f"{a}.integer",
        "float": f"{a}.real",
        "bool": f"({a}.integer != 0)",
        "str": f'std::string_view({a}.given ? {a}.text : "")',
        "int[]": f"Values({a})",
        "bool[]": f"Flags({a})",
    }[param.kind]
    return f"Optional({a}, {value})" if param.optional else value


class Judge(Protocol):
    """Something that takes calls as the torch operator does."""

    params: tuple[TorchParam, ...]

    def can_be(self, shape: Sequence[int]) -> bool:
        """Whether there are tensors of such a shape."""

    def call(self, call: Call) -> Answer:
        """What comes of a call."""


def spelt(arg: TensorArg) -> str:
    """A tensor as answers spell it."""
    kind = torch_type(arg.dtype)
    return " ".join([str(kind), *map(str, arg.shape)])


def comparable(operator: Operator, judge: Judge) -> Iterator[tuple[Call, list[Result]]]:
    """Derived calls that the torch side can be given, each with the contract's result on every chip."""
    evaluator = Evaluator(operator)
    passed = {p.bound.source for p in judge.params}
    for call in derive(operator, evaluator).calls:
        given = [t for arg in call.inputs.values() for t in tensors(arg)]
        if call.attr_count is not None or call.stage is not None or call.outputs:
            continue  # of a graph, or of outputs that torch makes itself
        if not {*call.inputs, *call.attrs} <= passed or any(torch_type(t.dtype) is None for t in given):
            continue  # of what torch cannot say
        if not all(judge.can_be(t.shape) for t in given):
            continue
        ids = {v.constraint for v in evaluator.evaluate(call).violations}
        if ids and all(id.endswith("_fits") for id in ids):
            continue  # of tiling, which comes later
        yield call, [evaluator.evaluate(replace(call, chip=chip.id)) for chip in operator.chips]


def differences(operator: Operator, adapter: Judge) -> tuple[int, list[str]]:
    """How many derived calls were compared, and those on which the torch side and the contract differ."""
    assert operator.torch is not None
    compared, found = 0, []
    for call, results in comparable(operator, adapter):
        # No chip is known here: a call is legal that some chip takes.
        ids = {v.constraint for result in results for v in result.violations}
        legal = next((result.outputs for result in results if result.ok), None)
        answer = adapter.call(call)
        compared += 1
        if legal is not None:
            expected = (spelt(legal[name]) if name else "nothing" for name, _ in operator.torch.returns)
            right = answer.outputs == tuple(expected)  # of an output that the schema reserves, nothing
        else:
            right = answer.outputs is None and answer.id in ids
        if not right:
            found.append(f"{call.id}: {answer.outputs} {answer.message!r}, the contract: {sorted(ids)}")
    return compared, found
