"""Operator pages: complete, alike in both languages, and safe from whatever texts a spec has."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.render.docs import ARTEFACTS
from qsfa_codegen.render.package import render_these
from qsfa_codegen.spec.load import analyse_text, load
from qsfa_codegen.spec.model import CheckKind, Operator
from tests.render.markdown import Page, cells, read
from tests.spec.strategies import at_random

ROOT = Path(__file__).parents[2]
DATA_RULES = ROOT / "tests" / "host" / "data_rules.yaml"
SPECS = sorted(
    path
    for folder in ("spec", "tests/specs", "tests/render")
    for path in (ROOT / folder).glob("*.yaml")
    if path.name != "chips.yaml"
)
QSFA = ROOT / "spec" / "kv_quant_sparse_flash_attention.yaml"
README, ENGLISH = "README.md", "README.en.md"
EACH_SPEC = pytest.mark.parametrize("spec", [*SPECS, DATA_RULES], ids=lambda path: path.stem)


@cache
def operator_of(spec: Path) -> Operator:
    return load(spec)


@cache
def pages(spec: Path) -> dict[str, Page]:
    return pages_of(operator_of(spec))


def pages_of(operator: Operator) -> dict[str, Page]:
    """The three pages of an operator: by name, that of aclnn as "aclnn"."""
    found = {path: read(text) for path, text in render_these(operator, ARTEFACTS).items()}
    return {path if path in (README, ENGLISH) else "aclnn": page for path, page in found.items()}


def loaded(text: str) -> Operator:
    sink = Sink()
    operator = analyse_text(text.encode(), "written.yaml", sink)
    assert operator is not None, [d.message for d in sink]
    return operator


@pytest.mark.parametrize(
    ("page", "whole", "missing"),
    [
        (ENGLISH, "- Kernel: complete", "- Kernel without its body"),
        (README, "- 内核：完整", "- 内核（不含计算部分）"),
    ],
)
def test_the_readme_says_whose_the_kernel_is_to_write(page: str, whole: str, missing: str) -> None:
    """Without a plan a family's kernel cannot be made."""
    operator = operator_of(QSFA)
    assert operator.kernel is not None
    plans = tuple(plan for plan in operator.kernel.plans if plan.arch == "arch35")
    half = replace(operator, kernel=replace(operator.kernel, plans=plans))
    for one, begin in ((operator, whole), (half, missing)):
        lines = render_these(one, ARTEFACTS)[page].splitlines()
        for arch, expected in (("arch22", begin), ("arch35", whole)):
            (line,) = (line for line in lines if f"`{arch}`" in line)
            assert line.startswith(expected)


# --------------------------------------------------------------------------- every operator


@EACH_SPEC
def test_every_row_has_the_cells_of_its_header(spec: Path) -> None:
    for page in pages(spec).values():
        assert page.tables
        assert page.bad == []


@EACH_SPEC
def test_languages_have_the_same_structure(spec: Path) -> None:
    assert pages(spec)[README].shape() == pages(spec)[ENGLISH].shape()


@EACH_SPEC
def test_every_rule_stands_on_every_page_with_its_id(spec: Path) -> None:
    operator = operator_of(spec)
    ids = {c.id for c in operator.checks if c.kind is CheckKind.CONSTRAINT}
    ids |= {c.id for c in operator.checks if c.id == "dtype_row"} | {c.id for c in operator.contents}
    for page in pages(spec).values():
        items = [line for line in page.prose if line.startswith("- ")]
        assert {id for id in ids if any(f"`{id}`" in item for item in items)} == ids


@EACH_SPEC
def test_every_parameter_has_a_row(spec: Path) -> None:
    operator = operator_of(spec)
    for name in (README, ENGLISH):
        firsts = [row[0] for table in pages(spec)[name].tables for row in table.rows]
        names = [*(i.name for i in operator.inputs), *(a.name for a in operator.attrs)]
        names += [o.name for o in operator.outputs]
        assert [name for name in names if f"`{name}`" not in firsts] == []
        for dim in operator.dims:
            assert f"`{dim.doc_name}`" in firsts


@EACH_SPEC
def test_every_rejected_default_is_warned_of(spec: Path) -> None:
    operator = operator_of(spec)
    trapped = [attr.name for attr in operator.attrs if attr.trap is not None]
    for name, page in pages(spec).items():
        warned = [line for line in page.prose if line.startswith("> - ")]
        assert len(warned) == len(trapped)
        if name != "aclnn":
            assert all(line.startswith(f"> - `{attr}`") for line, attr in zip(warned, trapped, strict=True))


@EACH_SPEC
def test_no_html_but_line_breaks(spec: Path) -> None:
    for page in pages(spec).values():
        assert page.html() == []


@EACH_SPEC
def test_no_cell_has_a_name_of_the_spec_alone(spec: Path) -> None:
    operator = operator_of(spec)
    hidden = {f"`{const.name}`" for const in operator.consts}
    hidden |= {f"`{dim.name}`" for dim in operator.dims if dim.name != dim.doc_name}
    hidden -= {f"`{dim.doc_name}`" for dim in operator.dims}
    for page in pages(spec).values():
        assert [name for name in hidden if name in page.text] == []


# --------------------------------------------------------------------------- the first operator, by hand


def table(page: Page, *columns: str) -> dict[str, dict[str, str]]:
    """Rows of the table whose header begins with these columns, by their first cell."""
    (found,) = [t for t in page.tables if tuple(t.header[: len(columns)]) == columns]
    return {row[0]: dict(zip(found.header, row, strict=True)) for row in found.rows}


def test_sizes_of_the_packed_cache() -> None:
    dims = table(pages(QSFA)[ENGLISH], "Dim")
    assert dims["`KV_D`"]["Sizes"] == "512 + `rope_head_dim` × 2 + 16"
    assert dims["`Q_D`"]["Sizes"] == "512 + `rope_head_dim`"
    assert dims["`block_size`"]["Sizes"] == "16 to 1024, a multiple of 16"
    assert dims["`KV_S`"]["Sizes"] == "≥ 0"
    assert dims["`Q_N`"]["Sizes"] == (
        "A2, A3: 1, 2, 4, 8, 16, 32, 64, 128<br>A5: 1, 2, 4, 8, 16, 32, 48, 64, 128"
    )
    fields = table(pages(QSFA)[README], "字段")
    assert list(fields["`scale`"].values())[3:5] == ["512", "640"]
    assert list(fields["每行字节数"].values())[3:5] == ["528", "656"]


def test_attributes_as_registered_and_as_accepted() -> None:
    attrs = table(pages(QSFA)[ENGLISH], "Name", "Type")
    facts = {
        name: (row["Required"], row["Registered default"], row["Accepted values"])
        for name, row in attrs.items()
    }
    assert facts["`scale_value`"] == ("required", "1.0", "any finite number")
    assert facts["`key_quant_mode`"] == ("required", "1 ⚠", "2 (per_tile)")
    assert facts["`sparse_block_size`"] == ("optional", "1", "A2, A3: 1, 2, 4, 8, 16<br>A5: 1")
    assert facts["`layout_kv`"] == ("optional", "BSND", "BSND, TND, PA_BSND")
    assert facts["`pre_tokens`"] == ("optional", "2^63−1", "2^63−1")
    assert facts["`attention_mode`"] == ("optional", "0 ⚠", "2 (mla_absorb)")
    assert facts["`return_softmax_lse`"] == ("optional", "false", "A2, A3: false, true<br>A5: false")
    assert len(facts) == 14


def test_inputs_and_when_they_are_passed() -> None:
    inputs = table(pages(QSFA)[README], "参数名", "是否必传")
    assert len(inputs) == 9
    assert (
        inputs["`block_table`"]["是否必传"]
        == "`layout_kv` 为 PA_BSND：必选<br>`layout_kv` 不为 PA_BSND：不传"
    )
    assert inputs["`key_dequant_scale`"]["是否必传"] == "预留"
    assert inputs["`key_dequant_scale`"]["shape"] == "不校验"
    assert inputs["`value`"]["数据类型"] == "与 `key` 一致"
    assert "`[block_num, block_size, KV_N, KV_D 或 512]`" in inputs["`value`"]["shape"]


def test_defaults_of_the_torch_operator_that_are_others() -> None:
    others = table(pages(QSFA)[ENGLISH], "Name", "PyTorch default")
    assert [(name, *list(row.values())[1:3]) for name, row in others.items()] == [
        ("`attention_mode`", "2", "0")
    ]
    assert "accepted value" in others["`attention_mode`"]["Reason"]


def test_a_default_where_nothing_is_registered_and_a_reason_in_one_language() -> None:
    found = pages(ROOT / "tests/specs/store_kv_block.yaml")
    reason = "callers of the public schema may leave it out"
    assert table(found[ENGLISH], "Name", "PyTorch default")["`block_size`"]["Reason"] == reason
    row = table(found[README], "参数名", "PyTorch 默认值")["`block_size`"]
    assert list(row.values())[1:] == ["0", "-", reason]


def test_a_reason_needs_both_languages_or_none() -> None:
    text = QSFA.read_text(encoding="utf-8").replace(
        "            zh: 公开的 PyTorch schema 以唯一可取的值为默认值。\n", ""
    )
    sink = Sink()
    assert analyse_text(text.encode(), "spec.yaml", sink) is None
    assert [d.code for d in sink] == ["QS310"]


def test_dtypes_that_go_together() -> None:
    (found,) = [t for t in pages(QSFA)[ENGLISH].tables if t.header[0] == "Products"]
    assert found.header == ["Products", "`query`, `attention_out`", "`key`, `value`"]
    assert {tuple(row) for row in found.rows} == {
        ("A2, A3, A5", "FLOAT16", "INT8"),
        ("A2, A3, A5", "BFLOAT16", "INT8"),
        ("A5", "BFLOAT16", "FLOAT8_E4M3FN"),
        ("A5", "BFLOAT16", "HIFLOAT8"),
        ("A5", "FLOAT16", "FLOAT8_E4M3FN"),
        ("A5", "FLOAT16", "HIFLOAT8"),
    }


def test_the_aclnn_page_has_the_columns_of_an_aclnn_page() -> None:
    rows = table(pages(QSFA)["aclnn"], "参数名", "输入/输出", "描述", "使用说明")
    assert list(rows["`query`"]) == [
        "参数名", "输入/输出", "描述", "使用说明", "数据类型", "数据格式", "维度(shape)", "非连续Tensor",
    ]  # fmt: skip
    assert rows["`query`"]["数据类型"] == "FLOAT16、BFLOAT16"
    assert rows["`query`"]["非连续Tensor"] == "√"
    assert rows["`ropeHeadDim`"]["使用说明"] == "取值：0、64"
    assert rows["`ropeHeadDim`"]["数据类型"] == "INT64"
    assert rows["`attentionMode`"]["使用说明"] == "取值：2 (mla_absorb)<br>⚠ 注册默认值 0 会被拒绝"
    assert rows["`layoutKvOptional`"]["数据类型"] == "STRING"
    for lse in ("`softmaxMaxOut`", "`softmaxSumOut`"):
        assert rows[lse]["使用说明"] == "当 `returnSoftmaxLse` 为 false 时为空张量，可传 nullptr"
    assert "nullptr" not in rows["`attentionOutOut`"]["使用说明"]
    assert len(rows) == 9 + 14 + 3 + 2


def test_where_the_folder_goes() -> None:
    steps = "\n".join(pages(QSFA)[ENGLISH].prose)
    assert "`csrc/attention/kv_quant_sparse_flash_attention`" in steps
    assert "`CUSTOM_OPS` of `ascend910b`, `ascend910_93`, `ascend950`" in steps


# --------------------------------------------------------------------------- what is checked where


def test_rules_about_data_that_tiling_checks_are_not_left_to_the_caller() -> None:
    page = pages(DATA_RULES)[ENGLISH]
    heads = ("Tiling checks them where it is given the data of `ends`, `places`, `keep`", "the host does not")
    start, end = (next(n for n, line in enumerate(page.prose) if head in line) for head in heads)
    checked, left = "\n".join(page.prose[start:end]), "\n".join(page.prose[end:])
    assert [f"(`{id}`)" in checked for id in ("ends_grow", "places_padded", "some_dropped")] == [True] * 3
    assert "(`data_small`)" in left
    assert "(`ends_grow`)" not in left


def test_rules_about_data_that_nothing_checks_are_left_to_the_caller() -> None:
    prose = "\n".join(pages(QSFA)[README].prose)
    assert "host 侧不校验，由调用者保证" in prose
    assert "由 tiling 校验：" not in prose


# --------------------------------------------------------------------------- texts that could do harm

BARS = """\
spec: 1
operator:
  name: BarThing
  category: test
  brief: {en: Bars., zh: 竖线。}
chips: [A2]
dims:
  N: {max: abs(span) + 1, en: rows, zh: 行数}
dtypes:
  columns: [t]
  rows: {all: [[float16]]}
inputs:
  x: {dtype: t, shape: ["N"], doc: {en: Rows., zh: 行。}}
attrs:
  span: {type: int, default: 3, doc: {en: Span., zh: 跨度。}}
  mode: {type: str, default: "a|b", values: ["a|b", "<script>", "`x`", 'c\\|d'], doc: {en: Mode., zh: 模式。}}
outputs:
  y: {dtype: t, shape: ["N"], doc: {en: Result., zh: 结果。}}
constraints:
  - {id: no_script, when: N > 2, require: mode != "<script>", blame: mode}
bindings:
  torch:
    library: bars
    namespace: bars
    name: bar_thing
    positional: [x]
    keyword: [{span: {default: 4, reason: "a|b <i>"}}, {mode: {default: "<script>", reason: "`|`"}}]
    returns: [y]
"""


def test_bars_of_values_and_of_absolute_values_end_no_cell() -> None:
    for page in pages_of(loaded(BARS)).values():
        assert page.bad == []
        assert page.html() == []
    page = pages_of(loaded(BARS))[ENGLISH]
    assert table(page, "Dim")["`N`"]["Sizes"] == "1 to |`span`| + 1"
    others = table(page, "Name", "PyTorch default")
    assert list(others["`span`"].values())[1:] == ["4", "3", "a|b &lt;i&gt;"]
    assert list(others["`mode`"].values())[1:] == ['"&lt;script&gt;"', "a|b", "`|`"]
    assert table(page, "Name", "Type")["`mode`"]["Accepted values"] == "a|b, &lt;script&gt;, `x`, c\\\\|d"


def test_a_bar_after_a_backslash_does_not_end_a_cell() -> None:
    assert cells(r"| a \| b | `c\\|d` |") == ["a | b", r"`c\|d`"]


CLEAN = yaml.safe_load((ROOT / "tests/specs/rms_norm_dynamic_quant.yaml").read_text(encoding="utf-8"))
HARM = (
    *(
        "|",
        "`",
        "``",
        "```",
        "<script>",
        "</td>",
        "<!--",
        "-->",
        "*/",
        "/*",
        "\\",
        "\n",
        "$$",
        "{{",
        "%}",
        "#",
    ),
    *("- ", "> ", "1. ", "[x](javascript:y)", "&lt;", "_", "*", "~~", "\t", "x", "\u202e", "。", "."),
)
TEXTS = st.lists(st.sampled_from(HARM), min_size=1, max_size=6).map(lambda parts: "x" + "".join(parts) + "x")


def harmed(node: object, text: str) -> object:
    """A spec with a text in the place of every sentence."""
    if isinstance(node, dict):
        return {k: text if k in ("en", "zh") else harmed(value, text) for k, value in node.items()}
    return [harmed(item, text) for item in node] if isinstance(node, list) else node


@settings(max_examples=40, deadline=None, derandomize=True)
@given(TEXTS)
def test_no_text_of_a_spec_can_change_the_structure_of_a_page(text: str) -> None:
    found = analyse_text(yaml.safe_dump(harmed(CLEAN, text), allow_unicode=True).encode(), "x.yaml", Sink())
    if found is None:  # it cites a name that does not exist
        return
    plain = pages_of(loaded(yaml.safe_dump(harmed(CLEAN, "plain"))))
    for name, page in pages_of(found).items():
        assert page.bad == []
        assert page.html() == []
        assert page.shape() == plain[name].shape()


@pytest.mark.parametrize(
    "line", ["- b", "# b", "> b", "1. b", "=== ", "$$", "```", "a <b> c", "| a |", "</script>"]
)
def test_a_formula_stays_one_block(line: str) -> None:
    formula = (
        BARS.replace("chips: [A2]", "").replace("  brief:", "  formula: FORMULA\n  brief:") + "chips: [A2]\n"
    )
    text = read(
        render_these(loaded(formula.replace("FORMULA", json.dumps(f"a\n{line}\nc"))), ARTEFACTS)[ENGLISH]
    )
    plain = read(render_these(loaded(formula.replace("FORMULA", "a")), ARTEFACTS)[ENGLISH])
    assert text.headings == plain.headings
    assert text.html() == []
    assert (len(text.tables), len(text.fences)) == (len(plain.tables), len(plain.fences))


def test_pages_of_random_specs_with_odd_texts() -> None:
    for seed in range(15):
        found = pages_of(loaded(at_random(seed, odd_text=True)))
        assert [line for page in found.values() for line in page.bad] == [], seed
        assert [tag for page in found.values() for tag in page.html()] == [], seed
        assert found[README].shape() == found[ENGLISH].shape(), seed


def test_harmful_texts_do_pass_the_rules() -> None:
    text = "x|<script>`*/\\\n$$ # y -->x"
    found = analyse_text(yaml.safe_dump(harmed(CLEAN, text), allow_unicode=True).encode(), "x.yaml", Sink())
    assert found is not None


def test_a_page_claims_the_checks_of_its_own_interface_alone() -> None:
    found = pages(ROOT / "spec" / "add_rms_norm_bias.yaml")  # no wrapper: CANN makes the aclnn function
    assert "以下约束由 host 侧（PyTorch 接口）校验" in "\n".join(found[README].prose)
    assert "host 侧不校验以下约束，由调用者保证。" in found["aclnn"].prose
    assert "以下约束由 host 侧（aclnn 接口、tiling）校验" in "\n".join(pages(QSFA)["aclnn"].prose)
