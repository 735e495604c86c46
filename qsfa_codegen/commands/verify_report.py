"""What ``verify`` prints of an operator: lines for people, or one JSON object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from qsfa_codegen.contract.calls import call_json, dump
from qsfa_codegen.verify.disagree import expected

if TYPE_CHECKING:
    from pathlib import Path

    from qsfa_codegen.commands.verify import Reduced, Request
    from qsfa_codegen.contract.run import Outcome
    from qsfa_codegen.emulate.program import KernelSources
    from qsfa_codegen.emulate.typecheck import Checked
    from qsfa_codegen.spec.model import Operator
    from qsfa_codegen.verify.disagree import Tally

_NAMED = 8
"""Rules that are named; more than that are counted."""


def note(operator: Operator, request: Request, toolkit: Path, not_run: str | None) -> str:
    """What a toolkit makes of the code: its headers accept it, or why it is not run with the libraries."""
    if request.form == "json":
        told = {"compiles": True} if not_run is None else {"runs": False, "reason": not_run}
        return dump({"operator": operator.snake, "toolkit": str(toolkit), **told})
    if not_run is None:
        return f"{operator.snake}: compiles with the headers of {toolkit}"
    return f"{operator.snake}: not run with the libraries of {toolkit}: {not_run}"


def kernel_note(
    sources: KernelSources,
    form: str,
    toolkit: Path,
    checks: Sequence[Checked],
    not_checked: str | None = None,
) -> str:
    """What a toolkit's Ascend C headers make of the kernel: they accept it, or why it is not compiled."""
    name, arch = sources.operator.snake, sources.chip.arch
    if form == "json":
        told = (
            {"checked": [check.name for check in checks]} if not_checked is None else {"reason": not_checked}
        )
        return dump({"operator": name, "toolkit": str(toolkit), "kernel": {"arch": arch, **told}})
    if not_checked is not None:
        return f"{name}: kernel for {arch} not compiled with the headers of {toolkit}: {not_checked}"
    number = max(check.keys for check in checks)
    keys = f"{number} tiling key{'' if number == 1 else 's'}"
    names = "; ".join(check.name for check in checks)
    headers = f"the Ascend C headers of {toolkit}"
    return f"{name}: the kernel for {arch} compiles with {headers} ({names}; {keys} each)"


def report(
    operator: Operator,
    request: Request,
    tally: Tally,
    reduced: Sequence[Reduced],
    toolkit: Path | None = None,
) -> str:
    """The result of verifying one operator; with the libraries of ``toolkit``, else with the stand-in."""
    unbroken = tuple(dict.fromkeys(c.id for c in operator.checks if c.id not in tally.broken))
    if request.form == "json":
        shown = _object(operator, request, tally, reduced, unbroken)
        return dump(shown if toolkit is None else {**shown, "toolkit": str(toolkit)})
    name = operator.snake if toolkit is None else f"{operator.snake} with the libraries of {toolkit}"
    return "\n".join(_lines(name, tally, reduced, unbroken if toolkit is None else ()))


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


def _lines(name: str, tally: Tally, reduced: Sequence[Reduced], unbroken: tuple[str, ...]) -> Iterator[str]:
    verdict = "the engines agree"
    if tally.kinds:
        many = sum(tally.kinds.values())
        verdict = f"the engines disagree about {many:,}, in {_counted(len(tally.kinds), 'way')}"
    yield f"{name}: {_counted(tally.calls, 'call')}, {tally.legal:,} of them legal: {verdict}"
    if unbroken:
        several = len(unbroken) > _NAMED
        yield f"  rules that no call broke: {len(unbroken) if several else ', '.join(unbroken)}"
    for one in reduced:
        for number, text in enumerate(one.outcome.disagreements):
            yield f"  {text}" if number else f"  {_counted(one.calls, 'call')}: {text}"
        yield dump(case(one.outcome))


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
