"""``explain``: what a diagnostic code means."""

from __future__ import annotations

import sys

from qsfa_codegen.catalogue import Entry, entries
from qsfa_codegen.commands.status import BadUsageError
from qsfa_codegen.commands.terminal import painted, uses_colour


def explain(code: str | None, color: str) -> str:
    """The explanation of a code in any case (``qs101``), or without a code the list of all of them."""
    colour = uses_colour(color, sys.stdout)
    known = entries()
    if code is None:
        return "\n".join(
            f"{painted('bold', entry.code, colour=colour)}  {entry.title}" for entry in known.values()
        )
    entry = known.get(code.upper())
    if entry is None:
        from qsfa_codegen.expr.suggest import did_you_mean

        raise BadUsageError(f"no diagnostic is called {code}; {did_you_mean(code, known) or 'see `explain`'}")
    return _page(entry, colour)


def _page(entry: Entry, colour: bool) -> str:
    parts = [painted("bold", f"{entry.code}: {entry.title}", colour=colour), entry.text]
    if entry.wrong:
        wrong, right = entry.example
        parts += ["Reported, for example, for", _indented(wrong, "removed", colour)]
        parts += ["which could be", _indented(right, "added", colour)] if right else []
    return "\n\n".join(parts)


def _indented(text: str, style: str, colour: bool) -> str:
    return "\n".join(f"    {painted(style, line, colour=colour)}".rstrip() for line in text.splitlines())
