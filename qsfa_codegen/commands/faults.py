"""What to say when the program itself fails."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from qsfa_codegen.diagnostics import Diagnostic
from qsfa_codegen.spec.source_text import file_start

if TYPE_CHECKING:
    from qsfa_codegen.commands.workers import Crash

ADVICE = (
    "this is a fault of qsfa-codegen or of this machine, not of the spec: "
    "please report it with the spec and what the same command prints with --debug"
)


def stopped(spec: Path, crash: Crash) -> Diagnostic:
    """The finding for a spec whose processing came to no end."""
    message = f"work on {spec} stopped: {crash.reason}"
    return Diagnostic("QS906", message, file_start(str(spec)), ADVICE)
