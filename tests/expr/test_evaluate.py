"""Evaluation on known calls: int64 edges, three-valued logic, tables, contents."""

import pytest

from qsfa_codegen.expr.evaluate import UNKNOWN, EvalError, Value, compiled, evaluate
from qsfa_codegen.expr.nodes import (
    BOOL,
    DIMS,
    INT,
    Call,
    Compare,
    Expr,
    ParamQuery,
    Query,
    Ref,
    RefKind,
    Select,
)
from tests.expr.world import CONTENTS, SPAN, TILING, World, typed

MAX = 2**63 - 1
MIN = -(2**63)

CALL = World(
    names={
        "A": 7,
        "B": 2,
        "C": -3,
        "LIMIT": 64,
        "step": 0,
        "mode": "COL",
        "other_mode": "ROW",
        "scale": 0.5,
        "flag": True,
        "title": "plain",
        "mask": (True, False),
        "sizes": (3, 5, 7),
        "wide": False,
        "t": "float16",
        "ROWS": (4, 6),
        "chip": "A5",
        "arch": "arch35",
        "aic": 24,
        "aiv": 48,
    },
    facts={
        (Query.PRESENT, "x", None): True,
        (Query.PRESENT, "y", None): False,
        (Query.RANK, "x", None): 3,
        (Query.DIM, "x", 0): 4,
        (Query.DIM, "x", -1): 16,
        (Query.DIM, "y", 0): UNKNOWN,
        (Query.DTYPE, "x", None): "int8",
        (Query.NUMEL, "x", None): 384,
        (Query.COUNT, "x", None): 2,
        (Query.STRIDE, "x", -2): 32,
    },
)

VALUES = [
    ("A + B * C", 1),
    ("A - B - C", 8),
    ("-A", -7),
    ("7 // 2", 3),
    ("-7 // 2", -4),
    ("7 // -2", -4),
    ("-7 // -2", 3),
    ("7 % 3", 1),
    ("-7 % 3", 2),
    ("7 % -3", -2),
    ("INT64_MIN % -1", 0),
    ("INT64_MIN // 1", MIN),
    ("INT64_MAX - 1 + 1", MAX),
    ("-INT64_MAX - 1", MIN),
    ("ceil_div(7, 2)", 4),
    ("ceil_div(-7, 2)", -3),
    ("ceil_div(8, 2)", 4),
    ("align_up(7, 16)", 16),
    ("align_up(0, 16)", 0),
    ("align_up(-7, 16)", 0),
    ("align_up(-17, 16)", -16),
    ("align_up(INT64_MIN, -1)", MIN),
    ("min(A, B, C)", -3),
    ("max(A, B, C)", 7),
    ("min(scale, 1)", 0.5),
    ("abs(C)", 3),
    ("abs(-0.5)", 0.5),
    ("is_power_of_two(1)", True),
    ("is_power_of_two(64)", True),
    ("is_power_of_two(0)", False),
    ("is_power_of_two(-8)", False),
    ("is_power_of_two(INT64_MIN)", False),
    ("is_power_of_two(12)", False),
    ("is_finite(scale)", True),
    ("scale * 2 == 1", True),
    ("scale - 1 < 0", True),
    ("-scale", -0.5),
    ("1 <= A < 7", False),
    ("1 <= A <= 7", True),
    ("A in (1, 7)", True),
    ("A not in (1, 7)", False),
    ("A in (1, B)", False),
    ("A in (1, B + 5)", True),
    ("mode == COL", True),
    ("mode == other_mode", False),
    ("mode in (ROW, TILE)", False),
    ("code(mode)", 5),
    ("code(mode) + code(other_mode)", 5),
    ("title == 'plain'", True),
    ("flag and not wide", True),
    ("wide or not flag", False),
    ("A if wide else B", 2),
    ("mask[1]", False),
    ("sizes[2]", 7),
    ("len(sizes)", 3),
    ("len(ROWS)", 2),
    ("prod(sizes)", 105),
    ("prod(ROWS)", 24),
    ("sizeof(t)", 2),
    ("sizeof(float32) * A", 28),
    ("sizeof(dtype(x))", 1),
    ("elements(row)", 656),
    ("offset(row, rope)", 512),
    ("present(x) and not present(y)", True),
    ("rank(x)", 3),
    ("dim(x, 0) * dim(x, -1)", 64),
    ("dtype(x) == int8", True),
    ("dtype(x) in (float16, float32)", False),
    ("numel(x) + count(x) + stride(x, -2)", 418),
    ("chip == A5 and arch != arch22", True),
    # what is not reached does not fail
    ("wide and A // step == 1", False),
    ("flag or A // step == 1", True),
    ("A if flag else A // step", 7),
    ("A in (7, A // step)", True),
    # unknown
    ("dim(y, 0)", UNKNOWN),
    ("dim(y, 0) + 1", UNKNOWN),
    ("0 * dim(y, 0)", UNKNOWN),
    ("-dim(y, 0)", UNKNOWN),
    ("abs(dim(y, 0))", UNKNOWN),
    ("min(dim(y, 0), 1)", UNKNOWN),
    ("align_up(dim(y, 0), 2)", UNKNOWN),
    ("A // dim(y, 0)", UNKNOWN),
    ("dim(y, 0) == dim(y, 0)", UNKNOWN),
    ("dim(y, 0) > 3", UNKNOWN),
    ("not dim(y, 0) > 3", UNKNOWN),
    ("dim(y, 0) > 3 and wide", False),
    ("wide and dim(y, 0) > 3", False),
    ("dim(y, 0) > 3 and flag", UNKNOWN),
    ("dim(y, 0) > 3 or flag", True),
    ("dim(y, 0) > 3 or wide", UNKNOWN),
    ("dim(y, 0) > 3 and A // step == 1", UNKNOWN),
    ("dim(y, 0) > 3 and A // step == 1 and wide", UNKNOWN),
    ("dim(y, 0) > 3 or A // step == 1", UNKNOWN),
    ("dim(y, 0) in (1, 2)", UNKNOWN),
    ("A in (1, dim(y, 0))", UNKNOWN),
    ("A in (dim(y, 0), 7)", True),
    ("A not in (dim(y, 0), 7)", False),
    ("A if dim(y, 0) > 3 else A", UNKNOWN),
    ("halves(dim(y, 0))", UNKNOWN),
    ("is_power_of_two(dim(y, 0))", UNKNOWN),
]


@pytest.mark.parametrize(("text", "value"), VALUES)
def test_value(text: str, value: Value) -> None:
    result = evaluate(typed(text), CALL)

    assert result == value
    assert type(result) is type(value)


FAILURES = [
    ("A + INT64_MAX", "overflow", 1),
    ("C - INT64_MAX - 1", "overflow", 1),
    ("A * INT64_MAX", "overflow", 1),
    ("B * (A + INT64_MAX)", "overflow", 6),
    ("-(INT64_MIN * (B - 1))", "overflow", 1),
    ("abs(INT64_MIN * (B - 1))", "overflow", 1),
    ("INT64_MIN // (C + B)", "overflow", 1),
    ("ceil_div(INT64_MIN, C + B)", "overflow", 1),
    ("align_up(INT64_MAX, B)", "overflow", 1),
    ("halves(B)", "overflow", 1),
    ("A // step", "division by zero", 1),
    ("1 + A % step", "division by zero", 5),
    ("ceil_div(A, step)", "division by zero", 1),
    ("align_up(A, step)", "division by zero", 1),
    ("dim(y, 0) // step", "division by zero", 1),
    ("flag and A // step == 1", "division by zero", 10),
    ("flag and dim(y, 0) > 3 and wide or A // step == 1", "division by zero", 36),
    ("A in (1, A // step)", "division by zero", 10),
    ("sizes[3]", "unbound", 1),
]


@pytest.mark.parametrize(("text", "reason", "column"), FAILURES)
def test_failure(text: str, reason: str, column: int) -> None:
    with pytest.raises(EvalError) as caught:
        evaluate(typed(text), CALL)

    assert caught.value.reason == reason
    assert caught.value.span is not None
    assert caught.value.span.column == column


def test_an_unbound_name_gets_the_place_where_it_stands() -> None:
    with pytest.raises(EvalError) as caught:
        evaluate(typed("1 + A"), World())

    assert caught.value.reason == "unbound"
    assert caught.value.span is not None
    assert caught.value.span.column == 5


def test_products_are_checked_from_left_to_right() -> None:
    assert evaluate(typed("prod(sizes)"), World({"sizes": (0, MAX, MAX)})) == 0
    with pytest.raises(EvalError, match="overflow"):
        evaluate(typed("prod(sizes)"), World({"sizes": (MAX, MAX, 0)}))
    assert evaluate(typed("prod(sizes)"), World({"sizes": ()})) == 1
    assert evaluate(typed("prod(ROWS)"), World({"ROWS": (2, UNKNOWN)})) is UNKNOWN
    assert evaluate(typed("len(ROWS)"), World({"ROWS": (2, UNKNOWN)})) == 2


def test_platform_functions_come_from_the_call() -> None:
    assert evaluate(typed("tsch_block_dim(2 * aic, aic, aiv)", scope=TILING), CALL) == 48


def test_a_nan_is_nothing_and_not_in_anything() -> None:
    call = World({"scale": float("nan")})

    assert evaluate(typed("is_finite(scale)"), call) is False
    assert evaluate(typed("scale == scale"), call) is False
    assert evaluate(typed("scale in (scale, 1)"), call) is False
    assert evaluate(typed("scale not in (0, 1)"), call) is True


def _table(selector: str, other: Expr | None = None) -> Select:
    cases = (("ROW", typed("1")), ("COL", typed("A"))) if selector == "mode" else (("true", typed("1")),)
    return Select(INT, SPAN, typed(selector), cases, other)


def test_tables() -> None:
    assert evaluate(_table("mode"), CALL) == 7
    assert evaluate(_table("flag"), CALL) == 1
    assert evaluate(_table("wide", typed("9")), CALL) == 9
    assert evaluate(_table("mode", typed("9")), World({"mode": "TILE"})) == 9
    assert evaluate(_table("mode"), World({"mode": UNKNOWN})) is UNKNOWN


@pytest.mark.parametrize(("selector", "call"), [("mode", World({"mode": "TILE"})), ("wide", CALL)])
def test_a_table_without_the_case_has_no_value(selector: str, call: World) -> None:
    with pytest.raises(EvalError, match="unbound"):
        evaluate(_table(selector), call)


@pytest.mark.parametrize(
    ("text", "data", "value"),
    [
        ("all_between(lengths, 0, B)", (0, 1, 2), True),
        ("all_between(lengths, 0, B)", (0, 3), False),
        ("all_between(lengths, 0, B)", (-1,), False),
        ("all_between(lengths, 0, B)", (), True),
        ("all_between(lengths, 0, dim(y, 0))", (0,), UNKNOWN),
        ("non_decreasing(lengths)", (1, 1, 4), True),
        ("non_decreasing(lengths)", (1, 4, 3), False),
        ("non_decreasing(lengths)", (), True),
        ("padded_with(lengths, -1)", (5, 7, -1, -1, 4, -1, -1, -1), True),
        ("padded_with(lengths, -1)", (5, -1, 7, -1, 4, -1, -1, -1), False),
        ("padded_with(lengths, -1)", (5, 7, 8, -1, 4, 4, 4, 4), True),
        ("padded_with(lengths, -1)", (-1, -1, -1, -1, 4, 4, 4, -1), True),
        ("padded_with(lengths, -1)", (5, 7, 8, 9, -1, -1, -1, 4), False),
    ],
)
def test_contents(text: str, data: tuple[int, ...], value: Value) -> None:
    facts: dict[tuple[Query, str, int | None], Value] = {
        (Query.DIM, "lengths", -1): 4,
        (Query.DIM, "y", 0): UNKNOWN,
    }
    call = World({"B": 2}, facts, {"lengths": data})

    assert evaluate(typed(text, scope=CONTENTS), call) is value


U = UNKNOWN


@pytest.mark.parametrize(
    ("form", "whole", "run", "value"),
    [
        ("==", (1, 2), (1, 2), True),
        ("==", (1, 2), (1, 3), False),
        ("==", (1, 2), (1, 2, 3), False),
        ("==", (1, U), (1, 2), U),
        ("==", (1, U), (2, U), False),
        ("==", (U,), (U,), U),
        ("!=", (1, 2), (1, 3), True),
        ("!=", (1, U), (1, 2), U),
        ("starts_with", (1, 2, 3), (1, 2), True),
        ("starts_with", (1, 2, 3), (2,), False),
        ("starts_with", (1,), (1, 2), False),
        ("starts_with", (1, 2, 3), (), True),
        ("ends_with", (1, 2, 3), (2, 3), True),
        ("ends_with", (1, 2, 3), (2,), False),
        ("ends_with", (2, 3), (1, 2, 3), False),
        ("ends_with", (1, U, 3), (2, 3), U),
        ("ends_with", (1, 2), (), True),
        ("==", U, (1,), U),
        ("ends_with", (1,), U, U),
    ],
)
def test_runs_of_dims(form: str, whole: Value, run: Value, value: Value) -> None:
    left: Expr = ParamQuery(DIMS, SPAN, Query.DIMS, "x", 0)
    right: Expr = Ref(DIMS, SPAN, RefKind.REST, "ROWS")
    compares = form in ("==", "!=")
    expr = Compare(BOOL, SPAN, form, left, right) if compares else Call(BOOL, SPAN, form, (left, right))
    call = World({"ROWS": run}, {(Query.DIMS, "x", 0): whole})

    assert evaluate(expr, call) is value


def test_other_exceptions_pass_through() -> None:
    class SpoiltError(Exception):
        pass

    class Spoilt(World):
        def ref(self, kind: RefKind, name: str) -> Value:
            raise SpoiltError

    with pytest.raises(SpoiltError):
        evaluate(typed("dim(y, 0) > 3 and A > 1"), Spoilt(facts=CALL.facts))


def test_a_tree_is_compiled_once() -> None:
    expr = typed("A + 1")

    assert compiled(expr) is compiled(expr)
    assert compiled(expr)(CALL) == 8
