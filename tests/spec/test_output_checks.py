"""What is checked of the outputs that a caller has allocated."""

from __future__ import annotations

from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.expr.prose import say
from qsfa_codegen.spec.failure import MessageNames
from qsfa_codegen.spec.load import analyse_text
from qsfa_codegen.spec.model import CheckKind, Operator
from qsfa_codegen.spec.output_checks import allocated, output_checks

SPEC = """\
spec: 1
operator: {name: Blend, category: math, brief: {en: Blends., zh: 混合。}}
chips: [A2]
dims:
  N: {en: rows, zh: 行数}
dtypes:
  columns: [t, u]
  rows: {all: [[float16, int8], [bfloat16, int8]]}
  unbound: {u: t}
inputs:
  data: {dtype: t, shape: [N], mutated: true, doc: {en: Rows., zh: 行。}}
  extra: {dtype: u, presence: optional, shape: [N], doc: {en: Extra., zh: 附加。}}
attrs:
  full: {type: bool, default: false, doc: {en: Full., zh: 全。}}
  level: {type: int, default: 0, values: [0, 1, 2], doc: {en: Level., zh: 级。}}
let:
  some: level > 0
outputs:
  data: {alias: data, doc: {en: Rows., zh: 行。}}
  plain: {dtype: float32, shape: [N], doc: {en: Plain., zh: 普通。}}
  empty: {dtype: float32, shape: [N, 0], doc: {en: Empty., zh: 空。}}
  maybe:
    dtype: {follow: data}
    shape:
      by: full
      of:
        "true": [N]
        "false": {by: some, of: {"true": [N, 2], "false": [0]}}
    doc: {en: Maybe., zh: 或许。}
  other: {dtype: u, shape: [N], doc: {en: Other., zh: 其他。}}
"""


def operator() -> Operator:
    sink = Sink()
    found = analyse_text(SPEC.encode(), "spec.yaml", sink)
    assert found is not None, [d.message for d in sink]
    return found


def said(found: Operator, kind: CheckKind) -> dict[str, str]:
    """What checks of a kind demand, in words, by their ids."""
    names = MessageNames(found)
    return {
        c.id: ("" if c.when is None else f"when {say(c.when, 'en', names, plain=True)}: ")
        + say(c.require, "en", names, plain=True)
        for c in output_checks(found)
        if c.kind is kind
    }


def test_an_output_in_place_is_not_allocated() -> None:
    assert [o.name for o in allocated(operator())] == ["plain", "empty", "maybe", "other"]


def test_presence_comes_before_dtype() -> None:
    assert [c.kind for c in output_checks(operator())] == [CheckKind.PRESENCE] * 4 + [CheckKind.DTYPE] * 4


def test_only_an_output_without_elements_may_be_left_out() -> None:
    assert said(operator(), CheckKind.PRESENCE) == {
        "plain_out_presence": "plain is present",
        "empty_out_presence": "true",
        "maybe_out_presence": "full is false and some is false, or maybe is present",
        "other_out_presence": "other is present",
    }


def test_dtypes() -> None:
    found = operator()
    dtypes = said(found, CheckKind.DTYPE)
    assert dtypes["plain_out_dtype"] == "the dtype of plain is float32"
    assert dtypes["maybe_out_dtype"] == "when maybe is present: the dtype of maybe equals the dtype of data"
    # Without `extra` nothing tells the dtype of its column: the spec says which one stands for it.
    assert dtypes["other_out_dtype"].endswith(
        "the dtype of extra if extra is present, otherwise the dtype of data"
    )
    (other,) = [c for c in output_checks(found) if c.id == "other_out_dtype"]
    assert other.message is not None
    assert other.message.en == "must have the dtype of extra"
