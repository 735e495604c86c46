"""One legal call of an operator, looked at through the roles of its kernel family."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from qsfa_codegen.contract.calls import Call, TensorArg, tensors
from qsfa_codegen.contract.env import CallEnv
from qsfa_codegen.expr.evaluate import compiled
from qsfa_codegen.expr.nodes import Expr, RefKind
from qsfa_codegen.expr.values import Value
from qsfa_codegen.reference.elements import Floats, half_bytes, halves, round_to
from qsfa_codegen.spec.model import Operator

_HALVES = ("float16", "bfloat16")
_STORED = {"float32": "<f4", "int32": "<i4", "int64": "<i8", "float16": "<u2", "bfloat16": "<u2"}
_BYTES = (-128, 255)
"""Numbers by which a byte can be given, with a sign or without."""


class Expected(NamedTuple):
    """What an output must hold, and how far each element may be from that. Both in the output's shape."""

    values: Floats
    bound: Floats


class Subject(Struct, frozen=True):
    """The call with its environment; roles are those of the spec's ``kernel.roles``."""

    operator: Operator
    call: Call
    env: CallEnv

    def name(self, role: str) -> str | None:
        """The parameter that plays a role."""
        assert self.operator.kernel is not None
        return dict(self.operator.kernel.roles).get(role)

    def tensor(self, role: str) -> TensorArg | None:
        """The input that plays a role; None where it is not passed."""
        name = self.name(role)
        return None if name is None else self.env.arg(name)

    def tensors(self) -> Iterator[TensorArg]:
        """Every tensor that the call passes."""
        return (tensor for arg in self.call.inputs.values() for tensor in tensors(arg))

    def need(self, role: str) -> TensorArg:
        """As ``tensor``, of an input that every call passes."""
        found = self.tensor(role)
        assert found is not None, role
        return found

    def value(self, expr: Expr) -> int:
        """A number that the call settles."""
        found = compiled(expr)(self.env)
        assert isinstance(found, int)
        return found

    def attr(self, role: str, absent: Value) -> Value:
        """The value of the attribute that plays a role; ``absent`` where none does."""
        name = self.name(role)
        return absent if name is None else self.env.ref(RefKind.ATTR, name)

    def truth(self, role: str) -> bool:
        """The derived value that plays a role; false where none does."""
        name = self.name(role)
        return name is not None and self.env.ref(RefKind.LET, name) is True


def stored(dtype: str) -> np.dtype[Any]:
    """How numpy keeps the elements of a dtype: halves and bytes as their bits."""
    return np.dtype(_STORED.get(dtype, "u1"))


def unstorable(arg: TensorArg) -> str:
    """What is wrong with the first element of a call's data that its dtype cannot store; else empty."""
    if arg.data is None or stored(arg.dtype).kind == "f" or arg.dtype in _HALVES:
        return ""
    low, high = _BYTES if stored(arg.dtype) == np.dtype("u1") else _limits(stored(arg.dtype))
    for element in arg.data:
        if not low <= element <= high or element != int(element):
            what = f"bytes of {arg.dtype}" if low == _BYTES[0] else f"elements of {arg.dtype}"
            return f"{element} is none of the {what}, which are whole numbers from {low} to {high}"
    return ""


def _limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    found = np.iinfo(dtype)
    return int(found.min), int(found.max)


def given(arg: TensorArg) -> NDArray[Any] | None:
    """The data that a call gives for a tensor, as it is stored; None where it gives none."""
    if arg.data is None:
        return None
    if arg.dtype in _HALVES:
        numbers = round_to(np.array(arg.data, dtype=np.float64), arg.dtype)
        return half_bytes(numbers, arg.dtype).view("<u2").reshape(arg.shape)
    if stored(arg.dtype) == np.dtype("u1"):
        return (np.array(arg.data, dtype=np.int64) & 0xFF).astype(np.uint8).reshape(arg.shape)
    return np.array(arg.data).astype(stored(arg.dtype)).reshape(arg.shape)


def numbers_of(raw: bytes, dtype: str, shape: tuple[int, ...]) -> Floats:
    """The elements of a tensor as float64."""
    if dtype in _HALVES:
        return halves(raw, dtype).reshape(shape)
    return np.frombuffer(raw, dtype=stored(dtype)).astype(np.float64).reshape(shape)
