"""Generated tiling: known answers by hand, the contract's for more calls, and what its text promises."""

from __future__ import annotations

import json
import re
import shutil
from itertools import groupby
from pathlib import Path

import pytest
from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call, Stage, TensorArg
from qsfa_codegen.contract.derive import derive
from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.render.package import render
from qsfa_codegen.spec.load import load
from qsfa_codegen.spec.model import Operator
from tests.render.flash_calls import PAGED, TOKENS, tensor
from tests.render.infer_calls import mutations
from tests.render.tiling_calls import Answer, Tiling, compiled_runner

ROOT = Path(__file__).parents[2]
FLASH = ROOT / "spec" / "kv_quant_sparse_flash_attention.yaml"
OTHERS = [ROOT / "tests" / "specs" / f"{name}.yaml" for name in ("store_kv_block", "rms_norm_dynamic_quant")]
KNOWN = ROOT / "tests" / "contract" / "qsfa_known.jsonl"


@pytest.fixture(scope="module")
def flash() -> Operator:
    return load(FLASH)


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled_runner(tmp_path_factory.mktemp("runner"))


@pytest.fixture(scope="module")
def tiling(flash: Operator, runner: Path, tmp_path_factory: pytest.TempPathFactory) -> Tiling:
    return Tiling(flash, tmp_path_factory.mktemp("flash"), runner)


@pytest.fixture(scope="module")
def source(flash: Operator) -> str:
    return render(flash)[f"op_host/{flash.snake}_tiling.cpp"]


# --------------------------------------------------------------------------- by hand


def words(hexadecimal: str) -> list[int]:
    raw = bytes.fromhex(hexadecimal)
    return [int.from_bytes(raw[i : i + 8], "little", signed=True) for i in range(0, len(raw), 8)]


def test_the_paged_call_has_its_known_answer(tiling: Tiling) -> None:
    (answer,) = tiling.answers([PAGED])
    assert (answer.key, answer.workspace, answer.block_dim, answer.schedule_mode) == (1154, 293928960, 64, 1)
    assert words(answer.bytes or "") == [
        *(2199023255554, 64, 16, 8589934624, 4410436851802832898, 8, 3, 16, 128, 656, 0, 0),
        *(40532396646334464, 262144, 64, 316659348865024, 2199023255560),
    ]


def test_the_token_call_has_its_known_answer(tiling: Tiling) -> None:
    (answer,) = tiling.answers([TOKENS])
    assert (answer.key, answer.workspace) == (1092, 268763136)
    assert words(answer.bytes or "") == [
        *(1099511627778, 96, 0, 8589934592, 4410436851802832898, 4294967312, 0, 8, 64, 656, 0, 0),
        *(40532396646334464, 262144, 64, 316659348832256, 1099511627792),
    ]


def test_the_paged_call_has_the_same_key_on_another_architecture(tiling: Tiling) -> None:
    fp8 = {name: tensor("float8_e4m3fn", 32, 16, 1, 656) for name in ("key", "value")}
    call = replace(
        PAGED, chip="A5", inputs={**PAGED.inputs, **fp8}, attrs={**PAGED.attrs, "sparse_block_size": 1}
    )
    (answer,) = tiling.answers([call])
    assert (answer.key, answer.workspace) == (1154, 16777216)


def test_recorded_calls_are_answered_as_recorded(flash: Operator, tiling: Tiling) -> None:
    recorded = [json.loads(line) for line in KNOWN.read_text().splitlines()]
    assert len(recorded) == 10
    for case in recorded:
        inputs = {
            name: TensorArg(arg["dtype"], tuple(arg["shape"])) for name, arg in case["inputs"].items() if arg
        }
        call = Call(case["id"], case["chip"], inputs, case["attrs"], platform=case.get("platform", {}))
        (answer,) = tiling.answers([call])
        assert (answer.key is not None) == (case["expect"]["status"] == "ok"), case["id"]
        wanted = case["expect"].get("tiling", {})
        assert answer.key == wanted.get("key", answer.key)
        assert answer.bytes == wanted.get("bytes", answer.bytes)
        assert [answer.workspace] == wanted.get("workspace", [answer.workspace])


REJECTED: list[tuple[Call, str]] = [
    (replace(PAGED, attrs={**PAGED.attrs, "key_quant_mode": 2**32 + 2}), "key_quant_mode_value"),
    (replace(PAGED, attrs={**PAGED.attrs, "layout_query": "NTD"}), "layout_query_value"),
    (replace(PAGED, attr_count=2), "value_quant_mode_presence"),
    (replace(PAGED, attr_count=9), "attention_mode_value"),
    (replace(PAGED, chip="none"), "chip"),
    (
        replace(TOKENS, inputs={**TOKENS.inputs, "block_table": tensor("int32", 2, 32)}),
        "block_table_presence",
    ),
    (replace(PAGED, inputs={**PAGED.inputs, "block_table": tensor("int64", 2, 32)}), "block_table_dtype"),
    (
        replace(PAGED, inputs={**PAGED.inputs, "sparse_indices": tensor("int32", 2, 64, 1, 0)}),
        "SPARSE_SIZE_value",
    ),
    (replace(PAGED, inputs={**PAGED.inputs, "key": tensor("int8", 32, 16, 2, 656)}), "key_shape"),
    (
        replace(PAGED, inputs={**PAGED.inputs, "block_table": tensor("int32", 2, 2**60)}),
        "seqSize_fits",
    ),
    (
        replace(PAGED, inputs={**PAGED.inputs, "block_table": tensor("int32", 2, 2**28)}),
        "seqSize_fits",
    ),
]


@pytest.mark.parametrize(("call", "id"), REJECTED)
def test_a_mistake_is_rejected_by_its_id(tiling: Tiling, call: Call, id: str) -> None:
    (answer,) = tiling.answers([call])
    assert answer.key is None
    assert answer.message.endswith(f"[{id}]")


def test_a_message_names_what_was_given_and_what_is_allowed(tiling: Tiling) -> None:
    call = replace(PAGED, attrs={**PAGED.attrs, "sparse_block_size": 3})
    (answer,) = tiling.answers([call])
    assert "sparse_block_size is 3" in answer.message
    assert "1, 2, 4, 8, 16" in answer.message


def test_a_reserved_input_is_not_looked_at(tiling: Tiling) -> None:
    odd = replace(PAGED, inputs={**PAGED.inputs, "key_dequant_scale": tensor("int64", -1, 0)})
    plain, reserved = tiling.answers([PAGED, odd])
    assert plain == reserved


# --------------------------------------------------------------------------- against the contract


def disagreements(operator: Operator, answers: list[Answer], calls: list[Call]) -> list[str]:
    evaluator = Evaluator(operator)
    found = []
    for call, answer in zip(calls, answers, strict=True):
        result = evaluator.evaluate(call, Stage.TILING)
        if answer.key is None:
            id = answer.message.rpartition("[")[2].rstrip("]")
            agrees = id in {violation.constraint for violation in result.violations}
        else:
            told = result.tiling
            agrees = told is not None and (
                answer.key == (told.key or 0)
                and answer.block_dim == (told.block_dim or 0)
                and answer.schedule_mode == told.schedule_mode
                and (answer.workspace,) == told.workspace
                and answer.bytes == (told.bytes or b"").hex()
            )
        if not agrees:
            found.append(f"{call}: {answer} but {result}")
    return found


def tiled(operator: Operator) -> list[Call]:
    calls = (case for case in derive(operator).calls if case.stage is not Stage.INFER)
    return [replace(call, outputs={}, expect=None) for call in calls]


def test_every_derived_call_is_answered_as_the_contract_says(flash: Operator, tiling: Tiling) -> None:
    calls = tiled(flash)
    answers = tiling.answers(calls)
    assert disagreements(flash, answers, calls) == []
    rejected = {a.message.rpartition("[")[2].rstrip("]") for a in answers if a.key is None}
    # Pages are multiples of 16 tokens, which every accepted sparse block divides.
    assert rejected >= {check.id for check in flash.checks} - {"paging_divides"}
    assert sum(answer.key is not None for answer in answers) > 50


def test_random_calls_are_answered_as_the_contract_says(flash: Operator, tiling: Tiling) -> None:
    calls = list(mutations(flash, [PAGED, TOKENS, *tiled(flash)], 1500, seed=7))
    assert disagreements(flash, tiling.answers(calls), calls) == []


@pytest.mark.parametrize("spec", OTHERS, ids=lambda path: path.stem)
def test_another_operator_is_answered_as_its_contract_says(spec: Path, runner: Path, tmp_path: Path) -> None:
    operator = load(spec)
    legal = tiled(operator)
    calls = [*legal, *mutations(operator, legal, 300, seed=3)]
    assert disagreements(operator, Tiling(operator, tmp_path, runner).answers(calls), calls) == []


def test_the_macro_style_gives_the_same_bytes(
    flash: Operator, tiling: Tiling, runner: Path, tmp_path: Path
) -> None:
    assert flash.tiling is not None
    assert flash.tiling.data is not None
    data = replace(flash.tiling.data, style="macro")
    other = Tiling(replace(flash, tiling=replace(flash.tiling, data=data)), tmp_path, runner)
    assert not (tmp_path / "op_kernel" / f"{flash.snake}_tiling_data.h").exists()
    calls = [PAGED, TOKENS, *(call for call, _ in REJECTED)]
    assert other.answers(calls) == tiling.answers(calls)


def test_an_accepted_call_costs_at_most_3000_instructions(flash: Operator, tmp_path: Path) -> None:
    fast = ("-O2",)
    tiling = Tiling(flash, tmp_path, compiled_runner(tmp_path, fast), fast)
    assert 300 < tiling.instructions(PAGED) <= 3000


# --------------------------------------------------------------------------- what the text promises


def test_each_check_is_named_in_the_order_of_the_contract(flash: Operator, source: str) -> None:
    comments = re.findall(r"^    // (\w+)$", source, re.MULTILINE)
    # Neighbours that come of one rule share a comment.
    ids = [id for id, _ in groupby(check.id for check in flash.checks)]
    assert [comment for comment in comments if comment in set(ids)] == ids


def test_what_a_chip_accepts_is_said_with_its_products(source: str) -> None:
    said = re.sub(r'"\s+"', "", source)
    assert "sparse_block_size is 1 on Ascend 950PR/Ascend 950DT [sparse_block_size_value]" in said
    assert "the architecture is" not in said


def test_a_message_asks_for_nothing_that_its_condition_has_decided(source: str) -> None:
    said = re.sub(r'"\s+"', "", source)
    assert "return_softmax_lse is true; expected: return_softmax_lse is false on Ascend 950PR" in said
    assert "block_table is absent; expected: block_table must be present when layout_kv is PA_BSND" in said
    assert "block_table is passed; expected: block_table must be absent when layout_kv is not PA_BSND" in said
    assert '? "' not in source


def test_a_mode_has_its_name_in_code_and_messages(source: str) -> None:
    assert "constexpr int64_t KEY_QUANT_MODE_PER_TILE = 2;" in source
    assert "attrs_.keyQuantMode != KEY_QUANT_MODE_PER_TILE" in source
    assert "expected: key_quant_mode is 2 (per_tile) [key_quant_mode_value]" in source
    assert "attrs_.ropeHeadDim != 0 && attrs_.ropeHeadDim != ROPE_MAX" in source


def test_functions_of_many_checks_are_named_after_what_they_check(source: str) -> None:
    body = source.split("Tiling::CheckDims() const")[1].split("}")[0]
    parts = re.findall(r"\w+(?=\(\))", body)
    assert parts[:2] == ["CheckQuerySizes", "CheckKeySizes"]
    assert {"CheckKeyShape", "CheckValueShape", "CheckSparseIndicesShape"} < set(parts)
    assert "CheckTileSize()" in source.split("Tiling::CheckAttributes() const")[1].split("}")[0]


def test_each_attribute_is_read_once(flash: Operator, source: str) -> None:
    for attr in flash.attrs:
        constant = f"ATTR_{attr.name.upper()}"
        assert len(re.findall(rf"\b{constant}\b", source)) == 2, constant


def bodies(source: str) -> dict[str, str]:
    found = re.findall(r"Tiling::(\w+)\([^{;]*\{\n(.*?)^\}\n", source, re.MULTILINE | re.DOTALL)
    return dict(found)


def changed(tmp_path: Path, *changes: tuple[str, str]) -> dict[str, str]:
    """Functions of the tiling of a spec that is changed in places."""
    text = FLASH.read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    (tmp_path / "spec").mkdir()
    shutil.copy(FLASH.parent / "chips.yaml", tmp_path / "spec")
    path = tmp_path / "spec" / FLASH.name
    path.write_text(text, encoding="utf-8")
    operator = load(path)
    return bodies(render(operator)[f"op_host/{operator.snake}_tiling.cpp"])


def test_no_function_computes_a_derived_value_twice(source: str) -> None:
    found = bodies(source)
    assert {"S2Tile", "Arch22WorkspaceBytes", "FillBaseParams"} < found.keys()
    for function, body in found.items():
        calls = re.findall(r"\b(\w+)\(arith\)", body)
        assert len(calls) == len(set(calls)), function


S2_TILE = "min(S2_TILE_MAX, S2 if S2 > 0 else S2_EMPTY)"


def test_a_value_that_only_some_calls_need_is_not_computed_for_all(tmp_path: Path) -> None:
    found = changed(tmp_path, (S2_TILE, f"{S2_TILE} if paged else 1"))
    assert "const int64_t" not in found["S2Tile"]


SEQ_SIZE = "seqSize:               {type: uint32, value: S2}"
LENGTHS = "value: numel(actual_seq_lengths_query) if present(actual_seq_lengths_query) else 0"


def test_fields_of_one_value_share_it(tmp_path: Path) -> None:
    found = changed(tmp_path, (LENGTHS, "value: S2 + 1"))
    assert found["FillBaseParams"].count("S2(arith)") == 1
    assert "const int64_t s2 = S2(arith);" in found["FillBaseParams"]
    assert 'Store("seqSize", s2, arith, params.seqSize)' in found["FillBaseParams"]


def test_a_value_is_not_shared_where_another_field_would_be_blamed(tmp_path: Path) -> None:
    only_paged = SEQ_SIZE.replace("S2}", "S2 if paged else 0}")
    found = changed(tmp_path, (SEQ_SIZE, only_paged), (LENGTHS, "value: S2 + 1"))
    assert found["FillBaseParams"].count("S2(arith)") == 2


def test_the_hot_path_has_no_container_and_no_string(source: str) -> None:
    assert not re.search(r"std::(string|vector|map|unordered_map|set)\b|\bnew\b|malloc", source)


def test_functions_and_lines_are_short(source: str) -> None:
    assert max(len(line) for line in source.splitlines()) <= 110
    functions = re.findall(r"^\{\n(.*?)^\}\n", source, re.MULTILINE | re.DOTALL)
    assert max(body.count("\n") for body in functions) <= 80
