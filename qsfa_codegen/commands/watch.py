"""``build --watch``: builds again whenever a spec, chips or templates change, and says what that did."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from qsfa_codegen.commands import specs as spec_files
from qsfa_codegen.commands import status
from qsfa_codegen.commands.build import Outcome, Request, Status, build
from qsfa_codegen.commands.build_findings import Finding
from qsfa_codegen.commands.faults import stopped
from qsfa_codegen.commands.terminal import Console
from qsfa_codegen.commands.watched import State, next_state, state
from qsfa_codegen.commands.workers import Crash, guarded
from qsfa_codegen.diagnostics import Severity, Sink
from qsfa_codegen.expr.memo import forget
from qsfa_codegen.render.overlay import OverlayError
from qsfa_codegen.resources import CHIPS, PACKAGE, TEMPLATES, chips_of, resource, spec_folders
from qsfa_codegen.review import report
from qsfa_codegen.review.base import BaseSpec, operator_of
from qsfa_codegen.review.compare import allowed, compare

_BASE = "the last build"


class _Said(Struct, frozen=True):
    """What was reported of a package, and what its spec and chips held then."""

    inputs: BaseSpec | None
    status: Status
    findings: tuple[Finding, ...]


class _Known(Struct):
    """What earlier builds left: specs as they were when their packages were last up to date, and reports."""

    good: dict[Path, BaseSpec] = field(default_factory=dict)
    said: dict[Path, _Said] = field(default_factory=dict)


def run(named: Sequence[Path], request: Request, console: Callable[[], Console]) -> int:
    """Build now and after each change, until the user interrupts.

    ``named`` are the specs of the command line: with none, those are built that the folder of specs
    has at the time. ``console`` makes one for each build. Returns when the program itself is changed:
    what it would write is not what it would be taken for.
    """
    known = _Known()
    program = state([PACKAGE])
    roots = tuple(_roots(named, request))

    def look() -> State:
        return state(roots)

    seen = look()
    console().note("watching specs, chips and templates; Ctrl-C ends it")
    while state([PACKAGE]) == program:
        _rebuild(named, request, known, console())
        forget()
        gc.unfreeze()  # a build takes what there is for good, as if none came after it
        seen = next_state(seen, look)
    console().note("the program was changed: start it again")
    return status.BROKEN


def _roots(named: Sequence[Path], request: Request) -> Iterator[Path]:
    """Everything that decides what is generated, whether it is there or not."""
    yield from named or [spec_files.FOLDER]
    yield from {folder / CHIPS for spec in named for folder in spec_folders(spec)}
    yield from (PACKAGE, resource(TEMPLATES), resource(CHIPS))
    if request.templates:
        yield request.templates


# --------------------------------------------------------------------------- one build


def _rebuild(named: Sequence[Path], request: Request, known: _Known, console: Console) -> None:
    """Build what there is now; what is wrong is said, and the next change may mend it."""
    outcomes: list[Outcome] = []
    try:
        request = replace(request, specs=spec_files.operators(named))
        outcomes = build(request, lambda _: None, lambda: None)
    except OverlayError as error:
        for found in error.diagnostics:
            console.finding(found)
        _say(console, "the templates cannot be used; no file written")
    except status.BadUsageError as error:
        _say(console, f"{error}; no file written")
    except OSError as error:  # as when a file goes away while the build reads it
        _say(console, f"{error.filename or 'the disk'}: {error.strerror or error}")
    said = {}
    for outcome in outcomes:
        own = outcome.spec in request.specs  # or it is a package without a spec
        key = outcome.spec if own or outcome.package is None else outcome.package
        now = _Said(_snapshot(outcome.spec) if own else None, _lasting(outcome.status), outcome.findings)
        if outcome.status is Status.WRITTEN or now != known.said.get(key):
            _tell(outcome, now.inputs, known, console)
        said[key] = now
    known.said = said


def _lasting(became: Status) -> Status:
    """What a package is after it was written."""
    return Status.UNCHANGED if became is Status.WRITTEN else became


def _snapshot(spec: Path) -> BaseSpec | None:
    """A spec and its chips as they are now; None when they cannot be read."""
    chips = chips_of(spec) or resource(CHIPS)
    try:
        if not (spec.is_file() and chips.is_file()):  # reading a pipe would wait
            return None
        return BaseSpec(spec.as_posix(), spec.read_bytes(), chips.as_posix(), chips.read_bytes())
    except OSError:
        return None


def _tell(outcome: Outcome, inputs: BaseSpec | None, known: _Known, console: Console) -> None:
    for finding in outcome.findings:
        console.finding(finding.diagnostic, finding.detail)
    console.trace(outcome.trace)
    parts = [_files(outcome)]
    if inputs is not None and outcome.status in (Status.UNCHANGED, Status.WRITTEN, Status.REFUSED):
        parts = [*_contract(outcome, inputs, known, console), *parts]
    name = outcome.package.name if outcome.package else outcome.spec.as_posix()
    _say(console, f"{name}: {'; '.join(parts)}")


def _files(outcome: Outcome) -> str:
    if outcome.status is Status.WRITTEN:
        counts = {"written": len(outcome.created) + len(outcome.changed), "removed": len(outcome.stale)}
        return ", ".join(f"{_counted(n, 'file')} {what}" for what, n in counts.items() if n)
    if outcome.status is Status.UNCHANGED:
        return "no file changed"
    if outcome.status is Status.FAILED:
        errors = sum(finding.diagnostic.severity is Severity.ERROR for finding in outcome.findings)
        return f"{_counted(errors, 'error')}; no file written"
    return f"{outcome.status.value}; no file written"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _say(console: Console, text: str) -> None:
    console.result(f"{time.strftime('%H:%M:%S')} {text}")


# --------------------------------------------------------------------------- what it does to callers


def _contract(outcome: Outcome, now: BaseSpec, known: _Known, console: Console) -> Iterator[str]:
    """What became of the contract since the package was last up to date; nothing where it never was."""
    spec = outcome.spec
    was = spec if spec in known.good else _moved(now, known)
    before = known.good.get(was)
    if before is None or outcome.status is not Status.REFUSED:
        known.good.pop(was, None)
        known.good[spec] = now
    if before is None:
        return
    said = guarded(lambda pair, _: _difference(*pair), (before, now), lambda _: None)
    if isinstance(said, Crash):
        console.finding(stopped(spec, said))
        console.trace(said.trace)
    elif said:
        yield said


def _moved(now: BaseSpec, known: _Known) -> Path:
    """Where the operator was, if that is gone: the file was given another name."""
    gone = (path for path, was in known.good.items() if was.operator == now.operator and not path.exists())
    return next(gone, Path(now.name))


def _difference(before: BaseSpec, now: BaseSpec) -> str:
    """Changes by class; empty where a spec was edited again since it was built, and cannot be read."""
    earlier = replace(before, name=f"{_BASE}:{before.name}", chips_name=f"{_BASE}:{before.chips_name}")
    old, new = operator_of(earlier, Sink()), operator_of(now, Sink())
    if old is None or new is None:
        return ""
    texts = {found.name: found.data.decode() for found in (earlier, now)}
    changes, _ = allowed(compare(old, new, texts), (), new.allowed, old.allowed)
    return report.counts(changes) or "no change for callers"
