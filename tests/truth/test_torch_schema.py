"""Torch schemas of the specs against those in the released extension module."""

from __future__ import annotations

import pytest

from qsfa_codegen.render.torch_schema import schema
from tests.truth import torch_schema
from tests.truth.operators import SPECS, generated
from tests.truth.torch_schema import Argument, Schema
from tests.truth.wheel import Wheel


def _ours(snake: str) -> Schema:
    operator = generated(snake).operator
    assert operator.torch is not None
    return torch_schema.read(schema(operator, operator.torch))


def test_a_schema_in_full(released: Wheel) -> None:
    found = torch_schema.read(released.torch_schemas["npu_rms_norm_dynamic_quant"])
    assert found == Schema(
        name="npu_rms_norm_dynamic_quant",
        positional=(
            Argument("Tensor", "x", False, None),
            Argument("Tensor", "gamma", False, None),
            Argument("Tensor?", "smooth_scale", True, None),
            Argument("Tensor?", "beta", True, None),
            Argument("float", "epsilon", True, 1e-6),
        ),
        keyword=(),
        returns=(("Tensor", "y_out"), ("Tensor", "scale_out")),
    )


@pytest.mark.parametrize("snake", SPECS)
def test_schema_is_the_released_one(snake: str, released: Wheel) -> None:
    ours = _ours(snake)
    assert ours == torch_schema.read(released.torch_schemas[ours.name])


def test_in_place_schema_says_what_the_released_one_leaves_out(released: Wheel) -> None:
    """The released store_kv_block writes key_cache_in and does not say so."""
    ours = _ours("store_kv_block")
    theirs = torch_schema.read(released.torch_schemas["store_kv_block"])
    differing = [(a, b) for a, b in zip(ours.positional, theirs.positional, strict=True) if a != b]
    assert [(a.name, a.type, b.type) for a, b in differing] == [("key_cache_in", "Tensor(a!)", "Tensor")]
