"""The tiling key's template arguments: declarations, and the combinations that are compiled."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from qsfa_codegen.render.package import render
from qsfa_codegen.render.tiling_key import combinations, has_template_key, tiling_key
from qsfa_codegen.spec.layout import encode_key
from qsfa_codegen.spec.load import load
from qsfa_codegen.spec.model import Operator, TilingKey

ROOT = Path(__file__).parents[2]
FLASH = ROOT / "spec" / "kv_quant_sparse_flash_attention.yaml"
PLAIN = ROOT / "tests" / "specs" / "rms_norm_dynamic_quant.yaml"


@pytest.fixture(scope="module")
def flash() -> Operator:
    return load(FLASH)


@pytest.fixture(scope="module")
def key(flash: Operator) -> TilingKey:
    found = tiling_key(flash)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def header(flash: Operator) -> str:
    return render(flash)[f"op_kernel/{flash.snake}_template_tiling_key.h"]


def statements(text: str, macro: str) -> list[list[str]]:
    """Arguments of every use of ``macro``, its line breaks undone."""
    joined = re.sub(r"\s+", " ", text)
    return [found.split(", ") for found in re.findall(rf"{macro}\(([^()]*)\)", joined)]


def test_combinations_that_differ_in_a_flag_are_one(key: TilingKey) -> None:
    v = (1,)
    both = (0, 1)
    assert combinations(key) == [
        ((0,), (0,), (0,), (0,), v, both),
        ((0,), (0,), (1,), (1,), v, both),
        ((0,), (1,), (0,), (2,), v, both),
        ((0,), (1,), (1,), (2,), v, both),
    ]


def test_no_combination_is_lost_or_added(key: TilingKey) -> None:
    spread = set()
    for combination in combinations(key):
        choices: list[tuple[int, ...]] = [()]
        for codes in combination:
            choices = [(*choice, code) for choice in choices for code in codes]
        spread.update(choices)
    assert spread == set(key.legal)
    assert len(key.legal) == 8


def test_two_flags_merge_only_where_all_four_are_legal(key: TilingKey) -> None:
    one = replace(key, legal=((0, 0, 0, 0, 1, 0), (0, 0, 0, 0, 1, 1), (1, 0, 0, 0, 1, 0)))
    assert combinations(one) == [
        ((0, 1), (0,), (0,), (0,), (1,), (0,)),
        ((0,), (0,), (0,), (0,), (1,), (1,)),
    ]


def test_declarations_are_in_the_order_of_the_key(header: str, key: TilingKey) -> None:
    declared = re.findall(r"ASCENDC_TPL_(?:BOOL|UINT)_DECL\((\w+)", header)
    assert declared == [arg.name for arg in key.args]
    widths = {name: int(bits) for name, bits, *_ in statements(header, "ASCENDC_TPL_UINT_DECL")}
    assert widths == {"LAYOUT_T": 4, "KV_LAYOUT_T": 4, "TEMPLATE_MODE": 4}


def test_every_selection_names_every_argument(header: str, key: TilingKey) -> None:
    selections = header.split("ASCENDC_TPL_ARGS_SEL(")[1:]
    assert len(selections) == 4
    for selection in selections:
        names = re.findall(r"ASCENDC_TPL_(?:BOOL|UINT)_SEL\((\w+)", selection)
        assert names == [arg.name for arg in key.args]


def test_codes_are_macros_with_the_code_of_the_enum(header: str, flash: Operator) -> None:
    macros = {
        name: int(code)
        for name, code in re.findall(r"^#define KV_QUANT_SPARSE_FLASH_ATTENTION_(\w+) (\d+)$", header, re.M)
    }
    assert macros == {
        **{f"LAYOUT_{name}": code for name, code in (("BSND", 0), ("TND", 1), ("PA_BSND", 2))},
        **{f"TEMPLATE_MODE_{name}_TEMPLATE": code for name, code in (("C", 0), ("V", 1))},
    }


@pytest.mark.parametrize(("codes", "value"), [((0, 1, 0, 2, 1, 0), 1154), ((0, 0, 1, 1, 1, 0), 1092)])
def test_the_key_is_the_known_one(key: TilingKey, codes: tuple[int, ...], value: int) -> None:
    assert encode_key(key.args, codes) == value


def test_a_plain_key_has_no_template_arguments() -> None:
    operator = load(PLAIN)
    assert tiling_key(operator) is not None
    assert not has_template_key(operator)
    assert not any(path.endswith("_template_tiling_key.h") for path in render(operator))
