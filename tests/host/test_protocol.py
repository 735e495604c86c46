"""Calls and answers as lines, written by hand."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call, Result, Stage, TensorArg, TilingResult, Violation
from qsfa_codegen.host.protocol import AnswerReader, CallWriter
from tests.host.programs import QSFA, operator, paged


def line(name: str, call: Call, stage: Stage | None = None) -> str:
    return CallWriter(operator(name)).line(call, stage).decode()


def test_a_call_as_a_line() -> None:
    call = replace(paged("paged"), attr_count=6)
    assert line(QSFA, call) == (
        "a|ascend910b\t2201\t64\t64\t196352\t16777216"
        "|27:2,64,8,576\t2:32,16,1,656\t2:32,16,1,656\t3:2,64,1,128\t-\t-\t3:2,32\t3:2\t3:2"
        "|f0.044194173067808151\ti2\ti2\ti16\tsBSND\tsPA_BSND\t\n"
    ).replace("0.044194173067808151", repr(0.04419417306780815))


def test_parts_of_the_work() -> None:
    assert line(QSFA, paged("x"), Stage.INFER).startswith("i|")
    assert line(QSFA, paged("x"), Stage.TILING).startswith("t|")


def test_a_chip_that_the_operator_does_not_support() -> None:
    assert line(QSFA, replace(paged("x"), chip="a|b", platform={})).startswith("a|a%7Cb\t65535\t0\t0\t0\t0|")


def test_texts_floats_and_lists() -> None:
    call = Call("x", "A2", attrs={"layout_kv": "a|b\t%\n", "scale_value": 1e39})
    attrs = line(QSFA, call).rsplit("|", 1)[1].split("\t")
    assert attrs[5] == "sa%7Cb%09%25%0A"
    assert attrs[0] == "finf"
    quant = line("rms_norm_dynamic_quant", Call("x", "A2", attrs={"output_mask": (True, False)}))
    assert quant.rsplit("|", 1)[1] == f"f{float.fromhex('0x1.0c6f7a0000000p-20')!r}\tB1,0\ti2\t\n"


def read(answer: str, stage: Stage | None = None) -> Result:
    return AnswerReader(operator(QSFA)).result(paged("x"), stage, answer)


def test_an_accepted_call() -> None:
    result = read("ok\t1:2,3 0: 43:-2\t7 5 1 16,32 00ff")
    assert result.outputs == {
        "attention_out": TensorArg("float16", (2, 3)),
        "softmax_max": TensorArg("float32", ()),
        "softmax_sum": TensorArg("dtype 43", (-2,)),
    }
    assert result.tiling == TilingResult(7, 5, 1, (16, 32), None, b"\x00\xff")


def test_a_tiling_function_that_sets_nothing() -> None:
    assert read("ok\t0:1 0:1 0:1\t- - 0  ").tiling == TilingResult(None, None, 0, (), None, b"")


def test_rejections() -> None:
    result = read("no\ttiling\tkey is odd; expected: [0, 1] [key_shape]")
    assert result.stage is Stage.TILING
    assert result.violations == (Violation("key_shape", "key", "key is odd; expected: [0, 1]"),)
    result = read("no\tshape inference\tthe size is 1%09[s2_fits]")
    assert result.stage is Stage.INFER
    assert result.violations == (Violation("s2_fits", "splitKVParams.s2", "the size is 1\t"),)
    assert read("no\ttiling\tno id here").violations == (Violation("unexplained", "", "no id here"),)


@pytest.mark.parametrize("stage", [Stage.INFER, Stage.TILING])
def test_a_stage_that_was_asked_for_is_that_of_the_rejection(stage: Stage) -> None:
    assert read("no\tframework\tno configuration [chip]", stage).stage is stage


def test_tiling_must_not_leave_a_check_to_shape_inference() -> None:
    result = read("no\tshape inference\tkey is odd [key_shape]", Stage.TILING)
    assert result.fault == "tiling accepts what shape inference rejects: key is odd [key_shape]"
    output = read("no\tshape inference\tthere is no size [softmax_max_shape]", Stage.TILING)
    assert output.violations == (Violation("softmax_max_shape", "softmax_max", "there is no size"),)


def test_an_error_in_passing() -> None:
    assert read("odd\ttiling\twell%0Anow").fault == "tiling succeeded, but logged an error: well\nnow"
