"""Whatever a call holds, it has a result: every operator, damaged in every way."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from qsfa_codegen.contract.calls import Stage, call_json, dump, result_json
from qsfa_codegen.contract.derive import derive
from qsfa_codegen.verify.damage import Damage
from tests.contract.specs import NAMES, evaluator

CALLS = {name: derive(evaluator(name).operator, evaluator(name)).calls for name in NAMES}

DAMAGES = {name: Damage(evaluator(name).operator) for name in NAMES}

seeds = st.integers(0, 2**64 - 1).map(Random)
many = settings(max_examples=200, deadline=None, derandomize=True, database=None, phases=[Phase.generate])


@pytest.mark.parametrize("name", NAMES)
@given(seeds)
@many
def test_there_is_always_a_result(name: str, rng: Random) -> None:
    call = DAMAGES[name].damaged(rng, rng.choice(CALLS[name]), rng.randint(1, 4))
    stage = rng.choice([None, Stage.INFER, Stage.TILING])
    result = evaluator(name).evaluate(call, stage)
    assert result.ok == (result.stage is None)
    assert all(v.constraint and v.parameter and v.message for v in result.violations)
    assert json.loads(dump(result_json(result)))["status"] == ("ok" if result.ok else "rejected")
    assert json.loads(dump(call_json(call)))["id"] == call.id
    if result.ok:
        assert list(result.outputs) == [o.name for o in evaluator(name).operator.outputs]
