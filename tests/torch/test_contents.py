"""Calls whose data is wrong: refused with the element that is wrong, and nothing is computed."""

from __future__ import annotations

from typing import Any

import kv_quant_sparse_flash_attention as package
import pytest
import torch
from kv_quant_sparse_flash_attention import ops

from tests.torch.problems import arguments, make

run = torch.ops._C_ascend.npu_kv_quant_sparse_flash_attention


def refused(given: dict[str, Any]) -> str:
    with pytest.raises(package.CallError) as caught:
        run(**given)
    return str(caught.value)


def changed(name: str, place: tuple[int, ...], value: int, **kind: Any) -> dict[str, Any]:
    """The arguments of a legal call, with one element of one input changed."""
    given = arguments(make(1, **kind))
    run(**given)
    given[name][place] = value
    return given


TND = {"layout": "TND", "layout_kv": "TND"}
PAGED = {"q": (2, 1), "kv": (20, 7), "size": 6, "used": (4,)}


QUERY, KV = "actual_seq_lengths_query", "actual_seq_lengths_kv"
TABLE, INDICES = "block_table", "sparse_indices"
BATCHED, BLOCKS = {"layout_kv": "BSND"}, {**PAGED, "block": 4}
ENTRY, SEQUENCE = "a valid entry", "indices_in_sequence"


@pytest.mark.parametrize(
    ("name", "place", "value", "kind", "found", "expected", "id"),
    [
        (QUERY, (1,), 4, {}, "[1] is 4", "0 to 3;", "query_lengths_in_range"),
        (QUERY, (0,), -1, {}, "[0] is -1", "0 to 3;", "query_lengths_in_range"),
        (QUERY, (1,), 5, TND, "[1] is 5", "0 to 4;", "query_prefix_sums"),
        (QUERY, (1,), 1, TND, "[1] is 1", "at least the one before;", "query_prefix_sums"),
        (KV, (0,), 33, PAGED, "[0] is 33", "0 to 32;", "kv_lengths_in_range"),
        (KV, (0,), 22, BATCHED, "[0] is 22", "0 to 21;", "kv_lengths_in_range"),
        (KV, (1,), 43, TND, "[1] is 43", "0 to 42;", "kv_prefix_sums"),
        (KV, (1,), 19, TND, "[1] is 19", "at least the one before;", "kv_prefix_sums"),
        (TABLE, (0, 1), 6, PAGED, "[0, 1] is 6", "each entry of", "block_table_entries"),
        (TABLE, (0, 0), -1, PAGED, "[0, 0] is -1", "each entry of", "block_table_entries"),
        (INDICES, (0, 0, 0, 5), 1, PAGED, "[0, 0, 0, 5] is 1", "-1;", "indices_valid_first"),
        (INDICES, (0, 1, 0, 2), 20, PAGED, "[0, 1, 0, 2] is 20", ENTRY, SEQUENCE),
        (INDICES, (1, 0, 0, 3), 7, PAGED, "[1, 0, 0, 3] is 7", ENTRY, SEQUENCE),
        (INDICES, (1, 0, 0, 0), -2, PAGED, "[1, 0, 0, 0] is -2", ENTRY, SEQUENCE),
        (INDICES, (2, 0, 1), 7, TND, "[2, 0, 1] is 7", ENTRY, SEQUENCE),
        (INDICES, (0, 0, 0, 1), 5, BLOCKS, "[0, 0, 0, 1] is 5", ENTRY, SEQUENCE),
    ],
)
def test_an_element_that_is_wrong_is_named(
    name: str,
    place: tuple[int, ...],
    value: int,
    kind: dict[str, Any],
    found: str,
    expected: str,
    id: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = changed(name, place, value, **kind)
    monkeypatch.setattr(ops, "attend", lambda call: pytest.fail("computed"))
    message = refused(given)
    assert message.startswith(f"{name}{found}; expected: {expected}")
    assert message.endswith(f"[{id}]")


def test_what_is_not_read_is_not_checked() -> None:
    """Query rows past their batch's length, and entries of the block table past the KV length."""
    changed_rows = changed("sparse_indices", (1, 2, 0, 0), 1000, **PAGED)
    assert run(**changed_rows)[0].isfinite().all()
    changed_table = changed("block_table", (1, 1), 1000, **PAGED)
    assert run(**changed_table)[0].isfinite().all()
    changed_table = changed("block_table", (1, 0), 1000, **{**PAGED, "kv": (20, 0)})
    assert run(**changed_table)[0].isfinite().all()
    changed_tokens = changed("sparse_indices", (3, 0, 0), 1000, **TND)
    assert run(**changed_tokens)[0].isfinite().all()


def test_an_error_is_what_compiled_operators_raise_too() -> None:
    assert issubclass(package.CallError, RuntimeError)
    assert issubclass(package.CallError, ValueError)
