"""Where the program's data files are: in the source tree, or inside the installed package."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent

TEMPLATES = "templates"
CHIPS = "chips.yaml"
SPECS = "spec"
"""The folder of a project that specs are looked for in, also below it."""

APART = tuple(
    PACKAGE / name
    for name in ("emulate", "emulator", "explanations", "host", "reference", "review", "verify")
)
"""Parts of the program that no build of a package takes anything from."""

_IN_TREE = {TEMPLATES: "templates", CHIPS: f"{SPECS}/{CHIPS}"}


def chips_of(spec: Path) -> Path | None:
    """The description of chips that goes with a spec: the one beside it, else in a folder above it.

    None when there is none.
    """
    # Whatever it is, it was meant to be read.
    return next((folder / CHIPS for folder in spec_folders(spec) if os.path.lexists(folder / CHIPS)), None)


def spec_folders(spec: Path) -> Iterator[Path]:
    """The folder that a spec is in, then those above it, up to the nearest one called ``spec``."""
    folder, here = spec.parent, spec.absolute().parent
    above = [here, *here.parents]
    names = [parent.name for parent in above]
    for _ in range(names.index(SPECS) + 1 if SPECS in names else 1):
        yield folder
        folder = folder / ".." if folder.name in ("", "..") else folder.parent


def name_of(spec: Path) -> str:
    """What tells a spec from the others of its project: its path below the nearest folder called ``spec``.

    The file name alone where there is none: it must not depend on where the project is.
    """
    path = Path(os.path.abspath(spec))
    folder = next((parent for parent in path.parents if parent.name == SPECS), path.parent)
    return path.relative_to(folder).as_posix()


def resource(name: str) -> Path:
    """The file or folder of data called ``name``."""
    installed = PACKAGE / "_data" / name
    return installed if installed.exists() else PACKAGE.parent / _IN_TREE[name]
