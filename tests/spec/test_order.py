"""Names in the order in which they can be read."""

from __future__ import annotations

import pytest

from qsfa_codegen.spec.resolve.order import RingError, in_order

NEEDS = {"a": "bc", "b": "d", "c": "d", "d": "", "x": "ya", "y": "z", "z": "y", "own": ("own",)}


@pytest.mark.parametrize(("start", "order"), [("d", "d"), ("b", "db"), ("a", "dbca")])
def test_what_is_needed_comes_first(start: str, order: str) -> None:
    assert in_order(start, lambda name: NEEDS[name]) == list(order)


@pytest.mark.parametrize(("start", "ring"), [("x", ["y", "z"]), ("z", ["z", "y"]), ("own", ["own"])])
def test_a_ring_is_named_from_where_it_begins(start: str, ring: list[str]) -> None:
    with pytest.raises(RingError) as raised:
        in_order(start, lambda name: NEEDS[name])
    assert raised.value.ring == ring


def test_a_chain_may_be_longer_than_the_stack() -> None:
    assert in_order(100_000, lambda n: (n - 1,) if n else ())[:2] == [0, 1]
