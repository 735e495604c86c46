"""What ``build`` has to say about a package, as diagnostics with their places."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.diagnostics import Diagnostic, Related, Severity, Span
from qsfa_codegen.spec.source_text import file_start
from qsfa_codegen.writer import Change, Obstacle, Plan, Refusal

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Operator


class Finding(Struct, frozen=True):
    """A diagnostic and what belongs below it: a diff, a list of files, a traceback."""

    diagnostic: Diagnostic
    detail: str = ""


# --------------------------------------------------------------------------- before writing


def twice(operator: Operator, spec: Path, owner: Path) -> Diagnostic:
    """Of a spec whose package an earlier one of the same build has."""
    return Diagnostic(
        "QS905",
        f"{spec} and {owner} both generate the package {operator.snake}",
        operator.name_span,
        "give one of the operators another name",
        related=(Related(file_start(str(owner)), "this spec was built"),),
    )


def no_call(operator: Operator, chips: Sequence[str], rules: Sequence[str]) -> Diagnostic:
    """Of chips without a legal call, and the rules that stood in the way."""
    places = (check.span for check in operator.checks if check.id in rules)
    obstacle = f"; in the way stood {', '.join(rules)}" if rules else ""
    return Diagnostic(
        "QS911",
        f"no legal call was found on {', '.join(chips)}{obstacle}",
        next(places, operator.name_span),
        "correct the rules, or the accepted values they speak of: test cases are missing",
        Severity.WARNING,
    )


def template_fault(error: Exception, spec: Path, overlay: Path | None) -> Diagnostic:
    """What is wrong with a template of the user's; raises the error again when it is none of those."""
    import traceback

    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if overlay and frame.lineno and Path(frame.filename).is_relative_to(overlay):
            place = Span(frame.filename, *(frame.lineno, 1) * 2)
            return Diagnostic("QS908", f"the template failed for {spec}: {error}", place)
    raise error


# --------------------------------------------------------------------------- after comparing


_REFUSALS = {
    Obstacle.EDITED: (
        "QS901",
        "move the edit into the spec or a template, or overwrite the file with `build --force`",
    ),
    Obstacle.FOREIGN: ("QS902", "move the file away, or overwrite it with `build --force`"),
    Obstacle.BLOCKED: ("QS903", "move it away: only regular files in regular folders are written"),
}


def refused(package: Path, refusal: Refusal) -> Finding:
    """Of a file that is not the program's to change, at the line where it is another."""
    code, advice = _REFUSALS[refusal.obstacle]
    path = str(package / refusal.path)
    if refusal.obstacle is Obstacle.BLOCKED:  # nothing that has lines
        return Finding(Diagnostic(code, f"{path} {refusal.obstacle.value}", help=advice), refusal.detail)
    place = Span(path, *(refusal.line, 1) * 2)
    return Finding(Diagnostic(code, f"this file {refusal.obstacle.value}", place, advice), refusal.detail)


def other_origin(place: Span | None, plan: Plan, change: Change) -> Finding:
    """Of a package that was made from another spec, or with templates that are missing now."""
    if change.of_spec:
        message = f"{plan.package} was generated from {change.before}, not from {change.now}"
        advice = (
            "give one of the operators another name; if the spec was renamed or takes the other's place, "
            "use `build --take-over`"
        )
        return Finding(Diagnostic("QS912", message, place, advice))
    message = f"{plan.package} was generated with templates from {change.before}, and now none are given"
    advice = f"give them with `--templates {change.before}`; to do without them, use `build --take-over`"
    return Finding(Diagnostic("QS913", message, place, advice))


def drift(spec: Path, place: Span | None, plan: Plan) -> Finding:
    """Of a package that a build would change."""
    lists = {"missing": plan.created, "differs": plan.changed, "no longer generated": plan.stale}
    detail = "".join(f"{what}: {path}\n" for what, paths in lists.items() for path in paths)
    message = f"{plan.package} is not what {spec} generates"
    return Finding(Diagnostic("QS910", message, place, "run `qsfa-codegen build`"), detail)
