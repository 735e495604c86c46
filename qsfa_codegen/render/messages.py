"""The message of a failed check as a printf format."""

from __future__ import annotations

from collections.abc import Callable

from qsfa_codegen.spec.failure import Failure, Given, failure

__all__ = ["Failure", "Given", "failure", "format_text"]


def format_text(failure: Failure, specifier: Callable[[Given], str]) -> str:
    """The message as a printf format; its arguments are the givens, in order."""
    given = [f"{_plain(g.label)} is {specifier(g)}" for g in failure.givens]
    given += [_plain(failure.stated)] if failure.stated else []
    named = any(failure.parameter in text for text in given)
    start = "" if named else f"{_plain(failure.parameter)}: "
    shown = f"{', '.join(given)}; " if given else ""
    return f"{start}{shown}expected: {_plain(failure.allowed)} [{_plain(failure.id)}]"


def _plain(text: str) -> str:
    return text.replace("%", "%%")
