"""An operator that the base has and that is gone."""

from __future__ import annotations

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.review.changes import Change
from qsfa_codegen.review.rules import identity


def change_of_removed(operator: str, file: str) -> Change:
    """The change; ``file`` is the spec in the base."""
    rule = identity.removed
    return Change(
        rule.code,
        rule.impact,
        rule.title,
        "operator",
        f"the operator {operator} was removed",
        operator,
        "",
        Span(file, 1, 1, 1, 1),
        None,
        None,
        None,
    )
