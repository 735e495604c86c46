"""Kinds of disagreements, and what is counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest
from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call, Result, Stage, Violation
from qsfa_codegen.contract.run import run_both
from qsfa_codegen.verify.disagree import first_of_each, signature, tally, total
from tests.host.programs import QSFA, evaluator, paged

LEGAL = paged("legal")
TWO_MISTAKES = paged("two", sparse_mode=1, tile_size=3)


class Says:
    """An engine that gives every call the same answer."""

    def __init__(self, result: Result) -> None:
        self.result = result

    def stage(self, call: Call, stage: Stage | None = None) -> Stage | None:
        return stage or call.stage

    def results(self, calls: Iterable[Call], stage: Stage | None = None) -> Iterator[Result]:
        return (replace(self.result, id=call.id) for call in calls)


def rejected(*ids: str) -> Result:
    return Result("", stage=Stage.TILING, violations=tuple(Violation(id, "x", "is odd") for id in ids))


CRASHED = Result("", fault="crashed with SIGSEGV in tiling")
LATE = Result("", fault="tiling accepts what shape inference rejects: key is odd [key_shape]")


@pytest.mark.parametrize(
    ("call", "cpp", "kind"),
    [
        (LEGAL, CRASHED, ("fault",)),
        (LEGAL, LATE, ("fault", "key_shape")),
        (LEGAL, rejected("B_value"), ("rejects", "B_value")),
        (
            LEGAL,
            Result(""),
            ("outputs.attention_out", "outputs.softmax_max", "outputs.softmax_sum", "tiling"),
        ),
        (TWO_MISTAKES, rejected("B_value"), ("rejects", "B_value")),
        (TWO_MISTAKES, Result(""), ("accepts", "sparse_mode_value")),
    ],
)
def test_kinds(call: Call, cpp: Result, kind: tuple[str, ...]) -> None:
    (outcome,) = run_both(evaluator(QSFA), Says(cpp), [call])
    assert signature(outcome) == kind


def test_a_tally_counts_all_and_keeps_a_few_of_each_kind() -> None:
    engine = Says(rejected("sparse_mode_value"))
    one = tally(evaluator(QSFA), engine, [LEGAL] * 5 + [TWO_MISTAKES] * 2)
    assert (one.calls, one.legal, one.kinds) == (7, 5, {("rejects", "sparse_mode_value"): 5})
    assert one.broken == ("sparse_mode_value", "tile_size_value")
    assert len(one.disagreements) == 3
    other = tally(evaluator(QSFA), Says(rejected("B_value")), [TWO_MISTAKES] * 6)
    both = total([one, other])
    assert (both.calls, both.legal) == (13, 5)
    assert both.kinds == {("rejects", "sparse_mode_value"): 5, ("rejects", "B_value"): 6}
    assert [d.signature[1] for d in first_of_each(both)] == ["B_value", "sparse_mode_value"]
