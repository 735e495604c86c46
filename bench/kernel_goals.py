"""What launches of the generated kernels should keep to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from bench import hand_written as hand
from bench.kernel_calls import (
    DECODE,
    ONE_MORE,
    ONE_MORE_A5,
    PREFILL,
    SHORT,
    SPLIT,
    SPLIT_A5,
    least_bytes,
)
from bench.kernel_launches import Counted
from bench.kernel_uses import GATHERED, LOADED, QUERY
from bench.limits import Limit
from tests.kernel.cases import NOPE, Case

_Goals = Iterator[tuple[str, float, float]]
_HEADS_OF_A_CORE = 64


def goals(counted: Mapping[Case, Counted]) -> list[Limit]:
    """Every goal for the launches that there are."""
    return [Limit(f"{one.name}: {what}", *figures) for one in counted.values() for what, *figures in _of(one)]


def _of(one: Counted) -> _Goals:
    yield "findings of the emulator", len(one.findings), 0
    yield "MACs, to those of the products alone", one.macs / one.least_macs, 1.0
    yield from _OF_CHIP[one.case.chip](one)
    yield from _OF_CASE.get(one.case, _no_more)(one)


def _no_more(_: Counted) -> _Goals:
    yield from ()


# --------------------------------------------------------------------------- of a chip's kernel


def _of_a2(one: Counted) -> _Goals:
    """Rows are gathered once and loaded once, whatever the number of heads."""
    if not one.bytes:
        return
    loaded = 2 * (NOPE + one.case.rope)
    yield "bytes gathered for a row", one.bytes[GATHERED] / one.selected, _packed(one)
    yield "bytes of dequantised KV to L1 for a row", one.bytes[LOADED] / one.selected, loaded
    if len(one.cube) == 1:
        yield from _query_once(one)
    yield "repeats of dequantisation for a row", one.repeats_a_row, 30.0


def _of_a5(one: Counted) -> _Goals:
    """Nothing goes by way of a workspace. Each side of the heads, of up to 64, gathers rows for itself.

    Cores that share a row have Q and the list each, and what they have of it meets in the output.
    """
    sides = -(-one.case.heads // _HEADS_OF_A_CORE)
    if one.workspace_bytes is not None:
        yield "bytes to and from a workspace", one.workspace_bytes, 0
    shared = one.case in (SPLIT_A5, ONE_MORE_A5)
    if sides == 1 and not shared:
        yield "bytes through GM, to the minimum", one.total_bytes / one.least_bytes, 1.05
    if one.bytes:
        yield "bytes gathered for a row", one.bytes[GATHERED] / one.selected, sides * _packed(one)
        if not shared:
            yield from _query_once(one)
        yield "operations on registers to dequantise a row", one.registers_a_row, sides * 47


def _packed(one: Counted) -> float:
    """Bytes of a row of the cache."""
    return least_bytes(one.case)[GATHERED] / one.selected


def _query_once(one: Counted) -> _Goals:
    yield "bytes of Q, to each head's once", one.bytes[QUERY] / least_bytes(one.case)[QUERY], 1.0


_OF_CHIP: Mapping[str, Callable[[Counted], _Goals]] = {"A2": _of_a2, "A5": _of_a5}


# --------------------------------------------------------------------------- of one case, beside hand-written


def _beside_hand_written(one: Counted) -> _Goals:
    """Its counts are those of decode for each query row."""
    rows, mine = sum(one.case.q), one.vector_counts()
    yield "bytes through GM, to hand-written", one.total_bytes / (hand.TOTAL_BYTES * rows), 0.85
    dma = hand.CUBE["GM DMA"] + hand.VECTOR["GM DMA"]
    yield "GM DMA instructions, to hand-written", one.dma() / (dma * rows), 1.0
    for name in ("vector barriers", "scalar GM reads"):
        yield f"{name}, to hand-written", mine[name] / (hand.VECTOR[name] * rows), 1.0


def _of_decode(one: Counted) -> _Goals:
    yield from _beside_hand_written(one)
    yield "cycles, to hand-written", one.cycles / hand.CYCLES, 0.75


def _of_split(one: Counted) -> _Goals:
    yield "cycles, to hand-written on one core", one.cycles / hand.CYCLES, 0.3


def _even(one: Counted) -> _Goals:
    yield "work of the busiest core, to the mean", one.imbalance, 1.05


def _of_short(one: Counted) -> _Goals:
    yield from _beside_hand_written(one)
    yield from _even(one)


def _of_prefill(one: Counted) -> _Goals:
    yield from _of_short(one)
    yield "cycles, to hand-written", one.cycles / hand.PREFILL_CYCLES, 0.75


_OF_CASE: Mapping[Case, Callable[[Counted], _Goals]] = {
    DECODE: _of_decode,
    SPLIT: _of_split,
    SHORT: _of_short,
    PREFILL: _of_prefill,
    ONE_MORE: _even,
    ONE_MORE_A5: _even,
    SPLIT_A5: _even,
}
