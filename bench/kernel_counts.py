"""What the generated kernel for Atlas A2 moves, issues and takes in the emulator, beside the hand-written one.

Decode is one query row of 64 heads over 2048 selected of 4096 tokens in pages of 256, on one cube core and its two
vector cores; prefill is 64 such rows on four. Everything is counted, nothing timed: the figures are the same on every
machine. `python bench/kernel_counts.py` prints tables, with --json what `make bench` has.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench import hand_written  # noqa: E402 - may be started by its path
from qsfa_codegen.contract.evaluate import Evaluator  # noqa: E402
from qsfa_codegen.emulate.program import kernel_sources  # noqa: E402
from qsfa_codegen.emulate.run import Emulation, How, Prepared  # noqa: E402
from qsfa_codegen.emulator.launch import CoreCounts  # noqa: E402
from qsfa_codegen.expr.evaluate import compiled  # noqa: E402
from qsfa_codegen.reference.families import reference_of  # noqa: E402
from qsfa_codegen.spec.load import load  # noqa: E402
from tests.kernel.cases import Case  # noqa: E402

SPEC = ROOT / "spec" / "kv_quant_sparse_flash_attention.yaml"
TOKENS, SELECTED, PAGE, HEADS = 4096, 2048, 256, 64
GLOBAL_ROUTES = ("gm_ub", "ub_gm", "gm_l1", "l0c_gm")
ON_CHIP_ROUTES = ("l1_l0a", "l1_l0b")

# Bytes by route and tensor, or part of the workspace. What the accumulator is read for is the output.
OTHER = "lists, tables, what cores tell each other"
USES: Mapping[tuple[str, str], str] = {
    ("gm_ub", "key"): "KV gathered, GM to UB",
    ("ub_gm", "kv"): "KV dequantised, UB to GM",
    ("gm_l1", "kv"): "KV dequantised, GM to L1",
    ("gm_l1", "query"): "Q, GM to L1",
    ("l0c_gm", "qk"): "scores, L0C to GM",
    ("gm_ub", "qk"): "scores, GM to UB",
    ("ub_gm", "p"): "P, UB to GM",
    ("gm_l1", "p"): "P, GM to L1",
    ("l0c_gm", "pv"): "P · V, L0C to GM",
    ("gm_ub", "pv"): "P · V, GM to UB",
    ("ub_gm", "pv"): "running output, UB to GM",
    ("gm_ub", "acc"): "running output, GM to UB",
    ("ub_gm", "acc"): "running output, UB to GM",
    ("ub_gm", "attention_out"): "outputs, UB to GM",
    ("ub_gm", "softmax_max"): "outputs, UB to GM",
    ("ub_gm", "softmax_sum"): "outputs, UB to GM",
}
ROWS = (*dict.fromkeys(USES.values()), OTHER)


# --------------------------------------------------------------------------- the calls


def scattered(seed: int) -> tuple[int, ...]:
    """Tokens of one query row: each at most once, in no order."""
    return tuple(int(n) for n in np.random.default_rng(seed).permutation(TOKENS)[:SELECTED])


def attention(name: str, rows: tuple[int, ...] = (1,), **changed: Any) -> Case:
    """Batches of ``rows`` query rows each, of which all see every token that they select."""
    usual: dict[str, Any] = {
        "kv": (TOKENS,) * len(rows),
        "size": SELECTED,
        "page": PAGE,
        "heads": HEADS,
        "causal": False,
        "lse": False,
        "cores": 1,
        "lists": tuple(scattered(row) for row in range(sum(rows))),
    }
    return Case(name, q=rows, **{**usual, **changed})


DECODE = attention("decode")
PLAIN = attention("decode without rope", rope=0)
SPLIT = attention("decode on 8 cores", cores=8)
WIDE = attention("decode of 128 heads", heads=128)
PREFILL = attention("prefill", (32, 32), layouts=("TND", "PA_BSND"), cores=4)
CASES = (DECODE, PLAIN, SPLIT, WIDE, PREFILL)


# --------------------------------------------------------------------------- what was counted


@dataclass(frozen=True)
class Counted:
    """A launch in numbers. Bytes by use and repeats of dequantisation are known where it was traced."""

    case: Case
    cycles: int
    cube: tuple[CoreCounts, ...]
    vector: tuple[CoreCounts, ...]
    bytes: Mapping[str, int]
    dequantisation_repeats: int | None

    @property
    def selected(self) -> int:
        """Rows of the cache that the call selects, over all query rows."""
        return SELECTED * sum(self.case.q)

    @property
    def total_bytes(self) -> int:
        """Bytes through GM by DMA and Fixpipe; atomic additions once."""
        return sum(core.bytes.get(route, 0) for core in self._cores() for route in GLOBAL_ROUTES)

    @property
    def macs(self) -> int:
        """Multiplications of the cube."""
        return sum(core.macs for core in self.cube)

    @property
    def least_macs(self) -> int:
        """Those of Q · Kᵀ and P · V alone."""
        return self.case.heads * self.selected * (512 + self.case.rope + 512)

    @property
    def imbalance(self) -> float:
        """Work of the busiest cube core, by products, to that of all."""
        return max(core.macs for core in self.cube) * len(self.cube) / self.macs

    def scalar_reads(self) -> int:
        """Reads of GM by scalar units."""
        return sum(core.scalar_gm_reads for core in self._cores())

    def dma(self) -> int:
        """Instructions that go to or from GM."""
        return sum(_moves(core, GLOBAL_ROUTES) for core in self._cores())

    def _cores(self) -> tuple[CoreCounts, ...]:
        return self.cube + self.vector

    def cube_counts(self) -> dict[str, int]:
        """What the cube cores issue."""
        return {
            "GM DMA": sum(_moves(core, GLOBAL_ROUTES) for core in self.cube),
            "Mmad": sum(core.instructions.get("M", 0) for core in self.cube),
            "L1 to L0": sum(_moves(core, ON_CHIP_ROUTES) for core in self.cube),
            "flags and barriers": sum(map(_sync, self.cube)),
        }

    def vector_counts(self) -> dict[str, int]:
        """What the vector cores issue. Reads of GM by scalar units are those of all cores."""
        return {
            "GM DMA": sum(_moves(core, GLOBAL_ROUTES) for core in self.vector),
            "vector": sum(core.instructions.get("V", 0) for core in self.vector),
            "repeats": sum(core.repeats for core in self.vector),
            "vector barriers": sum(core.vector_barriers for core in self.vector),
            "flags and barriers": sum(map(_sync, self.vector)),
            "scalar GM reads": self.scalar_reads(),
        }

    def utilisation(self) -> dict[str, float]:
        """Each pipe's share of the cycles in which it has an instruction, on the busiest core."""
        kinds = (("AIC", self.cube, ("M", "MTE1", "MTE2", "FIX")), ("AIV", self.vector, ("V", "MTE2", "MTE3")))
        return {
            f"{kind} {pipe}": max(core.busy.get(pipe, 0) for core in cores) / self.cycles
            for kind, cores, pipes in kinds
            for pipe in pipes
        }


def _moves(core: CoreCounts, routes: Iterable[str]) -> int:
    return sum(core.moves.get(route, 0) for route in routes)


def _sync(core: CoreCounts) -> int:
    return core.flags + core.barriers + core.cross_flags


class _Details(msgspec.Struct, frozen=True):
    """What a trace says of an instruction beside its time."""

    at: str = ""
    route: str = ""
    bytes: int = 0
    tensor: str = ""
    offset: int = 0
    repeats: int = 0


class _Event(msgspec.Struct, frozen=True):
    ph: str
    args: _Details


class _Trace(msgspec.Struct, frozen=True):
    trace_events: list[_Event] = msgspec.field(name="traceEvents")


class Bench:
    """The kernel of the first operator on Atlas A2, and counts of its launches."""

    def __init__(self) -> None:
        self._operator = load(SPEC)
        self._evaluator = Evaluator(self._operator)
        self._chip = next(chip for chip in self._operator.chips if chip.id == "A2")
        family = reference_of(self._operator)
        assert family is not None
        sources = kernel_sources(self._operator, self._chip)
        self._emulation = Emulation(sources, family, self._evaluator)

    def count(self, cases: Sequence[Case], say: Callable[[str], None]) -> dict[str, Counted]:
        """The counts of each case, by its name. Programs are compiled beside each other."""
        asked = [one for one in self._emulation.prepared([case.call() for case in cases])]
        ready = [one for one in asked if isinstance(one, Prepared)]
        assert len(ready) == len(cases), asked
        variants = dict.fromkeys(one.variant for one in ready)
        say(f"compiling {len(variants)} variants of the kernel")
        with ThreadPoolExecutor() as pool:
            list(pool.map(self._emulation.program, variants))
        found = {}
        for case, one in zip(cases, ready, strict=True):
            say(f"counting {case.name}")
            found[case.name] = self._counted(case, one)
        return found

    def _counted(self, case: Case, prepared: Prepared) -> Counted:
        traced = sum(case.q) == 1
        data = self._emulation.filled(prepared.call, 0)
        outcome = self._emulation.launch(prepared, data, How(trace=traced))
        report = outcome.report
        assert report.complete, report.findings
        assert not report.findings, report.findings
        events = msgspec.json.decode(outcome.trace, type=_Trace).trace_events if traced else []
        details = [event.args for event in events if event.ph == "X"]
        return Counted(
            case,
            report.cycles,
            tuple(core for name, core in report.cores.items() if name.startswith("aic")),
            tuple(core for name, core in report.cores.items() if name.startswith("aiv")),
            self._bytes(prepared, details),
            sum(d.repeats for d in details if "_dequant.h" in d.at) if traced else None,
        )

    def _bytes(self, prepared: Prepared, details: Iterable[_Details]) -> dict[str, int]:
        regions = list(self._regions(prepared))
        found: Counter[str] = Counter()
        for one in details:
            if one.route in GLOBAL_ROUTES:
                inside = (name for name, places in regions if one.offset in places)
                tensor = next(inside) if one.tensor == "workspace" else one.tensor
                found[USES.get((one.route, tensor), OTHER)] += one.bytes
        return {name: found[name] for name in ROWS if details}

    def _regions(self, prepared: Prepared) -> Iterator[tuple[str, range]]:
        """The parts of the workspace in order, with their bytes."""
        env, at = self._emulation.subject(prepared.call).env, 0
        tiling = self._operator.tiling
        assert tiling is not None
        for term in dict(tiling.workspace)[self._chip.arch]:
            if term.when is None or compiled(term.when)(env):
                size = compiled(term.bytes)(env)
                assert isinstance(size, int)
                yield term.name, range(at, at + size)
                at += size


# --------------------------------------------------------------------------- goals


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


def goals(counted: Mapping[str, Counted]) -> list[Goal]:
    """Every goal for the launches that there are."""
    return [
        Goal(name, *goal)
        for name, one in counted.items()
        for goal in (*_goals_of_any(one), *_GOALS.get(name, lambda _: ())(one))
    ]


_Goals = Iterator[tuple[str, float, float]]


def _goals_of_any(one: Counted) -> _Goals:
    yield "MACs, to those of the products alone", one.macs / one.least_macs, 1.0
    if one.dequantisation_repeats is not None:
        halves = -(-one.case.heads // HEADS)
        row = 2 * (512 + one.case.rope)
        yield "bytes gathered for a selected row", _a_row(one, USES["gm_ub", "key"]), (528 + 2 * one.case.rope) * halves
        yield "bytes of dequantised KV to L1 for a selected row", _a_row(one, USES["gm_l1", "kv"]), row * halves
        if len(one.cube) == 1:
            yield "bytes of Q, to each head's once", one.bytes[USES["gm_l1", "query"]] / (one.case.heads * row), 1.0
        yield "repeats of dequantisation for a row", _dequantisation(one) / halves, 30.0


def _a_row(one: Counted, use: str) -> float:
    return one.bytes[use] / one.selected


def _dequantisation(one: Counted) -> float:
    assert one.dequantisation_repeats is not None
    return one.dequantisation_repeats / one.selected


def _beside_hand_written(one: Counted, times: int) -> _Goals:
    hand, mine = hand_written, one.vector_counts()
    yield "bytes through GM, to hand-written", one.total_bytes / (hand.TOTAL_BYTES * times), 0.85
    yield "GM DMA instructions, to hand-written", one.dma() / ((hand.CUBE["GM DMA"] + hand.VECTOR["GM DMA"]) * times), 1.0
    for name in ("vector barriers", "scalar GM reads"):
        yield f"{name}, to hand-written", mine[name] / (hand.VECTOR[name] * times), 1.0


def _goals_of_decode(one: Counted) -> _Goals:
    yield from _beside_hand_written(one, 1)
    yield "cycles, to hand-written", one.cycles / hand_written.CYCLES, 0.75


def _goals_of_split(one: Counted) -> _Goals:
    yield "cycles, to hand-written on one core", one.cycles / hand_written.CYCLES, 0.3


def _goals_of_prefill(one: Counted) -> _Goals:
    yield from _beside_hand_written(one, hand_written.PREFILL_TIMES)
    yield "cycles, to hand-written", one.cycles / hand_written.PREFILL_CYCLES, 0.75
    yield "work of the busiest core, to the mean", one.imbalance, 1.05


_GOALS: Mapping[str, Callable[[Counted], Iterable[tuple[str, float, float]]]] = {
    DECODE.name: _goals_of_decode,
    SPLIT.name: _goals_of_split,
    PREFILL.name: _goals_of_prefill,
}


# --------------------------------------------------------------------------- how it is told


def report(counted: Mapping[str, Counted]) -> dict[str, object]:
    """Everything, for machines."""
    return {
        "launches": {name: _figures(one) for name, one in counted.items()},
        "hand_written": {
            "bytes": dict(hand_written.BYTES),
            "total_bytes": hand_written.TOTAL_BYTES,
            "cube": dict(hand_written.CUBE),
            "vector": dict(hand_written.VECTOR),
            "dequantisation_repeats_a_row": hand_written.DEQUANTISATION_REPEATS,
            "cycles": hand_written.CYCLES,
            "prefill_cycles": hand_written.PREFILL_CYCLES,
        },
        "goals": [
            {"case": g.case, "what": g.what, "measured": round(g.measured, 4), "limit": g.limit, "holds": g.met}
            for g in goals(counted)
        ],
    }


def _figures(one: Counted) -> dict[str, object]:
    return {
        "selected_rows": one.selected,
        "bytes": dict(one.bytes),
        "total_bytes": one.total_bytes,
        "macs": one.macs,
        "cube": one.cube_counts(),
        "vector": one.vector_counts(),
        "dequantisation_repeats_a_row": None if one.dequantisation_repeats is None else _dequantisation(one),
        "cycles": one.cycles,
        "utilisation": {pipe: round(share, 3) for pipe, share in one.utilisation().items()},
    }


def tables(counted: Mapping[str, Counted]) -> Iterator[str]:
    """Everything, for people: lines of text."""
    if DECODE.name in counted:
        yield from _decode_table(counted[DECODE.name])
    yield from _others_table(counted)
    yield ""
    yield f"{'goal':<72}{'measured':>11}{'at most':>11}"
    for goal in goals(counted):
        met = "" if goal.met else "  NOT MET"
        yield f"{f'{goal.case}: {goal.what}':<72}{goal.measured:>11,.3f}{goal.limit:>11,.3f}{met}"


def _decode_table(one: Counted) -> Iterator[str]:
    hand, rows = hand_written, one.selected
    yield f"{'decode: bytes through GM':<44}{'ours':>12}{'a row':>8}{'least':>12}{'hand-written':>14}{'a row':>8}{'ratio':>8}"
    for name in ROWS:
        yield _line(name, one.bytes[name], hand.LEAST_BYTES.get(name, 0), hand.BYTES[name], rows)
    least = sum(hand.LEAST_BYTES.values())
    yield _line("total", one.total_bytes, least, hand.TOTAL_BYTES, rows)
    yield ""
    yield f"{'decode: what is issued':<44}{'ours':>12}{'':>8}{'least':>12}{'hand-written':>14}{'':>8}{'ratio':>8}"
    for kind, mine, its in (("cube", one.cube_counts(), hand.CUBE), ("vector", one.vector_counts(), hand.VECTOR)):
        for name, value in mine.items():
            yield _line(f"{kind}: {name}", value, 0, its[name], 0)
    yield _line("MACs", one.macs, one.least_macs, one.least_macs, 0)
    yield _line("repeats of dequantisation, a row", _dequantisation(one), hand.LEAST_REPEATS, hand.DEQUANTISATION_REPEATS, 0)
    yield _line("cycles of the model", one.cycles, 0, hand.CYCLES, 0)
    yield ""


def _line(name: str, mine: float, least: float, its: float, rows: int) -> str:
    def figure(value: float) -> str:
        return f"{value:,.1f}" if isinstance(value, float) else f"{value:,}"

    def share(value: float) -> str:
        return f"{value / rows:,.0f}" if rows else ""

    ratio = f"{mine / its:.3f}" if its else ""
    shown = figure(least) if least else ""
    return f"{name:<44}{figure(mine):>12}{share(mine):>8}{shown:>12}{figure(its):>14}{share(its):>8}{ratio:>8}"


def _others_table(counted: Mapping[str, Counted]) -> Iterator[str]:
    names = list(counted)
    width = max(map(len, names)) + 2
    yield f"{'':<30}" + "".join(f"{name:>{width}}" for name in names)
    per = {
        "selected rows": [f"{one.selected:,}" for one in counted.values()],
        "bytes through GM, a row": [f"{one.total_bytes / one.selected:,.0f}" for one in counted.values()],
        "cycles": [f"{one.cycles:,}" for one in counted.values()],
        "cycles a query row": [f"{one.cycles * len(one.cube) // sum(one.case.q):,}" for one in counted.values()],
        "vector barriers, a row": [
            f"{one.vector_counts()['vector barriers'] / one.selected:.3f}" for one in counted.values()
        ],
    }
    for pipe in next(iter(counted.values())).utilisation():
        per[f"{pipe} busy"] = [f"{one.utilisation()[pipe]:.0%}" for one in counted.values()]
    for what, values in per.items():
        yield f"{what:<30}" + "".join(f"{value:>{width}}" for value in values)


def measure(say: Callable[[str], None]) -> dict[str, Counted]:
    """The counts of every launch."""
    return Bench().count(CASES, say)


def main() -> int:
    """Count, print, and say whether the goals are met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    counted = measure(lambda line: print(line, file=sys.stderr))
    print(json.dumps(report(counted), indent=2) if options.json else "\n".join(tables(counted)))
    return 0 if all(goal.met for goal in goals(counted)) else 1


if __name__ == "__main__":
    sys.exit(main())
