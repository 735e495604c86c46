"""Runs call cases through engines and compares what came out with what the cases expect."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import tee
from typing import NamedTuple, Protocol

from qsfa_codegen.contract.calls import Call, Result, Stage, dump, result_json
from qsfa_codegen.contract.compare import disagreements
from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.diagnostic_formats import printable
from qsfa_codegen.expr.floats import single_precision

FULFILLED = 0
UNFULFILLED = 1


class Outcome(NamedTuple):
    """One case: what came out, where that is not what the case expects, and where two engines disagree.

    ``other`` is what the second engine says, where there is one.
    """

    call: Call
    result: Result
    differences: tuple[str, ...]
    disagreements: tuple[str, ...] = ()
    other: Result | None = None

    @property
    def fulfilled(self) -> bool:
        """True when nothing is wrong, whether the call is legal or not."""
        return not (self.differences or self.disagreements or self.result.fault)


class SecondEngine(Protocol):
    """An engine beside the evaluator. It reports the first violation alone."""

    def stage(self, call: Call, stage: Stage | None = None) -> Stage | None:
        """The part of the work that it runs when ``stage`` is asked for."""

    def results(self, calls: Iterable[Call], stage: Stage | None = None) -> Iterator[Result]:
        """The result of each call, in order."""


def run_cases(evaluator: Evaluator, calls: Iterable[Call], stage: Stage | None = None) -> Iterator[Outcome]:
    """Every case in order, one at a time; ``stage`` (else the case's own) runs a part alone."""
    for call in calls:
        result = evaluator.evaluate(call, stage)
        yield Outcome(call, result, _differences(call, result))


def run_second(engine: SecondEngine, calls: Iterable[Call], stage: Stage | None = None) -> Iterator[Outcome]:
    """As ``run_cases`` with another engine, of which one of the expected violations is enough.

    Where it runs a part of what is asked for, what is expected of the other part does not count.
    """
    asked, sent = tee(calls)
    for call, result in zip(asked, engine.results(sent, stage), strict=True):
        whole = engine.stage(call, stage) is (stage or call.stage)
        expected = _of_one_violation(call.expect or {}, result)
        if not whole:
            expected = _of_inference(expected, result)
        yield Outcome(call, result, tuple(differences(expected, result_json(result))))


def run_both(
    evaluator: Evaluator, engine: SecondEngine, calls: Iterable[Call], stage: Stage | None = None
) -> Iterator[Outcome]:
    """As ``run_cases``, with what the other engine says differently of the part that it runs."""
    asked, sent = tee(calls)
    for call, other in zip(asked, engine.results(sent, stage), strict=True):
        result = evaluator.evaluate(call, stage)
        part = engine.stage(call, stage)
        compared = result if part is (stage or call.stage) else evaluator.evaluate(call, part)
        yield Outcome(call, result, _differences(call, result), tuple(disagreements(compared, other)), other)


def exit_status(outcomes: Iterable[Outcome]) -> int:
    """1 when a case did not come out as it expects or an engine failed, else 0, whatever was rejected."""
    return FULFILLED if all(outcome.fulfilled for outcome in outcomes) else UNFULFILLED


def _differences(call: Call, result: Result) -> tuple[str, ...]:
    return tuple(differences(call.expect or {}, result_json(result)))


def _of_one_violation(expected: Mapping[str, object], result: Result) -> Mapping[str, object]:
    """What is expected, of several violations the one that was found."""
    found = [v.constraint for v in result.violations]
    wanted = expected.get("violations")
    if not isinstance(wanted, list | tuple):
        return expected
    same = [item for item in wanted if isinstance(item, Mapping) and item.get("constraint") in found]
    return {**expected, "violations": same} if same else expected


def _of_inference(expected: Mapping[str, object], result: Result) -> Mapping[str, object]:
    """What is expected of inference alone: no tiling, and no rejection, which may be the tiling's."""
    if result.ok and expected.get("status") == "rejected":
        return {}
    return {key: value for key, value in expected.items() if key != "tiling"}


def differences(expected: object, actual: object, path: str = "") -> Iterator[str]:
    """Where ``actual`` lacks or contradicts something of ``expected``; lists count as a whole."""
    if isinstance(expected, Mapping):
        found = actual if isinstance(actual, Mapping) else {}
        for key, value in expected.items():
            yield from differences(value, found.get(key), f"{path}.{key}" if path else str(key))
    elif isinstance(expected, list | tuple):
        items = actual if isinstance(actual, list | tuple) else ()
        if len(items) != len(expected) or actual is None:
            yield f"{path}: expected {_spelt(expected)}, got {_spelt(actual)}"
            return
        for index, (want, have) in enumerate(zip(expected, items, strict=True)):
            yield from differences(want, have, f"{path}[{index}]")
    elif not _equal(expected, actual):
        yield f"{path}: expected {_spelt(expected)}, got {_spelt(actual)}"


def _equal(expected: object, actual: object) -> bool:
    if isinstance(expected, float) or isinstance(actual, float):
        return _equal_floats(expected, actual)
    return expected == actual


def _equal_floats(expected: object, actual: object) -> bool:
    """Fields and attributes have 32 bits, so numbers that are the same there are the same."""
    if not isinstance(expected, int | float) or not isinstance(actual, int | float):
        return str(expected) == str(actual)
    if math.isnan(expected) or math.isnan(actual):
        return math.isnan(expected) and math.isnan(actual)
    return single_precision(expected) == single_precision(actual)


def _spelt(value: object) -> str:
    return dump({"": value})[len('{"": ') : -1]


# --------------------------------------------------------------------------- for people and programs


def outcome_json(outcome: Outcome) -> str:
    """The result as one line of JSON, with what is wrong in ``unexpected`` and ``disagreements``."""
    shown = result_json(outcome.result)
    if outcome.differences:
        shown["unexpected"] = list(outcome.differences)
    if outcome.disagreements:
        shown["disagreements"] = list(outcome.disagreements)
    return dump(shown)


def outcome_text(outcome: Outcome) -> str:
    """The result as lines for people, without characters that a terminal would obey."""
    lines = [_headline(outcome.result)]
    lines += [f"    {v.constraint}: {v.message}" for v in outcome.result.violations]
    lines += [f"    not as expected: {difference}" for difference in outcome.differences]
    lines += [f"    engines disagree: {disagreement}" for disagreement in outcome.disagreements]
    return "\n".join(map(printable, lines))


def _headline(result: Result) -> str:
    if result.fault:
        return f"{result.id}: fault: {result.fault}"
    if result.stage is not None:
        return f"{result.id}: rejected at {result.stage.value}"
    outputs = [f"{name} {t.dtype} {list(t.shape)}" for name, t in result.outputs.items()]
    parts = [", ".join(outputs)] if outputs else []
    if result.tiling is not None:
        tiling = result.tiling
        parts += [] if tiling.key is None else [f"key {tiling.key}"]
        parts += [] if tiling.block_dim is None else [f"block dim {tiling.block_dim}"]
        parts.append(f"workspace {' '.join(map(str, tiling.workspace))}")
    return f"{result.id}: ok" + "".join(f"; {part}" for part in parts)
