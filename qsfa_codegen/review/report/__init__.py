"""Reviews for terminals, pull requests and programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from msgspec.structs import replace

from qsfa_codegen.diagnostic_formats import printable
from qsfa_codegen.diagnostics import Span
from qsfa_codegen.review.changes import Basis, Change, Impact
from qsfa_codegen.review.compare import Review

TEXT, MARKDOWN, JSON, GITHUB = "text", "markdown", "json", "github"
FORMS = (TEXT, MARKDOWN, JSON, GITHUB)

_BASES = {
    Basis.SEARCHED: "searched, not proved",
    Basis.PROVED: "proved for all calls",
}


def summary(review: Review) -> str:
    """One sentence: how many changes of which class."""
    base = printable(review.base)
    if review.problem:
        return f"{printable(review.name)}: not compared: {printable(review.problem)}"
    if review.fresh:
        return f"{review.name}: new, {base} has no such operator"
    if not review.changes:
        return f"{review.name}: no change since {base}"
    return f"{review.name}: {_counted(len(review.changes))} since {base}: {counts(review.changes)}"


def counts(changes: Sequence[Change]) -> str:
    """``1 breaking for callers (1 allowed), 2 compatible``; empty where nothing changed."""
    parts = []
    for impact, found in grouped(changes):
        meant = sum(change.allowed is not None for change in found) if impact.breaks else 0
        parts.append(f"{len(found)} {impact.value}" + (f" ({meant} allowed)" if meant else ""))
    return ", ".join(parts)


def contract(review: Review) -> str:
    """What became of the contract; empty where nothing did."""
    found = review.relation
    return "" if found is None else f"contract: {found} ({_BASES[found.basis]})"


def _counted(number: int) -> str:
    return "1 change" if number == 1 else f"{number} changes"


def grouped(changes: Sequence[Change]) -> Iterator[tuple[Impact, list[Change]]]:
    """Changes of each class, the gravest first."""
    for impact in Impact:
        found = [change for change in changes if change.impact is impact]
        if found:
            yield impact, found


def at(span: Span | None) -> str:
    """A place as editors understand it."""
    return "" if span is None else f"{printable(span.file)}:{span.line}:{span.column}"


def basis(change: Change) -> str:
    """How it is known that no call tells the two apart."""
    return "" if change.basis is None else _BASES[change.basis]


class Layers(Protocol):
    """What to show, and in which form."""

    @property
    def form(self) -> str:
        """One of ``FORMS``."""

    @property
    def contract(self) -> bool:
        """Show the changes themselves."""

    @property
    def witness(self) -> bool:
        """Show calls that the two contracts treat differently."""

    @property
    def files(self) -> bool:
        """Show what became of generated files."""


def document(reviews: Sequence[Review], layers: Layers, *, colour: bool = False) -> str:
    """All reviews in one text."""
    if not layers.files:
        reviews = [replace(review, files=None) for review in reviews]
    match layers.form:
        case "markdown":
            from qsfa_codegen.review.report.markdown import markdown

            return markdown(reviews, contract=layers.contract, witness=layers.witness)
        case "json":
            from qsfa_codegen.review.report.json import json_text

            return json_text(reviews)
        case "github":
            from qsfa_codegen.review.report.github import github

            return github(reviews)
    from qsfa_codegen.review.report.text import text

    shown = (text(r, contract=layers.contract, witness=layers.witness, colour=colour) for r in reviews)
    return "\n\n".join(shown)
