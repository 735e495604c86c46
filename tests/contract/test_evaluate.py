"""Lists, contents, tiling values and other things that single operators need."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call, InputArg, Stage, TensorArg
from qsfa_codegen.contract.env import tsch_block_dim
from qsfa_codegen.contract.evaluate import evaluate
from qsfa_codegen.expr.floats import single_precision
from tests.contract.specs import evaluator

GROUPED = "grouped_matmul_swiglu_quant_weight_nz_tensor_list"
CHUNKS = "chunk_gated_delta_rule_fwd_h"
ROTARY = "inplace_partial_rotary_mul"


def broken(name: str, call: Call) -> list[str]:
    return [violation.constraint for violation in evaluator(name).evaluate(call).violations]


def with_inputs(call: Call, changes: Mapping[str, InputArg]) -> Call:
    return replace(call, inputs={**call.inputs, **changes})


# --------------------------------------------------------------------------- list inputs


def weights(*shapes: tuple[int, ...], dtype: str = "int8") -> tuple[TensorArg, ...]:
    return tuple(TensorArg(dtype, shape) for shape in shapes)


MATMUL = Call(
    "x",
    "A2",
    {
        "x": TensorArg("int8", (10, 64)),
        "weight": weights((64, 32), (64, 32)),
        "weight_scale": weights((32,), (32,), dtype="float32"),
        "x_scale": TensorArg("float32", (10,)),
        "group_list": TensorArg("int64", (2,)),
    },
    {"swiglu_limit": 7.0},
)


def test_a_legal_list_and_the_extern_that_tiling_calls() -> None:
    result = evaluator(GROUPED).evaluate(MATMUL)
    assert result.violations == ()
    assert result.tiling is not None
    assert result.tiling.data is not None
    fields = result.tiling.data["gmmSwigluTensorList"]
    assert fields == {"maxProcessRowNum": 383}  # 196352 bytes / (32 columns × 16)
    assert result.tiling.bytes is None  # a library fills the rest


@pytest.mark.parametrize(
    ("changes", "ids"),
    [
        ({"weight": weights((64, 32), (64, 64))}, ["weight_shape"]),
        ({"weight": weights((64, 32), (48, 32))}, ["weight_shape"]),
        ({"weight": weights((64, 32), (64, 32, 1))}, ["weight_rank"]),
        ({"weight": (*weights((64, 32)), TensorArg("uint8", (64, 32)))}, ["weight_dtype"]),
        ({"weight": ()}, ["weight_presence"]),
        ({"weight_scale": weights((32,), (31,), dtype="float32")}, ["weight_scale_shape"]),
        ({"weight_scale": weights((32,), dtype="float32")}, ["weight_scale_shape"]),
        ({"group_list": TensorArg("int64", (3,))}, ["groups_fit_experts"]),
    ],
)
def test_every_tensor_of_a_list_is_checked(changes: Mapping[str, InputArg], ids: list[str]) -> None:
    assert broken(GROUPED, with_inputs(MATMUL, changes)) == ids


def test_the_message_is_about_the_tensor_that_is_wrong() -> None:
    call = with_inputs(MATMUL, {"weight": weights((64, 32), (64, 32), (64, 96), (64, 32))})
    call = with_inputs(call, {"weight_scale": weights(*((32,),) * 4, dtype="float32")})
    (violation,) = evaluator(GROUPED).evaluate(call).violations
    assert violation.message.startswith("dim 1 of weight is 96, N is 32; expected:")


@pytest.mark.parametrize("limit", [-0.5, float("nan"), float("-inf")])
def test_not_a_number_is_in_no_range(limit: float) -> None:
    assert broken(GROUPED, replace(MATMUL, attrs={"swiglu_limit": limit})) == ["swiglu_limit_value"]


def test_one_call_needs_no_evaluator() -> None:
    call = rotated("A2", 0, 64)
    operator = evaluator(ROTARY).operator
    assert evaluate(operator, call) == evaluator(ROTARY).evaluate(call)
    assert evaluate(operator, replace(call, chip="A9"), Stage.TILING).stage is Stage.TILING


# --------------------------------------------------------------------------- contents


def sequences(*ends: int) -> Call:
    return Call(
        "x",
        "A2",
        {
            "k": TensorArg("float16", (1, 2, 70, 8)),
            "w": TensorArg("float16", (1, 4, 70, 8)),
            "u": TensorArg("float16", (1, 4, 70, 16)),
            "g": TensorArg("float16", (1, 4, 70)),
            "cu_seqlens": TensorArg("int64", (len(ends),), ends or None),
            "chunk_indices": TensorArg("int64", (4,)),
        },
        {"output_final_state": True, "chunk_size": 64, "inital_state_stride0": 0},
    )


def test_contents_are_checked_where_tiling_can_read_them() -> None:
    assert broken(CHUNKS, sequences(0, 30, 70)) == []
    assert broken(CHUNKS, sequences(0, 30, 29)) == ["cu_seqlens_increase"]
    unread = replace(
        sequences(0, 1), inputs={**sequences(0, 1).inputs, "cu_seqlens": TensorArg("int64", (2,))}
    )
    assert broken(CHUNKS, unread) == []


def test_presence_by_presence() -> None:
    call = sequences(0, 70)
    without = {name: arg for name, arg in call.inputs.items() if name != "cu_seqlens"}
    assert broken(CHUNKS, replace(call, inputs=without)) == ["chunk_indices_presence"]
    without = {name: arg for name, arg in call.inputs.items() if name != "chunk_indices"}
    assert broken(CHUNKS, replace(call, inputs=without)) == ["chunk_indices_presence"]


@pytest.mark.parametrize(
    ("g", "state", "ids"),
    [
        ("float16", "float16", []),
        ("float32", "float32", []),
        ("bfloat16", "float16", ["dtype_row"]),
        ("int8", "float16", ["g_dtype"]),
        ("float16", "bfloat16", ["dtype_row"]),
    ],
)
def test_dtypes_of_one_row(g: str, state: str, ids: list[str]) -> None:
    changes: dict[str, InputArg] = {
        "g": TensorArg(g, (1, 4, 70)),
        "inital_state": TensorArg(state, (1, 4, 8, 16)),
    }
    assert broken(CHUNKS, with_inputs(sequences(0, 70), changes)) == ids


def test_inputs_of_one_column_have_one_dtype() -> None:
    norm = Call(
        "x",
        "A2",
        {
            "x1": TensorArg("float16", (2, 5)),
            "x2": TensorArg("float16", (2, 5)),
            "gamma": TensorArg("float16", (5,)),
        },
    )
    assert broken("add_rms_norm_bias", norm) == []
    mixed = with_inputs(norm, {"x2": TensorArg("bfloat16", (2, 5))})
    assert broken("add_rms_norm_bias", mixed) == ["x2_dtype"]


# --------------------------------------------------------------------------- in place


def rotated(chip: str, start: int, end: int, mode: int = 1, **shapes: tuple[int, ...]) -> Call:
    width = end - start
    inputs = {"x": (2, 3, 4, 64), "cos": (2, 3, 1, width), "sin": (2, 3, 1, width), **shapes}
    return Call(
        "x",
        chip,
        {name: TensorArg("float16", shape) for name, shape in inputs.items()},
        {"mode": mode, "partial_slice": (start, end)},
    )


@pytest.mark.parametrize(
    ("call", "ids"),
    [
        (rotated("A2", 0, 64), []),
        (rotated("A2", 32, 64), []),
        (rotated("A2", 0, 64, cos=(2, 1, 1, 64), sin=(2, 1, 1, 64)), []),
        (rotated("A5", 0, 64, cos=(1, 3, 4, 64), sin=(1, 3, 4, 64)), []),
        (rotated("A2", 0, 64, cos=(1, 3, 1, 64), sin=(1, 3, 1, 64)), ["cos_shape", "sin_shape"]),
        (rotated("A2", 0, 64, sin=(2, 1, 1, 64)), ["sin_shape"]),
        (rotated("A5", 0, 64, sin=(1, 3, 1, 64)), ["sin_shape"]),
        (rotated("A2", 0, 64, mode=0), ["mode_value"]),
        (rotated("A5", 0, 64, mode=0), []),
        (rotated("A5", 0, 6, mode=2), ["quarter_width"]),
        (rotated("A2", 0, 5), ["even_width"]),
        (rotated("A2", 2, 66), ["slice_inside"]),
        (rotated("A2", 0, 64, cos=(2, 3, 1, 32), sin=(2, 3, 1, 32)), ["cos_shape"]),
        (replace(rotated("A2", 0, 64), attrs={"mode": 1}), ["slice_not_empty"]),
    ],
)
def test_alternatives_and_list_attributes(call: Call, ids: list[str]) -> None:
    found = broken(ROTARY, call)
    if "slice_not_empty" in ids:  # the registered slice is empty, and so nothing has its width
        assert "slice_not_empty" in found
    else:
        assert found == ids


def test_an_output_may_have_the_name_of_an_input() -> None:
    result = evaluator(ROTARY).evaluate(rotated("A2", 0, 64))
    assert result.outputs == {"x": TensorArg("float16", (2, 3, 4, 64))}
    wrong = replace(rotated("A2", 0, 64), outputs={"x": TensorArg("float16", (2, 3, 4, 63))})
    assert broken(ROTARY, wrong) == ["x_out_shape"]


# --------------------------------------------------------------------------- plain keys and block dims


@pytest.mark.parametrize(("dtype", "key"), [("int8", 1), ("float16", 2)])
def test_a_plain_integer_key(dtype: str, key: int) -> None:
    call = Call(
        "x",
        "A2",
        {
            "keyIn": TensorArg(dtype, (10, 4, 8)),
            "keyCacheIn": TensorArg(dtype, (3, 16, 4, 8)),
            **{f"group{name}": TensorArg("int32", (2,)) for name in ("Len", "KeyIdx", "KeyCacheIdx")},
        },
        {"blockSize": 16},
        platform={"aiv": 40},
    )
    result = evaluator("store_kv_block").evaluate(call)
    assert result.violations == ()
    assert result.outputs == {}
    assert result.tiling is not None
    assert (result.tiling.key, result.tiling.block_dim) == (key, 40)
    assert (result.tiling.data, result.tiling.bytes) == (None, None)
    longer = with_inputs(call, {"keyCacheIn": TensorArg(dtype, (3, 16, 4, 8, 1))})
    assert broken("store_kv_block", longer) == ["keyCacheIn_rank"]
    other = with_inputs(call, {"keyCacheIn": TensorArg(dtype, (3, 16, 4, 9))})
    assert broken("store_kv_block", other) == ["keyCacheIn_shape"]


@pytest.mark.parametrize(
    ("slices", "aic", "aiv", "groups"),
    [
        (1, 0, 1, 1),
        (1, 1, 0, 1),
        (2, 1, 1, 2),
        (2, 2, 1, 2),
        (2, 1, 2, 1),
        (3, 1, 2, 0),
        (6, 1, 3, 2),
        (38, 20, 40, 19),
        (39, 20, 40, 20),
        (40, 20, 40, 20),
        (41, 20, 40, 0),
        (128, 64, 128, 64),
    ],
)
def test_block_dim_of_the_task_scheduler(slices: int, aic: int, aiv: int, groups: int) -> None:
    assert tsch_block_dim(slices, aic, aiv) == groups


@pytest.mark.parametrize(
    ("value", "rounded"),
    [
        (0.5, 0.5),
        (0.1, 0.10000000149011612),
        (1e39, float("inf")),
        (-1e39, float("-inf")),
        (1e-60, 0.0),
        (float("-inf"), float("-inf")),
    ],
)
def test_floats_have_32_bits(value: float, rounded: float) -> None:
    assert single_precision(value) == rounded
