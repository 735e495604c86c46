"""A review for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from qsfa_codegen.commands.terminal import painted
from qsfa_codegen.contract.calls import call_json, dump
from qsfa_codegen.diagnostic_formats import printable
from qsfa_codegen.review.changes import Change, Witness
from qsfa_codegen.review.compare import Review
from qsfa_codegen.review.report import at, basis, files, grouped, summary
from qsfa_codegen.review.report import contract as relation


def text(review: Review, *, contract: bool = True, witness: bool = True, colour: bool = False) -> str:
    """The review: a summary, then every change; ``witness`` shows calls, ``contract`` all the rest."""
    lines = [painted("bold", summary(review), colour=colour)]
    lines += [said] if (said := relation(review)) else []
    for impact, changes in grouped(review.changes):
        part = [line for change in changes for line in _change(change, contract, witness, colour)]
        if part:
            lines += ["", painted("bold", impact.value, colour=colour), *part]
    if review.files is not None:
        lines += ["", *files.text(review.files, colour=colour)]
    return "\n".join(lines)


def _change(change: Change, contract: bool, witness: bool, colour: bool) -> Iterator[str]:
    call = change.witness if witness else None
    if not contract and call is None:
        return
    place = f"{painted('place', at(change.after), colour=colour)}: " if change.after is not None else ""
    yield f"  {change.code} {place}{printable(change.message)} [{printable(change.subject)}]"
    if contract:
        yield from _texts(change, colour)
    if call is not None:
        yield from _call(call)
    elif basis(change):
        yield f"      {basis(change)}"
    if change.allowed is not None:
        yield f"      allowed: {printable(change.allowed)}"


def _texts(change: Change, colour: bool) -> Iterator[str]:
    for sign, said, style, span in (
        ("-", change.old, "removed", change.before),
        ("+", change.new, "added", None),
    ):
        if said:
            where = f"  ({at(span)})" if span is not None else ""
            yield painted(style, f"      {sign} {printable(said)}", colour=colour) + where


def _call(witness: Witness) -> Iterator[str]:
    yield f"      before: {printable(witness.before)}"
    yield f"      now:    {printable(witness.after)}"
    yield f"      {dump(call_json(witness.call))}"
