"""What a derived call is expected to give, in full."""

from __future__ import annotations

from collections.abc import Mapping

from qsfa_codegen.contract.calls import Call, Result, TilingResult
from qsfa_codegen.contract.evaluate import Evaluator


def with_results(evaluator: Evaluator, call: Call) -> Call:
    """A call that is expected to be legal, with its outputs and what tiling says beside the data.

    Other calls are returned as they are: the rule that they break is all that an engine must report.
    So are those that only an engine with the spec's extern functions can tile.
    """
    if (call.expect or {}).get("status") != "ok":
        return call
    result = evaluator.evaluate(call)
    return call.named(call.id, {"status": "ok", **_facts(result)}) if result.ok else call


def _facts(result: Result) -> Mapping[str, object]:
    outputs = {name: {"dtype": t.dtype, "shape": t.shape} for name, t in result.outputs.items()}
    tiling = {} if result.tiling is None else {"tiling": _launch(result.tiling)}
    return {"outputs": outputs, **tiling}


def _launch(tiling: TilingResult) -> Mapping[str, object]:
    facts = {"key": tiling.key, "block_dim": tiling.block_dim}
    known = {name: value for name, value in facts.items() if value is not None}
    return {**known, "workspace": tiling.workspace}
