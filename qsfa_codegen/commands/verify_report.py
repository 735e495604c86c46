"""What ``verify`` prints of an operator: lines for people, or one JSON object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from qsfa_codegen.contract.calls import call_json, dump
from qsfa_codegen.verify.disagree import expected

if TYPE_CHECKING:
    from qsfa_codegen.commands.verify import Reduced, Request
    from qsfa_codegen.contract.run import Outcome
    from qsfa_codegen.spec.model import Operator
    from qsfa_codegen.verify.disagree import Tally

_NAMED = 8
"""Rules that are named; more than that are counted."""


def report(operator: Operator, request: Request, tally: Tally, reduced: Sequence[Reduced]) -> str:
    """The result of verifying one operator."""
    unbroken = tuple(dict.fromkeys(c.id for c in operator.checks if c.id not in tally.broken))
    if request.form == "json":
        return dump(_object(operator, request, tally, reduced, unbroken))
    return "\n".join(_lines(operator, tally, reduced, unbroken))


def case(outcome: Outcome) -> Mapping[str, object]:
    """A call as its call case, which expects what the contract says."""
    return call_json(replace(outcome.call, expect=expected(outcome)))


def _object(
    operator: Operator,
    request: Request,
    tally: Tally,
    reduced: Sequence[Reduced],
    unbroken: tuple[str, ...],
) -> Mapping[str, object]:
    return {
        "operator": operator.snake,
        "seed": request.seed,
        "calls": tally.calls,
        "legal": tally.legal,
        "disagreeing": sum(tally.kinds.values()),
        "unbroken": unbroken,
        "disagreements": [
            {"calls": one.calls, "says": one.outcome.disagreements, "case": case(one.outcome)}
            for one in reduced
        ],
    }


def _lines(
    operator: Operator, tally: Tally, reduced: Sequence[Reduced], unbroken: tuple[str, ...]
) -> Iterator[str]:
    verdict = "the engines agree"
    if tally.kinds:
        many = sum(tally.kinds.values())
        verdict = f"the engines disagree about {many:,}, in {_counted(len(tally.kinds), 'way')}"
    yield f"{operator.snake}: {_counted(tally.calls, 'call')}, {tally.legal:,} of them legal: {verdict}"
    if unbroken:
        several = len(unbroken) > _NAMED
        yield f"  rules that no call broke: {len(unbroken) if several else ', '.join(unbroken)}"
    for one in reduced:
        for number, text in enumerate(one.outcome.disagreements):
            yield f"  {text}" if number else f"  {_counted(one.calls, 'call')}: {text}"
        yield dump(case(one.outcome))


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
