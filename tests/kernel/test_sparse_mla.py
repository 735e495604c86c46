"""The generated kernel of sparse attention: layouts and dtypes, and what kernels of its kind got wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from qsfa_codegen.emulate.run import Ran
from tests.kernel.calls import Case, emulation, outputs, prepared, ran

LAYOUTS = [("BSND", "BSND"), ("TND", "TND"), ("BSND", "PA_BSND"), ("TND", "PA_BSND")]


def check(found: Ran) -> None:
    assert found.right, (found.report.findings, found.worst)
    assert found.report.findings == ()


@pytest.mark.parametrize("half", ["bfloat16", "float16"])
@pytest.mark.parametrize("layouts", LAYOUTS, ids="-".join)
def test_every_layout_and_dtype(layouts: tuple[str, str], half: str) -> None:
    first = Case("first", layouts, half, rope=0, lse=True, mode=0)
    check(ran(first))
    check(ran(replace(first, id="second", rope=64, lse=False, mode=3, block=4), seed=3))


# Lengths are such that the last block of a batch is not whole. It stands first, last, in the middle, twice.
EDGES = [
    Case("cut_block_first", block=16, kv=(37, 50), lists=[[2, 0, 1], [3, 1]]),
    Case("cut_block_in_the_middle", block=16, kv=(37, 50), lists=[[0, 2, 1], [1, 3, 0, 2]], mode=0),
    Case("blocks_of_two", block=2, kv=(37, 51), lists=[[18, 3, 4, 5], [25, 0]]),
    Case("block_past_the_edge", block=8, q=(6, 1), kv=(9, 50), lists=[[1, 0], [0, 1]]),
    Case("one_head", heads=1),
    Case("all_heads", heads=128, kv=(150, 20), size=150),
    Case("one_entry", size=1),
    Case("empty_and_short_lists", lists=[[], [4], list(range(17))]),
    Case("no_keys", kv=(0, 0)),
    Case("batches_without_rows", q=(0, 3, 0), kv=(20, 20, 0)),
    Case("rows_that_see_nothing", q=(5, 1), kv=(2, 1)),
    Case("list_longer_than_a_window", size=2500, kv=(2500, 3), q=(1, 1), mode=0),
    Case("negative_scale", scale=-0.3, kv=(300, 20), size=300),
    Case("no_scale", scale=0.0, kv=(140, 20), size=140),
]


@pytest.mark.parametrize("case", EDGES, ids=lambda case: case.id)
def test_edges(case: Case) -> None:
    check(ran(case))


@pytest.mark.parametrize("seed", [None, 1])
@pytest.mark.parametrize("cores", [1, 3])
def test_rows_do_not_divide_by_cores(cores: int, seed: int | None) -> None:
    check(ran(Case("rows", q=(3, 0, 4), kv=(30, 5, 40)), cores, seed))


def test_references_that_move_within_a_row() -> None:
    """Logits of ten tiles that exceed those before by far: the accumulator is rescaled."""
    check(
        ran(
            Case(
                "moves",
                heads=16,
                scale=1.0,
                q=(1, 1),
                kv=(1200, 700),
                size=1200,
                mode=0,
                lists=[range(1200), range(700)],
            ),
            cores=2,
        )
    )


@pytest.mark.parametrize("heads", [4, 128])
def test_cores_share_a_list(heads: int) -> None:
    """One row over several cores gives what one core gives, but for roundings."""
    case = Case(
        "shared",
        heads=heads,
        q=(1,),
        kv=(900,),
        size=700,
        lists=[list(range(0, 1400, 2))[:450] + list(range(1, 500, 2))],
    )
    alone, shared = ran(case, cores=1), ran(case, cores=5)
    check(alone)
    check(shared)
    assert shared.report.cycles < 0.7 * alone.report.cycles
    assert (
        sum("MTE2" in core.busy for name, core in shared.report.cores.items() if name.startswith("aic")) > 2
    )


def test_parts_are_merged_alike_in_every_order() -> None:
    case = Case("orders", q=(1,), kv=(800,), size=700, lists=[range(700)])
    fixed, drawn = ran(case, cores=4), ran(case, cores=4, seed=11)
    check(drawn)
    assert [worst.error for worst in fixed.worst] == [worst.error for worst in drawn.worst]


@pytest.mark.parametrize("layouts", [LAYOUTS[1], LAYOUTS[3]], ids="-".join)
def test_no_rope_is_a_rope_of_zeros(layouts: tuple[str, str]) -> None:
    """Bit for bit."""
    bare = Case("bare", layouts, heads=16, rope=0, kv=(150, 30), size=150)
    padded = replace(bare, rope=64)
    tensors = emulation().filled(prepared(bare).call, 0)
    query, key = tensors["query"], tensors["key"]
    wide = dict(tensors)
    wide["query"] = np.concatenate([query, np.zeros((*query.shape[:-1], 64), query.dtype)], axis=-1)
    zeros = np.zeros((*key.shape[:-1], 128), key.dtype)
    wide["key"] = np.concatenate([key[..., :512], zeros, key[..., 512:]], axis=-1)
    wide["value"] = wide["key"]
    assert outputs(bare, tensors) == outputs(padded, wide)
