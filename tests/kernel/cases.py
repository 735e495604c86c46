"""Calls that the kernel of the first operator must work for: every combination, the edges of each size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, product

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call, TensorArg
from qsfa_codegen.reference.sparse_mla_data import random_indices

NOPE = 512
TILE = 128  # elements that share a scale
HALVES = ("float16", "bfloat16")
LAYOUTS = (("BSND", "BSND"), ("BSND", "PA_BSND"), ("TND", "TND"), ("TND", "PA_BSND"))


class Case(Struct, frozen=True):
    """A call by the lengths of its batches. ``lists`` are the valid entries of each query row, else random.

    ``q`` and ``kv`` are query rows and tokens of each batch, ``room`` how many more the tensors have of
    each. ``seed`` picks one of many orders in which pipes and cores run; None is the fixed one.
    """

    name: str
    q: tuple[int, ...] = (2, 1)
    kv: tuple[int, ...] = (150, 70)
    size: int = 40
    block: int = 1
    layouts: tuple[str, str] = ("BSND", "PA_BSND")
    half: str = "bfloat16"
    cache: str = "int8"
    heads: int = 8
    rope: int = 64
    lse: bool = True
    causal: bool = True
    page: int = 16
    room: int = 0
    scale: float | None = None
    plain_value: bool = False
    lists: tuple[tuple[int, ...], ...] | None = None
    cores: int = 24
    seed: int | None = None
    chip: str = "A2"
    nope: int = NOPE

    @property
    def joined(self) -> bool:
        """Whether batches of the query stand one behind the other."""
        return self.layouts[0] == "TND"

    def call(self) -> Call:
        """The call of the operator."""
        width, row = self.nope + self.rope, self.nope + 2 * self.rope + self.nope // TILE * 4
        rows = sum(self.q) + self.room if self.joined else (max(self.q) + self.room)
        lead = (rows,) if self.joined else (len(self.q), rows)
        cache = self._shape(row)
        inputs = {
            "query": TensorArg(self.half, (*lead, self.heads, width)),
            "key": TensorArg(self.cache, cache),
            "value": TensorArg(self.cache, (*cache[:-1], self.nope) if self.plain_value else cache),
            "sparse_indices": TensorArg("int32", (*lead, 1, self.size), self._entries(lead)),
            "actual_seq_lengths_query": self._lengths(self.q, self.joined),
            "actual_seq_lengths_kv": self._lengths(self.kv, self.layouts[1] == "TND"),
        }
        if self.layouts[1] == "PA_BSND":
            inputs["block_table"] = TensorArg("int32", (len(self.kv), max(1, self._pages(max(self.kv)))))
        attrs = {
            "scale_value": width**-0.5 if self.scale is None else self.scale,
            "key_quant_mode": 2,
            "value_quant_mode": 2,
            "sparse_block_size": self.block,
            "layout_query": self.layouts[0],
            "layout_kv": self.layouts[1],
            "sparse_mode": 3 if self.causal else 0,
            "attention_mode": 2,
            "rope_head_dim": self.rope,
            "return_softmax_lse": self.lse,
        }
        platform = {"aic": self.cores, "aiv": 2 * self.cores}
        return Call(self.name, self.chip, inputs, attrs, platform=platform)

    def _pages(self, tokens: int) -> int:
        return -(-tokens // self.page)

    def _shape(self, row: int) -> tuple[int, ...]:
        if self.layouts[1] == "PA_BSND":
            return (sum(map(self._pages, self.kv)), self.page, 1, row)
        if self.layouts[1] == "TND":
            return (sum(self.kv) + self.room, 1, row)
        return (len(self.kv), max(self.kv) + self.room, 1, row)

    def _lengths(self, lengths: Sequence[int], summed: bool) -> TensorArg:
        values = tuple(accumulate(lengths)) if summed else tuple(lengths)
        return TensorArg("int32", (len(values),), values)

    def _entries(self, lead: tuple[int, ...]) -> tuple[int, ...] | None:
        if self.lists is None:
            return None
        rows = [(*row, *[-1] * (self.size - len(row))) for row in self.lists]
        assert len(rows) == int(np.prod(lead))
        return tuple(entry for row in rows for entry in row)


def all_cases() -> tuple[Case, ...]:
    """Every case, each under a name of its own."""
    groups = (combinations, heads, sizes, blocks, lists, lengths, empty, cores, scales, others, orders)
    found = tuple(case for group in groups for case in group())
    assert len({case.name for case in found}) == len(found)
    return found


def combinations() -> Iterator[Case]:
    """Every layout, dtype and RoPE, with the softmax outputs and without; the rest in turns."""
    turns = ((8, 1, True, 24), (16, 4, False, 2), (64, 2, True, 3), (4, 16, True, 24), (32, 8, False, 1))
    choices = product(LAYOUTS, HALVES, (0, 64), (False, True))
    for number, (layouts, half, rope, lse) in enumerate(choices):
        heads, block, causal, cores = turns[number % len(turns)]
        yield Case(
            f"{'_'.join(layouts)}_{half}_rope{rope}{'_lse' if lse else ''}",
            q=(3, 1, 2),
            kv=(210, 70, 33),
            size=200 // block,
            block=block,
            layouts=layouts,
            half=half,
            heads=heads,
            rope=rope,
            lse=lse,
            causal=causal,
            room=number % 3,
            cores=cores,
        )


def heads() -> Iterator[Case]:
    """Every number of query heads."""
    for number, count in enumerate((1, 2, 4, 8, 16, 32, 64, 128)):
        yield Case(f"heads_{count}", heads=count, size=150, half=HALVES[number % 2], cores=2)


def sizes() -> Iterator[Case]:
    """Lists of any length, below, at and above what is computed at a time."""
    for number, size in enumerate((1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 129, 300, 513, 1030)):
        tokens = (size + 7, size) if number % 2 else (size, max(size - 3, 1))
        yield Case(f"list_of_{size}", q=(1, 1), kv=tokens, size=size, cores=2, heads=4 << number % 3)


def blocks() -> Iterator[Case]:
    """Blocks of any size, and the one that is cut at the first, a middle and the last place."""
    for block in (2, 4, 8, 16):
        tokens, count = 9 * block + block // 2 + 1, 10
        order = [int(n) for n in random_indices(np.random.default_rng(block), count - 1, count - 1, count)]
        for place in (0, 4, count - 1):
            row = (*order[:place], count - 1, *order[place:])
            yield Case(
                f"block_of_{block}_cut_at_{place}",
                q=(3,),
                kv=(tokens,),
                size=count,
                block=block,
                lists=(row, row, row),
                cores=2,
            )


def lists() -> Iterator[Case]:
    """Rows of every kind: empty, short, unaligned, full; all in one call."""
    counts = (0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 0, 140)
    rows = tuple(tuple(int(n) for n in np.random.default_rng(c).permutation(140)[:c]) for c in counts)
    for causal, cores_ in ((False, 1), (True, 5)):
        yield Case(
            f"rows_of_many_lengths_{'causal' if causal else 'all'}",
            q=(len(rows),),
            kv=(140,),
            size=140,
            lists=rows,
            causal=causal,
            cores=cores_,
        )
    yield Case("list_longer_than_a_window", q=(1, 1), kv=(2500, 3), size=2500, causal=False, cores=2)
    yield Case(
        "blocks_past_the_edge", q=(6, 1), kv=(9, 50), size=7, block=8, lists=((1, 0),) * 11 + ((6, 0),)
    )
    yield Case("blocks_listed_twice", q=(2,), kv=(37,), size=4, block=16, lists=((2, 0, 2), (1, 2, 1, 2)))
    yield Case("no_valid_entry", q=(2,), kv=(50,), size=8, lists=((), ()))
    yield Case("entries_behind_the_edge", q=(4,), kv=(6,), size=6, lists=((5, 4, 3, 2, 1, 0),) * 4)


def lengths() -> Iterator[Case]:
    """Lengths of batches, also 0, in every layout; more rows of the query than tokens."""
    for layouts in LAYOUTS:
        yield Case(
            f"lengths_{'_'.join(layouts)}",
            q=(2, 0, 3, 1, 0),
            kv=(40, 30, 0, 17, 0),
            layouts=layouts,
            room=1,
            cores=4,
        )
    yield Case("more_rows_than_tokens", q=(9, 1), kv=(4, 1), size=5, cores=3)
    yield Case("batches_without_rows", q=(0, 3, 0), kv=(20, 20, 0), cores=2)


def empty() -> Iterator[Case]:
    """A cache without tokens."""
    for layouts in LAYOUTS:
        yield Case(f"no_cache_{'_'.join(layouts)}", kv=(0, 0), size=4, layouts=layouts)


def cores() -> Iterator[Case]:
    """One core to all of them, rows that do not divide by cores, and one row for many cores."""
    for count, rows in ((1, (3, 2)), (2, (4, 3)), (5, (7, 5)), (23, (30,)), (24, (13, 12)), (24, (1,))):
        yield Case(
            f"{sum(rows)}_rows_on_{count}", q=rows, kv=(90,) * len(rows), size=70, cores=count, heads=4
        )
    yield Case("a_long_row_on_8", q=(1,), kv=(1500,), size=1400, cores=8, heads=16)
    yield Case("a_long_row_on_24", q=(1,), kv=(2100,), size=2048, cores=24, heads=64, half="float16")
    yield Case("two_long_rows_on_7", q=(2,), kv=(1100,), size=1030, cores=7, heads=128)
    long = Case("", kv=(700, 700), size=690, causal=False)
    yield replace(long, name="4_long_rows_on_3", q=(3, 1), layouts=("TND", "PA_BSND"), cores=3)
    yield replace(long, name="5_long_rows_on_2", q=(5,), kv=(700,), heads=128, cores=2)
    yield replace(
        long, name="rows_too_different", q=(3, 1), kv=(700, 20), layouts=("TND", "PA_BSND"), cores=3
    )
    yield from last_rounds(700, 3)


def last_rounds(tokens: int, count: int) -> Iterator[Case]:
    """A row more than cores, which they share: its list has tokens for one part, for none, for all."""
    several, few, none = tuple(range(0, tokens, 2)), (tokens - 1, 3, 8), ()
    for number, lists in enumerate(
        ((few, none, several, few), (several, few, none, none), (none, none, none, several))
    ):
        case = Case("", q=(4,), kv=(tokens,), size=tokens, cores=count, lists=lists, causal=False)
        yield replace(case, name=f"last_round_{number}", seed=number)


def scales() -> Iterator[Case]:
    """Scales that no model has: weights on few tokens, on the smallest logits, on all alike."""
    for name, scale in (("one", 1.0), ("negative", -0.05), ("zero", 0.0), ("large", 40.0)):
        yield Case(f"scale_{name}", size=300, kv=(320, 70), scale=scale, cores=2)
    yield Case(
        "logits_that_rise_by_far",
        q=(1, 1),
        kv=(1200, 700),
        size=1200,
        heads=16,
        scale=1.0,
        causal=False,
        cores=2,
    )


def others() -> Iterator[Case]:
    """What stands in no other group."""
    yield Case("plain_value", plain_value=True)
    yield Case("large_pages", kv=(1500, 3), page=1024, size=200, cores=2)
    yield Case("block_table_longer_than_ub_has_room", q=(1, 1), kv=(70_000, 40), size=300, cores=2)
    yield Case("many_batches", q=(1,) * 60, kv=tuple(range(5, 65)), size=30, heads=2)
    yield Case("long_lists_of_blocks", kv=(2000, 900), size=125, block=16, cores=2, half="float16")


def orders() -> Iterator[Case]:
    """Cores and pipes in random orders."""
    for seed in range(6):
        yield Case(
            f"order_{seed}",
            q=(3, 2),
            kv=(300, 140),
            size=290,
            heads=(4, 16, 64)[seed % 3],
            half=HALVES[seed % 2],
            layouts=LAYOUTS[1 + 2 * (seed % 2)],
            cores=(2, 3, 24)[seed // 2],
            seed=seed,
        )
