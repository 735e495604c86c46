"""Rules about data in generated tiling where the host has the data: by hand, and as the contract says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

from qsfa_codegen.contract.calls import Call, Stage, TensorArg
from qsfa_codegen.contract.derive import derive
from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.host.build import STRICT, build
from qsfa_codegen.host.engine import HostEngine, host_files
from qsfa_codegen.spec.load import load
from qsfa_codegen.spec.model import Operator
from tests.render.style import complaints

SPEC = Path(__file__).with_name("data_rules.yaml")
DATA = TensorArg("float16", (8,))


@cache
def operator() -> Operator:
    return load(SPEC)


@pytest.fixture(scope="module")
def program() -> Path:
    return build(host_files(operator()), STRICT, sanitize=True)


def given(dtype: str, shape: Sequence[int], *data: int) -> TensorArg:
    return TensorArg(dtype, tuple(shape), data)


def call(attrs: Mapping[str, int] | None = None, **inputs: TensorArg) -> Call:
    runs = next(iter(inputs.values())).shape[0] if inputs else 3
    ends = TensorArg("int64", (runs,))
    return Call("call", "A2", {"data": DATA, "ends": ends, **inputs}, dict(attrs or {}), stage=Stage.TILING)


CASES: list[tuple[str, Call, str]] = [
    ("no data", call(), ""),
    ("ends", call(ends=given("int64", (3,), 0, 3, 8)), ""),
    ("ends that decrease", call(ends=given("int64", (3,), 3, 0, 8)), "ends_grow"),
    ("ends past the rows", call(ends=given("int64", (3,), 0, 3, 9)), "ends_grow"),
    ("ends below", call(ends=given("int64", (3,), -1, 3, 8)), "ends_grow"),
    ("ends of 32 bits", call(ends=given("int32", (3,), 0, 3, 8)), ""),
    ("ends of 32 bits that decrease", call(ends=given("int32", (3,), 0, -3, 8)), "ends_grow"),
    ("no ends at all", call(ends=given("int64", (0,))), ""),
    ("places", call(places=given("int64", (2, 3), 0, 4, -1, -1, -1, -1)), ""),
    ("a place after padding", call(places=given("int64", (2, 3), 0, -1, 4, -1, -1, -1)), "places_padded"),
    ("padding ends with its row", call(places=given("int64", (2, 3), 0, 1, -1, 2, -1, -1)), ""),
    ("a place past the limit", call(places=given("int64", (1, 1), 5)), "places_padded"),
    ("a larger limit", call({"limit": 5}, places=given("int64", (1, 1), 5)), ""),
    ("places without elements are absent", call(places=given("int64", (0, 3))), ""),
    (
        "a limit beyond 64 bits",
        call({"limit": 2**62, "scale": 4}, places=given("int64", (1, 1), 0)),
        "places_padded",
    ),
    (
        "a limit beyond 64 bits without data",
        call({"limit": 2**62, "scale": 4}, places=TensorArg("int64", (1, 1))),
        "",
    ),
    ("some are dropped", call(keep=given("bool", (2,), 1, 0)), ""),
    ("none is dropped", call(keep=given("bool", (2,), 1, 1)), "some_dropped"),
    ("the rule does not apply", call({"limit": 2}, keep=given("bool", (2,), 1, 1)), ""),
    (
        "the first of several",
        call(ends=given("int64", (2,), 1, 0), keep=given("bool", (2,), 1, 1)),
        "ends_grow",
    ),
]


@pytest.mark.parametrize(("number", "name"), [(n, name) for n, (name, _, _) in enumerate(CASES)])
def test_the_contract_says_which_rule_is_broken(number: int, name: str) -> None:
    _, asked, rule = CASES[number]
    violations = Evaluator(operator()).evaluate(asked).violations
    assert [v.constraint for v in violations][:1] == ([rule] if rule else []), name


def test_generated_tiling_says_so_too(program: Path) -> None:
    with HostEngine(operator(), program) as host:
        results = list(host.results(asked for _, asked, _ in CASES))
    for (name, _, rule), result in zip(CASES, results, strict=True):
        assert result.fault == "", name
        assert [v.constraint for v in result.violations] == ([rule] if rule else []), name


def test_the_message_is_the_rule(program: Path) -> None:
    with HostEngine(operator(), program) as host:
        (result,) = host.results([call(ends=given("int64", (2,), 1, 0))])
    (violation,) = result.violations
    assert violation.message == "ends: ends never decrease, 100% of them at most N"


def test_derived_cases_have_data_that_breaks_each_rule(program: Path) -> None:
    cases = [
        c
        for c in derive(operator()).calls
        if any(i.data for i in c.inputs.values() if isinstance(i, TensorArg))
    ]
    evaluator = Evaluator(operator())
    broken = {v.constraint for case in cases for v in evaluator.evaluate(case).violations}
    assert broken == {"ends_grow", "places_padded", "some_dropped"}
    with HostEngine(operator(), program) as host:
        for case, result in zip(cases, host.results(cases), strict=True):
            expected = [v.constraint for v in evaluator.evaluate(case).violations]
            assert [v.constraint for v in result.violations] == expected[:1], case.id


def test_the_generated_code_is_formatted(tmp_path: Path) -> None:
    assert complaints(host_files(operator()), tmp_path) == []
