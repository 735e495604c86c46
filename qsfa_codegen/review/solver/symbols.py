"""Any call on one chip, as variables of a solver; and a solution as a call."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import z3

from qsfa_codegen.contract.calls import Call, InputArg, TensorArg
from qsfa_codegen.expr.limits import INT64_MAX, INT64_MIN
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Attr, AttrType, AttrValue, Input, InputKind, Operator

MAX_RANK = 9
"""Axes of a tensor in a proof: one more than the frameworks allow."""
MAX_LENGTH = 8
"""Elements of a list attribute in a proof."""
_ODD = 64  # what an attribute weighs that is not at its default, in sizes

Term = Any
"""A term of the solver, which has no types that mypy knows."""


class UnsupportedError(Exception):
    """Something that the solver cannot be told."""


class Words:
    """Names (dtypes, enum labels, texts) as numbers: each has one, and one stands for all others."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {name: number for number, name in enumerate(DTYPES)}

    def __getitem__(self, word: str) -> int:
        return self._numbers.setdefault(word, len(self._numbers))

    def __len__(self) -> int:
        return len(self._numbers)

    def word(self, number: int) -> str:
        """The word of a number."""
        return next((word for word, known in self._numbers.items() if known == number), "another_value")


class Items:
    """A run of dims or the elements of a list: how many, and each of as many as there can be."""

    def __init__(self, length: Term, items: tuple[Term, ...]) -> None:
        self.length = length
        self.items = items


class Tensor:
    """What stands at an input."""

    def __init__(self, name: str) -> None:
        self.present = z3.Bool(f"present {name}")
        self.dtype = z3.Int(f"dtype {name}")
        self.rank = z3.Int(f"rank {name}")
        self.sizes = tuple(z3.Int(f"dim {name} {axis}") for axis in range(MAX_RANK))

    def domain(self) -> Iterator[Term]:
        """What is true of every tensor."""
        yield z3.And(self.rank >= 0, self.rank <= MAX_RANK)
        yield z3.And(self.dtype >= 0, self.dtype < len(DTYPES))
        for size in self.sizes:
            yield z3.And(size >= 0, size <= INT64_MAX)

    def extent(self) -> Term:
        """The sum of its sizes."""
        inside = (z3.If(self.rank > axis, size, 0) for axis, size in enumerate(self.sizes))
        return z3.If(self.present, z3.Sum([self.rank, *inside]), 0)


_SORTS = {
    AttrType.INT: z3.Int,
    AttrType.BOOL: z3.Bool,
    AttrType.STR: z3.Int,
    AttrType.DTYPE: z3.Int,
    AttrType.FLOAT: lambda name: z3.FP(name, z3.Float32()),
}
_ITEMS = {
    AttrType.LIST_INT: AttrType.INT,
    AttrType.LIST_BOOL: AttrType.BOOL,
    AttrType.LIST_FLOAT: AttrType.FLOAT,
    AttrType.LIST_STR: AttrType.STR,
}


class Symbols:
    """The variables of a call: inputs and attributes by name, for both contracts the same."""

    def __init__(self) -> None:
        self.words = Words()
        self._tensors: dict[str, Tensor] = {}
        self._attrs: dict[str, tuple[AttrType, Term]] = {}

    def tensor(self, param: Input) -> Tensor:
        """What stands at an input; lists are not told to the solver."""
        if param.kind in (InputKind.TENSOR_LIST, InputKind.SCALAR_LIST):
            raise UnsupportedError(f"{param.name} is a list")
        return self._tensors.setdefault(param.name, Tensor(param.name))

    def attr(self, attr: Attr) -> Term:
        """The value of an attribute."""
        known = self._attrs.get(attr.name)
        if known is None:
            known = self._attrs[attr.name] = (attr.type, self._variable(attr))
        if known[0] is not attr.type:
            raise UnsupportedError(f"{attr.name} has two types")
        return known[1]

    def _variable(self, attr: Attr) -> Term:
        if attr.type in _SORTS:
            return _SORTS[attr.type](f"attr {attr.name}")
        item = _ITEMS.get(attr.type)
        if item is None:
            raise UnsupportedError(f"{attr.name} is a list of lists")
        items = tuple(_SORTS[item](f"attr {attr.name} {n}") for n in range(MAX_LENGTH))
        return Items(z3.Int(f"length {attr.name}"), items)

    def domain(self) -> Iterator[Term]:
        """What is true of every call; to be asked for once all words are known."""
        for tensor in self._tensors.values():
            yield from tensor.domain()
        for kind, value in self._attrs.values():
            yield from self._domain(kind, value)

    def _domain(self, kind: AttrType, value: Term) -> Iterator[Term]:
        if isinstance(value, Items):
            yield z3.And(value.length >= 0, value.length <= MAX_LENGTH)
            for item in value.items:
                yield from self._domain(_ITEMS[kind], item)
        elif kind is AttrType.INT:
            yield z3.And(value >= INT64_MIN, value <= INT64_MAX)
        elif kind is AttrType.DTYPE:
            yield z3.And(value >= 0, value < len(DTYPES))
        elif kind is AttrType.STR:
            yield z3.And(value >= len(DTYPES), value <= len(self.words))

    def extent(self, operator: Operator) -> Term:
        """How much a reader has to look at: sizes, and attributes that are not at their default."""
        parts = [tensor.extent() for tensor in self._tensors.values()]
        defaults = {attr.name: attr.default for attr in operator.attrs}
        for name, (kind, value) in self._attrs.items():
            if isinstance(value, Items):
                parts.append(value.length)
                continue
            default = self._constant(kind, defaults.get(name))
            parts += [] if default is None else [z3.If(value == default, 0, _ODD)]
        return z3.Sum([*parts, z3.IntVal(0)])

    def _constant(self, kind: AttrType, value: object) -> Term | None:
        if isinstance(value, bool):
            return z3.BoolVal(value)
        if kind is AttrType.FLOAT and isinstance(value, int | float):
            return z3.FPVal(float(value), z3.Float32())
        if isinstance(value, int):
            return z3.IntVal(value)
        return z3.IntVal(self.words[value]) if isinstance(value, str) else None

    # ------------------------------------------------------------------ solutions

    def call(self, model: Term, chip: str) -> Call:
        """The call that a solution describes, with every attribute given."""
        inputs: dict[str, InputArg] = {}
        for name, tensor in self._tensors.items():
            if z3.is_true(model.eval(tensor.present, model_completion=True)):
                rank = _int(model, tensor.rank)
                shape = tuple(_int(model, size) for size in tensor.sizes[:rank])
                inputs[name] = TensorArg(self.words.word(_int(model, tensor.dtype)), shape)
        attrs = {name: self._value(model, kind, value) for name, (kind, value) in self._attrs.items()}
        return Call(id="", chip=chip, inputs=inputs, attrs=attrs)

    def _value(self, model: Term, kind: AttrType, value: Term) -> AttrValue:
        if isinstance(value, Items):
            items = value.items[: _int(model, value.length)]
            return tuple(self._value(model, _ITEMS[kind], item) for item in items)  # type: ignore[return-value]
        if kind is AttrType.BOOL:
            return bool(z3.is_true(model.eval(value, model_completion=True)))
        if kind is AttrType.FLOAT:
            bits = model.eval(z3.fpToIEEEBV(value), model_completion=True).as_long()
            number: float = struct.unpack("<f", struct.pack("<I", bits))[0]
            return number
        number = _int(model, value)
        return number if kind is AttrType.INT else self.words.word(number)


def _int(model: Term, term: Term) -> int:
    return int(model.eval(term, model_completion=True).as_long())
