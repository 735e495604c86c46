"""What ``emulate`` prints: a line for each case, findings by their line of the kernel, and counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from qsfa_codegen.commands import status
from qsfa_codegen.contract.calls import call_json, dump
from qsfa_codegen.emulate.findings import Findings, difference, mismatch

if TYPE_CHECKING:
    from qsfa_codegen.commands.emulate import Case, Request
    from qsfa_codegen.commands.terminal import Console
    from qsfa_codegen.emulate.program import KernelSources
    from qsfa_codegen.emulate.run import Ran
    from qsfa_codegen.emulator.launch import CoreCounts

GENERATED = Path("generated")
_MANY = 3


class Reporter:
    """Tells of each case when it comes, and of the whole run at its end."""

    def __init__(
        self,
        sources: KernelSources,
        request: Request,
        console: Console,
        variants: int,
    ) -> None:
        self._operator = sources.operator
        self._chip = sources.chip
        self._request = request
        self._console = console
        self._variants = variants
        self._findings = Findings(sources, GENERATED)
        self._right = self._wrong = self._refused = self._broken = 0
        self._traced = False

    def case(self, case: Case) -> None:
        """Report a case."""
        if self._request.form == "json":
            self._console.write(dump(_object(case, self._request)))
        if case.problem is not None:
            self._broken += 1
            self._console.finding(case.problem, case.detail)
        elif case.ran is None:
            self._refused += 1
            self._console.result(f"{case.call.id}: not launched: {case.refused}")
        else:
            self._ran(case, case.ran)

    def _ran(self, case: Case, ran: Ran) -> None:
        self._right += ran.right
        self._wrong += not ran.right
        self._findings.add(case.call.id, ran.report.findings)
        self._console.result("\n".join(_lines(case, ran, self._request)))
        for worst in ran.worst:
            if worst.wrong:
                self._console.finding(mismatch(case.call.id, worst))
        for different in ran.differences:
            self._console.finding(difference(case.call.id, different))
        if self._request.trace is not None and not self._traced:
            self._traced = True
            self._write_trace(self._request.trace, ran.trace)
            self._console.note(f"{self._request.trace}: the timeline of {case.call.id}")

    def _write_trace(self, path: Path, text: str) -> None:
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise status.BadUsageError(f"{path} cannot be written: {error.strerror}") from error

    def end(self) -> int:
        """Report findings and the sum of it; the exit status."""
        launched = self._right + self._wrong
        self._console.add_sources(self._findings.texts())
        for diagnostic in self._findings.diagnostics(launched):
            self._console.finding(diagnostic)
        parts = [f"{self._right:,} right", f"{self._wrong:,} wrong"]
        parts += [f"{self._refused:,} not launched"] if self._refused else []
        parts += [f"{self._broken:,} failed"] if self._broken else []
        total = launched + self._refused + self._broken
        variants = f"{self._variants} variant{'' if self._variants == 1 else 's'} of the kernel"
        self._console.result(
            f"{self._operator.snake} on {self._chip.id}: {total:,} case{'' if total == 1 else 's'}, "
            f"{variants}: {', '.join(parts)}"
        )
        if self._broken:
            return status.BROKEN
        return status.FINDINGS if self._wrong else status.OK


def _lines(case: Case, ran: Ran, request: Request) -> Iterator[str]:
    name = case.call.id
    verdict = "right" if ran.right else "wrong" if ran.report.complete else "did not end"
    parts = [f"{name}: {verdict}"]
    for worst in ran.worst:
        place = ", ".join(map(str, worst.place))
        off = f"{worst.output} off by up to {worst.error:.2g}"
        parts.append(f"{off}, {_share(worst.share)} what is allowed at [{place}]")
    errors = sum(f.severity != "warning" for f in ran.report.findings)
    if request.toolkit is not None and ran.report.complete:
        count = len(ran.differences)
        said = f"{count} output{'' if count == 1 else 's'} not" if count else "the same bytes"
        parts.append(f"{said} as through the emulator's own headers")
    parts += [f"{errors} kind{'' if errors == 1 else 's'} of errors"] if errors else []
    parts.append(f"{ran.report.cycles:,} cycles")
    yield "; ".join(parts)
    if not ran.right:
        yield dump(call_json(replace(case.call, expect=None)))
    if request.counts:
        yield from _table(ran.report.cores)


def _share(share: float) -> str:
    """``12% of``, or where it is far more than all of it, ``40 times``."""
    return f"{share:.0%} of" if share < _MANY else f"{share:,.0f} times"


def _table(cores: Mapping[str, CoreCounts]) -> Iterator[str]:
    """The counts of each core that did something."""
    for name, core in cores.items():
        if not any(core.instructions.values()):
            continue
        pipes = ", ".join(f"{pipe} {n:,}" for pipe, n in core.instructions.items() if n)
        routes = ", ".join(f"{route} {n:,}" for route, n in core.bytes.items() if n)
        yield f"  {name}: instructions {pipes}; bytes {routes or 'none'}"
        yield (
            f"  {' ' * len(name)}  repeats {core.repeats:,}, MACs {core.macs:,}, scalar reads of GM "
            f"{core.scalar_gm_reads:,}, flags {core.flags:,}, barriers {core.barriers:,} "
            f"({core.vector_barriers:,} of V), cross-core flags {core.cross_flags:,}"
        )


def _object(case: Case, request: Request) -> Mapping[str, object]:
    shown: dict[str, object] = {"id": case.call.id}
    if case.problem is not None:
        return {**shown, "status": "failed", "reason": case.problem.message}
    if case.ran is None:
        return {**shown, "status": "not launched", "reason": case.refused}
    ran = case.ran
    shown["status"] = "right" if ran.right else "wrong"
    shown["cycles"] = ran.report.cycles
    shown["outputs"] = [{**msgspec.to_builtins(worst), "share": worst.share} for worst in ran.worst]
    if request.toolkit is not None:
        shown["differences"] = msgspec.to_builtins(ran.differences)
    shown["findings"] = msgspec.to_builtins(ran.report.findings)
    if request.counts:
        shown["cores"] = msgspec.to_builtins(ran.report.cores)
    if not ran.right:
        shown["case"] = call_json(replace(case.call, expect=None))
    return shown
