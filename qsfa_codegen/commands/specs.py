"""Which spec files a command works on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from qsfa_codegen.resources import CHIPS

FOLDER = Path("spec")


class NoSpecsError(Exception):
    """None were named and there are none at the usual place."""


def chosen(named: Sequence[Path]) -> tuple[Path, ...]:
    """The specs that were named, each once; every spec of the folder ``spec`` when none was."""
    if named:
        return tuple(dict.fromkeys(named))
    found = sorted(path for path in FOLDER.glob("*.yaml") if path.name != CHIPS)
    if not found:
        raise NoSpecsError(f"no spec was named, and {FOLDER}/ has none")
    return tuple(found)
