"""What the readers make of the wheel itself: counted and copied by hand from its files."""

from __future__ import annotations

from tests.truth import aclnn_header, graph_proto
from tests.truth.aclnn_header import Parameter
from tests.truth.wheel import Wheel

SOC = "ascend910b"


def test_the_wheel_registers_36_operators_on_its_chip(released: Wheel) -> None:
    assert len(released.snakes) == 36
    assert len(released.ops_info(SOC)) == 36


def test_every_prototype_is_read_and_is_registered(released: Wheel) -> None:
    names = {graph_proto.read(released.proto(snake)).name for snake in released.snakes}
    assert names == set(released.ops_info(SOC))


def test_every_aclnn_header_declares_pairs_of_functions(released: Wheel) -> None:
    collection = "ops_transformer_custom"  # includes all others, declares nothing
    for snake in set(released.aclnn_headers) - {collection}:
        found = aclnn_header.functions(released.aclnn_header(snake))
        first, *_ = found
        assert first.endswith("GetWorkspaceSize"), snake
        assert first.removesuffix("GetWorkspaceSize") in found, snake


def test_an_aclnn_function_in_full(released: Wheel) -> None:
    found = aclnn_header.functions(released.aclnn_header("add_rms_norm_bias"))
    assert found["aclnnAddRmsNormBiasGetWorkspaceSize"] == (
        Parameter("const aclTensor *", "x1"),
        Parameter("const aclTensor *", "x2"),
        Parameter("const aclTensor *", "gamma"),
        Parameter("const aclTensor *", "betaOptional"),
        Parameter("double", "epsilon"),
        Parameter("const aclTensor *", "yOut"),
        Parameter("const aclTensor *", "rstdOut"),
        Parameter("const aclTensor *", "xOut"),
        Parameter("uint64_t *", "workspaceSize"),
        Parameter("aclOpExecutor **", "executor"),
    )


def test_a_prototype_in_full(released: Wheel) -> None:
    anything = "ge::TensorType::ALL()"
    assert graph_proto.read(released.proto("rms_norm_dynamic_quant")) == graph_proto.Proto(
        name="RmsNormDynamicQuant",
        inputs=(
            graph_proto.Parameter("INPUT", "x", anything),
            graph_proto.Parameter("INPUT", "gamma", anything),
            graph_proto.Parameter("OPTIONAL_INPUT", "smooth_scale1", anything),
            graph_proto.Parameter("OPTIONAL_INPUT", "smooth_scale2", anything),
            graph_proto.Parameter("OPTIONAL_INPUT", "beta", anything),
        ),
        outputs=(
            graph_proto.Parameter("OUTPUT", "y1", anything),
            graph_proto.Parameter("OUTPUT", "y2", anything),
            graph_proto.Parameter("OUTPUT", "scale1", anything),
            graph_proto.Parameter("OUTPUT", "scale2", anything),
        ),
        attributes=(
            graph_proto.Attribute("epsilon", "Float", "1e-06"),
            graph_proto.Attribute("output_mask", "ListBool", "{}"),
            graph_proto.Attribute("dst_type", "Int", "2"),
        ),
        datatypes=(),
    )


def test_a_named_type_of_a_prototype(released: Wheel) -> None:
    proto = graph_proto.read(released.proto("kv_quant_sparse_flash_attention"))
    assert [p.type for p in proto.inputs[:3]] == ["ge::TensorType::ALL()", '"key_type"', '"key_type"']
    assert proto.datatypes == (("key_type", ("DT_INT8",)),)


def test_torch_schemas_are_found_in_the_extension(released: Wheel) -> None:
    assert released.torch_schemas["npu_add_rms_norm_bias"] == (
        "npu_add_rms_norm_bias(Tensor x1, Tensor x2, Tensor gamma, Tensor? beta=None, float epsilon=1e-6)"
        "-> (Tensor y ,Tensor rstd, Tensor x)"
    )
