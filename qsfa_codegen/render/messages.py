"""The message of a failed check as a printf format."""

from __future__ import annotations

from collections.abc import Callable

from qsfa_codegen.spec.failure import Failure, Given, failure

__all__ = ["Failure", "Given", "failure", "format_text"]


LONGEST = 400
"""Characters of a format: with what is printed for its arguments, less than a line of a log can hold."""


def format_text(failure: Failure, specifier: Callable[[Given], str]) -> str:
    """The message as a printf format; its arguments are the givens, in order.

    What is allowed is cut where it would make the message so long that a host cuts off the id.
    """
    given = [f"{_plain(g.label)} is {specifier(g)}" for g in failure.givens]
    given += [_plain(failure.stated)] if failure.stated else []
    named = any(failure.parameter in text for text in given)
    start = "" if named else f"{_plain(failure.parameter)}: "
    shown = f"{', '.join(given)}; " if given else ""
    room = LONGEST - len(f"{start}{shown}expected:  [{failure.id}]")
    return f"{start}{shown}expected: {_plain(_cut(failure.allowed, room))} [{_plain(failure.id)}]"


def _cut(text: str, room: int) -> str:
    """The beginning of a text that is too long, up to a whole word."""
    if len(text) <= room:
        return text
    return text[: max(room, 0)].rpartition(" ")[0] + " …"


def _plain(text: str) -> str:
    return text.replace("%", "%%")
