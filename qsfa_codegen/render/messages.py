"""The message of a failed check as a printf format."""

from __future__ import annotations

from collections.abc import Callable

from qsfa_codegen.spec.failure import Failure, Given, failure

__all__ = ["Failure", "Given", "failure", "format_text"]


LONGEST = 400
"""Characters of a format: with what is printed for its arguments, less than a line of a log can hold."""


def format_text(failure: Failure, specifier: Callable[[Given], str], longest: int | None = LONGEST) -> str:
    """The message as a printf format; its arguments are the givens, in order.

    What is allowed is cut where the message would have more than ``longest`` characters: hosts that write
    into a line of limited length would lose the id.
    """
    given = [f"{_plain(g.label)} is {specifier(g)}" for g in failure.givens]
    given += [_plain(failure.stated)] if failure.stated else []
    named = any(failure.parameter in text for text in given)
    start = "" if named else f"{_plain(failure.parameter)}: "
    shown = f"{', '.join(given)}; " if given else ""
    room = None if longest is None else longest - len(f"{start}{shown}expected:  [{failure.id}]")
    return f"{start}{shown}expected: {_plain(_cut(failure.allowed, room))} [{_plain(failure.id)}]"


def _cut(text: str, room: int | None) -> str:
    """The beginning of a text that is too long, up to a whole word."""
    if room is None or len(text) <= room:
        return text
    return text[: max(room, 0)].rpartition(" ")[0] + " …"


def _plain(text: str) -> str:
    return text.replace("%", "%%")
