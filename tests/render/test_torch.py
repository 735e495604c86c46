"""The generated torch adapter: known answers by hand, the contract's for many calls, and its text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call
from qsfa_codegen.render.package import render
from qsfa_codegen.render.torch_names import carried_dtype
from qsfa_codegen.spec.load import load
from qsfa_codegen.spec.model import Operator
from tests.render.flash_calls import PAGED, TOKENS, tensor
from tests.render.test_torch_schema import REST, SPEC, mixed
from tests.render.torch_calls import CHECKED, Adapter, differences

ROOT = Path(__file__).parents[2]
FLASH = ROOT / "spec" / "kv_quant_sparse_flash_attention.yaml"
NORM = ROOT / "spec" / "rms_norm_dynamic_quant.yaml"
ROTARY = ROOT / "tests" / "specs" / "inplace_partial_rotary_mul.yaml"
OTHERS = [
    ROOT / "spec" / "add_rms_norm_bias.yaml",
    ROOT / "tests" / "specs" / "grouped_matmul_swiglu_quant_weight_nz_tensor_list.yaml",
]


@pytest.fixture(scope="module")
def flash() -> Operator:
    return load(FLASH)


@pytest.fixture(scope="module")
def adapter(flash: Operator, tmp_path_factory: pytest.TempPathFactory) -> Adapter:
    return Adapter(flash, tmp_path_factory.mktemp("flash"))


@pytest.fixture(scope="module")
def norm(tmp_path_factory: pytest.TempPathFactory) -> Adapter:
    return Adapter(load(NORM), tmp_path_factory.mktemp("norm"))


@pytest.fixture(scope="module")
def rotary(tmp_path_factory: pytest.TempPathFactory) -> Adapter:
    return Adapter(load(ROTARY), tmp_path_factory.mktemp("rotary"))


# --------------------------------------------------------------------------- legal calls


def test_the_aclnn_function_gets_its_arguments_in_its_order(adapter: Adapter) -> None:
    answer = adapter.call(PAGED)
    assert answer.message == ""
    assert answer.name == "aclnnKvQuantSparseFlashAttention"
    assert answer.passed == (
        "BFloat16 2 64 8 576",
        "Char 32 16 1 656",
        "Char 32 16 1 656",
        "Int 2 64 1 128",
        *("nothing", "nothing"),
        *("Int 2 32", "Int 2", "Int 2"),
        "0.044194",
        *("2", "2", "16"),
        *("'BSND'", "'PA_BSND'"),
        "3",
        *("9223372036854775807", "9223372036854775807"),
        *("2", "1", "128", "64", "false"),
        *("BFloat16 2 64 8 512", "Float 0", "Float 0"),
    )


def test_what_is_returned(adapter: Adapter) -> None:
    assert adapter.call(PAGED).outputs == ("BFloat16 2 64 8 512", "Float 0", "Float 0")
    with_lse = adapter.call(PAGED, {"return_softmax_lse": True})
    assert with_lse.outputs == ("BFloat16 2 64 8 512", "Float 2 1 64 8", "Float 2 1 64 8")
    with_lse = adapter.call(TOKENS, {"return_softmax_lse": True})
    assert with_lse.outputs == ("Half 96 16 512", "Float 1 96 16", "Float 1 96 16")


def test_an_empty_cache_is_legal(adapter: Adapter) -> None:
    empty = tensor("int8", 0, 16, 1, 656)
    assert adapter.call(PAGED, {"key": empty, "value": empty}).outputs is not None
    empty = tensor("int8", 0, 1, 656)
    assert adapter.call(TOKENS, {"key": empty, "value": empty}).outputs is not None
    rows = {"layout_kv": "BSND", "block_table": None}
    empty = tensor("int8", 2, 0, 1, 656)
    assert adapter.call(PAGED, {**rows, "key": empty, "value": empty}).outputs is not None


def test_parameters_that_the_binding_pins_and_renames(norm: Adapter) -> None:
    call = Call("norm", "A2", {"x": tensor("bfloat16", 4, 3, 32), "gamma": tensor("bfloat16", 32)})
    answer = norm.call(call, {"smooth_scale": tensor("bfloat16", 32)})
    assert answer.passed == (
        *("BFloat16 4 3 32", "BFloat16 32", "BFloat16 32", "nothing", "nothing"),
        *("0.000001", "nothing", "2"),  # the mask is the registered one, the dtype int8
        *("Char 4 3 32", "Char 1", "Float 4 3", "Float 4 3"),
    )
    assert answer.outputs == ("Char 4 3 32", "Float 4 3")


def test_an_empty_tensor_can_mean_none(norm: Adapter) -> None:
    call = Call("norm", "A2", {"x": tensor("bfloat16", 4, 32), "gamma": tensor("bfloat16", 32)})
    assert norm.call(call, {"beta": tensor("float32", 0)}).outputs == ("Char 4 32", "Float 4")
    assert norm.call(call, {"beta": tensor("bfloat16", 31)}).id == "beta_shape"


ROTATION = Call(
    "rotation",
    "A2",
    {
        "x": tensor("float16", 2, 8, 4, 128),
        "cos": tensor("float16", 2, 8, 1, 64),
        "sin": tensor("float16", 2, 8, 1, 64),
    },
    {"mode": 1, "partial_slice": (64, 128)},
)


def test_words_stand_for_numbers(rotary: Adapter) -> None:
    answer = rotary.call(ROTATION)
    assert answer.message == ""
    assert answer.passed == (
        *("Half 2 8 4 128", "Half 2 8 1 64", "Half 2 8 1 64"),
        *("1", "list 64 128"),
    )
    assert answer.outputs == ()
    assert rotary.call(ROTATION, {"rotary_mode": "interleave-half"}).passed[3] == "3"


def test_another_word(rotary: Adapter) -> None:
    answer = rotary.call(ROTATION, {"rotary_mode": "upside%ndown"})
    assert answer.message == (
        "rotary_mode is upside%ndown; expected: one of half, interleave, quarter, interleave-half "
        "[mode_value]"
    )


# --------------------------------------------------------------------------- rejected calls


@pytest.mark.parametrize(
    ("changes", "id"),
    [
        ({"key_quant_mode": 1}, "key_quant_mode_value"),
        ({"key_quant_mode": 2**32 + 2}, "key_quant_mode_value"),
        ({"scale_value": float("inf")}, "scale_value_value"),
        ({"layout_kv": "PA_BSNDX"}, "layout_kv_value"),
        ({"block_table": None}, "block_table_presence"),
        ({"block_table": tensor("int64", 2, 32)}, "block_table_dtype"),
        ({"query": tensor("bfloat16", 2, 64, 4608)}, "query_rank"),
        ({"query": tensor("bfloat16", 2, 64, 8, 512)}, "query_shape"),
        ({"sparse_indices": tensor("int32", 2, 64, 1, 0)}, "SPARSE_SIZE_value"),
        ({"layout_kv": "TND", "block_table": None}, "key_rank"),
        ({"rope_head_dim": 0}, "query_shape"),
    ],
)
def test_a_mistake_is_rejected_by_its_id(adapter: Adapter, changes: dict[str, object], id: str) -> None:
    answer = adapter.call(PAGED, changes)
    assert (answer.outputs, answer.id, answer.name) == (None, id, "")


def test_a_message_names_what_was_given_and_what_is_allowed(adapter: Adapter) -> None:
    assert adapter.call(PAGED, {"sparse_block_size": 3}).message == (
        "sparse_block_size is 3; expected: sparse_block_size is one of 1, 2, 4, 8, 16 "
        "[sparse_block_size_value]"
    )


def test_a_message_has_the_names_of_the_binding(norm: Adapter) -> None:
    call = Call("norm", "A2", {"x": tensor("bfloat16", 4, 32), "gamma": tensor("bfloat16", 32)})
    message = norm.call(call, {"smooth_scale": tensor("float16", 32)}).message
    assert message.startswith("dtype of smooth_scale is float16,")
    assert message.endswith("[smooth_scale1_dtype]")


def test_one_chip_must_take_the_whole_call(adapter: Adapter) -> None:
    fp8 = {name: tensor("float8_e4m3fn", 32, 16, 1, 656) for name in ("key", "value")}
    assert adapter.call(PAGED, {**fp8, "sparse_block_size": 1}).outputs is not None
    answer = adapter.call(PAGED, fp8)  # that dtype on A5 alone, blocks of 16 tokens on others
    assert (answer.outputs, answer.message) == (
        None,
        "dtype of key is float8_e4m3fn; expected: the dtype of key is int8 when sparse_block_size is not 1 "
        "or return_softmax_lse is true [key_dtype]",
    )


@pytest.mark.parametrize("block", [1, 2])
@pytest.mark.parametrize("lse", [False, True])
@pytest.mark.parametrize("dtype", ["int8", "float8_e4m3fn"])
@pytest.mark.parametrize("heads", [8, 48])
def test_what_chips_differ_in_must_be_what_one_of_them_takes(
    adapter: Adapter, block: int, lse: bool, dtype: str, heads: int
) -> None:
    """By hand: A2 and A3 take int8 and no 48 heads; A5 takes single tokens, and writes no LSE."""
    changes: dict[str, object] = {name: tensor(dtype, 32, 16, 1, 656) for name in ("key", "value")}
    changes |= {"query": tensor("bfloat16", 2, 64, heads, 576), "sparse_block_size": block}
    answer = adapter.call(PAGED, {**changes, "return_softmax_lse": lse})
    legal = (dtype == "int8" and heads == 8) or (block == 1 and not lse)
    assert (answer.outputs is not None) == legal
    assert legal or answer.id == ("key_dtype" if dtype != "int8" else "Q_N_value")


# --------------------------------------------------------------------------- dtypes that torch lacks


BYTES: dict[str, object] = {
    **{name: tensor("uint8", 32, 16, 1, 656) for name in ("key", "value")},
    "sparse_indices": tensor("int32", 2, 64, 1, 2048),
    "sparse_block_size": 1,
}


def test_aclnn_is_told_what_bytes_are(adapter: Adapter) -> None:
    answer = adapter.call(PAGED, BYTES)
    assert (answer.message, answer.passed[1:3]) == ("", ("HIFLOAT8 in Byte 32 16 1 656",) * 2)
    assert adapter.call(PAGED).passed[1:3] == ("Char 32 16 1 656",) * 2


def test_a_library_that_cannot_tell_it_refuses_bytes_and_nothing_else(
    flash: Operator, tmp_path: Path
) -> None:
    other = Adapter(flash, tmp_path, (*CHECKED, "-DGOES_BY_THE_TENSOR"))
    assert other.call(PAGED).passed[1:3] == ("Char 32 16 1 656",) * 2
    answer = other.call(PAGED, BYTES)
    assert (answer.outputs, answer.name) == (None, "")
    assert answer.message == (
        "dtype of key is Byte; expected: another dtype, or the EXEC_NPU_CMD of torch_npu, "
        "which can pass this one to aclnn"
    )


@pytest.mark.parametrize(
    ("dtypes", "carried"),
    [
        (["int8", "hifloat8"], "hifloat8"),
        (["float16", "float8_e4m3fn"], None),
        (["uint8", "hifloat8"], None),  # nothing tells a tensor of bytes from one of numbers
        (["int4", "int8"], None),  # that torch cannot carry at all
    ],
)
def test_which_dtype_bytes_stand_for(dtypes: list[str], carried: str | None) -> None:
    assert carried_dtype(dtypes) == carried


OPTIONAL_BYTES = """\
spec: 1
operator: {name: Blend, category: math, brief: {en: Blends., zh: 混合。}}
chips: [A5]
dims: {N: {en: rows, zh: 行数}}
dtypes: {columns: [t], rows: {all: [[hifloat8], [int8]]}}
inputs:
  data: {dtype: t, shape: [N], doc: {en: Rows., zh: 行。}}
  bias: {dtype: t, presence: optional, shape: [N], doc: {en: Bias., zh: 偏置。}}
outputs:
  result: {dtype: t, shape: [N], doc: {en: Result., zh: 结果。}}
bindings:
  torch:
    library: _C_ascend
    name: npu_blend
    positional: [data]
    keyword: [{bias: {default: null}}]
    returns: [result]
"""


def test_optional_tensors_and_outputs_of_bytes(tmp_path: Path) -> None:
    spec = tmp_path / "blend.yaml"
    spec.write_text(OPTIONAL_BYTES, encoding="utf-8")
    blend = Adapter(load(spec, ROOT / "spec" / "chips.yaml"), tmp_path)
    call = Call("blend", "A5", {"data": tensor("uint8", 4)})
    assert blend.call(call).passed == ("HIFLOAT8 in Byte 4", "nothing", "HIFLOAT8 in Byte 4")
    assert blend.call(call, {"bias": tensor("uint8", 4)}).passed[1] == "HIFLOAT8 in Byte 4"
    numbers = Call("blend", "A5", {"data": tensor("int8", 4)})
    assert blend.call(numbers).passed == ("Char 4", "nothing", "Char 4")


# --------------------------------------------------------------------------- parameters of every kind


MIXTURE = Call(
    "mixture",
    "A2",
    {
        "data": tensor("float16", 4),
        "parts": (tensor("float16", 4), tensor("float16", 4)),
        "lengths": tensor("int64", 4),
    },
)
CONSTRAINTS = """\
constraints:
  - {id: no_text, require: text != "no", blame: text}
  - {id: steps_up, require: "len(steps) == 2 and steps[0] < steps[1]", blame: steps}
  - {id: flags_set, require: "len(flags) > 0 and flags[0]", blame: flags}
bindings:
"""


@pytest.fixture(scope="module")
def mixture(tmp_path_factory: pytest.TempPathFactory) -> Adapter:
    operator, _ = mixed(more=CONSTRAINTS)
    return Adapter(operator, tmp_path_factory.mktemp("mixture"))


@pytest.fixture(scope="module")
def optional(tmp_path_factory: pytest.TempPathFactory) -> Adapter:
    """All that can be is None unless it is given."""
    none = "{default: null, reason: because}"
    rest = "{bias: {default: null}}, " + ", ".join(
        f"{{{name}: {none}}}" for name in ("count", "ratio", "flag", "text", "steps", "flags", "kind", "mode")
    )
    operator, _ = mixed(rest, more=CONSTRAINTS)
    return Adapter(operator, tmp_path_factory.mktemp("optional"))


ARGUMENTS = ("-9223372036854775808", "0.000001", "true", "'a \"b\" \\ c'", "list 1 2", "list 1 0", "27", "1")


def test_parameters_of_every_kind(mixture: Adapter) -> None:
    answer = mixture.call(MIXTURE)
    assert answer.message == ""
    assert answer.passed == (
        *("Half 4", "list (Half 4) (Half 4)", "nothing", "list 0 0 0 0"),
        *ARGUMENTS,
        "Float 4",
    )
    assert answer.outputs == ("Float 4", "Half 4")


def test_none_is_the_registered_default(optional: Adapter) -> None:
    nothing = {p.name: None for p in optional.params if p.optional}
    assert len(nothing) == 9
    answer = optional.call(MIXTURE, nothing)
    assert answer.message == ""
    given = [text if text != "nothing" else "list 1 2" for text in answer.passed[4:-1]]
    assert tuple(given) == ARGUMENTS
    assert optional.call(MIXTURE, {**nothing, "text": "no"}).id == "no_text"
    assert optional.call(MIXTURE, {**nothing, "steps": (2, 1)}).id == "steps_up"
    assert optional.call(MIXTURE, {**nothing, "flags": (False,)}).id == "flags_set"


@pytest.mark.parametrize(
    ("changes", "id"),
    [
        ({"lengths": (0, 0, 0)}, "lengths_shape"),
        ({"parts": (tensor("float16", 4), tensor("float16", 5))}, "parts_shape"),
        ({"parts": (tensor("float16", 4), tensor("bfloat16", 4))}, "parts_dtype"),
        ({"parts": ()}, "parts_presence"),
        ({"text": "no"}, "no_text"),
        ({"steps": (2, 1)}, "steps_up"),
        ({"flags": (False, True)}, "flags_set"),
        ({"kind": 0}, "kind_value"),
        ({"kind": 12345}, "kind_value"),
    ],
)
def test_mistakes_in_parameters_of_every_kind(mixture: Adapter, changes: dict[str, object], id: str) -> None:
    answer = mixture.call(MIXTURE, changes)
    assert (answer.outputs, answer.id, answer.name) == (None, id, "")


def test_what_is_pinned_is_passed_all_the_same(tmp_path: Path) -> None:
    fixed = (
        "{bias: null, count: 7, flag: false, text: 'x \"y\"', steps: [3, 4], flags: [], mode: 0, kind: null}"
    )
    operator, _ = mixed("ratio", fixed=fixed)
    answer = Adapter(operator, tmp_path).call(MIXTURE)
    assert answer.message == ""
    assert answer.passed[2] == "nothing"
    assert answer.passed[4:-1] == ("7", "0.000001", "false", "'x \"y\"'", "list 3 4", "list", "27", "0")


def test_an_output_with_the_memory_of_an_input_is_that_input(tmp_path: Path) -> None:
    text = SPEC.replace("  data: {alias: data,", "  mirror: {alias: data,").replace(
        "{data: upd", "{mirror: upd"
    )
    operator, _ = mixed(text=text)
    answer = Adapter(operator, tmp_path).call(MIXTURE)
    assert answer.passed[-2:] == ("Half 4", "Float 4")
    assert answer.outputs == ("Float 4", "Half 4")


# --------------------------------------------------------------------------- against the contract


def test_every_derived_call_is_judged_as_by_the_contract(flash: Operator, adapter: Adapter) -> None:
    compared, found = differences(flash, adapter)
    assert found == []
    assert compared > 400


def test_derived_calls_in_place(rotary: Adapter) -> None:
    compared, found = differences(load(ROTARY), rotary)
    assert found == []
    assert compared > 100


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.stem)
def test_derived_calls_of_other_operators(path: Path, tmp_path: Path) -> None:
    operator = load(path)
    compared, found = differences(operator, Adapter(operator, tmp_path))
    assert found == []
    assert compared > 40


# --------------------------------------------------------------------------- text


def test_files_only_for_a_binding(flash: Operator) -> None:
    torch = replace(flash, emit=("torch",))
    snake = flash.snake
    assert list(render(torch)) == [
        f"{snake}_torch_adpt.h",
        f"torch/{snake}_contract.h",
        f"torch/{snake}_register.cpp",
        f"torch/{snake}_npu.cpp",
        "torch/exec_npu_cmd.h",
        "torch/setup.py",
        f"torch/{snake}_torch/__init__.py",
    ]
    assert render(replace(torch, torch=None)) == {}


def test_the_library_and_the_kernels_that_it_gets(flash: Operator) -> None:
    files = render(replace(flash, emit=("torch",)))
    register, device = (files[f"torch/{flash.snake}_{name}.cpp"] for name in ("register", "npu"))
    name = '"npu_kv_quant_sparse_flash_attention"'
    assert "TORCH_LIBRARY_FRAGMENT(_C_ascend, library)" in register
    assert re.search(
        rf"TORCH_LIBRARY_IMPL\(_C_ascend, Meta, library\)\n{{\n    library.impl\({name}, ", register
    )
    assert "TORCH_LIBRARY_IMPL(_C_ascend, PrivateUse1, library)" in device
    assert "&vllm_ascend::npu_kv_quant_sparse_flash_attention" in device


def test_the_schema_is_cut_behind_each_parameter() -> None:
    operator, _ = mixed(REST)
    register = render(replace(operator, emit=("torch",)))["torch/blend_register.cpp"]
    pieces = re.findall(r'^        "(.*)"(?:\);)?$', register, re.MULTILINE)
    assert pieces[:3] == ["mix(", "Tensor(a!) data, ", "Tensor[] parts, "]
    assert 'str text=\\"a \\\\\\"b\\\\\\" \\\\\\\\ c\\", ' in pieces
    assert pieces[-2:] == ["Tensor total, ", "Tensor(a!) updated)"]
