"""Calls that are made up: the same for the same seed, of every sort, and writable as call cases."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest

from qsfa_codegen.contract.calls import UNKNOWN_RANK, Call, Stage, TensorArg, call_json, dump
from qsfa_codegen.contract.case_reader import parse_cases
from qsfa_codegen.contract.evaluate import has_unknowns
from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.verify.generate import Calls
from tests.contract.specs import NAMES, QSFA, evaluator

COUNT = 4000


@cache
def calls(name: str) -> Calls:
    return Calls(evaluator(name))


@cache
def made(name: str, seed: int = 0, count: int = COUNT) -> tuple[Call, ...]:
    return tuple(calls(name).calls(seed, range(count)))


def shown(calls: Iterable[Call]) -> list[Any]:
    return [json.loads(dump(call_json(call))) for call in calls]


def tensors(call: Call) -> list[TensorArg]:
    args = [arg if isinstance(arg, tuple) else (arg,) for arg in call.inputs.values()]
    return [tensor for arg in args for tensor in arg]


@pytest.mark.parametrize("name", NAMES)
def test_every_call_is_a_case_that_reads_back(name: str) -> None:
    some = made(name, count=1500)
    sink = Sink()
    read = parse_cases([dump(call_json(call)) for call in some], evaluator(name).operator, sink)
    assert list(sink) == []
    assert shown(read) == shown(some)


def test_a_number_and_a_seed_make_one_call() -> None:
    some = made(QSFA)
    again = Calls(evaluator(QSFA))
    assert shown(again.calls(0, range(3900, COUNT))) == shown(some[3900:])
    others = [calls(QSFA).call(1, n) for n in range(3900, COUNT)]
    assert sum(a.inputs == b.inputs for a, b in zip(others, some[3900:], strict=True)) < 10


def test_derived_calls_come_first_in_every_stage() -> None:
    derived = calls(QSFA).derived
    assert len(derived) < COUNT
    assert [call.stage for call in derived[:3]] == [None, Stage.INFER, Stage.TILING]
    assert [(c.inputs, c.attrs) for c in made(QSFA)[: len(derived)]] == [(c.inputs, c.attrs) for c in derived]


def test_calls_are_of_every_sort() -> None:
    some = made(QSFA)[len(calls(QSFA).derived) :]
    sizes = {size for call in some for tensor in tensors(call) for size in tensor.shape}
    numbers = {value for call in some for value in call.attrs.values() if isinstance(value, int)}
    assert {-1, 0, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1} <= sizes
    assert {0, -(2**31), 2**31, 2**32, 2**63 - 1, -(2**63)} <= numbers
    assert any(tensor.shape == UNKNOWN_RANK for call in some for tensor in tensors(call))
    assert {call.attr_count for call in some} >= {None, *range(14)}
    assert {call.stage for call in some} == {None, Stage.INFER, Stage.TILING}
    assert {len(call.inputs) for call in some} >= {4, 5, 6, 7, 8}
    unknown = sum(has_unknowns(call.inputs.values()) for call in some)
    legal = sum(evaluator(QSFA).evaluate(call).ok for call in some)
    assert unknown > len(some) / 10
    assert len(some) / 3 < legal < len(some) * 2 / 3
