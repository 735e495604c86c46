"""Calls that a spec implies: every row of dtypes and layout with sizes of many kinds."""

from __future__ import annotations

from collections import defaultdict

from qsfa_codegen.contract.calls import TensorArg
from qsfa_codegen.emulate.derived import DerivedCalls
from tests.emulate.calls import evaluator, family, operator


def test_sizes_vary_also_where_a_rule_settles_one() -> None:
    """hifloat8 takes lists of one length alone."""
    (chip,) = (one for one in operator().chips if one.id == "A5")
    derived = DerivedCalls(evaluator(), chip, family(), 200_000_000)
    shapes: dict[str, set[tuple[int, ...]]] = defaultdict(set)
    for number in range(96):
        inputs = derived.call(0, number).inputs
        query, key = inputs["query"], inputs["key"]
        assert isinstance(query, TensorArg)
        assert isinstance(key, TensorArg)
        shapes[key.dtype].add(query.shape)
    assert set(shapes) == {"int8", "float8_e4m3fn", "hifloat8"}
    assert all(len(found) > 20 for found in shapes.values())
