"""Intervals and what they prove, on cases worked out by hand."""

import pytest

from qsfa_codegen.expr.bounds import (
    Interval,
    assume,
    decide,
    fits,
    interval,
    may_fail,
    nonzero,
    value_range,
)
from qsfa_codegen.expr.nodes import BOOL, DIMS, INT, Call, Expr, ParamQuery, Query, Ref, RefKind, Select
from tests.expr.world import SPAN, TILING, typed

MAX = 2**63 - 1
MIN = -(2**63)
KNOWN = {"A": Interval(0, 100), "B": Interval(1, 8), "C": Interval(-5, 5), "LIMIT": Interval(64, 64)}


def _ranges(expr: Expr) -> Interval | None:
    return KNOWN.get(expr.name) if isinstance(expr, Ref) else None


INTERVALS: list[tuple[str, tuple[int, int] | None]] = [
    ("7", (7, 7)),
    ("A", (0, 100)),
    ("step", (MIN, MAX)),
    ("A + B", (1, 108)),
    ("A - B", (-8, 99)),
    ("A * C", (-500, 500)),
    ("C * C", (-25, 25)),
    ("-A", (-100, 0)),
    ("abs(C)", (0, 5)),
    ("abs(B - 10)", (2, 9)),
    ("A // B", (0, 100)),
    ("C // B", (-5, 5)),
    ("A // -3", (-34, 0)),
    ("A // C", None),
    ("A % B", (0, 7)),
    ("A % LIMIT", (0, 63)),
    ("A % 100", (0, 99)),
    ("A % 101", (0, 100)),
    ("B % (A + 8)", (0, 8)),
    ("(A + 200) % 1000", (200, 300)),
    ("C % 3", (0, 2)),
    ("A % -3", (-2, 0)),
    ("C // (B - B) if B > 8 else 1", (1, 1)),
    ("ceil_div(A, B)", (0, 100)),
    ("ceil_div(A, 16)", (0, 7)),
    ("align_up(A, 16)", (0, 112)),
    ("align_up(A, B)", (0, 107)),
    ("align_up(B, 16)", (16, 16)),
    ("align_up(C, 4)", (-4, 8)),
    ("align_up(A, -16)", (0, 96)),
    ("align_up(A, C)", None),
    ("min(A, B)", (0, 8)),
    ("max(A, B, 50)", (50, 100)),
    ("min(step, 4)", (MIN, 4)),
    ("max(min(step, 4), 0)", (0, 4)),
    ("step + 1", None),
    ("step * 2", None),
    ("-step", None),
    ("abs(step)", None),
    ("step // -1", None),
    ("step % -1", (0, 0)),
    ("step // 2", (MIN // 2, MAX // 2)),
    ("A if flag else B", (0, 100)),
    ("step if 0 < step else 9", (1, MAX)),
    ("step if step > 0 else 9", (1, MAX)),
    ("100 // step if step >= 1 else 0", (0, 100)),
    ("100 // step if step != 0 else 0", None),
    ("100 // A if A != 0 else 0", (0, 100)),
    ("A if A < 10 else 10", (0, 10)),
    ("A if not A >= 10 else 10", (0, 10)),
    ("A if A == 7 else 3", (3, 7)),
    ("A if A != 100 else 5", (0, 99)),
    ("A if A != 50 else 5", (0, 100)),
    ("C if C != -5 else 0", (-4, 5)),
    ("C if -5 != C else 0", (-4, 5)),
    ("C if C != B else 0", (-5, 5)),
    ("1 if A > 3 and A < 6 else A", (0, 100)),
    ("A if A < 3 or A > 97 else 1", (0, 100)),
    ("A if A in (4, 9) else 5", (4, 9)),
    ("5 if A not in (4, 9) else A", (4, 9)),
    ("A if 2 <= A <= 4 else 3", (2, 4)),
    ("A if A > 3 and A < 6 else 5", (4, 5)),
    ("5 if A <= 3 or A >= 6 else A", (4, 5)),
    ("A if A > 100 else 1", (1, 1)),
    ("1 if A >= 0 else A", (1, 1)),
    ("A if step > 50 and A > step else 60", (52, 100)),
    ("rank(x)", (0, 2**31 - 1)),
    ("dim(x, 0)", (MIN, MAX)),
    ("dim(x, 0) if dim(x, 0) > 0 else 1", (1, MAX)),
    ("dim(x, 0) if dim(x, 1) > 0 else 1", (MIN, MAX)),
    ("len(sizes)", (0, MAX)),
    ("sizes[0] if sizes[0] in (1, 2) else 3", (1, 3)),
    ("elements(row)", (0, MAX)),
    ("sizeof(t)", (1, MAX)),
    ("numel(x)", None),
    ("prod(sizes)", None),
]


@pytest.mark.parametrize(("text", "limits"), INTERVALS)
def test_interval(text: str, limits: tuple[int, int] | None) -> None:
    expr = typed(text)
    known = interval(expr, _ranges)

    assert known == (None if limits is None else Interval(*limits))
    assert may_fail(expr, _ranges) == (limits is None)


def test_platform_values_are_not_negative() -> None:
    assert interval(typed("aic // 2", scope=TILING), _ranges) == Interval(0, MAX // 2)


def test_only_int64_has_an_interval() -> None:
    assert interval(typed("flag"), _ranges) is None
    assert interval(typed("scale + 1"), _ranges) is None


RANGES = [
    ("step + 1", (MIN + 1, MAX)),
    ("A * INT64_MAX", (0, MAX)),
    ("A // C", (-100, 100)),
    ("min(B * step, 128)", (MIN, 128)),
]


@pytest.mark.parametrize(("text", "limits"), RANGES)
def test_range_of_values_where_it_does_not_fail(text: str, limits: tuple[int, int]) -> None:
    assert value_range(typed(text), _ranges) == Interval(*limits)


def test_range_with_the_zero_of_a_failure() -> None:
    expr = typed("B * INT64_MAX")

    assert value_range(expr, _ranges) == Interval(MAX, MAX)
    assert value_range(expr, _ranges, zero_on_failure=True) == Interval(0, MAX)


def test_ranges_answer_for_products_that_they_know() -> None:
    def ranges(expr: Expr) -> Interval | None:
        return Interval(0, 4096) if isinstance(expr, (ParamQuery, Call)) else None

    assert interval(typed("numel(x) * 2"), ranges) == Interval(0, 8192)
    assert interval(typed("prod(sizes) + 1"), ranges) == Interval(1, 4097)


def test_fits() -> None:
    assert fits(typed("A * B"), _ranges, 0, 800)
    assert not fits(typed("A * B"), _ranges, 0, 799)
    assert not fits(typed("A * B"), _ranges, 1, 800)
    assert not fits(typed("min(step * 2, 0)"), _ranges, MIN, MAX)


@pytest.mark.parametrize(
    ("text", "proven"),
    [
        ("B", True),
        ("A", False),
        ("C", False),
        ("C + 6", True),
        ("2 * step + 1", False),
        ("16 * align_up(B, 32) + 8", True),
    ],
)
def test_nonzero(text: str, proven: bool) -> None:
    assert nonzero(typed(text), _ranges) is proven


DECISIONS = [
    ("A >= 0", True),
    ("A > 100", False),
    ("A == 101", False),
    ("A != 101", True),
    ("A < B", None),
    ("B < LIMIT", True),
    ("LIMIT == 64", True),
    ("LIMIT in (1, 64)", True),
    ("LIMIT not in (1, 64)", False),
    ("B in (0, 9)", False),
    ("B in (1, 2)", None),
    ("not A >= 0", False),
    ("flag", None),
    ("flag and A > 100", False),
    ("flag or A >= 0", True),
    ("A >= 0 and B >= 1", True),
    ("A > 100 or B > 8", False),
    ("A > 50 and A < 20", False),
    ("A <= 50 or A > 20", True),
    ("flag and not flag", False),
    ("mode == ROW", None),
    ("A // C > 1000", None),
    ("true if A >= 0 else flag", True),
    ("is_power_of_two(A)", None),
]


@pytest.mark.parametrize(("text", "decided"), DECISIONS)
def test_decide(text: str, decided: bool | None) -> None:
    assert decide(typed(text), _ranges) is decided


def test_assume_refines_what_it_names() -> None:
    refined = assume(typed("A > 90 and C < B"), True, _ranges)

    assert interval(typed("A - 90"), refined) == Interval(1, 10)
    assert interval(typed("C"), refined) == Interval(-5, 5)
    assert interval(typed("A - 90"), assume(typed("A > 90"), False, _ranges)) == Interval(-90, 0)


def test_a_bool_name_is_remembered() -> None:
    assert interval(typed("(A if flag else 1) if flag else 7"), _ranges) == Interval(0, 100)
    assert interval(typed("(A if flag else 1) if not flag else 7"), _ranges) == Interval(1, 7)


def test_tables_join_their_branches() -> None:
    cases = (("ROW", typed("A")), ("COL", typed("-3")))
    table = Select(INT, SPAN, typed("mode"), cases, typed("150"))

    assert interval(table, _ranges) == Interval(-3, 150)
    assert interval(Select(INT, SPAN, typed("mode"), cases), _ranges) == Interval(-3, 100)
    assert interval(Select(INT, SPAN, typed("mode"), (("ROW", typed("step * 2")),)), _ranges) is None


def test_runs_of_dims_say_nothing() -> None:
    rows = Ref(DIMS, SPAN, RefKind.REST, "ROWS")
    whole = ParamQuery(DIMS, SPAN, Query.DIMS, "x", 0)

    assert decide(Call(BOOL, SPAN, "ends_with", (whole, rows)), _ranges) is None
    assert interval(typed("len(ROWS) + 1"), _ranges) is None
    assert value_range(typed("len(ROWS) + 1"), _ranges) == Interval(1, MAX)
