"""``new``, ``schema``, ``explain``, ``completion``, ``show`` and ``call``."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli_tools import ROOT, Done, Program, process

SPEC = Path("spec/add_example.yaml")

# --------------------------------------------------------------------------- new


@pytest.mark.parametrize(
    ("name", "file", "operator"),
    [
        ("AddOther", "add_other.yaml", "AddOther"),
        ("add_other", "add_other.yaml", "AddOther"),
        ("StoreKVBlock", "store_kv_block.yaml", "StoreKVBlock"),
        ("x", "x.yaml", "X"),
    ],
)
def test_a_new_spec_builds_as_it_is(
    project: Path, program: Program, name: str, file: str, operator: str
) -> None:
    done = program("new", name)
    assert (done.status, done.err) == (0, "")
    assert done.out == f"spec/{file}: written; next: qsfa-codegen build spec/{file}\n"
    assert f"  name: {operator}\n" in Path("spec", file).read_text()
    built = program("build", f"spec/{file}")
    assert (built.status, built.err) == (0, "")


def test_a_spec_is_not_overwritten(project: Path, program: Program) -> None:
    SPEC.write_text("mine")
    done = program("new", "AddExample")
    assert (done.status, "exists" in done.err, SPEC.read_text()) == (2, True, "mine")


@pytest.mark.parametrize("name", ["", "../x", "a b", "1x", "_x", "ä", "x" * 65, "x;rm", "x\n"])
def test_names_that_no_operator_can_have(project: Path, program: Program, name: str) -> None:
    done = program("new", name)
    assert (done.status, "cannot be an operator's name" in done.err) == (2, True)
    assert [path.name for path in Path("spec").iterdir()] == ["add_example.yaml"]


def test_the_schema_is_named_where_the_editor_finds_it(
    project: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = "# yaml-language-server: $schema={}\n"
    assert SPEC.read_text().startswith(first.format("operator.schema.json"))
    schema = Path("qsfa_codegen/spec/schema/operator.schema.json")
    schema.parent.mkdir(parents=True)
    schema.touch()
    program("new", "Other", "--folder", "deep/specs")
    named = f"../../{schema.as_posix()}"
    text = Path("deep/specs/other.yaml").read_text()
    assert text.startswith(first.format(named))
    assert "qsfa-codegen schema" not in text


def test_the_spec_says_how_the_schema_gets_there(project: Path, program: Program) -> None:
    command = "qsfa-codegen schema > spec/operator.schema.json"
    assert SPEC.read_text().split("\n")[1].endswith(command)
    Path("spec/operator.schema.json").write_text(program("schema").out)
    program("new", "Other")
    assert command not in Path("spec/other.yaml").read_text()
    assert program("validate").status == 0


# --------------------------------------------------------------------------- schema, explain, completion


@pytest.mark.parametrize(
    ("arguments", "key"), [([], "inputs"), (["operator"], "inputs"), (["chips"], "chips")]
)
def test_schema(program: Program, arguments: list[str], key: str) -> None:
    done = program("schema", *arguments)
    assert done.status == 0
    assert key in json.loads(done.out)["properties"]


def test_explain(program: Program) -> None:
    done = program("explain", "qs305")
    assert done.status == 0
    assert done.out.startswith("QS305: A case that the selector does not have\n\n")
    assert "\n      step: {by: t, of: {float16: 16, float17: 32, else: 8}}\n" in done.out


def test_explain_names_near_codes(program: Program) -> None:
    assert "no diagnostic is called QS9011" in program("explain", "QS9011").err
    assert "`QS901`?" in program("explain", "QS9011").err


def test_explain_lists_all_codes(program: Program) -> None:
    done = program("explain")
    assert "QS901  A generated file was edited by hand\n" in done.out
    lines = done.out.splitlines()
    assert lines == sorted(lines)
    titles = [line.split("  ", 1)[1] for line in lines]
    assert [title for title in titles if title[0].islower() or title[-1] == "."] == [
        "torch returns something that is no output"
    ]


def test_bash_completes_commands_and_options(project: Path) -> None:
    script = process("completion", "bash").out
    Path("qsfa-codegen").write_text(
        f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m qsfa_codegen "$@"\n'
    )
    Path("qsfa-codegen").chmod(0o755)
    asked = (
        f"PATH=$PWD:$PATH\n{script}\n"
        "COMP_WORDS=(qsfa-codegen va); COMP_CWORD=1; _qsfa_codegen_completion qsfa-codegen\n"
        "echo ${COMPREPLY[@]}\n"
        "COMPREPLY=()\n"
        "COMP_WORDS=(qsfa-codegen build --ch); COMP_CWORD=2; _qsfa_codegen_completion qsfa-codegen\n"
        "echo ${COMPREPLY[@]}\n"
    )
    done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout == "validate\n--check\n"


@pytest.mark.parametrize(
    ("shell", "word"), [("zsh", "#compdef qsfa-codegen"), ("fish", "complete --no-files")]
)
def test_other_shells_have_scripts(program: Program, shell: str, word: str) -> None:
    assert word in program("completion", shell).out


# --------------------------------------------------------------------------- show

_SHOWN = """\
AddExample (math)
Multiplies each row by a factor and adds a bias.

aclnn: aclnnAddExample

chip  SoC         arch    AIC  AIV  products
----  ----------  ------  ---  ---  ------------------------------------------------------
A2    ascend910b  arch22  24   48   Atlas A2 training products/Atlas A2 inference products

=== A2 ===

dtype rows
t
-------
float16
float32

inputs
#  name  presence  dtype             shape   meaning
-  ----  --------  ----------------  ------  ------------------------------------------------------
0  x     required  float32, float16  [N, D]  Rows to scale.
1  bias  optional  float32, float16  [D]     Added to each row; nothing is added when it is absent.

attributes
#  name    type   registered  default  accepted             meaning
-  ------  -----  ----------  -------  -------------------  ---------------------------
0  factor  float  optional    1.0      any finite number    Factor of each element.
1  mode    int    optional    0        0 (exact), 1 (fast)  How the product is rounded.

outputs
#  name  dtype             shape   meaning
-  ----  ----------------  ------  --------------------------
0  y     float32, float16  [N, D]  Result, of the shape of x.

dims
name  accepted                     meaning
----  ---------------------------  -----------------
N     ≥ 0                          rows
D     1 to 8192, a multiple of 16  elements of a row

constraints
id                      parameter  when       rule
----------------------  ---------  ---------  ----------------------------------------------------------
fast_needs_whole_lines  x          mode is 1  must have rows of a multiple of 32 elements when mode is 1
"""


@pytest.mark.parametrize("chip", ["A2", "ascend910b"])
def test_show_one_chip(project: Path, program: Program, chip: str) -> None:
    done = program("show", SPEC, "--chip", chip)
    assert (done.status, done.err) == (0, "")
    assert done.out == _SHOWN


def test_show_leaves_out_what_is_settled_on_a_chip(project: Path, program: Program) -> None:
    rules = """constraints:
  - {id: only_a2, when: chip == "A2", require: D % 32 == 0, blame: x}
  - {id: not_a2, when: chip != "A2", require: D % 64 == 0, blame: x}
"""
    SPEC.write_text(SPEC.read_text().replace("constraints:\n", rules))
    lines = [line.split() for line in program("show", SPEC, "--chip", "A2").out.splitlines()]
    (row,) = [line for line in lines if line[:1] in (["only_a2"], ["not_a2"])]
    assert row[0] == "only_a2"
    assert not {"true", "false"} & set(row)


def test_show_leaves_out_what_derived_values_settle_on_a_chip(project: Path, program: Program) -> None:
    derived = """let:
  most: {by: chip, of: {A2: 4096, else: 2048}}
  slow: chip == A2
constraints:
  - {id: few, require: D <= most, blame: x}
  - {id: sluggish, when: slow, require: D >= 32, blame: x}
"""
    SPEC.write_text(SPEC.read_text().replace("constraints:\n", derived))
    rows = {
        chip: [
            line.split()
            for line in program("show", SPEC, "--chip", chip).out.splitlines()
            if line.startswith(("few ", "sluggish "))
        ]
        for chip in ("A2", "A3")
    }
    assert rows["A2"] == [
        ["few", "x", *["D", "is", "at", "most", "4096"]],
        ["sluggish", "x", *["D", "is", "at", "least", "32"]],
    ]
    assert rows["A3"] == [["few", "x", *["D", "is", "at", "most", "2048"]]]


def test_show_puts_equal_chips_together(project: Path, program: Program) -> None:
    done = program("show", SPEC)
    assert "\n=== A2, A3 ===\n" in done.out
    assert done.out.count("===") == 2
    SPEC.write_text(SPEC.read_text().replace("max: 8192", "max: {by: chip, of: {A2: 8192, A3: 4096}}"))
    done = program("show", SPEC)
    assert "D     1 to 8192, a multiple of 16" in done.out.split("=== A3 ===")[0]
    assert "D     1 to 4096, a multiple of 16" in done.out.split("=== A3 ===")[1]


def test_show_in_chinese(project: Path, program: Program) -> None:
    shown = program("show", SPEC, "--lang", "zh").out
    assert "各行乘以系数并叠加偏置。\n" in shown
    assert f"\n名称  取值{' ' * 20}含义\n" in shown
    assert "\nD     [1, 8192]，16 的整数倍  每行元素数\n" in shown


def test_show_keeps_to_the_width(project: Path, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert max(len(line) for line in program("show", SPEC).out.splitlines()) == 80


# --------------------------------------------------------------------------- call

_CASE = {
    "id": "plain",
    "chip": "A2",
    "inputs": {"x": {"dtype": "float16", "shape": [3, 64]}},
    "expect": {"status": "ok", "outputs": {"y": {"dtype": "float16", "shape": [3, 64]}}},
}
_BAD_CASE = {"id": "bad", "chip": "A2", "inputs": {"x": {"dtype": "int8", "shape": [3, 63]}}}


def _cases(*cases: object) -> Path:
    path = Path("cases.jsonl")
    path.write_text("".join(f"{json.dumps(case)}\n" for case in cases))
    return path


def test_call_prints_a_line_of_json_for_each_case(project: Path, program: Program) -> None:
    done = program("call", SPEC, _cases(_CASE, _BAD_CASE))
    assert (done.status, done.err) == (0, "")
    plain, bad = map(json.loads, done.out.splitlines())
    assert (plain["id"], plain["status"], plain["outputs"]["y"]["shape"]) == ("plain", "ok", [3, 64])
    assert (bad["id"], bad["status"]) == ("bad", "rejected")
    assert [found["constraint"] for found in bad["violations"]] == ["x_dtype", "D_value"]


def test_call_as_text(project: Path, program: Program) -> None:
    done = program("call", SPEC, _cases(_CASE, _BAD_CASE), "--format", "text")
    assert done.out.startswith("plain: ok; y float16 [3, 64]")
    assert "\nbad: rejected at " in done.out


def test_call_reads_stdin(project: Path) -> None:
    done = process("call", SPEC, "-", input=json.dumps(_CASE))
    assert (done.status, json.loads(done.out)["status"]) == (0, "ok")


@pytest.mark.parametrize("form", ["json", "text"])
def test_an_expectation_that_does_not_hold(project: Path, program: Program, form: str) -> None:
    wrong = {**_CASE, "expect": {"status": "rejected"}}
    done = program("call", SPEC, _cases(wrong), "--format", form)
    assert done.status == 1
    assert "status: expected" in done.out


def test_cases_that_cannot_be_read(project: Path, program: Program) -> None:
    Path("cases.jsonl").write_text('{"id": "x"\n')
    done = program("call", SPEC, "cases.jsonl")
    assert (done.status, done.out) == (2, "")
    assert "cases.jsonl:1:" in done.err
    assert "error[QS601]" in done.err


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_a_file_without_a_call(project: Path, program: Program, text: str) -> None:
    Path("cases.jsonl").write_text(text)
    assert program("call", SPEC, "cases.jsonl") == Done(0, "", "cases.jsonl: there is no call in it\n")


def test_ids_do_not_speak_to_the_terminal(project: Path, program: Program) -> None:
    done = program("call", SPEC, _cases({**_CASE, "id": "a\x1b[31m\nb"}), "--format", "text")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("cases.jsonl:1:8: error[QS603]: 'id' must be text that can be printed, not ")
    assert "\x1b" not in done.err


def test_a_stage_alone(project: Path, program: Program) -> None:
    unknown = {"id": "u", "chip": "A2", "inputs": {"x": {"dtype": "float16", "shape": [-2]}}}
    done = program("call", SPEC, _cases(unknown), "--stage", "infer")
    assert json.loads(done.out)["outputs"]["y"]["shape"] == [-2]
    assert json.loads(program("call", SPEC, "cases.jsonl", "--stage", "tiling").out)["status"] == "rejected"


def test_known_answers_of_the_first_operator(program: Program) -> None:
    spec = ROOT / "spec/kv_quant_sparse_flash_attention.yaml"
    done = program("call", spec, ROOT / "tests/contract/qsfa_known.jsonl")
    assert (done.status, done.err) == (0, "")
    assert len(done.out.splitlines()) == 10
