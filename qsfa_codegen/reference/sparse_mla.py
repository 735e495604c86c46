"""Sparse attention over packed rows: numpy, one query row at a time, float64, written from its formulas.

It shares nothing with generated code: it has its own reading of rows, its own decoders, its own way from a
query row to its tokens. Keys are rounded to the dtype of the query; the rest is exact to float64.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from qsfa_codegen.reference.elements import Bytes, Floats, Ints, halves, round_to, table

_LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Row:
    """A packed row: ``nope`` quantised elements, a float32 scale for each ``tile`` of them, ``rope`` halves.

    ``at`` has the byte offsets of the three parts: quantised, halves, scales.
    """

    nope: int
    tile: int
    rope: int
    at: tuple[int, int, int]

    @property
    def scales(self) -> int:
        """How many scales a row has."""
        return self.nope // self.tile


@dataclass
class Problem:
    """A call, with Q as numbers and the cache as bytes.

    ``query`` is ``[B, S, N, D]`` or ``[T, N, D]``; ``cache`` ``[B, S, row]``, ``[T, row]`` or, paged,
    ``[blocks, tokens, row]``. ``kind`` names the dtype of quantised elements, ``half`` that of Q.
    """

    query: Floats
    cache: Bytes
    indices: Ints
    scale: float
    row: Row
    kind: str = "int8"
    half: str = "bfloat16"
    block: int = 1
    causal: bool = True
    table: Ints | None = None
    q_lens: Sequence[int] | None = None
    kv_lens: Sequence[int] | None = None
    rounded: bool = True  # K and V in the dtype of Q; else float64


@dataclass
class Answer:
    """Outputs in the layout of the query: ``out`` ``[…, N, nope]``, ``row_max`` and ``row_sum`` ``[…, N]``.

    What bounds of errors are made of, with all numbers made positive: ``weighed`` ``[…, N, nope]``, the
    mean of V with the weights of the softmax; ``plain`` ``[…, nope]``, the sum of V; ``reach`` ``[…, N]``,
    the largest scale · Σ q · k.
    """

    out: Floats
    row_max: Floats
    row_sum: Floats
    weighed: Floats
    plain: Floats
    reach: Floats
    tokens: dict[tuple[int, ...], list[int]] = field(default_factory=dict)


def attend(problem: Problem) -> Answer:
    """Every query row by itself."""
    shape = problem.query.shape[:-1]
    nope = problem.row.nope
    answer = Answer(
        out=np.zeros((*shape, nope)),
        row_max=np.zeros(shape),
        row_sum=np.zeros(shape),
        weighed=np.zeros((*shape, nope)),
        plain=np.zeros((*shape[:-1], nope)),
        reach=np.zeros(shape),
    )
    for place, batch, position in query_places(problem):
        tokens = attended(problem, place, batch, position)
        answer.tokens[place] = tokens
        if tokens:
            one_row(problem, place, keys_of(problem, token_rows(problem, batch, tokens)), answer)
    return answer


def one_row(problem: Problem, place: tuple[int, ...], keys: Floats, answer: Answer) -> None:
    """Softmax(scale · Q · K) · V for the heads of a query row; ``keys`` is ``[tokens, D]``."""
    query, values = problem.query[place], keys[:, : problem.row.nope]
    logits = in_range(problem.scale * in_range(query @ keys.T))
    peak = logits.max(axis=-1)
    weights = np.exp(logits - peak[:, None])
    total = weights.sum(axis=-1)
    answer.out[place] = weights @ values / total[:, None]
    answer.row_max[place] = peak
    answer.row_sum[place] = total
    answer.weighed[place] = weights @ np.abs(values) / total[:, None]
    answer.plain[place] = np.abs(values).sum(axis=0)
    answer.reach[place] = abs(problem.scale) * (np.abs(query) @ np.abs(keys).T).max(axis=-1)


def in_range(values: Floats) -> Floats:
    """Infinities for what float32 cannot hold, as the algorithm has them."""
    return np.where(np.abs(values) > _LARGEST, np.copysign(np.inf, values), values)


# --------------------------------------------------------------------------- which tokens


def query_places(problem: Problem) -> list[tuple[tuple[int, ...], int, int]]:
    """(place in the query, batch, position in the batch) of rows within their batch's length."""
    found: list[tuple[tuple[int, ...], int, int]] = []
    if problem.query.ndim == 4:
        batches, most = problem.query.shape[:2]
        for b in range(batches):
            length = most if problem.q_lens is None else problem.q_lens[b]
            found += [((b, s), b, s) for s in range(length)]
        return found
    assert problem.q_lens is not None
    begin = 0
    for b, end in enumerate(problem.q_lens):
        found += [((t,), b, t - begin) for t in range(begin, end)]
        begin = end
    return found


def q_length(problem: Problem, batch: int) -> int:
    """Query rows of a batch."""
    if problem.q_lens is None:
        return int(problem.query.shape[1])
    if problem.query.ndim == 4:
        return problem.q_lens[batch]
    return problem.q_lens[batch] - (problem.q_lens[batch - 1] if batch else 0)


def kv_length(problem: Problem, batch: int) -> int:
    """Tokens of a batch."""
    if problem.kv_lens is None:
        return int(problem.cache.shape[1])
    if problem.cache.ndim == 2:
        return problem.kv_lens[batch] - (problem.kv_lens[batch - 1] if batch else 0)
    return problem.kv_lens[batch]


def attended(problem: Problem, place: tuple[int, ...], batch: int, position: int) -> list[int]:
    """Tokens in list order: the first entries that reach the limit count, each cut at it."""
    limit = kv_length(problem, batch)
    if problem.causal:
        limit += position + 1 - q_length(problem, batch)
    if limit <= 0:
        return []
    tokens: list[int] = []
    for entry in problem.indices[place][: math.ceil(limit / problem.block)]:
        if entry == -1:
            break
        begin = int(entry) * problem.block
        tokens += range(begin, min(begin + problem.block, limit))
    return tokens


def token_rows(problem: Problem, batch: int, tokens: Sequence[int]) -> Bytes:
    """The packed rows of tokens of a batch, ``[tokens, bytes]``."""
    rows, places = problem.cache, np.array(tokens)
    if problem.table is not None:
        page = rows.shape[1]
        found: Bytes = rows[problem.table[batch, places // page], places % page]
    elif rows.ndim == 3:
        found = rows[batch, places]
    else:
        begin = problem.kv_lens[batch - 1] if batch and problem.kv_lens is not None else 0
        found = rows[begin + places]
    return found


# --------------------------------------------------------------------------- rows


def keys_of(problem: Problem, rows: Bytes) -> Floats:
    """Dequantised rows with their RoPE parts behind, as numbers ``[rows, nope + rope]``."""
    row = problem.row
    nope_at, rope_at, scale_at = row.at
    numbers = table(problem.kind)[rows[:, nope_at : nope_at + row.nope]]
    scales = np.ascontiguousarray(rows[:, scale_at : scale_at + 4 * row.scales]).view("<f4")
    nope = (numbers * np.repeat(scales, row.tile, axis=1)).astype(np.float64)
    if problem.rounded:
        nope = round_to(nope, problem.half)
    rope = halves(rows[:, rope_at : rope_at + 2 * row.rope].tobytes(), problem.half)
    return np.concatenate([nope, rope.reshape(len(rows), row.rope)], axis=1)
