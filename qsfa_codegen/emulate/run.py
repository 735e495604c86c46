"""One call through the generated kernel: tensors made, launched, judged."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from math import prod
from pathlib import Path

import numpy as np
from msgspec import Struct

from qsfa_codegen.contract.calls import Call, Result, TensorArg, TilingResult
from qsfa_codegen.contract.env import CallEnv
from qsfa_codegen.emulate.judge import Worst, judge
from qsfa_codegen.emulate.program import Variant, arguments, kernel_type
from qsfa_codegen.emulator.launch import Launch, Outcome, Report, Role, Tensor, launch
from qsfa_codegen.reference.families import FamilyReference, subject_of
from qsfa_codegen.reference.subject import Expected
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Chip, Operator


class Prepared(Struct, frozen=True):
    """A legal call, what the generated host code says of it, and the variant of the kernel that it runs.

    ``libapi`` is the part of the workspace that is the library's.
    """

    call: Call
    env: CallEnv
    outputs: Mapping[str, TensorArg]
    tiling: TilingResult
    variant: Variant
    libapi: int


class Orders(Struct, frozen=True):
    """In which order pipes and cores run: the fixed one, or a random one for each seed."""

    random: bool = False
    seed: int = 0


class Ran(Struct, frozen=True):
    """What came of a launch. ``worst`` is empty where it could not be run to its end."""

    report: Report
    worst: tuple[Worst, ...]
    trace: str = ""

    @property
    def right(self) -> bool:
        """Whether every output is what it should be, and nothing would go wrong on hardware."""
        errors = any(finding.severity != "warning" for finding in self.report.findings)
        return self.report.complete and not errors and not any(worst.wrong for worst in self.worst)


def run(
    operator: Operator,
    chip: Chip,
    family: FamilyReference,
    prepared: Prepared,
    program: Path,
    orders: Orders,
    limit: float,
    trace: bool = False,
) -> Ran:
    """Launch the call's kernel on made-up data and compare. HostError when the program fails."""
    subject = subject_of(operator, prepared.call, prepared.env)
    tensors = family.fill(subject, random_of(prepared.call, orders.seed))
    seed = orders.seed if orders.random else None
    what = Launch(
        operator.snake,
        tuple(_tensors(operator, prepared, {name: array.tobytes() for name, array in tensors.items()})),
        kernel_type(operator),
        prepared.tiling.block_dim or 1,
        seed,
        trace,
    )
    outcome = launch(program, chip, what, limit)
    if not outcome.report.complete:
        return Ran(outcome.report, (), outcome.trace)
    expected = family.expected(subject, tensors)
    return Ran(outcome.report, _judged(operator, prepared, outcome, expected), outcome.trace)


def _judged(
    operator: Operator, prepared: Prepared, outcome: Outcome, expected: Mapping[str, Expected]
) -> tuple[Worst, ...]:
    assert operator.reference is not None
    tolerances = {tolerance.dtype: tolerance for tolerance in operator.reference.tolerances}
    return judge(prepared.outputs, outcome.outputs, expected, tolerances)


def random_of(call: Call, seed: int) -> np.random.Generator:
    """The generator of a call's data: the same for the same seed and id."""
    return np.random.default_rng([seed & 0xFFFFFFFFFFFFFFFF, zlib.crc32(call.id.encode())])


def _tensors(operator: Operator, prepared: Prepared, data: Mapping[str, bytes]) -> list[Tensor]:
    """The arguments of the kernel, in order."""
    sizes = {
        "workspace": max(sum(prepared.tiling.workspace) - prepared.libapi, 0),
        **{name: _bytes(tensor) for name, tensor in prepared.outputs.items()},
    }
    found = []
    for name in arguments(operator):
        if name == "tiling":
            found.append(Tensor(name, Role.IN, prepared.tiling.bytes or b""))
        elif name in sizes:
            found.append(Tensor(name, Role.WORKSPACE if name == "workspace" else Role.OUT, size=sizes[name]))
        elif name in data:
            found.append(Tensor(name, Role.IN, data[name]))
        else:
            found.append(Tensor(name, Role.ABSENT))
    return found


def _bytes(tensor: TensorArg) -> int:
    return prod(tensor.shape) * DTYPES[tensor.dtype].size


def prepare(call: Call, env: CallEnv, result: Result, libapi: int, variant: Variant) -> Prepared:
    """A legal call with what host code says of it."""
    assert result.tiling is not None
    return Prepared(call, env, result.outputs, result.tiling, variant, libapi)
