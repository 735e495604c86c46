"""What the generated kernels move and issue keeps to its goals. Counts alone: the same on every machine."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping
from itertools import takewhile
from math import prod

import pytest
from msgspec.structs import replace

from bench import hand_written
from bench.kernel_calls import (
    DECODE,
    DECODE_A5,
    FEW_A5,
    FLOAT8_A5,
    HIFLOAT8_A5,
    PLAIN,
    PLAIN_A5,
    SHORT,
    SPLIT,
    WIDE,
    WIDE_PAIR_A5,
    least_bytes,
)
from bench.kernel_counts import report
from bench.kernel_goals import goals
from bench.kernel_launches import Counted, count
from bench.kernel_tables import tables
from bench.kernel_uses import OTHER
from bench.limits import for_machines
from qsfa_codegen.contract.calls import TensorArg
from tests.cli_tools import ROOT
from tests.kernel.cases import Case

ON_A2 = (DECODE, PLAIN, SPLIT, WIDE, SHORT)
# In dtypes and layouts whose programs the tests of the kernel need too.
FLOAT8 = replace(FLOAT8_A5, layouts=("BSND", "BSND"))
HIFLOAT8 = replace(HIFLOAT8_A5, half="float16")
FEW_HIFLOAT8 = replace(HIFLOAT8, name="decode of 16 heads, hifloat8", heads=16)
SIDES = replace(FLOAT8_A5, name=WIDE_PAIR_A5.name, heads=128, half="float16", layouts=("TND", "TND"), cores=2)
ON_A5 = (DECODE_A5, PLAIN_A5, FEW_A5, FLOAT8, HIFLOAT8, FEW_HIFLOAT8)
LAUNCHES = (*ON_A2, *ON_A5, SIDES)
LOADED = "KV dequantised, GM to L1"


@pytest.fixture(scope="module")
def counted() -> Mapping[Case, Counted]:
    return count(LAUNCHES, lambda _: None)


def by_name(*cases: Case) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=lambda case: f"{case.chip} {case.name}")


@by_name(*LAUNCHES)
def test_goals_are_met(case: Case, counted: Mapping[Case, Counted]) -> None:
    found = goals({case: counted[case]})
    missed = {goal.what: (goal.measured, goal.limit) for goal in found if not goal.holds}
    assert missed == {}


def test_each_row_is_gathered_once_and_loaded_once(counted: Mapping[Case, Counted]) -> None:
    """656 or 528 bytes of the cache; dequantised 576 or 512 elements of two bytes. Q is loaded once."""
    for case, packed, elements in ((DECODE, 656, 576), (PLAIN, 528, 512)):
        moved = counted[case].bytes
        assert moved["KV gathered, GM to UB"] == 2048 * packed
        assert moved["KV dequantised, UB to GM"] == 2048 * elements * 2
        assert moved["KV dequantised, GM to L1"] == 2048 * elements * 2
        assert moved["Q, GM to L1"] == 64 * elements * 2
        assert moved["outputs, UB to GM"] == 64 * 512 * 2


@by_name(*(case for case in LAUNCHES if case is not SHORT))
def test_uses_of_a_trace_are_all_that_cores_counted(case: Case, counted: Mapping[Case, Counted]) -> None:
    one = counted[case]
    assert sum(one.bytes.values()) == one.total_bytes
    assert 0 < one.bytes[OTHER] < 0.03 * one.total_bytes


# --------------------------------------------------------------------------- Ascend 950, beside the minimum

CACHE_LINE = 64


def minimum(case: Case) -> int:
    """From the tensors of the call: Q, the list, the rows that it selects, and the output, each once."""
    given = case.call().inputs
    query, key, indices = (given[name] for name in ("query", "key", "sparse_indices"))
    assert isinstance(query, TensorArg)
    assert isinstance(key, TensorArg)
    assert isinstance(indices, TensorArg)
    assert indices.data is not None
    heads = prod(query.shape[:-1])
    selected = {entry for entry in indices.data if entry != -1}
    return (
        2 * heads * query.shape[-1]
        + 2 * heads * 512
        + 4 * prod(indices.shape)
        + len(selected) * key.shape[-1]  # an element of the cache is a byte
    )


@by_name(*ON_A5)
def test_up_to_64_heads_move_little_more_than_the_minimum(
    case: Case, counted: Mapping[Case, Counted]
) -> None:
    """Scalar reads count as a cache line each, though most of them are in one that has been read."""
    one = counted[case]
    assert case.heads <= 64
    assert one.workspace_bytes == 0
    assert one.total_bytes + CACHE_LINE * one.scalar_reads() <= 1.05 * minimum(case)
    assert one.least_bytes == minimum(case)


def test_more_heads_are_gathered_for_each_side(counted: Mapping[Case, Counted]) -> None:
    """Each of two cores has 64 heads, and rows, list and table of its own; the workspace is not used."""
    one = counted[SIDES]
    assert one.workspace_bytes == 0
    assert one.bytes["KV gathered, GM to UB"] == 2 * 2048 * 656
    assert one.bytes["Q, GM to L1"] == 128 * 576 * 2
    assert one.bytes["outputs, UB to GM"] == 128 * 512 * 2
    assert 1.8 < one.total_bytes / minimum(SIDES) < 1.9


# --------------------------------------------------------------------------- what is told


def test_parts_of_hand_written_figures_make_their_total() -> None:
    assert sum(hand_written.BYTES.values()) == hand_written.TOTAL_BYTES
    least = least_bytes(DECODE)
    assert sum(least.values()) == 1_490_944  # 2048 × 656 + 64 × (576 + 512) × 2 + 2048 × 4
    assert all(hand_written.BYTES[name] >= value for name, value in least.items())


def test_what_people_and_machines_are_told_is_the_same(counted: Mapping[Case, Counted]) -> None:
    told, shown = for_machines(goals(counted)), "\n".join(tables(counted))
    assert shown.count("NOT MET") == sum(not limit["holds"] for limit in told)
    assert len(told) == len({limit["what"] for limit in told})
    assert all(str(limit["what"]) in shown for limit in told)
    launches = json.loads(json.dumps(report(counted)))["launches"]
    assert list(launches) == [one.name for one in counted.values()]
    assert all(f"{one['total_bytes']:,}" in shown for one in launches.values())


def test_a_goal_that_is_missed_is_told(counted: Mapping[Case, Counted]) -> None:
    worse = {DECODE_A5: dataclasses.replace(counted[DECODE_A5], workspace_bytes=64)}
    missed = [limit for limit in for_machines(goals(worse)) if not limit["holds"]]
    what = "A5 decode: bytes to and from a workspace"
    assert missed == [{"what": what, "measured": 64, "limit": 0, "holds": False}]
    (line,) = (line for line in tables(worse) if line.endswith("NOT MET"))
    assert line.split("  ")[0] == what


def test_both_chips_stand_beside_the_minimum(counted: Mapping[Case, Counted]) -> None:
    lines = iter(tables(counted))
    assert next(lines) == (
        "decode: 1 query row of 64 heads over 2,048 of 4,096 tokens, int8 with RoPE 64, Q bfloat16, on "
        "1 cube core and 2 vector cores"
    )
    assert next(lines) == ""
    head, *rows = takewhile(bool, lines)
    assert re.split(r"  +", head) == ["bytes through GM", "A2", "A5", "minimum", "hand-written, A2"]
    cells = {name: tuple(found) for name, *found in (re.split(r"  +", row) for row in rows)}
    assert cells["KV gathered, GM to UB"] == ("1,343,488",) * 4
    assert cells["KV dequantised, GM to L1"] == ("2,359,296", "0", "0", "4,456,448")
    a2, a5 = counted[DECODE], counted[DECODE_A5]
    assert cells["total"] == (f"{a2.total_bytes:,}", f"{a5.total_bytes:,}", "1,490,944", "11,956,272")
    assert cells["of these, to and from the workspace"] == (f"{a2.workspace_bytes:,}", "0", "0")


# --------------------------------------------------------------------------- the pages


def counts_of(page: str) -> Iterator[list[str]]:
    """The cells of each row of the tables under "Counts", the heads of tables left out."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8").partition("\n## Counts\n")[2]
    rows = [row for row in text.splitlines() if row.startswith("|")]
    for row, following in zip(rows, [*rows[1:], ""], strict=True):
        if not row.startswith("|---") and not following.startswith("|---"):
            yield [cell.strip() for cell in row.strip("|").split("|")]


def figures(page: str) -> dict[str, list[float | None]]:
    return {
        name: [float(cell.replace(",", "")) if cell else None for cell in cells]
        for name, *cells in counts_of(page)
    }


def about(value: float) -> object:
    """Within 2 %, so that a small change of the kernel does not ask for a change of the page."""
    return pytest.approx(value, rel=0.02)


def test_the_page_of_a2_has_what_is_counted(counted: Mapping[Case, Counted]) -> None:
    one, hand = counted[DECODE], hand_written
    assert {name: cells[1:] for name, cells in figures("kernel.md").items()} == {
        "bytes through global memory": [about(one.total_bytes), hand.TOTAL_BYTES],
        "of these KV to L1": [about(one.bytes[LOADED]), hand.BYTES[LOADED]],
        "repeats of dequantisation for a row": [about(one.repeats_a_row), hand.DEQUANTISATION_REPEATS],
        "vector repeats": [about(one.vector_counts()["repeats"]), hand.VECTOR["repeats"]],
        "scalar reads of global memory": [about(one.scalar_reads()), hand.VECTOR["scalar GM reads"]],
        "MACs": [about(one.macs), one.least_macs],
        "cycles": [about(one.cycles), hand.CYCLES],
        "cycles on 8 cores": [about(counted[SPLIT].cycles), None],
    }


def test_the_page_of_a5_has_what_is_counted(counted: Mapping[Case, Counted]) -> None:
    mine, its = counted[DECODE_A5], counted[DECODE]
    named = {
        "int8": DECODE_A5,
        "int8, 16 heads": FEW_A5,
        "int8, RoPE 0": PLAIN_A5,
        "fp8_e4m3fn": FLOAT8,
        "hifloat8": HIFLOAT8,
    }

    def percent(pipe: str) -> list[object]:
        return [pytest.approx(100 * one.utilisation()[pipe], abs=1.5) for one in (mine, its)]

    found = figures("kernel-ascend950.md")
    sides = {name: found.pop(name) for name in list(found) if name.startswith("int8, 128 heads")}
    assert found == {
        "bytes through global memory": [about(mine.total_bytes), about(its.total_bytes), 1_490_944],
        "of these to and from a workspace": [0, about(its.workspace_bytes or 0), 0],
        "bytes between cores by other ways": [about(sum(mine.on_chip_bytes().values())), 0, None],
        "MACs": [mine.macs, its.macs, mine.least_macs],
        "operations on registers to dequantise a row": [about(mine.registers_a_row), None, None],
        "vector operations: on registers, on Atlas A2 repeats": [
            about(mine.vector_counts()["operations on registers"]),
            about(its.vector_counts()["repeats"]),
            None,
        ],
        "cycles of the model": [about(mine.cycles), about(its.cycles), None],
        "of these the vector pipe works, %": [*percent("AIV V"), None],
        "of these products are made, %": [*percent("AIC M"), None],
        **{name: row(counted[case]) for name, case in named.items()},
    }
    assert list(sides) == ["int8, 128 heads on one core", "int8, 128 heads on two"]
    assert all(cells[:3] == row(counted[SIDES])[:3] for cells in sides.values())


def row(one: Counted) -> list[object]:
    ratio = pytest.approx(one.total_bytes / minimum(one.case), abs=0.001)
    return [about(one.total_bytes), minimum(one.case), ratio, about(one.cycles)]
