"""The Python checks against the contract on every derived call, and their messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from qsfa_codegen.contract.calls import Call, TensorArg
from qsfa_codegen.spec.load import load
from tests.render.flash_calls import PAGED, TOKENS, tensor
from tests.render.test_torch import CONSTRAINTS, MIXTURE, ROTATION
from tests.render.test_torch_schema import mixed
from tests.render.torch_calls import differences
from tests.torch.python_contract import Checked

ROOT = Path(__file__).parents[2]
FLASH = ROOT / "spec" / "kv_quant_sparse_flash_attention.yaml"
OTHERS = {
    "spec/lightning_indexer.yaml": 200,
    "spec/rms_norm_dynamic_quant.yaml": 40,
    "spec/add_rms_norm_bias.yaml": 40,
    "tests/specs/sparse_flash_attention.yaml": 100,
    "tests/specs/store_kv_block.yaml": 20,
    "tests/specs/inplace_partial_rotary_mul.yaml": 100,
    "tests/specs/grouped_matmul_swiglu_quant_weight_nz_tensor_list.yaml": 40,
}


@pytest.fixture(scope="module")
def flash() -> Checked:
    return Checked(load(FLASH))


# --------------------------------------------------------------------------- against the contract


def test_every_derived_call_is_judged_as_by_the_contract(flash: Checked) -> None:
    compared, found = differences(load(FLASH), flash)
    assert found == []
    assert compared > 400


@pytest.mark.parametrize(("path", "least"), OTHERS.items(), ids=lambda value: Path(str(value)).stem)
def test_derived_calls_of_other_operators(path: str, least: int) -> None:
    operator = load(ROOT / path)
    compared, found = differences(operator, Checked(operator))
    assert found == []
    assert compared > least


# --------------------------------------------------------------------------- known answers


def test_outputs_of_known_calls(flash: Checked) -> None:
    assert flash.call(PAGED).outputs == ("BFloat16 2 64 8 512", "Float 0", "Float 0")
    with_lse = flash.call(PAGED, {"return_softmax_lse": True})
    assert with_lse.outputs == ("BFloat16 2 64 8 512", "Float 2 1 64 8", "Float 2 1 64 8")
    with_lse = flash.call(TOKENS, {"return_softmax_lse": True})
    assert with_lse.outputs == ("Half 96 16 512", "Float 1 96 16", "Float 1 96 16")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"sparse_block_size": 3},
            "sparse_block_size is 3; expected: sparse_block_size is one of 1, 2, 4, 8, 16 "
            "[sparse_block_size_value]",
        ),
        (
            {"key_quant_mode": 2**32 + 2},
            "key_quant_mode is 4294967298; expected: key_quant_mode is 2 (per_tile) [key_quant_mode_value]",
        ),
        (
            {"scale_value": 1e300},  # infinite in the 32 bits that the device gets
            "scale_value is inf; expected: scale_value is finite [scale_value_value]",
        ),
        (
            {"layout_kv": "PA_{BSND}%d"},
            "layout_kv is PA_{BSND}%d; expected: layout_kv is one of BSND, TND, PA_BSND [layout_kv_value]",
        ),
        (
            {"query": tensor("float32", 2, 64, 8, 576)},
            "dtype of query is float32; expected: the dtype of query is float16 or bfloat16 [query_dtype]",
        ),
        (
            {"query": tensor("bfloat16", 2, 64, 8, 512)},
            "query: Q_D is 512, rope_head_dim is 64; expected: Q_D equals 512 + rope_head_dim [query_shape]",
        ),
        (
            {"block_table": None},
            "block_table is absent; expected: block_table must be present when layout_kv is PA_BSND "
            "[block_table_presence]",
        ),
        (
            {"rope_head_dim": 32},
            "rope_head_dim is 32; expected: rope_head_dim is 0 or 64 [rope_head_dim_value]",
        ),
    ],
)
def test_messages(flash: Checked, changes: dict[str, object], message: str) -> None:
    answer = flash.call(PAGED, changes)
    assert (answer.outputs, answer.message) == (None, message)


def test_a_long_text_is_cut_and_the_id_stays(flash: Checked) -> None:
    message = flash.call(PAGED, {"layout_kv": "x" * 10**5}).message
    assert len(message) < 200
    assert message.endswith("[layout_kv_value]")


def test_one_chip_must_take_the_whole_call(flash: Checked) -> None:
    fp8 = {name: tensor("float8_e4m3fn", 32, 16, 1, 656) for name in ("key", "value")}
    assert flash.call(PAGED, {**fp8, "sparse_block_size": 1}).outputs is not None
    assert flash.call(PAGED, fp8).message == (
        "dtype of key is float8_e4m3fn; expected: the dtype of key is int8 when sparse_block_size is not 1 "
        "or return_softmax_lse is true [key_dtype]"
    )


# --------------------------------------------------------------------------- parameters of every kind


@pytest.fixture(scope="module")
def mixture() -> Checked:
    return Checked(mixed(more=CONSTRAINTS)[0])


@pytest.fixture(scope="module")
def optional() -> Checked:
    none = "{default: null, reason: because}"
    rest = "{bias: {default: null}}, " + ", ".join(
        f"{{{name}: {none}}}" for name in ("count", "ratio", "flag", "text", "steps", "flags", "kind", "mode")
    )
    return Checked(mixed(rest, more=CONSTRAINTS)[0])


def test_parameters_of_every_kind(mixture: Checked) -> None:
    assert mixture.call(MIXTURE).outputs == ("Float 4", "Half 4")


@pytest.mark.parametrize(
    ("changes", "id"),
    [
        ({"lengths": (0, 0, 0)}, "lengths_shape"),
        ({"parts": (tensor("float16", 4), tensor("float16", 5))}, "parts_shape"),
        ({"parts": (tensor("float16", 4), tensor("bfloat16", 4))}, "parts_dtype"),
        ({"parts": ()}, "parts_presence"),
        ({"text": "no"}, "no_text"),
        ({"steps": (2, 1)}, "steps_up"),
        ({"flags": (False, True)}, "flags_set"),
        ({"kind": 0}, "kind_value"),
        ({"kind": 12345}, "kind_value"),
    ],
)
def test_mistakes_in_parameters_of_every_kind(mixture: Checked, changes: dict[str, object], id: str) -> None:
    assert mixture.call(MIXTURE, changes).id == id


def test_none_is_the_registered_default(optional: Checked) -> None:
    nothing = {p.name: None for p in optional.params if p.optional}
    assert optional.call(MIXTURE, nothing).message == ""
    assert optional.call(MIXTURE, {**nothing, "text": "no"}).id == "no_text"
    assert optional.call(MIXTURE, {**nothing, "steps": (2, 1)}).id == "steps_up"
    assert optional.call(MIXTURE, {**nothing, "flags": (False,)}).id == "flags_set"


def test_words_stand_for_numbers() -> None:
    rotary = Checked(load(ROOT / "tests/specs/inplace_partial_rotary_mul.yaml"))
    assert rotary.call(ROTATION).message == ""
    assert rotary.call(ROTATION, {"rotary_mode": "upside%ndown"}).message == (
        "rotary_mode is upside%ndown; expected: one of half, interleave, quarter, interleave-half "
        "[mode_value]"
    )


def test_an_empty_tensor_can_mean_none() -> None:
    norm = Checked(load(ROOT / "spec/rms_norm_dynamic_quant.yaml"))
    call = Call("norm", "A2", {"x": tensor("bfloat16", 4, 32), "gamma": tensor("bfloat16", 32)})
    assert norm.call(call, {"beta": TensorArg("float32", (0,))}).outputs == ("Char 4 32", "Float 4")
    assert norm.call(call, {"beta": tensor("bfloat16", 31)}).id == "beta_shape"
    assert norm.call(call, {"smooth_scale": tensor("float16", 32)}).message.startswith(
        "dtype of smooth_scale is float16,"
    )
