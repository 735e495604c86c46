"""Semantic rules: what a careful reviewer would say about a spec that can be read."""

from __future__ import annotations

from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.spec.model import Operator


def check(operator: Operator, sink: Sink) -> None:
    """Run every rule."""
