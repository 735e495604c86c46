"""Generated C++ is formatted, whatever the operator."""

from __future__ import annotations

from pathlib import Path

import pytest

from qsfa_codegen.render.package import render
from qsfa_codegen.spec.load import load
from tests.render.style import complaints

ROOT = Path(__file__).parents[2]
SPECS = sorted(
    path
    for folder in ("spec", "tests/specs", "tests/render")
    for path in (ROOT / folder).glob("*.yaml")
    if path.name != "chips.yaml"
)


@pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.stem)
def test_generated_cpp_is_formatted(spec: Path, tmp_path: Path) -> None:
    assert complaints(render(load(spec)), tmp_path) == []


def test_the_check_sees_what_is_wrong(tmp_path: Path) -> None:
    long = "int a = 0; // " + "x" * 100
    wrong = {"a.cpp": "int  a;\n", "b.h": f"{long}\n", "c.md": "not C++\n"}
    found = complaints(wrong, tmp_path)
    assert any(line.startswith("a.cpp:1:4: error: code should be clang-formatted") for line in found)
    assert found[-1] == "b.h:1: 114 columns"
    assert not any("c.md" in line for line in found)
