"""Dtype columns: what tells a call's dtype, what is registered, and sizes that all rows agree on."""

from __future__ import annotations

import pytest

from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.expr.build import call, ref
from qsfa_codegen.expr.nodes import DTYPE, INT, Conditional, Expr, Literal, ParamQuery, Query, Ref, RefKind
from qsfa_codegen.spec.columns import (
    all_dtypes,
    column_dtype,
    column_sizes,
    registered_dtypes,
    root_dtype,
    with_known_sizes,
)
from qsfa_codegen.spec.load import analyse_text
from qsfa_codegen.spec.model import DtypeRef, Input, Operator, Output

SPEC = """\
spec: 1
operator: {name: ColumnThing, category: test, brief: {en: Columns., zh: 列。}}
chips: [A2, A5]
dims: {N: {en: rows, zh: 行数}}
dtypes:
  columns: [t, w, o, s]
  rows:
    A2: [[float16, int8, int8, float32], [bfloat16, int8, int8, float32]]
    A5: [[float16, int8, int8, float32], [float16, float8_e4m3fn, int32, float32]]
  select: {o: out_type}
  unbound: {s: t}
inputs:
  x: {dtype: t, shape: [N], doc: {en: Rows., zh: 行。}}
  weight: {dtype: w, shape: [N], doc: {en: Weight., zh: 权重。}}
  like_weight: {dtype: {follow: weight}, shape: [N], doc: {en: Like., zh: 同。}}
  scale: {dtype: s, presence: optional, shape: [N], doc: {en: Scale., zh: 系数。}}
  count: {dtype: int64, shape: [N], doc: {en: Count., zh: 计数。}}
attrs:
  out_type: {type: dtype, default: int8, doc: {en: Type., zh: 类型。}}
outputs:
  y: {dtype: o, shape: [N], doc: {en: Result., zh: 结果。}}
"""


@pytest.fixture(scope="module")
def operator() -> Operator:
    sink = Sink()
    found = analyse_text(SPEC.encode(), "columns.yaml", sink)
    assert found is not None, [d.message for d in sink]
    return found


def column(operator: Operator, name: str) -> Expr:
    return column_dtype(operator, name, operator.name_span)


def test_an_input_that_is_always_passed_tells_the_dtype(operator: Operator) -> None:
    found = column(operator, "w")
    assert isinstance(found, ParamQuery)
    assert (found.query, found.param) == (Query.DTYPE, "weight")


def test_an_attribute_that_selects_the_column_tells_it(operator: Operator) -> None:
    found = column(operator, "o")
    assert isinstance(found, Ref)
    assert (found.kind, found.name) == (RefKind.ATTR, "out_type")


def test_an_optional_input_tells_it_where_it_is_passed_else_another_column(
    operator: Operator,
) -> None:
    found = column(operator, "s")
    assert isinstance(found, Conditional)
    assert isinstance(found.test, ParamQuery)
    assert isinstance(found.then, ParamQuery)
    assert isinstance(found.otherwise, ParamQuery)
    assert (found.test.query, found.test.param) == (Query.PRESENT, "scale")
    assert (found.then.param, found.otherwise.param) == ("scale", "x")


def test_a_follower_has_the_dtype_at_the_end_of_the_chain(operator: Operator) -> None:
    like = operator.find(Input, "like_weight")
    assert root_dtype(operator, like.dtype) == DtypeRef(column="w")
    assert registered_dtypes(operator, like.dtype, "A5") == ("int8", "float8_e4m3fn")


def test_dtypes_are_registered_row_by_row(operator: Operator) -> None:
    assert registered_dtypes(operator, operator.find(Input, "x").dtype, "A2") == ("float16", "bfloat16")
    assert registered_dtypes(operator, operator.find(Input, "x").dtype, "A5") == ("float16", "float16")
    assert registered_dtypes(operator, operator.find(Output, "y").dtype, "A5") == ("int8", "int32")


def test_a_fixed_dtype_is_registered_once(operator: Operator) -> None:
    assert registered_dtypes(operator, operator.find(Input, "count").dtype, "A2") == ("int64",)


def test_dtypes_of_all_chips_stand_once(operator: Operator) -> None:
    assert all_dtypes(operator, DtypeRef(column="t")) == ("float16", "bfloat16")
    assert all_dtypes(operator, DtypeRef(column="w")) == ("int8", "float8_e4m3fn")


def test_sizes_of_a_column(operator: Operator) -> None:
    assert column_sizes(operator, "t") == {2}
    assert column_sizes(operator, "w") == {1}
    assert column_sizes(operator, "o") == {1, 4}


@pytest.mark.parametrize(("name", "size"), [("t", 2), ("w", 1), ("o", None)])
def test_a_size_that_rows_agree_on_is_a_number(operator: Operator, name: str, size: int | None) -> None:
    span = operator.name_span
    asked = call("sizeof", [ref(RefKind.COLUMN, name, DTYPE, span)], INT, span)
    found = with_known_sizes(operator, asked)
    assert found == (asked if size is None else Literal(INT, span, size))


def test_the_size_of_a_dtype_is_a_number(operator: Operator) -> None:
    span = operator.name_span
    found = with_known_sizes(operator, call("sizeof", [Literal(DTYPE, span, "int4")], INT, span))
    assert found == Literal(INT, span, 1)
