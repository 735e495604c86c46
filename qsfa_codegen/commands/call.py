"""``call``: what an operator's contract says of concrete calls."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.commands import operators, status
from qsfa_codegen.diagnostics import Sink

if TYPE_CHECKING:
    from qsfa_codegen.commands.terminal import Console
    from qsfa_codegen.contract.calls import Call, Stage
    from qsfa_codegen.contract.run import Outcome
    from qsfa_codegen.spec.model import Operator

STDIN = Path("-")
PYTHON, CPP, BOTH = "python", "cpp", "both"


class Request(Struct, frozen=True):
    """What to run, and how to show it.

    ``stage`` is all, infer or tiling; ``form`` is text or json, None is text on a terminal and json
    elsewhere.
    """

    spec: Path
    cases: Path
    engine: str = PYTHON
    stage: str = "all"
    form: str | None = None
    sanitize: bool = False


def run(request: Request, console: Console) -> int:
    """Run each case, print its result as a line and return the exit status."""
    if request.sanitize and request.engine == PYTHON:
        raise status.BadUsageError("--sanitize is for generated code: choose --engine cpp or both")
    operator = operators.load(request.spec, console)
    if operator is None:
        return status.FINDINGS
    calls = read(request.cases, operator, console)
    if calls is None:
        return status.USAGE
    from qsfa_codegen.contract.calls import Stage

    stage = None if request.stage == "all" else Stage(request.stage)
    if request.engine == PYTHON:
        from qsfa_codegen.contract.evaluate import Evaluator
        from qsfa_codegen.contract.run import run_cases

        return _shown(run_cases(Evaluator(operator), calls, stage), request)
    return _run_host(operator, calls, stage, request, console)


def _run_host(
    operator: Operator, calls: tuple[Call, ...], stage: Stage | None, request: Request, console: Console
) -> int:
    from qsfa_codegen.contract.evaluate import Evaluator
    from qsfa_codegen.contract.run import run_both, run_second
    from qsfa_codegen.host.engine import HostEngine
    from qsfa_codegen.host.errors import HostError

    try:
        with HostEngine(operator, sanitize=request.sanitize) as engine:
            if request.engine == CPP:
                return _shown(run_second(engine, calls, stage), request)
            return _shown(run_both(Evaluator(operator), engine, calls, stage), request)
    except HostError as error:
        console.finding(error.diagnostic, error.detail)
        return status.BROKEN


def _shown(outcomes: Iterable[Outcome], request: Request) -> int:
    """Print each outcome when it comes; the exit status."""
    from qsfa_codegen.contract.run import exit_status, outcome_json, outcome_text

    as_text = request.form == "text" or (request.form is None and sys.stdout.isatty())
    shown = outcome_text if as_text else outcome_json
    done = []
    for outcome in outcomes:
        print(shown(outcome))
        done.append(outcome)
    return exit_status(done)


def read(cases: Path, operator: Operator, console: Console) -> tuple[Call, ...] | None:
    """The cases of a file, or of stdin; None when there is something wrong with them."""
    from qsfa_codegen.contract.case_reader import read_cases

    sink = Sink()
    calls = read_cases("/dev/stdin" if cases == STDIN else str(cases), operator, sink)
    for diagnostic in sink:
        console.finding(diagnostic)
    if not calls and not sink.failed:
        console.note(f"{'stdin' if cases == STDIN else cases}: there is no call in it")
    return None if sink.failed else calls
