"""Generated operator definitions against what the released wheel registers on its chip."""

from __future__ import annotations

import pytest

from qsfa_codegen.spec.model import Operator
from qsfa_codegen.spec.names import snake as snake_of
from tests.truth import op_def, ops_info
from tests.truth.operators import FIXTURES, SOC, SPECS, generated
from tests.truth.ops_info import Registration
from tests.truth.wheel import Wheel


def _released(operator: Operator, wheel: Wheel) -> Registration:
    return ops_info.from_json(wheel.ops_info(SOC)[operator.name])


@pytest.mark.parametrize("snake", [*SPECS, *FIXTURES])
def test_definition_registers_what_is_released(snake: str, released: Wheel) -> None:
    package = generated(snake)
    definition = op_def.read(package.files[f"op_host/{snake}_def.cpp"])
    assert definition.name == package.operator.name
    assert ops_info.from_definition(definition, SOC) == _released(package.operator, released)


@pytest.mark.parametrize("snake", [*SPECS, *FIXTURES])
def test_definition_adds_every_chip_of_the_spec(snake: str) -> None:
    package = generated(snake)
    definition = op_def.read(package.files[f"op_host/{snake}_def.cpp"])
    assert list(definition.chips) == [chip.soc for chip in package.operator.chips]


def test_file_names_are_those_of_the_build_tool(released: Wheel) -> None:
    """Every operator's file name, from its op type: the tool that builds kernels looks for this one."""
    registered = released.ops_info(SOC)
    files = {name: entry["opFile"]["value"] for name, entry in registered.items()}
    assert {name: snake_of(name) for name in registered} == files
