"""``verify``: whether generated host code says of calls what the contract says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.commands import operators, status
from qsfa_codegen.diagnostics import Diagnostic

if TYPE_CHECKING:
    from qsfa_codegen.commands.terminal import Console
    from qsfa_codegen.commands.workers import Claim, Crash
    from qsfa_codegen.contract.calls import Call
    from qsfa_codegen.contract.evaluate import Evaluator
    from qsfa_codegen.contract.run import Outcome
    from qsfa_codegen.host.toolkit import Toolkit
    from qsfa_codegen.spec.model import Chip, Operator
    from qsfa_codegen.verify.disagree import Tally

CHUNK = 1000
_SHRUNK = 10
"""Kinds of disagreements of one operator that are shrunk; more are most likely of one cause."""


class Request(Struct, frozen=True):
    """What to run. ``jobs`` None is one process for each core; ``form`` is text or json.

    ``toolkit`` is the root of an installed toolkit: the host code is compiled with its headers too, and run
    with its libraries where they can be loaded.
    """

    specs: tuple[Path, ...]
    count: int
    seed: int = 0
    jobs: int | None = None
    sanitize: bool = False
    form: str = "text"
    toolkit: Path | None = None


class Reduced(Struct, frozen=True):
    """One kind of disagreement: a small case of it, and on how many calls it was met."""

    outcome: Outcome
    calls: int


class _Target(Struct, frozen=True):
    """A program that runs the host code, and which calls it can be asked.

    ``toolkit`` is the root of the toolkit whose libraries it runs with; None is the stand-in.
    """

    program: Path
    toolkit: Path | None = None
    answers: Callable[[Call], bool] = lambda _: True


class _Part(Struct, frozen=True):
    """What came of a chunk of calls: a tally, or why there is none."""

    tally: Tally | None
    problem: Diagnostic | None = None
    detail: str = ""


def run(request: Request, console: Console) -> int:
    """Verify each spec, print what was found and return the exit status."""
    from qsfa_codegen.host.errors import HostError
    from qsfa_codegen.host.toolkit import NoToolkitError, Toolkit

    try:
        toolkit = None if request.toolkit is None else Toolkit.at(request.toolkit)
    except NoToolkitError as error:
        raise status.BadUsageError(str(error)) from error
    found = status.OK
    for spec in request.specs:
        try:
            found = max(found, _verify(spec, request, toolkit, console))
        except HostError as error:
            console.finding(error.diagnostic, error.detail)
            found = status.BROKEN
    console.finish()
    return found


def _verify(spec: Path, request: Request, toolkit: Toolkit | None, console: Console) -> int:
    from qsfa_codegen.contract.evaluate import Evaluator
    from qsfa_codegen.host.build import build
    from qsfa_codegen.host.engine import host_files

    operator = operators.load(spec, console)
    if operator is None:
        return status.FINDINGS
    run = _Run(spec, Evaluator(operator), request, console)
    found = status.OK if toolkit is None else _verify_with(toolkit, operator, run)
    return max(found, run.run(_Target(build(host_files(operator), sanitize=request.sanitize))))


def _verify_with(toolkit: Toolkit, operator: Operator, run: _Run) -> int:
    """Compile with the headers of a toolkit and, where that can be done, run with its libraries."""
    from qsfa_codegen.host.engine import host_files
    from qsfa_codegen.host.toolkit_run import NotRunnableError, can_say, program

    files = host_files(operator)
    refusals = list(toolkit.refusals(files))
    for refusal in refusals:
        run.console.finding(refusal.diagnostic, refusal.detail)
    if refusals:
        return status.FINDINGS
    run.note(toolkit.root)
    if not _kernel_accepted(toolkit.root, operator, run):
        return status.FINDINGS
    with TemporaryDirectory(prefix="qsfa-codegen-") as folder:
        try:
            path = program(toolkit, operator, files, Path(folder))
        except NotRunnableError as error:
            run.note(toolkit.root, str(error))
            return status.OK
        return run.run(_Target(path, toolkit.root, partial(can_say, operator)))


def _kernel_accepted(root: Path, operator: Operator, run: _Run) -> bool:
    """Compile the kernel, where there is one, with a toolkit's Ascend C headers; False: they refuse it."""
    from qsfa_codegen.emulate.typecheck import checked_chips

    accepted = [_kernel_accepted_for(chip, root, operator, run) for chip in checked_chips(operator)]
    return all(accepted)


def _kernel_accepted_for(chip: Chip, root: Path, operator: Operator, run: _Run) -> bool:
    from qsfa_codegen.commands.verify_report import kernel_note
    from qsfa_codegen.emulate.program import kernel_sources
    from qsfa_codegen.emulate.typecheck import refusals
    from qsfa_codegen.emulator.toolkit import KernelHeaders
    from qsfa_codegen.host.errors import HostError

    try:
        sources = kernel_sources(operator, chip)
    except HostError:  # there is none
        return True
    told = partial(kernel_note, sources, run.form, root)
    try:
        headers = KernelHeaders.at(root, chip)
    except HostError as error:
        run.console.result(told((), error.diagnostic.message))
        return True
    found = list(refusals(sources, headers))
    for _, refusal in found:
        if refusal is not None:
            run.console.finding(refusal.diagnostic, refusal.detail)
    if any(refusal is not None for _, refusal in found):
        return False
    run.console.result(told([check for check, _ in found]))
    return True


class _Run:
    """One operator: its calls in chunks, each in the next free process."""

    def __init__(self, spec: Path, evaluator: Evaluator, request: Request, console: Console) -> None:
        from qsfa_codegen.verify.generate import Calls

        self._spec = spec
        self._operator = evaluator.operator
        self._request = request
        self.console = console
        self._evaluator = evaluator
        self._calls = Calls(evaluator)

    @property
    def form(self) -> str:
        """Of the results: text or json."""
        return self._request.form

    def note(self, toolkit: Path, not_run: str | None = None) -> None:
        """Say that a toolkit's headers accept the code, or why it is not run with its libraries."""
        from qsfa_codegen.commands.verify_report import note

        self.console.result(note(self._operator, self._request, toolkit, not_run))

    def run(self, target: _Target) -> int:
        """Verify, print and return the exit status."""
        from qsfa_codegen.commands.verify_report import report
        from qsfa_codegen.verify.disagree import total

        parts = self._parts(target)
        for part in parts:
            if part.problem is not None:
                self.console.finding(part.problem, part.detail)
        if any(part.tally is None for part in parts):
            return status.BROKEN
        tally = total(part.tally for part in parts if part.tally is not None)
        reduced = self._reduced(tally, target)
        self.console.result(report(self._operator, self._request, tally, reduced, target.toolkit))
        return status.FINDINGS if tally.kinds else status.OK

    def _parts(self, target: _Target) -> Sequence[_Part]:
        from qsfa_codegen.commands import workers

        count = self._request.count
        chunks = [range(first, min(first + CHUNK, count)) for first in range(0, count, CHUNK)]
        progress = self.console.progress(count, f"calls of {self._operator.snake} done")
        jobs = self._request.jobs or workers.usable_cores()
        with closing(workers.run(chunks, partial(self._chunk, target), jobs)) as finished:
            return workers.in_order(finished, self._broken, _unreported, lambda: progress.step(CHUNK))

    def _chunk(self, target: _Target, numbers: range, _: Claim) -> _Part:
        from qsfa_codegen.host.engine import HostEngine
        from qsfa_codegen.host.errors import HostError
        from qsfa_codegen.verify.disagree import tally

        try:
            calls = filter(target.answers, self._calls.calls(self._request.seed, numbers))
            with HostEngine(self._operator, target.program) as engine:
                return _Part(tally(self._evaluator, engine, calls))
        except HostError as error:
            return _Part(None, error.diagnostic, error.detail)

    def _broken(self, _: int, crash: Crash) -> _Part:
        from qsfa_codegen.commands.faults import stopped

        self.console.trace(crash.trace)
        return _Part(None, stopped(self._spec, crash))

    def _reduced(self, tally: Tally, target: _Target) -> tuple[Reduced, ...]:
        """A small case of each kind of disagreement, the most frequent kinds first."""
        if not tally.kinds:
            return ()
        from qsfa_codegen.host.engine import HostEngine
        from qsfa_codegen.verify.disagree import first_of_each
        from qsfa_codegen.verify.shrink import Shrinker

        with HostEngine(self._operator, target.program) as engine:
            shrinker = Shrinker(self._evaluator, engine, self._calls.legal, target.answers)
            kinds = first_of_each(tally)[:_SHRUNK]
            return tuple(Reduced(shrinker.shrink(kind), tally.kinds[kind.signature]) for kind in kinds)


def _unreported(part: _Part) -> None:
    """Parts make one report together."""
