"""What the page shows, ready for its template."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from qsfa_codegen.contract.calls import call_json, dump
from qsfa_codegen.diagnostic_formats import printable
from qsfa_codegen.review.changes import Change, Impact, Witness
from qsfa_codegen.review.compare import Review
from qsfa_codegen.review.files.model import FileChange, Files, Hunk, Status
from qsfa_codegen.review.files.packages import compare_texts
from qsfa_codegen.review.report import at, basis, contract, files, grouped, summary
from qsfa_codegen.review.report.page.cells import Version, table_rows
from qsfa_codegen.review.report.page.model import (
    Artefact,
    Call,
    File,
    Group,
    Item,
    Operator,
    Page,
    Parameter,
    Part,
)
from qsfa_codegen.review.report.page.snippets import Texts

CLASSES = {
    Impact.CALLERS: "callers",
    Impact.ARTEFACTS: "artefacts",
    Impact.WIDENING: "widening",
    Impact.COMPATIBLE: "compatible",
    Impact.DOCS: "docs",
}
_OPEN_ROWS = 80
_MOST_ROWS_OF_A_FILE = 600
_MOST_ROWS = 8000
_BAR = 5


def page_view(reviews: Sequence[Review]) -> Page:
    """What is shown of reviews; those without any change are only named."""
    builder = _Builder()
    shown = [review for review in reviews if review.changes or (review.files and review.files.changed)]
    operators = [builder.operator(review) for review in shown]
    counts = Counter(change.impact for review in reviews for change in review.changes)
    breaks = sum(change.breaks for review in reviews for change in review.changes)
    base = ", ".join(dict.fromkeys(printable(review.base) for review in reviews))
    return Page(
        title="Review of " + (operators[0].name if len(operators) == 1 else "operator specs"),
        base=base,
        verdict=_verdict(breaks, sum(counts.values()), sum(bool(review.problem) for review in reviews)),
        breaks=breaks > 0 or any(review.problem for review in reviews),
        operators=operators,
        quiet=[summary(review) for review in reviews if review not in shown],
        kinds=[(CLASSES[impact], impact.value, counts[impact]) for impact in Impact if counts[impact]],
        artefacts=list(dict.fromkeys(a.name for operator in operators for a in operator.artefacts)),
    )


def _verdict(breaks: int, changes: int, problems: int) -> str:
    said = f"{breaks} {'change breaks' if breaks == 1 else 'changes break'} something" if breaks else ""
    if problems:  # of these it is not known whether they break
        missing = f"{problems} {'spec' if problems == 1 else 'specs'} could not be compared"
        return f"{said}; {missing}" if said else missing
    return said or ("Nothing breaks" if changes else "Nothing changed")


class _Builder:
    """Gives every item an id of its own, and keeps count of rows."""

    def __init__(self) -> None:
        self._left = _MOST_ROWS
        self._ids: Counter[str] = Counter()

    def operator(self, review: Review) -> Operator:
        texts = Texts(review.texts)
        found = review.files if review.files is not None else Files()
        spec = _spec_file(review)
        changed = (*((spec,) if spec is not None else ()), *found.changed)
        _, _, said = summary(review).partition(": ")
        return Operator(
            id=self._id(review.name),
            name=printable(review.name),
            file=printable(review.file),
            said=f"{said[:1].upper()}{said[1:]}",
            relation=contract(review),
            breaks=review.breaks,
            groups=[
                Group(
                    CLASSES[impact],
                    impact.value,
                    impact.breaks,
                    [self._item(review.name, change, texts) for change in changes],
                )
                for impact, changes in grouped(review.changes)
            ],
            artefacts=[self._artefact(name, part) for name, part in files.by_artefact(changed)],
            files_said="" if review.files is None else files.summary(review.files).partition(": ")[2],
        )

    def _id(self, name: str) -> str:
        safe = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "-" for c in name)
        self._ids[safe] += 1
        return safe if self._ids[safe] == 1 else f"{safe}-{self._ids[safe]}"

    def _item(self, operator: str, change: Change, texts: Texts) -> Item:
        runs = texts.rows(change.before, change.after)
        was = change.before.file if change.before is not None else ""
        path = change.after.file if change.after is not None else was
        return Item(
            id=self._id(f"{operator}-{change.code}"),
            code=change.code,
            title=change.title,
            subject=printable(change.subject),
            message=printable(change.message),
            old=printable(change.old),
            new=printable(change.new),
            before=at(change.before) if texts.knows(change.before) else "",
            after=at(change.after),
            allowed=None if change.allowed is None else printable(change.allowed),
            basis=basis(change),
            open=change.breaks,
            parts=[Part("", table_rows(rows, Version(was), Version(path))) for rows in runs],
            call=None if change.witness is None else _call(change.witness),
        )

    def _artefact(self, name: str, changed: Sequence[FileChange]) -> Artefact:
        loud = [file for file in changed if file.hunks or file.status is not Status.CHANGED]
        quiet = [file for file in changed if file not in loud]
        return Artefact(
            name,
            [self._file(file) for file in loud],
            [f"{printable(files.named(file))} ({'; '.join(map(str, file.folds))})" for file in quiet],
            files.said_of_quiet(quiet) if quiet else "",
        )

    def _file(self, file: FileChange) -> File:
        room = min(self._left, _MOST_ROWS_OF_A_FILE)
        total = sum(len(hunk.rows) for hunk in file.hunks)
        self._left -= min(room, total)
        return File(
            id=self._id(file.path),
            path=printable(files.named(file)),
            state="" if file.status is Status.CHANGED else file.status.value,
            added=file.added,
            removed=file.removed,
            bar=_bar(file.added, file.removed),
            folds=[str(fold) for fold in file.folds],
            open=total <= _OPEN_ROWS and file.status is Status.CHANGED and room > 0,
            parts=list(_parts(file, room)),
            more=max(0, total - room),
        )


def _parts(file: FileChange, room: int) -> Iterator[Part]:
    was, now = Version(file.was, file.before.split("\n")), Version(file.path, file.after.split("\n"))
    for hunk in file.hunks:
        rows = hunk.rows[: max(0, room)]
        if rows:
            yield Part(_head(hunk), table_rows(rows, was, now))
        room -= len(hunk.rows)


def _head(hunk: Hunk) -> str:
    first = next(side for row in hunk.rows if (side := row.new or row.old) is not None)
    return printable(" · ".join([f"line {first.number}", *hunk.scopes]))


def _bar(added: int, removed: int) -> list[str]:
    """Five boxes that share out what was added and removed."""
    total = added + removed
    if not total:
        return []
    plus = round(_BAR * added / total)
    plus = min(max(plus, 1 if added else 0), _BAR - (1 if removed else 0))
    return ["add"] * plus + ["rem"] * (_BAR - plus)


def _spec_file(review: Review) -> FileChange | None:
    """The spec itself as a file that differs."""
    before, after = review.texts.get(review.was), review.texts.get(review.file)
    if before is None or after is None or before == after:
        return None
    return compare_texts("spec", review.file, before, after)


def _call(witness: Witness) -> Call:
    shown = call_json(witness.call)
    return Call(
        id=printable(witness.call.id),
        chip=printable(str(witness.call.chip)),
        before=printable(witness.before),
        after=printable(witness.after),
        inputs=list(_parameters(shown.get("inputs"))),
        attrs=list(_parameters(shown.get("attrs"))),
        json=printable(dump(shown)),
    )


def _parameters(given: object) -> Iterator[Parameter]:
    for name, value in given.items() if isinstance(given, dict) else ():
        yield Parameter(printable(str(name)), printable(_said(value)))


def _said(value: object) -> str:
    """A tensor as ``float16 [2, 3]``, with whatever else is said of it; anything else as JSON."""
    if isinstance(value, dict) and "dtype" in value and "shape" in value:
        rest = {key: part for key, part in value.items() if key not in ("dtype", "shape")}
        shape = _json(value["shape"]).replace(",", ", ")
        return f"{value['dtype']} {shape}" + (f" {_json(rest)}" if rest else "")
    return value if isinstance(value, str) else _json(value)


def _json(value: object) -> str:
    return dump({"": value}).partition(":")[2].strip()[:-1]
