"""Calls through both engines, and what is told apart where they disagree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from qsfa_codegen.contract.calls import Call, result_json
from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.contract.run import Outcome, SecondEngine, run_both

Signature = tuple[str, ...]

_RULE = re.compile(r"\[(\w+)\]$")

KEPT = 3
"""Disagreements of one kind that a tally keeps."""


class Disagreement(Struct, frozen=True):
    """A call, what the engines say differently of it, and the kind of that difference."""

    call: Call
    says: tuple[str, ...]
    signature: Signature


class Tally(Struct, frozen=True):
    """What came of many calls. ``broken`` are ids of rules in their order of appearance."""

    calls: int
    legal: int
    broken: tuple[str, ...]
    kinds: Mapping[Signature, int]
    disagreements: tuple[Disagreement, ...]


def tally(evaluator: Evaluator, engine: SecondEngine, calls: Iterable[Call]) -> Tally:
    """Run every call through both engines."""
    total = legal = 0
    broken: dict[str, None] = {}
    kinds: dict[Signature, int] = {}
    kept: list[Disagreement] = []
    for outcome in run_both(evaluator, engine, calls):
        total += 1
        legal += outcome.result.ok
        broken.update(dict.fromkeys(v.constraint for v in outcome.result.violations))
        if outcome.disagreements:
            sign = signature(outcome)
            kinds[sign] = kinds.get(sign, 0) + 1
            if kinds[sign] <= KEPT:
                kept.append(Disagreement(outcome.call, outcome.disagreements, sign))
    return Tally(total, legal, tuple(broken), kinds, tuple(kept))


def total(tallies: Iterable[Tally]) -> Tally:
    """Several tallies as one."""
    calls = legal = 0
    broken: dict[str, None] = {}
    kinds: dict[Signature, int] = {}
    kept: list[Disagreement] = []
    for part in tallies:
        calls += part.calls
        legal += part.legal
        broken.update(dict.fromkeys(part.broken))
        for sign, count in part.kinds.items():
            kinds[sign] = kinds.get(sign, 0) + count
        kept.extend(part.disagreements)
    return Tally(calls, legal, tuple(broken), kinds, tuple(kept))


def signature(outcome: Outcome) -> Signature:
    """The kind of a disagreement: cases of one kind most likely have one cause."""
    ours, theirs = outcome.result, outcome.other
    if theirs is None or theirs.fault or ours.fault:
        return ("fault", *_RULE.findall(outcome.disagreements[0]))
    if ours.ok and theirs.ok:
        return tuple(text.partition(":")[0] for text in outcome.disagreements)
    if ours.ok or not theirs.ok:
        return ("rejects", *(v.constraint for v in theirs.violations))
    return ("accepts", ours.violations[0].constraint)


def first_of_each(found: Tally) -> tuple[Disagreement, ...]:
    """The first disagreement of each kind, the most frequent kinds first."""
    first: dict[Signature, Disagreement] = {}
    for one in found.disagreements:
        first.setdefault(one.signature, one)
    return tuple(sorted(first.values(), key=lambda one: -found.kinds[one.signature]))


def expected(outcome: Outcome) -> Mapping[str, object]:
    """What the contract says of a call, as a case expects it: no words; tiling where that differs."""
    result = outcome.result
    if not result.ok:
        violations = [{"constraint": v.constraint} for v in result.violations]
        return {"status": "rejected", "violations": violations}
    shown = result_json(result)
    names = (
        ("status", "outputs", "tiling")
        if signature(outcome)[0].startswith("tiling")
        else ("status", "outputs")
    )
    return {name: shown[name] for name in names if name in shown}


def disagreeing(evaluator: Evaluator, engine: SecondEngine, calls: Iterable[Call]) -> Iterator[Outcome]:
    """The calls, of many, about which the engines disagree."""
    return (outcome for outcome in run_both(evaluator, engine, calls) if outcome.disagreements)
