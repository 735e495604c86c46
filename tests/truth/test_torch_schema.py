"""Torch schemas of the specs against those in the released extension module."""

from __future__ import annotations

import pytest

from qsfa_codegen.render.torch_schema import schema
from tests.truth import graph_proto, torch_schema
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


def test_one_torch_default_is_not_the_registered_one(released: Wheel) -> None:
    """The release registers an attention mode that it rejects, and gives torch callers the accepted one."""
    snake = "kv_quant_sparse_flash_attention"
    registered = {a.name: a.default for a in graph_proto.read(released.proto(snake)).attributes if a.default}
    ours = {a.name: a.default for a in _ours(snake).keyword if a.default is not None}
    as_text = {name: str(value).lower() for name, value in ours.items() if name in registered}
    plain = {name: default.strip('"').lower() for name, default in registered.items()}
    assert {n: (plain[n], as_text[n]) for n in as_text if plain[n] != as_text[n]} == {
        "attention_mode": ("0", "2")
    }
    binding = generated(snake).operator.torch
    assert binding is not None
    assert [p.name for p in binding.keyword if p.reason] == ["attention_mode"]
