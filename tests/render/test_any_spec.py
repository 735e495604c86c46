"""Specs that nobody wrote: whatever passes the rules is rendered, compiles, and registers what it says."""

from __future__ import annotations

import random
import subprocess
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.host.build import INCLUDE
from qsfa_codegen.render.package import render
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.load import analyse_text
from qsfa_codegen.spec.model import Attr, DtypeRef, Input, Operator, Output
from tests.spec.strategies import at_random, specs
from tests.spec.test_damaged_specs import DRAFTS, SPECS, damage
from tests.truth import op_def

COMPILE = ("g++", "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{INCLUDE}")
QUIETLY = settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def loaded(text: str) -> Operator:
    """The operator of a spec that must pass every rule."""
    sink = Sink()
    operator = analyse_text(text.encode(), "random.yaml", sink)
    assert operator is not None, [d.message for d in sink] + [text]
    return operator


@QUIETLY
@given(specs())
def test_a_random_spec_is_valid_and_is_rendered(text: str) -> None:
    operator = loaded(text)
    files = render(operator)
    assert f"op_host/{operator.snake}_def.cpp" in files
    assert (f"op_host/{operator.snake}_tiling.cpp" in files) == (operator.tiling is not None)
    assert (f"op_kernel/{operator.snake}.cpp" in files) == (operator.kernel is not None)


# --------------------------------------------------------------------------- damage


@pytest.mark.parametrize("path", [*SPECS, *DRAFTS], ids=lambda p: p.stem)
def test_a_damaged_spec_that_passes_the_rules_is_rendered(path: Path) -> None:
    original = path.read_text(encoding="utf-8")
    chance = random.Random(f"render {path.stem}")
    rendered = 0
    for _ in range(60):
        text = damage(original, chance)
        operator = analyse_text(text.encode(), path.name, Sink())
        if operator is not None:
            assert render(operator), text
            rendered += 1
    assert rendered > 0


# --------------------------------------------------------------------------- read back

PARAM_TYPE = {"required": "REQUIRED", "optional": "OPTIONAL", "dynamic": "DYNAMIC"}
ATTR_CALLS = {
    "int": "Int", "float": "Float", "bool": "Bool", "str": "String", "dtype": "Int",
    "list_int": "ListInt", "list_float": "ListFloat", "list_bool": "ListBool", "list_list_int": "ListListInt",
}  # fmt: skip


@cache
def definition(seed: int) -> tuple[Operator, op_def.Definition]:
    operator = loaded(at_random(seed))
    return operator, op_def.read(render(operator)[f"op_host/{operator.snake}_def.cpp"])


def dtypes_of(operator: Operator, dtype: DtypeRef, chip: str) -> list[str]:
    """Dtypes that a definition registers, one for each row; a single one where all rows have it."""
    while dtype.follow is not None:
        dtype = operator.find(Input, dtype.follow).dtype
    if dtype.fixed is not None:
        return [f"ge::{DTYPES[dtype.fixed].ge}"]
    place = operator.dtypes.columns.index(dtype.column or "")
    rows = dict(operator.dtypes.rows)[chip]
    return [f"ge::{DTYPES[row.dtypes[place]].ge}" for row in rows]


@QUIETLY
@given(st.integers(0, 10**6))
def test_the_definition_registers_what_the_spec_says(seed: int) -> None:
    operator, registered = definition(seed)
    first = operator.chips[0].id
    assert registered.name == operator.name
    assert list(registered.inputs) == [i.name for i in operator.inputs]
    assert list(registered.outputs) == [o.name for o in operator.outputs]
    assert list(registered.attributes) == [a.name for a in operator.attrs]
    assert set(registered.chips) == {chip.soc for chip in operator.chips}
    for parameter in operator.inputs:
        check_parameter(operator, parameter, registered.inputs[parameter.name], first)
    for output in operator.outputs:
        check_parameter(operator, output, registered.outputs[output.name], first)
    for attr in operator.attrs:
        check_attribute(attr, registered.attributes[attr.name])
    check_configurations(operator, registered)


def check_parameter(operator: Operator, param: Input | Output, calls: op_def.Calls, chip: str) -> None:
    assert calls["ParamType"] == (param.registered.value,)
    if isinstance(param, Input) and param.dtype.follow is not None:
        assert calls["Follow"] == (param.dtype.follow,)
        return
    listed = calls.get("DataType") or calls["DataTypeList"]
    assert list(listed) == dtypes_of(operator, param.dtype, chip)
    assert set(calls.get("Format") or calls["FormatList"]) == {f"ge::FORMAT_{param.format}"}
    assert ("AutoContiguous" in calls) == (param.contiguous.value == "auto")
    assert ("IgnoreContiguous" in calls) == (param.contiguous.value == "ignore")
    if isinstance(param, Input):
        depends = param.value_depend.value
        assert calls.get("ValueDepend", ("NONE",)) == (depends.upper(),)


def check_attribute(attr: Attr, calls: op_def.Calls) -> None:
    assert calls["AttrType"] == ("REQUIRED" if attr.required else "OPTIONAL",)
    kind = ATTR_CALLS[attr.type.value]
    assert kind in calls
    if isinstance(attr.default, bool):
        assert calls[kind] == (str(attr.default).lower(),)
    elif attr.type.value in ("int", "str"):
        assert calls[kind] == (str(attr.default),)
    elif isinstance(attr.default, float):
        assert float(calls[kind][0]) == attr.default


def check_configurations(operator: Operator, registered: op_def.Definition) -> None:
    """A chip whose rows are others than the first chip's registers every parameter of a column anew."""
    base = operator.chips[0].id
    for chip in operator.chips[1:]:
        config = registered.chips[chip.soc]
        for param in operator.inputs:
            wanted = dtypes_of(operator, param.dtype, chip.id)
            calls = config.inputs.get(param.name) if config is not None else None
            if calls is not None:
                assert list(calls.get("DataType") or calls["DataTypeList"]) == wanted
            else:
                assert wanted == dtypes_of(operator, param.dtype, base)


# --------------------------------------------------------------------------- compiled


@pytest.mark.parametrize("seed", [7, 59, 94])
def test_host_code_of_a_random_spec_compiles(seed: int, tmp_path: Path) -> None:
    files = {p: text for p, text in render(loaded(at_random(seed))).items() if p.startswith("op_")}
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    sources = [str(path) for path in sorted((tmp_path / "op_host").glob("*.cpp"))]
    assert len(sources) == 3  # the definition, shape inference and tiling
    subprocess.run([*COMPILE, *sources], check=True)
