"""``validate``: everything that is wrong with some specs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.commands import status
from qsfa_codegen.diagnostics import Diagnostic, Severity, Sink
from qsfa_codegen.resources import CHIPS

if TYPE_CHECKING:
    from qsfa_codegen.commands.terminal import Console
    from qsfa_codegen.commands.workers import Claim, Crash


class Verdict(Struct, frozen=True):
    """What was found in one spec; ``trace`` when checking it broke the program."""

    diagnostics: tuple[Diagnostic, ...]
    trace: str = ""
    broken: bool = False

    @property
    def status(self) -> int:
        """The exit status of a run with this spec alone."""
        if self.broken:
            return status.BROKEN
        failed = any(found.severity is Severity.ERROR for found in self.diagnostics)
        return status.FINDINGS if failed else status.OK


def run(specs: Sequence[Path], jobs: int | None, console: Console) -> int:
    """Check every spec, report in the order given, and return the exit status."""
    from qsfa_codegen.commands import workers
    from qsfa_codegen.commands.faults import stopped
    from qsfa_codegen.expr.memo import forget
    from qsfa_codegen.render.left_out import left_out
    from qsfa_codegen.spec.chips import load_chips
    from qsfa_codegen.spec.load import analyse

    def check(spec: Path, _: Claim) -> Verdict:
        if spec is not specs[0]:
            forget()  # what the spec before it left behind
        sink = Sink()
        if spec.name == CHIPS:
            load_chips(spec, sink)
        else:
            operator = analyse(spec, sink)
            for found in left_out(operator) if operator is not None else ():
                sink.add(found)
        return Verdict(tuple(sink))

    def broken(index: int, crash: Crash) -> Verdict:
        return Verdict((stopped(specs[index], crash),), crash.trace, broken=True)

    def report(verdict: Verdict) -> None:
        for diagnostic in verdict.diagnostics:
            console.finding(diagnostic)
        console.trace(verdict.trace)

    progress = console.progress(len(specs), "specs done")
    with closing(workers.run(specs, check, jobs or workers.usable_cores())) as finished:
        verdicts = workers.in_order(finished, broken, report, progress.step)
    console.result(_summary(verdicts))
    console.finish()
    return max(verdict.status for verdict in verdicts)


def _summary(verdicts: Sequence[Verdict]) -> str:
    from qsfa_codegen.diagnostic_formats import summary

    found = list(dict.fromkeys(diagnostic for verdict in verdicts for diagnostic in verdict.diagnostics))
    return f"{len(verdicts)} spec{'s' if len(verdicts) != 1 else ''}: {summary(found)}"
