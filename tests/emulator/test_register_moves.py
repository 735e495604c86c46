"""Loads and stores of vector registers against slices of numpy, with random contents and masks."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings

from tests.emulator.launching import SOURCES
from tests.emulator.registers import CODES, VECTOR, Array, lanes, launched, seeds

UNIT = "registers_moves.cpp"
ROWS = 6
EXAMPLES = settings(max_examples=3, deadline=None)


def kernels(macro: str) -> list[tuple[str, str]]:
    """The distributions and types that the kernels have under a macro."""
    text = (SOURCES / UNIT).read_text()
    return re.findall(rf"^{macro}\((\w+), (?:\w+, )?(\w+)[,)]", text, re.MULTILINE)


def wide(seed: int) -> Array:
    """Rows of 1024 bytes; the last 256 are the mask."""
    rng = np.random.default_rng(seed)
    data = rng.integers(0, 256, (ROWS, 4 * VECTOR), np.uint8)
    data[:, 3 * VECTOR :] *= (rng.random((ROWS, VECTOR)) < 0.4).astype(np.uint8)
    return data


def done(kernel: str, data: Array, registers: int) -> Array:
    return launched(UNIT, kernel, list(np.split(data, 4, axis=1)), np.uint8, registers)


def elements(data: Array, name: str) -> Array:
    """Rows of bytes as elements of the width of a type."""
    return data.view(f"u{np.dtype(CODES[name]).itemsize}")


def bytes_of(data: Array) -> Array:
    return np.ascontiguousarray(data).view(np.uint8)


def spaced(part: Array, every: int) -> Array:
    """Elements with zeros between them."""
    out = np.zeros((ROWS, part.shape[1] * every), part.dtype)
    out[:, ::every] = part
    return out


LOADS: dict[str, Callable[[Array, int], Array]] = {
    "norm": lambda x, n: x[:, :n],
    "broadcast": lambda x, n: np.repeat(x[:, :1], n, axis=1),
    "twice": lambda x, n: np.repeat(x[:, : n // 2], 2, axis=1),
    "every_other": lambda x, n: x[:, : 2 * n : 2],
    "unpack2": lambda x, n: spaced(x[:, : n // 2], 2),
    "unpack4": lambda x, n: spaced(x[:, : n // 4], 4),
    "block": lambda x, n: np.tile(x[:, : n // 8], 8),
    "to_blocks": lambda x, n: np.repeat(x[:, :8], n // 8, axis=1),
}


@pytest.mark.parametrize(("name", "type_name"), kernels("LOAD"))
@EXAMPLES
@given(seed=seeds)
def test_a_load_spreads_elements(name: str, type_name: str, seed: int) -> None:
    data = wide(seed)
    expected = LOADS[name](elements(data, type_name), lanes(type_name))
    assert np.array_equal(done(f"load_{name}_{type_name}", data, 1), bytes_of(expected))


@pytest.mark.parametrize("type_name", ["uint8_t", "half", "float"])
@EXAMPLES
@given(seed=seeds)
def test_two_registers_are_loaded_apart_and_stored_together(type_name: str, seed: int) -> None:
    data = wide(seed)
    both = elements(data[:, : 2 * VECTOR], type_name)
    apart = np.concatenate([both[:, 0::2], both[:, 1::2]], axis=1)
    assert np.array_equal(done(f"apart_{type_name}", data, 2), bytes_of(apart))
    low, high = np.split(both, 2, axis=1)
    together = np.stack([low, high], axis=-1).reshape(ROWS, -1)
    assert np.array_equal(done(f"together_{type_name}", data, 2), bytes_of(together))


def lower(part: Array, kept: int) -> Array:
    """The lower bytes of each element, one behind the other."""
    return bytes_of(part).reshape(*part.shape, -1)[:, :, :kept].reshape(ROWS, -1)


STORED = {"pack2_uint8_t": (2, 1), "pack2_half": (4, 2), "pack4_uint8_t": (4, 1)}
"""Bytes of an element in the register, and how many are stored."""


@pytest.mark.parametrize(("name", "type_name"), kernels("STORE"))
@EXAMPLES
@given(seed=seeds)
def test_a_store_takes_what_the_mask_has_on(name: str, type_name: str, seed: int) -> None:
    data = wide(seed)
    size = np.dtype(CODES[type_name]).itemsize
    width, kept = STORED.get(f"{name}_{type_name}", (size, size))
    register, mask = (data[:, begin : begin + VECTOR].view(f"u{width}") for begin in (0, 3 * VECTOR))
    on = mask != 0
    if name == "first":
        on = np.broadcast_to(np.arange(on.shape[1]) == 0, on.shape)
    expected = np.zeros((ROWS, VECTOR), np.uint8)
    packed = np.where(np.repeat(on, kept, axis=1), lower(register, kept), 0)
    expected[:, : packed.shape[1]] = packed
    assert np.array_equal(done(f"store_{name}_{type_name}", data, 1), expected)


@pytest.mark.parametrize(("stride", "type_name"), kernels("BLOCKS"))
@EXAMPLES
@given(seed=seeds)
def test_blocks_are_moved_with_a_stride(stride: str, type_name: str, seed: int) -> None:
    data, step = wide(seed), int(stride)
    blocks = data.reshape(ROWS, -1, 32)
    on = elements(np.ascontiguousarray(data[:, 3 * VECTOR :]), type_name) != 0
    some = on.reshape(ROWS, 8, -1).any(axis=2)
    loaded = np.where(some[:, :, None], blocks[:, : 8 * step : step], 0).reshape(ROWS, -1)
    assert np.array_equal(done(f"load_blocks_{stride}_{type_name}", data, 1), loaded)
    expected = np.zeros((ROWS, 32, 32), np.uint8)
    size = VECTOR // on.shape[1]
    active = np.repeat(on, size, axis=1).reshape(ROWS, 8, 32)
    expected[:, : 8 * step : step] = np.where(active, blocks[:, :8], 0)
    got = done(f"store_blocks_{stride}_{type_name}", data, 4)
    assert np.array_equal(got, expected.reshape(ROWS, -1))


def test_addresses_are_updated() -> None:
    data = wide(4)
    registers = np.split(data, 4, axis=1)
    expected = np.concatenate([registers[i] for i in (1, 2, 0, 3)], axis=1)
    assert np.array_equal(done("updates", data, 4), expected)
