"""Calls through the generated kernel: told by host code, filled with data, launched, judged."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from pathlib import Path

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call, Stage, TensorArg, TilingResult, tensors
from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.emulate.both_ways import Difference, differences
from qsfa_codegen.emulate.contents import broken_rule, given_by, gives_data, unstorable_data
from qsfa_codegen.emulate.judge import Worst, judge
from qsfa_codegen.emulate.program import (
    KernelSources,
    Variant,
    arguments,
    build_program,
    kernel_type,
    variant_of,
)
from qsfa_codegen.emulator.launch import SECONDS, Launch, Outcome, Report, Role, Tensor, launch
from qsfa_codegen.emulator.toolkit import KernelHeaders
from qsfa_codegen.host.engine import HostEngine
from qsfa_codegen.reference.families import FamilyReference, Tensors
from qsfa_codegen.reference.subject import Subject
from qsfa_codegen.spec.dtypes import DTYPES

MOST_MEMORY = 8 << 30
"""Bytes that one case may take on this machine."""
COPIES = {Role.IN: 8, Role.OUT: 40, Role.INOUT: 48, Role.WORKSPACE: 4, Role.ABSENT: 0}
"""How much more memory than a tensor has bytes a case takes: copies, marks, numbers of the reference."""
MOST_GROUPS = 256
"""Groups of cores that are emulated: each has memories of its own."""


class Prepared(Struct, frozen=True):
    """A legal call, what the generated host code says of it, and the variant of the kernel that it runs."""

    call: Call
    outputs: Mapping[str, TensorArg]
    tiling: TilingResult
    variant: Variant
    workspace: int
    """Bytes of the workspace that are the kernel's own."""


class Refused(Struct, frozen=True):
    """A call that is not launched, and why."""

    call: Call
    reason: str


class How(Struct, frozen=True):
    """How launches run: without ``seed`` in the fixed order, else in one of many; ``limit`` is in seconds."""

    seed: int | None = None
    limit: float = SECONDS
    trace: bool = False


class Ran(Struct, frozen=True):
    """What came of a launch. ``worst`` is empty where it could not be run to its end.

    ``differences``: outputs that a toolkit's headers and the emulator's own do not leave alike.
    """

    report: Report
    worst: tuple[Worst, ...]
    trace: str = ""
    differences: tuple[Difference, ...] = ()

    @property
    def right(self) -> bool:
        """Whether every output is what it should be, and nothing would go wrong on hardware."""
        errors = any(finding.severity != "warning" for finding in self.report.findings)
        wrong = errors or self.differences or any(worst.wrong for worst in self.worst)
        return self.report.complete and not wrong


class DataError(Exception):
    """The data of a call cannot be stored, or breaks a rule of the spec; the message says which."""


class Emulation:
    """The kernel of one operator on one chip, and the reference that its outputs are compared with.

    With the ``headers`` of a toolkit it reaches the emulator through them.
    """

    def __init__(
        self,
        sources: KernelSources,
        family: FamilyReference,
        evaluator: Evaluator,
        headers: KernelHeaders | None = None,
    ) -> None:
        self._sources = sources
        self._headers = headers
        self._family = family
        self._evaluator = evaluator
        self._operator = sources.operator
        self._chip = sources.chip

    # ------------------------------------------------------------------ before the launch

    def prepared(self, calls: Sequence[Call]) -> Iterator[Prepared | Refused]:
        """What host code says of each call. HostError when it cannot be compiled or run."""
        with HostEngine(self._operator) as engine:
            for call, result in zip(calls, engine.results(calls), strict=True):
                tiling = result.tiling
                if result.fault or result.violations:
                    yield Refused(call, result.fault or result.violations[0].message)
                elif call.stage is Stage.INFER or tiling is None:
                    yield Refused(call, "it asks for shapes alone")
                else:
                    one = self._prepared(call, result.outputs, tiling)
                    reason = self._too_large(one)
                    yield Refused(call, reason) if reason else one

    def _too_large(self, prepared: Prepared) -> str:
        """Why a call is more than can be emulated; empty when it is not."""
        groups = prepared.tiling.block_dim or 1
        if groups > MOST_GROUPS:
            return f"its block dimension is {groups:,}; at most {MOST_GROUPS} are emulated"
        memory = COPIES[Role.IN] * sum(map(_size, _inputs(prepared.call)))
        memory += sum(COPIES[tensor.role] * tensor.bytes for tensor in self._arguments(prepared, {}))
        if memory > MOST_MEMORY:
            most = MOST_MEMORY >> 30
            return f"it takes about {memory / (1 << 30):,.1f} GiB of memory; at most {most} GiB are used"
        return ""

    def _prepared(self, call: Call, outputs: Mapping[str, TensorArg], tiling: TilingResult) -> Prepared:
        variant = variant_of(self._operator, self.subject(call).env, tiling.key)
        libapi = self._evaluator.tables.names_of(self._chip, call.platform)["libapi_workspace"]
        assert isinstance(libapi, int)
        return Prepared(call, outputs, tiling, variant, max(sum(tiling.workspace) - libapi, 0))

    def program(self, variant: Variant) -> Path:
        """The program that launches a variant; compiled unless it is cached. HostError when it cannot be."""
        return build_program(self._sources, variant, self._headers)

    def own_program(self, variant: Variant) -> Path | None:
        """With a toolkit's headers, the program through the emulator's own, which is to do the same."""
        return None if self._headers is None else build_program(self._sources, variant)

    def subject(self, call: Call) -> Subject:
        """The call as the reference takes it."""
        return Subject(self._operator, call, self._evaluator.env(call, self._chip)[0])

    def filled(self, call: Call, seed: int) -> Tensors:
        """Data for each tensor of the call: what it gives itself, else the same for the same seed and id.

        DataError when what it gives breaks a rule of the spec.
        """
        subject = self.subject(call)
        if not gives_data(subject):
            return self._family.fill(subject, random_of(call, seed))
        if wrong := unstorable_data(subject):
            raise DataError(wrong)
        self._demand_rules(subject, given_by(subject))
        tensors = self._family.fill(subject, random_of(call, seed))
        self._demand_rules(subject, tensors)
        return tensors

    def _demand_rules(self, subject: Subject, tensors: Tensors) -> None:
        broken = broken_rule(subject, tensors, self._family, self._evaluator, self._chip)
        if broken:
            raise DataError(broken)

    # ------------------------------------------------------------------ the launch

    def launch(self, prepared: Prepared, tensors: Tensors, how: How, program: Path | None = None) -> Outcome:
        """Launch the kernel on the data. HostError when its program fails or takes too long."""
        operator = self._operator
        given = tuple(self._arguments(prepared, {name: array.tobytes() for name, array in tensors.items()}))
        block_dim = prepared.tiling.block_dim or 1
        what = Launch(operator.snake, given, kernel_type(operator), block_dim, how.seed, how.trace)
        return launch(program or self.program(prepared.variant), self._chip, what, how.limit)

    def judged(self, prepared: Prepared, tensors: Tensors, outcome: Outcome) -> Ran:
        """The outcome, with its outputs compared where the kernel was run to its end."""
        if not outcome.report.complete:
            return Ran(outcome.report, (), outcome.trace)
        expected = self._family.expected(self.subject(prepared.call), tensors)
        reference = self._operator.reference
        tolerances = {t.dtype: t for t in reference.tolerances} if reference is not None else {}
        worst = judge(prepared.outputs, outcome.outputs, expected, tolerances)
        return Ran(outcome.report, worst, outcome.trace)

    def run(self, prepared: Prepared, seed: int, how: How, program: Path | None = None) -> Ran:
        """Make data, launch and compare. DataError and HostError as ``filled`` and ``launch`` raise them."""
        tensors = self.filled(prepared.call, seed)
        outcome = self.launch(prepared, tensors, how, program)
        ran = self.judged(prepared, tensors, outcome)
        own = self.own_program(prepared.variant)
        if own is None or not outcome.report.complete:
            return ran
        expected = self.launch(prepared, tensors, replace(how, trace=False), own)
        return replace(ran, differences=differences(prepared.outputs, outcome.outputs, expected.outputs))

    def _arguments(self, prepared: Prepared, data: Mapping[str, bytes]) -> Iterator[Tensor]:
        """The arguments of the kernel, in order."""
        for name in arguments(self._operator):
            if name == "tiling":
                yield Tensor(name, Role.IN, prepared.tiling.bytes or b"")
            elif name == "workspace":
                yield Tensor(name, Role.WORKSPACE, size=prepared.workspace)
            elif name in prepared.outputs:
                yield Tensor(name, Role.OUT, size=_size(prepared.outputs[name]))
            elif name in data:
                yield Tensor(name, Role.IN, data[name])
            else:
                yield Tensor(name, Role.ABSENT)


def random_of(call: Call, seed: int) -> np.random.Generator:
    """The generator of a call's data: the same for the same seed and id."""
    return np.random.default_rng([seed & 0xFFFFFFFFFFFFFFFF, zlib.crc32(call.id.encode())])


def _inputs(call: Call) -> Iterator[TensorArg]:
    return (tensor for arg in call.inputs.values() for tensor in tensors(arg))


def _size(tensor: TensorArg) -> int:
    """Bytes of a tensor."""
    return prod(tensor.shape) * DTYPES[tensor.dtype].size
