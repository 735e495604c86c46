"""Where the program's data files are: in the source tree, or inside the installed package."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
_INSTALLED = PACKAGE / "_data"


def templates() -> Path:
    """The folder of the project's own templates."""
    installed = _INSTALLED / "templates"
    return installed if installed.is_dir() else PACKAGE.parent / "templates"


def chips() -> Path:
    """The file that says what each chip is."""
    installed = _INSTALLED / "chips.yaml"
    return installed if installed.is_file() else PACKAGE.parent / "spec" / "chips.yaml"
