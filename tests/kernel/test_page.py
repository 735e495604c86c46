"""What docs/kernel.md says of flags, files and sizes is what the templates have."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.cli_tools import ROOT

PAGE = (ROOT / "docs/kernel.md").read_text(encoding="utf-8")
FAMILY = ROOT / "templates/op_kernel/sparse_mla"
TEMPLATES = {
    path.name.removesuffix(".h.j2"): path
    for arch in ("common", "arch", "arch22")
    for path in (FAMILY / arch).iterdir()
}
SPEC = (ROOT / "spec/kv_quant_sparse_flash_attention.yaml").read_text(encoding="utf-8")
PLAN = SPEC.partition("\n  plan:")[2].partition("\n    arch35:")[0]
SIDES = {
    "cube": ("cube",),
    "vector": ("vector", "tiles", "softmax", "output", "batches", "gather", "dequant", "list", "merge"),
}


def template(name: str) -> str:
    return TEMPLATES[name].read_text(encoding="utf-8")


def side(name: str) -> str:
    return "".join(map(template, SIDES[name]))


def table(heading: str) -> Iterator[list[str]]:
    """Cells of the first table below a heading, without its head."""
    below = PAGE.partition(f"\n## {heading}\n")[2]
    lines = [line for line in below.partition("\n## ")[0].splitlines() if line.startswith("|")]
    for line in lines[2:]:
        yield [cell.strip() for cell in line.strip("|").split("|")]


FLAGS = {cells[0].strip("`"): cells[1:] for cells in table("Flags")}


def test_every_flag_stands_in_the_page() -> None:
    declared = dict(re.findall(r"constexpr uint16_t (\w+) = (\d+);", template("flags")))
    assert {name: cells[0] for name, cells in FLAGS.items()} == declared


@pytest.mark.parametrize("name", FLAGS)
def test_a_flag_is_set_and_waited_for_where_the_page_says(name: str) -> None:
    _, setter, pipe, waiter, *_ = FLAGS[name]
    assert {setter, waiter} == set(SIDES)
    assert re.findall(rf"CrossCoreSetFlag<GROUP, PIPE_(\w+)>\({name}\)", side(setter)) == [pipe]
    assert f"SetFlag<GROUP, PIPE_{pipe}>({name})" not in side(waiter)
    assert f"CrossCoreWaitFlag({name})" in side(waiter)
    assert f"CrossCoreWaitFlag({name})" not in side(setter)


def test_every_file_stands_in_the_page() -> None:
    listed = set(re.findall(r"`(\w+)\.h`", PAGE.partition("\n## Words\n")[0]))
    assert listed == TEMPLATES.keys() | {"kernel"}


@pytest.mark.parametrize(
    ("parameter", "said"),
    [
        ("tile_rows", "{} rows: what the cube core multiplies at a time"),
        ("batch_rows", "{} rows that one vector core gathers"),
        ("ring_tiles", "between vector cores and cube core: {} |"),
        ("list_tokens", "up to {} tokens at a time"),
        ("table_pages", "in UB up to {} entries"),
    ],
)
def test_sizes_are_those_of_the_plan(parameter: str, said: str) -> None:
    (value,) = re.findall(rf"\n      {parameter}: +{{value: (\d+),", PLAN)
    assert said.format(value) in PAGE


@pytest.mark.parametrize(
    ("name", "declared", "said"),
    [
        ("softmax", "float SLACK = 8.0F", "exceeds it by more than 8"),
        ("step", "float LOWEST = -2.0e38F", "logits −2·10³⁸"),
        ("plan", "int64_t ROW_WORK = 64", "tokens that it may see), plus 64"),
        ("shared", "int64_t PART_TOKENS = 2 * TILE_ROWS", "none for less than 256 tokens"),
        ("shared", "int64_t MOST_PARTS = 64", "no more than 64"),
        ("core_rows", "int64_t unit = 2 * BATCH_ROWS", "in multiples of 32"),
        ("core_rows", "int64_t MERGE_WORK = 2 * TILE_ROWS", "with 256 tokens for putting parts together"),
        ("vector", "uint32_t SOFTMAX_LAG = 2", "softmax of step *t* − 2"),
        ("vector", "uint32_t OUTPUT_LAG = 2", "output of step *t* − 4"),
    ],
)
def test_numbers_are_those_of_the_templates(name: str, declared: str, said: str) -> None:
    assert f"constexpr {declared};" in template(name)
    assert said in " ".join(PAGE.split())
