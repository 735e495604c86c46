"""What launches of the generated kernel should keep to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from bench import hand_written as hand
from bench.kernel_launches import DECODE, PREFILL, SHORT, SPLIT, USES, Counted


@dataclass(frozen=True)
class Goal:
    """What a launch should keep to: ``measured`` at most ``limit``."""

    case: str
    what: str
    measured: float
    limit: float

    @property
    def met(self) -> bool:
        """Whether it is kept to."""
        return self.measured <= self.limit


_Goals = Iterator[tuple[str, float, float]]
_GATHERED, _LOADED, _QUERY = USES["gm_ub", "key"], USES["gm_l1", "kv"], USES["gm_l1", "query"]


def goals(counted: Mapping[str, Counted]) -> list[Goal]:
    """Every goal for the launches that there are."""
    return [Goal(name, *goal) for name, one in counted.items() for goal in _goals_of(one)]


def _goals_of(one: Counted) -> _Goals:
    yield "findings of the emulator", len(one.findings), 0
    yield "MACs, to those of the products alone", one.macs / one.least_macs, 1.0
    if one.bytes:
        yield from _goals_of_rows(one)
    more = _GOALS.get(one.case.name)
    if more is not None:
        yield from more(one)


def _goals_of_rows(one: Counted) -> _Goals:
    """Rows are gathered once and loaded once, whatever the number of heads."""
    rows, loaded = one.selected, 2 * (512 + one.case.rope)
    yield "bytes gathered for a row", one.bytes[_GATHERED] / rows, 528 + 2 * one.case.rope
    yield "bytes of dequantised KV to L1 for a row", one.bytes[_LOADED] / rows, loaded
    if len(one.cube) == 1:
        yield "bytes of Q, to each head's once", one.bytes[_QUERY] / (one.case.heads * loaded), 1.0
    yield "repeats of dequantisation for a row", one.repeats_a_row, 30.0


def _beside_hand_written(one: Counted) -> _Goals:
    """Its counts are those of decode for each query row."""
    rows, mine = sum(one.case.q), one.vector_counts()
    yield "bytes through GM, to hand-written", one.total_bytes / (hand.TOTAL_BYTES * rows), 0.85
    dma = hand.CUBE["GM DMA"] + hand.VECTOR["GM DMA"]
    yield "GM DMA instructions, to hand-written", one.dma() / (dma * rows), 1.0
    for name in ("vector barriers", "scalar GM reads"):
        yield f"{name}, to hand-written", mine[name] / (hand.VECTOR[name] * rows), 1.0


def _goals_of_decode(one: Counted) -> _Goals:
    yield from _beside_hand_written(one)
    yield "cycles, to hand-written", one.cycles / hand.CYCLES, 0.75


def _goals_of_split(one: Counted) -> _Goals:
    yield "cycles, to hand-written on one core", one.cycles / hand.CYCLES, 0.3


def _goals_of_short(one: Counted) -> _Goals:
    yield from _beside_hand_written(one)
    yield "work of the busiest core, to the mean", one.imbalance, 1.05


def _goals_of_prefill(one: Counted) -> _Goals:
    yield from _goals_of_short(one)
    yield "cycles, to hand-written", one.cycles / hand.PREFILL_CYCLES, 0.75


_GOALS: Mapping[str, Callable[[Counted], _Goals]] = {
    DECODE.name: _goals_of_decode,
    SPLIT.name: _goals_of_split,
    SHORT.name: _goals_of_short,
    PREFILL.name: _goals_of_prefill,
}
