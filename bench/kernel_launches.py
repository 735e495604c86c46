"""Launches of the generated kernel for Atlas A2 in the emulator, and what they move and issue.

Decode is one query row of 64 heads over 2048 selected of 4096 tokens in pages of 256, on one cube core and
its two vector cores; prefill is 64 such rows on four.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.emulate.program import kernel_sources
from qsfa_codegen.emulate.run import Emulation, How, Prepared
from qsfa_codegen.emulator.launch import CoreCounts
from qsfa_codegen.expr.evaluate import compiled
from qsfa_codegen.reference.families import reference_of
from qsfa_codegen.spec.load import load
from tests.kernel.cases import Case

SPEC = Path(__file__).resolve().parent.parent / "spec" / "kv_quant_sparse_flash_attention.yaml"
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
SHORT = attention("short prefill", (4, 4), layouts=("TND", "PA_BSND"), cores=4)
CASES = (DECODE, PLAIN, SPLIT, WIDE, PREFILL)


# --------------------------------------------------------------------------- what was counted


@dataclass(frozen=True)
class Counted:
    """A launch in numbers. Where it was not traced, there are no bytes by use or repeats."""

    case: Case
    cycles: int
    cube: tuple[CoreCounts, ...]
    vector: tuple[CoreCounts, ...]
    bytes: Mapping[str, int]
    dequantisation_repeats: int
    findings: tuple[str, ...]

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
    def repeats_a_row(self) -> float:
        """Vector repeats that dequantise a selected row."""
        return self.dequantisation_repeats / self.selected

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
        kinds = (
            ("AIC", self.cube, ("M", "MTE1", "MTE2", "FIX")),
            ("AIV", self.vector, ("V", "MTE2", "MTE3")),
        )
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
        asked = list(self._emulation.prepared([case.call() for case in cases]))
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
        findings = tuple(f"{f.at.file}:{f.at.line}: {f.code}: {f.message}" for f in report.findings)
        if not report.complete:
            raise SystemExit(f"{case.name} could not be run to its end: {findings}")
        events = msgspec.json.decode(outcome.trace, type=_Trace).trace_events if traced else []
        details = [event.args for event in events if event.ph == "X"]
        return Counted(
            case,
            report.cycles,
            tuple(core for name, core in report.cores.items() if name.startswith("aic")),
            tuple(core for name, core in report.cores.items() if name.startswith("aiv")),
            self._bytes(prepared, details),
            sum(d.repeats for d in details if "_dequant.h" in d.at),
            findings,
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
            # A term that does not apply takes no bytes.
            size = 0 if term.when is not None and not compiled(term.when)(env) else compiled(term.bytes)(env)
            assert isinstance(size, int)
            yield term.name, range(at, at + size)
            at += size
