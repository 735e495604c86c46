"""The specs among the tests load and say what their operators do: facts copied by hand from public code."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from qsfa_codegen.diagnostics import Severity, Sink
from qsfa_codegen.expr.nodes import ParamQuery, Query
from qsfa_codegen.spec.load import analyse
from qsfa_codegen.spec.model import (
    Attr,
    Check,
    Contiguous,
    Dim,
    DimItem,
    Domain,
    Input,
    InputKind,
    Operator,
    Output,
    Presence,
    Registered,
    RestItem,
    Shape,
    Table,
    ValueDepend,
)

HERE = Path(__file__).parent
CHIPS = HERE.parents[1] / "spec" / "chips.yaml"
NAMES = tuple(sorted(p.stem for p in HERE.glob("*.yaml")))


@cache
def _loaded(name: str) -> tuple[Operator, tuple[str, ...]]:
    sink = Sink()
    operator = analyse(HERE / f"{name}.yaml", sink, CHIPS)
    assert operator is not None, [d.message for d in sink]
    return operator, tuple(d.code for d in sink if d.severity is Severity.WARNING)


def _operator(name: str) -> Operator:
    return _loaded(name)[0]


def _shape(parameter: Input | Output) -> Shape:
    assert isinstance(parameter.shape, Shape)
    return parameter.shape


def _dims(parameter: Input | Output) -> list[str | None]:
    return [item.dim if isinstance(item, DimItem) else item.name for item in _shape(parameter).items]


def _checks(operator: Operator, id: str) -> list[Check]:
    return [check for check in operator.checks if check.id == id]


UNDOCUMENTED = "QS500"
NO_BLOCK_DIM = "QS477"
NO_TILING_FILES = "QS478"
UNUSED = "QS442"
# These specs say contracts only: their parameters have no documentation, and their tilings are sketches.
_WARNINGS = {
    "chunk_gated_delta_rule_fwd_h": {UNDOCUMENTED: 13},
    "grouped_matmul_swiglu_quant_weight_nz_tensor_list": {
        UNDOCUMENTED: 8,
        NO_BLOCK_DIM: 1,
        NO_TILING_FILES: 1,
    },
    "inplace_partial_rotary_mul": {UNDOCUMENTED: 6},
    "rms_norm_dynamic_quant": {UNDOCUMENTED: 12, UNUSED: 1},
    "sparse_flash_attention": {UNDOCUMENTED: 21},
    "store_kv_block": {UNDOCUMENTED: 6},
}


@pytest.mark.parametrize("name", NAMES)
def test_loads_without_errors_and_with_these_warnings(name: str) -> None:
    operator, warnings = _loaded(name)
    assert operator.snake == name
    assert Counter(warnings) == _WARNINGS[name]


@pytest.mark.parametrize("path", sorted(set(CHIPS.parent.glob("*.yaml")) - {CHIPS}), ids=lambda p: p.stem)
def test_specs_of_the_project_have_no_findings_at_all(path: Path) -> None:
    sink = Sink()
    assert analyse(path, sink, CHIPS) is not None
    assert [d.message for d in sink] == []


# --------------------------------------------------------------------------- in place


def test_an_output_in_place_has_the_name_and_memory_of_the_input() -> None:
    operator = _operator("inplace_partial_rotary_mul")
    (output,) = operator.outputs
    assert (output.name, output.alias) == ("x", "x")
    assert operator.find(Input, "x").mutated
    assert _dims(output) == ["B", "S", "N", "D"]


def test_a_default_is_a_trap_on_some_chips_only() -> None:
    mode = _operator("inplace_partial_rotary_mul").find(Attr, "mode")
    assert mode.default == 0
    assert mode.trap is not None
    assert mode.trap.chips == ("A2", "A3")
    assert isinstance(mode.domain, Table)
    accepted = {label: domain for label, domain in mode.domain.cases if isinstance(domain, Domain)}
    assert [v.value for v in accepted["arch22"].values] == [1]
    assert [v.name for v in accepted["arch35"].values] == ["half", "interleave", "quarter", "interleave_half"]


def test_flags_differ_by_chip() -> None:
    flags = {r.chip: r.flags for r in _operator("inplace_partial_rotary_mul").registration}
    named = ("dynamic_compile_static", "dynamic_rank", "dynamic_shape")
    assert flags.get("A2", ()) == flags.get("A3", ()) == ()
    assert flags["A5"] == tuple((name, True) for name in named)


def test_like_means_the_same_sizes_not_the_same_choices() -> None:
    """cos may have S or 1; sin must then have what cos has."""
    sin = _operator("inplace_partial_rotary_mul").find(Input, "sin")
    assert isinstance(sin.shape, Table)
    shapes = {label: shape for label, shape in sin.shape.cases if isinstance(shape, Shape)}
    second = shapes["arch22"].items[1]
    assert isinstance(second, DimItem)
    assert isinstance(second.size, ParamQuery)
    assert (second.size.query, second.size.param, second.size.axis) == (Query.DIM, "cos", 1)
    assert second.options == ()


# --------------------------------------------------------------------------- names, no outputs


def test_acronyms_in_an_operator_name_are_words() -> None:
    operator = _operator("store_kv_block")
    assert (operator.name, operator.snake) == ("StoreKVBlock", "store_kv_block")
    assert operator.outputs == ()
    assert [i.name for i in operator.inputs if i.mutated] == ["keyCacheIn"]


def test_an_attribute_is_a_size_and_inner_axes_are_open() -> None:
    operator = _operator("store_kv_block")
    cache_shape = _shape(operator.find(Input, "keyCacheIn"))
    assert cache_shape.rank is None
    size = cache_shape.items[1]
    assert isinstance(size, DimItem)
    assert size.size is not None
    inner = _shape(operator.find(Input, "keyIn")).items[2]
    assert isinstance(inner, RestItem)
    assert (inner.name, inner.min_rank, inner.max_rank) == ("INNER", 0, 5)


def test_required_without_a_registered_default() -> None:
    size = _operator("store_kv_block").find(Attr, "blockSize")
    assert size.required
    assert size.default is None


# --------------------------------------------------------------------------- lists, formats


def test_lists_of_tensors_in_a_private_format() -> None:
    operator = _operator("grouped_matmul_swiglu_quant_weight_nz_tensor_list")
    weight = operator.find(Input, "weight")
    assert weight.kind is InputKind.TENSOR_LIST
    assert weight.registered is Registered.DYNAMIC
    assert weight.format == "FRACTAL_NZ"
    assert weight.storage is not None
    assert weight.storage.rank == 4
    kinds = {i.name: i.registered for i in operator.inputs}
    assert [name for name, kind in kinds.items() if kind is Registered.DYNAMIC] == ["weight", "weight_scale"]
    assert all(i.contiguous is Contiguous.NONE for i in operator.inputs)


def test_a_dim_is_the_length_of_a_list() -> None:
    operator = _operator("grouped_matmul_swiglu_quant_weight_nz_tensor_list")
    experts = operator.find(Dim, "E").value
    assert isinstance(experts, ParamQuery)
    assert (experts.query, experts.param) == (Query.COUNT, "weight")


def test_a_function_written_outside() -> None:
    tiling = _operator("grouped_matmul_swiglu_quant_weight_nz_tensor_list").tiling
    assert tiling is not None
    (extern,) = tiling.externs
    assert (extern.name, extern.args) == ("max_rows", ("ub_size", "N"))


# --------------------------------------------------------------------------- values, required defaults


def test_inputs_whose_values_tiling_reads() -> None:
    operator = _operator("chunk_gated_delta_rule_fwd_h")
    depend = {i.name: i.value_depend for i in operator.inputs if i.value_depend is not ValueDepend.NONE}
    assert depend == {"cu_seqlens": ValueDepend.OPTIONAL, "chunk_indices": ValueDepend.OPTIONAL}
    assert operator.find(Input, "inital_state").contiguous is Contiguous.IGNORE


def test_required_attributes_with_a_registered_default() -> None:
    operator = _operator("chunk_gated_delta_rule_fwd_h")
    assert [(a.name, a.required, a.default) for a in operator.attrs] == [
        ("output_final_state", True, False),
        ("chunk_size", True, 64),
        ("inital_state_stride0", True, 0),
    ]


def test_presence_depends_on_another_input() -> None:
    presence = _operator("chunk_gated_delta_rule_fwd_h").find(Input, "chunk_indices").presence
    assert isinstance(presence, Table)
    assert presence.cases == (("true", Presence.REQUIRED), ("false", Presence.ABSENT))


def test_an_output_takes_the_dtype_of_an_absent_input_from_another_column() -> None:
    dtypes = _operator("chunk_gated_delta_rule_fwd_h").dtypes
    assert dtypes.unbound == (("state", "io"),)
    assert dtypes.column("state", "A2") == (
        *("bfloat16", "float16", "float32", "float32"),
        *("bfloat16", "float16", "float32", "float32"),
    )


# --------------------------------------------------------------------------- required though optional


def test_required_by_the_contract_though_registered_optional() -> None:
    operator = _operator("sparse_flash_attention")
    for name in ("query_rope", "key_rope"):
        rope = operator.find(Input, name)
        assert (rope.registered, rope.presence) == (Registered.OPTIONAL, Presence.REQUIRED)
        assert _checks(operator, f"{name}_presence")


def test_an_inner_interface_has_the_name_that_is_said() -> None:
    assert _operator("sparse_flash_attention").aclnn.inner == "aclnnInnerSparseFlashAttention"


# --------------------------------------------------------------------------- dtype attribute, plain key


def test_an_attribute_chooses_the_output_dtype() -> None:
    operator = _operator("rms_norm_dynamic_quant")
    assert operator.dtypes.select == (("y", "dst_type"),)
    assert operator.find(Attr, "dst_type").default == "int8"
    assert operator.find(Attr, "output_mask").lengths == (0, 2)
    assert operator.find(Attr, "epsilon").default == pytest.approx(1e-6)


def test_leading_axes_are_open() -> None:
    operator = _operator("rms_norm_dynamic_quant")
    assert _dims(operator.find(Input, "x")) == ["ROWS", "D"]
    assert _dims(operator.find(Output, "scale1")) == ["ROWS"]


@pytest.mark.parametrize("name", ["rms_norm_dynamic_quant", "store_kv_block"])
def test_a_plain_key_has_no_template_arguments(name: str) -> None:
    tiling = _operator(name).tiling
    assert tiling is not None
    assert tiling.data is None
    assert tiling.key is not None
    assert tiling.key.plain is not None
    assert tiling.key.args == ()
