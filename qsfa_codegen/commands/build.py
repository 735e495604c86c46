"""``build``: from specs to packages on disk, or what would change there."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from qsfa_codegen import __version__, manifest, resources, writer
from qsfa_codegen.commands import ahead
from qsfa_codegen.commands import build_findings as findings
from qsfa_codegen.commands.build_findings import Finding
from qsfa_codegen.diagnostics import Diagnostic, Severity, Sink, Span
from qsfa_codegen.manifest import Overlay, Provenance
from qsfa_codegen.render.overlay import template_files
from qsfa_codegen.spec.source_text import encodable
from qsfa_codegen.stamp import Entry, Stamp, toolchain
from qsfa_codegen.transaction import WriteError
from qsfa_codegen.writer import Plan, RefusedError, UnsafePathError

if TYPE_CHECKING:
    from qsfa_codegen.commands.workers import Claim, Crash
    from qsfa_codegen.spec.model import Operator

_GENERATOR = f"qsfa-codegen {__version__}"


class Status(Enum):
    """What became of a package. DRIFTED: it is not what the spec gives, and ``check`` left it so."""

    UNCHANGED = "unchanged"
    WRITTEN = "written"
    DRIFTED = "out of date"
    REFUSED = "refused"
    ORPHANED = "without a spec"
    FAILED = "failed"  # the spec has errors
    BROKEN = "broken"  # the disk or the program does


class Request(Struct, frozen=True):
    """What to build. ``every`` says that ``specs`` are all there are; ``jobs`` None is one for each core."""

    specs: tuple[Path, ...]
    out: Path
    every: bool = False
    check: bool = False
    force: bool = False
    prune: bool = False
    take_over: bool = False
    jobs: int | None = None
    templates: Path | None = None


class Outcome(Struct, frozen=True):
    """What became of one spec. The lists are paths in the package; ``entry`` is for the stamp."""

    spec: Path
    status: Status
    package: Path | None = None
    created: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    overridden: tuple[str, ...] = ()
    unchanged: int = 0
    findings: tuple[Finding, ...] = ()
    trace: str = ""
    entry: Entry | None = None


Report = Callable[[Outcome], None]


def build(request: Request, report: Report, step: Callable[[], None]) -> list[Outcome]:
    """Build every spec; ``report`` hears of each in the order given, ``step`` of each that is finished.

    Packages are independent: an error in one spec does not keep the others from being written.
    Raises OverlayError when the folder of templates cannot be used.
    """
    if request.templates:
        template_files(request.templates)  # before anything opens them
    stamp = Stamp(request.out, lambda: toolchain(_inputs(request), resources.APART))
    tasks = [(spec, stamp.current(spec)) for spec in request.specs]
    if all(current for _, current in tasks):
        outcomes = [_unchanged(request, spec, *current) for spec, current in tasks if current]
        for outcome in outcomes:
            report(outcome)
    else:
        outcomes = _build_tasks(request, tasks, report, step, stamp.toolchain)
    for outcome in outcomes:
        if outcome.entry:
            stamp.record(outcome.spec, outcome.entry)
    stamp.save()
    if request.every and all(outcome.package for outcome in outcomes):
        outcomes += _orphans(request, {outcome.package for outcome in outcomes}, report)
    return outcomes


def _inputs(request: Request) -> list[Path]:
    """Everything besides the specs that decides what is generated."""
    beside = sorted({chips for spec in request.specs if (chips := resources.chips_of(spec))})
    own = [resources.PACKAGE, resources.resource(resources.TEMPLATES), resources.resource(resources.CHIPS)]
    overlay = [request.templates] if request.templates else []
    return [*own, *(chips for chips in beside if chips.is_file()), *overlay]


Current = tuple[str, int] | None
"""What a stamp says of a spec with nothing to do: its package and the number of files."""


def _overlay(folder: Path) -> Overlay:
    return Overlay(encodable(folder.resolve().name), toolchain([folder]))


def _unchanged(request: Request, spec: Path, package: str, count: int) -> Outcome:
    return Outcome(spec, Status.UNCHANGED, request.out / package, unchanged=count)


def _build_tasks(
    request: Request,
    tasks: Sequence[tuple[Path, Current]],
    report: Report,
    step: Callable[[], None],
    toolchain: Callable[[], str],
) -> list[Outcome]:
    from qsfa_codegen.commands import workers
    from qsfa_codegen.commands.faults import stopped

    cores = request.jobs or workers.usable_cores()
    jobs = min(cores, sum(current is None for _, current in tasks))
    builder = _Builder(request, toolchain, alone=jobs == 1 < cores)

    def broken(index: int, crash: Crash) -> Outcome:
        spec = tasks[index][0]
        return Outcome(spec, Status.BROKEN, findings=(Finding(stopped(spec, crash)),), trace=crash.trace)

    with closing(workers.run(tasks, builder.build, jobs)) as finished:
        return workers.in_order(finished, broken, report, step)


# --------------------------------------------------------------------------- one spec


class _Builder:
    """Builds one spec after the other; what they share is loaded once.

    For many specs that is before any process is forked, for a single one while another process reads it.
    """

    def __init__(self, request: Request, toolchain: Callable[[], str], *, alone: bool) -> None:
        """``alone``: there is one spec to build, and a core that nothing else keeps busy."""
        self._request = request
        self._toolchain = toolchain
        self._alone = alone
        self._aside = _aside() if alone else _nobody
        if request.templates:
            from qsfa_codegen.render.templates import Templates

            Templates(request.templates).check()
        self._overlay = _overlay(request.templates) if request.templates else None
        if not alone:
            ahead.prepare()
            self._prepare()

    def _prepare(self) -> None:
        """What can be done before a spec is read."""
        self._toolchain()  # first: what changes from here on shall count as changed
        from qsfa_codegen.render import answers, asked, cases, left_out, package
        from qsfa_codegen.render.templates import Templates
        from qsfa_codegen.spec import rules

        self._check = rules.check
        self._asked, self._hearing = asked.asked, answers.hearing
        self._render = package.render
        self._without_cases = cases.without_cases
        self._left_out = left_out.left_out
        self._templates = Templates(self._request.templates)
        self._templates.environment()
        gc.freeze()  # what the imports made stays for good: no need to look through it again and again

    def build(self, task: tuple[Path, Current], claim: Claim) -> Outcome:
        """Bring the package of one spec up to date."""
        spec, current = task
        if current:
            claim(current[0])
            return _unchanged(self._request, spec, *current)
        if spec is not self._request.specs[0]:
            from qsfa_codegen.expr.memo import forget

            forget()  # what the spec before it left behind
        return self._build(spec, claim)

    def _build(self, spec: Path, claim: Claim) -> Outcome:
        with self._aside(partial(ahead.work, spec)) as values:
            if self._alone:
                self._prepare()
            operator, sink = ahead.reading(spec, values)
            if operator is None:
                return _failed(spec, sink)
            with self._hearing(operator, self._asked(operator), values):
                files = self._files(spec, operator, sink, claim)
        if files is None:
            return _failed(spec, sink)
        provenance = Provenance(
            _GENERATOR, encodable(resources.name_of(spec)), operator.source.sha256, self._overlay
        )
        package = self._request.out / operator.snake
        source = _Source(spec, operator.name_span)
        outcome = _bring_up_to_date(self._request, source, package, files, provenance)
        if not sink:
            return outcome
        # No entry: the next build repeats the warnings.
        return replace(outcome, findings=(*map(Finding, sink), *outcome.findings), entry=None)

    def _files(self, spec: Path, operator: Operator, sink: Sink, claim: Claim) -> dict[str, str] | None:
        """The text of each file of the package; None, and errors in ``sink``, where it cannot be made."""
        self._check(operator, sink)
        if sink.failed:
            return None
        owner = claim(operator.snake)
        if owner is not None:
            sink.add(findings.twice(operator, spec, self._request.specs[owner]))
            return None
        try:
            files = self._render(operator, self._templates)
        except Exception as error:
            sink.add(findings.template_fault(error, spec, self._request.templates))
            return None
        for rules, chips in self._without_cases(operator).items():
            sink.add(findings.no_call(operator, chips, rules))
        for found in self._left_out(operator):
            sink.add(found)
        return files


Aside = Callable[[Callable[[], Iterable[object]]], AbstractContextManager[Iterator[object]]]
"""Has something worked out while the caller goes on."""


def _aside() -> Aside:
    """Takes half of the work on a package to another process, where the system can fork one."""
    if not hasattr(os, "fork"):
        return _nobody
    from qsfa_codegen.commands.aside import aside

    return aside


def _nobody(work: Callable[[], Iterable[object]]) -> AbstractContextManager[Iterator[object]]:
    return nullcontext(iter(()))


def _failed(spec: Path, sink: Sink) -> Outcome:
    return Outcome(spec, Status.FAILED, findings=tuple(map(Finding, sink)))


# --------------------------------------------------------------------------- one package


class _Source(Struct, frozen=True):
    """What a package is made from: the spec, and where the operator is named in it."""

    spec: Path
    span: Span | None = None


def _bring_up_to_date(
    request: Request, source: _Source, package: Path, files: dict[str, str], provenance: Provenance
) -> Outcome:
    try:
        if request.check:
            plan = writer.plan(package, files, provenance)
        else:
            plan = writer.update(package, files, provenance, force=request.force, take_over=request.take_over)
    except RefusedError as error:
        plan = error.plan
    except UnsafePathError as error:
        return _broken(source, package, "QS907", error)
    except WriteError as error:
        return _broken(source, package, "QS904", error)
    return _outcome(request, source, package, plan)


def _broken(source: _Source, package: Path, code: str, error: Exception) -> Outcome:
    finding = Finding(Diagnostic(code, f"{package} was not written: {error}", source.span))
    return Outcome(source.spec, Status.BROKEN, package, findings=(finding,))


def _outcome(request: Request, source: _Source, package: Path, plan: Plan) -> Outcome:
    if plan.refused:
        status = Status.REFUSED
    elif plan.idle:
        status = Status.UNCHANGED
    else:
        status = Status.DRIFTED if request.check else Status.WRITTEN
    return Outcome(
        source.spec,
        status,
        package,
        created=plan.created,
        changed=plan.changed,
        stale=plan.stale,
        overridden=plan.overridden,
        unchanged=len(plan.unchanged),
        findings=_findings(source, plan, status),
        entry=_entry(plan) if status in (Status.UNCHANGED, Status.WRITTEN) else None,
    )


def _entry(plan: Plan) -> Entry | None:
    """What to remember of a package that is as it should be; nothing of one that was removed."""
    listing = plan.contents.get(manifest.NAME)
    if listing is None:
        return None
    return Entry(plan.provenance.spec_sha256, plan.package.name, manifest.digest(listing))


def _findings(source: _Source, plan: Plan, status: Status) -> tuple[Finding, ...]:
    if status is Status.DRIFTED:
        return (findings.drift(source.spec, source.span, plan),)
    changes = (findings.other_origin(source.span, plan, change) for change in plan.origin)
    refused = (findings.refused(plan.package, refusal) for refusal in plan.hand_edited)
    return (*changes, *refused)


# --------------------------------------------------------------------------- packages without a spec


def _orphans(request: Request, packages: set[Path | None], report: Report) -> list[Outcome]:
    """What becomes of generated packages in the output folder that no spec generates any more."""
    outcomes: list[Outcome] = []
    for path in sorted(request.out.glob(f"*/{manifest.NAME}")):
        package = path.parent
        if package in packages:
            continue
        found = None
        with suppress(OSError):
            found = writer.listed(package)
        if found:
            outcomes.append(_orphan(request, Path(found.spec), package))
            report(outcomes[-1])
    return outcomes


def _orphan(request: Request, spec: Path, package: Path) -> Outcome:
    if request.prune and not request.check:
        return _bring_up_to_date(request, _Source(spec), package, {}, Provenance(_GENERATOR, "", ""))
    finding = Diagnostic(
        "QS909",
        f"{package} was generated from {spec}, and no spec generates it any more",
        help="remove it with `build --prune`",
        severity=Severity.WARNING,
    )
    status = Status.DRIFTED if request.check else Status.ORPHANED
    return Outcome(spec, status, package, findings=(Finding(finding),))
