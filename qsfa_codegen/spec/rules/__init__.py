"""Semantic rules: what a careful reviewer would say about a spec that can be read."""

from __future__ import annotations

from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.spec.model import Operator
from qsfa_codegen.spec.rules import (
    arithmetic,
    attributes,
    bindings,
    constraints,
    dims,
    docs,
    dtypes,
    kernel,
    names,
    parameters,
    serving,
    tables,
    tiling,
)
from qsfa_codegen.spec.rules.registry import Rule

RULES: tuple[Rule, ...] = (
    *names.RULES,
    *dtypes.RULES,
    *parameters.RULES,
    *attributes.RULES,
    *dims.RULES,
    *arithmetic.RULES,
    *tables.RULES,
    *constraints.RULES,
    *tiling.RULES,
    *kernel.RULES,
    *bindings.RULES,
    *serving.RULES,
    *docs.RULES,
)


def check(operator: Operator, sink: Sink) -> None:
    """Run every rule."""
    for rule in RULES:
        rule.run(operator, sink)
