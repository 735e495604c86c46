"""Random problems, as the reference takes them and as arguments of the torch operator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from qsfa_codegen.reference.sparse_mla import Problem, Row
from qsfa_codegen.reference.sparse_mla_data import numbers, prefix_sums, random_indices, random_rows

NOPE, TILE = 512, 128

TORCH = {
    "int8": torch.int8,
    "float8_e4m3fn": torch.float8_e4m3fn,
    "hifloat8": torch.uint8,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
}


def row_of(rope: int) -> Row:
    """The packed row with so many RoPE elements."""
    return Row(NOPE, TILE, rope, (0, NOPE, NOPE + 2 * rope))


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
    table, cache = None, random_rows(rng, batches * kv_most, kind, half, row_of(rope))
    if layout_kv == "BSND":
        cache = cache.reshape(batches, kv_most, cache.shape[1])
    elif layout_kv == "PA_BSND":
        pages = max(1, -(-kv_most // page))
        table = rng.permutation(batches * pages + 2)[: batches * pages].reshape(batches, pages)
        cache = random_rows(rng, (batches * pages + 2) * page, kind, half, row_of(rope)).reshape(
            -1, page, cache.shape[1]
        )
    return Problem(
        query=query,
        cache=cache,
        indices=np.array(listed).reshape(*lead, size),
        scale=float(np.float32(1 / np.sqrt(NOPE + rope))),
        kind=kind,
        half=half,
        row=row_of(rope),
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
        "rope_head_dim": problem.row.rope,
        **changes,
    }
