"""Operator definitions: compiled against a header that prints what they register."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

import pytest

from qsfa_codegen.render.package import render
from qsfa_codegen.spec.load import load

HERE = Path(__file__).parent
ODD = HERE / "odd_parameters.yaml"

# By hand from odd_parameters.yaml; 1 float16, 2 int8, 3 int32, 9 int64, 27 bfloat16, 29 int4, 35 float8.
EXPECTED = r"""
OpDef OddThing
AddConfig ascend910b DynamicShapeSupportFlag(true) ExtendCfgInfo(<opFile.value>,<odd_thing>)
    ExtendCfgInfo(<opInterface.value>,<say "hi" \>)
AddConfig ascend910_93 DynamicShapeSupportFlag(true) ExtendCfgInfo(<opFile.value>,<odd_thing>)
    ExtendCfgInfo(<opInterface.value>,<say "hi" \>)
AddConfig ascend950 NeedCheckSupportFlag(false)
ascend950 Input left ParamType(REQUIRED) DataType([1,1,27]) Format([2,2,2])
    UnknownShapeFormat([2,2,2]) AutoContiguous()
ascend950 Input packed ParamType(REQUIRED) DataType([2,29,35]) FormatList([29]) IgnoreContiguous()
ascend950 Input like_left ParamType(REQUIRED) DataType([1,1,27]) FormatList([2]) AutoContiguous()
ascend950 Output left ParamType(REQUIRED) DataType([1,1,27]) FormatList([2])
Input left ParamType(REQUIRED) DataType([1,27]) Format([2,2]) UnknownShapeFormat([2,2]) AutoContiguous()
Input packed ParamType(REQUIRED) DataType([2,2]) FormatList([29]) IgnoreContiguous()
Input parts ParamType(DYNAMIC) DataTypeList([3]) FormatList([2]) AutoContiguous()
Input like_left ParamType(REQUIRED) Follow(<left>) AutoContiguous()
Input lengths ParamType(OPTIONAL) DataTypeList([9]) FormatList([2]) ValueDepend(OPTIONAL)
Input factor ParamType(REQUIRED) DataTypeList([0]) FormatList([2]) Scalar() AutoContiguous()
Output left ParamType(REQUIRED) DataType([1,27]) FormatList([2])
Output total ParamType(REQUIRED) DataTypeList([0]) FormatList([2]) AutoContiguous()
Attr plain AttrType(REQUIRED) Int()
Attr small AttrType(OPTIONAL) Int(-9223372036854775808)
Attr ratio AttrType(OPTIONAL) Float(0.5)
Attr text AttrType(OPTIONAL) String(<say "hi" \ ??/>)
Attr flags AttrType(OPTIONAL) ListBool([true,false])
Attr steps AttrType(OPTIONAL) ListInt([1,2])
Attr ratios AttrType(OPTIONAL) ListFloat([0.5,1e-06])
Attr kind AttrType(OPTIONAL) Int(27)
"""


@cache
def files() -> dict[str, str]:
    return render(load(ODD))


def registered(source: str, folder: Path) -> list[str]:
    """What the definition registers; it keeps its order within inputs, outputs, attributes and chips."""
    (folder / "def.cpp").write_text(source + "\nint main() {}\n", encoding="utf-8")
    command = [
        "g++",
        "-std=c++17",
        "-Wall",
        "-Wextra",
        "-Werror",
        f"-I{HERE / 'stub'}",
        "def.cpp",
        "-o",
        "def",
    ]
    subprocess.run(command, cwd=folder, check=True)
    ran = subprocess.run([str(folder / "def")], capture_output=True, text=True, check=True)
    return ran.stdout.splitlines()


def test_every_kind_of_parameter_is_registered(tmp_path: Path) -> None:
    expected = EXPECTED.strip().replace("\n    ", " ").splitlines()
    assert registered(files()["op_host/odd_thing_def.cpp"], tmp_path) == expected


def test_a_chip_without_settings_gets_no_config_object(tmp_path: Path) -> None:
    spec = ODD.read_text(encoding="utf-8")
    without_registration = spec[: spec.index("registration:")] + spec[spec.index("dims:") :]
    on_two_chips = without_registration.replace("[A2, A3, A5]", "[A2, A3]")
    lines = [line for line in on_two_chips.splitlines() if not line.startswith("    A5:")]
    plain = tmp_path / "plain.yaml"
    plain.write_text("\n".join(lines), encoding="utf-8")
    said = registered(render(load(plain))["op_host/odd_thing_def.cpp"], tmp_path)
    assert [line for line in said if "AddConfig" in line] == [
        "AddConfig ascend910b",
        "AddConfig ascend910_93",
    ]


PROTO = r"""
.INPUT(left, "left_type")
.INPUT(packed, ge::TensorType::ALL())
.DYNAMIC_INPUT(parts, ge::TensorType::ALL())
.INPUT(like_left, "left_type")
.OPTIONAL_INPUT(lengths, ge::TensorType::ALL())
.INPUT(factor, ge::TensorType::ALL())
.OUTPUT(left, "left_type")
.OUTPUT(total, ge::TensorType::ALL())
.DATATYPE(left_type, ge::TensorType({ge::DT_FLOAT16, ge::DT_BF16}))
.REQUIRED_ATTR(plain, Int)
.ATTR(small, Int, INT64_MIN)
.ATTR(ratio, Float, 0.5)
.ATTR(text, String, "say \"hi\" \\ ?\?/")
.ATTR(flags, ListBool, {true, false})
.ATTR(steps, ListInt, {1, 2})
.ATTR(ratios, ListFloat, {0.5, 1e-06})
.ATTR(kind, Int, 27)
"""


def test_the_prototype_has_every_parameter() -> None:
    proto = files()["op_graph/odd_thing_proto.h"]
    lines = [line.strip() for line in proto.splitlines() if line.strip().startswith(".")]
    assert lines == [*PROTO.strip().splitlines(), ".OP_END_FACTORY_REG(OddThing);"]


@pytest.mark.parametrize("path", ["op_host/odd_thing_def.cpp", "op_graph/odd_thing_proto.h"])
def test_the_file_says_where_it_comes_from(path: str) -> None:
    first = files()[path].splitlines()[:2]
    assert first == [
        "// Generated by qsfa-codegen from odd_parameters.yaml.",
        "// Do not edit: change the spec, then run `qsfa-codegen build`.",
    ]
