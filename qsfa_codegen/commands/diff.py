"""``diff``: what the edit of a spec does to callers, to built kernels and to the docs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.commands import operators, specs, status
from qsfa_codegen.diagnostics import Diagnostic, Severity, Sink
from qsfa_codegen.expr.memo import forget
from qsfa_codegen.resources import CHIPS, chips_of, resource
from qsfa_codegen.review.base import (
    Base,
    BaseError,
    BaseSpec,
    base_of,
    find,
    operator_name,
    operator_of,
    removed,
)

if TYPE_CHECKING:
    from qsfa_codegen.commands.terminal import Console
    from qsfa_codegen.review.compare import Review
    from qsfa_codegen.review.files.model import Files
    from qsfa_codegen.spec.model import Operator

BREAKING = 100


class Request(Struct, frozen=True):
    """What to compare.

    ``base`` is a revision or a folder, None for HEAD. ``every`` says that no spec was named, so that
    specs which only the base has are looked for. ``allow`` are codes that do not count as breaking.
    ``contract``, ``witness`` and ``files`` are the layers to show. ``html`` is where a page with all
    of it goes, to which generated files belong unless they are ruled out.
    """

    specs: tuple[Path, ...]
    every: bool
    base: str | None = None
    allow: tuple[str, ...] = ()
    contract: bool = True
    witness: bool = True
    shows_files: bool | None = None
    html: Path | None = None
    prove: bool = False
    form: str = "text"

    @property
    def files(self) -> bool:
        """Show what became of generated files."""
        return bool(self.shows_files)

    @property
    def compares_files(self) -> bool:
        """Whether anything shows generated files."""
        return self.files or (self.html is not None and self.shows_files is None)


def run(request: Request, console: Console) -> int:
    """Compare each spec with the base, print the reviews and return the exit status."""
    _check(request)
    reviews: list[Review] = []
    try:
        for spec in request.specs:
            reviews.append(_review(spec, request, console))
            forget()
        if request.every:
            reviews += _removed(request, reviews)
    except BaseError as error:
        raise status.BadUsageError(str(error)) from error
    if request.html is not None:
        _write(request.html, reviews)
    _print(reviews, request, console)
    if any(review.problem for review in reviews):
        return status.FINDINGS
    return BREAKING if any(review.breaks for review in reviews) else status.OK


def _check(request: Request) -> None:
    if request.allow:
        from qsfa_codegen.review.rules import RULES

        unknown = [code for code in request.allow if code not in {rule.code for rule in RULES}]
        if unknown:
            raise status.BadUsageError(f"no change has the code {unknown[0]}; see `explain`")
    if request.html is not None:
        _check_page(request.html, request.specs)
    if request.prove:
        from qsfa_codegen.review.prove import available

        if not available():
            raise status.BadUsageError("--prove needs z3: install qsfa-codegen[prove]")


def _check_page(path: Path, specs: tuple[Path, ...]) -> None:
    """A page must not take the place of what it is about."""
    if not path.name:
        raise status.BadUsageError("--html needs the name of a file")
    sources = {*specs, *(chips for spec in specs if (chips := chips_of(spec)))}
    if path.exists() and any(source.exists() and path.samefile(source) for source in sources):
        raise status.BadUsageError(f"{path} is a source: choose another file for the page")


def _faulty(spec: Path, base: Base, problem: str) -> Review:
    """The review of a spec that could not be compared, under the operator's name if that can be told."""
    from qsfa_codegen.review.compare import Review
    from qsfa_codegen.spec.names import snake

    name = None
    if spec.is_file():
        name = operator_name(spec.read_text(encoding="utf-8", errors="replace"))
    return Review(snake(name) if name else spec.as_posix(), spec.as_posix(), base.label, (), problem=problem)


def _review(spec: Path, request: Request, console: Console) -> Review:
    """The review of one spec, which says so when that, or the base's, has errors."""
    from qsfa_codegen.review.compare import Review, allowed, found_in, relation
    from qsfa_codegen.review.pair import Pair

    base = base_of(request.base, spec)
    new = operators.load(spec, console)
    if new is None:
        return _faulty(spec, base, "the spec has errors")
    text = spec.read_text(encoding="utf-8")
    found = find(base, spec, text)
    if found is None:
        return Review(new.snake, spec.as_posix(), base.label, (), fresh=True)
    old = _operator(found, console)
    if old is None:
        console.finding(Diagnostic("QS931", f"the spec of {spec} in {base.label} cannot be read"))
        return _faulty(spec, base, f"the spec of {base.label} cannot be read")
    texts = {found.name: found.data.decode("utf-8"), spec.as_posix(): text}
    pair = Pair(old, new, texts, request.prove)
    found_changes = found_in(pair)
    contract = relation(pair, found_changes)
    changes, unused = allowed(found_changes, request.allow, new.allowed, old.allowed)
    for entry in unused:
        message = f"the break {entry.code} that is allowed counts for nothing"
        help = "an entry is for the edit that it comes with: remove it"
        console.finding(Diagnostic("QS932", message, entry.span, help, Severity.WARNING))
    return Review(
        new.snake,
        spec.as_posix(),
        base.label,
        changes,
        relation=contract,
        unused=unused,
        files=_files(old, new) if request.compares_files else None,
        was=found.name,
        texts={found.chips_name: found.chips.decode("utf-8", "replace"), **dict(_chips(spec)), **texts},
    )


def _files(old: Operator, new: Operator) -> Files:
    """What became of generated files; only a spec without errors by the rules of today has any."""
    from qsfa_codegen.review.files.model import Files
    from qsfa_codegen.review.files.packages import compare_packages
    from qsfa_codegen.spec.rules import check

    sink = Sink()
    check(old, sink)
    if sink.failed:
        return Files(problem="by the rules of today the spec of the base has errors")
    return compare_packages(old, new)


def _chips(spec: Path) -> Iterator[tuple[str, str]]:
    """The description of chips that goes with a spec, by its name in places."""
    path = chips_of(spec) or resource(CHIPS)
    yield path.as_posix(), path.read_text(encoding="utf-8", errors="replace")


def _operator(found: BaseSpec, console: Console) -> Operator | None:
    """The operator of the base, if its spec can be read."""
    sink = Sink()
    operator = operator_of(found, sink)
    if operator is None:
        for diagnostic in sink:
            console.finding(diagnostic)
    return operator


def _removed(request: Request, reviews: list[Review]) -> Iterator[Review]:
    """A review for each operator that only the base has."""
    from qsfa_codegen.review.compare import Review, allowed
    from qsfa_codegen.review.removed import change_of_removed
    from qsfa_codegen.spec.names import snake

    base = base_of(request.base, request.specs[0])
    kept = [review.name for review in reviews]  # as it is with a spec that has errors
    matched = [review.was for review in reviews]
    for name, operator in removed(base, specs.FOLDER, matched):
        if snake(operator) not in kept:
            changes, _ = allowed((change_of_removed(operator, name),), request.allow, (), ())
            yield Review(snake(operator), name, base.label, changes)


def _print(reviews: list[Review], request: Request, console: Console) -> None:
    from qsfa_codegen.review import report

    console.result(report.document(reviews, request, colour=console.colour).rstrip("\n"))
    console.finish()


def _write(path: Path, reviews: list[Review]) -> None:
    """The page, whole or not at all; into what is no plain file, such as a pipe, as it comes."""
    from qsfa_codegen.review.report.page import page

    data = page(reviews).encode("utf-8", "replace")
    passing = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        if path.is_symlink() or (path.exists() and not path.is_file()):
            path.write_bytes(data)
            return
        passing.write_bytes(data)
        passing.replace(path)
    except OSError as error:
        with suppress(OSError):
            passing.unlink()
        raise status.BadUsageError(f"{path} cannot be written: {error.strerror}") from error
