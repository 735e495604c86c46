"""The kernels of these tests, each file one program, built once in a session."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.emulator.build import STRICT, build
from qsfa_codegen.emulator.launch import Finding, KernelType, Launch, Outcome, Role, Tensor, launch
from qsfa_codegen.resources import CHIPS, resource
from qsfa_codegen.spec.chips import load_chips
from qsfa_codegen.spec.model import Chip

SOURCES = Path(__file__).with_name("kernels")


@cache
def chip(name: str = "A2") -> Chip:
    return load_chips(resource(CHIPS), Sink()).by_id[name]


@cache
def program(unit: str) -> Path:
    files = {path.name: path.read_text() for path in sorted(SOURCES.glob("*.h"))}
    return build({**files, unit: (SOURCES / unit).read_text()}, unit, (*STRICT, "-O0"))


def given(name: str, data: bytes) -> Tensor:
    return Tensor(name, Role.IN, data)


def wanted(name: str, size: int) -> Tensor:
    return Tensor(name, Role.OUT, size=size)


def workspace(size: int) -> Tensor:
    return Tensor("workspace", Role.WORKSPACE, size=size)


def run(
    unit: str,
    kernel: str,
    *tensors: Tensor,
    type: KernelType = KernelType.AIV,
    block_dim: int = 1,
    seed: int | None = None,
    trace: bool = False,
    limit: float = 60,
    on: str = "A2",
) -> Outcome:
    what = Launch(kernel, tensors, type, block_dim, seed, trace)
    return launch(program(unit), chip(on), what, limit)


def line(unit: str, mark: str) -> int:
    """The line of the source that has ``mark`` in a comment."""
    lines = (SOURCES / unit).read_text().splitlines()
    found = [number for number, text in enumerate(lines, 1) if text.endswith(f"// {mark}")]
    assert len(found) == 1, (mark, found)
    return found[0]


def only(outcome: Outcome) -> Finding:
    assert len(outcome.report.findings) == 1, outcome.report.findings
    return outcome.report.findings[0]
