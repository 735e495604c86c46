"""The generated host code gives known answers, and says of every derived call what the contract says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call, Stage, TensorArg
from qsfa_codegen.contract.case_reader import read_cases
from qsfa_codegen.contract.derive import derive
from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.contract.run import Outcome, exit_status, run_both, run_second
from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.host.build import STRICT, build
from qsfa_codegen.host.engine import HostEngine, host_files
from qsfa_codegen.spec.load import analyse_text, load
from tests.contract import qsfa_calls
from tests.host.programs import QSFA, ROOT, SPECS, edited, engine, evaluator, operator, paged

KNOWN = ROOT / "tests" / "contract" / "qsfa_known.jsonl"


# --------------------------------------------------------------------------- known answers


def known() -> list[tuple[Call, dict[str, Any]]]:
    """The recorded calls, and what was recorded of them."""
    sink = Sink()
    calls = read_cases(str(KNOWN), operator(QSFA), sink)
    assert not sink.failed
    expected = [json.loads(line)["expect"] for line in KNOWN.read_text(encoding="utf-8").splitlines()]
    return list(zip(calls, expected, strict=True))


def test_known_answers_come_out_as_they_were_recorded() -> None:
    cases = known()
    assert len(cases) == 10
    with engine(QSFA) as host:
        results = list(host.results(call for call, _ in cases))
    for (call, expected), result in zip(cases, results, strict=True):
        assert result.fault == ""
        assert ("ok" if result.ok else "rejected") == expected["status"], call.id
        for name, tensor in expected.get("outputs", {}).items():
            assert list(result.outputs[name].shape) == tensor["shape"]
        wanted = expected.get("tiling")
        if wanted is not None:
            assert result.tiling is not None
            assert result.tiling.bytes is not None
            assert result.tiling.key == wanted["key"]
            assert result.tiling.workspace == tuple(wanted.get("workspace", result.tiling.workspace))
            assert result.tiling.bytes.hex() == wanted.get("bytes", result.tiling.bytes.hex())


def test_a_known_call_has_the_data_of_the_contract_page() -> None:
    with engine(QSFA) as host:
        (result,) = host.results([paged("paged")])
    tiling = result.tiling
    assert tiling is not None
    assert tiling.bytes is not None
    words = [int.from_bytes(tiling.bytes[i : i + 8], "little") for i in range(0, len(tiling.bytes), 8)]
    assert words == [
        *(2199023255554, 64, 16, 8589934624, 4410436851802832898, 8, 3, 16, 128, 656, 0, 0),
        *(40532396646334464, 262144, 64, 316659348865024, 2199023255560),
    ]
    assert (tiling.key, tiling.block_dim, tiling.schedule_mode) == (1154, 64, 1)
    assert tiling.workspace == (293928960,)
    assert tiling.data is not None
    assert tiling.data["singleCoreParams"] == {"usedCoreNum": 64}
    assert result.outputs == {
        "attention_out": TensorArg("bfloat16", (2, 64, 8, 512)),
        "softmax_max": TensorArg("float32", (0,)),
        "softmax_sum": TensorArg("float32", (0,)),
    }


# --------------------------------------------------------------------------- against the contract


def wrong(outcomes: Sequence[Outcome]) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    return [(o.call.id, o.differences, o.disagreements) for o in outcomes if not o.fulfilled]


@pytest.mark.parametrize("name", SPECS)
def test_engines_agree_on_every_derived_call(name: str) -> None:
    calls = derive(operator(name), evaluator(name)).calls
    with engine(name) as host:
        both = list(run_both(evaluator(name), host, calls))
        alone = list(run_second(host, calls))
    assert len(both) == len(calls) > 50
    assert wrong(both) == []
    assert exit_status(both) == 0
    assert wrong(alone) == []


def test_engines_agree_about_an_operator_with_oddities() -> None:
    odd = load(Path(__file__).with_name("odd_operator.yaml"), ROOT / "spec" / "chips.yaml")
    contract = Evaluator(odd)
    calls = derive(odd, contract).calls
    with HostEngine(odd, build(host_files(odd), STRICT)) as host:
        both = list(run_both(contract, host, calls))
    assert wrong(both) == []
    accepted = {(call.chip, call.attrs.get("layout", "ROWS")) for call in calls if call.id.find("_ok_") > 0}
    assert accepted == {(chip, layout) for chip in ("A2", "A5") for layout in ("ROWS", "BLOCKS")}


def test_derived_calls_reach_every_rule_of_the_host_code() -> None:
    calls = derive(operator(QSFA), evaluator(QSFA)).calls
    with engine(QSFA) as host:
        met = {v.constraint for result in host.results(calls) for v in result.violations}
    # Pages are multiples of 16 tokens, which every accepted sparse block divides.
    assert met >= {check.id for check in operator(QSFA).checks} - {"paging_divides"}
    assert "unexplained" not in met


def test_an_absent_input_is_not_taken_for_the_next_one() -> None:
    case = qsfa_calls.changed_case(qsfa_calls.paged(), value=None)
    with engine(QSFA) as host:
        (result,) = host.results([qsfa_calls.parsed(case)], Stage.TILING)
    assert [v.constraint for v in result.violations] == ["value_presence"]


def test_a_long_text_does_not_push_the_id_out_of_the_message() -> None:
    with engine(QSFA) as host:
        results = list(host.results([paged("long", layout_kv="x" * 5000)]))
        results += host.results([paged("long", layout_kv="x" * 5000)], Stage.TILING)
    assert [v.constraint for r in results for v in r.violations] == ["layout_kv_value"] * 2


def test_a_chip_without_a_configuration_is_rejected_at_every_stage() -> None:
    case = qsfa_calls.parsed(qsfa_calls.changed_case(qsfa_calls.paged(), chip="A310P"))
    with engine(QSFA) as host:
        for stage in (None, Stage.INFER, Stage.TILING):
            (result,) = host.results([case], stage)
            assert [v.constraint for v in result.violations] == ["chip"]
            assert result.stage is (stage or Stage.INFER)


def test_allocated_outputs_are_compared_with_what_is_inferred() -> None:
    right = {"attention_out": TensorArg("bfloat16", (2, 64, 8, 512))}
    wrong = {"attention_out": TensorArg("bfloat16", (2, 64, 8, 576))}
    call = paged("allocated")
    with engine(QSFA) as host:
        fine, off = host.results([replace(call, outputs=right), replace(call, outputs=wrong)])
    assert fine.ok
    assert [(v.constraint, v.parameter) for v in off.violations] == [("attention_out_shape", "attention_out")]


# --------------------------------------------------------------------------- both forms, sanitizers


def test_the_macro_form_gives_the_bytes_of_the_plain_form() -> None:
    plain = operator(QSFA)
    assert plain.tiling is not None
    assert plain.tiling.data is not None
    tiling = replace(plain.tiling, data=replace(plain.tiling.data, style="macro"))
    macro = replace(plain, tiling=tiling)
    files = host_files(macro)
    assert "BEGIN_TILING_DATA_DEF" in files[f"op_host/{QSFA}_tiling.h"]
    calls = [call for call in derive(plain, evaluator(QSFA)).calls if call.stage is not Stage.INFER]
    with engine(QSFA) as host, HostEngine(macro, build(files, STRICT)) as other:
        ours, theirs = list(host.results(calls)), list(other.results(calls))
    assert ours == theirs
    assert sum(result.tiling is not None for result in ours) > 50


def test_sanitizers_find_nothing_in_the_derived_calls() -> None:
    calls = derive(operator(QSFA), evaluator(QSFA)).calls
    with engine(QSFA, sanitize=True) as host:
        assert [result.fault for result in host.results(calls) if result.fault] == []


def test_sanitizers_stop_a_call_that_leaves_its_buffer() -> None:
    files = edited(
        QSFA,
        f"op_host/{QSFA}_tiling.cpp",
        {
            "    params = {};\n": "    params = {};\n"
            "    auto *buffer = static_cast<uint8_t *>(context_->GetRawTilingData()->GetData());\n"
            "    std::memset(buffer + 2040, 0, static_cast<size_t>(attrs_.sparseBlockSize));\n"
        },
    )
    calls = [paged("inside", sparse_block_size=8), paged("outside"), paged("after", sparse_block_size=1)]
    with HostEngine(operator(QSFA), build(files, STRICT, sanitize=True)) as host:
        inside, outside, after = host.results(calls)
    assert (inside.ok, after.ok) == (True, True)
    assert outside.fault.startswith("the sanitizer stopped it: ")
    assert "AddressSanitizer: heap-buffer-overflow" in outside.fault


# --------------------------------------------------------------------------- the definition


def test_the_definition_says_what_the_contract_page_says() -> None:
    with engine(QSFA) as host:
        told = host.definition
    assert told["type"] == "KvQuantSparseFlashAttention"
    required, optional = ["REQUIRED"] * 4, ["OPTIONAL"] * 5
    assert [i["type"] for i in told["inputs"]] == required + optional
    assert told["inputs"][2]["follow"] == "key"
    assert [(a["name"], a["type"], a["kind"], a["default"]) for a in told["attrs"]] == [
        ("scale_value", "REQUIRED", "float", 1.0),
        ("key_quant_mode", "REQUIRED", "int", 1),
        ("value_quant_mode", "REQUIRED", "int", 1),
        ("sparse_block_size", "OPTIONAL", "int", 1),
        ("layout_query", "OPTIONAL", "str", "BSND"),
        ("layout_kv", "OPTIONAL", "str", "BSND"),
        ("sparse_mode", "OPTIONAL", "int", 3),
        ("pre_tokens", "OPTIONAL", "int", 2**63 - 1),
        ("next_tokens", "OPTIONAL", "int", 2**63 - 1),
        ("attention_mode", "OPTIONAL", "int", 0),
        ("quant_scale_repo_mode", "OPTIONAL", "int", 1),
        ("tile_size", "OPTIONAL", "int", 128),
        ("rope_head_dim", "OPTIONAL", "int", 64),
        ("return_softmax_lse", "OPTIONAL", "bool", False),
    ]
    assert [o["name"] for o in told["outputs"]] == ["attention_out", "softmax_max", "softmax_sum"]
    assert [c["soc"] for c in told["configs"]] == ["ascend910b", "ascend910_93", "ascend950"]
    key = next(i for i in told["configs"][2]["inputs"] if i["name"] == "key")
    assert sorted(set(key["dtypes"])) == [2, 34, 36]  # int8, hifloat8, float8_e4m3fn


def test_a_list_default_is_told_as_json() -> None:
    with engine("rms_norm_dynamic_quant") as host:
        attrs = {attr["name"]: (attr["kind"], attr["default"]) for attr in host.definition["attrs"]}
    assert attrs["output_mask"] == ("list_bool", [])
    assert attrs["epsilon"] == ("float", pytest.approx(1e-6))


def test_a_negative_workspace_is_rejected_by_both_engines() -> None:
    text = (ROOT / "spec" / f"{QSFA}.yaml").read_text(encoding="utf-8")
    slots = "KV_SLOTS:     {value: 4,"
    assert text.count(slots) == 1
    sink = Sink()
    negative = analyse_text(text.replace(slots, "KV_SLOTS:     {value: -4,").encode(), f"{QSFA}.yaml", sink)
    assert negative is not None
    with HostEngine(negative, build(host_files(negative))) as host:
        (outcome,) = run_both(Evaluator(negative), host, [paged("negative")])
    assert outcome.disagreements == ()
    assert [v.constraint for v in outcome.result.violations] == ["workspace_fits"]
