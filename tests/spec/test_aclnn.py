"""The names, types and order that CANN gives the parameters of an aclnn function."""

from __future__ import annotations

import pytest

from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.spec.aclnn import Role, in_place_names, inner_signature, signature, unsupported_attrs
from qsfa_codegen.spec.load import analyse_text
from qsfa_codegen.spec.model import Operator

SPEC = """\
spec: 1
operator: {{name: Blend, category: math, brief: {{en: Blends., zh: 混合。}}}}
chips: [A2]
dims:
  N: {{en: rows, zh: 行数}}
{dims}
dtypes:
  columns: [t]
  rows: {{all: [[float16]]}}
inputs:
{inputs}
attrs: {attrs}
outputs:
{outputs}
{rest}
"""
DATA = "  data: {dtype: t, shape: [N], doc: {en: Rows., zh: 行。}}"
OUT = "  result: {dtype: t, shape: [N], doc: {en: Rows., zh: 行。}}"


def operator(inputs: str = DATA, attrs: str = "{}", outputs: str = OUT, rest: str = "") -> Operator:
    sink = Sink()
    dims = "  L: {en: parts, zh: 份数}" if "count: L" in inputs else ""
    text = SPEC.format(dims=dims, inputs=inputs, attrs=attrs, outputs=outputs, rest=rest)
    found = analyse_text(text.encode(), "spec.yaml", sink)
    assert found is not None, [d.message for d in sink]
    return found


def tensor(name: str, more: str = "", dtype: str = "t") -> str:
    return f"  {name}: {{dtype: {dtype}, shape: [N], {more} doc: {{en: Rows., zh: 行。}}}}"


def attribute(name: str, text: str) -> str:
    return f"{{{name}: {{{text}, doc: {{en: A., zh: 甲。}}}}}}"


def declared(found: Operator) -> list[str]:
    return [p.declaration for p in signature(found)]


@pytest.mark.parametrize(
    ("name", "more", "declaration"),
    [
        ("row_mask", "dtype: t", "const aclTensor *rowMask"),
        ("row_mask", "dtype: t, presence: optional", "const aclTensor *rowMaskOptional"),
        ("row_mask", "dtype: t, list: {count: L}", "const aclTensorList *rowMask"),
        ("row_index", "dtype: int64, value_depend: optional", "const aclIntArray *rowIndex"),
        ("row_index", "dtype: float32, value_depend: optional", "const aclFloatArray *rowIndex"),
        ("row_index", "dtype: bool, value_depend: optional", "const aclBoolArray *rowIndex"),
        (
            "row_index",
            "dtype: int64, value_depend: optional, presence: optional",
            "const aclIntArray *rowIndexOptional",
        ),
        ("x1", "dtype: t", "const aclTensor *x1"),
        ("x_1", "dtype: t", "const aclTensor *x1"),
        ("row_ref", "dtype: t", "aclTensor *rowRef"),
        ("ref", "dtype: t", "const aclTensor *ref"),
    ],
)
def test_an_input(name: str, more: str, declaration: str) -> None:
    found = operator(f"{DATA}\n  {name}: {{{more}, shape: [N], doc: {{en: Rows., zh: 行。}}}}")
    assert declared(found)[1] == declaration


def test_a_scalar_input() -> None:
    scalar = "  alpha: {dtype: float32, scalar: true, doc: {en: A., zh: 甲。}}"
    assert declared(operator(f"{DATA}\n{scalar}"))[1] == "const aclScalar *alpha"


@pytest.mark.parametrize(
    ("text", "declaration"),
    [
        ("type: int, required: true", "int64_t roundMode"),
        ("type: int, default: 1", "int64_t roundMode"),
        ("type: float, default: 1.0", "double roundMode"),
        ("type: bool, default: false", "bool roundMode"),
        ("type: dtype, default: float16", "int64_t roundMode"),
        ("type: str, default: up", "char *roundModeOptional"),
        ("type: str, required: true", "char *roundMode"),
        ("type: list_int, default: [1]", "const aclIntArray *roundModeOptional"),
        ("type: list_int, required: true", "const aclIntArray *roundMode"),
        ("type: list_float, default: [1.0]", "const aclFloatArray *roundModeOptional"),
        ("type: list_bool, default: [true]", "const aclBoolArray *roundModeOptional"),
    ],
)
def test_an_attribute(text: str, declaration: str) -> None:
    assert declared(operator(attrs=attribute("round_mode", text)))[1] == declaration


def test_the_only_output_has_no_name_of_its_own() -> None:
    assert declared(operator())[-1] == "const aclTensor *out"


def test_one_output_of_several_is_named() -> None:
    both = f"{OUT}\n{tensor('row_sum', dtype='float32')}"
    assert declared(operator(outputs=both))[-2:] == [
        "const aclTensor *resultOut",
        "const aclTensor *rowSumOut",
    ]


def test_a_reserved_input() -> None:
    reserved = "  bias: {dtype: float32, presence: ignored, doc: {en: Bias., zh: 偏置。}}"
    assert declared(operator(f"{DATA}\n{reserved}"))[1] == "const aclTensor *biasOptional"


def test_an_input_updated_in_place_comes_once() -> None:
    found = operator(
        tensor("data", "mutated: true,"), outputs="  data: {alias: data, doc: {en: Rows., zh: 行。}}"
    )
    assert in_place_names(found) == {"data"}
    assert declared(found) == ["aclTensor *dataRef"]


def test_the_order_is_inputs_attributes_outputs() -> None:
    found = operator(
        f"{DATA}\n{tensor('mask', 'presence: optional,')}",
        attribute("mode", "type: int, default: 1"),
        f"{OUT}\n{tensor('total')}",
    )
    params = signature(found)
    assert [(p.name, p.role, p.source, p.required) for p in params] == [
        ("data", Role.INPUT, "data", True),
        ("maskOptional", Role.INPUT, "mask", False),
        ("mode", Role.ATTR, "mode", False),
        ("resultOut", Role.OUTPUT, "result", True),
        ("totalOut", Role.OUTPUT, "total", True),
    ]
    assert [p.is_pointer for p in params] == [True, True, False, True, True]


def test_attributes_that_aclnn_has_no_type_for() -> None:
    attrs = "{names: {type: list_list_int, default: [[1]], doc: {en: A., zh: 甲。}}, "
    attrs += "mode: {type: int, default: 1, doc: {en: A., zh: 甲。}}}"
    found = operator(attrs=attrs, rest="bindings: {aclnn: {style: handwritten}}")
    assert [a.name for a in unsupported_attrs(found)] == ["names"]
    assert declared(found) == ["const aclTensor *data", "int64_t mode", "const aclTensor *out"]


def test_a_binding_by_hand_has_its_own_names_and_order() -> None:
    rest = """bindings:
  aclnn:
    style: handwritten
    parameters:
      - {data: rows}
      - {reserved: bias}
      - {reserved: speed, type: int}
      - {mode: roundMode}
      - {mask: {name: maskList, as: int_array}}
      - result
"""
    found = operator(
        f"{DATA}\n{tensor('mask', 'presence: optional,', 'int64')}",
        attribute("mode", "type: int, default: 1"),
        rest=rest,
    )
    assert declared(found) == [
        "const aclTensor *rows",
        "const aclTensor *bias",
        "int64_t speed",
        "int64_t roundMode",
        "const aclIntArray *maskList",
        "const aclTensor *out",
    ]
    assert [p.role for p in signature(found)][1:3] == [Role.RESERVED, Role.RESERVED]
    assert [p.declaration for p in inner_signature(found)] == [
        "const aclTensor *data",
        "const aclTensor *maskOptional",
        "int64_t mode",
        "const aclTensor *out",
    ]
