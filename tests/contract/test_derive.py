"""Calls derived from specs: complete, right, and the same every time."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from qsfa_codegen.contract.calls import Call, TensorArg, call_json, dump
from qsfa_codegen.contract.case_reader import parse_cases
from qsfa_codegen.contract.derive import Derivation, derive
from qsfa_codegen.contract.run import run_cases
from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.spec.load import analyse_text
from tests.contract.specs import NAMES, QSFA, evaluator, fresh

ROOT = Path(__file__).parents[2]
SPECS = ROOT / "spec"


@cache
def derived(name: str) -> Derivation:
    return derive(evaluator(name).operator, evaluator(name))


def statuses(name: str) -> Counter[str]:
    return Counter(str((call.expect or {})["status"]) for call in derived(name).calls)


def broken_ids(name: str) -> set[str]:
    """Ids that derived calls break, each of them alone."""
    return {violations[0]["constraint"] for violations in map(_violations, derived(name).calls) if violations}


def _violations(call: Call) -> list[dict[str, str]]:
    expected = (call.expect or {}).get("violations", [])
    assert isinstance(expected, list)
    assert len(expected) <= 1
    return expected


@pytest.mark.parametrize("name", NAMES)
def test_every_call_comes_out_as_it_was_made_to(name: str) -> None:
    calls = derived(name).calls
    unexpected = [o.call.id for o in run_cases(evaluator(name), calls) if o.differences]
    assert calls
    assert unexpected == []


@pytest.mark.parametrize("name", NAMES)
def test_the_lines_of_the_file_are_cases_with_an_id_each(name: str) -> None:
    lines = [dump(call_json(call)) for call in derived(name).calls]
    sink = Sink()
    read = parse_cases(lines, evaluator(name).operator, sink)
    assert list(sink) == []
    assert [call.id for call in read] == [call.id for call in derived(name).calls]
    unexpected = [o.call.id for o in run_cases(evaluator(name), read) if o.differences]
    assert unexpected == []


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_is_broken_alone_or_reported(name: str) -> None:
    reported = {unbroken.id for unbroken in derived(name).unbroken}
    every = {check.id for check in evaluator(name).operator.checks}
    assert every - broken_ids(name) <= reported


@pytest.mark.parametrize("name", NAMES)
def test_the_same_calls_every_time(name: str) -> None:
    again = derive(evaluator(name).operator, fresh(name))
    assert [dump(call_json(call)) for call in again.calls] == [
        dump(call_json(call)) for call in derived(name).calls
    ]
    assert again.unbroken == derived(name).unbroken


UNBROKEN: dict[str, set[str]] = {
    # Every accepted sparse block divides every accepted cache block. Attributes come in order, so a graph
    # that lacks a required one lacks what stands behind it, which has to be given too.
    QSFA: {
        "paging_divides",
        "scale_value_presence",
        "key_quant_mode_presence",
        "value_quant_mode_presence",
    },
    "sparse_flash_attention": set(),
    "lightning_indexer": set(),
    "add_rms_norm_bias": set(),
    "rms_norm_dynamic_quant": set(),
    "inplace_partial_rotary_mul": set(),
    "store_kv_block": set(),
    # A list of no tensors is an absent one.
    "grouped_matmul_swiglu_quant_weight_nz_tensor_list": {"E_value"},
    "chunk_gated_delta_rule_fwd_h": {"output_final_state_presence", "chunk_size_presence"},
}


@pytest.mark.parametrize("name", UNBROKEN)
def test_rules_that_cannot_be_broken_alone(name: str) -> None:
    assert {unbroken.id for unbroken in derived(name).unbroken} == UNBROKEN[name]
    assert all(unbroken.reason for unbroken in derived(name).unbroken)


PAIRS = ("bsnd_bsnd", "bsnd_pa_bsnd", "tnd_tnd", "tnd_pa_bsnd")
ROWS = {
    "a2": ("float16_int8", "bfloat16_int8"),
    "a3": ("float16_int8", "bfloat16_int8"),
    "a5": tuple(f"{q}_{kv}" for q in ("bfloat16", "float16") for kv in ("float8_e4m3fn", "hifloat8", "int8")),
}


def test_every_dtype_row_with_every_layout_pair_on_every_chip() -> None:
    ids = {call.id for call in derived(QSFA).calls}
    wanted = {f"{chip}_ok_{row}_{pair}" for chip, rows in ROWS.items() for row in rows for pair in PAIRS}
    assert len(wanted) == 40
    assert wanted <= ids


def test_layouts_that_do_not_go_together_are_reported() -> None:
    unreached = derived(QSFA).unreached
    assert {entry.blocked_by for entry in unreached} == {"layouts_agree"}
    assert {entry.choice.rsplit(" ", 1)[1] for entry in unreached} == {"bsnd_tnd", "tnd_bsnd"}
    assert len(unreached) == 20


@pytest.mark.parametrize(
    "id",
    [
        "a2_ok_q_n_128",
        "a5_ok_q_n_48",
        "a2_ok_sparse_block_size_16",
        "a2_ok_block_size_1024",
        "a2_ok_kv_s_0",
        "a2_ok_kv_t_0",
        "a2_ok_block_num_0",
        "a2_ok_sparse_size_1",
        "a2_ok_tnd_pa_bsnd_rope_head_dim_0",
        "a2_ok_tnd_pa_bsnd_return_softmax_lse_true",
        "a2_ok_bsnd_bsnd_with_reserved",
        "a2_ok_bsnd_bsnd_with_actual_seq_lengths_kv",
        "a2_ok_10_attributes",
        "a2_breaks_q_n_value_3_bsnd_bsnd",
        "a2_breaks_block_size_value_1040_bsnd_pa_bsnd",
        "a2_breaks_block_size_value_15_bsnd_pa_bsnd",
        "a2_breaks_key_quant_mode_value_4294967298",
        "a2_breaks_block_table_presence_missing_tnd_pa_bsnd",
        "a2_breaks_block_table_presence_unexpected_tnd_tnd",
        "a5_breaks_return_softmax_lse_value_true",
        "a5_breaks_hifloat8_sparse_size_bsnd_bsnd",
        "a2_breaks_batchsize_fits_bsnd_bsnd",
        "a2_infer_unknown_ranks_tnd_tnd",
    ],
)
def test_edges_have_readable_names(id: str) -> None:
    assert id in {call.id for call in derived(QSFA).calls}


def test_both_kinds_are_many() -> None:
    counted = statuses(QSFA)
    assert counted["ok"] > 100
    assert counted["rejected"] > 300


def test_a_call_says_only_what_differs_from_the_registered_defaults() -> None:
    call = next(c for c in derived(QSFA).calls if c.id == "a2_ok_float16_int8_bsnd_pa_bsnd")
    assert dict(call.attrs) == {
        "scale_value": 1.0,
        "key_quant_mode": 2,
        "value_quant_mode": 2,
        "layout_kv": "PA_BSND",
        "attention_mode": 2,
    }
    line = json.loads(dump(call_json(call)))
    assert list(line) == ["id", "chip", "inputs", "attrs", "expect"]
    assert line["expect"] == {
        "status": "ok",
        "outputs": {
            "attention_out": {"dtype": "float16", "shape": [2, 3, 8, 512]},
            "softmax_max": {"dtype": "float32", "shape": [0]},
            "softmax_sum": {"dtype": "float32", "shape": [0]},
        },
        "tiling": {"key": 1154, "block_dim": 24, "workspace": [82075648]},
    }


def test_sizes_differ_from_dim_to_dim() -> None:
    call = next(c for c in derived(QSFA).calls if c.id == "a2_ok_float16_int8_bsnd_bsnd")
    query, key, indices = (call.inputs[name] for name in ("query", "key", "sparse_indices"))
    assert isinstance(query, TensorArg)
    assert isinstance(key, TensorArg)
    assert isinstance(indices, TensorArg)
    assert len({*query.shape, key.shape[1], indices.shape[3]}) == 6


# --------------------------------------------------------------------------- what shapes offer


def calls_where(**wanted: object) -> list[Call]:
    """Legal calls of the whole contract by chip, attributes and the last dim of ``value``."""
    ok = [c for c in derived(QSFA).calls if (c.expect or {})["status"] == "ok" and c.stage is None]
    return [c for c in ok if all(facts(c)[name] == value for name, value in wanted.items())]


def facts(call: Call) -> dict[str, object]:
    value, key = call.inputs["value"], call.inputs["key"]
    assert isinstance(value, TensorArg)
    assert isinstance(key, TensorArg)
    return {
        "chip": call.chip,
        "pair": (call.attrs.get("layout_query", "BSND"), call.attrs.get("layout_kv", "BSND")),
        "rope": call.attrs.get("rope_head_dim", 64),
        "lse": call.attrs.get("return_softmax_lse", False),
        "width": value.shape[-1],
        "kv": key.dtype,
    }


LAYOUTS = (("BSND", "BSND"), ("BSND", "PA_BSND"), ("TND", "TND"), ("TND", "PA_BSND"))
PACKED = {0: 512 + 16, 64: 512 + 2 * 64 + 16}


@pytest.mark.parametrize("pair", LAYOUTS)
@pytest.mark.parametrize("rope", [0, 64])
@pytest.mark.parametrize("plain", [False, True])
def test_packed_and_plain_value_with_and_without_rope_and_lse(
    pair: tuple[str, str], rope: int, plain: bool
) -> None:
    width = 512 if plain else PACKED[rope]
    for chip in ("A2", "A3"):
        for lse in (False, True):
            assert calls_where(chip=chip, pair=pair, rope=rope, lse=lse, width=width)
    assert calls_where(chip="A5", pair=pair, rope=rope, lse=False, width=width)


@pytest.mark.parametrize(("kv", "ropes"), [("int8", {0, 64}), ("float8_e4m3fn", {0, 64}), ("hifloat8", {64})])
def test_every_dtype_of_the_cache_comes_in_both_widths(kv: str, ropes: set[int]) -> None:
    found = calls_where(chip="A5", kv=kv)
    assert {facts(call)["rope"] for call in found} == ropes
    assert {facts(call)["width"] for call in found} == {512, *(PACKED[rope] for rope in ropes)}


def test_what_other_chips_accept_is_rejected() -> None:
    found = [(call.id, _violations(call)) for call in derived(QSFA).calls]
    rejected = {id: violations[0]["constraint"] for id, violations in found if violations}
    for chip in ("a2", "a3"):
        assert rejected[f"{chip}_breaks_q_n_value_48_bsnd_bsnd"] == "Q_N_value"
        for dtype in ("float8_e4m3fn", "hifloat8"):
            assert rejected[f"{chip}_breaks_key_dtype_{dtype}_bsnd_bsnd"] == "key_dtype"
    for size in (2, 4, 8, 16):
        assert rejected[f"a5_breaks_sparse_block_size_value_{size}"] == "sparse_block_size_value"
    assert rejected["a5_breaks_return_softmax_lse_value_true"] == "return_softmax_lse_value"


@pytest.mark.parametrize("name", NAMES)
def test_no_call_stands_twice(name: str) -> None:
    counted = Counter(dump(call_json(call.named("", {}))) for call in derived(name).calls)
    assert set(counted.values()) == {1}


# --------------------------------------------------------------------------- calls without an answer


def test_a_call_whose_tiling_has_no_answer_is_not_called_legal() -> None:
    text = (SPECS / f"{QSFA}.yaml").read_text(encoding="utf-8")
    field = "batchSize:             {type: uint32, value: B}"
    assert text.count(field) == 1
    wrong = text.replace(field, "batchSize: {type: uint32, value: B - 3}")  # two of a batch are too few
    operator = analyse_text(wrong.encode(), "wrong.yaml", Sink(), SPECS / "chips.yaml")
    assert operator is not None
    found = derive(operator)
    assert not [call.id for call in found.calls if (call.expect or {})["status"] == "ok"]
    blocked = {entry.blocked_by for entry in found.unreached}
    assert blocked == {"layouts_agree", "batchSize_fits"}


def test_enums_of_many_labels_are_tried_one_by_one() -> None:
    text = (ROOT / "tests" / "spec" / "rules" / "gather_scale.yaml").read_text(encoding="utf-8")
    labels = [f"L{number}" for number in range(30)]
    enum = "".join(f"    {label}: {{code: {code}}}\n" for code, label in enumerate(labels))
    attr = f"{{type: str, enum: Big, default: L0, values: [{', '.join(labels)}], doc: {{en: B., zh: 戊。}}}}"
    for old, new in (
        ("enums:\n", f"enums:\n  Big:\n{enum}"),
        ("attrs:\n", f"attrs:\n  one: {attr}\n  two: {attr}\n  three: {attr}\n"),
        ("[index, layout", "[index, one, two, three, layout"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    operator = analyse_text(text.encode(), "many.yaml", Sink(), SPECS / "chips.yaml")
    assert operator is not None
    calls = derive(operator).calls  # of 54,000 combinations
    legal = [call for call in calls if (call.expect or {})["status"] == "ok"]
    assert len(legal) < 1000
    for name in ("one", "two", "three"):
        assert {call.attrs.get(name, "L0") for call in legal} == set(labels)
