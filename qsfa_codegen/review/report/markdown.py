"""A review as a comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from qsfa_codegen.contract.calls import call_json, dump
from qsfa_codegen.diagnostic_formats import printable
from qsfa_codegen.review.changes import Change, Impact, Witness
from qsfa_codegen.review.compare import Review
from qsfa_codegen.review.report import at, basis, files, grouped, summary
from qsfa_codegen.review.report import contract as relation
from qsfa_codegen.review.report.fences import fence

_SIGNS = {
    Impact.CALLERS: "🔴",
    Impact.ARTEFACTS: "🟠",
    Impact.WIDENING: "🟢",
    Impact.COMPATIBLE: "⚪",
    Impact.DOCS: "📝",
}
_OPENED = (Impact.CALLERS, Impact.ARTEFACTS)


def markdown(reviews: Sequence[Review], *, contract: bool = True, witness: bool = True) -> str:
    """A section for each operator that changed, and a line for those that did not."""
    parts = ["## Review of the operator specs\n"]
    for review in reviews:
        if review.changes:
            parts += _section(review, contract, witness)
    quiet = [summary(review) for review in reviews if not review.changes]
    parts += [f"{_escaped(line)}\n" for line in quiet]
    return "\n".join(parts)


def _section(review: Review, contract: bool, witness: bool) -> Iterator[str]:
    name, _, rest = summary(review).partition(": ")
    yield f"### `{name}`\n"
    yield f"{rest[:1].upper()}{rest[1:]}\n"
    if review.relation is not None:
        yield f"{relation(review).capitalize()}.\n"
    for impact, changes in grouped(review.changes):
        yield f"<details{' open' if impact in _OPENED else ''}>"
        yield f"<summary>{_SIGNS[impact]} <b>{impact.value}</b>: {len(changes)}</summary>\n"
        for change in changes:
            yield from _change(change, contract, witness)
        yield "</details>\n"
    if review.files is not None:
        yield from files.markdown(review.files)


def _change(change: Change, contract: bool, witness: bool) -> Iterator[str]:
    call = change.witness if witness else None
    if not contract and call is None:
        return
    yield f"- **{change.code}** {_escaped(change.message)} ({_escaped(change.subject)})<br>"
    yield f"  {_code(at(change.after))}"
    if change.allowed is not None:
        yield f"  <br>allowed: {_escaped(change.allowed)}"
    if basis(change) and call is None:
        yield f"  <br>{basis(change)}"
    yield ""
    if contract and (change.old or change.new):
        lines = [f"- {change.old}"] if change.old else []
        lines += [f"+ {change.new}"] if change.new else []
        yield from _block("diff", lines)
    if call is not None:
        yield from _call(call)


def _call(witness: Witness) -> Iterator[str]:
    yield f"  before: {_escaped(witness.before)}<br>"
    yield f"  now: {_escaped(witness.after)}\n"
    yield from _block("json", [dump(call_json(witness.call))])


def _block(language: str, lines: Sequence[str]) -> Iterator[str]:
    """A code block inside of a list item; its fence is longer than any in the text."""
    shown = [printable(line) for line in lines]
    mark = fence(shown)
    yield f"  {mark}{language}"
    yield from (f"  {line}" for line in shown)
    yield f"  {mark}\n"


def _code(text: str) -> str:
    return f"`{printable(text)}`" if text else ""


def _escaped(text: str) -> str:
    """Text in which nothing is markup, a mention or a reference."""
    shown = printable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|~])", r"\\\1", shown).replace("#", "&#35;").replace("@", "&#64;")
