"""Whatever a call holds, it has a result: every operator, damaged in every way."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call, InputArg, Stage, TensorArg, call_json, dump, result_json
from qsfa_codegen.contract.derive import derive
from qsfa_codegen.spec.dtypes import DTYPES
from tests.contract.specs import NAMES, evaluator

SIZES = [-1, 0, 1, 2, 3, 16, 17, 2**31, 2**32, 2**40, 2**62, 2**63 - 1]
CALLS = {name: derive(evaluator(name).operator, evaluator(name)).calls for name in NAMES}

seeds = st.integers(0, 2**64 - 1).map(Random)
many = settings(max_examples=200, deadline=None, derandomize=True, database=None, phases=[Phase.generate])


def damaged_tensor(rng: Random, tensor: TensorArg) -> TensorArg:
    shape = list(tensor.shape)
    kind = rng.randrange(6)
    if kind == 0:
        return TensorArg(rng.choice(list(DTYPES)), tensor.shape)
    if kind == 1:
        return TensorArg(tensor.dtype, (-2,))
    if kind == 2:
        return TensorArg(tensor.dtype, tuple(shape[:-1]))
    if kind == 3:
        shape.insert(rng.randint(0, len(shape)), rng.choice(SIZES))
    elif shape:
        shape[rng.randrange(len(shape))] = rng.choice(SIZES)
    return TensorArg(tensor.dtype, tuple(shape))


def damaged_input(rng: Random, arg: InputArg) -> InputArg:
    if isinstance(arg, TensorArg):
        return damaged_tensor(rng, arg)
    if not arg or rng.random() < 0.3:
        return arg[1:]
    index = rng.randrange(len(arg))
    return (*arg[:index], damaged_tensor(rng, arg[index]), *arg[index + 1 :])


def damaged_attr(rng: Random, value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice([-1, 0, 1, 2, 7, 2**31, 2**62, -(2**63), 2**63 - 1])
    if isinstance(value, float):
        return rng.choice([0.0, -1.0, 1e300, float("inf"), float("nan")])
    if isinstance(value, tuple):
        return rng.choice([(), value[:-1], (*value, *value[:1]), tuple(damaged_attr(rng, v) for v in value)])
    return rng.choice(["", "other"]) if value not in DTYPES else rng.choice(list(DTYPES))


def damaged(rng: Random, call: Call) -> Call:
    """The call with one to four things changed."""
    for _ in range(rng.randint(1, 4)):
        kind = rng.randrange(5)
        if kind < 3 and call.inputs:
            name = rng.choice(sorted(call.inputs))
            kept = {n: arg for n, arg in call.inputs.items() if n != name}
            if kind:
                kept[name] = damaged_input(rng, call.inputs[name])
            call = replace(call, inputs=kept)
        elif kind == 3 and call.attrs:
            name = rng.choice(sorted(call.attrs))
            call = replace(call, attrs={**call.attrs, name: damaged_attr(rng, call.attrs[name])})
        else:
            call = replace(call, attr_count=rng.randint(0, 3), platform={"aic": rng.choice([0, 1, 2**40])})
    return call


@pytest.mark.parametrize("name", NAMES)
@given(seeds)
@many
def test_there_is_always_a_result(name: str, rng: Random) -> None:
    call = damaged(rng, rng.choice(CALLS[name]))
    stage = rng.choice([None, Stage.INFER, Stage.TILING])
    result = evaluator(name).evaluate(call, stage)
    assert result.ok == (result.stage is None)
    assert all(v.constraint and v.parameter and v.message for v in result.violations)
    assert json.loads(dump(result_json(result)))["status"] == ("ok" if result.ok else "rejected")
    assert json.loads(dump(call_json(call)))["id"] == call.id
    if result.ok:
        assert list(result.outputs) == [o.name for o in evaluator(name).operator.outputs]
