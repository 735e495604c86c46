"""The generated torch adapter, compiled against a stand-in for torch and called."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call, InputArg, TensorArg
from qsfa_codegen.render.package import render
from qsfa_codegen.render.torch_names import torch_type
from qsfa_codegen.render.torch_schema import Source, TorchParam, parameters
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import AttrType, Operator

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
        given = {p.name: self._given(p, call) for p in self.params} | dict(changes or {})
        arguments = (Argument * len(self.params))(*(self._argument(p, given[p.name]) for p in self.params))
        answer = self._library.Run(arguments).decode()
        name, *passed = self._library.Passed().decode().split("; ")
        failed = answer.startswith("!")
        outputs = None if failed else tuple(answer.split(";")[:-1])
        return Answer(outputs, answer[1:] if failed else "", name, tuple(passed))

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

    def _given(self, param: TorchParam, call: Call) -> object:
        source = param.bound.source
        if param.source is Source.INPUT:
            return call.inputs.get(source or "")
        if param.source is Source.RESERVED:
            return None
        attr = self._attrs[source or ""]
        value = call.attrs.get(attr.name, attr.default)
        if attr.type is AttrType.DTYPE:
            return DTYPES[str(value)].code
        words = {number: word for word, number in param.bound.value_map}
        if words and isinstance(value, int):
            return words.get(value, "no such word")
        return value

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
        items = (value,) if isinstance(value, TensorArg) else value
        made = [self._tensor(item) for item in items]
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
