"""What a legal call gives, as a case expects it."""

from __future__ import annotations

from collections.abc import Mapping

from qsfa_codegen.contract.calls import Result, TilingResult


def facts_of(result: Result) -> Mapping[str, object]:
    """The outputs, and what tiling says beside the data: key, block dim and bytes of workspace."""
    outputs = {name: {"dtype": t.dtype, "shape": t.shape} for name, t in result.outputs.items()}
    tiling = {} if result.tiling is None else {"tiling": _launch(result.tiling)}
    return {"outputs": outputs, **tiling}


def _launch(tiling: TilingResult) -> Mapping[str, object]:
    facts = {"key": tiling.key, "block_dim": tiling.block_dim}
    known = {name: value for name, value in facts.items() if value is not None}
    return {**known, "workspace": tiling.workspace}
