"""The operator of a spec that a command was given, with what was found in it reported."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from qsfa_codegen.commands.status import BadUsageError
from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.resources import CHIPS

if TYPE_CHECKING:
    from qsfa_codegen.commands.terminal import Console
    from qsfa_codegen.spec.model import Chip, Operator


def load(spec: Path, console: Console) -> Operator | None:
    """The operator, or None when the spec has errors; errors and warnings go to the console."""
    from qsfa_codegen.spec.load import analyse

    if spec.name == CHIPS:
        raise BadUsageError(f"{spec} describes chips: it has no operator")
    sink = Sink()
    operator = analyse(spec, sink)
    for diagnostic in sink:
        console.finding(diagnostic)
    return operator


def chips_of(operator: Operator, name: str | None) -> tuple[Chip, ...]:
    """The chip of the operator with this id or SoC config name; all for None. BadUsageError for another."""
    found = tuple(chip for chip in operator.chips if name in (None, chip.id, chip.soc))
    if not found:
        known = ", ".join(chip.id for chip in operator.chips)
        raise BadUsageError(f"{operator.name} does not support {name}; it supports {known}")
    return found
