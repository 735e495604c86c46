"""What keeps generated code from being run at all."""

from __future__ import annotations

from qsfa_codegen.diagnostics import Diagnostic

NO_COMPILER = "QS921"
DOES_NOT_COMPILE = "QS922"
PROGRAM_FAILED = "QS923"


class HostError(Exception):
    """Generated code cannot be run. ``detail`` is what the compiler or the program printed."""

    def __init__(self, diagnostic: Diagnostic, detail: str = "") -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic
        self.detail = detail
