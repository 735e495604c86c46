"""``validate``: everything that is wrong with some specs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from qsfa_codegen.diagnostics import Diagnostic, Severity, Sink

if TYPE_CHECKING:
    from qsfa_codegen.commands.workers import Claim, Crash


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found in one spec; ``trace`` when checking it broke the program."""

    spec: Path
    diagnostics: tuple[Diagnostic, ...]
    trace: str = ""
    broken: bool = False

    @property
    def valid(self) -> bool:
        """True when the spec has no errors."""
        return all(found.severity is not Severity.ERROR for found in self.diagnostics)


def validate(
    specs: Sequence[Path], jobs: int, report: Callable[[Verdict], None], step: Callable[[], None]
) -> list[Verdict]:
    """Check every spec; ``report`` hears of each in the order given, ``step`` of each that is finished."""
    from qsfa_codegen.commands import workers
    from qsfa_codegen.commands.faults import stopped
    from qsfa_codegen.spec.load import analyse

    def check(spec: Path, _: Claim) -> Verdict:
        sink = Sink()
        analyse(spec, sink)
        return Verdict(spec, tuple(sink))

    def broken(index: int, crash: Crash) -> Verdict:
        return Verdict(specs[index], (stopped(specs[index], crash),), crash.trace, broken=True)

    with closing(workers.run(specs, check, jobs)) as finished:
        return workers.in_order(finished, broken, report, step)
