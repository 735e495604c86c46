"""Generated shape inference, compiled and run: by hand for one operator, against the contract for all."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call, Stage, TensorArg
from qsfa_codegen.contract.derive import derive
from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.spec.load import load
from tests.render.infer_calls import Answer, Inference, compiled_runner, mutations

ROOT = Path(__file__).parents[2]
FLASH = "spec/kv_quant_sparse_flash_attention.yaml"
NORM = "spec/add_rms_norm_bias.yaml"
QUANT = "spec/rms_norm_dynamic_quant.yaml"
DELTA = "tests/specs/chunk_gated_delta_rule_fwd_h.yaml"
LISTS = "tests/specs/grouped_matmul_swiglu_quant_weight_nz_tensor_list.yaml"
NOTHING = "tests/specs/store_kv_block.yaml"
SPECS = [FLASH, "spec/lightning_indexer.yaml", NORM, QUANT, DELTA, LISTS, NOTHING]


@pytest.fixture(scope="module")
def inferences(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Inference]:
    """The compiled shape inference of each spec."""
    runner = compiled_runner(tmp_path_factory.mktemp("runner"))

    def build(spec: str) -> Inference:
        return Inference(load(ROOT / spec), tmp_path_factory.mktemp(Path(spec).stem), runner)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(SPECS, pool.map(build, SPECS), strict=True))


# --------------------------------------------------------------------------- by hand


def tensor(*shape: int, dtype: str = "bfloat16") -> TensorArg:
    return TensorArg(dtype, shape)


def flash(
    query: TensorArg,
    key: TensorArg,
    attrs: Mapping[str, str | int],
    *,
    lse: bool = False,
    attr_count: int | None = None,
) -> Call:
    values = {"attention_mode": 2, "return_softmax_lse": lse, **attrs}
    return Call("case", "A2", {"query": query, "key": key}, values, attr_count=attr_count)


KEY = tensor(32, 16, 1, 656, dtype="int8")
PAGED: dict[str, str | int] = {"layout_kv": "PA_BSND"}
ROWS: dict[str, str | int] = {"layout_query": "TND", "layout_kv": "TND"}
BF16, F32 = "bfloat16", "float32"
FLASH_CASES: list[tuple[str, Call, list[tuple[str, tuple[int, ...]]]]] = [
    (
        "paged",
        flash(tensor(2, 64, 8, 576), KEY, PAGED),
        [(BF16, (2, 64, 8, 512)), (F32, (0,)), (F32, (0,))],
    ),
    (
        "lse",
        flash(tensor(2, 64, 8, 576), KEY, PAGED, lse=True),
        [(BF16, (2, 64, 8, 512)), (F32, (2, 1, 64, 8)), (F32, (2, 1, 64, 8))],
    ),
    (
        "tokens",
        flash(tensor(96, 16, 576, dtype="float16"), tensor(256, 1, 656, dtype="int8"), ROWS, lse=True),
        [("float16", (96, 16, 512)), (F32, (1, 96, 16)), (F32, (1, 96, 16))],
    ),
    (
        "no rope",
        flash(tensor(2, 64, 8, 512), KEY, PAGED | {"rope_head_dim": 0}),
        [(BF16, (2, 64, 8, 512)), (F32, (0,)), (F32, (0,))],
    ),
    (
        "unknown last dim",
        flash(tensor(2, 64, 8, -1), KEY, PAGED),
        [(BF16, (2, 64, 8, -1)), (F32, (0,)), (F32, (0,))],
    ),
    (
        "unknown heads",
        flash(tensor(-1, 64, -1, 576), KEY, PAGED, lse=True),
        [(BF16, (-1, 64, -1, 512)), (F32, (-1, 1, 64, -1)), (F32, (-1, 1, 64, -1))],
    ),
    (
        "unknown key heads",
        flash(tensor(2, 64, 8, 576), tensor(-1, -1, -1, -1, dtype="int8"), PAGED, lse=True),
        [(BF16, (2, 64, 8, 512)), (F32, (2, -1, 64, -1)), (F32, (2, -1, 64, -1))],
    ),
    (
        "unknown rank of query",
        flash(tensor(-2), KEY, PAGED, lse=True),
        [(BF16, (-2,)), (F32, (-2,)), (F32, (-2,))],
    ),
    (
        "unknown rank of query, constant branch",
        flash(tensor(-2), KEY, PAGED),
        [(BF16, (-2,)), (F32, (0,)), (F32, (0,))],
    ),
    (
        "unknown rank of key",
        flash(tensor(2, 64, 8, 576), tensor(-2, dtype="int8"), PAGED, lse=True),
        [(BF16, (2, 64, 8, 512)), (F32, (-2,)), (F32, (-2,))],
    ),
    (
        "no attribute at all but the required ones",
        flash(tensor(2, 64, 8, 576), tensor(2, 100, 1, 656, dtype="int8"), {}, attr_count=3),
        [(BF16, (2, 64, 8, 512)), (F32, (0,)), (F32, (0,))],
    ),
    (
        "no attribute at all",
        flash(tensor(2, 64, 8, 576), tensor(2, 100, 1, 656, dtype="int8"), {}, attr_count=0),
        [(BF16, (2, 64, 8, 512)), (F32, (0,)), (F32, (0,))],
    ),
]


@pytest.mark.parametrize(("call", "outputs"), [c[1:] for c in FLASH_CASES], ids=[c[0] for c in FLASH_CASES])
def test_outputs(
    inferences: dict[str, Inference], call: Call, outputs: list[tuple[str, tuple[int, ...]]]
) -> None:
    (answer,) = inferences[FLASH].answers([call])
    assert answer == Answer(tuple(outputs), "")


FLASH_REJECTED: list[tuple[str, Call, str]] = [
    (
        "unknown layout",
        flash(tensor(2, 64, 8, 576), KEY, {"layout_query": "NTD"}),
        "layout_query is NTD; expected: layout_query is BSND or TND [layout_query_value]",
    ),
    (
        "a layout of keys for queries",
        flash(tensor(2, 64, 8, 576), KEY, {"layout_query": "PA_BSND"}),
        "layout_query is PA_BSND; expected: layout_query is BSND or TND [layout_query_value]",
    ),
    (
        "rank of the other layout",
        flash(tensor(2, 64, 576), KEY, PAGED),
        "layout_query is BSND, rank of query is 3; expected: if layout_query is BSND, the rank of query "
        "is 4; if layout_query is TND, the rank of query is 3 [query_rank]",
    ),
    (
        "no key heads",
        flash(tensor(2, 64, 8, 576), tensor(32, 16, 0, 656, dtype="int8"), PAGED, lse=True),
        "key: KV_N is 0; expected: KV_N is 1 [key_shape]",
    ),
    (
        "rope of 2^32 + 64",
        flash(tensor(2, 64, 8, 576), KEY, PAGED | {"rope_head_dim": 2**32 + 64}),
        "rope_head_dim is 4294967360; expected: rope_head_dim is 0 or 64 [rope_head_dim_value]",
    ),
    (
        "width and rope disagree",
        flash(tensor(2, 64, 8, 576), KEY, PAGED | {"rope_head_dim": 0}),
        "query: Q_D is 576, rope_head_dim is 0; expected: Q_D equals 512 + rope_head_dim [query_shape]",
    ),
    (
        "no query",
        Call("case", "A2", {"key": KEY}, {}),
        "query is absent; expected: query is present [query_presence]",
    ),
]


@pytest.mark.parametrize(
    ("call", "message"), [c[1:] for c in FLASH_REJECTED], ids=[c[0] for c in FLASH_REJECTED]
)
def test_rejections(inferences: dict[str, Inference], call: Call, message: str) -> None:
    (answer,) = inferences[FLASH].answers([call])
    assert answer == Answer(None, message)


def test_a_required_attribute_must_be_supplied(inferences: dict[str, Inference]) -> None:
    k, w, u = tensor(1, 2, 128, 128), tensor(1, 4, 128, 128), tensor(1, 4, 128, 128)
    inputs = {"k": k, "w": w, "u": u, "g": tensor(1, 4, 128, dtype="float32")}
    values = {"output_final_state": False, "chunk_size": 64, "inital_state_stride0": 0}
    call = Call("case", "A2", inputs, values, attr_count=1)
    (answer,) = inferences[DELTA].answers([call])
    assert answer.message == "chunk_size is absent; expected: chunk_size is present [chunk_size_presence]"


def test_every_tensor_of_a_list_is_checked(inferences: dict[str, Inference]) -> None:
    weights = (tensor(64, 32, dtype="int8"), tensor(64, 32, 1, dtype="int8"))
    call = Call("case", "A2", {"x": tensor(4, 64, dtype="int8"), "weight": weights}, {})
    (answer,) = inferences[LISTS].answers([call])
    assert answer.message == "rank of weight is 3; expected: the rank of weight is 2 [weight_rank]"


def test_runs_of_axes(inferences: dict[str, Inference]) -> None:
    x = tensor(-1, 3, 4, 5)
    call = Call("case", "A2", {"x1": x, "x2": x, "gamma": tensor(4, 5)}, {})
    (answer,) = inferences[NORM].answers([call])
    same = (BF16, (-1, 3, 4, 5))
    assert answer.outputs == (same, (F32, (-1, 3, 1, 1)), same)


def test_an_output_like_an_input_needs_no_other_input(inferences: dict[str, Inference]) -> None:
    x = tensor(8, -1)
    call = Call("case", "A2", {"x1": x, "x2": x, "gamma": tensor(-2)}, {})
    (answer,) = inferences[NORM].answers([call])
    assert answer.outputs == ((BF16, (8, -1)), (F32, (-2,)), (BF16, (8, -1)))


def test_an_unknown_rank_is_kept_in_a_copy(inferences: dict[str, Inference]) -> None:
    call = Call("case", "A2", {"x1": tensor(-2), "x2": tensor(-2), "gamma": tensor(512)}, {})
    (answer,) = inferences[NORM].answers([call])
    assert answer.outputs == ((BF16, (-2,)), (F32, (-2,)), (BF16, (-2,)))


AWKWARD = """
spec: 1
operator: {name: Awkward, category: test, brief: {en: Awkward names., zh: 名称测试。}}
emit: [op_host]
chips: [A2]
dims:
  CALL: {min: 0, max: 9, en: calls, zh: 次数}
  SHAPE: {en: shapes, zh: 形状}
  ARITH: {is: CALL * CALL, en: arithmetic, zh: 算术}
inputs:
  context: {dtype: float32, shape: [CALL, ARITH], doc: {en: One., zh: 一。}}
  name: {dtype: float32, shape: [SHAPE], doc: {en: Two., zh: 二。}}
attrs:
  shape: {type: int, default: 2, doc: {en: Three., zh: 三。}}
outputs:
  shape: {dtype: float32, shape: [CALL * SHAPE + shape, CALL], doc: {en: Four., zh: 四。}}
  unknown_rank: {dtype: float32, shape: [ARITH, SHAPE], doc: {en: Five., zh: 五。}}
"""


def test_names_of_a_spec_do_not_meet_those_of_the_generated_code(tmp_path: Path) -> None:
    spec = tmp_path / "awkward.yaml"
    spec.write_text(AWKWARD, encoding="utf-8")
    inference = Inference(load(spec), tmp_path, compiled_runner(tmp_path))
    call = Call(
        "case", "A2", {"context": tensor(3, 9, dtype=F32), "name": tensor(5, dtype=F32)}, {"shape": 4}
    )
    huge = replace(call, attrs={"shape": 2**63 - 1})
    unknown = replace(call, inputs={**call.inputs, "name": tensor(-1, dtype=F32)})
    fitting, overflowing, open_size = inference.answers([call, huge, unknown])
    assert fitting.outputs == ((F32, (19, 3)), (F32, (9, 5)))
    assert overflowing.message == "shape: a size does not fit in 64 bits [shape_shape]"
    assert open_size.outputs == ((F32, (-1, 3)), (F32, (9, -1)))


# --------------------------------------------------------------------------- against the contract


@pytest.mark.parametrize("spec", SPECS)
def test_agrees_with_the_contract(inferences: dict[str, Inference], spec: str) -> None:
    evaluator = Evaluator(load(ROOT / spec))
    derived = derive(evaluator.operator, evaluator).calls
    known = [replace(call, outputs={}) for call in derived if evaluator.chip(call.chip) is not None]
    calls = [*known, *mutations(evaluator.operator, known, 1500, seed=len(spec))]
    met: Counter[str] = Counter()
    for call, answer in zip(calls, inferences[spec].answers(calls), strict=True):
        expected = evaluator.evaluate(call, Stage.INFER)
        if expected.ok:
            outputs = tuple((o.dtype, o.shape) for o in expected.outputs.values())
            assert answer == Answer(outputs, ""), call
            met["ok"] += 1
        else:
            assert answer.outputs is None, call
            ids = [v.constraint for v in expected.violations]
            assert any(answer.message.endswith(f"[{id}]") for id in ids), (call, answer, ids)
            met[answer.message.rpartition("[")[2]] += 1
    reachable = {check.id for check in evaluator.operator.checks if check.at_infer}
    assert met["ok"] > 100
    assert len(met) > len(reachable) / 2
