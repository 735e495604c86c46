"""The picture of packed rows: numbers worked out by hand, nothing outside of it, and pages that show it."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from qsfa_codegen.render.package import render
from qsfa_codegen.render.row_picture import has_picture
from qsfa_codegen.spec.model import Operator
from tests.review.pairs import operator
from tests.truth.operators import ROOT, SPECS, generated

PICTURES = {"zh": "docs/packed_rows.svg", "en": "docs/packed_rows.en.svg"}
SPEC = (ROOT / "tests/review/rules/QD250/previous.yaml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def flash() -> Operator:
    return generated("kv_quant_sparse_flash_attention").operator


def texts(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    return ["".join(text.itertext()).strip() for text in root.iter("{http://www.w3.org/2000/svg}text")]


def rectangles(svg: str) -> list[tuple[int, int, int, int]]:
    root = ElementTree.fromstring(svg)
    found = root.iter("{http://www.w3.org/2000/svg}rect")
    return [tuple(int(r.attrib[k]) for k in ("x", "y", "width", "height")) for r in found]  # type: ignore[misc]


def test_bytes_of_both_rows(flash: Operator) -> None:
    found = texts(render(flash)[PICTURES["en"]])
    first, second = (
        found.index(f"kv_row · rope_head_dim = {rope}") for rope in ("0 · 528 bytes", "64 · 656 bytes")
    )
    bars = [found[first:second], found[second : found.index("0…3  tiles, and the scale of each")]]
    numbers = [[text for text in bar if re.fullmatch(r"\d{3,}|\d+ bytes", text)] for bar in bars]
    assert numbers[0] == ["512 bytes", "16 bytes", "512", "528"]
    assert numbers[1][:6] == ["512 bytes", "128 bytes", "16 bytes", "512", "640", "656"]


@pytest.mark.parametrize("language", PICTURES)
def test_the_pages_show_it(flash: Operator, language: str) -> None:
    files = render(flash)
    page = files["README.md" if language == "zh" else "README.en.md"]
    assert f"]({PICTURES[language]})" in page
    said = " ".join(texts(files[PICTURES[language]]))
    assert ("字节" in said) == (language == "zh")
    assert "量化后的 NoPE" in said if language == "zh" else "quantised NoPE" in said


def test_equal_fields_stand_below_each_other(flash: Operator) -> None:
    bars = [r for r in rectangles(render(flash)[PICTURES["en"]]) if r[3] > 20]
    tops = sorted({r[1] for r in bars})
    assert len(tops) == 2
    assert min(bars)[0:1] == (20,)
    first = [sorted({(x, w) for x, y, w, _ in bars if y == top})[0] for top in tops]
    assert first[0] == first[1]


@pytest.mark.parametrize("snake", SPECS)
def test_operators_without_rows_have_none(snake: str) -> None:
    files = render(generated(snake).operator)
    has = has_picture(generated(snake).operator)
    assert has == bool(generated(snake).operator.records)
    assert [path in files for path in PICTURES.values()] == [has, has]
    assert ("packed_rows" in files["README.md"]) is has


@pytest.mark.parametrize("count", [1, 3, 40])
def test_nothing_is_outside(count: int) -> None:
    """Rows of many fields, with long names, and text that XML has marks for."""
    names = [f"a_field_with_a_name_that_goes_on_for_long_{n}" for n in range(count)]
    fields = ", ".join(f'{n}: {{dtype: uint8, count: 4, en: "a < b & c", zh: "甲 < 乙"}}' for n in names)
    text = re.sub(r"(?ms)^    fields:.*?(?=^\S)", f"    fields: {{{fields}}}\n", _with_rows())
    svg = render(operator(text))[PICTURES["en"]]
    width, height = (int(ElementTree.fromstring(svg).attrib[k]) for k in ("width", "height"))
    for x, y, w, h in rectangles(svg):
        assert x >= 0
        assert y >= 0
        assert x + w <= width
        assert y + h <= height
    assert sum("a < b & c" in text for text in texts(svg)) == count


def _with_rows() -> str:
    assert "records:" in SPEC
    return SPEC
