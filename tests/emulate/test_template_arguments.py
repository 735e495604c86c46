"""The template arguments that the emulated kernel gets from a key, by the declarations of the kernel."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from qsfa_codegen.emulator.build import INCLUDE
from qsfa_codegen.render import tiling_key
from qsfa_codegen.render.package import render_these
from tests.emulate.calls import operator

ANSWERS = {
    1154: (0, 1, 0, 2, 1, 0),
    1092: (0, 0, 1, 1, 1, 0),
    1024: (0, 0, 0, 0, 1, 0),
    17538: (0, 1, 0, 2, 1, 1),
    1158: (0, 1, 1, 2, 1, 0),
}
"""Keys worked out by hand: bools have a bit, numbers four, from the lowest one on; the last bit is 2¹⁴."""

LISTED = """
ASCENDC_TPL_ARGS_DECL(Example, ASCENDC_TPL_BOOL_DECL(FIRST, 0, 1),
    ASCENDC_TPL_UINT_DECL(SECOND, 2, ASCENDC_TPL_UI_LIST, 5, 9, 7));
ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_UINT_SEL(SECOND, ASCENDC_TPL_UI_LIST, 9, 7),
    ASCENDC_TPL_BOOL_SEL(FIRST, 1)));
"""
"""Codes that are not their places in the list; a selection in another order than the declaration."""


def refusal(folder: Path, text: str) -> str:
    """What the compiler says against the text; empty when it is content."""
    source = folder / "asked.cpp"
    source.write_text(text)
    command = ["g++", "-std=c++17", "-fsyntax-only", f"-I{INCLUDE}", str(source)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


def declared() -> str:
    (text,) = render_these(operator(), tiling_key.ARTEFACTS).values()
    return text


def told(key: int, place: int) -> str:
    return f"EMULATED_TPL_ARGUMENT({key}, {place})"


def test_arguments_of_known_keys(tmp_path: Path) -> None:
    lines = [
        f"static_assert({told(key, place)} == {value});"
        for key, values in ANSWERS.items()
        for place, value in enumerate(values)
    ]
    assert refusal(tmp_path, "\n".join([declared(), *lines])) == ""


@pytest.mark.parametrize("key", [1155, 130, 1028, 1152])
def test_a_key_that_is_not_selected_does_not_compile(key: int, tmp_path: Path) -> None:
    """Flash decode; no template mode; TND beside BSND; paged code for an unpaged cache."""
    said = refusal(tmp_path, f"{declared()}\nconstexpr int first = {told(key, 0)};\n")
    assert "the tiling key is not among the selected combinations" in said


def test_a_number_goes_into_the_key_as_its_place_in_the_declaration(tmp_path: Path) -> None:
    header = f'#include "ascendc/host_api/tiling/template_argument.h"\n{LISTED}'
    right = [f"static_assert({told(key, 1)} == {value});" for key, value in ((0b011, 9), (0b101, 7))]
    assert refusal(tmp_path, "\n".join([header, *right])) == ""
    assert "not among the selected" in refusal(tmp_path, f"{header}\nconstexpr int a = {told(0b001, 1)};\n")
    assert "not declared" in refusal(tmp_path, f"{header}\nconstexpr int a = {told(0b111, 1)};\n")
