"""``call``: what an operator's contract says of concrete calls."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from qsfa_codegen.commands import operators, status
from qsfa_codegen.diagnostics import Sink

if TYPE_CHECKING:
    from qsfa_codegen.commands.terminal import Console
    from qsfa_codegen.contract.calls import Call
    from qsfa_codegen.spec.model import Operator

STDIN = Path("-")


def run(spec: Path, cases: Path, stage: str, form: str | None, console: Console) -> int:
    """Evaluate each case, print its result as a line and return the exit status.

    ``form`` is text or json; None is text on a terminal and json elsewhere.
    """
    operator = operators.load(spec, console)
    if operator is None:
        return status.FINDINGS
    calls = _calls(cases, operator, console)
    if calls is None:
        return status.USAGE
    from qsfa_codegen.contract.calls import Stage
    from qsfa_codegen.contract.evaluate import Evaluator
    from qsfa_codegen.contract.run import exit_status, outcome_json, outcome_text, run_cases

    as_text = form == "text" or (form is None and sys.stdout.isatty())
    shown = outcome_text if as_text else outcome_json
    outcomes = []
    for outcome in run_cases(Evaluator(operator), calls, None if stage == "all" else Stage(stage)):
        print(shown(outcome))
        outcomes.append(outcome)
    return exit_status(outcomes)


def _calls(cases: Path, operator: Operator, console: Console) -> tuple[Call, ...] | None:
    """The cases of a file, or of stdin; None when there is something wrong with them."""
    from qsfa_codegen.contract.case_reader import read_cases

    sink = Sink()
    calls = read_cases("/dev/stdin" if cases == STDIN else str(cases), operator, sink)
    for diagnostic in sink:
        console.finding(diagnostic)
    return None if sink.failed else calls
