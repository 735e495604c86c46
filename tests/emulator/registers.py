"""Rows of vector registers through kernels that do one operation on each, and random contents for them."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.emulator.launching import given, run, wanted
from tests.emulator.ops import elements, formats

Array = NDArray[Any]
VECTOR = 256
SOURCES = 4
KINDS = {
    "float": "float",
    "half": "half",
    "bfloat16_t": "bfloat16",
    "hifloat8_t": "hifloat8",
    "fp8_e4m3fn_t": "float8",
}
"""What the tests' formats call the floating types of kernels."""

CODES: dict[str, type[Any]] = {
    "int8_t": np.int8,
    "uint8_t": np.uint8,
    "int16_t": np.int16,
    "uint16_t": np.uint16,
    "int32_t": np.int32,
    "uint32_t": np.uint32,
    **{name: formats.CODE[kind] for name, kind in KINDS.items()},
}
"""The codes of elements, by type."""

seeds = st.integers(0, 2**32 - 1)
HARMLESS = {"not-finite"}


def lanes(name: str) -> int:
    return VECTOR // np.dtype(CODES[name]).itemsize


def contents(name: str, rows: int, rng: np.random.Generator) -> Array:
    """Codes of a register in each row: ordinary numbers, any bits, and numbers with little between them."""
    size = (rows, lanes(name))
    bits = np.dtype(CODES[name]).itemsize * 8
    wild = rng.integers(0, 2**bits, size, np.uint64).astype(f"u{bits // 8}").view(CODES[name])
    if name not in KINDS:
        return np.where(rng.random((rows, 1)) < 0.5, wild, rng.integers(0, 4, size).astype(CODES[name]))
    tame = elements.rounded(KINDS[name], rng.standard_normal(size) * 4)
    few = elements.rounded(KINDS[name], rng.choice([-1.5, -1.0, -0.0, 0.0, 1.0, 3.0], size))
    return np.choose(rng.integers(0, 3, (rows, 1)), [wild, tame, few]).astype(CODES[name])


def masks(name: str, rows: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Which elements are on in each row; in some none or all."""
    return rng.random((rows, lanes(name))) < rng.choice([0.0, 0.3, 0.9, 1.0], (rows, 1))


def launched(unit: str, kernel: str, sources: list[Array], result: type[Any], registers: int = 1) -> Array:
    """The results of all rows. ``sources``: the content of each register, and at the end the mask."""
    rows = len(sources[0])
    empty = np.zeros((rows, VECTOR), np.uint8)
    parts = [np.ascontiguousarray(part).view(np.uint8).reshape(rows, VECTOR) for part in sources]
    data = np.concatenate([*parts[:-1], *[empty] * (SOURCES - len(parts)), parts[-1]], axis=1)
    done = run(
        unit,
        kernel,
        given("rows", data.tobytes()),
        wanted("results", rows * registers * VECTOR),
        given("count", struct.pack("i", rows)),
        on="A5",
    )
    assert {finding.code for finding in done.report.findings} <= HARMLESS, done.report.findings
    return np.frombuffer(done.outputs["results"], result).reshape(rows, -1)
