"""What the specs of the released operators accept and infer, as their public host code has it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call, Stage, TensorArg
from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.spec.load import load
from qsfa_codegen.spec.model import AttrValue

SPECS = Path(__file__).parents[2] / "spec"

Shape = tuple[int, ...]


@cache
def _contract(name: str) -> Evaluator:
    return Evaluator(load(SPECS / f"{name}.yaml"))


def _tensors(dtype: str, **shapes: Shape) -> dict[str, TensorArg]:
    return {name: TensorArg(dtype, shape) for name, shape in shapes.items()}


def _with(call: Call, **inputs: TensorArg | None) -> Call:
    """The call with other inputs; None takes one away."""
    kept = {name: arg for name, arg in {**call.inputs, **inputs}.items() if arg is not None}
    return replace(call, inputs=kept)


def _set(call: Call, **attrs: AttrValue) -> Call:
    """The call with other attributes."""
    return replace(call, attrs={**call.attrs, **attrs})


def _broken(name: str, call: Call) -> set[str]:
    return {v.constraint for v in _contract(name).evaluate(call).violations}


def _shapes(name: str, call: Call) -> dict[str, tuple[str, Shape]]:
    result = _contract(name).evaluate(call)
    assert result.ok, result.violations
    return {output: (tensor.dtype, tuple(tensor.shape)) for output, tensor in result.outputs.items()}


# --------------------------------------------------------------------------- LightningIndexer

INDEXER = "lightning_indexer"
PAGED = Call(
    id="paged",
    chip="A2",
    inputs={
        **_tensors("bfloat16", query=(2, 4, 64, 128), key=(10, 16, 1, 128), weights=(2, 4, 64)),
        **_tensors("int32", actual_seq_lengths_key=(2,), block_table=(2, 5)),
    },
    attrs={"layout_key": "PA_BSND"},
)
PACKED = Call(
    id="packed",
    chip="A2",
    inputs={
        **_tensors("float16", query=(8, 32, 128), key=(40, 1, 128), weights=(8, 32)),
        **_tensors("int32", actual_seq_lengths_query=(3,), actual_seq_lengths_key=(3,)),
    },
    attrs={"layout_query": "TND", "layout_key": "TND", "sparse_count": 100},
)


def test_indexer_outputs() -> None:
    assert _shapes(INDEXER, PAGED) == {
        "sparse_indices": ("int32", (2, 4, 1, 2048)),
        "sparse_values": ("bfloat16", (0,)),
    }
    assert _shapes(INDEXER, _set(PACKED, return_values=True)) == {
        "sparse_indices": ("int32", (8, 1, 100)),
        "sparse_values": ("float16", (8, 1, 100)),
    }


@pytest.mark.parametrize(
    ("count", "broken"),
    [
        (0, {"sparse_count_value"}),
        (1, set()),
        (2047, set()),
        (2049, {"large_count_step"}),
        (3072, set()),
        (8192, set()),
        (9216, {"sparse_count_value"}),
    ],
)
def test_indexer_counts(count: int, broken: set[str]) -> None:
    assert _broken(INDEXER, _set(PAGED, sparse_count=count)) == broken


@pytest.mark.parametrize(
    ("chip", "heads", "broken"),
    [
        ("A2", 64, set()),
        ("A2", 7, set()),
        ("A3", 65, {"Q_N_value"}),
        ("A5", 24, set()),
        ("A5", 7, {"a5_query_heads"}),
    ],
)
def test_indexer_heads(chip: str, heads: int, broken: set[str]) -> None:
    tensors = _tensors("bfloat16", query=(2, 4, heads, 128), weights=(2, 4, heads))
    assert _broken(INDEXER, replace(_with(PAGED, **tensors), chip=chip)) == broken


@pytest.mark.parametrize(
    ("chip", "dtype", "legal"),
    [("A2", "float32", True), ("A2", "float16", False), ("A5", "bfloat16", True), ("A5", "float32", False)],
)
def test_indexer_weights_dtype(chip: str, dtype: str, legal: bool) -> None:
    """float32 weights go with both dtypes of query, but not on A5; others must be of query's dtype."""
    call = replace(_with(PAGED, weights=TensorArg(dtype, (2, 4, 64))), chip=chip)
    assert (_broken(INDEXER, call) == set()) == legal


@pytest.mark.parametrize(
    ("call", "broken"),
    [
        (_set(PAGED, layout_query="NSD"), "layout_query_value"),
        (_set(PACKED, layout_query="BSND"), "layouts_agree"),
        (_with(PAGED, block_table=None), "block_table_presence"),
        (_with(PAGED, actual_seq_lengths_key=None), "actual_seq_lengths_key_presence"),
        (_with(PACKED, actual_seq_lengths_query=None), "actual_seq_lengths_query_presence"),
        (_with(PACKED, block_table=TensorArg("int32", (3, 5))), "block_table_presence"),
        (_with(PAGED, actual_seq_lengths_key=TensorArg("int64", (2,))), "actual_seq_lengths_key_dtype"),
        (_with(PAGED, block_table=TensorArg("int32", (10,))), "block_table_rank"),
        (_with(PAGED, block_table=TensorArg("int32", (3, 5))), "block_table_shape"),
        (_with(PAGED, key=TensorArg("bfloat16", (10, 24, 1, 128))), "BLOCK_SIZE_value"),
        (_with(PAGED, key=TensorArg("bfloat16", (10, 1040, 1, 128))), "BLOCK_SIZE_value"),
        (_with(PAGED, key=TensorArg("bfloat16", (0, 16, 1, 128))), "BLOCK_NUM_value"),
        (_with(PAGED, key=TensorArg("bfloat16", (10, 16, 2, 128))), "key_shape"),
        (_with(PAGED, key=TensorArg("bfloat16", (10, 16, 1, 64))), "key_shape"),
        (_with(PAGED, query=TensorArg("bfloat16", (2, 4, 64, 64))), "query_shape"),
        (_with(PAGED, weights=TensorArg("bfloat16", (2, 4, 32))), "weights_shape"),
        (_set(PAGED, sparse_mode=1), "sparse_mode_value"),
        (_set(PAGED, pre_tokens=0), "pre_tokens_value"),
        (_set(PAGED, next_tokens=7), "next_tokens_value"),
        (_set(PAGED, return_values=True), "values_without_paging"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_indexer_rejections(call: Call, broken: str) -> None:
    assert broken in _broken(INDEXER, call)


# --------------------------------------------------------------------------- AddRmsNormBias

ADD_NORM = "add_rms_norm_bias"


def _add(shape: Shape, gamma: Shape, dtype: str = "float16", **others: TensorArg) -> Call:
    inputs = {**_tensors(dtype, x1=shape, x2=shape, gamma=gamma), **others}
    return Call(id="add", chip="A3", inputs=inputs, attrs={})


@pytest.mark.parametrize(
    ("shape", "gamma", "rstd"),
    [
        ((8, 4, 512), (512,), (8, 4, 1)),
        ((8, 4, 512), (4, 512), (8, 1, 1)),
        ((512,), (512,), (1,)),
        ((-1, 512), (512,), (-1, 1)),
    ],
)
def test_add_norm_keeps_the_rank_in_rstd(shape: Shape, gamma: Shape, rstd: Shape) -> None:
    result = _contract(ADD_NORM).evaluate(replace(_add(shape, gamma), stage=Stage.INFER))
    assert result.ok
    shapes = {name: tuple(tensor.shape) for name, tensor in result.outputs.items()}
    assert shapes == {"y": shape, "rstd": rstd, "x": shape}
    assert {name: tensor.dtype for name, tensor in result.outputs.items()} == {
        "y": "float16",
        "rstd": "float32",
        "x": "float16",
    }


@pytest.mark.parametrize("unknown", ["x1", "gamma"])
def test_add_norm_with_an_unknown_rank(unknown: str) -> None:
    call = replace(_with(_add((8, 512), (512,)), **{unknown: TensorArg("float16", (-2,))}), stage=Stage.INFER)
    outputs = _contract(ADD_NORM).evaluate(call).outputs
    assert tuple(outputs["rstd"].shape) == (-2,)
    assert tuple(outputs["y"].shape) == ((-2,) if unknown == "x1" else (8, 512))


@pytest.mark.parametrize(
    ("call", "broken"),
    [
        (_add((8, 512), (256,)), {"x1_shape"}),
        (_add((512,), (8, 512)), {"x1_rank"}),
        (_add((0, 512), (512,)), {"not_empty"}),
        (_add((1,) * 9, (1,)), {"at_most_8_dims"}),
        (_with(_add((8, 512), (512,)), x2=TensorArg("float16", (4, 512))), {"x2_shape"}),
        (_with(_add((8, 512), (512,)), x2=TensorArg("float16", (8, 1, 512))), {"x2_rank"}),
        (_set(_add((8, 512), (512,)), epsilon=-1e-6), {"epsilon_value"}),
        (_set(_add((8, 512), (512,)), epsilon=0.0), set()),
        (_with(_add((8, 512), (512,)), beta=TensorArg("float16", (8,))), {"beta_shape"}),
        (_with(_add((8, 512), (512,)), beta=TensorArg("float16", (512,))), set()),
        (_add((8, 512), (512,), "int8"), {"x1_dtype"}),
        (_with(_add((8, 512), (512,)), gamma=TensorArg("float32", (512,))), {"gamma_dtype"}),
    ],
)
def test_add_norm_rules(call: Call, broken: set[str]) -> None:
    assert _broken(ADD_NORM, call) == broken


# --------------------------------------------------------------------------- RmsNormDynamicQuant

NORM_QUANT = "rms_norm_dynamic_quant"
ROWS = Call(id="rows", chip="A2", inputs=_tensors("bfloat16", x=(3, 7, 1024), gamma=(1024,)), attrs={})
SMOOTH = TensorArg("bfloat16", (1024,))
EMPTY = TensorArg("bfloat16", (0,))


@pytest.mark.parametrize(
    ("call", "second"),
    [
        (ROWS, (1,)),
        (_with(ROWS, smooth_scale1=SMOOTH, smooth_scale2=SMOOTH), (3, 7, 1024)),
        (_set(_with(ROWS, smooth_scale2=SMOOTH), output_mask=(True, False)), (1,)),
        (_set(ROWS, output_mask=(True, True)), (3, 7, 1024)),
        (_with(ROWS, smooth_scale2=EMPTY), (1,)),
    ],
)
def test_norm_quant_outputs(call: Call, second: Shape) -> None:
    assert _shapes(NORM_QUANT, call) == {
        "y1": ("int8", (3, 7, 1024)),
        "y2": ("int8", second),
        "scale1": ("float32", (3, 7)),
        "scale2": ("float32", (3, 7)),
    }


def test_norm_quant_dtype_is_chosen_by_an_attribute() -> None:
    shapes = _shapes(NORM_QUANT, _set(ROWS, dst_type="int4"))
    assert shapes["y1"] == ("int4", (3, 7, 1024))


@pytest.mark.parametrize(
    ("call", "broken"),
    [
        (_with(ROWS, smooth_scale2=SMOOTH), {"second_scale_needs_first"}),
        (_with(ROWS, smooth_scale1=EMPTY, smooth_scale2=SMOOTH), {"second_scale_needs_first"}),
        (_set(_with(ROWS, smooth_scale2=SMOOTH), output_mask=(False, True)), set()),
        (_with(ROWS, gamma=TensorArg("bfloat16", (512,))), {"gamma_shape"}),
        (_with(ROWS, gamma=TensorArg("bfloat16", (1, 1024))), {"gamma_rank"}),
        (_with(ROWS, x=TensorArg("bfloat16", ())), {"x_rank"}),
        (_with(ROWS, smooth_scale1=TensorArg("bfloat16", (512,))), {"smooth_scale1_shape"}),
        (_set(ROWS, epsilon=0.0), {"epsilon_value"}),
        (_set(ROWS, output_mask=(True,)), {"output_mask_value"}),
        (_set(ROWS, dst_type="int32"), {"dst_type_value"}),
        (_with(ROWS, gamma=TensorArg("float16", (1024,))), {"gamma_dtype"}),
    ],
)
def test_norm_quant_rules(call: Call, broken: set[str]) -> None:
    assert _broken(NORM_QUANT, call) == broken
