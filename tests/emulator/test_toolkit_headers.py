"""Kernels through the headers of the toolkit in ASCEND_HOME_PATH: all is as through the emulator's own."""

from __future__ import annotations

import struct
from random import Random

import numpy as np
import pytest

from qsfa_codegen.emulator.launch import KernelType, Role, Tensor
from tests.emulator.launching import given, run, wanted, workspace
from tests.emulator.through import TOOLKIT, run_through, with_toolkit

pytestmark = with_toolkit

ROWS, COLUMNS, DEPTH = 32, 48, 64
DRAWN = np.random.default_rng(3)
X = given("x", DRAWN.uniform(-20, 20, 2 * 3 * 64).astype(np.float32).tobytes())
A = given("a", DRAWN.integers(-4, 5, (ROWS, DEPTH)).astype(np.float16).tobytes())
B = given("b", DRAWN.integers(-4, 5, (DEPTH, COLUMNS)).astype(np.float16).tobytes())
SIZE = 4 * ROWS * COLUMNS
C = wanted("c", SIZE)

VECTOR: dict[str, tuple[tuple[Tensor, ...], int]] = {
    "add_flags": ((given("x", X.data[:1024] * 8), given("y", X.data[512:] * 8), wanted("z", 8192)), 2),
    "add_queues": ((given("x", X.data[:1024] * 8), given("y", X.data[512:] * 8), wanted("z", 8192)), 2),
    "softmax_rows": ((X, wanted("y", len(X.data))), 2),
    "positive": (
        (given("x", X.data[:256]), wanted("packed", 256), wanted("count", 4), wanted("replaced", 256)),
        1,
    ),
    "dequantise": (
        (given("x", bytes(range(256)) * 8), given("scales", X.data[:64]), wanted("y", 4096)),
        1,
    ),
}
CUBE: dict[str, tuple[tuple[Tensor, ...], KernelType]] = {
    "matmul": ((A, B, C), KernelType.AIC),
    "constants": ((A, B, C), KernelType.AIC),
    "small_products": ((A, B, C), KernelType.AIC),
    "matmul_relu": (
        (A, B, wanted("out", 3 * SIZE), workspace(SIZE)),
        KernelType.MIX_1_2,
    ),
    "matmul_then_all": (
        (A, B, wanted("out", SIZE), workspace(SIZE)),
        KernelType.MIX_1_2,
    ),
    "flag_nobody_waits_for": ((A, B, C), KernelType.MIX_1_2),
}
SURFACES = ("surface_floats", "surface_halves", "surface_integers", "surface_casts", "surface_indices")


def same(unit: str, kernel: str, tensors: tuple[Tensor, ...], type: KernelType, cores: int = 1) -> None:
    for seed in (None, 1):
        ours = run(unit, kernel, *tensors, type=type, block_dim=cores, seed=seed)
        theirs = run_through(unit, kernel, *tensors, toolkit=TOOLKIT, type=type, block_dim=cores, seed=seed)
        assert theirs.outputs == ours.outputs
        assert theirs.report.cores == ours.report.cores
        assert theirs.report.cycles == ours.report.cycles
        told = [[(found.code, found.at) for found in done.report.findings] for done in (theirs, ours)]
        assert told[0] == told[1]


@pytest.mark.parametrize("kernel", VECTOR)
def test_vector_kernels(kernel: str) -> None:
    tensors, cores = VECTOR[kernel]
    same("vector.cpp", kernel, tensors, KernelType.AIV, cores)


@pytest.mark.parametrize("kernel", CUBE)
def test_cube_kernels(kernel: str) -> None:
    tensors, type = CUBE[kernel]
    same("cube.cpp", kernel, tensors, type)


@pytest.mark.parametrize("kernel", SURFACES)
def test_every_vector_instruction(kernel: str) -> None:
    numbers = given("numbers", _numbers())
    same("surface.cpp", kernel, (numbers, Tensor("out", Role.INOUT, bytes(300 * 1024))), KernelType.AIV)


def _numbers() -> bytes:
    """Of each type that surface.cpp reads, 3 KB."""
    draw = Random(5)
    reals = [draw.gauss(0, 8) for _ in range(768)]
    upper = [struct.pack("f", draw.gauss(0, 1))[2:] for _ in range(1536)]
    parts = (
        struct.pack("768f", *reals),
        struct.pack("1536e", *reals, *reals),
        struct.pack("768i", *(draw.randrange(-70000, 70000) for _ in range(768))),
        struct.pack("1536h", *(draw.randrange(-30000, 30000) for _ in range(1536))),
        struct.pack("3072b", *(draw.randrange(-128, 128) for _ in range(3072))),
        b"".join(upper),
        struct.pack("768I", *(4 * draw.randrange(256) for _ in range(768))),
    )
    return b"".join(parts)
