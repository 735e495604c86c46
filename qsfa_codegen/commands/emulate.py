"""``emulate``: whether the generated kernel computes what the reference does, and runs as hardware asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from qsfa_codegen.commands import operators, status
from qsfa_codegen.diagnostics import Diagnostic

if TYPE_CHECKING:
    from qsfa_codegen.commands.terminal import Console
    from qsfa_codegen.commands.workers import Crash
    from qsfa_codegen.contract.calls import Call
    from qsfa_codegen.contract.evaluate import Evaluator
    from qsfa_codegen.emulate.program import KernelSources, Variant
    from qsfa_codegen.emulate.run import Prepared, Ran
    from qsfa_codegen.reference.families import FamilyReference
    from qsfa_codegen.spec.model import Chip, Operator

NO_NUMPY = "QS703"
NO_REFERENCE = "QS704"
SMALL = 200_000_000
"""Products that a derived call takes at most."""


class Request(Struct, frozen=True):
    """What to run. ``cases`` None: ``derived`` calls that the spec implies."""

    spec: Path
    cases: Path | None = None
    derived: int | None = None
    chip: str | None = None
    only: tuple[str, ...] = ()
    cores: int | None = None
    seed: int = 0
    schedule: str = "fixed"
    kernel: Path | None = None
    trace: Path | None = None
    counts: bool = False
    limit: float = 600.0
    jobs: int | None = None
    form: str = "text"


class Case(Struct, frozen=True):
    """A case and what came of it: it ran, it was rejected by host code (why), or it could not be run."""

    call: Call
    ran: Ran | None = None
    rejected: str = ""
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

    evaluator = Evaluator(operator)
    chip = _chip(evaluator, request)
    sources = kernel_sources(operator, chip, request.kernel)
    run = _Run(operator, evaluator, chip, _family(operator), sources, request, console)
    calls = run.calls()
    return status.USAGE if calls is None else run.run(calls)


def _chip(evaluator: Evaluator, request: Request) -> Chip:
    if request.chip is None:
        return evaluator.operator.chips[0]
    chip = evaluator.chip(request.chip)
    if chip is None:
        known = ", ".join(c.id for c in evaluator.operator.chips)
        raise status.BadUsageError(
            f"{evaluator.operator.snake} does not support {request.chip}; it supports {known}"
        )
    return chip


def _family(operator: Operator) -> FamilyReference:
    from qsfa_codegen.host.errors import HostError

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
        operator: Operator,
        evaluator: Evaluator,
        chip: Chip,
        family: FamilyReference,
        sources: KernelSources,
        request: Request,
        console: Console,
    ) -> None:
        from qsfa_codegen.emulate.run import Orders

        self._operator = operator
        self._evaluator = evaluator
        self._chip = chip
        self._family = family
        self._sources = sources
        self._request = request
        self._console = console
        self._orders = Orders(request.schedule == "random", request.seed)
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

            found = read(request.cases, self._operator, self._console)
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

        prepared = list(self._prepared(calls))
        self._build([one for one in prepared if not isinstance(one, Case)])
        reporter = Reporter(
            self._operator, self._chip, self._sources, self._request, self._console, len(self._programs)
        )
        progress = self._console.progress(len(prepared), f"cases of {self._operator.snake} done")
        jobs = self._request.jobs or workers.usable_cores()
        with closing(
            workers.run(range(len(prepared)), lambda n, _: self._case(prepared[n], n), jobs)
        ) as finished:
            workers.in_order(
                finished, lambda n, crash: self._broken(calls[n], crash), reporter.case, progress.step
            )
        return reporter.end()

    def _prepared(self, calls: Sequence[Call]) -> Iterator[Prepared | Case]:
        """What host code says of each call: that it is rejected, or what it tells the kernel."""
        from qsfa_codegen.contract.calls import Stage
        from qsfa_codegen.emulate.program import variant_of
        from qsfa_codegen.emulate.run import prepare
        from qsfa_codegen.host.engine import HostEngine

        with HostEngine(self._operator) as engine:
            for call, result in zip(calls, engine.results(calls), strict=True):
                if not result.ok or call.stage is Stage.INFER or result.tiling is None:
                    yield Case(call, rejected=_reason(result.fault, [v.message for v in result.violations]))
                    continue
                env, _ = self._evaluator.env(call, self._chip)
                libapi = self._evaluator.tables.names_of(self._chip, call.platform)["libapi_workspace"]
                assert isinstance(libapi, int)
                variant = variant_of(self._operator, env, result.tiling.key)
                yield prepare(call, env, result, libapi, variant)

    def _build(self, prepared: Sequence[Prepared]) -> None:
        """Compile every variant that some case runs."""
        from concurrent.futures import ThreadPoolExecutor

        from qsfa_codegen.commands import workers
        from qsfa_codegen.emulate.program import build_program

        variants = list(dict.fromkeys(one.variant for one in prepared))
        progress = self._console.progress(
            len(variants), f"variants of the kernel of {self._operator.snake} compiled"
        )

        def compiled(variant: Variant) -> Path:
            program = build_program(self._sources, variant)
            progress.step()
            return program

        with ThreadPoolExecutor(self._request.jobs or workers.usable_cores()) as pool:
            self._programs = dict(zip(variants, pool.map(compiled, variants), strict=True))

    def _case(self, prepared: Prepared | Case, number: int) -> Case:
        from qsfa_codegen.emulate.run import run
        from qsfa_codegen.host.errors import HostError

        if isinstance(prepared, Case):
            return prepared
        call, request = prepared.call, self._request
        try:
            ran = run(
                self._operator,
                self._chip,
                self._family,
                prepared,
                self._programs[prepared.variant],
                self._orders,
                request.limit,
                trace=request.trace is not None and number == 0,
            )
        except HostError as error:
            return Case(call, problem=error.diagnostic, detail=error.detail)
        return Case(call, ran)

    def _broken(self, call: Call, crash: Crash) -> Case:
        from qsfa_codegen.commands.faults import stopped

        self._console.trace(crash.trace)
        return Case(call, problem=stopped(self._request.spec, crash))


def _reason(fault: str, violations: Sequence[str]) -> str:
    return fault or (violations[0] if violations else "it asks for shapes alone")
