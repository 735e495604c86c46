"""``show``, from the spec file to the screen."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from qsfa_codegen.commands import operators, status

if TYPE_CHECKING:
    from qsfa_codegen.commands.terminal import Console


def run(spec: Path, chip: str | None, language: str, console: Console) -> int:
    """Print the tables and return the exit status."""
    from qsfa_codegen.commands.show import show

    operator = operators.load(spec, console)
    if operator is None:
        return status.FINDINGS
    sys.stdout.write(show(operator, chip, language, _width()))
    return status.OK


def _width() -> int | None:
    """The width to keep to: the terminal's, or what COLUMNS says; a pipe has none."""
    if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdecimal():
        return shutil.get_terminal_size().columns
    return None
