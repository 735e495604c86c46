"""The specs against the kernels that the wheel has compiled: variants, tiling keys, sizes."""

from __future__ import annotations

import pytest

from qsfa_codegen.spec.columns import registered_dtypes
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.layout import encode_key, struct_layout
from qsfa_codegen.spec.model import Input, Operator, Output, Registered
from tests.truth import template_key
from tests.truth.operators import SOC, SPECS, generated
from tests.truth.wheel import Wheel

_CHIP = "A2"  # the one chip whose kernels the wheel has
_ND = 2  # code of the format in kernel names
_TILED = "kv_quant_sparse_flash_attention"


def _variants(operator: Operator) -> list[dict[str, str]]:
    """Dtypes by parameter, one entry for each dtype row."""
    rows = len(operator.dtypes.rows_of(_CHIP))
    tensors: tuple[Input | Output, ...] = (*operator.inputs, *operator.outputs)
    columns = {f"{type(t).__name__} {t.name}": registered_dtypes(operator, t.dtype, _CHIP) for t in tensors}
    return [{name: c[row % len(c)] for name, c in columns.items()} for row in range(rows)]


@pytest.mark.parametrize("snake", SPECS)
def test_a_kernel_for_each_dtype_row(snake: str, released: Wheel) -> None:
    variants = [
        {f"{kind} {t['name']}": t["dtype"] for kind in ("Input", "Output") for t in entry[f"{kind.lower()}s"]}
        for entry in released.kernel_config(SOC, snake)["binList"]
    ]
    assert sorted(map(str, variants)) == sorted(map(str, _variants(generated(snake).operator)))


@pytest.mark.parametrize("snake", SPECS)
def test_keys_by_which_the_runtime_finds_a_kernel(snake: str, released: Wheel) -> None:
    """Optional inputs do not count: only what every call passes is in the key."""
    operator = generated(snake).operator
    required = [f"Input {i.name}" for i in operator.inputs if i.registered is Registered.REQUIRED]
    counted = [*required, *(f"Output {o.name}" for o in operator.outputs)]
    ours = {
        f"{operator.name}/d={deterministic},p={precision}/"
        + "/".join(f"{DTYPES[variant[name]].code},{_ND}" for name in counted)
        for variant in _variants(operator)
        for deterministic in (0, 1)
        for precision in (0, 1)
    }
    found = released.kernel_config(SOC, snake)["binList"]
    assert ours == {key for entry in found for key in entry["simplifiedKey"]}


@pytest.mark.parametrize("snake", SPECS)
def test_kernels_take_inputs_outputs_and_a_workspace(snake: str, released: Wheel) -> None:
    operator = generated(snake).operator
    expected = len(operator.inputs) + len(operator.outputs) + 1
    assert {len(kernel["parameters"]) for kernel in released.kernels(SOC, snake)} == {expected}


@pytest.mark.parametrize("snake", SPECS)
def test_kernels_know_the_attributes_in_order(snake: str, released: Wheel) -> None:
    names = [attr.name for attr in generated(snake).operator.attrs]
    for kernel in released.kernels(SOC, snake):
        assert [attr["name"] for attr in kernel["supportInfo"]["attrs"]] == names


def test_compiled_tiling_keys_are_the_legal_combinations(released: Wheel) -> None:
    tiling = generated(_TILED).operator.tiling
    assert tiling is not None
    assert tiling.key is not None
    ours = {encode_key(tiling.key.args, codes) for codes in tiling.key.legal}
    assert len(ours) == 8
    for kernel in released.kernels(SOC, _TILED):
        assert {entry["tilingKey"] for entry in kernel["kernelList"]} == ours


def test_declared_template_arguments_are_the_released_ones(released: Wheel) -> None:
    name = f"{_TILED}_template_tiling_key.h"
    ours = template_key.read(generated(_TILED).files[f"op_kernel/{name}"])
    assert ours == template_key.read(released.kernel_source(_TILED, name))


def test_a_tiling_struct_has_the_size_that_kernels_were_compiled_for(released: Wheel) -> None:
    """Kernels are launched with the struct, padded to 8 bytes, and 8 bytes more."""
    tiling = generated(_TILED).operator.tiling
    assert tiling is not None
    assert tiling.data is not None
    assert struct_layout(tiling.data).size == 136
    assert {kernel["opParaSize"] for kernel in released.kernels(SOC, _TILED)} == {136 + 8}


@pytest.mark.parametrize(
    ("snake", "fields"),
    [("add_rms_norm_bias", 21 * 4), ("rms_norm_dynamic_quant", 10 * 8 + 7 * 4)],
)
def test_launch_size_of_structs_counted_by_hand(snake: str, fields: int, released: Wheel) -> None:
    padded = -(-fields // 8) * 8
    assert {kernel["opParaSize"] for kernel in released.kernels(SOC, snake)} == {padded + 8}


def test_task_type_is_the_compiled_one(released: Wheel) -> None:
    kernel = generated(_TILED).operator.kernel
    assert kernel is not None
    assert kernel.task_type == "mix_aic_1_2"
    for compiled in released.kernels(SOC, _TILED):
        tasks = {(entry["kernelType"], entry["taskRation"]) for entry in compiled["kernelList"]}
        assert tasks == {("MIX_AIC", "1:2")}
