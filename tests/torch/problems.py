"""Random problems, as the reference takes them and as arguments of the torch operator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tests.torch.reference import NOPE, TILE, Bytes, Floats, Ints, Problem, round_to

TORCH = {
    "int8": torch.int8,
    "float8_e4m3fn": torch.float8_e4m3fn,
    "hifloat8": torch.uint8,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
}


def numbers(rng: np.random.Generator, half: str, *shape: int) -> Floats:
    """Normal numbers that a two-byte dtype has."""
    return round_to(rng.standard_normal(shape), half)


def random_rows(rng: np.random.Generator, count: int, kind: str, half: str, rope: int) -> Bytes:
    """Packed rows of finite numbers around 1: quantised bytes, RoPE in the bytes of ``half``, four scales."""
    quantised = rng.integers(0, 256, (count, NOPE), dtype=np.uint8)
    if kind == "int8":
        scales = rng.uniform(0.5, 1.5, (count, NOPE // TILE)) / 64
    elif kind == "float8_e4m3fn":
        quantised[(quantised & 0x7F) == 0x7F] = 0x38
        scales = rng.uniform(0.5, 1.5, (count, NOPE // TILE)) / 64
    else:
        # Numbers with exponents from -3 to 3.
        quantised &= 0x80
        quantised |= rng.integers(0x08, 0x40, (count, NOPE), dtype=np.uint8)
        scales = rng.uniform(0.5, 1.5, (count, NOPE // TILE)) / 4
    return rows_of(quantised, numbers(rng, half, count, rope), scales.astype(np.float32), half)


def rows_of(quantised: Bytes, rope: Floats, scales: Any, half: str) -> Bytes:
    """Rows from their parts, byte by byte."""
    parts = [quantised, half_bytes(rope, half), np.ascontiguousarray(scales).view(np.uint8)]
    return np.concatenate(parts, axis=1)


def half_bytes(values: Floats, half: str) -> Bytes:
    if half == "float16":
        words = values.astype(np.float16).view(np.uint16)
    else:
        words = (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return words.view(np.uint8).reshape(len(values), 2 * values.shape[1])


def random_indices(rng: np.random.Generator, blocks: int, size: int, used: int) -> Ints:
    """``used`` different blocks (as many as there are), in any order, then -1."""
    row = np.full(size, -1, dtype=np.int64)
    chosen = rng.permutation(blocks)[: min(used, size)]
    row[: len(chosen)] = chosen
    return row


def prefix_sums(lengths: Sequence[int]) -> list[int]:
    return [int(n) for n in np.cumsum(lengths)]


def make(
    seed: int,
    *,
    layout: str = "BSND",
    layout_kv: str = "PA_BSND",
    q: Sequence[int] = (2, 1),
    kv: Sequence[int] = (20, 7),
    heads: int = 2,
    size: int = 6,
    used: Sequence[int] = (4,),
    kind: str = "int8",
    half: str = "bfloat16",
    rope: int = 64,
    block: int = 1,
    causal: bool = True,
    page: int = 16,
    room: int = 1,
) -> Problem:
    """A problem with ``q`` query rows and ``kv`` tokens in each batch.

    ``used`` entries of a row's list are valid, in turns; ``room`` more query rows and tokens than the longest
    batch has are in a padded layout.
    """
    rng = np.random.default_rng(seed)
    batches, q_most, kv_most = len(q), max(q) + room, max(kv) + room
    q_rows = [(b, s) for b in range(batches) for s in range(q_most)]
    if layout == "TND":
        q_rows = [(b, s) for b, n in enumerate(q) for s in range(n)] + [(batches - 1, 0)] * room
    listed = []
    for number, (b, _) in enumerate(q_rows):
        blocks = -(-kv[b] // block)
        listed.append(random_indices(rng, blocks, size, used[number % len(used)]))
    lead = (len(q_rows),) if layout == "TND" else (batches, q_most)
    query = numbers(rng, half, len(q_rows), heads * (NOPE + rope)).reshape(*lead, heads, NOPE + rope)
    table, cache = None, random_rows(rng, batches * kv_most, kind, half, rope)
    if layout_kv == "BSND":
        cache = cache.reshape(batches, kv_most, cache.shape[1])
    elif layout_kv == "PA_BSND":
        pages = max(1, -(-kv_most // page))
        table = rng.permutation(batches * pages + 2)[: batches * pages].reshape(batches, pages)
        cache = random_rows(rng, (batches * pages + 2) * page, kind, half, rope).reshape(
            -1, page, cache.shape[1]
        )
    return Problem(
        query=query,
        cache=cache,
        indices=np.array(listed).reshape(*lead, size),
        scale=float(np.float32(1 / np.sqrt(NOPE + rope))),
        kind=kind,
        half=half,
        rope=rope,
        block=block,
        causal=causal,
        table=table,
        q_lens=prefix_sums(q) if layout == "TND" else list(q),
        kv_lens=prefix_sums(kv) if layout_kv == "TND" else list(kv),
    )


def cache_tensor(problem: Problem) -> Tensor:
    """The cache with its one KV head, as the torch dtype that has such bytes."""
    return torch.from_numpy(problem.cache.copy()).unsqueeze(-2).view(TORCH[problem.kind])


def int32(values: object) -> Tensor | None:
    return None if values is None else torch.tensor(np.asarray(values), dtype=torch.int32)


def arguments(problem: Problem, **changes: object) -> dict[str, Any]:
    """The arguments of the torch operator."""
    kv = cache_tensor(problem)
    paged = problem.table is not None
    return {
        "query": torch.from_numpy(problem.query).to(TORCH[problem.half]),
        "key": kv,
        "value": kv,
        "sparse_indices": int32(problem.indices[..., None, :]),
        "scale_value": problem.scale,
        "key_quant_mode": 2,
        "value_quant_mode": 2,
        "block_table": int32(problem.table),
        "actual_seq_lengths_query": int32(problem.q_lens),
        "actual_seq_lengths_kv": int32(problem.kv_lens),
        "sparse_block_size": problem.block,
        "layout_query": "TND" if problem.query.ndim == 3 else "BSND",
        "layout_kv": "PA_BSND" if paged else "TND" if problem.cache.ndim == 2 else "BSND",
        "sparse_mode": 3 if problem.causal else 0,
        "rope_head_dim": problem.rope,
        **changes,
    }
