"""The reader of operator definitions, on a definition written by hand."""

from __future__ import annotations

import pytest

from tests.truth import op_def, ops_info
from tests.truth.ops_info import Attribute, Registration, Tensor
from tests.truth.wheel import Wheel

_SOURCE = """
// class Commented : Input("ghost").ParamType(REQUIRED);
class Sample : public OpDef {
public:
    explicit Sample(const char *name) : OpDef(name)
    {
        this->Input("first").ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_FRACTAL_NZ})
            .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Input("second").ParamType(OPTIONAL).Follow("first").ValueDepend(OPTIONAL);
        Output("out").ParamType(REQUIRED).DataTypeList({ge::DT_INT32}).FormatList({ge::FORMAT_ND});
        this->Attr("mode").AttrType(OPTIONAL).String("a;b(c)");
        this->Attr("limit").AttrType(REQUIRED).Int(INT64_MAX);
        this->Attr("parts").AttrType(OPTIONAL).ListInt({0, 0});
        OpAICoreConfig otherConfig;
        otherConfig.Input("first").ParamType(REQUIRED).DataType({ge::DT_INT8, ge::DT_INT8})
            .FormatList({ge::FORMAT_ND});
        otherConfig.DynamicFormatFlag(false)
            .ExtendCfgInfo("jitCompile.flag", "static_false,dynamic_false");
        this->AICore().AddConfig("one");
        this->AICore().AddConfig("two", otherConfig);
    }
};
OP_ADD(Sample);
"""


@pytest.fixture(scope="module")
def definition() -> op_def.Definition:
    return op_def.read(_SOURCE)


def test_a_chip_without_a_configuration(definition: op_def.Definition) -> None:
    assert ops_info.from_definition(definition, "one") == Registration(
        inputs=(
            Tensor("first", "required", ("float16", "bfloat16"), ("ND", "FRACTAL_NZ"), ("ND", "ND"), None),
            Tensor(
                "second", "optional", ("float16", "bfloat16"), ("ND", "FRACTAL_NZ"), ("ND", "ND"), "optional"
            ),
        ),
        outputs=(Tensor("out", "required", ("int32", "int32"), ("ND", "ND"), (), None),),
        attributes=(
            Attribute("mode", "str", "optional", "a;b(c)"),
            Attribute("limit", "int", "required", None),
            Attribute("parts", "listInt", "optional", "[0,0]"),
        ),
        flags=frozenset(
            {
                ("dynamicCompileStatic.flag", "true"),
                ("dynamicFormat.flag", "true"),
                ("dynamicRankSupport.flag", "true"),
                ("dynamicShapeSupport.flag", "true"),
                ("needCheckSupport.flag", "false"),
                ("precision_reduce.flag", "true"),
            }
        ),
    )


def test_a_chip_with_parameters_and_flags_of_its_own(definition: op_def.Definition) -> None:
    registration = ops_info.from_definition(definition, "two")
    assert registration.inputs[0] == Tensor("first", "required", ("int8", "int8"), ("ND", "ND"), (), None)
    assert registration.inputs[1].dtypes == ("int8", "int8")
    assert registration.flags == {
        ("dynamicFormat.flag", "false"),
        ("jitCompile.flag", "static_false,dynamic_false"),
    }


def test_the_same_form_from_json(released: Wheel) -> None:
    entry = released.ops_info("ascend910b")["StoreKVBlock"]
    int32 = ("int32", "int32", "int32")
    nd = ("ND", "ND", "ND")
    registration = ops_info.from_json(entry)
    assert [t.name for t in registration.inputs][:2] == ["keyIn", "keyCacheIn"]
    assert registration.inputs[2] == Tensor("groupLen", "required", int32, nd, nd, None)
    assert registration.outputs == ()
    assert registration.attributes == (Attribute("blockSize", "int", "required", None),)
