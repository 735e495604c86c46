"""Call cases from JSON lines, and what is said of those that are malformed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from qsfa_codegen.contract.calls import Call, Stage, TensorArg, call_json, dump
from qsfa_codegen.contract.case_reader import parse_cases, read_cases
from qsfa_codegen.diagnostics import Diagnostic, Sink
from tests.contract.qsfa_calls import paged
from tests.contract.specs import QSFA, evaluator


def read(*lines: str, operator: str = QSFA) -> tuple[tuple[Call, ...], list[Diagnostic]]:
    sink = Sink()
    calls = parse_cases(lines, evaluator(operator).operator, sink, "cases.jsonl")
    return calls, list(sink)


def one(case: dict[str, Any], operator: str = QSFA) -> Call:
    calls, diagnostics = read(json.dumps(case), operator=operator)
    assert [d.message for d in diagnostics] == []
    return calls[0]


def test_a_whole_case() -> None:
    call = one(
        {
            "id": "a2_paged_decode",
            "chip": "A2",
            "stage": "tiling",
            "platform": {"aic": 64, "aiv": 64, "libapi_workspace": 16777216},
            "inputs": {
                "query": {"dtype": "bfloat16", "shape": [2, 64, 8, 576]},
                "block_table": None,
                "actual_seq_lengths_kv": {"dtype": "int32", "shape": [2], "data": [256, 512]},
            },
            "outputs": {"attention_out": {"dtype": "bfloat16", "shape": [2, 64, 8, 512]}},
            "attrs": {"scale_value": 1, "key_quant_mode": 2, "layout_kv": "any", "sparse_mode": None},
            "attr_count": 9,
            "expect": {"status": "ok", "tiling": {"key": 1154}},
        }
    )
    assert (call.id, call.chip, call.stage, call.attr_count) == ("a2_paged_decode", "A2", Stage.TILING, 9)
    assert call.platform == {"aic": 64, "aiv": 64, "libapi_workspace": 16777216}
    assert call.inputs == {
        "query": TensorArg("bfloat16", (2, 64, 8, 576)),
        "actual_seq_lengths_kv": TensorArg("int32", (2,), (256, 512)),
    }
    assert call.outputs == {"attention_out": TensorArg("bfloat16", (2, 64, 8, 512))}
    assert call.attrs == {"scale_value": 1.0, "key_quant_mode": 2, "layout_kv": "any"}
    assert isinstance(call.attrs["scale_value"], float)
    assert call.expect == {"status": "ok", "tiling": {"key": 1154}}


def test_a_file_without_an_end_is_not_read() -> None:
    sink = Sink()
    assert read_cases("/dev/zero", evaluator(QSFA).operator, sink) == ()
    assert [(d.code, d.message) for d in sink] == [
        ("QS608", "cannot read /dev/zero: it has more than 134217728 bytes")
    ]


def test_a_line_without_an_end_is_not_read() -> None:
    calls, diagnostics = read('{"id": "' + "a" * 2**24 + '"}', json.dumps(paged()))
    assert len(calls) == 1
    assert [(d.code, d.message) for d in diagnostics] == [
        ("QS608", "the line has more than 16777216 characters")
    ]
    assert diagnostics[0].span is not None
    assert diagnostics[0].span.line == 1


def test_empty_lines_and_a_byte_order_mark_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": "x", "chip": "A2"}\r\n\n  \n{"id": "y", "chip": "A5"}')
    sink = Sink()
    calls = read_cases(str(path), evaluator(QSFA).operator, sink)
    assert [(c.id, c.chip, c.stage) for c in calls] == [("x", "A2", None), ("y", "A5", None)]
    assert list(sink) == []


@pytest.mark.parametrize(
    ("data", "flat"),
    [([[1, 2], [3, 4]], (1, 2, 3, 4)), ([1, 2, 3, 4], (1, 2, 3, 4)), ([[[1], [2]], [3, 4]], (1, 2, 3, 4))],
)
def test_data_is_flat_or_nested(data: object, flat: tuple[int, ...]) -> None:
    table = {"dtype": "int32", "shape": [2, 2], "data": data}
    call = one({"id": "x", "chip": "A2", "inputs": {"block_table": table}})
    assert call.inputs["block_table"] == TensorArg("int32", (2, 2), flat)


def test_float_data_takes_integers_and_names() -> None:
    query = {"dtype": "float16", "shape": [4], "data": [1, 0.5, "-inf", True]}
    call = one({"id": "x", "chip": "A2", "inputs": {"query": query}})
    assert call.inputs["query"] == TensorArg("float16", (4,), (1.0, 0.5, float("-inf"), True))


def test_list_inputs_take_lists() -> None:
    tensors = [{"dtype": "int8", "shape": [64, 32]}, {"dtype": "int8", "shape": [64, 32]}]
    call = one(
        {"id": "x", "chip": "A2", "inputs": {"weight": tensors}},
        "grouped_matmul_swiglu_quant_weight_nz_tensor_list",
    )
    assert call.inputs["weight"] == (TensorArg("int8", (64, 32)),) * 2


def test_lists_and_dtypes_as_attributes() -> None:
    attrs = {"output_mask": [True, False], "dst_type": "int4", "epsilon": "nan"}
    call = one({"id": "x", "chip": "A2", "attrs": attrs}, "rms_norm_dynamic_quant")
    assert call.attrs["output_mask"] == (True, False)
    assert call.attrs["dst_type"] == "int4"
    assert str(call.attrs["epsilon"]) == "nan"


def test_unknown_sizes() -> None:
    inputs = {"query": {"dtype": "float16", "shape": [-2]}, "key": {"dtype": "int8", "shape": [-1, 0]}}
    call = one({"id": "x", "chip": "A2", "inputs": inputs})
    assert call.inputs == {"query": TensorArg("float16", (-2,)), "key": TensorArg("int8", (-1, 0))}


def test_what_is_written_reads_as_the_same_call() -> None:
    case = paged()
    case["inputs"]["query"]["data"] = None
    case["attrs"]["scale_value"] = "inf"
    case["stage"] = "infer"
    call = one(case)
    again = one(json.loads(dump(call_json(call))))
    assert again.inputs == call.inputs
    assert again.attrs == call.attrs
    assert (again.id, again.chip, again.stage, again.platform) == (
        call.id,
        call.chip,
        call.stage,
        call.platform,
    )


CASE = '{"id": "x", "chip": "A2", %s}'
MALFORMED: list[tuple[str, str, str, str | None]] = [
    # line with the marked «span», code, message, help
    ("{«»", "QS601", "not valid JSON: Expecting property name enclosed in double quotes", None),
    ("«[]»", "QS601", "a case must be a JSON object", None),
    ('«{"id": "x", "id": "y"}»', "QS601", "the key 'id' stands twice in one object", None),
    ("«" + "[" * 100_000 + "»", "QS601", "not usable JSON: nested too deeply", None),
    ('{"id": "x", "chip": "A2"} «{»}', "QS601", "not valid JSON: Extra data", None),
    ('«{"id": ' + "9" * 5000 + "}»", "QS606", "an integer has too many digits", None),
    ('«{"chip": "A2"}»', "QS607", "the case has no 'id'", None),
    ('«{"id": "x"}»', "QS607", "the case has no 'chip'", None),
    ('{"id": «7», "chip": "A2"}', "QS603", "'id' must be a string, not 7", None),
    (
        '{"id": «"a\\nb"», "chip": "A2"}',
        "QS603",
        "'id' must be text that can be printed, not \"a\\nb\"",
        None,
    ),
    (
        '{"id": «"\\ud800"», "chip": "A2"}',
        "QS603",
        "'id' must be text that can be printed, not \"\\ud800\"",
        None,
    ),
    (CASE % '«"input"»: {}', "QS602", "unknown key 'input'", "did you mean `inputs`?"),
    (
        CASE % '"stage": «"both"»',
        "QS603",
        '\'stage\' must be "infer", "tiling" or "all"',
        None,
    ),
    (
        CASE % '"attr_count": «15»',
        "QS606",
        "'attr_count' is 15, the operator has 14 attributes",
        None,
    ),
    (CASE % '"attr_count": «true»', "QS603", "'attr_count' must be an integer, not true", None),
    (
        CASE % '"platform": {«"ub_sise"»: 1}',
        "QS602",
        "unknown platform value 'ub_sise'",
        "did you mean `ub_size`?",
    ),
    (CASE % '"platform": {"aic": «-1»}', "QS606", "'aic' must not be negative", None),
    (CASE % '"platform": {"aiv": «4294967296»}', "QS606", "'aiv' must fit 32 bits", None),
    (CASE % '"platform": «[]»', "QS603", "'platform' must be an object, not []", None),
    (
        CASE % '"inputs": {«"qurey"»: null}',
        "QS602",
        "unknown input 'qurey'",
        "did you mean `query`?",
    ),
    (CASE % '"inputs": {"key": «1»}', "QS603", "'key' must be an object, not 1", None),
    (CASE % '"inputs": {"key": «{"dtype": "int8"}»}', "QS607", "'key' has no 'shape'", None),
    (CASE % '"inputs": {"key": «{"shape": []}»}', "QS607", "'key' has no 'dtype'", None),
    (
        CASE % '"inputs": {"key": {"dtype": "int8", "shape": [], «"shap"»: 1}}',
        "QS602",
        "unknown key 'shap'",
        "did you mean `shape`?",
    ),
    (
        CASE % '"inputs": {"key": {"dtype": «"floot8_e5m2"», "shape": []}}',
        "QS604",
        "unknown dtype 'floot8_e5m2'",
        "did you mean `float8_e5m2`",
    ),
    (
        CASE % '"inputs": {"key": {"dtype": «3», "shape": []}}',
        "QS603",
        "'dtype' must be a string, not 3",
        None,
    ),
    (
        CASE % '"inputs": {"key": {"dtype": "int8", "shape": «3»}}',
        "QS603",
        "'shape' must be a list, not 3",
        None,
    ),
    (
        CASE % '"inputs": {"key": {"dtype": "int8", "shape": [1, «2.0»]}}',
        "QS603",
        "'shape' must be an integer, not 2.0",
        None,
    ),
    (
        CASE % '"inputs": {"key": {"dtype": "int8", "shape": «[-3]»}}',
        "QS606",
        "a dim is at least 0, or -1 (unknown); a shape of unknown rank is [-2]",
        None,
    ),
    (
        CASE % '"inputs": {"key": {"dtype": "int8", "shape": «[2, -2]»}}',
        "QS606",
        "a dim is at least 0, or -1 (unknown); a shape of unknown rank is [-2]",
        None,
    ),
    (
        CASE % '"inputs": {"key": {"dtype": "int8", "shape": [«9223372036854775808»]}}',
        "QS606",
        "9223372036854775808 does not fit a 64-bit integer",
        None,
    ),
    (
        CASE % '"inputs": {"key": {"dtype": "int8", "shape": [2], "data": «[1]»}}',
        "QS609",
        "1 elements, but the shape [2] has 2",
        None,
    ),
    (
        CASE % '"inputs": {"key": {"dtype": "int8", "shape": [1], "data": «[0.5]»}}',
        "QS603",
        "0.5 is no element of int8 data",
        None,
    ),
    (
        CASE % '"outputs": {«"attention"»: null}',
        "QS602",
        "unknown output 'attention'",
        "did you mean `attention_out`?",
    ),
    (CASE % '"attrs": {«"tile"»: 1}', "QS602", "unknown attribute 'tile'", "did you mean `tile_size`?"),
    (
        CASE % '"attrs": {"tile_size": «"1"»}',
        "QS603",
        "'tile_size' must be an integer, not \"1\"",
        None,
    ),
    (CASE % '"attrs": {"tile_size": «1.0»}', "QS603", "'tile_size' must be an integer, not 1.0", None),
    (CASE % '"attrs": {"tile_size": «true»}', "QS603", "'tile_size' must be an integer, not true", None),
    (
        CASE % '"attrs": {"tile_size": «9223372036854775808»}',
        "QS606",
        "9223372036854775808 does not fit a 64-bit integer",
        None,
    ),
    (
        CASE % '"attrs": {"scale_value": «"big"»}',
        "QS603",
        "'scale_value' must be a number, not \"big\"",
        None,
    ),
    (CASE % '"attrs": {"layout_kv": «2»}', "QS603", "'layout_kv' must be a string, not 2", None),
    (
        CASE % r'"attrs": {"layout_kv": «"TND\u0000"»}',
        "QS603",
        "'layout_kv' has a NUL character, where the host ends a text",
        None,
    ),
    (
        CASE % '"attrs": {"return_softmax_lse": «0»}',
        "QS603",
        "'return_softmax_lse' must be true or false, not 0",
        None,
    ),
    (
        CASE % '"expect": {«"statis"»: "ok"}',
        "QS602",
        "unknown key 'statis'",
        "did you mean `status`?",
    ),
    (
        CASE % '"expect": {"status": «"good"»}',
        "QS603",
        '\'status\' must be "ok" or "rejected"',
        None,
    ),
]


@pytest.mark.parametrize(("marked", "code", "message", "help"), MALFORMED)
def test_malformed(marked: str, code: str, message: str, help: str | None) -> None:
    start, end = marked.index("«"), marked.index("»") - 1
    calls, diagnostics = read("", marked.replace("«", "").replace("»", ""))
    assert calls == ()
    (diagnostic,) = diagnostics
    assert (diagnostic.code, diagnostic.message) == (code, message)
    assert diagnostic.span is not None
    assert (diagnostic.span.file, diagnostic.span.line, diagnostic.span.end_line) == ("cases.jsonl", 2, 2)
    assert diagnostic.span.column == start + 1
    assert diagnostic.span.end_column == max(end, start + 1) + 1
    if help is not None:
        assert (diagnostic.help or "").startswith(help)


def test_everything_wrong_with_a_case_is_said_at_once() -> None:
    _, diagnostics = read(
        '{"id": 1, "inputs": {"quer": {}, "key": {"shape": [true], "dtype": "int"}}, "attrs": {"x": 1}}'
    )
    assert [d.code for d in diagnostics] == ["QS607", "QS603", "QS602", "QS604", "QS602"]


def test_other_cases_of_the_file_are_read() -> None:
    calls, diagnostics = read(
        '{"id": "a", "chip": "A2"}', "{", '{"id": "a", "chip": "A5"}', '{"id": "b", "chip": "A5"}'
    )
    assert [c.id for c in calls] == ["a", "b"]
    assert [(d.code, d.span.line if d.span else 0) for d in diagnostics] == [("QS601", 2), ("QS605", 3)]
    assert diagnostics[1].message == "the id 'a' is already used on line 1"


def test_list_inputs_do_not_take_one_tensor() -> None:
    line = '{"id": "x", "chip": "A2", "inputs": {"weight": {"dtype": "int8", "shape": [1]}}}'
    _, (diagnostic,) = read(line, operator="grouped_matmul_swiglu_quant_weight_nz_tensor_list")
    assert diagnostic.code == "QS603"
    assert diagnostic.message == "'weight' is a list input: it takes a JSON list of tensors"


@pytest.mark.parametrize("content", [None, b"\xff\xfe{"])
def test_files_that_cannot_be_read(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "cases.jsonl"
    if content is not None:
        path.write_bytes(content)
    sink = Sink()
    assert read_cases(str(path), evaluator(QSFA).operator, sink) == ()
    assert [d.code for d in sink] == ["QS608"]
