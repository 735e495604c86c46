"""Shape and dtype inference, where sizes and ranks may be unknown."""

from __future__ import annotations

from typing import Any

import pytest

from qsfa_codegen.contract.calls import Call, InputArg, Stage, TensorArg
from tests.contract.qsfa_calls import Case, batched, changed_case, judged, on_a5, packed, paged
from tests.contract.specs import evaluator

Shapes = dict[str, tuple[int, ...]]


def inferred(case: Case, **changes: Any) -> Shapes:
    result = judged(changed_case(case, stage="infer", **changes))
    assert result.ok, result.violations
    return {name: tensor.shape for name, tensor in result.outputs.items()}


def rejected(case: Case, **changes: Any) -> list[str]:
    result = judged(changed_case(case, stage="infer", **changes))
    assert result.stage is Stage.INFER
    return [violation.constraint for violation in result.violations]


def lse(attention: tuple[int, ...], statistics: tuple[int, ...]) -> Shapes:
    return {"attention_out": attention, "softmax_max": statistics, "softmax_sum": statistics}


@pytest.mark.parametrize(
    ("shape", "attention", "statistics"),
    [
        ([3, 5, 4, 576], (3, 5, 4, 512), (3, 1, 5, 4)),
        ([-1, 5, 4, 576], (-1, 5, 4, 512), (-1, 1, 5, 4)),
        ([3, -1, 4, 576], (3, -1, 4, 512), (3, 1, -1, 4)),
        ([3, 5, -1, 576], (3, 5, -1, 512), (3, 1, 5, -1)),
        ([3, 5, 4, -1], (3, 5, 4, -1), (3, 1, 5, 4)),
        ([-1, -1, -1, -1], (-1, -1, -1, -1), (-1, 1, -1, -1)),
        ([-2], (-2,), (-2,)),
    ],
)
def test_what_is_unknown_of_the_query_is_unknown_of_the_outputs(
    shape: list[int], attention: tuple[int, ...], statistics: tuple[int, ...]
) -> None:
    assert inferred(batched(), query__shape=shape, return_softmax_lse=True) == lse(attention, statistics)
    assert inferred(batched(), query__shape=shape) == lse(attention, (0,))


def test_the_key_matters_for_the_statistics_alone() -> None:
    case = changed_case(batched(), return_softmax_lse=True)
    assert inferred(case, key__shape=[3, 70, -1, 656]) == lse((3, 5, 4, 512), (3, -1, 5, -1))
    assert inferred(case, key__shape=[-2]) == lse((3, 5, 4, 512), (-2,))
    assert inferred(batched(), key__shape=[-2]) == lse((3, 5, 4, 512), (0,))
    assert inferred(packed(), query__shape=[-1, 16, 576], return_softmax_lse=True) == lse(
        (-1, 16, 512), (1, -1, 16)
    )


def test_other_inputs_do_not_matter() -> None:
    nothing: dict[str, Any] = dict.fromkeys(("value", "sparse_indices", "block_table"))
    lengths: dict[str, Any] = dict.fromkeys(("actual_seq_lengths_query", "actual_seq_lengths_kv"))
    assert inferred(paged(), **nothing, **lengths) == lse((2, 64, 8, 512), (0,))
    assert inferred(paged(), value__shape=[9], sparse_mode=77, attr_count=0, layout_kv="BSND") == lse(
        (2, 64, 8, 512), (0,)
    )


def test_dtypes_follow() -> None:
    result = judged(changed_case(on_a5(paged()), stage="infer", query__dtype="float16"))
    assert {name: t.dtype for name, t in result.outputs.items()} == {
        "attention_out": "float16",
        "softmax_max": "float32",
        "softmax_sum": "float32",
    }


@pytest.mark.parametrize(
    ("changes", "ids"),
    [
        ({"layout_query": "NTD"}, ["layout_query_value"]),
        ({"layout_kv": "NTD"}, ["layout_kv_value"]),
        ({"layout_query": "TND"}, ["query_rank"]),
        ({"query__shape": [3, 5, 576]}, ["query_rank"]),
        ({"query__shape": []}, ["query_rank"]),
        ({"key__shape": [-1]}, ["key_rank"]),
        ({"query__shape": [0, 5, 4, 576]}, ["B_value"]),
        ({"query__shape": [3, 0, -1, -1]}, ["Q_S_value"]),
        ({"query__shape": [-1, -1, -1, 64]}, ["query_shape"]),
        ({"rope_head_dim": 32, "query__shape": [-2]}, ["rope_head_dim_value"]),
        ({"key__shape": [3, 70, 0, 656], "return_softmax_lse": True}, ["key_shape"]),
        ({"query": None}, ["query_presence"]),
        ({"chip": "ascend310p"}, ["chip"]),
    ],
)
def test_rejections(changes: dict[str, Any], ids: list[str]) -> None:
    assert rejected(batched(), **changes) == ids


def test_in_tiling_nothing_is_unknown() -> None:
    result = judged(changed_case(batched(), stage="tiling", query__shape=[-1, 5, 4, 576]))
    assert [v.constraint for v in result.violations] == ["B_value"]
    assert result.violations[0].message == "B is -1; expected: B is at least 1"
    result = judged(changed_case(batched(), query__shape=[-2]))
    assert [v.constraint for v in result.violations] == ["query_rank"]
    assert result.stage is Stage.TILING


def test_a_violation_that_both_stages_find_is_reported_once() -> None:
    result = judged(changed_case(batched(), query__shape=[-1, 0, 4, 576], sparse_mode=9))
    assert [v.constraint for v in result.violations] == ["Q_S_value", "sparse_mode_value", "B_value"]
    assert result.stage is Stage.INFER


def test_an_allocated_output_may_be_any_of_what_is_unknown() -> None:
    allocated = {"attention_out": {"dtype": "float16", "shape": [7, 5, 4, 512]}}
    case = changed_case(batched(), stage="infer", outputs=allocated)
    assert rejected(case) == ["attention_out_shape"]
    assert inferred(case, query__shape=[-1, 5, 4, 576])["attention_out"] == (-1, 5, 4, 512)
    assert rejected(case, query__shape=[-1, 6, 4, 576]) == ["attention_out_shape"]


# --------------------------------------------------------------------------- other operators


def outputs_of(name: str, call: Call) -> dict[str, tuple[str, tuple[int, ...]]]:
    result = evaluator(name).evaluate(call, Stage.INFER)
    assert result.ok, result.violations
    return {output: (tensor.dtype, tensor.shape) for output, tensor in result.outputs.items()}


def half(*shape: int) -> TensorArg:
    return TensorArg("float16", shape)


def test_leading_dims() -> None:
    inputs = {"x1": half(2, -1, 5), "x2": half(2, -1, 5), "gamma": half(5)}
    assert outputs_of("add_rms_norm_bias", Call("x", "A2", inputs)) == {
        "y": ("float16", (2, -1, 5)),
        "rstd": ("float32", (2, -1, 1)),
        "x": ("float16", (2, -1, 5)),
    }
    inputs["gamma"] = half(-1, 5)
    assert outputs_of("add_rms_norm_bias", Call("x", "A2", inputs))["rstd"] == ("float32", (2, 1, 1))
    inputs["gamma"] = half(-2)
    assert outputs_of("add_rms_norm_bias", Call("x", "A2", inputs))["rstd"] == ("float32", (-2,))


@pytest.mark.parametrize(
    ("smooth", "mask", "second"),
    [
        (None, (), (1,)),
        ((5,), (), (3, 5)),
        ((0,), (), (1,)),
        ((5,), (True, False), (1,)),
        (None, (True, True), (3, 5)),
    ],
)
def test_an_empty_tensor_can_count_as_absent(
    smooth: tuple[int, ...] | None, mask: tuple[bool, ...], second: tuple[int, ...]
) -> None:
    inputs = {"x": half(3, 5), "gamma": half(5), "smooth_scale1": half(5)}
    if smooth is not None:
        inputs["smooth_scale2"] = half(*smooth)
    call = Call("x", "A2", inputs, {"output_mask": mask, "dst_type": "int4"})
    outputs = outputs_of("rms_norm_dynamic_quant", call)
    assert outputs["y1"] == ("int4", (3, 5))
    assert outputs["y2"] == ("int4", second)
    assert outputs["scale1"] == ("float32", (3,))


def test_a_list_input_gives_sizes() -> None:
    inputs: dict[str, InputArg] = {
        "x": TensorArg("int8", (-1, 64)),
        "weight": (TensorArg("int8", (64, 32)),) * 3,
    }
    call = Call("x", "A2", inputs, {"swiglu_limit": 0.0})
    assert outputs_of("grouped_matmul_swiglu_quant_weight_nz_tensor_list", call) == {
        "y": ("int8", (-1, 16)),
        "y_scale": ("float32", (-1,)),
    }


def test_a_dtype_of_an_absent_input_has_a_substitute() -> None:
    inputs: dict[str, TensorArg] = {
        "k": half(1, 2, 70, 8),
        "w": half(1, 4, 70, 8),
        "u": half(1, 4, 70, 16),
        "g": TensorArg("float32", (1, 4, 70)),
    }
    call = Call("x", "A2", inputs, {"output_final_state": True, "chunk_size": 32})
    outputs = outputs_of("chunk_gated_delta_rule_fwd_h", call)
    assert outputs["h"] == ("float16", (1, 4, 3, 8, 16))
    assert outputs["final_state"] == ("float16", (1, 4, 8, 16))
    inputs["inital_state"] = TensorArg("float32", (1, 4, 8, 16))
    assert outputs_of("chunk_gated_delta_rule_fwd_h", call)["final_state"][0] == "float32"
