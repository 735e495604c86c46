"""The generated aclnn wrapper: known answers by hand, the contract's for many calls, and its text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call, InputArg, TensorArg
from qsfa_codegen.contract.derive import derive
from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.render.package import render
from qsfa_codegen.spec.aclnn import in_place_names, signature
from qsfa_codegen.spec.load import load
from qsfa_codegen.spec.model import Operator, Text
from tests.render.aclnn_calls import OTHER_ARCH, SECOND_PHASE, WORKSPACE, Wrapper
from tests.render.flash_calls import PAGED, TOKENS, tensor

ROOT = Path(__file__).parents[2]
FLASH = ROOT / "spec" / "kv_quant_sparse_flash_attention.yaml"
GROUPED = ROOT / "tests" / "specs" / "grouped_matmul_swiglu_quant_weight_nz_tensor_list.yaml"
SUCCESS, NULLPTR, INVALID = 0, 161001, 161002
EMPTY = tensor("float32", 0)
PAGED_OUTPUTS = {
    "attention_out": tensor("bfloat16", 2, 64, 8, 512),
    "softmax_max": EMPTY,
    "softmax_sum": EMPTY,
}
WITH_LSE = replace(PAGED, attrs={**PAGED.attrs, "return_softmax_lse": True})
LSE_OUTPUTS = {
    "attention_out": tensor("bfloat16", 2, 64, 8, 512),
    "softmax_max": tensor("float32", 2, 1, 64, 8),
    "softmax_sum": tensor("float32", 2, 1, 64, 8),
}
TOKENS_OUTPUTS = {
    "attention_out": tensor("float16", 96, 16, 512),
    "softmax_max": EMPTY,
    "softmax_sum": EMPTY,
}


def wrapped(operator: Operator) -> Operator:
    """The operator with a wrapper of its own, whatever its spec says."""
    binding = replace(operator.aclnn, style="wrapper", parameters=())
    return replace(operator, aclnn=binding, emit=("op_api",))


@pytest.fixture(scope="module")
def flash() -> Operator:
    return load(FLASH)


@pytest.fixture(scope="module")
def grouped_operator() -> Operator:
    return wrapped(load(GROUPED))


@pytest.fixture(scope="module")
def wrapper(flash: Operator, tmp_path_factory: pytest.TempPathFactory) -> Wrapper:
    return Wrapper(wrapped(flash), tmp_path_factory.mktemp("flash"))


@pytest.fixture(scope="module")
def grouped(grouped_operator: Operator, tmp_path_factory: pytest.TempPathFactory) -> Wrapper:
    return Wrapper(grouped_operator, tmp_path_factory.mktemp("grouped"))


@pytest.fixture(scope="module")
def header(flash: Operator) -> str:
    return render(wrapped(flash))[f"op_host/op_api/aclnn_{flash.snake}.h"]


@pytest.fixture(scope="module")
def source(flash: Operator) -> str:
    return render(wrapped(flash))[f"op_host/op_api/aclnn_{flash.snake}.cpp"]


# --------------------------------------------------------------------------- legal calls


@pytest.mark.parametrize(
    ("call", "outputs"), [(PAGED, PAGED_OUTPUTS), (WITH_LSE, LSE_OUTPUTS), (TOKENS, TOKENS_OUTPUTS)]
)
def test_a_legal_call_is_passed_on(wrapper: Wrapper, call: Call, outputs: dict[str, TensorArg]) -> None:
    answer = wrapper.call(call, outputs)
    assert (answer.status, answer.message, answer.called) == (SUCCESS, "", True)
    assert answer.workspace == WORKSPACE
    assert answer.living == 0


def test_the_second_phase_is_that_of_cann(wrapper: Wrapper) -> None:
    assert wrapper.library.aclnnKvQuantSparseFlashAttention(None, 0, None, None) == SECOND_PHASE


def test_numbers_are_passed_on_as_they_came(wrapper: Wrapper) -> None:
    assert wrapper.call(replace(PAGED, attrs={**PAGED.attrs, "scale_value": 0.1}), PAGED_OUTPUTS).called
    assert wrapper.passed_on("scale_value") == 0.1
    assert wrapper.passed_on("key_quant_mode") == 2
    assert wrapper.passed_on("sparse_block_size") == 16
    assert wrapper.passed_on("pre_tokens") == float(2**63 - 1)
    assert wrapper.passed_on("return_softmax_lse") == 0
    assert wrapper.call(WITH_LSE, LSE_OUTPUTS).called
    assert wrapper.passed_on("return_softmax_lse") == 1


def test_an_empty_cache_is_legal(wrapper: Wrapper) -> None:
    empty = {name: tensor("int8", 0, 16, 1, 656) for name in ("key", "value")}
    assert wrapper.call(replace(PAGED, inputs={**PAGED.inputs, **empty}), PAGED_OUTPUTS).called
    empty = {name: tensor("int8", 0, 1, 656) for name in ("key", "value")}
    assert wrapper.call(replace(TOKENS, inputs={**TOKENS.inputs, **empty}), TOKENS_OUTPUTS).called


def test_nullptr_for_a_text_means_the_registered_default(wrapper: Wrapper) -> None:
    assert "layout_query" not in PAGED.attrs
    assert wrapper.call(PAGED, PAGED_OUTPUTS).called
    answer = wrapper.call(PAGED, PAGED_OUTPUTS, left_out=["layout_kv"])
    # BSND by default: then a block table is one too many.
    assert (answer.status, answer.id, answer.called) == (INVALID, "block_table_presence", False)


def test_a_reserved_input_is_not_looked_at(wrapper: Wrapper) -> None:
    odd = replace(PAGED, inputs={**PAGED.inputs, "key_dequant_scale": tensor("int64", 3)})
    assert wrapper.call(odd, PAGED_OUTPUTS).called


# --------------------------------------------------------------------------- rejected calls


@pytest.mark.parametrize("name", ["query", "key", "value", "sparse_indices", "block_table"])
def test_a_parameter_that_must_not_be_nullptr(wrapper: Wrapper, name: str) -> None:
    answer = wrapper.call(PAGED, PAGED_OUTPUTS, left_out=[name])
    assert (answer.status, answer.id, answer.called) == (NULLPTR, f"{name}_presence", False)


def test_a_parameter_that_must_be_nullptr(wrapper: Wrapper) -> None:
    call = replace(TOKENS, inputs={**TOKENS.inputs, "block_table": tensor("int32", 2, 32)})
    answer = wrapper.call(call, TOKENS_OUTPUTS)
    assert (answer.status, answer.id, answer.called) == (INVALID, "block_table_presence", False)


@pytest.mark.parametrize("name", ["workspaceSize", "executor"])
def test_the_results_of_the_first_phase_must_have_a_place(wrapper: Wrapper, name: str) -> None:
    answer = wrapper.call(PAGED, PAGED_OUTPUTS, left_out=[name])
    assert (answer.status, answer.called) == (NULLPTR, False)
    assert answer.message == "workspaceSize and executor must not be nullptr"


def test_a_chip_that_the_operator_does_not_have(wrapper: Wrapper) -> None:
    answer = wrapper.call(PAGED, PAGED_OUTPUTS, arch=OTHER_ARCH)
    assert (answer.status, answer.id, answer.called) == (INVALID, "chip", False)


REJECTED: list[tuple[Call, str]] = [
    (replace(PAGED, attrs={**PAGED.attrs, "key_quant_mode": 2**32 + 2}), "key_quant_mode_value"),
    (replace(PAGED, attrs={**PAGED.attrs, "scale_value": 1e39}), "scale_value_value"),
    (replace(PAGED, attrs={**PAGED.attrs, "layout_kv": "PA_BSNDX"}), "layout_kv_value"),
    (replace(PAGED, inputs={**PAGED.inputs, "block_table": tensor("int64", 2, 32)}), "block_table_dtype"),
    (replace(PAGED, inputs={**PAGED.inputs, "query": tensor("bfloat16", 2, 64, 4608)}), "query_rank"),
    (replace(PAGED, inputs={**PAGED.inputs, "query": tensor("float32", 2, 64, 8, 576)}), "query_dtype"),
    (replace(PAGED, inputs={**PAGED.inputs, "key": tensor("int8", 32, 16, 2, 656)}), "key_shape"),
    (
        replace(PAGED, inputs={**PAGED.inputs, "sparse_indices": tensor("int32", 2, 64, 1, 0)}),
        "SPARSE_SIZE_value",
    ),
    (replace(TOKENS, attrs={**TOKENS.attrs, "layout_kv": "BSND"}), "key_rank"),
    (replace(WITH_LSE, chip="A5"), "return_softmax_lse_value"),
]


@pytest.mark.parametrize(("call", "id"), REJECTED)
def test_a_mistake_is_rejected_by_its_id(wrapper: Wrapper, call: Call, id: str) -> None:
    outputs = TOKENS_OUTPUTS if call.id == TOKENS.id else PAGED_OUTPUTS
    answer = wrapper.call(call, outputs)
    violations = {v.constraint for v in Evaluator(load(FLASH)).evaluate(call).violations}
    assert (answer.status, answer.called) == (INVALID, False)
    assert answer.id in violations | {id}
    assert id in violations


def test_a_message_names_what_was_given_and_what_is_allowed(wrapper: Wrapper) -> None:
    call = replace(PAGED, attrs={**PAGED.attrs, "sparse_block_size": 3})
    assert wrapper.call(call, PAGED_OUTPUTS).message == (
        "sparseBlockSize is 3; expected: if the chip is A2 or A3, sparseBlockSize is one of "
        "1, 2, 4, 8, 16; if the chip is A5, sparseBlockSize is 1 [sparse_block_size_value]"
    )


def test_a_long_text_does_not_push_the_id_out(wrapper: Wrapper) -> None:
    answer = wrapper.call(replace(PAGED, attrs={**PAGED.attrs, "layout_kv": "x" * 9000}), PAGED_OUTPUTS)
    assert answer.id == "layout_kv_value"
    assert len(answer.message) < 300


def test_a_percent_sign_of_the_caller_is_no_format(wrapper: Wrapper) -> None:
    answer = wrapper.call(replace(PAGED, attrs={**PAGED.attrs, "layout_kv": "%s%n%d"}), PAGED_OUTPUTS)
    assert answer.message.startswith("layoutKvOptional is %s%n%d;")


# --------------------------------------------------------------------------- outputs


def test_a_message_has_the_names_of_the_aclnn_function(wrapper: Wrapper) -> None:
    answer = wrapper.call(PAGED, PAGED_OUTPUTS, left_out=["block_table"])
    assert answer.message == (
        "blockTableOptional is absent; expected: blockTableOptional must be present when layoutKvOptional is "
        "PA_BSND [block_table_presence]"
    )
    tokens = replace(TOKENS, attrs={**TOKENS.attrs, "layout_query": "BSND"})
    tokens = replace(tokens, inputs={**tokens.inputs, "query": tensor("float16", 2, 48, 16, 576)})
    tokens = replace(tokens, inputs={**tokens.inputs, "sparse_indices": tensor("int32", 2, 48, 1, 64)})
    assert wrapper.call(tokens, {**TOKENS_OUTPUTS}).message == (
        "layoutKvOptional is TND, layoutQueryOptional is BSND; expected: layoutKvOptional must equal "
        "layoutQueryOptional unless it is PA_BSND [layouts_agree]"
    )


def test_no_message_names_what_the_aclnn_function_does_not_have(flash: Operator, source: str) -> None:
    said = " ".join(re.findall(r'"((?:[^"\\]|\\.)*)"', source))
    names = {param.source for param in signature(flash) if param.source != param.name}
    ids = re.compile(r"\[\w+\]")
    assert len(names) > 20
    assert names & set(re.findall(r"\w+", ids.sub("", said))) == set()


# --------------------------------------------------------------------------- outputs without elements


def test_an_output_that_is_empty_may_be_nullptr(wrapper: Wrapper) -> None:
    answer = wrapper.call(PAGED, PAGED_OUTPUTS, left_out=["softmax_max", "softmax_sum"])
    assert (answer.status, answer.called) == (SUCCESS, True)
    assert answer.complete  # CANN is given a tensor all the same,
    assert answer.living == 0  # which does not outlive the call.


@pytest.mark.parametrize(
    ("call", "outputs", "name"),
    [
        (PAGED, PAGED_OUTPUTS, "attention_out"),
        (WITH_LSE, LSE_OUTPUTS, "softmax_max"),
        (WITH_LSE, LSE_OUTPUTS, "softmax_sum"),
    ],
)
def test_an_output_that_holds_something_may_not(
    wrapper: Wrapper, call: Call, outputs: dict[str, TensorArg], name: str
) -> None:
    answer = wrapper.call(call, outputs, left_out=[name])
    assert (answer.status, answer.id, answer.called) == (
        NULLPTR,
        f"{name.removesuffix('_out')}_out_presence",
        False,
    )


@pytest.mark.parametrize(
    ("call", "outputs", "name", "wrong", "rule"),
    [
        (PAGED, PAGED_OUTPUTS, "attention_out", tensor("float16", 2, 64, 8, 512), "dtype"),
        (PAGED, PAGED_OUTPUTS, "attention_out", tensor("bfloat16", 2, 64, 8, 576), "shape"),
        (PAGED, PAGED_OUTPUTS, "attention_out", tensor("bfloat16", 128, 8, 512), "shape"),
        (PAGED, PAGED_OUTPUTS, "softmax_max", tensor("float32", 2, 1, 64, 8), "shape"),
        (PAGED, PAGED_OUTPUTS, "softmax_sum", tensor("bfloat16", 0), "dtype"),
        (WITH_LSE, LSE_OUTPUTS, "softmax_sum", EMPTY, "shape"),
        (TOKENS, TOKENS_OUTPUTS, "attention_out", tensor("float16", 96, 16, 448), "shape"),
    ],
)
def test_an_output_that_does_not_fit(
    wrapper: Wrapper, call: Call, outputs: dict[str, TensorArg], name: str, wrong: TensorArg, rule: str
) -> None:
    answer = wrapper.call(call, {**outputs, name: wrong})
    assert (answer.status, answer.id, answer.called) == (
        INVALID,
        f"{name.removesuffix('_out')}_out_{rule}",
        False,
    )


def test_a_wrong_output_shape_is_shown_beside_the_right_one(wrapper: Wrapper) -> None:
    wrong = {**PAGED_OUTPUTS, "softmax_max": tensor("float32", 2, 1, 64, 8)}
    assert wrapper.call(PAGED, wrong).message == (
        "shape of softmaxMaxOut is [2, 1, 64, 8]; expected: [0] [softmax_max_out_shape]"
    )


# --------------------------------------------------------------------------- against the contract


def _differences(operator: Operator, wrapper: Wrapper) -> tuple[int, list[str]]:
    """How many derived calls were compared, and those on which the wrapper and the contract differ."""
    evaluator = Evaluator(operator)
    compared, found = 0, []
    for call in derive(operator).calls:
        if call.attr_count is not None or call.stage is not None:
            continue  # of a graph, which aclnn is not
        if call.outputs.keys() & in_place_names(operator):
            continue  # the output is the input: a caller has no two tensors
        wanted = evaluator.evaluate(call)
        ids = {v.constraint for v in wanted.violations}
        if ids and all(id.endswith("_fits") for id in ids):
            continue  # of tiling, which comes later
        own = {o.name: wanted.outputs.get(o.name, TensorArg("float32", (1,))) for o in operator.outputs}
        answer = wrapper.call(call, {**own, **call.outputs})
        agreed = answer.called == (not ids) and (answer.status == SUCCESS) == (not ids)
        absent = answer.status == NULLPTR
        named = not ids or (answer.id in ids and (not absent or answer.id.endswith("_presence")))
        if not (agreed and named):
            found.append(f"{call.id}: {answer.status} {answer.message!r}, the contract: {sorted(ids)}")
        compared += 1
    return compared, found


def test_every_derived_call_is_judged_as_by_the_contract(flash: Operator, wrapper: Wrapper) -> None:
    compared, differences = _differences(flash, wrapper)
    assert differences == []
    assert compared > 400


def test_calls_of_an_operator_with_lists(grouped_operator: Operator, grouped: Wrapper) -> None:
    compared, differences = _differences(grouped_operator, grouped)
    assert differences == []
    assert compared > 40


@pytest.mark.parametrize("name", ["inplace_partial_rotary_mul", "rms_norm_dynamic_quant"])
def test_calls_of_operators_with_lists_of_numbers(name: str, tmp_path: Path) -> None:
    operator = wrapped(load(ROOT / "tests" / "specs" / f"{name}.yaml"))
    compared, differences = _differences(operator, Wrapper(operator, tmp_path))
    assert differences == []
    assert compared > 100


EXPERTS = Call(
    "experts",
    "A2",
    {
        "x": tensor("int8", 8, 64),
        "weight": (tensor("int8", 64, 32), tensor("int8", 64, 32)),
        "weight_scale": (tensor("float32", 32), tensor("float32", 32)),
        "x_scale": tensor("float32", 8),
        "group_list": tensor("int64", 2),
    },
    {"swiglu_limit": 0.0},
)
EXPERTS_OUTPUTS = {"y": tensor("int8", 8, 16), "y_scale": tensor("float32", 8)}


def test_a_list_is_passed_on(grouped: Wrapper) -> None:
    assert grouped.call(EXPERTS, EXPERTS_OUTPUTS).called


def test_a_list_must_not_be_nullptr(grouped: Wrapper) -> None:
    answer = grouped.call(EXPERTS, EXPERTS_OUTPUTS, left_out=["weight"])
    assert (answer.status, answer.id) == (NULLPTR, "weight_presence")


def test_nor_must_a_tensor_in_a_list(grouped: Wrapper) -> None:
    answer = grouped.call(EXPERTS, EXPERTS_OUTPUTS, left_out=["weight[1]"])
    assert (answer.status, answer.id, answer.called) == (NULLPTR, "weight_presence", False)
    assert answer.message == "tensor 1 of weight is nullptr [weight_presence]"


# --------------------------------------------------------------------------- text


def test_the_header_declares_the_two_phases(header: str) -> None:
    names = re.findall(r"aclnnStatus (\w+)\(\n", header)
    assert names == ["aclnnKvQuantSparseFlashAttentionGetWorkspaceSize", "aclnnKvQuantSparseFlashAttention"]
    first = header.split("GetWorkspaceSize(\n")[1].split(");")[0]
    assert [line.strip() for line in first.split(",\n")] == [
        "const aclTensor *query",
        "const aclTensor *key",
        "const aclTensor *value",
        "const aclTensor *sparseIndices",
        "const aclTensor *keyDequantScaleOptional",
        "const aclTensor *valueDequantScaleOptional",
        "const aclTensor *blockTableOptional",
        "const aclTensor *actualSeqLengthsQueryOptional",
        "const aclTensor *actualSeqLengthsKvOptional",
        "double scaleValue",
        "int64_t keyQuantMode",
        "int64_t valueQuantMode",
        "int64_t sparseBlockSize",
        "char *layoutQueryOptional",
        "char *layoutKvOptional",
        "int64_t sparseMode",
        "int64_t preTokens",
        "int64_t nextTokens",
        "int64_t attentionMode",
        "int64_t quantScaleRepoMode",
        "int64_t tileSize",
        "int64_t ropeHeadDim",
        "bool returnSoftmaxLse",
        "const aclTensor *attentionOutOut",
        "const aclTensor *softmaxMaxOut",
        "const aclTensor *softmaxSumOut",
        "uint64_t *workspaceSize",
        "aclOpExecutor **executor",
    ]


def test_the_header_speaks_of_the_parameters_that_it_declares(header: str) -> None:
    cited = set(re.findall(r"`(\w+)`", header))
    assert {"sparseIndices", "ropeHeadDim", "blockTableOptional", "softmaxMaxOut", "block_size"} <= cited
    assert not cited & {"sparse_indices", "rope_head_dim", "NOPE", "BLOCK_SIZE"}
    assert "a plain NoPE tensor whose last dim is 512." in " ".join(header.replace(" * ", " ").split())


def test_every_check_stands_under_its_id(flash: Operator, source: str) -> None:
    written = list(dict.fromkeys(re.findall(r"^ {4}// (\w+)$", source, re.MULTILINE)))
    own = [id for id in dict.fromkeys(check.id for check in flash.checks) if id != "chip"]
    assert written[: len(own) + 1] == ["chip", *own]
    assert written[len(own) + 1 :] == [
        "attention_out_presence",
        "softmax_max_out_presence",
        "softmax_sum_out_presence",
        "attention_out_dtype",
        "softmax_max_out_dtype",
        "softmax_sum_out_dtype",
    ]


def test_only_the_style_wrapper_has_files(flash: Operator) -> None:
    auto = replace(flash, aclnn=replace(flash.aclnn, style="auto"), emit=("op_api",))
    assert render(auto) == {}
    assert len(render(wrapped(flash))) == 2


ODD = ROOT / "tests" / "render" / "odd_parameters.yaml"
ODD_MORE = r"""  area: {dtype: int8, shape: [ROWS * WIDTH], doc: {en: Area., zh: 面积。}}
constraints:
  - id: not_no
    require: text != "no"
    blame: text
    message: {en: 'must not be "no" \ at 100%d ??/', zh: '不得为 no'}
"""
ODD_CALL = Call(
    "odd",
    "A2",
    {
        "left": tensor("float16", 4, 8),
        "packed": tensor("int8", 8, 4),
        "parts": (tensor("int32", 4), tensor("int32", 4), tensor("int32", 4)),
        "like_left": tensor("float16", 4, 8),
        "lengths": tensor("int64", 4),
        "factor": tensor("float32"),
    },
    {"plain": -3, "kind": "float16", "ratios": (0.5,), "flags": (True,), "text": "yes"},
)
ODD_OUTPUTS = {"total": tensor("float32", 4), "area": tensor("int8", 32)}


@pytest.fixture(scope="module")
def odd_operator(tmp_path_factory: pytest.TempPathFactory) -> Operator:
    spec = tmp_path_factory.mktemp("odd") / "odd_parameters.yaml"
    spec.write_text(ODD.read_text(encoding="utf-8") + ODD_MORE, encoding="utf-8")
    doc = Text("ends a comment */ int x; \\\nnext line /* ??/", "结束")
    operator = wrapped(load(spec, ROOT / "spec" / "chips.yaml"))
    return replace(
        operator,
        brief=doc,
        inputs=tuple(replace(i, doc=doc) for i in operator.inputs),
        attrs=tuple(replace(a, doc=doc) for a in operator.attrs),
        outputs=tuple(replace(o, doc=doc) for o in operator.outputs),
    )


@pytest.fixture(scope="module")
def odd(odd_operator: Operator, tmp_path_factory: pytest.TempPathFactory) -> Wrapper:
    return Wrapper(odd_operator, tmp_path_factory.mktemp("odd"))


def test_parameters_of_every_kind_are_taken(odd: Wrapper) -> None:
    answer = odd.call(ODD_CALL, ODD_OUTPUTS)
    assert (answer.message, answer.called) == ("", True)
    assert odd.passed_on("plain") == -3
    assert odd.passed_on("small") == -(2.0**63)
    assert odd.passed_on("kind") == 1  # the number that CANN has for float16


@pytest.mark.parametrize(
    ("name", "given", "id"),
    [
        ("lengths", tensor("int64", 3), "lengths_shape"),
        ("factor", tensor("float16"), "factor_dtype"),
        ("parts", (tensor("int32", 4), tensor("int32", 5)), "parts_shape"),
        ("parts", (tensor("int32", 4), tensor("int64", 4)), "parts_dtype"),
        ("like_left", tensor("bfloat16", 4, 8), "like_left_dtype"),
    ],
)
def test_mistakes_in_parameters_of_every_kind(odd: Wrapper, name: str, given: InputArg, id: str) -> None:
    answer = odd.call(replace(ODD_CALL, inputs={**ODD_CALL.inputs, name: given}), ODD_OUTPUTS)
    assert (answer.status, answer.id, answer.called) == (INVALID, id, False)


@pytest.mark.parametrize("name", ["left", "factor", "parts"])
def test_pointers_of_every_kind(odd: Wrapper, name: str) -> None:
    answer = odd.call(ODD_CALL, ODD_OUTPUTS, left_out=[name])
    assert (answer.status, answer.id) == (NULLPTR, f"{name}_presence")


def test_an_output_size_that_does_not_fit(odd: Wrapper) -> None:
    many = 2**40
    inputs = {
        "left": tensor("float16", many, many),
        "packed": tensor("int8", many, many),
        "parts": (tensor("int32", many),),
        "like_left": tensor("float16", many, many),
        "factor": tensor("float32"),
    }
    outputs = {"total": tensor("float32", many), "area": tensor("int8", 0)}
    answer = odd.call(replace(ODD_CALL, inputs=inputs), outputs)
    assert (answer.status, answer.called) == (INVALID, False)
    assert answer.message == "areaOut: a size does not fit in 64 bits [area_out_shape]"


def test_text_of_the_spec_is_text_in_cpp(odd: Wrapper) -> None:
    answer = odd.call(replace(ODD_CALL, attrs={**ODD_CALL.attrs, "text": "no"}), ODD_OUTPUTS)
    assert (
        answer.message
        == 'textOptional is no; expected: textOptional must not be "no" \\ at 100%d ??/ [not_no]'
    )
    assert odd.call(ODD_CALL, ODD_OUTPUTS, left_out=["text"]).called


def test_text_of_the_spec_cannot_end_a_comment(odd_operator: Operator) -> None:
    header = render(odd_operator)["op_host/op_api/aclnn_odd_thing.h"]
    outside = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    assert "int x" in header
    assert "int x" not in outside
    assert "*/" not in outside
