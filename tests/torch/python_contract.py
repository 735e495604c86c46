"""The generated Python contract of any operator, run on tensors that have no data."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

import torch

from qsfa_codegen.contract.calls import Call, TensorArg
from qsfa_codegen.render.python_contract import PythonContract, render_contract
from qsfa_codegen.render.python_package import render_tracing
from qsfa_codegen.render.templates import Templates
from qsfa_codegen.render.torch_names import torch_type
from qsfa_codegen.render.torch_schema import TorchParam
from qsfa_codegen.spec.model import Operator
from tests.render.torch_calls import Answer, as_given

TYPES = {
    "Byte": torch.uint8,
    "Char": torch.int8,
    "Short": torch.int16,
    "Int": torch.int32,
    "Long": torch.int64,
    "Half": torch.float16,
    "BFloat16": torch.bfloat16,
    "Float": torch.float32,
    "Double": torch.float64,
    "Bool": torch.bool,
    "Float8_e4m3fn": torch.float8_e4m3fn,
    "Float8_e5m2": torch.float8_e5m2,
    "UInt16": torch.uint16,
    "UInt32": torch.uint32,
    "UInt64": torch.uint64,
}
NAMES = {dtype: name for name, dtype in TYPES.items()}


def module_of(operator: Operator) -> ModuleType:
    """The contract module, made from its text and that of the one beside it."""
    package = f"package_of_{operator.snake}"
    sys.modules[package] = ModuleType(package)
    made = {
        "tracing": render_tracing(operator, Templates()),
        "contract": render_contract(operator, Templates()),
    }
    for name, text in made.items():
        module = ModuleType(f"{package}.{name}")
        sys.modules[module.__name__] = module  # dataclasses look there
        exec(compile(text, module.__name__, "exec"), module.__dict__)
    return module


class Checked:
    """Takes calls as the compiled adapter does."""

    def __init__(self, operator: Operator) -> None:
        contract = PythonContract(operator)
        self.params: tuple[TorchParam, ...] = contract.params
        self._module = module_of(operator)
        self._attrs = {a.name: a for a in operator.attrs}
        self._results = contract.results()
        self._returns = contract.binding.returns

    def can_be(self, shape: Sequence[int]) -> bool:
        """Torch has sizes from 0, and bytes that 64 bits count."""
        return min(shape, default=0) >= 0 and 8 * math.prod(shape) < 2**63

    def call(self, call: Call, changes: Mapping[str, object] | None = None) -> Answer:
        given = {p.name: as_given(p, call, self._attrs) for p in self.params} | dict(changes or {})
        made = self._module.Call(**{p.name: _argument(p, given[p.name]) for p in self.params})
        try:
            self._module.check(made)
        except self._module.CallError as error:
            return Answer(None, str(error), "", ())
        outputs = self._module.make_outputs(made) if hasattr(self._module, "make_outputs") else None
        names = {"call": made, "outputs": outputs}
        made_of = [_spelt(eval(text, names)) for text in self._results]
        given_names = [name for name, _ in self._returns]
        spelt = (text if name else "nothing" for name, text in zip(given_names, made_of, strict=True))
        return Answer(tuple(spelt), "", "", ())


def _argument(param: TorchParam, value: Any) -> object:
    if isinstance(value, TensorArg):
        return [0] * value.shape[0] if param.kind == "int[]" else _tensor(value)
    if param.kind == "Tensor[]" and value is not None:
        return [_tensor(item) for item in value]
    if param.kind in ("Tensor", "Tensor[]") and isinstance(value, Sequence):
        return [_tensor(item) for item in value]
    return value


def _tensor(arg: TensorArg) -> torch.Tensor:
    return torch.empty(arg.shape, dtype=TYPES[str(torch_type(arg.dtype))], device="meta")


def _spelt(tensor: torch.Tensor) -> str:
    return " ".join([NAMES[tensor.dtype], *map(str, tensor.shape)])
