"""Rules of the review: one small function for each kind of difference, each with a stable code."""

from __future__ import annotations

from qsfa_codegen.review.registry import Rule
from qsfa_codegen.review.rules import (
    attrs,
    bindings,
    contents,
    contract,
    docs,
    dtypes,
    identity,
    inputs,
    interfaces,
    internal,
    kernel,
    key,
    outputs,
    tiling,
    workspace,
)

# Those of `internal` come last: they tell what the others have not told.
RULES: tuple[Rule, ...] = (
    *identity.RULES,
    *inputs.RULES,
    *attrs.RULES,
    *outputs.RULES,
    *contract.RULES,
    *contents.RULES,
    *dtypes.RULES,
    *tiling.RULES,
    *key.RULES,
    *workspace.RULES,
    *kernel.RULES,
    *bindings.RULES,
    *interfaces.RULES,
    *docs.RULES,
    *internal.RULES,
)
