"""One call as two versions of an operator take it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call, TensorArg, tensors
from qsfa_codegen.contract.evaluate import has_unknowns
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.spec.model import Attr, AttrValue, Input, Operator, Presence, leaves


class Both(NamedTuple):
    """The same call for the base's operator and for the one at hand, in the names of the latter."""

    before: Call
    after: Call


class Translator:
    """Tells how a call of one version is written for the other.

    What only one of them has is left out where that cannot matter (an attribute at its default), or
    where a caller has no choice (an input that must be passed).
    """

    def __init__(self, pair: Pair) -> None:
        self._removed = _Own(pair.inputs.removed, pair.attrs.removed)
        self._added = _Own(pair.inputs.added, pair.attrs.added)
        self._chips = frozenset(new.id for _, new in pair.chips)
        defaults = [(old, new) for old, new in pair.attrs.both if old.default != new.default]
        self._before = {old.name: old.default for old, _ in defaults if old.default is not None}
        self._after = {new.name: new.default for _, new in defaults if new.default is not None}

    def of_before(self, call: Call, *, spelt_out: bool = True) -> Both | None:
        """A call of the base for both; None where the other one has no such call.

        With ``spelt_out`` attributes whose default changed are given even where they have it.
        """
        if not self._comparable(call):
            return None
        full = _with_attrs(call, self._before) if spelt_out else call
        other = self._removed.without(full)
        return None if other is None else Both(full, other)

    def of_after(self, call: Call) -> Both | None:
        """A call of the operator at hand for both."""
        if not self._comparable(call):
            return None
        full = _with_attrs(call, self._after)
        other = self._added.without(full)
        return None if other is None else Both(other, full)

    def _comparable(self, call: Call) -> bool:
        plain = call.stage is None and call.attr_count is None and not call.outputs
        return plain and call.chip in self._chips and not has_unknowns(call.inputs.values())


class _Own:
    """Parameters that one version alone has."""

    def __init__(self, inputs: tuple[Input, ...], attrs: tuple[Attr, ...]) -> None:
        self._inputs = {i.name: Presence.REQUIRED in set(leaves(i.presence)) for i in inputs}
        self._attrs = {a.name: a for a in attrs}

    def without(self, call: Call) -> Call | None:
        """The call without them; None where that is another call."""
        if any(name in call.inputs and not forced for name, forced in self._inputs.items()):
            return None
        for name, value in call.attrs.items():
            attr = self._attrs.get(name)
            if attr is not None and not attr.required and value != attr.default:
                return None
        if not self._inputs and not self._attrs:
            return call
        inputs = {name: arg for name, arg in call.inputs.items() if name not in self._inputs}
        attrs = {name: value for name, value in call.attrs.items() if name not in self._attrs}
        return replace(call, inputs=inputs, attrs=attrs)


def _with_attrs(call: Call, values: dict[str, AttrValue]) -> Call:
    missing = {name: value for name, value in values.items() if name not in call.attrs}
    return replace(call, attrs={**call.attrs, **missing}) if missing else call


def cost(call: Call) -> tuple[int, int, int]:
    """How much a reader has to look at: large sizes, many attributes, many inputs."""
    return (sum(_sizes(call)), len(call.attrs), len(call.inputs))


def _sizes(call: Call) -> Iterator[int]:
    for arg in call.inputs.values():
        for tensor in tensors(arg):
            yield sum(abs(size) for size in tensor.shape)
    for value in call.attrs.values():
        if isinstance(value, int):
            yield min(abs(value), 1 << 20)


def in_order(call: Call, operator: Operator) -> Call:
    """The call with its parameters in the order of the operator."""
    inputs = {i.name: call.inputs[i.name] for i in operator.inputs if i.name in call.inputs}
    attrs = {a.name: call.attrs[a.name] for a in operator.attrs if a.name in call.attrs}
    return replace(call, inputs=inputs, attrs=attrs)


def reshaped(call: Call, name: str) -> Iterator[Call]:
    """The call with other shapes of one input: each size that stands anywhere in it, and its neighbours."""
    arg = call.inputs.get(name)
    if not isinstance(arg, TensorArg):
        return
    sizes = {size for other in call.inputs.values() for t in tensors(other) for size in t.shape}
    near = sorted({size + step for size in sizes | {0, 1} for step in (-1, 0, 1) if size + step >= 0})
    shapes = [arg.shape[:-1], (*arg.shape, 1), (1, *arg.shape)]
    shapes += [(*arg.shape[:at], size, *arg.shape[at + 1 :]) for at in range(len(arg.shape)) for size in near]
    for shape in dict.fromkeys(shapes):
        if shape != arg.shape:
            yield call.with_inputs({**call.inputs, name: TensorArg(arg.dtype, shape)})
