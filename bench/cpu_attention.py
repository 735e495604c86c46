"""Time of the CPU implementation on the usual decode call, against the matrix products that it needs.

One query row of 64 heads over 2048 of 4096 tokens in pages of 256, one thread. The products are those of
Q with K and of the weights with V, in float32 on tensors that are ready.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.limits import Limit

GENERATED = Path(__file__).resolve().parent.parent / "generated"
PYTHON = GENERATED / "kv_quant_sparse_flash_attention" / "python"

HEADS, TOKENS, SELECTED, PAGE = 64, 4096, 2048, 256
LIMIT = 5.0  # times the products


def measure(rounds: int = 25) -> dict[str, object]:
    """Milliseconds and ratios for each dtype of the cache."""
    sys.path.insert(0, str(PYTHON))
    import torch

    torch.set_num_threads(1)
    figures: dict[str, object] = {}
    for name, dtype in (
        ("int8", torch.int8),
        ("float8_e4m3fn", torch.float8_e4m3fn),
        ("hifloat8", torch.uint8),
    ):
        ours, products = _timed(_decode(dtype), rounds), _timed(_products(), rounds)
        figures[name] = {
            "milliseconds": round(1000 * ours, 2),
            "ratio_to_matrix_products": round(ours / products, 2),
        }
    return figures


def _timed(step: Callable[[], object], rounds: int) -> float:
    """Seconds of one step, the median after a first one that does not count."""
    step()
    seconds = []
    for _ in range(rounds):
        start = time.process_time()
        step()
        seconds.append(time.process_time() - start)
    return statistics.median(seconds)


def _products() -> Callable[[], object]:
    import torch

    query, keys = torch.randn(HEADS, 576), torch.randn(SELECTED, 576)
    values = torch.randn(SELECTED, 512)
    return lambda: (query @ keys.T) @ values


def _decode(dtype: Any) -> Callable[[], object]:
    import torch
    from kv_quant_sparse_flash_attention import KvRow

    rng = torch.Generator().manual_seed(0)
    row = KvRow(kv=dtype, q=torch.bfloat16)
    nope, scale = row.quantise(torch.randn(TOKENS, 512, generator=rng))
    rows = row.pack(nope, torch.randn(TOKENS, 64, generator=rng).bfloat16(), scale)
    cache = rows.view(TOKENS // PAGE, PAGE, 1, row.elements)
    given: dict[str, Any] = {
        "query": torch.randn(1, 1, HEADS, 576, generator=rng).bfloat16(),
        "key": cache,
        "value": cache,
        "sparse_indices": torch.randperm(TOKENS, generator=rng)[:SELECTED].int().view(1, 1, 1, SELECTED),
        "scale_value": 576**-0.5,
        "key_quant_mode": 2,
        "value_quant_mode": 2,
        "block_table": torch.randperm(TOKENS // PAGE, generator=rng).int().view(1, -1),
        "actual_seq_lengths_kv": torch.tensor([TOKENS], dtype=torch.int32),
        "layout_kv": "PA_BSND",
    }
    return lambda: torch.ops._C_ascend.npu_kv_quant_sparse_flash_attention(**given)


def limits(figures: dict[str, Any]) -> Iterator[Limit]:
    """Each limit with what was measured against it."""
    for name, found in figures.items():
        what = f"decode on the CPU, {name}, ratio to its matrix products"
        yield Limit(what, found["ratio_to_matrix_products"], LIMIT)
