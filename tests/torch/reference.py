"""The operator once more: numpy, loops and float64, written from its formulas and slow.

It shares nothing with the generated package: it has its own reading of rows, its own decoders, its own way
from a query row to its tokens. Keys are rounded to the dtype of the query; the rest is exact to float64.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NOPE, TILE = 512, 128


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
    kind: str = "int8"
    half: str = "bfloat16"
    rope: int = 64
    block: int = 1
    causal: bool = True
    table: Ints | None = None
    q_lens: Sequence[int] | None = None
    kv_lens: Sequence[int] | None = None
    rounded: bool = True  # K and V in the dtype of Q; else float64


@dataclass
class Answer:
    """Outputs in the layout of the query: ``out`` ``[…, N, 512]``, the others ``[…, N]``."""

    out: Floats
    row_max: Floats
    row_sum: Floats
    tokens: dict[tuple[int, ...], list[int]] = field(default_factory=dict)


def attend(problem: Problem) -> Answer:
    """Every query row by itself."""
    shape = problem.query.shape[:-1]
    answer = Answer(np.zeros((*shape, NOPE)), np.zeros(shape), np.zeros(shape))
    for place, batch, position in query_places(problem):
        tokens = attended(problem, place, batch, position)
        answer.tokens[place] = tokens
        if tokens:
            rows = [token_row(problem, batch, token) for token in tokens]
            keys = np.array([key_of(problem, row) for row in rows])
            one_row(problem, place, keys, answer)
    return answer


def one_row(problem: Problem, place: tuple[int, ...], keys: Floats, answer: Answer) -> None:
    """Softmax(scale · q · K) · V for each head."""
    for head in range(problem.query.shape[-2]):
        q = problem.query[(*place, head)]
        logits = [problem.scale * math.fsum(q * k) for k in keys]
        peak = max(logits)
        weights = [math.exp(logit - peak) for logit in logits]
        total = math.fsum(weights)
        mixed = sum((w / total) * k[:NOPE] for w, k in zip(weights, keys, strict=True))
        answer.out[(*place, head)] = mixed
        answer.row_max[(*place, head)] = peak
        answer.row_sum[(*place, head)] = total


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
    if problem.q_lens is None:
        return int(problem.query.shape[1])
    if problem.query.ndim == 4:
        return problem.q_lens[batch]
    return problem.q_lens[batch] - (problem.q_lens[batch - 1] if batch else 0)


def kv_length(problem: Problem, batch: int) -> int:
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
        tokens += [t for t in range(begin, begin + problem.block) if t < limit]
    return tokens


def token_row(problem: Problem, batch: int, token: int) -> Bytes:
    rows = problem.cache
    if problem.table is not None:
        tokens = rows.shape[1]
        rows, token = rows[problem.table[batch, token // tokens]], token % tokens
    elif rows.ndim == 3:
        rows = rows[batch]
    elif batch and problem.kv_lens is not None:
        token += problem.kv_lens[batch - 1]
    row: Bytes = rows[token]
    return row


# --------------------------------------------------------------------------- rows


def key_of(problem: Problem, row: Bytes) -> Floats:
    """The dequantised row and its RoPE part, as numbers."""
    raw = row.tobytes()
    rope_end = NOPE + 2 * problem.rope
    scales = struct.unpack(f"<{NOPE // TILE}f", raw[rope_end:])
    numbers = [element(problem.kind, byte) for byte in raw[:NOPE]]
    nope = np.array(
        [np.float32(x) * np.float32(scales[i // TILE]) for i, x in enumerate(numbers)], dtype=np.float64
    )
    if problem.rounded:
        nope = round_to(nope, problem.half)
    return np.concatenate([nope, halves(raw[NOPE:rope_end], problem.half)])


def element(kind: str, byte: int) -> float:
    """The number of one quantised byte."""
    if kind == "int8":
        return float(byte - 256 if byte > 127 else byte)
    return fp8(byte) if kind == "float8_e4m3fn" else hifloat8(byte)


def fp8(byte: int) -> float:
    """Sign, four exponent bits with bias 7, three mantissa bits; no infinities."""
    sign, exponent, mantissa = byte >> 7, byte >> 3 & 15, byte & 7
    if exponent == 15 and mantissa == 7:
        return math.nan
    size = mantissa / 8 * 2.0**-6 if exponent == 0 else (1 + mantissa / 8) * math.ldexp(1, exponent - 7)
    return -size if sign else size


_DOTS = {"11": 4, "10": 3, "01": 2, "001": 1, "0001": 0}


def hifloat8(byte: int) -> float:
    """Read from a string of bits, field by field."""
    if byte in (0x00, 0x80, 0x6F, 0xEF):
        return {0x00: 0.0, 0x80: math.nan, 0x6F: math.inf, 0xEF: -math.inf}[byte]
    bits = f"{byte:08b}"
    sign, rest = (-1.0 if bits[0] == "1" else 1.0), bits[1:]
    if rest.startswith("0000"):
        return sign * math.ldexp(1, int(rest[4:], 2) - 23)
    dot = next(code for code in _DOTS if rest.startswith(code))
    width, rest = _DOTS[dot], rest[len(dot) :]
    field, mantissa = rest[:width], rest[width:]
    exponent = 0 if not field else int("1" + field[1:], 2) * (-1 if field[0] == "1" else 1)
    return sign * math.ldexp(1 + int(mantissa, 2) / 2 ** len(mantissa), exponent)


def halves(raw: bytes, half: str) -> Floats:
    """Two-byte floats as numbers."""
    if half == "float16":
        return np.frombuffer(raw, dtype="<f2").astype(np.float64)
    words = np.frombuffer(raw, dtype="<u2").astype(np.uint32) << 16
    return words.view(np.float32).astype(np.float64)


def round_to(values: Floats, half: str) -> Floats:
    """Float32 numbers rounded to two bytes, ties to even."""
    if half == "float16":
        return values.astype(np.float32).astype(np.float16).astype(np.float64)
    bits = values.astype(np.float32).view(np.uint32)
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & np.uint32(0xFFFF0000)
    return bits.view(np.float32).astype(np.float64)
