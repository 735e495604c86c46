"""Which of an operator's derived calls a reviewer reads as unit tests: few, but every case and every rule."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from math import prod
from typing import NamedTuple

from qsfa_codegen.contract.calls import Call, Result, Stage, TensorArg, tensors
from qsfa_codegen.contract.derive import Derivation
from qsfa_codegen.contract.evaluate import Evaluator, has_unknowns
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.uses import output_uses

Device = Callable[[str], Hashable]
"""What host code can tell of the chip with an id; equal for chips that it cannot tell apart."""


Evaluated = Callable[[], Result]
"""What the stage at hand makes of a call."""


class Picked(NamedTuple):
    """A call and what the stage at hand makes of it."""

    call: Call
    result: Result


class Picks(NamedTuple):
    """Accepted calls, each with something that none before it has; for each check a call that breaks it."""

    accepted: tuple[Picked, ...]
    rejected: tuple[Call, ...]


def pick_tiling(evaluator: Evaluator, derivation: Derivation, device: Device) -> Picks:
    """Calls for tiling, on every device that it can tell from another."""
    enums = [attr.name for attr in evaluator.operator.attrs if attr.enum is not None]

    def traits(call: Call, evaluated: Evaluated) -> Iterator[Hashable]:
        on = device(call.chip)
        if not _is_legal(call):
            yield (_broken(derivation, call, evaluated), on)
            return
        values = evaluator.bind(call).values
        yield (on, _dtypes(call), tuple(values[name] for name in enums))
        yield (on, frozenset(call.inputs), frozenset(_with_data(call)))
        yield (on, call.attr_count)
        yield from ((on, name, str(value)) for name, value in values.items())

    def wanted(call: Call) -> bool:
        # The test framework takes a tensor without axes for one that is not passed.
        return call.stage is not Stage.INFER and all(
            t.shape for a in call.inputs.values() for t in tensors(a)
        )

    return _pick(evaluator, derivation, Stage.TILING, wanted, traits)


def pick_infer(evaluator: Evaluator, derivation: Derivation) -> Picks:
    """Calls for shape and dtype inference, which do not know the chip."""
    uses = output_uses(evaluator.operator)

    def traits(call: Call, evaluated: Evaluated) -> Iterator[Hashable]:
        if not _is_legal(call):
            yield _broken(derivation, call, evaluated)
            return
        values = evaluator.bind(call).values
        read = {name: arg for name, arg in call.inputs.items() if name in uses.inputs}
        unknown = tuple(min(t.shape, default=0) for arg in call.inputs.values() for t in tensors(arg))
        labels = tuple(
            str(values.get(name)) for name in sorted(uses.attrs) if isinstance(values.get(name), str)
        )
        yield _dtypes(call)
        yield (frozenset(read), labels, min(*unknown, 0, 0))
        yield tuple(len(t.shape) for arg in read.values() for t in tensors(arg))
        yield call.attr_count
        yield from ((name, str(values.get(name))) for name in sorted(uses.attrs))

    def wanted(call: Call) -> bool:
        check = derivation.breaks.get(call.id)
        return evaluator.chip(call.chip) is not None and (check is None or check.at_infer)

    return _pick(evaluator, derivation, Stage.INFER, wanted, traits)


def _pick(
    evaluator: Evaluator,
    derivation: Derivation,
    stage: Stage,
    wanted: Callable[[Call], bool],
    traits: Callable[[Call, Evaluated], Iterator[Hashable]],
) -> Picks:
    """Most calls have nothing new; only those that have are evaluated."""
    seen: set[Hashable] = set()
    accepted: list[Picked] = []
    rejected: list[Call] = []
    for call in derivation.calls:
        if not wanted(call) or not expressible(evaluator, call):
            continue
        evaluated = _Evaluated(evaluator, derivation, call, stage)
        found = set(traits(call, evaluated))
        if found <= seen:
            continue
        if not _is_legal(call):
            told = call.id in derivation.breaks and not has_unknowns(call.inputs.values())
            if not told and evaluated().ok:
                continue  # what is wrong with it is no matter of this stage
            rejected.append(call)
        elif evaluated().ok:
            accepted.append(Picked(call, evaluated()))
        else:
            continue
        seen |= found
    return Picks(tuple(accepted), tuple(rejected))


def _is_legal(call: Call) -> bool:
    return (call.expect or {}).get("status") == "ok"


class _Evaluated:
    """What the stage makes of the call, worked out when it is first asked."""

    def __init__(self, evaluator: Evaluator, derivation: Derivation, call: Call, stage: Stage) -> None:
        self._evaluator = evaluator
        self._known = derivation.results.get(call.id)
        self._call = call
        self._stage = stage
        self._result: Result | None = None

    def __call__(self) -> Result:
        if self._result is None:
            self._result = self._evaluate()
        return self._result

    def _evaluate(self) -> Result:
        """Where no size is unknown, both stages make of a legal call what one makes."""
        call, stage = self._call, self._stage
        if self._known is not None and (call.stage is stage or not has_unknowns(call.inputs.values())):
            return self._known
        return self._evaluator.evaluate(call, stage)


def _broken(derivation: Derivation, call: Call, evaluated: Evaluated) -> Hashable:
    """What the call breaks: the check that it was made for (several can share an id), else rules by id."""
    check = derivation.breaks.get(call.id)
    if check is not None:
        return id(check)
    return tuple(violation.constraint for violation in evaluated().violations)


def _dtypes(call: Call) -> tuple[tuple[str, str], ...]:
    return tuple((name, t.dtype) for name, arg in call.inputs.items() for t in tensors(arg)[:1])


def _with_data(call: Call) -> Iterator[str]:
    return (name for name, arg in call.inputs.items() if any(t.data is not None for t in tensors(arg)))


# --------------------------------------------------------------------------- what the test framework can say


def expressible(evaluator: Evaluator, call: Call) -> bool:
    """Whether contexts of the test framework can hold the call.

    Attributes are told one after the other: none can be left out before one that is given. Outputs are
    not checked there, and platforms are those of chips.
    """
    if call.outputs or call.platform:
        return False
    supplied = supplied_attrs(evaluator, call)
    attrs = evaluator.operator.attrs
    in_order = all(attr.name not in call.attrs for attr in attrs[supplied : call.attr_count])
    return in_order and all(
        _has_plain_data(tensor) for arg in call.inputs.values() for tensor in tensors(arg)
    )


def supplied_attrs(evaluator: Evaluator, call: Call) -> int:
    """How many attributes the call supplies: up to the first that has no value."""
    attrs = evaluator.operator.attrs[: call.attr_count]
    open_ = (a.index for a in attrs if a.default is None and a.name not in call.attrs)
    return next(open_, len(attrs))


def _has_plain_data(tensor: TensorArg) -> bool:
    """Whether the tensor has no data, or whole numbers for each of its elements."""
    data = tensor.data
    if data is None:
        return True
    whole = tensor.dtype == "bool" or "int" in tensor.dtype
    return whole and DTYPES[tensor.dtype].size > 0 and len(data) == prod(tensor.shape) > 0
