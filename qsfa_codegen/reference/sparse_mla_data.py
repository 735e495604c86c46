"""Random data for sparse attention: rows of finite numbers about 1, lists of blocks, lengths, tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qsfa_codegen.reference.elements import BYTES, Bytes, Floats, Ints, half_bytes, round_to
from qsfa_codegen.reference.sparse_mla import Row

Random = np.random.Generator

_PIECE = 1 << 20
_NO_BLOCK = (-1, 1 << 30)
"""What entries of a block table that no batch uses may hold, among others."""


def half_numbers(random: Random, half: str, *shape: int) -> NDArray[np.uint16]:
    """As ``numbers``, stored as the dtype is; made piece by piece, for numpy's are four times as large."""
    found = np.empty(math.prod(shape), "<u2")
    for begin in range(0, len(found), _PIECE):
        piece = found[begin : begin + _PIECE]
        piece[:] = half_bytes(numbers(random, half, len(piece)), half).view("<u2")
    return found.reshape(shape)


def numbers(random: Random, half: str, *shape: int) -> Floats:
    """Normal numbers that a two-byte dtype has."""
    return round_to(random.standard_normal(shape), half)


def random_rows(random: Random, count: int, kind: str, half: str, row: Row) -> Bytes:
    """Packed rows of finite numbers around 1: quantised bytes, RoPE in the bytes of ``half``, scales.

    Half of the rows have scales of few bits: products lie in the middle between two numbers of ``half`` then,
    now and again.
    """
    quantised = random.integers(0, BYTES, (count, row.nope), dtype=np.uint8)
    size = 64.0
    if kind == "float8_e4m3fn":
        quantised[(quantised & 0x7F) == 0x7F] = 0x38
    elif kind == "hifloat8":
        # Numbers with exponents from -3 to 3.
        quantised &= 0x80
        quantised |= random.integers(0x08, 0x40, (count, row.nope), dtype=np.uint8)
        size = 4.0
    scales = random.uniform(0.5, 1.5, (count, row.scales)) / size
    scales[::2] = round_to(scales[::2], "bfloat16")
    return rows_of(quantised, numbers(random, half, count, row.rope), scales.astype(np.float32), half, row)


def rows_of(quantised: Bytes, rope: Floats, scales: Any, half: str, row: Row) -> Bytes:
    """Rows from their parts, byte by byte."""
    parts = (quantised, half_bytes(rope, half), np.ascontiguousarray(scales, dtype="<f4").view(np.uint8))
    rows = np.zeros(
        (len(quantised), max(at + p.shape[1] for at, p in zip(row.at, parts, strict=True))), np.uint8
    )
    for at, part in zip(row.at, parts, strict=True):
        rows[:, at : at + part.shape[1]] = part
    return rows


def random_indices(random: Random, blocks: int, size: int, used: int) -> Ints:
    """``used`` different blocks (as many as there are), in any order, then -1."""
    row = np.full(size, -1, dtype=np.int64)
    chosen = random.permutation(blocks)[: min(used, size)]
    row[: len(chosen)] = chosen
    return row


def any_list(random: Random, blocks: int, size: int) -> Ints:
    """The list of a query row: full more often than not, else short, of one or empty; mostly out of order."""
    kind = random.random()
    used = (
        size if kind < 0.55 else 0 if kind > 0.92 else 1 if kind > 0.82 else int(random.integers(0, size + 1))
    )
    row = random_indices(random, blocks, size, used)
    valid = row[row >= 0]
    order = random.random()
    if order < 0.4:
        row[: len(valid)] = np.sort(valid) if order < 0.25 else np.sort(valid)[::-1]
    return row


def any_lengths(random: Random, count: int, most: int) -> list[int]:
    """Lengths of batches that stand side by side: full, shorter, 1 and 0."""
    kinds = random.choice(4, size=count, p=(0.4, 0.4, 0.1, 0.1))
    return [int((most, random.integers(0, most + 1), min(1, most), 0)[kind]) for kind in kinds]


def any_sums(random: Random, count: int, total: int) -> list[int]:
    """Prefix sums of batches one behind the other: some are empty; most often they fill the tensor."""
    cuts = np.sort(random.integers(0, total + 1, count))
    if random.random() < 0.3 and count > 1:
        cuts[-2] = cuts[0]
    if random.random() < 0.8:
        cuts[-1] = total
    return [int(cut) for cut in np.sort(cuts)]


def page_table(random: Random, shape: Sequence[int], blocks: int, page: int, lengths: Sequence[int]) -> Ints:
    """A block of the cache for each that a batch uses: each its own where there are enough."""
    table = random.choice(_NO_BLOCK, size=tuple(shape)).astype(np.int64)
    used = [-(-length // page) for length in lengths]
    fresh = [int(block) for block in random.permutation(blocks)]
    for batch, count in enumerate(used):
        for place in range(count):
            table[batch, place] = fresh.pop() if fresh else random.integers(0, blocks)
    return table


def prefix_sums(lengths: Sequence[int]) -> list[int]:
    """Where each batch ends."""
    return [int(n) for n in np.cumsum(lengths)]
