"""``emulate`` with a naive kernel that is right, and with versions that have one fault each."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.cli_tools import ROOT, Done, Program, process
from tests.emulate.calls import HEADER, NAIVE, SPEC, case, line, naive_with, written

LAYOUTS = [("BSND", "BSND"), ("BSND", "PA_BSND"), ("TND", "TND"), ("TND", "PA_BSND")]


def emulate(program: Program, cases: Path, *options: str | Path, kernel: Path = NAIVE) -> Done:
    return program("emulate", SPEC, cases, "--kernel", kernel, "--jobs", "2", *options)


def objects(done: Done) -> list[dict[str, Any]]:
    return [json.loads(text) for text in done.out.splitlines()]


# --------------------------------------------------------------------------- a right kernel


def test_a_right_kernel_in_every_layout(program: Program, tmp_path: Path) -> None:
    """Half of them in each dtype: a layout with a dtype is a program to compile."""
    dtypes = dict(zip(LAYOUTS, ("float16", "bfloat16", "bfloat16", "float16"), strict=True))
    cases = [
        case(f"{'_'.join(layouts)}_{rope}", half=dtypes[layouts], layouts=layouts, rope=rope, heads=2)
        for layouts, rope in product(LAYOUTS, (0, 64))
    ]
    done = emulate(program, written(tmp_path, *cases))
    *lines, total = done.out.splitlines()
    assert total == (
        "kv_quant_sparse_flash_attention on A2: 8 cases, 4 variants of the kernel: 8 right, 0 wrong"
    )
    assert [text.partition(":")[0] for text in lines] == [str(one["id"]) for one in cases]
    assert all(": right; attention_out off by up to " in text for text in lines)
    assert all("softmax_max off by" in text and "softmax_sum off by" in text for text in lines)
    assert done.status == 0
    assert "[QS" not in done.err


def test_the_same_seed_gives_the_same_run_and_another_one_another(program: Program, tmp_path: Path) -> None:
    cases = written(tmp_path, case())
    runs = [emulate(program, cases, "--seed", seed).out for seed in ("1", "1", "2")]
    assert runs[0] == runs[1] != runs[2]


def test_data_that_a_case_gives_is_used(program: Program, tmp_path: Path) -> None:
    """Without a valid entry nothing is attended to: every output is exactly 0, and so is the sum."""
    empty = case()
    empty["inputs"]["sparse_indices"]["data"] = [-1] * 12  # type: ignore[index]
    done = emulate(program, written(tmp_path, empty), "--format", "json")
    (found,) = objects(done)
    assert [(output["got"], output["want"], output["error"]) for output in found["outputs"]] == [
        (0, 0, 0)
    ] * 3


def test_cores_counts_and_trace(program: Program, tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    done = emulate(program, written(tmp_path, case()), "--cores", "1", "--counts", "--trace", trace)
    assert done.status == 0
    assert "  aiv0: instructions S " in done.out
    assert "scalar reads of GM" in done.out
    assert f"{trace}: the timeline of small" in done.err
    events = json.loads(trace.read_text())["traceEvents"]
    names = {event["args"]["name"] for event in events if event.get("name") == "process_name"}
    assert names == {"aic0", "aiv0", "aiv1"}


def test_counts_in_json_are_of_each_core(program: Program, tmp_path: Path) -> None:
    done = emulate(program, written(tmp_path, case()), "--cores", "2", "--counts", "--format", "json")
    (found,) = objects(done)
    assert found["status"] == "right"
    assert list(found["cores"]) == ["aic0", "aiv0", "aiv1", "aic1", "aiv2", "aiv3"]
    assert found["cores"]["aiv0"]["scalar_gm_reads"] > 0
    assert found["cores"]["aiv1"]["scalar_gm_reads"] == 0


def test_random_orders(program: Program, tmp_path: Path) -> None:
    done = emulate(program, written(tmp_path, case()), "--schedule", "random", "--seed", "5")
    assert done.status == 0


# --------------------------------------------------------------------------- faults

FAULTS = {
    "FAULT_BOUNDS": ("QS721", "bounds", "GetValue reads bytes"),
    "FAULT_RACE": ("QS731", "race", "nothing orders the two"),
    "FAULT_HANG": ("QS729", "hang", "aic0 waits in line"),
}
"""Of each fault the code, the mark of the line and a part of the message."""


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_with_the_line_of_the_kernel(fault: str, program: Program, tmp_path: Path) -> None:
    code, mark, said = FAULTS[fault]
    kernel = naive_with(fault, tmp_path)
    done = emulate(program, written(tmp_path, case()), kernel=kernel)
    assert done.status == 1
    assert f"{kernel / HEADER}:{line(mark)}:" in done.err
    assert f"error[{code}]" in done.err
    assert said in done.err
    assert f"// {mark}" in done.err  # the line itself
    assert done.out.splitlines()[-1].endswith(": 0 right, 1 wrong")


def test_a_wrong_result_is_told_with_its_place(program: Program, tmp_path: Path) -> None:
    kernel = naive_with("FAULT_RESULT", tmp_path)
    done = emulate(program, written(tmp_path, case()), kernel=kernel)
    assert done.status == 1
    assert "error[QS710]: small: attention_out[" in done.err
    assert ", 7] is 3; expected: " in done.err
    assert "; 4 of 2,048 elements are wrong, the largest error is " in done.err
    again = json.loads(next(text for text in done.out.splitlines() if text.startswith("{")))
    assert again == case()


def test_what_several_cases_find_in_a_line_is_told_once(program: Program, tmp_path: Path) -> None:
    kernel = naive_with("FAULT_RACE", tmp_path)
    cases = written(tmp_path, case("one"), case("two", heads=2), case("three"))
    done = emulate(program, cases, kernel=kernel)
    assert done.err.count("error[QS731]") == 1
    assert "; in 3 of 3 cases, first in one" in done.err


def test_findings_for_code_scanning_and_annotations(program: Program, tmp_path: Path) -> None:
    kernel = naive_with("FAULT_RACE", tmp_path)
    cases = written(tmp_path, case())
    sarif = json.loads(emulate(program, cases, "--format", "sarif", kernel=kernel).out)
    (result,) = sarif["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (result["ruleId"], place["region"]["startLine"]) == ("QS731", line("race"))
    github = emulate(program, cases, "--format", "github", kernel=kernel).out
    assert github.startswith("::error ")
    assert f"line={line('race')}," in github


# --------------------------------------------------------------------------- what cannot be run


def test_calls_that_host_code_rejects_are_not_launched(program: Program, tmp_path: Path) -> None:
    done = emulate(program, written(tmp_path, case("three_heads", heads=3)))
    assert done.status == 0
    assert done.out.startswith("three_heads: not launched: query: Q_N is 3; expected: ")


def test_a_case_that_is_not_there(program: Program, tmp_path: Path) -> None:
    done = emulate(program, written(tmp_path, case()), "--only", "large")
    assert (done.status, done.out) == (2, "")
    assert "there is no case large for A2" in done.err


def test_a_case_takes_too_long(program: Program, tmp_path: Path) -> None:
    done = emulate(program, written(tmp_path, case()), "--limit", "0.001")
    assert done.status == 3
    assert (
        "error[QS923]: kernel kv_quant_sparse_flash_attention cannot be run: it does not end within"
        in done.err
    )
    assert done.out.splitlines()[-1].endswith("0 right, 0 wrong, 1 failed")


def test_a_chip_without_a_kernel(program: Program, tmp_path: Path) -> None:
    """The family's kernel for a chip is there when the plan for it has the kernel's parameters."""
    before, plan = SPEC.read_text().split("    arch35:\n      tile_rows:")
    spec = tmp_path / SPEC.name
    other = "    arch35: {rows: {value: 128, en: rows, zh: 行数}}\n"
    spec.write_text(before + other + plan[plan.index("\nreference:") :])
    done = program("emulate", spec, "--chip", "A5")
    assert (done.status, done.out) == (3, "")
    assert (
        "error[QS702]: there is no kernel of kv_quant_sparse_flash_attention for A5 (arch35) yet" in done.err
    )


def test_a_chip_that_is_not_supported(program: Program) -> None:
    done = program("emulate", SPEC, "--chip", "A310P")
    assert done.status == 2
    assert "KvQuantSparseFlashAttention does not support A310P; it supports A2, A3, A5" in done.err


@pytest.mark.parametrize("spec", ["add_rms_norm_bias", "lightning_indexer", "rms_norm_dynamic_quant"])
def test_a_spec_without_a_kernel(spec: str, program: Program) -> None:
    done = program("emulate", ROOT / f"spec/{spec}.yaml")
    assert (done.status, done.out) == (3, "")
    assert f"error[QS701]: {spec} has no kernel that can be run" in done.err


def test_no_compiler(program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    done = emulate(program, written(tmp_path, case()))
    assert done.status == 3
    assert "error[QS921]: CXX is 'no-such-compiler'" in done.err


def test_a_compiler_that_is_no_command(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", "g++ 'x")
    done = emulate(program, written(tmp_path, case()))
    assert done.status == 3
    assert "error[QS921]: CXX is g++ 'x, which is no command: no closing quotation" in done.err


def test_a_kernel_that_does_not_compile(program: Program, tmp_path: Path) -> None:
    kernel = naive_with("FAULT_NONE", tmp_path)
    header = kernel / HEADER
    header.write_text(header.read_text().replace("void Process()", "void Proces()"))
    done = emulate(program, written(tmp_path, case()), kernel=kernel)
    assert done.status == 3
    assert "error[QS922]" in done.err
    assert "Process" in done.err


def test_no_numpy(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("raise ImportError(\"No module named 'numpy'\", name='numpy')\n")
    path = f"{tmp_path}:{ROOT}"
    done = process("emulate", SPEC, "--kernel", NAIVE, env={"PYTHONPATH": path})
    assert (done.status, done.out) == (3, "")
    assert "error[QS703]: emulate needs numpy, which is not installed" in done.err
    assert "pip install 'qsfa-codegen[emulate]'" in done.err


BROKEN_DATA = {
    "prefix sums": (
        "actual_seq_lengths_kv",
        [5, 3],
        "holds prefix sums: between 0 and KV_T, never decreasing",
    ),
    "a length": (
        "actual_seq_lengths_query",
        [2, 5],
        "holds prefix sums: between 0 and Q_T, never decreasing",
    ),
    "the order of a list": ("sparse_indices", [-1, 0, 0] * 4, "every entry after them is -1"),
    "an entry": ("sparse_indices", [0, 5, -1] * 4, "is below the KV length of its batch"),
}


@pytest.mark.parametrize("what", BROKEN_DATA)
def test_data_that_breaks_a_rule_is_refused(what: str, program: Program, tmp_path: Path) -> None:
    name, data, said = BROKEN_DATA[what]
    wrong = case(layouts=("TND", "TND"))
    wrong["inputs"][name]["data"] = data  # type: ignore[index]
    done = emulate(program, written(tmp_path, wrong))
    assert done.status == 0
    first, total = done.out.splitlines()
    assert first.startswith("small: not launched: its data breaks a rule: ")
    assert said in first
    assert total.endswith("0 right, 0 wrong, 1 not launched")


def test_a_block_that_is_not_in_the_cache_is_refused(program: Program, tmp_path: Path) -> None:
    wrong = case(layouts=("BSND", "PA_BSND"))
    wrong["inputs"]["block_table"]["data"] = [0, -1, 4, -1]  # type: ignore[index]
    done = emulate(program, written(tmp_path, wrong))
    assert (
        "small: not launched: its data breaks a rule: Each entry of block_table that a batch uses names"
        in done.out
    )


def test_tensors_that_are_too_large_are_refused(program: Program, tmp_path: Path) -> None:
    large = case(layouts=("BSND", "PA_BSND"))
    large["inputs"]["key"]["shape"] = large["inputs"]["value"]["shape"] = [400000, 16, 1, 528]  # type: ignore[index]
    done = emulate(program, written(tmp_path, large))
    assert (done.status, done.out.splitlines()[0]) == (
        0,
        "small: not launched: it takes about 50.6 GiB of memory; at most 8 GiB are used",
    )


@pytest.mark.parametrize(
    ("dtype", "element", "said"),
    [
        ("int8", 256, "key: 256 is none of the bytes of int8, which are whole numbers from -128 to 255"),
        ("int8", -129, "key: -129 is none of the bytes of int8"),
    ],
)
def test_data_that_a_dtype_cannot_store_is_refused(
    dtype: str, element: int, said: str, program: Program, tmp_path: Path
) -> None:
    wrong = case()
    wrong["inputs"]["key"] = {"dtype": dtype, "shape": [2, 4, 1, 528], "data": [element] * 8 * 528}  # type: ignore[index]
    done = emulate(program, written(tmp_path, wrong))
    assert done.status == 0
    assert done.out.startswith(f"small: not launched: its data breaks a rule: {said}")


def test_an_entry_below_minus_one_is_refused(program: Program, tmp_path: Path) -> None:
    wrong = case()
    wrong["inputs"]["sparse_indices"]["data"] = [-2] * 12  # type: ignore[index]
    done = emulate(program, written(tmp_path, wrong))
    assert "is below the KV length of its batch" in done.out


def test_numbers_that_are_none(program: Program, tmp_path: Path) -> None:
    """NaN must come out where it must; numpy has nothing to say of it."""
    special = case(heads=2)
    special["inputs"]["query"]["data"] = [["nan"] * 512, [1e300] * 512] * 4  # type: ignore[index]
    done = emulate(program, written(tmp_path, special))
    assert done.out.startswith("small: right; attention_out off by up to 0, 0% of")
    assert "RuntimeWarning" not in done.err


def test_more_cores_than_are_emulated(program: Program, tmp_path: Path) -> None:
    done = emulate(program, written(tmp_path, case()), "--cores", "257")
    assert done.out.startswith("small: not launched: its block dimension is 257; at most 256 are emulated")


@pytest.mark.parametrize("limit", ["0", "-1", "nan", "inf"])
def test_a_limit_that_is_none(limit: str, program: Program, tmp_path: Path) -> None:
    done = emulate(program, written(tmp_path, case()), "--limit", limit)
    assert (done.status, done.out) == (2, "")
    assert "--limit takes seconds above 0" in done.err


def test_a_trace_that_cannot_be_written(program: Program, tmp_path: Path) -> None:
    cases = written(tmp_path, case())
    done = emulate(program, cases, "--trace", tmp_path / "none/trace.json")
    assert (done.status, done.out) == (2, "")
    assert f"--trace: there is no folder {tmp_path / 'none'}" in done.err
    done = emulate(program, cases, "--trace", "/dev/full")
    assert done.status == 2
    assert "Error: /dev/full cannot be written: No space left on device" in done.err


def test_cases_and_derived_calls_at_once(program: Program, tmp_path: Path) -> None:
    done = emulate(program, written(tmp_path, case()), "--derived", "3")
    assert (done.status, done.out) == (2, "")
    assert "--derived makes calls where there are no CASES" in done.err


def test_a_seed_of_any_size(program: Program, tmp_path: Path) -> None:
    cases = written(tmp_path, case())
    for seed in ("-1", str(10**30)):
        assert emulate(program, cases, "--schedule", "random", "--seed", seed).status == 0


# --------------------------------------------------------------------------- the folder of --kernel


@pytest.mark.parametrize(
    "name", ["", "op_kernel/arch22/kv_quant_sparse_flash_attention_kernel.h", "arch35/a.h"]
)
def test_a_folder_with_nothing_for_the_kernel(name: str, program: Program, tmp_path: Path) -> None:
    kernel = tmp_path / "kernel"
    (kernel / name).parent.mkdir(parents=True, exist_ok=True)
    kernel.mkdir(exist_ok=True)
    if name:
        (kernel / name).write_text("// mine\n")
    done = emulate(program, written(tmp_path, case()), kernel=kernel)
    assert (done.status, done.out) == (3, "")
    assert f"error[QS706]: no file in {kernel} is one that the kernel of" in done.err
    assert "it replaces files such as arch22/kv_quant_sparse_flash_attention_" in done.err


def test_a_source_that_is_no_text(program: Program, tmp_path: Path) -> None:
    kernel = naive_with("FAULT_NONE", tmp_path)
    (kernel / "arch22/other.h").write_bytes(b"// one\n// \xff\n")
    done = emulate(program, written(tmp_path, case()), kernel=kernel)
    assert (done.status, done.out) == (3, "")
    assert f"{kernel}/arch22/other.h:2:4: error[QS706]" in done.err
    assert "byte 0xff is not UTF-8" in done.err
