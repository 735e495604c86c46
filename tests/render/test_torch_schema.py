"""The schema of the torch operator: names, types, defaults and order, as TORCH_LIBRARY reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.render.torch_schema import parameters, schema, schema_pieces
from qsfa_codegen.spec.load import analyse_text, load
from qsfa_codegen.spec.model import Operator, TorchBinding

ROOT = Path(__file__).parents[2]
FLASH = ROOT / "spec" / "kv_quant_sparse_flash_attention.yaml"
SPEC = """\
spec: 1
operator: {name: Blend, category: math, brief: {en: Blends., zh: 混合。}}
chips: [A2]
dims:
  N: {en: rows, zh: 行数}
  L: {en: parts, zh: 份数}
dtypes:
  columns: [t]
  rows: {all: [[float16], [bfloat16]]}
inputs:
  data: {dtype: t, shape: [N], mutated: true, doc: {en: Rows., zh: 行。}}
  parts: {dtype: t, shape: [N], list: {count: L}, doc: {en: Parts., zh: 份。}}
  bias: {dtype: t, presence: optional, shape: [N], doc: {en: Bias., zh: 偏置。}}
  lengths: {dtype: int64, shape: [N], value_depend: optional, doc: {en: Lengths., zh: 长度。}}
attrs:
  count: {type: int, default: -9223372036854775808, doc: {en: Count., zh: 数。}}
  ratio: {type: float, default: 1e-6, doc: {en: Ratio., zh: 比。}}
  flag: {type: bool, default: true, doc: {en: Flag., zh: 标志。}}
  text: {type: str, default: 'a "b" \\ c', doc: {en: Text., zh: 文本。}}
  steps: {type: list_int, default: [1, 2], doc: {en: Steps., zh: 步。}}
  flags: {type: list_bool, default: [true, false], doc: {en: Flags., zh: 标志。}}
  kind: {type: dtype, default: bfloat16, values: [float16, bfloat16], doc: {en: Kind., zh: 类。}}
  mode: {type: int, default: 1, values: {half: 0, full: 1}, doc: {en: Mode., zh: 模式。}}
outputs:
  data: {alias: data, doc: {en: Rows., zh: 行。}}
  total: {dtype: float32, shape: [N], doc: {en: Total., zh: 总和。}}
bindings:
  torch:
    library: blend
    name: mix
    positional: [data, parts, lengths, BINDING]
    fixed: FIXED
    returns: [total, {data: updated}]
"""
REST = "{bias: {default: null}}, count, ratio, flag, text, steps, flags, kind, mode"


def mixed(
    binding: str = REST, *, more: str = "bindings:\n", fixed: str = "{}", text: str = SPEC
) -> tuple[Operator, TorchBinding]:
    """An operator with parameters of every kind; ``more`` stands where its last section begins."""
    sink = Sink()
    text = text.replace("BINDING", binding).replace("FIXED", fixed).replace("bindings:\n", more)
    operator = analyse_text(text.encode(), "spec.yaml", sink)
    assert operator is not None, [d.message for d in sink]
    assert operator.torch is not None
    return operator, operator.torch


def test_the_schema_of_the_sparse_flash_attention() -> None:
    operator = load(FLASH)
    assert operator.torch is not None
    assert schema(operator, operator.torch) == (
        "npu_kv_quant_sparse_flash_attention(Tensor query, Tensor key, Tensor value, Tensor sparse_indices, "
        "float scale_value, *, int key_quant_mode=1, int value_quant_mode=1, Tensor? key_dequant_scale=None, "
        "Tensor? value_dequant_scale=None, Tensor? block_table=None, Tensor? actual_seq_lengths_query=None, "
        'Tensor? actual_seq_lengths_kv=None, int sparse_block_size=1, str layout_query="BSND", '
        'str layout_kv="BSND", int sparse_mode=3, int pre_tokens=9223372036854775807, '
        "int next_tokens=9223372036854775807, int attention_mode=2, int quant_scale_repo_mode=1, "
        "int tile_size=128, int rope_head_dim=64, bool return_softmax_lse=False) -> "
        "(Tensor attention_out, Tensor softmax_max, Tensor softmax_sum)"
    )


def test_every_type_and_default() -> None:
    operator, binding = mixed()
    assert schema_pieces(operator, binding) == [
        "mix(",
        "Tensor(a!) data, ",
        "Tensor[] parts, ",
        "int[] lengths, ",
        "Tensor? bias=None, ",
        "int count=-9223372036854775808, ",
        "float ratio=1e-06, ",
        "bool flag=True, ",
        'str text="a \\"b\\" \\\\ c", ',
        "int[] steps=[1, 2], ",
        "bool[] flags=[True, False], ",
        "int kind=27, ",
        "int mode=1) -> (",
        "Tensor total, ",
        "Tensor(a!) updated)",
    ]
    assert schema(operator, binding) == "".join(schema_pieces(operator, binding))


def test_what_parameters_arrive_as() -> None:
    assert [p.cpp for p in parameters(*mixed())] == [
        "const at::Tensor &data",
        "at::TensorList parts",
        "at::IntArrayRef lengths",
        "const std::optional<at::Tensor> &bias",
        "int64_t count",
        "double ratio",
        "bool flag",
        "std::string_view text",
        "at::IntArrayRef steps",
        "const c10::List<bool> &flags",
        "int64_t kind",
        "int64_t mode",
    ]


@pytest.mark.parametrize(
    ("binding", "text", "cpp"),
    [
        ("{steps: {default: null, reason: x}}", "int[]? steps=None", "std::optional<at::IntArrayRef> steps"),
        (
            "{flags: {default: null, reason: x}}",
            "bool[]? flags=None",
            "const std::optional<c10::List<bool>> &flags",
        ),
        ("{text: {default: null, reason: x}}", "str? text=None", "std::optional<std::string_view> text"),
        ("{count: {name: number, default: 3, reason: x}}", "int number=3", "int64_t number"),
        ("{count: amount}", "int amount=-9223372036854775808", "int64_t amount"),
        (
            "{mode: {type: str, map: {half: 0, full-width: 1}}}",
            'str mode="full-width"',
            "std::string_view mode",
        ),
    ],
)
def test_a_parameter_that_the_binding_changes(binding: str, text: str, cpp: str) -> None:
    name = binding[1:].split(":")[0]
    rest = ", ".join(piece for piece in REST.split(", ") if piece != name)
    changed = parameters(*mixed(f"{rest}, {binding}"))[-1]
    assert (changed.schema, changed.cpp) == (text, cpp)


def test_a_parameter_that_aclnn_keeps_in_reserve() -> None:
    found = parameters(*mixed(f"{REST}, {{reserved: spare}}, {{reserved: speed, type: int, accepts: 2}}"))
    assert [p.cpp for p in found[-2:]] == ["const std::optional<at::Tensor> &spare", "int64_t speed"]


def test_nothing_is_returned() -> None:
    text = SPEC.replace("returns: [total, {data: updated}]", "returns: []")
    assert schema(*mixed(text=text)).endswith("int mode=1) -> ()")
