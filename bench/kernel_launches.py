"""Launches of the generated kernels in the emulator, and what they move and issue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import msgspec

from bench.kernel_calls import SELECTED, least_bytes
from bench.kernel_uses import GLOBAL_ROUTES, ON_CHIP, OTHER, ROWS, TO_OPERANDS, USES
from qsfa_codegen.commands.workers import usable_cores
from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.emulate.program import Variant, kernel_sources
from qsfa_codegen.emulate.run import Emulation, How, Prepared
from qsfa_codegen.emulator.launch import CoreCounts
from qsfa_codegen.expr.evaluate import compiled
from qsfa_codegen.reference.families import reference_of
from qsfa_codegen.spec.load import load
from qsfa_codegen.spec.model import Operator
from tests.kernel.cases import NOPE, Case

SPEC = Path(__file__).resolve().parent.parent / "spec" / "kv_quant_sparse_flash_attention.yaml"


@dataclass(frozen=True)
class Dequantisation:
    """What the vector unit takes for it: repeats of instructions on memory, operations on registers."""

    repeats: int
    registers: int


@dataclass(frozen=True)
class Counted:
    """A launch in numbers. Where it was not traced, there are no bytes by use, and no ``dequantisation``.

    ``workspace_bytes`` go to the workspace or come from it; None where nobody knows how many.
    """

    case: Case
    cycles: int
    cube: tuple[CoreCounts, ...]
    vector: tuple[CoreCounts, ...]
    bytes: Mapping[str, int]
    workspace_bytes: int | None
    dequantisation: Dequantisation
    findings: tuple[str, ...]

    @property
    def name(self) -> str:
        """The case with its chip."""
        return f"{self.case.chip} {self.case.name}"

    @property
    def selected(self) -> int:
        """Rows of the cache that the call selects, over all query rows."""
        return SELECTED * sum(self.case.q)

    @property
    def total_bytes(self) -> int:
        """Bytes through GM by DMA and Fixpipe; atomic additions once."""
        return sum(core.bytes.get(route, 0) for core in self._cores() for route in GLOBAL_ROUTES)

    @property
    def least_bytes(self) -> int:
        """What any kernel would have to move through GM."""
        return sum(least_bytes(self.case).values())

    def on_chip_bytes(self) -> dict[str, int]:
        """What goes between the memories of vector and cube cores directly."""
        return {
            name: sum(core.bytes.get(route, 0) for core in self._cores()) for name, route in ON_CHIP.items()
        }

    @property
    def macs(self) -> int:
        """Multiplications of the cube."""
        return sum(core.macs for core in self.cube)

    @property
    def least_macs(self) -> int:
        """Those of Q · Kᵀ and P · V alone."""
        return self.case.heads * self.selected * (NOPE + self.case.rope + NOPE)

    @property
    def repeats_a_row(self) -> float:
        """Vector repeats that dequantise a selected row."""
        return self.dequantisation.repeats / self.selected

    @property
    def registers_a_row(self) -> float:
        """Operations on registers that dequantise a selected row."""
        return self.dequantisation.registers / self.selected

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
            "L1 to L0": sum(_moves(core, TO_OPERANDS) for core in self.cube),
            "flags and barriers": sum(map(_sync, self.cube)),
        }

    def vector_counts(self) -> dict[str, int]:
        """What the vector cores issue. Reads of GM by scalar units are those of all cores."""
        return {
            "GM DMA": sum(_moves(core, GLOBAL_ROUTES) for core in self.vector),
            "vector": sum(core.instructions.get("V", 0) for core in self.vector),
            "repeats": sum(core.repeats for core in self.vector),
            "operations on registers": sum(core.registers for core in self.vector),
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
    registers: int = 0


class _Event(msgspec.Struct, frozen=True):
    ph: str
    args: _Details


class _Trace(msgspec.Struct, frozen=True):
    trace_events: list[_Event] = msgspec.field(name="traceEvents")


def count(cases: Sequence[Case], say: Callable[[str], None]) -> dict[Case, Counted]:
    """The counts of each case. Programs and launches share the cores."""
    operator = load(SPEC)
    benches = {chip: Bench(operator, chip) for chip in dict.fromkeys(case.chip for case in cases)}
    ready = [benches[case.chip].prepared(case) for case in cases]
    wanted = dict.fromkeys((case.chip, one.variant) for case, one in zip(cases, ready, strict=True))
    say(f"compiling {len(wanted)} variants of the kernels")

    def launched(case: Case, one: Prepared) -> Counted:
        say(f"counting {case.chip} {case.name}")
        return benches[case.chip].counted(case, one)

    with ThreadPoolExecutor(usable_cores()) as pool:
        list(pool.map(lambda one: benches[one[0]].compile(one[1]), wanted))
        return dict(zip(cases, pool.map(launched, cases, ready), strict=True))


class Bench:
    """The kernel of the first operator on a chip, and counts of its launches."""

    def __init__(self, operator: Operator, chip: str) -> None:
        self._operator = operator
        self._chip = next(one for one in operator.chips if one.id == chip)
        family = reference_of(operator)
        assert family is not None
        self._emulation = Emulation(kernel_sources(operator, self._chip), family, Evaluator(operator))

    def prepared(self, case: Case) -> Prepared:
        """What host code says of a case."""
        (one,) = self._emulation.prepared([case.call()])
        assert isinstance(one, Prepared), one
        return one

    def compile(self, variant: Variant) -> None:
        """Have the program of a variant ready."""
        self._emulation.program(variant)

    def counted(self, case: Case, prepared: Prepared) -> Counted:
        """A case is launched and counted; traced where it has one query row, for traces are long."""
        traced = sum(case.q) == 1
        data = self._emulation.filled(prepared.call, 0)
        outcome = self._emulation.launch(prepared, data, How(trace=traced))
        report = outcome.report
        findings = tuple(f"{f.at.file}:{f.at.line}: {f.code}: {f.message}" for f in report.findings)
        if not report.complete:
            raise SystemExit(f"{case.name} could not be run to its end: {findings}")
        events = msgspec.json.decode(outcome.trace, type=_Trace).trace_events if traced else []
        details = [event.args for event in events if event.ph == "X"]
        dequantising = [one for one in details if "_dequant.h" in one.at]
        in_workspace = sum(one.bytes for one in details if one.tensor == "workspace")
        return Counted(
            case,
            report.cycles,
            tuple(core for name, core in report.cores.items() if name.startswith("aic")),
            tuple(core for name, core in report.cores.items() if name.startswith("aiv")),
            self._bytes(prepared, details),
            in_workspace if traced or prepared.workspace == 0 else None,
            Dequantisation(sum(d.repeats for d in dequantising), sum(d.registers for d in dequantising)),
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
