"""Known answers: measured on the released host code, or worked out by hand from the contract."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from qsfa_codegen.contract.calls import Stage
from qsfa_codegen.contract.case_reader import read_cases
from qsfa_codegen.contract.run import exit_status, run_cases
from qsfa_codegen.diagnostics import Sink
from tests.contract.qsfa_calls import batched, changed_case, judged, on_a5, packed, paged
from tests.contract.specs import QSFA, evaluator

KNOWN = Path(__file__).with_name("qsfa_known.jsonl")


def words(data: bytes) -> list[int]:
    return list(struct.unpack(f"<{len(data) // 8}q", data))


def test_the_ten_known_answers() -> None:
    sink = Sink()
    calls = read_cases(str(KNOWN), evaluator(QSFA).operator, sink)
    outcomes = list(run_cases(evaluator(QSFA), calls))
    assert list(sink) == []
    assert [outcome.differences for outcome in outcomes] == [()] * 10
    assert exit_status(outcomes) == 0


def test_the_known_answers_fail_when_they_are_wrong() -> None:
    lines = [json.loads(line) for line in KNOWN.read_text().splitlines()]
    lines[0]["expect"]["tiling"]["key"] = 1155
    lines[2]["expect"]["status"] = "ok"
    sink = Sink()
    from qsfa_codegen.contract.case_reader import parse_cases

    calls = parse_cases(map(json.dumps, lines), evaluator(QSFA).operator, sink)
    outcomes = list(run_cases(evaluator(QSFA), calls))
    assert [number for number, outcome in enumerate(outcomes) if outcome.differences] == [0, 2]
    assert outcomes[0].differences == ("tiling.key: expected 1155, got 1154",)
    assert exit_status(outcomes) == 1


ANSWERS: dict[str, tuple[dict[str, Any], int, int, list[int]]] = {
    "paged": (
        paged(),
        1154,
        293928960,
        [
            2199023255554,
            64,
            16,
            8589934624,
            4410436851802832898,
            8,
            3,
            16,
            128,
            656,
            0,
            0,
            40532396646334464,
            262144,
            64,
            316659348865024,
            2199023255560,
        ],
    ),
    "packed": (
        packed(),
        1092,
        268763136,
        [
            1099511627778,
            96,
            0,
            8589934592,
            4410436851802832898,
            4294967312,
            0,
            8,
            64,
            656,
            0,
            0,
            40532396646334464,
            262144,
            64,
            316659348832256,
            1099511627792,
        ],
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_key_workspace_and_data_words(name: str) -> None:
    case, key, workspace, data = ANSWERS[name]
    tiling = judged(case).tiling
    assert tiling is not None
    assert (tiling.key, tiling.workspace, tiling.schedule_mode) == (key, (workspace,), 1)
    assert tiling.bytes is not None
    assert words(tiling.bytes) == data
    assert tiling.block_dim == 64


def test_the_third_known_answer_has_the_key_of_the_first() -> None:
    tiling = judged(on_a5(paged())).tiling
    assert tiling is not None
    assert tiling.key == 1154
    assert tiling.workspace == (16777216,)


def test_more_than_64_heads_split_and_need_workspace_on_a5() -> None:
    case = changed_case(on_a5(paged()), query__shape=[2, 64, 128, 576])
    tiling = judged(case).tiling
    assert tiling is not None
    assert tiling.key == 1154 + 16384  # the highest argument, after 1 + 1 + 4 + 4 + 4 bits
    assert tiling.workspace == (16777216 + 128 * 576 * 2 * 3 * 32,)


def test_tiling_data_nests_as_the_structs_do() -> None:
    tiling = judged(paged()).tiling
    assert tiling is not None
    assert tiling.data is not None
    base = tiling.data["baseParams"]
    assert isinstance(base, dict)
    assert list(tiling.data) == [
        "baseParams",
        "splitKVParams",
        "singleCoreParams",
        "singleCoreTensorSize",
        "innerSplitParams",
    ]
    assert (base["batchSize"], base["seqSize"], base["isActualLenDimsNull"]) == (2, 512, 0)
    assert base["scaleValue"] == struct.unpack("<f", struct.pack("<f", 0.044194173))[0]


@pytest.mark.parametrize(("kv_len", "tile"), [(0, 512), (70, 70), (512, 512), (600, 512), (1, 1)])
def test_the_s2_tile_is_the_key_length_up_to_512(kv_len: int, tile: int) -> None:
    case = changed_case(batched(), key__shape=[3, kv_len, 1, 656], value__shape=[3, kv_len, 1, 656])
    tiling = judged(case).tiling
    assert tiling is not None
    assert tiling.data is not None
    inner, sizes = tiling.data["innerSplitParams"], tiling.data["singleCoreTensorSize"]
    assert isinstance(inner, dict)
    assert isinstance(sizes, dict)
    assert inner == {"mBaseSize": 4, "s2BaseSize": tile}
    assert sizes["mmResUbSize"] == -(-tile // 32) * 32 * 32  # 4 heads × 5 rows, up to a multiple of 16
    assert sizes["bmm2ResUbSize"] == 576 * 32


def test_outputs_with_the_softmax_statistics() -> None:
    outputs = judged(changed_case(batched(), return_softmax_lse=True)).outputs
    assert {name: (t.dtype, t.shape) for name, t in outputs.items()} == {
        "attention_out": ("float16", (3, 5, 4, 512)),
        "softmax_max": ("float32", (3, 1, 5, 4)),
        "softmax_sum": ("float32", (3, 1, 5, 4)),
    }
    outputs = judged(changed_case(packed(), return_softmax_lse=True)).outputs
    assert outputs["softmax_sum"].shape == (1, 96, 16)


def test_without_rope_rows_and_queries_are_narrower() -> None:
    case = changed_case(
        batched(),
        rope_head_dim=0,
        query__shape=[3, 5, 4, 512],
        key__shape=[3, 70, 1, 528],
        value__shape=[3, 70, 1, 528],
    )
    result = judged(case)
    assert result.violations == ()
    assert result.outputs["attention_out"].shape == (3, 5, 4, 512)
    assert result.tiling is not None
    assert result.tiling.data is not None
    assert result.tiling.data["baseParams"]["dSizeVInput"] == 528  # type: ignore[index]
    assert result.tiling.data["singleCoreTensorSize"]["bmm2ResUbSize"] == 576 * 32  # type: ignore[index]


def test_stage_infer_has_no_tiling() -> None:
    result = judged(changed_case(paged(), stage="infer"))
    assert result.ok
    assert result.tiling is None
    assert result.stage is None
    assert Stage.INFER.value == "infer"
