"""aclnn signatures against the headers of the released wheel."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from qsfa_codegen.spec import aclnn
from tests.truth import aclnn_header
from tests.truth.aclnn_header import Parameter
from tests.truth.operators import FIXTURES, SPECS, generated
from tests.truth.wheel import Wheel

# Where a header was written by hand and departs from what the operator definition makes CANN generate.
_BY_HAND = {
    "grouped_matmul_swiglu_quant_weight_nz_tensor_list": {
        Parameter("double", "swigluLimit"): Parameter("float", "swigluLimit"),
        Parameter("const aclTensor *", "output"): Parameter("aclTensor *", "output"),
        Parameter("const aclTensor *", "outputScale"): Parameter("aclTensor *", "outputScale"),
        Parameter("const aclTensor *", "outputOffset"): Parameter("aclTensor *", "outputOffset"),
    },
    "sparse_flash_attention": {
        Parameter("int64_t", "sparseBlockSize"): Parameter("int64_t", "sparseBlockSizeOptional"),
        Parameter("const aclTensor *", "attentionOutOut"): Parameter("const aclTensor *", "attentionOut"),
        Parameter("const aclTensor *", "softmaxMaxOut"): Parameter("const aclTensor *", "softmaxMax"),
        Parameter("const aclTensor *", "softmaxSumOut"): Parameter("const aclTensor *", "softmaxSum"),
    },
}
_TAIL = (Parameter("uint64_t *", "workspaceSize"), Parameter("aclOpExecutor **", "executor"))


def _first_phase(header: str, name: str) -> tuple[Parameter, ...]:
    return aclnn_header.functions(header)[f"{name}GetWorkspaceSize"]


@pytest.mark.parametrize("snake", [*SPECS, *FIXTURES])
def test_signature_is_the_released_one(snake: str, released: Wheel) -> None:
    operator = generated(snake).operator
    by_hand = _BY_HAND.get(snake, {})
    ours = [Parameter(p.ctype, p.name) for p in aclnn.signature(operator)]
    assert set(by_hand) <= set(ours)
    expected = (*(by_hand.get(p, p) for p in ours), *_TAIL)
    assert _first_phase(released.aclnn_header(snake), operator.aclnn.name) == expected


@pytest.mark.parametrize("snake", ["lightning_indexer", "sparse_flash_attention"])
def test_inner_signature_is_the_one_that_cann_generated(snake: str, released: Wheel) -> None:
    operator = generated(snake).operator
    header = released.inner_aclnn_header(snake)
    ours = (*(Parameter(p.ctype, p.name) for p in aclnn.inner_signature(operator)), *_TAIL)
    assert _first_phase(header, operator.aclnn.inner) == ours


@pytest.mark.parametrize("snake", ["kv_quant_sparse_flash_attention", "lightning_indexer"])
def test_generated_header_declares_the_released_functions(snake: str, released: Wheel) -> None:
    """Wrappers keep the public interface, also where CANN itself generated it in the release."""
    ours = aclnn_header.functions(generated(snake).files[f"op_host/op_api/aclnn_{snake}.h"])
    theirs = aclnn_header.functions(released.aclnn_header(snake))
    assert _without_const_handles(ours) == _without_const_handles(theirs)


def _without_const_handles(found: dict[str, tuple[Parameter, ...]]) -> dict[str, tuple[Parameter, ...]]:
    """A handle passed by value is the same to callers whether the function may change its copy."""
    return {name: tuple(map(_without_const_handle, parameters)) for name, parameters in found.items()}


def _without_const_handle(parameter: Parameter) -> Parameter:
    return replace(parameter, ctype=re.sub(r"^const (?=aclrtStream$)", "", parameter.ctype))


@pytest.mark.parametrize("snake", ["add_rms_norm_bias", "rms_norm_dynamic_quant"])
def test_no_header_where_cann_generates_it(snake: str) -> None:
    assert [path for path in generated(snake).files if "op_api" in path] == []
