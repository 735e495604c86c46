"""From a call about which engines disagree to a small one about which they disagree in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, combinations, islice
from typing import NamedTuple

from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call, InputArg, TensorArg
from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.contract.run import Outcome, SecondEngine, run_both
from qsfa_codegen.spec.model import AttrValue
from qsfa_codegen.verify.disagree import Disagreement, Signature, disagreeing, signature

Cost = tuple[int, int, int, int]

_BUDGET = 20_000  # calls that are tried for one case
_ROUND = 1500
_PARTS = ("inputs", "attrs")


class _Part(NamedTuple):
    """An input or an attribute of a call."""

    section: str
    name: str


class Shrinker:
    """Shrinks calls of one operator; ``models`` are legal calls that a small case may resemble.

    ``answers`` says which calls the engine can be asked.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        engine: SecondEngine,
        models: Sequence[Call],
        answers: Callable[[Call], bool] = lambda _: True,
    ) -> None:
        self._evaluator = evaluator
        self._engine = engine
        self._models = models
        self._answers = answers

    def shrink(self, found: Disagreement) -> Outcome:
        """The smallest case that was found: fewest broken rules, then fewest parts, then small numbers."""
        sign = found.signature
        outcome = next(run_both(self._evaluator, self._engine, [found.call]))
        tried = 0
        while tried < _BUDGET:
            cost = _cost(outcome)
            trials = list(islice(filter(self._answers, self._smaller(outcome.call)), _ROUND))
            tried += len(trials)
            best = min(self._same(trials, sign), key=_cost, default=None)
            if best is None or _cost(best) >= cost:
                break
            outcome = best
        return outcome

    def _same(self, trials: Sequence[Call], sign: Signature) -> Iterator[Outcome]:
        for outcome in disagreeing(self._evaluator, self._engine, trials):
            if signature(outcome) == sign:
                yield outcome

    def _smaller(self, call: Call) -> Iterator[Call]:
        return chain(
            self._like_a_model(call), _without(call), _with_smaller_sizes(call), _with_smaller_attrs(call)
        )

    def _like_a_model(self, call: Call) -> Iterator[Call]:
        """The nearest legal calls with one or two parts of this one, and this one with a part of theirs."""
        near = sorted(
            (m for m in self._models if m.chip == call.chip), key=lambda m: len(_differing(call, m))
        )
        for model in near[:2]:
            base = replace(
                model,
                id=call.id,
                stage=call.stage,
                attr_count=call.attr_count,
                outputs=call.outputs,
                platform=call.platform,
                expect=None,
            )
            parts = _differing(call, base)
            for kept in chain(combinations(parts, 0), combinations(parts, 1), combinations(parts, 2)):
                yield _taking(base, call, kept)
            for part in parts:
                yield _taking(call, base, (part,))


def _differing(left: Call, right: Call) -> list[_Part]:
    return [
        _Part(section, name)
        for section in _PARTS
        for name in dict.fromkeys((*getattr(left, section), *getattr(right, section)))
        if getattr(left, section).get(name) != getattr(right, section).get(name)
    ]


def _taking(call: Call, other: Call, parts: Sequence[_Part]) -> Call:
    """The call with some parts as the other one has them."""
    for section, name in parts:
        kept = {n: value for n, value in getattr(call, section).items() if n != name}
        if name in getattr(other, section):
            kept[name] = getattr(other, section)[name]
        call = replace(call, **{section: kept})
    return call


# --------------------------------------------------------------------------- less of everything


def _without(call: Call) -> Iterator[Call]:
    """The call without one of its parts, or of a list input without a tensor."""
    yield replace(call, platform={})
    yield replace(call, attr_count=None)
    yield replace(call, outputs={})
    for name in call.platform:
        yield replace(call, platform={n: fact for n, fact in call.platform.items() if n != name})
    for part in (*(_Part("inputs", n) for n in call.inputs), *(_Part("attrs", n) for n in call.attrs)):
        yield _taking(call, replace(call, inputs={}, attrs={}), (part,))
    for name, arg in call.inputs.items():
        if isinstance(arg, tuple):
            for index in range(len(arg)):
                yield call.with_inputs({**call.inputs, name: (*arg[:index], *arg[index + 1 :])})


def _with_smaller_sizes(call: Call) -> Iterator[Call]:
    """One size smaller wherever it stands, on the same axis of all inputs, or of one; one axis less."""
    places = {(axis, size) for tensor in _tensors(call) for axis, size in enumerate(tensor.shape)}
    everywhere = [(None, size) for size in sorted({size for _, size in places}, reverse=True)]
    for axis, size in (*everywhere, *sorted(places)):
        for smaller in _below(size):
            inputs = {name: _resized(arg, axis, size, smaller) for name, arg in call.inputs.items()}
            yield call.with_inputs(inputs)
    for name, arg in call.inputs.items():
        if isinstance(arg, TensorArg):
            for axis, size in enumerate(arg.shape):
                for smaller in _below(size):
                    yield call.with_inputs({**call.inputs, name: _resized(arg, axis, size, smaller)})
                shape = (*arg.shape[:axis], *arg.shape[axis + 1 :])
                yield call.with_inputs({**call.inputs, name: TensorArg(arg.dtype, shape)})


def _resized(arg: InputArg, axis: int | None, old: int, new: int) -> InputArg:
    """The tensors with another size where ``old`` stands, on one axis or on any."""
    if not isinstance(arg, TensorArg):
        return tuple(_resized_tensor(tensor, axis, old, new) for tensor in arg)
    return _resized_tensor(arg, axis, old, new)


def _resized_tensor(tensor: TensorArg, axis: int | None, old: int, new: int) -> TensorArg:
    sizes = (new if size == old and axis in (None, n) else size for n, size in enumerate(tensor.shape))
    return TensorArg(tensor.dtype, tuple(sizes))


def _with_smaller_attrs(call: Call) -> Iterator[Call]:
    for name, value in call.attrs.items():
        for smaller in _simpler(value):
            yield replace(call, attrs={**call.attrs, name: smaller})


def _simpler(value: AttrValue) -> Iterator[AttrValue]:
    if isinstance(value, bool):
        return
    if isinstance(value, int):
        yield from _below(value)
    elif isinstance(value, float):
        yield from (1.0, 0.0)
    elif isinstance(value, str):
        yield value[: len(value) // 2]
    else:
        yield value[:-1]


def _below(number: int) -> Iterator[int]:
    lower = (0, 1, 2, 16, number // 2, number - number // 4, number - 16, number - 1)
    return (n for n in dict.fromkeys(lower) if 0 <= n < abs(number))


# --------------------------------------------------------------------------- what is small


def _cost(outcome: Outcome) -> Cost:
    call = outcome.call
    others = (call.attr_count is not None) + len(call.outputs) + len(call.platform)
    parts = len(call.inputs) + len(call.attrs) + others
    sizes = [size for tensor in _tensors(call) for size in tensor.shape]
    digits = sum(1 + _bits(size) for size in sizes) + sum(_weight(v) for v in call.attrs.values())
    return (len(outcome.result.violations), parts, digits, sum(map(abs, sizes)))


def _tensors(call: Call) -> Iterator[TensorArg]:
    for arg in call.inputs.values():
        if isinstance(arg, TensorArg):
            yield arg
        else:
            yield from arg


def _weight(value: AttrValue) -> int:
    if isinstance(value, float):
        return 0 if value == 0 else 1 if value == 1 else 2
    if isinstance(value, int):
        return _bits(value)
    return len(value)


def _bits(number: int) -> int:
    return number.bit_length() + (number < 0)
