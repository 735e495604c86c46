"""One launch of a kernel: what goes in and what comes out."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path

import msgspec
from msgspec import Struct

from qsfa_codegen.diagnostics import Diagnostic
from qsfa_codegen.host.errors import PROGRAM_FAILED, HostError
from qsfa_codegen.spec.model import Chip

SECONDS = 120.0
INSTRUCTIONS = 1 << 27
"""Of one launch: what is remembered of them takes gigabytes."""
_MOST_SEED = (1 << 64) - 1
_TIME_OVER = 3
_GRACE = 10.0
"""Seconds that the program has to say where the kernel was when its time was over."""


class Role(StrEnum):
    """What a kernel does with a tensor."""

    IN = "in"
    OUT = "out"
    INOUT = "inout"
    WORKSPACE = "workspace"  # what it leaves there is not asked for
    ABSENT = "absent"  # not passed: the kernel gets no address

    @property
    def given(self) -> bool:
        """Whether the caller fills it."""
        return self in (Role.IN, Role.INOUT)

    @property
    def asked(self) -> bool:
        """Whether the caller gets it back."""
        return self in (Role.OUT, Role.INOUT)


class KernelType(StrEnum):
    """Which cores of each group run the kernel. Those of AIV and AIC cannot wait for each other."""

    AIV = "aiv"
    AIC = "aic"
    MIX_AIV_1_0 = "mix_aiv_1_0"
    MIX_AIC_1_0 = "mix_aic_1_0"
    MIX_1_1 = "mix_1_1"
    MIX_1_2 = "mix_1_2"


class Tensor(Struct, frozen=True):
    """An argument of a kernel: its bytes, or for an output or workspace only how many."""

    name: str
    role: Role
    data: bytes = b""
    size: int = 0

    @property
    def bytes(self) -> int:
        """How many bytes it has in GM."""
        return len(self.data) if self.role.given else self.size


class Launch(Struct, frozen=True):
    """A kernel by the name it is registered under, with its arguments in order.

    ``seed`` picks one of many orders in which the pipes run; None is the fixed order. No more
    ``instructions`` are carried out, on all cores together.
    """

    kernel: str
    tensors: tuple[Tensor, ...]
    type: KernelType = KernelType.MIX_1_2
    block_dim: int = 1
    seed: int | None = None
    trace: bool = False
    instructions: int = INSTRUCTIONS


class Place(Struct, frozen=True):
    """A line of the kernel's source. Line 0: no place."""

    file: str
    line: int


class Finding(Struct, frozen=True):
    """Something that would go wrong on hardware, as the emulator tells it."""

    code: str
    severity: str
    message: str
    help: str
    at: Place
    other: Place
    core: str
    pipe: str
    instruction: str
    buffer: str
    offset: int
    times: int


class CoreCounts(Struct, frozen=True):
    """What one core has done. Bytes, moves and bursts by route, as gm_ub; the rest in total or by pipe."""

    instructions: Mapping[str, int]
    busy: Mapping[str, int]
    bytes: Mapping[str, int]
    moves: Mapping[str, int]
    bursts: Mapping[str, int]
    repeats: int
    registers: int
    macs: int
    scalar_gm_reads: int
    flags: int
    barriers: int
    vector_barriers: int
    cross_flags: int


class Report(Struct, frozen=True):
    """What the emulator says of a launch; ``complete`` is False where it could not be run to its end."""

    findings: tuple[Finding, ...]
    cores: Mapping[str, CoreCounts]
    complete: bool
    cycles: int


class Outcome(Struct, frozen=True):
    """A report, the tensors that the kernel may have written, by name, and the trace if asked for."""

    report: Report
    outputs: Mapping[str, bytes]
    trace: str


def launch(program: Path, chip: Chip, what: Launch, limit: float = SECONDS) -> Outcome:
    """Run the kernel on the chip. HostError when the program does not answer within ``limit`` seconds."""
    try:
        request = _request(chip, what, limit)
        ran = subprocess.run([program], input=request, capture_output=True, timeout=limit + _GRACE)
    except subprocess.TimeoutExpired as error:
        raise _failed(what, f"it does not end within {limit:g} s", "") from error
    if ran.returncode:
        over = ran.returncode == _TIME_OVER
        reason = f"it does not end within {limit:g} s" if over else f"its program ends with {ran.returncode}"
        raise _failed(what, reason, ran.stderr.decode(errors="replace"))
    return _outcome(what, ran.stdout)


def _failed(what: Launch, reason: str, detail: str) -> HostError:
    return HostError(
        Diagnostic(PROGRAM_FAILED, f"kernel {what.kernel} cannot be run: {reason}"), detail.strip()
    )


def _request(chip: Chip, what: Launch, limit: float) -> bytes:
    sizes = (chip.ub, chip.l1, chip.l0a, chip.l0b, chip.l0c, chip.bt, chip.fb)
    random = (int(what.seed is not None), (what.seed or 0) & _MOST_SEED, int(what.trace))
    lines: list[Sequence[object]] = [
        ("chip", chip.id, chip.cce_aicore, chip.aic, chip.aiv, *sizes),
        ("launch", what.kernel, what.type, what.block_dim, *random),
        ("limits", limit, what.instructions),
        *map(_line, what.tensors),
        ("run",),
    ]
    text = "".join(" ".join(map(str, line)) + "\n" for line in lines)
    return text.encode() + b"".join(tensor.data for tensor in what.tensors if tensor.role.given)


def _line(tensor: Tensor) -> Sequence[object]:
    if tensor.role is Role.ABSENT:
        return ("absent", tensor.name)
    return ("tensor", tensor.name, tensor.role, tensor.bytes)


def _outcome(what: Launch, answer: bytes) -> Outcome:
    head, _, rest = answer.partition(b"\n")
    report, trace = map(int, head.split())
    at = report + trace
    outputs = {}
    for tensor in what.tensors:
        if tensor.role.asked:
            outputs[tensor.name] = rest[at : at + tensor.bytes]
            at += tensor.bytes
    return Outcome(
        msgspec.json.decode(rest[:report], type=Report), outputs, rest[report : report + trace].decode()
    )
