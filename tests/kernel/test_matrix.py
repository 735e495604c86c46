"""What each chip takes: the same in definition, keys, page and tests of the kernels."""

from __future__ import annotations

import re
from itertools import product

import pytest

from qsfa_codegen.render.package import render
from tests.emulate.calls import operator
from tests.kernel import cases, cases_arch35

HALVES = ("FLOAT16", "BF16")
CACHES = {"A2": ("INT8",), "A3": ("INT8",), "A5": ("FLOAT8_E4M3FN", "HIFLOAT8", "INT8")}
"""By hand, from the contract of the operator."""
SOC = {"A2": "ascend910b", "A3": "ascend910_93", "A5": "ascend950"}
LAYOUTS = {("BSND", "BSND"), ("TND", "TND"), ("BSND", "PA_BSND"), ("TND", "PA_BSND")}
CASES = {"A2": cases.all_cases(), "A5": cases_arch35.all_cases()}


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    return render(operator())


def dtypes(text: str, owner: str, parameter: str) -> list[str]:
    """The registered dtypes of a parameter, in the order of the rows."""
    found = re.search(rf'{owner}Input\("{parameter}"\)\s.*?\.DataType\(\{{(.*?)\}}\)', text, re.DOTALL)
    assert found is not None
    return re.findall(r"ge::DT_(\w+)", found[1])


@pytest.mark.parametrize("chip", CACHES)
def test_rows_of_dtypes_are_registered(chip: str, files: dict[str, str]) -> None:
    text = files[f"op_host/{operator().snake}_def.cpp"]
    (config,) = re.findall(rf'AddConfig\("{SOC[chip]}", (\w+)\);', text)
    owner = f"{config}." if f'{config}.Input("key")' in text else r"\n +"
    rows = list(zip(dtypes(text, owner, "query"), dtypes(text, owner, "key"), strict=True))
    assert len(rows) == len(set(rows))
    assert set(rows) == set(product(HALVES, CACHES[chip]))


def test_keys_are_the_layouts_with_and_without_halves_of_the_heads(files: dict[str, str]) -> None:
    text = files[f"op_kernel/{operator().snake}_template_tiling_key.h"].partition("ASCENDC_TPL_SEL(")[2]
    selected = text.split("ASCENDC_TPL_ARGS_SEL(")[1:]
    pairs = [tuple(re.findall(r"_LAYOUT_((?:PA_)?[BT]S?ND)\)", one)) for one in selected]
    assert len(pairs) == len(LAYOUTS)
    assert set(pairs) == LAYOUTS
    assert all("ASCENDC_TPL_BOOL_SEL(IS_SPLIT_G, 0, 1)" in one for one in selected)


@pytest.mark.parametrize("arch", ["arch22", "arch35"])
def test_every_architecture_has_a_body(arch: str, files: dict[str, str]) -> None:
    folder = f"op_kernel/{arch}/{operator().snake}"
    assert f'#include "{operator().snake}_kernel_body.h"' in files[f"{folder}_kernel.h"]
    assert "Process()" in files[f"{folder}_kernel_body.h"]


@pytest.mark.parametrize("chip", CASES)
def test_the_kernel_is_tested_with_every_dtype_and_layout(chip: str) -> None:
    tested = {(case.half, case.cache) for case in CASES[chip]}
    named = {
        (half.replace("BF16", "bfloat16").lower(), cache.lower())
        for half, cache in product(HALVES, CACHES[chip])
    }
    assert tested == named
    assert {case.layouts for case in CASES[chip]} == LAYOUTS
    assert {case.rope for case in CASES[chip]} == {0, 64}
    assert {case.causal for case in CASES[chip]} == {False, True}
    assert {case.heads for case in CASES[chip]} >= {1, 2, 4, 8, 16, 32, 64, 128}


def test_the_page_names_the_dtypes_of_each_chip(files: dict[str, str]) -> None:
    (row,) = (line for line in files["README.en.md"].splitlines() if line.startswith("| `key` | required"))
    cell = row.split("|")[3]
    assert cell.strip().split("<br>") == ["A2, A3: INT8", "A5: INT8, HIFLOAT8, FLOAT8_E4M3FN"]
