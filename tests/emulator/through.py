"""The kernels of these tests, through intrinsics: without a toolkit, or through the headers of one."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from qsfa_codegen.emulator.launch import KernelType, Launch, Outcome, Tensor, launch
from qsfa_codegen.emulator.through import build_through
from qsfa_codegen.emulator.toolkit import KernelHeaders
from qsfa_codegen.host.errors import HostError
from tests.emulator.launching import SOURCES, chip

TOOLKIT = os.environ.get("ASCEND_HOME_PATH")


def lacking(chip_id: str) -> str | None:
    """Why the kernels of a chip cannot be compiled with a toolkit here."""
    if TOOLKIT is None:
        return "ASCEND_HOME_PATH names no toolkit"
    try:
        KernelHeaders.at(Path(TOOLKIT), chip(chip_id))
    except HostError as error:
        return error.diagnostic.message
    return None


def with_toolkit_for(chip_id: str) -> pytest.MarkDecorator:
    """What only a machine with a toolkit for the chip can run."""
    reason = lacking(chip_id)
    return pytest.mark.skipif(reason is not None, reason=reason or "")


with_toolkit = with_toolkit_for("A2")


@cache
def _program(unit: str, toolkit: str | None, on: str) -> Path:
    files = {path.name: path.read_text() for path in sorted(SOURCES.glob("*.h"))}
    headers = None if toolkit is None else KernelHeaders.at(Path(toolkit), chip(on))
    return build_through({**files, unit: (SOURCES / unit).read_text()}, unit, headers, chip(on))


def run_through(
    unit: str,
    kernel: str,
    *tensors: Tensor,
    toolkit: str | None = None,
    type: KernelType = KernelType.AIV,
    block_dim: int = 1,
    seed: int | None = None,
    on: str = "A2",
) -> Outcome:
    what = Launch(kernel, tensors, type, block_dim, seed)
    return launch(_program(unit, toolkit, on), chip(on), what, 60)
