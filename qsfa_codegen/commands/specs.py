"""Which spec files a command works on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from qsfa_codegen.commands.status import BadUsageError
from qsfa_codegen.resources import CHIPS

FOLDER = Path("spec")


def operators(named: Sequence[Path]) -> tuple[Path, ...]:
    """The specs that were chosen, without files that describe chips."""
    found = tuple(path for path in chosen(named) if path.name != CHIPS)
    if not found:
        raise BadUsageError(f"{named[0]} describes chips: it has no operator")
    return found


def chosen(named: Sequence[Path]) -> tuple[Path, ...]:
    """The specs that were named, each once; every spec of the folder ``spec`` when none was."""
    if named:
        return tuple(dict.fromkeys(named))
    found = sorted(path for path in FOLDER.glob("*.yaml") if path.name != CHIPS)
    if not found:
        raise BadUsageError(f"no spec was named, and {FOLDER}/ has none")
    return tuple(found)
