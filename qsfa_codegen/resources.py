"""Where the program's data files are: in the source tree, or inside the installed package."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent

TEMPLATES = "templates"
CHIPS = "chips.yaml"

_IN_TREE = {TEMPLATES: "templates", CHIPS: "spec/chips.yaml"}


def resource(name: str) -> Path:
    """The file or folder of data called ``name``."""
    installed = PACKAGE / "_data" / name
    return installed if installed.exists() else PACKAGE.parent / _IN_TREE[name]
