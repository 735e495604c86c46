"""``emulate``: whether the generated kernel computes what the reference does, and runs as hardware asks."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from qsfa_codegen.commands import operators, status
from qsfa_codegen.diagnostics import Diagnostic

if TYPE_CHECKING:
    from qsfa_codegen.commands.terminal import Console
    from qsfa_codegen.commands.workers import Claim, Crash
    from qsfa_codegen.contract.calls import Call
    from qsfa_codegen.contract.evaluate import Evaluator
    from qsfa_codegen.emulate.program import KernelSources, Variant
    from qsfa_codegen.emulate.run import Prepared, Ran, Refused
    from qsfa_codegen.reference.families import FamilyReference
    from qsfa_codegen.spec.model import Operator

NO_NUMPY = "QS703"
NO_REFERENCE = "QS704"
SMALL = 200_000_000
"""Products that a derived call takes at most."""
MOST_SECONDS = 1_000_000


class Request(Struct, frozen=True):
    """What to run. ``cases`` None: ``derived`` calls that the spec implies.

    ``toolkit`` is the root of an installed toolkit, through whose Ascend C headers the kernel runs.
    """

    spec: Path
    cases: Path | None = None
    derived: int | None = None
    chip: str | None = None
    only: tuple[str, ...] = ()
    cores: int | None = None
    seed: int = 0
    schedule: str = "fixed"
    kernel: Path | None = None
    toolkit: Path | None = None
    trace: Path | None = None
    counts: bool = False
    limit: float = 600.0
    jobs: int | None = None
    form: str = "text"


class Case(Struct, frozen=True):
    """A case and what came of it: it ran, it was refused by host code, or it could not be run."""

    call: Call
    ran: Ran | None = None
    refused: str = ""
    problem: Diagnostic | None = None
    detail: str = ""


def run(request: Request, console: Console) -> int:
    """Emulate the cases, print what came of each and return the exit status."""
    from qsfa_codegen.host.errors import HostError

    operator = operators.load(request.spec, console)
    if operator is None:
        return status.FINDINGS
    try:
        found = _emulate(operator, request, console)
    except HostError as error:
        console.finding(error.diagnostic, error.detail)
        found = status.BROKEN
    console.finish()
    return found


def _emulate(operator: Operator, request: Request, console: Console) -> int:
    from qsfa_codegen.contract.evaluate import Evaluator
    from qsfa_codegen.emulate.program import kernel_sources

    _check(request)
    evaluator = Evaluator(operator)
    chip = operators.chips_of(operator, request.chip)[0]
    sources = kernel_sources(operator, chip, request.kernel)
    run = _Run(evaluator, _family(operator), sources, request, console)
    calls = run.calls()
    return status.USAGE if calls is None else run.run(calls)


def _check(request: Request) -> None:
    """What would be found out only after all cases, or not at all."""
    if not 0 < request.limit <= MOST_SECONDS:
        raise status.BadUsageError(f"--limit takes seconds above 0, at most {MOST_SECONDS:,}")
    if request.cases is not None and request.derived is not None:
        raise status.BadUsageError("--derived makes calls where there are no CASES: give one of the two")
    if request.trace is not None and not request.trace.parent.is_dir():
        raise status.BadUsageError(f"--trace: there is no folder {request.trace.parent}")


def _family(operator: Operator) -> FamilyReference:
    import os

    from qsfa_codegen.host.errors import HostError

    # Each process has a core to itself. To be said before numpy is loaded.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from qsfa_codegen.reference.families import reference_of
    except ImportError as error:
        message = f"emulate needs {error.name}, which is not installed"
        raise HostError(Diagnostic(NO_NUMPY, message, help="pip install 'qsfa-codegen[emulate]'")) from error
    family = reference_of(operator)
    if family is None:
        message = f"{operator.snake} has no reference to compare the kernel's outputs with"
        raise HostError(Diagnostic(NO_REFERENCE, message))
    return family


class _Run:
    """One operator on one chip: its cases, each in the next free process."""

    def __init__(
        self,
        evaluator: Evaluator,
        family: FamilyReference,
        sources: KernelSources,
        request: Request,
        console: Console,
    ) -> None:
        from qsfa_codegen.emulate.run import Emulation
        from qsfa_codegen.emulator.toolkit import KernelHeaders

        self._evaluator = evaluator
        self._chip = sources.chip
        self._family = family
        self._sources = sources
        self._request = request
        self._console = console
        headers = None if request.toolkit is None else KernelHeaders.at(request.toolkit, sources.chip)
        self._emulation = Emulation(sources, family, evaluator, headers)
        self._programs: dict[Variant, Path] = {}

    # ------------------------------------------------------------------ cases

    def calls(self) -> list[Call] | None:
        """The calls to run; None when there is something wrong with the file of cases."""
        request = self._request
        if request.cases is None:
            from qsfa_codegen.emulate.derived import DerivedCalls

            derived = DerivedCalls(self._evaluator, self._chip, self._family, SMALL)
            calls = [derived.call(request.seed, number) for number in range(request.derived or 20)]
        else:
            from qsfa_codegen.commands.call import read

            found = read(request.cases, self._sources.operator, self._console)
            if found is None:
                return None
            calls = [call for call in found if self._evaluator.chip(call.chip) is self._chip]
        chosen = [call for call in calls if not request.only or call.id in request.only]
        missing = [name for name in request.only if all(call.id != name for call in calls)]
        if missing:
            raise status.BadUsageError(f"there is no case {', '.join(missing)} for {self._chip.id}")
        return [self._on_cores(call) for call in chosen]

    def _on_cores(self, call: Call) -> Call:
        cores = self._request.cores
        if cores is None:
            return call
        vectors = self._chip.aiv // self._chip.aic
        return replace(call, platform={**call.platform, "aic": cores, "aiv": vectors * cores})

    # ------------------------------------------------------------------ running

    def run(self, calls: Sequence[Call]) -> int:
        """Emulate, print and return the exit status."""
        from qsfa_codegen.commands import workers
        from qsfa_codegen.commands.emulate_report import Reporter

        prepared = tuple(self._emulation.prepared(calls))
        self._compile(prepared)
        reporter = Reporter(self._sources, self._request, self._console, len(self._programs))
        progress = self._console.progress(len(prepared), f"cases of {self._sources.operator.snake} done")
        jobs = self._request.jobs or workers.usable_cores()
        tasks = tuple(enumerate(prepared))
        with closing(workers.run(tasks, self._case, jobs)) as finished:
            workers.in_order(finished, partial(self._broken, calls), reporter.case, progress.step)
        return reporter.end()

    def _compile(self, prepared: Sequence[Prepared | Refused]) -> None:
        """Compile every variant that some case runs."""
        from concurrent.futures import ThreadPoolExecutor

        from qsfa_codegen.commands import workers
        from qsfa_codegen.emulate.run import Prepared

        variants = list(dict.fromkeys(one.variant for one in prepared if isinstance(one, Prepared)))
        what = f"variants of the kernel of {self._sources.operator.snake} compiled"
        progress = self._console.progress(len(variants), what)

        def compiled(variant: Variant) -> Path:
            program = self._emulation.program(variant)
            self._emulation.own_program(variant)
            progress.step()
            return program

        with ThreadPoolExecutor(self._request.jobs or workers.usable_cores()) as pool:
            self._programs = dict(zip(variants, pool.map(compiled, variants), strict=True))
        progress.clear()

    def _case(self, task: tuple[int, Prepared | Refused], _: Claim) -> Case:
        from qsfa_codegen.emulate.run import DataError, How, Refused
        from qsfa_codegen.host.errors import HostError

        number, prepared = task
        if isinstance(prepared, Refused):
            return Case(prepared.call, refused=prepared.reason)
        request = self._request
        order = request.seed if request.schedule == "random" else None
        how = How(order, request.limit, trace=request.trace is not None and number == 0)
        try:
            ran = self._emulation.run(prepared, request.seed, how, self._programs[prepared.variant])
        except DataError as error:
            return Case(prepared.call, refused=f"its data breaks a rule: {error}")
        except HostError as error:
            return Case(prepared.call, problem=error.diagnostic, detail=error.detail)
        return Case(prepared.call, ran)

    def _broken(self, calls: Sequence[Call], number: int, crash: Crash) -> Case:
        from qsfa_codegen.commands.faults import stopped

        self._console.trace(crash.trace)
        return Case(calls[number], problem=stopped(self._request.spec, crash))
