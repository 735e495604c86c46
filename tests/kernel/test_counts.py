"""What the generated kernel moves and issues keeps to its goals. Counts alone: the same on every machine."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bench import hand_written
from bench.kernel_counts import limits, report, tables
from bench.kernel_goals import goals
from bench.kernel_launches import DECODE, OTHER, PLAIN, SHORT, SPLIT, WIDE, Bench, Counted
from tests.cli_tools import ROOT

LAUNCHES = (DECODE, PLAIN, SPLIT, WIDE, SHORT)
LOADED = "KV dequantised, GM to L1"
PAGE = (ROOT / "docs/kernel.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def counted() -> Mapping[str, Counted]:
    return Bench().count(LAUNCHES, lambda _: None)


@pytest.mark.parametrize("name", [case.name for case in LAUNCHES])
def test_goals_are_met(name: str, counted: Mapping[str, Counted]) -> None:
    found = goals({name: counted[name]})
    missed = {goal.what: (goal.measured, goal.limit) for goal in found if not goal.met}
    assert missed == {}


def test_each_row_is_gathered_once_and_loaded_once(counted: Mapping[str, Counted]) -> None:
    """656 or 528 bytes of the cache; dequantised 576 or 512 elements of two bytes. Q is loaded once."""
    for name, packed, elements in ((DECODE.name, 656, 576), (PLAIN.name, 528, 512)):
        moved = counted[name].bytes
        assert moved["KV gathered, GM to UB"] == 2048 * packed
        assert moved["KV dequantised, UB to GM"] == 2048 * elements * 2
        assert moved["KV dequantised, GM to L1"] == 2048 * elements * 2
        assert moved["Q, GM to L1"] == 64 * elements * 2
        assert moved["outputs, UB to GM"] == 64 * 512 * 2


@pytest.mark.parametrize("name", [case.name for case in LAUNCHES if case is not SHORT])
def test_uses_of_a_trace_are_all_that_cores_counted(name: str, counted: Mapping[str, Counted]) -> None:
    one = counted[name]
    assert sum(one.bytes.values()) == one.total_bytes
    assert 0 < one.bytes[OTHER] < 0.03 * one.total_bytes


def test_parts_of_hand_written_figures_make_their_total() -> None:
    assert sum(hand_written.BYTES.values()) == hand_written.TOTAL_BYTES
    assert sum(hand_written.LEAST_BYTES.values()) == 1_490_944  # 2048 × 656 + 64 × (576 + 512) × 2 + 2048 × 4
    assert all(hand_written.BYTES[name] >= least for name, least in hand_written.LEAST_BYTES.items())


def test_what_people_and_machines_are_told_is_the_same(counted: Mapping[str, Counted]) -> None:
    told, shown = limits(counted), "\n".join(tables(counted))
    assert shown.count("NOT MET") == sum(not limit["holds"] for limit in told)
    assert len(told) == len(goals(counted))
    assert report(counted)["launches"]
    assert f"{counted[DECODE.name].total_bytes:,}" in shown


def test_the_page_has_what_is_counted(counted: Mapping[str, Counted]) -> None:
    """Within 2 %, so that a small change of the kernel does not ask for a change of the page."""
    rows = PAGE.partition("\n## Counts\n")[2].splitlines()
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows if row.startswith("|")]
    said = {name: tuple(_number(text) for text in (mine, its)) for name, _, mine, its in cells[2:]}
    one, hand = counted[DECODE.name], hand_written
    assert said == {
        "bytes through global memory": (about(one.total_bytes), hand.TOTAL_BYTES),
        "of these KV to L1": (about(one.bytes[LOADED]), hand.BYTES[LOADED]),
        "repeats of dequantisation for a row": (about(one.repeats_a_row), hand.DEQUANTISATION_REPEATS),
        "vector repeats": (about(one.vector_counts()["repeats"]), hand.VECTOR["repeats"]),
        "scalar reads of global memory": (about(one.scalar_reads()), hand.VECTOR["scalar GM reads"]),
        "MACs": (about(one.macs), one.least_macs),
        "cycles": (about(one.cycles), hand.CYCLES),
        "cycles on 8 cores": (about(counted[SPLIT.name].cycles), None),
    }


def _number(text: str) -> float | None:
    return float(text.replace(",", "")) if text else None


def about(value: float) -> object:
    return pytest.approx(value, rel=0.02)
