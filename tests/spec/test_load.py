"""From a file to an operator: every error in one run, and one error for one mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from qsfa_codegen.diagnostics import Diagnostic, Sink, SpecError
from qsfa_codegen.resources import CHIPS, resource
from qsfa_codegen.spec.chips import load_chips
from qsfa_codegen.spec.load import analyse, analyse_text, load
from qsfa_codegen.spec.model import Dim, Operator, Source
from qsfa_codegen.spec.reader import read_text
from qsfa_codegen.spec.resolve import resolve

SPEC = """\
spec: 1
operator: {name: GatherScale, category: math, brief: {en: Scales rows., zh: 对行做缩放。}}
chips: [A2, A5]
enums:
  Layout: {ROWS: {code: 0}, BLOCKS: {code: 1}}
consts:
  WIDTH: {value: 64, en: elements of a row, zh: 每行元素数}
dims:
  N: {en: rows, zh: 行数}
  M: {en: blocks, zh: 块数}
  D: {is: WIDTH, en: row width, zh: 行宽}
dtypes:
  columns: [t]
  rows: {all: [[float16], [bfloat16]]}
inputs:
  data:
    dtype: t
    shape: {by: layout, of: {ROWS: [N, D], BLOCKS: [M, N, D]}}
    doc: {en: Rows., zh: 行数据。}
  index:
    dtype: int32
    presence: {by: layout, of: {BLOCKS: required, else: absent}}
    shape: [M]
    doc: {en: Which block., zh: 块索引。}
attrs:
  layout: {type: str, enum: Layout, default: ROWS, values: [ROWS, BLOCKS], doc: {en: Layout., zh: 布局。}}
  mode: {type: int, default: 1, values: {fast: 1, exact: 2}, doc: {en: Mode., zh: 模式。}}
let:
  exact: mode == 2
  blocks: {by: layout, of: {ROWS: 1, BLOCKS: M}}
outputs:
  out: {dtype: t, shape: {like: data}, doc: {en: Result., zh: 结果。}}
constraints:
  - {id: exact_rows, when: exact, require: layout == "ROWS"}
tiling:
  data:
    struct: GatherScaleTilingData
    fields:
      rows: {type: uint32, value: N}
      blockCount: {type: uint32, value: blocks}
  key:
    args:
      BLOCKED: {kind: bool, declared: [0, 1], value: layout == "BLOCKS"}
      EXACT: {kind: bool, declared: [0, 1], value: exact}
    legal: reachable
  block_dim: aiv
bindings:
  torch:
    library: _C_ascend
    name: npu_gather_scale
    positional: [data]
    keyword: [index, layout, mode]
    returns: [out]
"""


def found(text: str, chips: Path | None = None) -> list[Diagnostic]:
    sink = Sink()
    operator = analyse_text(text.encode(), "spec.yaml", sink, chips)
    assert (operator is None) is sink.failed
    return list(sink)


def changed(*replacements: tuple[str, str]) -> str:
    text = SPEC
    for old, new in replacements:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


def places(text: str) -> list[tuple[str, int, int]]:
    return [(d.code, d.span.line, d.span.column) for d in found(text) if d.span is not None]


def test_the_spec_is_right() -> None:
    assert found(SPEC) == []


class TestAllInOneRun:
    def test_a_duplicate_key_an_unknown_key_and_an_unknown_name(self) -> None:
        text = changed(
            ("N: {en: rows,", "N: {en: rows, en: lines,"),
            ("presence: {by", "presense: {by"),
            ("{is: WIDTH,", "{is: WITDH,"),
        )
        assert places(text) == [("QS114", 9, 17), ("QS202", 11, 11), ("QS150", 22, 5)]

    def test_errors_of_every_section(self) -> None:
        text = changed(
            ("category: math", "category: Math"),
            ("[A2, A5]", "[A2, A55]"),
            ("[bfloat16]", "[bfloat17]"),
            ("default: 1,", "default: one,"),
            ("{id: exact_rows,", "{id: exact_rows, blame: [data],"),
            ("value: N}", "value: N +}"),
            ("block_dim: aiv", "block_dim: aix"),
            ("[index, layout, mode]", "[indices, layout, mode, node]"),
        )
        assert [code for code, _, _ in places(text)] == [
            "QS154",
            "QS313",
            "QS321",
            "QS331",
            "QS152",
            "QS200",
            "QS202",
            "QS351",
            "QS351",
        ]

    def test_a_misspelt_section_is_read_as_it_was_meant(self) -> None:
        text = changed(("\nattrs:", "\natrs:"), ("default: 1,", "default: one,"))
        assert [code for code, _, _ in places(text)] == ["QS150", "QS331"]


def resolved(*replacements: tuple[str, str]) -> Operator:
    sink = Sink()
    operator = analyse_text(changed(*replacements).encode(), "spec.yaml", sink)
    assert operator is not None, list(sink)
    return operator


class TestForms:
    def test_sizes_of_a_dim_may_be_consts(self) -> None:
        operator = resolved(("{is: WIDTH, en: row", "{values: [32, WIDTH], en: row"))
        assert operator.find(Dim, "D").values == (32, 64)

    def test_groups_of_plan_parameters(self) -> None:
        rows, copy = "{value: 8, en: rows, zh: 行}", "{depth: 2, burst: {bytes: WIDTH}}"
        plan = f"kernel: {{family: f, plan: {{arch22: {{rows: {rows}, copy: {copy}}}}}}}"
        sink = Sink()
        tree = read_text(SPEC + plan, "spec.yaml", sink)
        assert tree is not None
        operator = resolve(tree, load_chips(resource(CHIPS), sink), Source("spec.yaml", ""), sink)
        assert operator is not None
        assert operator.kernel is not None
        (arch22,) = operator.kernel.plans
        assert [parameter.name for parameter in arch22.parameters] == [
            "rows",
            "copy.depth",
            "copy.burst.bytes",
        ]
        assert [p.doc.en if p.doc else None for p in arch22.parameters] == ["rows", None, None]

    @pytest.mark.parametrize(
        ("parameter", "default"),
        [
            ("{reserved: seed, type: list_int, default: [1, WIDTH]}", (1, 64)),
            ("{reserved: seed, type: bool, accepts: false}", False),
            ("{reserved: seed}", None),
            ("{reserved: seed, default: null}", None),
        ],
    )
    def test_reserved_parameters(self, parameter: str, default: object) -> None:
        operator = resolved(("[index, layout, mode]", f"[index, layout, mode, {parameter}]"))
        assert operator.torch is not None
        assert operator.torch.keyword[-1].default == default

    def test_dims_may_bound_each_other(self) -> None:
        operator = resolved(
            ("N: {en: rows,", "N: {min: D, en: rows,"), ("{is: WIDTH,", "{is: WIDTH, max: N,")
        )
        assert operator.find(Dim, "N").minimum is not None

    def test_a_value_may_be_called_like_an_input(self) -> None:
        operator = resolved(("  exact: mode == 2", "  index: dim(data, 0)\n  exact: mode == 2 and index > 0"))
        assert [let.name for let in operator.lets] == ["index", "exact", "blocks"]


ONE_MISTAKE = {
    "duplicate input": ("  index:\n", "  data: {dtype: t}\n  index:\n", "QS114"),
    "tag": ("value: 64", "value: !!int 64", "QS111"),
    "number out of range": ("value: 64", "value: 9223372036854775808", "QS117"),
    "key that is no name": ("  D: {is", "  1.5: {is", "QS115"),
    "merge": ("D: {is: WIDTH,", "D: {<<: {is: WIDTH},", "QS113"),
    "second document": ("inputs:\n", "---\ninputs:\n", "QS107"),
    "expression cut at its comma": ("{is: WIDTH,", "{is: max(WIDTH, 1),", "QS116"),
    "section": ("\ndims:", "\ndim:", "QS150"),
    "required section": ("\ninputs:", "\ninputz:", "QS150"),
    "columns": ("columns: [t]", "column: [t]", "QS150"),
    "by": ("shape: {by: layout", "shape: {bye: layout", "QS150"),
    "like": ("{like: data}", "{lik: data}", "QS150"),
    "language": ("doc: {en: Rows.", "doc: {em: Rows.", "QS150"),
    "shape": ("    shape: [M]", "    shpe: [M]", "QS150"),
    "attribute without a type": ("mode: {type: int, ", "mode: {", "QS151"),
    "attribute of no type": ("mode: {type: int, ", "mode: {type: imt, ", "QS153"),
    "attribute of an unknown enum": ("enum: Layout,", "enum: Layouts,", "QS330"),
    "enum that is a list": ("enum: Layout,", "enum: [Layout],", "QS152"),
    "enum label without a code": ("BLOCKS: {code: 1}", "BLOCKS: {}", "QS151"),
    "const without a value": ("WIDTH: {value: 64, ", "WIDTH: {", "QS151"),
    "const of another kind": ("value: 64", "value: many", "QS152"),
    "dims that are a list": ("dims:\n  N: {en: rows, zh: 行数}\n", "dims:\n  N: [1]\n", "QS152"),
    "no rows": ("rows: {all: [[float16], [bfloat16]]}", "rows: 5", "QS152"),
    "columns that are a number": ("columns: [t]", "columns: 5", "QS152"),
    "chips that are a word": ("chips: [A2, A5]", "chips: A2", "QS152"),
    "empty dtype": ("    dtype: t\n", "    dtype:\n", "QS152"),
    "dtype in quotes": ("    dtype: t\n", '    dtype: "t t"\n', "QS154"),
    "selector that is a bool": ("shape: {by: layout,", "shape: {by: true,", "QS152"),
    "unknown selector": ("shape: {by: layout,", "shape: {by: layut,", "QS202"),
    "unknown case": ("{ROWS: [N, D], BLOCKS:", "{ROWS: [N, D], BLOKS:", "QS305"),
    "unknown name in a shape": ("shape: [M]", "shape: [M, K]", "QS202"),
    "unreadable derived value": ("exact: mode == 2", "exact: mode ==", "QS200"),
    "unreadable dim": ("{is: WIDTH,", "{is: WIDTH +,", "QS200"),
    "alias of an input with an error": (
        "  out: {dtype: t, shape: {like: data}",
        "  out: {alias: index}\n  out2: {dtype: u, shape: {like: data}",
        "QS321",
    ),
    "unknown chip": ("[A2, A5]", "[A2, A5, A9]", "QS313"),
    "table of unknown cases": (
        "N: {en: rows",
        "N: {from: {by: layout, of: {ROW: data}}, en: rows",
        "QS305",
    ),
    "ring of three": ("  exact: mode == 2", "  a: b\n  b: c\n  c: a\n  exact: mode == 2", "QS301"),
    "key argument": ("EXACT: {kind: bool,", "EXACT: {kind: boolean,", "QS153"),
}


@pytest.mark.parametrize("case", ONE_MISTAKE)
def test_one_mistake_is_one_error(case: str) -> None:
    old, new, code = ONE_MISTAKE[case]
    assert old in SPEC
    assert [d.code for d in found(SPEC.replace(old, new, 1))] == [code]


def test_broken_chips_file_is_all_that_is_reported_about_chips(tmp_path: Path) -> None:
    chips = tmp_path / "chips.yaml"
    chips.write_text("chips: {A2: {soc: ascend910b}}\n", encoding="utf-8")
    text = changed(("columns: [t]", "column: [t]"))
    problems = found(text, chips)
    assert {d.code for d in problems if d.span is not None and d.span.file == chips.as_posix()} == {"QS151"}
    assert [d.code for d in problems if d.span is not None and d.span.file == "spec.yaml"] == ["QS150"]


class TestFiles:
    def test_a_right_spec(self, tmp_path: Path) -> None:
        path = tmp_path / "gather_scale.yaml"
        path.write_text(SPEC, encoding="utf-8")
        operator = load(path)
        assert (operator.name, operator.source.file) == ("GatherScale", path.as_posix())

    def test_a_wrong_spec_raises_with_every_diagnostic(self, tmp_path: Path) -> None:
        path = tmp_path / "wrong.yaml"
        path.write_text(changed(("columns: [t]", "column: [t]"), ("block_dim: aiv", "block_dim: aix")))
        with pytest.raises(SpecError) as raised:
            load(path)
        assert [d.code for d in raised.value.diagnostics] == ["QS150", "QS202"]

    def test_warnings_do_not_raise(self, tmp_path: Path) -> None:
        path = tmp_path / "undocumented.yaml"
        path.write_text(changed((", doc: {en: Mode., zh: 模式。}", "")), encoding="utf-8")
        sink = Sink()
        assert analyse(path, sink) is not None
        assert [d.code for d in sink] == ["QS500"]
        assert load(path).name == "GatherScale"

    def test_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(SpecError) as raised:
            load(tmp_path / "no.yaml")
        assert [d.code for d in raised.value.diagnostics] == ["QS100"]

    def test_chips_beside_the_spec_come_first(self, tmp_path: Path) -> None:
        path = tmp_path / "gather_scale.yaml"
        path.write_text(SPEC, encoding="utf-8")
        (tmp_path / "chips.yaml").write_text("chips: {}\n", encoding="utf-8")
        sink = Sink()
        assert analyse(path, sink) is None
        assert {d.span.file for d in sink if d.span is not None} == {(tmp_path / "chips.yaml").as_posix()}
