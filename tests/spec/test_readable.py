"""What messages say instead of names that only a spec has."""

from __future__ import annotations

from pathlib import Path

import pytest

from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.expr.memo import forget
from qsfa_codegen.spec.failure import failure
from qsfa_codegen.spec.load import analyse_text, load
from qsfa_codegen.spec.model import Operator

ROOT = Path(__file__).parents[2]
SPEC = """\
spec: 1
operator: {name: RowThing, category: test, brief: {en: Rows., zh: 行。}}
chips: [A2, A3, A5]
consts: {LIMIT: {value: 4096, en: limit, zh: 上限}}
dims:
  N: {en: rows, zh: 行数}
  BYTES: {is: elements(row), en: bytes of a row, zh: 每行字节数}
dtypes:
  columns: [t, b]
  rows: {all: [[float16, int8], [float32, int8]]}
records:
  row:
    unit: b
    en: a row
    zh: 一行
    fields:
      data: {dtype: b, count: width, en: data, zh: 数据}
      scale: {dtype: float32, count: width // tile, align: 4, en: scales, zh: 系数}
inputs:
  x: {dtype: t, shape: [N, {rest: INNER}], doc: {en: Rows., zh: 行。}}
  packed: {dtype: b, shape: [N, BYTES], last_dim: row, doc: {en: Packed., zh: 打包。}}
  like: {dtype: t, shape: [{rest: INNER}], doc: {en: Like., zh: 同。}}
attrs:
  width:
    type: int
    default: 64
    values: {by: arch, of: {arch22: [64], arch35: [64, 128]}}
    doc: {en: Width., zh: 宽度。}
  tile: {type: int, default: 32, values: [32], doc: {en: Tile., zh: 块。}}
outputs:
  y: {dtype: t, shape: [N], doc: {en: Result., zh: 结果。}}
let:
  wide: width > 100
  total: N * width
constraints:
  - {id: fits, require: total * sizeof(t) <= LIMIT, blame: x}
  - {id: no_wide, when: arch == arch22, require: not wide, blame: width}
"""


@pytest.fixture(scope="module")
def operator() -> Operator:
    sink = Sink()
    found = analyse_text(SPEC.encode(), "rows.yaml", sink)
    assert found is not None, [d.message for d in sink]
    return found


def said(operator: Operator, id: str) -> list[tuple[tuple[str, ...], str]]:
    """What every check of an id prints of a call, and what it allows."""
    found = [failure(operator, check) for check in operator.checks if check.id == id]
    return [(tuple(given.label for given in each.givens), each.allowed) for each in found]


def test_the_size_of_a_packed_row_is_a_sum_that_callers_can_work_out(operator: Operator) -> None:
    assert said(operator, "packed_shape")[0] == (
        ("BYTES", "width"),
        "BYTES equals width + floor(width / 32) * 4",
    )


def test_derived_values_and_constants_are_written_out(operator: Operator) -> None:
    assert said(operator, "fits") == [
        (
            ("N", "width", "dtype of x"),
            "N * width * (the bytes of an element of x) is at most 4096",
        )
    ]


def test_an_architecture_is_its_chips(operator: Operator) -> None:
    assert said(operator, "no_wide")[0][1] == "width is at most 100 when the chip is A2 or A3"
    assert said(operator, "width_value")[0][1] == (
        "if the chip is A2 or A3, width is 64; if the chip is A5, width is 64 or 128"
    )


def test_a_run_of_axes_is_the_shape_of_the_input_that_has_it(operator: Operator) -> None:
    (shape,) = said(operator, "like_shape")
    assert shape[1] == "the shape of like equals the shape of x without the first 1"


def test_the_cache_of_the_first_operator() -> None:
    forget()
    qsfa = load(ROOT / "spec/kv_quant_sparse_flash_attention.yaml")
    found = [texts for texts in said(qsfa, "key_shape") if "KV_D" in texts[0]]
    assert found == [(("KV_D", "rope_head_dim"), "KV_D equals 512 + rope_head_dim * 2 + 16")]
