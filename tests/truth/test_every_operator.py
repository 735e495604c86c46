"""Every operator of the wheel: its interface as a spec, and what is generated from that against the wheel.

This is about the rules that hold for any operator: how names, C types, registrations and prototypes
derive. Shapes and constraints are not in the wheel.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.render import package
from qsfa_codegen.spec import aclnn
from qsfa_codegen.spec.load import analyse_text
from tests.truth import aclnn_header, graph_proto, op_def, ops_info, released_spec
from tests.truth.aclnn_header import Parameter
from tests.truth.operators import CHIPS, SOC, Package
from tests.truth.ops_info import Registration
from tests.truth.test_proto import comparable
from tests.truth.wheel import Wheel

# Their weights have another format in some rows than in others; a spec has one format for a parameter.
_FORMAT_BY_ROW = {"grouped_matmul_swiglu_quant", "grouped_matmul_swiglu_quant_v2", "moe_grouped_matmul"}
# An attribute chooses the dtype of an output, and the wheel does not say which one does.
_DTYPE_BY_ATTRIBUTE = {"moe_init_routing_custom", "rms_norm_dynamic_quant"}
# Its attributes came in two versions, and CANN generated a function for each: the second has them all.
_LATEST_VERSION = {"dequant_swiglu_quant": "dequant_swiglu_quant_v2"}
# CANN marks the headers that it generates with this line, in these words.
_GENERATED = "this file was generated automaticlly"


@dataclass(frozen=True, slots=True)
class Released:
    """What the wheel holds of one operator, and the package made from a spec that says as much."""

    registration: Registration
    proto: graph_proto.Proto
    package: Package


@pytest.fixture(scope="module")
def every(released: Wheel) -> dict[str, Released]:
    """All operators whose interface a spec can say, by file name."""
    infos = released.ops_info(SOC)
    found: dict[str, Released] = {}
    for snake in sorted(set(released.snakes) - _FORMAT_BY_ROW - _DTYPE_BY_ATTRIBUTE):
        proto = graph_proto.read(released.proto(snake))
        registration = ops_info.from_json(infos[proto.name])
        found[snake] = Released(registration, proto, _package(snake, registration, proto))
    return found


def _package(snake: str, registration: Registration, proto: graph_proto.Proto) -> Package:
    sink = Sink()
    text = released_spec.write(registration, proto, "A2")
    operator = analyse_text(text.encode(), f"{snake}.yaml", sink, CHIPS)
    assert operator is not None, [d.message for d in sink]
    return Package(operator, package.render(operator))


def test_all_but_five_can_be_said(every: dict[str, Released]) -> None:
    assert len(every) == 31


def test_prototypes(every: dict[str, Released]) -> None:
    for snake, released in every.items():
        ours = graph_proto.read(released.package.files[f"op_graph/{snake}_proto.h"])
        assert comparable(ours) == comparable(released.proto), snake


def test_registrations(every: dict[str, Released]) -> None:
    for snake, released in every.items():
        definition = op_def.read(released.package.files[f"op_host/{snake}_def.cpp"])
        assert ops_info.from_definition(definition, SOC) == released.registration, snake


def test_signatures_that_cann_generated(every: dict[str, Released], released: Wheel) -> None:
    compared = 0
    for snake, entry in every.items():
        for header in released.aclnn_headers_of(_LATEST_VERSION.get(snake, snake)):
            if _GENERATED in header:
                compared += 1
                declared = next(iter(aclnn_header.functions(header).values()))
                ours = [Parameter(p.ctype, p.name) for p in aclnn.inner_signature(entry.package.operator)]
                assert ours == list(declared[:-2]), snake
    assert compared == 25  # of 29: not the first of two versions, not three of the operators left out
