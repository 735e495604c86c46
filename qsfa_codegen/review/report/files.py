"""Generated files that an edit changes, in the forms of a review other than the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from qsfa_codegen.commands.terminal import painted
from qsfa_codegen.diagnostic_formats import printable
from qsfa_codegen.review.files.model import FileChange, Files, Hunk, Row, Side, Status
from qsfa_codegen.review.files.pieces import Line, head, left_out, pieces, unified

Object = Mapping[str, object]
_STYLES = {"-": "removed", "+": "added"}


def summary(files: Files) -> str:
    """One line: how many files differ, and by how much."""
    if files.problem:
        return f"files: not compared: {files.problem}"
    if not files.changed:
        return f"files: all {files.same} are the same"
    shown, quiet = files.shown, files.quiet
    total = len(files.changed) + files.same
    text = f"files: {len(shown)} of {total} changed"
    if shown:
        text += f", +{sum(file.added for file in shown)} -{sum(file.removed for file in shown)} lines"
    return text + (f"; {said_of_quiet(quiet)}" if quiet else "")


def said_of_quiet(quiet: Sequence[FileChange]) -> str:
    """``2 differ only in header lines and numbering``."""
    why = dict.fromkeys(fold.noise.value for file in quiet for fold in file.folds)
    return f"{len(quiet)} {'differs' if len(quiet) == 1 else 'differ'} only in {' and '.join(why)}"


def named(file: FileChange) -> str:
    """The path of a file, with the former one where that was another."""
    return f"{file.was} → {file.path}" if file.was != file.path else file.path


def by_artefact(files: Sequence[FileChange]) -> Iterator[tuple[str, list[FileChange]]]:
    """Files of each artefact."""
    for artefact, found in groupby(files, key=lambda file: file.artefact):
        yield artefact, list(found)


# --------------------------------------------------------------------------- a terminal


def text(files: Files, *, colour: bool) -> Iterator[str]:
    """Lines for people at a terminal."""
    yield summary(files)
    for artefact, changed in by_artefact(files.changed):
        yield ""
        yield painted("bold", artefact, colour=colour)
        for file in changed:
            yield from _file(file, colour)


def _file(file: FileChange, colour: bool) -> Iterator[str]:
    state = "" if file.status is Status.CHANGED else f" {file.status.value}"
    count = f" +{file.added} -{file.removed}" if file.hunks else ""
    folds = "".join(f" ({fold})" for fold in file.folds)
    yield f"  {painted('place', printable(named(file)), colour=colour)}{state}{count}{folds}"
    for hunk in file.hunks:
        yield painted("place", f"    {printable(head(hunk))}", colour=colour)
        yield from (f"    {_painted(line, colour)}".rstrip() for line in unified(hunk))


def _painted(line: Line, colour: bool) -> str:
    style = _STYLES.get(line.sign)
    if style is None or not colour:
        return f"{line.sign}{_plain(line.side)}"
    if line.quiet:
        return painted("quiet", f"{line.sign}{_plain(line.side)}", colour=colour)
    parts = [painted(style, line.sign, colour=colour)]
    for piece in pieces(line.side):
        shown = left_out(piece) if piece.left_out else printable(line.side.text[piece.start : piece.end])
        kind = "quiet" if piece.left_out else f"{style}_word" if piece.marked else style
        parts.append(painted(kind, shown, colour=colour))
    return "".join(parts)


def _plain(side: Side) -> str:
    return "".join(
        left_out(piece) if piece.left_out else printable(side.text[piece.start : piece.end])
        for piece in pieces(side)
    )


# --------------------------------------------------------------------------- a comment on a pull request

_MOST_OF_A_FILE = 60
_MOST_OF_ALL = 400


def markdown(files: Files) -> Iterator[str]:
    """A part for each artefact, closed; GitHub takes no long comments, so of long diffs the beginning."""
    head_line, _, rest = summary(files).partition(": ")
    yield f"**{head_line.capitalize()}**: {printable(rest)}\n"
    left = _MOST_OF_ALL
    for artefact, changed in by_artefact(files.changed):
        shown = [file for file in changed if file in files.shown]
        if not shown:
            continue
        yield f"<details><summary>📄 <b>{artefact}</b>: {_counted(len(shown), 'file')}</summary>\n"
        for file in shown:
            most = min(left, _MOST_OF_A_FILE)
            lines = [line for hunk in file.hunks for line in _diff(hunk)]
            left -= min(len(lines), most)
            yield f"`{printable(named(file))}` +{file.added} -{file.removed}\n"
            yield from _fenced(lines[:most])
            if len(lines) > most:
                yield f"{_counted(len(lines) - most, 'more line')}\n"
        yield "</details>\n"


def _diff(hunk: Hunk) -> Iterator[str]:
    yield printable(head(hunk))
    yield from (f"{line.sign}{_plain(line.side)}" for line in unified(hunk))


def _fenced(lines: Sequence[str]) -> Iterator[str]:
    if lines:
        from qsfa_codegen.review.report.fences import fence

        mark = fence(lines)
        yield f"{mark}diff"
        yield from lines
        yield f"{mark}\n"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


# --------------------------------------------------------------------------- programs


def json_object(files: Files) -> Object:
    """The files for programs: every hunk as rows of two sides; marks are half-open columns from 0."""
    return {
        "same": files.same,
        "problem": files.problem or None,
        "changed": [_json_file(file) for file in files.changed],
    }


def _json_file(file: FileChange) -> Object:
    return {
        "artefact": file.artefact,
        "path": file.path,
        "was": file.was,
        "status": file.status.value,
        "added": file.added,
        "removed": file.removed,
        "hunks": [
            {"scopes": list(hunk.scopes), "rows": [_json_row(row) for row in hunk.rows]}
            for hunk in file.hunks
        ],
        "folded": [{"why": fold.noise.value, "hunks": fold.hunks} for fold in file.folds],
    }


def _json_row(row: Row) -> Object:
    shown: dict[str, object] = {"old": _json_side(row.old), "new": _json_side(row.new)}
    if row.noise is not None:
        shown["noise"] = row.noise.value
    return shown


def _json_side(side: Side | None) -> Object | None:
    if side is None:
        return None
    return {"line": side.number, "text": side.text, "marks": [list(mark) for mark in side.marks]}
