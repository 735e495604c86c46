"""Runs call cases and compares what came out with what the cases expect."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from qsfa_codegen.contract.calls import Call, Result, Stage, dump, result_json
from qsfa_codegen.contract.env import single_precision
from qsfa_codegen.contract.evaluate import Evaluator

FULFILLED = 0
UNFULFILLED = 1


class Outcome(NamedTuple):
    """One case: what came out, and where that is not what the case expects."""

    call: Call
    result: Result
    differences: tuple[str, ...]


def run_cases(evaluator: Evaluator, calls: Iterable[Call], stage: Stage | None = None) -> Iterator[Outcome]:
    """Every case in order, one at a time; ``stage`` (else the case's own) runs a part alone."""
    for call in calls:
        result = evaluator.evaluate(call, stage)
        expected = call.expect or {}
        yield Outcome(call, result, tuple(differences(expected, result_json(result))))


def exit_status(outcomes: Iterable[Outcome]) -> int:
    """1 when a case did not come out as it expects, else 0, whatever was rejected."""
    return UNFULFILLED if any(outcome.differences for outcome in outcomes) else FULFILLED


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
    """The result as one line of JSON; what was not as expected is in ``unexpected``."""
    shown = result_json(outcome.result)
    if outcome.differences:
        shown["unexpected"] = list(outcome.differences)
    return dump(shown)


def outcome_text(outcome: Outcome) -> str:
    """The result as lines for people."""
    lines = [_headline(outcome.result)]
    lines += [f"    {v.constraint}: {v.message}" for v in outcome.result.violations]
    lines += [f"    not as expected: {difference}" for difference in outcome.differences]
    return "\n".join(lines)


def _headline(result: Result) -> str:
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
