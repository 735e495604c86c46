"""Calls that the kernel for Ascend 950 must work for: every combination in turns, the edges of each size."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec.structs import replace

from tests.kernel.cases import LAYOUTS, Case, last_rounds

PAGED, PLAIN, JOINED, JOINED_PAGED = ("BSND", "PA_BSND"), LAYOUTS[0], ("TND", "TND"), ("TND", "PA_BSND")
HIFLOAT8_SIZE = 2048
"""The only number of entries of a list that hifloat8 has."""

# Each row of dtypes has a layout, and the most heads one of them: a variant takes seconds to compile.
COMBINATIONS = (
    Case("int8", layouts=PAGED, half="bfloat16", cache="int8", heads=64),
    Case("float8", layouts=PLAIN, half="bfloat16", cache="float8_e4m3fn", heads=32),
    Case("hifloat8", layouts=JOINED, half="bfloat16", cache="hifloat8", heads=16, size=HIFLOAT8_SIZE),
    Case("half_int8", layouts=JOINED_PAGED, half="float16", cache="int8", heads=48),
    Case("half_float8", layouts=JOINED, half="float16", cache="float8_e4m3fn", heads=128),
    Case("half_hifloat8", layouts=PAGED, half="float16", cache="hifloat8", heads=4, size=HIFLOAT8_SIZE),
)
MAIN = replace(COMBINATIONS[0], heads=8)
MOST_HEADS = replace(COMBINATIONS[4], rope=0)


def all_cases() -> tuple[Case, ...]:
    """Every case, each under a name of its own."""
    groups = (combinations, heads, sizes, lists, lengths, cores, others)
    found = tuple(replace(case, chip="A5", lse=False) for group in groups for case in group())
    assert len({case.name for case in found}) == len(found)
    return found


def combinations() -> Iterator[Case]:
    """Dtypes, layouts, both sizes of RoPE where there are two, both masks, the fixed order and another."""
    for number, one in enumerate(COMBINATIONS):
        size = one.size if one.cache == "hifloat8" else 200
        case = replace(one, q=(3, 1, 2), kv=(290, 70, 33), size=size, room=number % 3, cores=2 + number)
        yield replace(case, name=f"{one.name}_causal", seed=number)
        rope = 64 if one.cache == "hifloat8" else 0
        yield replace(case, name=f"{one.name}_all", rope=rope, causal=False)


def heads() -> Iterator[Case]:
    """Every number of query heads that one core computes."""
    for count in (1, 2, 4, 8, 16, 32, 48, 64):
        yield replace(MAIN, name=f"heads_{count}", heads=count, size=150, cores=2)


def sizes() -> Iterator[Case]:
    """Lists of any length, below, at and above what is computed at a time."""
    for number, size in enumerate((1, 15, 16, 17, 127, 128, 129, 300, 1030)):
        tokens = (size + 7, size) if number % 2 else (size, max(size - 3, 1))
        yield replace(MAIN, name=f"list_of_{size}", q=(1, 1), kv=tokens, size=size, cores=2)


def lists() -> Iterator[Case]:
    """Rows of every kind: empty, short, unaligned, full; all in one call."""
    counts = (0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 0, 140, 300, 0)
    rows = tuple(tuple(int(n) for n in np.random.default_rng(c).permutation(320)[:c]) for c in counts)
    for causal, seed in ((False, None), (True, 5)):
        yield replace(
            MAIN,
            name=f"rows_of_many_lengths_{'causal' if causal else 'all'}",
            q=(len(rows),),
            kv=(320,),
            size=320,
            lists=rows,
            causal=causal,
            cores=3,
            seed=seed,
        )
    yield replace(MAIN, name="no_valid_entry", q=(2,), kv=(50,), size=8, lists=((), ()))
    yield replace(
        MAIN, name="entries_behind_the_edge", q=(4,), kv=(6,), size=6, lists=((5, 4, 3, 2, 1, 0),) * 4
    )
    yield replace(MAIN, name="tokens_listed_twice", q=(1,), kv=(9,), size=7, lists=((8, 2, 8, 0, 2, 2, 8),))


def lengths() -> Iterator[Case]:
    """Lengths of batches, also 0; no tokens at all; more rows of the query than tokens."""
    for one in (MAIN, COMBINATIONS[1], COMBINATIONS[3], MOST_HEADS):
        varied = replace(one, q=(2, 0, 3, 1, 0), kv=(40, 30, 0, 17, 0), room=1, cores=4)
        yield replace(varied, name=f"lengths_{one.name}")
        yield replace(one, name=f"no_cache_{one.name}", kv=(0, 0), size=4)
    yield replace(MAIN, name="more_rows_than_tokens", q=(9,), kv=(4,), size=5, cores=3)


def cores() -> Iterator[Case]:
    """Rows that do not divide by cores; cores without a neighbour for the other half of the heads."""
    for count, rows in ((1, (3, 2)), (5, (7, 5)), (32, (1,))):
        case = replace(MAIN, q=rows, kv=(90,) * len(rows), size=70, cores=count)
        yield replace(case, name=f"{sum(rows)}_rows_on_{count}")
    for count, rows, size in ((2, (1,), 600), (4, (1,), 1500), (8, (2, 1), 700)):
        case = replace(MAIN, q=rows, kv=(size + 9,) * len(rows), size=size, cores=count, causal=False)
        yield replace(case, name=f"{sum(rows)}_long_rows_on_{count}", seed=count)
    long = replace(COMBINATIONS[3], q=(3, 1), kv=(1200, 1200), size=1100, cores=3, causal=False)
    yield replace(long, name="4_long_rows_on_3")
    yield replace(long, name="rows_too_different", kv=(1200, 20))
    yield replace(MAIN, name="one_head_on_3", heads=1, q=(1,), kv=(1300,), size=1200, cores=3)
    yield from last_rounds(1100, 3)
    for count in (1, 2, 3):
        yield replace(MOST_HEADS, name=f"two_halves_on_{count}", size=150, cores=count, seed=count)
    for count in (4, 5):  # the fifth has no neighbour
        halves = replace(MOST_HEADS, q=(1, 2), kv=(900, 900), size=900, cores=count, causal=False)
        yield replace(halves, name=f"two_halves_shared_on_{count}")


def others() -> Iterator[Case]:
    """Scales that no model has, and what stands in no other group."""
    for name, scale in (("one", 1.0), ("negative", -0.05), ("zero", 0.0), ("large", 40.0)):
        yield replace(MAIN, name=f"scale_{name}", size=300, kv=(320, 70), scale=scale, cores=2)
    yield replace(MAIN, name="plain_value", plain_value=True)
    yield replace(MAIN, name="large_pages", kv=(1500, 3), page=1024, size=200, cores=2)
    yield replace(MAIN, name="many_batches", q=(1,) * 60, kv=tuple(range(5, 65)), size=30, heads=2)
    # Longer than what is worked out at a time, and with more pages than are kept in UB.
    yield replace(MAIN, name="a_long_list", q=(1,), kv=(2300,), size=2200, cores=1, causal=False)
    yield replace(MAIN, name="a_long_table", q=(1,), kv=(33000,), size=40, cores=1, causal=False)
