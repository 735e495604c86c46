"""The calls whose launches are counted, and what any kernel must move for them.

Decode is one query row of 64 heads over 2048 selected of 4096 tokens in pages of 256, on one cube core and
its two vector cores; prefill is 64 such rows on four, short prefill 8, and one more than cores is 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from msgspec.structs import replace

from bench.kernel_uses import GATHERED, OTHER, OUTPUTS, QUERY
from tests.kernel.cases import NOPE, Case

TOKENS, SELECTED, PAGE, HEADS = 4096, 2048, 256, 64


def scattered(seed: int) -> tuple[int, ...]:
    """Tokens of one query row: each at most once, in no order."""
    return tuple(int(n) for n in np.random.default_rng(seed).permutation(TOKENS)[:SELECTED])


def attention(name: str, rows: tuple[int, ...] = (1,), **changed: Any) -> Case:
    """Batches of ``rows`` query rows each, of which all see every token that they select."""
    usual: dict[str, Any] = {
        "kv": (TOKENS,) * len(rows),
        "size": SELECTED,
        "page": PAGE,
        "heads": HEADS,
        "causal": False,
        "lse": False,
        "cores": 1,
        "lists": tuple(scattered(row) for row in range(sum(rows))),
    }
    return Case(name, q=rows, **{**usual, **changed})


DECODE = attention("decode")
PLAIN = attention("decode without rope", rope=0)
SPLIT = attention("decode on 8 cores", cores=8)
WIDE = attention("decode of 128 heads", heads=128)
PREFILL = attention("prefill", (32, 32), layouts=("TND", "PA_BSND"), cores=4)
SHORT = attention("short prefill", (4, 4), layouts=("TND", "PA_BSND"), cores=4)
ONE_MORE = attention("5 rows on 4 cores", (5,), cores=4)

DECODE_A5 = replace(DECODE, chip="A5")
PLAIN_A5 = replace(PLAIN, chip="A5")
FEW_A5 = replace(DECODE_A5, name="decode of 16 heads", heads=16)
FLOAT8_A5 = replace(DECODE_A5, name="decode, fp8", cache="float8_e4m3fn")
HIFLOAT8_A5 = replace(DECODE_A5, name="decode, hifloat8", cache="hifloat8")
WIDE_A5 = replace(WIDE, chip="A5")
WIDE_PAIR_A5 = replace(WIDE_A5, name="decode of 128 heads on 2 cores", cores=2)
SPLIT_A5 = replace(DECODE_A5, name="decode on 4 cores", cores=4)
SHORT_A5 = replace(SHORT, chip="A5")
ONE_MORE_A5 = replace(ONE_MORE, chip="A5")

CASES = (
    *(DECODE, PLAIN, SPLIT, WIDE, PREFILL, ONE_MORE),
    *(DECODE_A5, PLAIN_A5, FEW_A5, FLOAT8_A5, HIFLOAT8_A5, WIDE_A5, WIDE_PAIR_A5, SHORT_A5),
    *(SPLIT_A5, ONE_MORE_A5),
)


def described(case: Case) -> str:
    """A case in words, but for its chip."""
    rows = sum(case.q)
    return (
        f"{case.name}: {_number(rows, 'query row')} of {_number(case.heads, 'head')} over {SELECTED:,} of "
        f"{TOKENS:,} tokens, {case.cache} with RoPE {case.rope}, Q {case.half}, on "
        f"{_number(case.cores, 'cube core')} and {2 * case.cores} vector cores"
    )


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def least_bytes(case: Case) -> Mapping[str, int]:
    """What must be moved for each query row whatever the kernel does: its tokens, Q, output and list once."""
    rows = sum(case.q)
    return {
        GATHERED: rows * SELECTED * (NOPE + 2 * case.rope + 16),
        QUERY: rows * case.heads * (NOPE + case.rope) * 2,
        OUTPUTS: rows * case.heads * NOPE * 2,
        OTHER: rows * SELECTED * 4,
    }
