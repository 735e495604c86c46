"""Operators of compiled libraries, called with what calls of the contract describe."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from qsfa_codegen.contract.calls import Call, TensorArg
from qsfa_codegen.render.torch_names import torch_type
from qsfa_codegen.render.torch_schema import TorchParam, parameters
from qsfa_codegen.spec.model import Operator
from tests.render.torch_calls import Answer, as_given
from tests.torch.python_contract import NAMES, TYPES


class Compiled:
    """One operator of a loaded library; tensors without data, on ``device``."""

    def __init__(self, operator: Operator, namespace: str, device: str = "meta") -> None:
        assert operator.torch is not None
        self.params: tuple[TorchParam, ...] = parameters(operator, operator.torch)
        self.overload = getattr(getattr(torch.ops, namespace), operator.torch.name).default
        self._device = device
        self._attrs = {a.name: a for a in operator.attrs}

    def can_be(self, shape: Sequence[int]) -> bool:
        """Torch has sizes from 0, and bytes that 64 bits count."""
        return min(shape, default=0) >= 0 and 8 * math.prod(shape) < 2**63

    def arguments(self, call: Call, changes: Mapping[str, object] | None = None) -> dict[str, object]:
        """The arguments by their names; those that a call does not pass are left to their defaults."""
        given = {p.name: as_given(p, call, self._attrs) for p in self.params} | dict(changes or {})
        left = {p.name for p in self.params if given[p.name] is None and p.default is not None}
        return {p.name: self._argument(p, given[p.name]) for p in self.params if p.name not in left}

    def call(self, call: Call, changes: Mapping[str, object] | None = None) -> Answer:
        try:
            outputs = self.overload(**self.arguments(call, changes))
        except RuntimeError as error:
            return Answer(None, str(error).partition("\n")[0], "", ())
        tensors = (outputs,) if isinstance(outputs, torch.Tensor) else outputs or ()
        return Answer(tuple(_spelt(tensor) for tensor in tensors), "", "", ())

    def _argument(self, param: TorchParam, value: Any) -> object:
        if isinstance(value, TensorArg):
            return [0] * value.shape[0] if param.kind == "int[]" else self._tensor(value)
        if param.kind in ("Tensor", "Tensor[]") and isinstance(value, Sequence):
            return [self._tensor(item) for item in value]
        return value

    def _tensor(self, arg: TensorArg) -> torch.Tensor:
        return torch.empty(arg.shape, dtype=TYPES[str(torch_type(arg.dtype))], device=self._device)


def _spelt(tensor: torch.Tensor) -> str:
    return " ".join([NAMES[tensor.dtype], *map(str, tensor.shape)])
