"""The packages of two versions of an operator, compared file by file; nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.render.cpp import places
from qsfa_codegen.render.header import header
from qsfa_codegen.render.package import ARTEFACTS, groups, render_these
from qsfa_codegen.review.files.model import FileChange, Files, Fold, Hunk, Noise, Row, Status
from qsfa_codegen.review.files.noise import Known, marked
from qsfa_codegen.review.files.rows import side_by_side, stretches, windows
from qsfa_codegen.review.files.scopes import is_cpp, scopes_in, with_scopes

if TYPE_CHECKING:
    from qsfa_codegen.render.artefact import Artefact
    from qsfa_codegen.spec.model import Operator


class _File(Struct, frozen=True):
    path: str
    text: str


class Version(Struct, frozen=True):
    """What is generated from an operator, by the artefact that it is."""

    operator: Operator
    files: Mapping[int, _File]


def compare_packages(old: Operator, new: Operator) -> Files:
    """What differs between what is generated from two versions, grouped by artefact.

    A file is known by what it is, not by its path: an operator with another name has other paths.
    """
    before, after = version(old), version(new)
    changed: list[tuple[int, FileChange]] = []
    same = 0
    order = groups()
    for number, artefact in enumerate(ARTEFACTS):
        left, right = before.files.get(number), after.files.get(number)
        if left == right:
            same += left is not None
        else:
            found = _compared(artefact, left, right, before.operator, after.operator)
            changed.append((order.index(artefact.group), found))
    return Files(tuple(file for _, file in sorted(changed, key=lambda item: item[0])), same)


def version(operator: Operator) -> Version:
    """The files of an operator, in memory."""
    wanted = [(n, a) for n, a in enumerate(ARTEFACTS) if not operator.emit or a.group in operator.emit]
    texts = render_these(operator, [artefact for _, artefact in wanted])
    paths = {n: artefact.path(operator) for n, artefact in wanted if artefact.applies(operator)}
    return Version(operator, {n: _File(path, texts[path]) for n, path in paths.items()})


def _compared(
    artefact: Artefact, left: _File | None, right: _File | None, old: Operator, new: Operator
) -> FileChange:
    if left is None or right is None:
        present = right or left
        assert present is not None
        status = Status.ADDED if left is None else Status.REMOVED
        texts = ("", present.text) if left is None else (present.text, "")
        return _file(artefact.group, (present.path, present.path), texts, status)
    status = Status.CHANGED if left.path == right.path else Status.RENAMED
    known = (_known(old, left.path), _known(new, right.path))
    return _file(artefact.group, (left.path, right.path), (left.text, right.text), status, known)


def compare_texts(artefact: str, path: str, before: str, after: str) -> FileChange:
    """What differs between two versions of a file that is not generated."""
    return _file(artefact, (path, path), (before, after), Status.CHANGED)


def _file(
    artefact: str,
    paths: tuple[str, str],
    texts: tuple[str, str],
    status: Status,
    known: tuple[Known, Known] | None = None,
) -> FileChange:
    """``known`` tells noise from the rest; without it, there is none."""
    (was, path), (before, after) = paths, texts
    old, new = _lines(before), _lines(after)
    rows = side_by_side(old, new)
    if known is not None:
        rows = marked(rows, *known, cpp=is_cpp(path))
    scopes = scopes_in(was, old), scopes_in(path, new)
    shown = windows(rows)
    return FileChange(
        artefact=artefact,
        path=path,
        was=was,
        status=status,
        before=before,
        after=after,
        hunks=tuple(with_scopes(Hunk(rows[window.start : window.stop]), *scopes) for window in shown),
        folds=_folds(rows, shown),
    )


def _lines(text: str) -> list[str]:
    """Lines as editors count them: only LF ends one, and what generated it ended the last."""
    return text.removesuffix("\n").split("\n") if text else []


def _known(operator: Operator, path: str) -> Known:
    return Known(header(operator.source, path, operator.license).count("\n"), places(operator))


def _folds(rows: tuple[Row, ...], shown: tuple[range, ...]) -> tuple[Fold, ...]:
    """Noise outside of the windows; a run of one kind is a hunk."""
    seen = {at for window in shown for at in window}
    hidden = [Row(None, None) if at in seen else row for at, row in enumerate(rows)]

    def is_a(noise: Noise) -> Callable[[Row], bool]:
        return lambda row: row.noise is noise

    counted = ((noise, sum(1 for _ in stretches(hidden, is_a(noise)))) for noise in Noise)
    return tuple(Fold(noise, count) for noise, count in counted if count)
