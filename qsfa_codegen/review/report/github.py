"""A review as annotations that GitHub shows beside the lines of a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qsfa_codegen.diagnostic_formats import to_github
from qsfa_codegen.diagnostics import Diagnostic, Severity
from qsfa_codegen.review.changes import Change
from qsfa_codegen.review.compare import Review
from qsfa_codegen.spec.source_text import file_start


def github(reviews: Sequence[Review]) -> str:
    """A command for each change: an error for a break, a warning for an allowed one, else a notice."""
    return "".join(command for review in reviews for command in _commands(review))


def _commands(review: Review) -> Iterator[str]:
    if review.problem:
        place = file_start(review.file)
        yield to_github([Diagnostic("QS931", f"not compared: {review.problem}", place)])
    yield from map(_command, review.changes)


def _command(change: Change) -> str:
    severity = Severity.ERROR if change.breaks else Severity.WARNING
    shown = to_github([Diagnostic(change.code, _message(change), change.after, severity=severity)])
    return shown if change.impact.breaks else shown.replace("::warning ", "::notice ", 1)


def _message(change: Change) -> str:
    parts = [f"{change.impact.value}: {change.message}"]
    parts += [f"was: {change.old}"] if change.old else []
    parts += [f"is: {change.new}"] if change.new else []
    parts += [f"now: {change.witness.after}"] if change.witness is not None else []
    parts += [f"allowed: {change.allowed}"] if change.allowed is not None else []
    return "\n".join(parts)
