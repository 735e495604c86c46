"""What ``build`` says of what became of each package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qsfa_codegen.commands import status
from qsfa_codegen.commands.build import Outcome, Request, Status, build
from qsfa_codegen.render.overlay import OverlayError

if TYPE_CHECKING:
    from qsfa_codegen.commands.terminal import Console

_EXIT = {
    Status.UNCHANGED: status.OK,
    Status.WRITTEN: status.OK,
    Status.ORPHANED: status.OK,
    Status.DRIFTED: status.FINDINGS,
    Status.REFUSED: status.FINDINGS,
    Status.FAILED: status.FINDINGS,
    Status.BROKEN: status.BROKEN,
}


def run(request: Request, console: Console) -> int:
    """Build, report, and return the exit status."""
    progress = console.progress(len(request.specs), "specs done")
    try:
        outcomes = build(request, lambda outcome: _report(outcome, console), progress.step)
    except OverlayError as error:
        for found in error.diagnostics:
            console.finding(found)
        console.finish()
        return status.FINDINGS
    console.result(_summary(outcomes))
    console.finish()
    return max(_EXIT[outcome.status] for outcome in outcomes)


def _report(outcome: Outcome, console: Console) -> None:
    for finding in outcome.findings:
        console.finding(finding.diagnostic, finding.detail)
    console.trace(outcome.trace)
    if outcome.status is Status.WRITTEN:
        console.result(_written(outcome))


def _written(outcome: Outcome) -> str:
    """``generated/name: 2 changed, 1 removed, 20 unchanged``."""
    numbers = {
        "created": len(outcome.created),
        "changed": len(outcome.changed),
        "removed": len(outcome.stale),
        "unchanged": outcome.unchanged,
    }
    counts = ", ".join(f"{number} {what}" for what, number in numbers.items() if number)
    forced = [f"  overwritten although {path} was not as generated" for path in outcome.overridden]
    return "\n".join([f"{outcome.package}: {counts}", *forced])


def _summary(outcomes: Sequence[Outcome]) -> str:
    """``4 packages: 1 written, 3 unchanged``."""
    numbers = {state: sum(outcome.status is state for outcome in outcomes) for state in Status}
    counts = ", ".join(f"{number} {state.value}" for state, number in numbers.items() if number)
    return f"{len(outcomes)} package{'s' if len(outcomes) != 1 else ''}: {counts}"
