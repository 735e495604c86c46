"""Random changes to calls, whatever the operator: each result can be written as a call case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import TypeVar

from msgspec.structs import replace

from qsfa_codegen.contract.calls import (
    UNKNOWN_DIM,
    UNKNOWN_RANK,
    Call,
    InputArg,
    Stage,
    TensorArg,
    each_tensor,
)
from qsfa_codegen.expr.limits import INT64_MAX, INT64_MIN
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Attr, AttrScalar, AttrType, AttrValue, Input, InputKind, Operator

T = TypeVar("T")

INT32_MAX, UINT32_MAX = 2**31 - 1, 2**32 - 1
EDGES = (0, 1, 2, INT32_MAX, INT32_MAX + 1, UINT32_MAX, UINT32_MAX + 1, 2**62, INT64_MAX)
"""Numbers at which a type ends that a host may keep a number in."""

SIZES = (UNKNOWN_DIM, *EDGES, 3, 16, 17, 2**40)
NUMBERS = (*EDGES, -1, -(2**31), -(2**31) - 1, INT64_MIN)
FLOATS = (0.0, -1.0, 1.0, 1e-45, 3.4028234663852886e38, 1e39, float("inf"), float("-inf"), float("nan"))
TEXTS = ("", "other", "%s%n", "x" * 600)
CORES = (0, 1, 2, 20, 25, 64, INT32_MAX, UINT32_MAX)

_MAX_RANK = 8
_PLATFORM = ("aic", "aiv", "ub_size", "libapi_workspace")
_NARROWED = 2**32


class Damage:
    """Changes calls of one operator."""

    def __init__(self, operator: Operator) -> None:
        self._operator = operator
        self._texts = tuple(label.name for enum in operator.enums for label in enum.labels)
        chips = [name for chip in operator.chips for name in (chip.id, chip.soc)]
        self._chips = (*chips, *(product.id for product in operator.unsupported), "no_such_chip")
        kinds: list[tuple[int, Callable[[Random, Call], Call]]] = [
            (6 if operator.inputs else 0, self._input),
            (3 if operator.attrs else 0, self._attr),
            (1, self._host),
        ]
        self._kinds = tuple(change for weight, change in kinds for _ in range(weight))

    def damaged(self, rng: Random, call: Call, times: int = 1) -> Call:
        """The call with ``times`` things changed, one after the other."""
        for _ in range(times):
            call = rng.choice(self._kinds)(rng, call)
        return call

    def unknown(self, rng: Random, call: Call) -> Call:
        """The call as shape inference may see it: some sizes and ranks are not known."""
        share = rng.choice((0.1, 0.5, 1.0))

        def hidden(tensor: TensorArg) -> TensorArg:
            if rng.random() < share / 2:
                return TensorArg(tensor.dtype, UNKNOWN_RANK)
            sizes = (UNKNOWN_DIM if rng.random() < share else size for size in tensor.shape)
            return TensorArg(tensor.dtype, tuple(sizes))

        inputs = {name: each_tensor(arg, hidden) for name, arg in call.inputs.items()}
        return replace(call, inputs=inputs, stage=Stage.INFER)

    # ------------------------------------------------------------------ inputs

    def _input(self, rng: Random, call: Call) -> Call:
        if not call.inputs or rng.random() < 0.1:
            param = rng.choice(self._operator.inputs)
            return call.with_inputs({**call.inputs, param.name: self._other_arg(rng, param)})
        name = rng.choice(tuple(call.inputs))
        if rng.random() < 0.15:
            return call.with_inputs({n: arg for n, arg in call.inputs.items() if n != name})
        return call.with_inputs({**call.inputs, name: self._changed_arg(rng, call.inputs[name])})

    def _other_arg(self, rng: Random, param: Input) -> InputArg:
        scalar = param.kind is InputKind.SCALAR
        rank = 0 if scalar else rng.randrange(5)
        tensor = TensorArg(rng.choice(tuple(DTYPES)), tuple(rng.randrange(4) for _ in range(rank)))
        return (tensor,) * rng.randrange(3) if param.kind is InputKind.TENSOR_LIST else tensor

    def _changed_arg(self, rng: Random, arg: InputArg) -> InputArg:
        if isinstance(arg, TensorArg):
            return self._changed_tensor(rng, arg)
        kind = rng.randrange(4)
        if not arg or kind == 0:
            return arg[1:]
        if kind == 1:
            return (*arg, arg[-1])
        index = rng.randrange(len(arg))
        return (*arg[:index], self._changed_tensor(rng, arg[index]), *arg[index + 1 :])

    def _changed_tensor(self, rng: Random, tensor: TensorArg) -> TensorArg:
        kind = rng.randrange(10)
        shape = tensor.shape
        if kind == 0:
            return TensorArg(rng.choice(tuple(DTYPES)), shape)
        if kind == 1:
            ranks = ((), UNKNOWN_RANK, shape[:-1], shape[1:], (*shape, 1), (1, *shape))
            return TensorArg(tensor.dtype, rng.choice(ranks)[:_MAX_RANK])
        if not shape:
            return TensorArg(tensor.dtype, (rng.choice(SIZES),))
        axis = rng.randrange(len(shape))
        return TensorArg(tensor.dtype, (*shape[:axis], self._size(rng, shape[axis]), *shape[axis + 1 :]))

    def _size(self, rng: Random, size: int) -> int:
        if rng.random() < 0.5:
            return rng.choice(SIZES)
        near = (size + 1, size - 1, size * 2, size // 2, size + _NARROWED, rng.randrange(70))
        return min(max(rng.choice(near), 0), INT64_MAX)

    # ------------------------------------------------------------------ attributes

    def _attr(self, rng: Random, call: Call) -> Call:
        attr = rng.choice(self._operator.attrs)
        attrs = {n: value for n, value in call.attrs.items() if n != attr.name}
        if rng.random() < 0.1:
            return replace(call, attrs=attrs)
        current = call.attrs.get(attr.name, attr.default)
        value = self._changed_value(rng, attr, current)
        return call if value is None else replace(call, attrs={**attrs, attr.name: value})

    def _changed_value(self, rng: Random, attr: Attr, current: AttrValue | None) -> AttrValue | None:
        item = _ITEMS.get(attr.type)
        if item is None:
            return None if attr.type in _UNCHANGED else self._scalar(rng, attr.type, current)
        items = tuple(i for i in current if not isinstance(i, tuple)) if isinstance(current, tuple) else ()
        kind = rng.randrange(4)
        if kind == 0:
            return items[:-1]
        if kind == 1 or not items:
            return (*items, self._scalar(rng, item, None))
        index = rng.randrange(len(items))
        return (*items[:index], self._scalar(rng, item, items[index]), *items[index + 1 :])

    def _scalar(self, rng: Random, kind: AttrType, current: AttrValue | None) -> AttrScalar:
        if kind is AttrType.BOOL:
            return rng.random() < 0.5
        if kind is AttrType.FLOAT:
            return rng.choice(FLOATS)
        if kind is AttrType.DTYPE:
            return rng.choice(tuple(DTYPES))
        if kind is AttrType.STR:
            return rng.choice((*self._texts, *TEXTS, *(text.lower() for text in self._texts)))
        if not isinstance(current, int) or rng.random() < 0.5:
            return rng.choice(NUMBERS)
        near = current + rng.choice((-1, 1, _NARROWED, -_NARROWED))
        return min(max(near, INT64_MIN), INT64_MAX)

    # ------------------------------------------------------------------ the host around a call

    def _host(self, rng: Random, call: Call) -> Call:
        """A graph made for an older operator, another platform, another chip, other outputs."""
        kind = rng.randrange(5)
        if kind == 0:
            return replace(call, chip=rng.choice(self._chips))
        if kind == 1 and call.outputs:
            outputs = {n: self._changed_tensor(rng, tensor) for n, tensor in call.outputs.items()}
            return replace(call, outputs=outputs)
        if kind <= 2:
            return replace(call, platform=platform(rng))
        return replace(call, attr_count=rng.randint(0, len(self._operator.attrs)))


def platform(rng: Random) -> Mapping[str, int]:
    """Some facts of a platform, odd ones among them."""
    return {name: rng.choice(CORES) for name in _PLATFORM if rng.random() < 0.5}


_ITEMS = {
    AttrType.LIST_INT: AttrType.INT,
    AttrType.LIST_FLOAT: AttrType.FLOAT,
    AttrType.LIST_BOOL: AttrType.BOOL,
}
_UNCHANGED = (AttrType.LIST_STR, AttrType.LIST_LIST_INT)
