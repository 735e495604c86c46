"""Which spec files a command works on."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from qsfa_codegen.commands.status import BadUsageError
from qsfa_codegen.resources import CHIPS, SPECS

FOLDER = Path(SPECS)
_SUFFIXES = (".yaml", ".yml")


def operators(named: Sequence[Path]) -> tuple[Path, ...]:
    """The specs that were chosen, without files that describe chips."""
    found = tuple(path for path in chosen(named) if path.name != CHIPS)
    if not found:
        raise BadUsageError(f"{named[0]} describes chips: it has no operator")
    return found


def chosen(named: Sequence[Path]) -> tuple[Path, ...]:
    """The specs that were named, each once; every spec in and below the folder ``spec`` when none was."""
    if named:
        return tuple(dict.fromkeys(named))
    found = sorted(_below(FOLDER))
    if not found:
        raise BadUsageError(f"no spec was named, and {FOLDER}/ has none")
    return tuple(found)


def _below(folder: Path) -> Iterator[Path]:
    """The YAML files in and below a folder, but for chips and hidden ones, such as those of editors."""
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for path in (Path(place, name) for name in names if not name.startswith(".")):
            if path.suffix in _SUFFIXES and path.name != CHIPS:
                _refuse_other_chips(path)
                yield path


def _refuse_other_chips(path: Path) -> None:
    if path.stem == Path(CHIPS).stem:
        raise BadUsageError(f"{path} is not read: chips are described in {CHIPS}; give it that name")
