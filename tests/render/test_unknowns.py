"""Three-valued conditions: the C++ texts, evaluated as booleans, against a table made by hand."""

from __future__ import annotations

import itertools
from typing import Literal as OneOf

import pytest

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.build import all_of, any_of, compare, literal, negation
from qsfa_codegen.expr.nodes import (
    BOOL,
    INT,
    Conditional,
    Contains,
    Expr,
    Literal,
    ParamQuery,
    Ref,
    RefKind,
    Select,
)
from qsfa_codegen.render.unknowns import (
    FALSE,
    TRUE,
    Condition,
    Every,
    Some,
    ThreeValued,
    broken_condition,
    closed,
    every,
    line,
    some,
)
from qsfa_codegen.render.unknowns import (
    Test as Text,
)

HERE = Span("spec.yaml", 1, 1, 1, 1)
Truth = OneOf["true", "false", "unknown"]


def size(name: str) -> Ref:
    return Ref(INT, HERE, RefKind.DIM, name)


def positive(name: str) -> Expr:
    return compare(">", size(name), literal(0, HERE), HERE)


def emit(expr: Expr) -> str:
    """Python stands in for C++: unknown is None, which must never be compared."""
    match expr:
        case Ref(name=name):
            return name
        case Literal(value=value):
            return str(value)
        case Conditional(test=test, then=then, otherwise=otherwise):
            return f"({emit(then)} if {emit(test)} else {emit(otherwise)})"
    return f"{emit(expr.left)} {expr.op} {emit(expr.right)}"  # type: ignore[union-attr]


def leaf_known(node: Ref | ParamQuery) -> Condition:
    return Text(f"known({node.name})") if isinstance(node, Ref) and node.kind is RefKind.DIM else TRUE


LOGIC = ThreeValued(emit, leaf_known, lambda run: TRUE)


def truth(expr: Expr, **values: int | None) -> Truth:
    names = {**values, "known": lambda value: value is not None}

    def holds(condition: Condition) -> bool:
        text = line(condition).replace("&&", "and").replace("||", "or").replace("!(", "not (")
        return bool(eval(text.replace("true", "True").replace("false", "False"), dict(names)))

    yes, no = holds(LOGIC.is_true(expr)), holds(LOGIC.is_false(expr))
    assert not (yes and no)
    return "true" if yes else "false" if no else "unknown"


# Kleene's tables, written out: 1 is true, 0 is false, None is unknown.
AND = {
    (1, 1): "true", (1, 0): "false", (1, None): "unknown",
    (0, 1): "false", (0, 0): "false", (0, None): "false",
    (None, 1): "unknown", (None, 0): "false", (None, None): "unknown",
}  # fmt: skip
OR = {
    (1, 1): "true", (1, 0): "true", (1, None): "true",
    (0, 1): "true", (0, 0): "false", (0, None): "unknown",
    (None, 1): "true", (None, 0): "unknown", (None, None): "unknown",
}  # fmt: skip


@pytest.mark.parametrize(("a", "b"), AND)
def test_and_or(a: int | None, b: int | None) -> None:
    both = all_of([positive("a"), positive("b")], HERE)
    either = any_of([positive("a"), positive("b")], HERE)
    assert both is not None
    assert either is not None
    assert truth(both, a=a, b=b) == AND[a, b]
    assert truth(either, a=a, b=b) == OR[a, b]


@pytest.mark.parametrize(("a", "expected"), [(1, "false"), (0, "true"), (None, "unknown")])
def test_not(a: int | None, expected: Truth) -> None:
    assert truth(negation(positive("a"), HERE), a=a) == expected


@pytest.mark.parametrize(
    ("a", "negated", "expected"),
    [
        (2, False, "true"),
        (5, False, "false"),
        (None, False, "unknown"),
        (2, True, "false"),
        (5, True, "true"),
        (None, True, "unknown"),
    ],
)
def test_membership(a: int | None, negated: bool, expected: Truth) -> None:
    options = (literal(2, HERE), literal(3, HERE))
    assert truth(Contains(BOOL, HERE, size("a"), options, negated), a=a) == expected


@pytest.mark.parametrize(
    ("test", "then", "otherwise", "expected"),
    [
        (1, 1, None, "true"),
        (1, None, 1, "unknown"),
        (0, None, 0, "false"),
        (0, 1, None, "unknown"),
        (None, 1, 1, "unknown"),
    ],
)
def test_a_choice_depends_on_the_side_taken(
    test: int | None, then: int | None, otherwise: int | None, expected: Truth
) -> None:
    chosen = Conditional(BOOL, HERE, positive("t"), positive("a"), positive("b"))
    assert truth(chosen, t=test, a=then, b=otherwise) == expected
    value = Conditional(INT, HERE, positive("t"), size("a"), size("b"))
    assert truth(compare(">", value, literal(0, HERE), HERE), t=test, a=then, b=otherwise) == expected


def test_constants_need_no_question() -> None:
    assert LOGIC.is_true(literal(True, HERE)) == TRUE
    assert LOGIC.is_false(literal(True, HERE)) == FALSE
    attr = compare("==", Ref(INT, HERE, RefKind.ATTR, "mode"), literal(2, HERE), HERE)
    assert line(LOGIC.is_false(attr)) == "mode != 2"


# --------------------------------------------------------------------------- the texts

A, B, C = Text("a"), Text("b"), Text("c")


def test_parts_stand_once_and_flat() -> None:
    assert every([A, every([B, A]), TRUE]) == Every((A, B))
    assert some([A, some([B, A]), FALSE]) == Some((A, B))
    assert every([A, FALSE]) == FALSE
    assert some([A, TRUE]) == TRUE
    assert every([A]) == A
    assert some([]) == FALSE


def test_what_all_alternatives_demand_stands_in_front() -> None:
    assert line(some([every([A, B]), every([A, C])])) == "a && (b || c)"


def test_a_narrower_alternative_adds_nothing() -> None:
    assert some([A, every([A, B])]) == A


def test_operators_of_two_kinds_get_parentheses() -> None:
    assert line(every([A, some([B, C])])) == "a && (b || c)"
    assert line(some([A, every([B, C])])) == "a || (b && c)"


@pytest.mark.parametrize("count", range(2, 9))
def test_long_conditions_break_behind_operators(count: int) -> None:
    tests = [Text(f"somethingThatIsLong{i}(call) != 0") for i in range(count)]
    nested = some([every(pair) for pair in itertools.combinations(tests, 2)])
    for condition in (every(tests), some(tests), nested):
        text = broken_condition("if (", condition, ") {", 4)
        lines = text.split("\n")
        assert all(len(line) <= 110 for line in lines[1:])
        assert len("    " + lines[0]) <= 110
        assert all(line.endswith(("&&", "||")) for line in lines[:-1])
        assert " ".join(line.strip() for line in lines) == f"if ({line(condition)}) {{"


# --------------------------------------------------------------------------- tables

MODE = Ref(INT, HERE, RefKind.ATTR, "mode")


def table(*cases: tuple[str, Expr], otherwise: Expr | None = None) -> Select:
    selector = Ref(BOOL, HERE, RefKind.ATTR, "flag")
    return Select(cases[0][1].type, HERE, selector, cases, otherwise)


def test_a_table_of_one_value_is_that_value() -> None:
    assert closed(table(("true", size("a")), ("false", size("a")))) == size("a")


def test_a_table_becomes_a_choice() -> None:
    chosen = closed(table(("true", size("a")), ("false", size("b"))))
    assert isinstance(chosen, Conditional)
    assert (chosen.then, chosen.otherwise) == (size("a"), size("b"))


def test_comparisons_that_differ_on_the_right_are_one() -> None:
    first = compare("==", size("a"), literal(3, HERE), HERE)
    second = compare("==", size("a"), literal(4, HERE), HERE)
    chosen = closed(table(("true", first), ("false", second)))
    assert emit(chosen) == "a == (3 if flag else 4)"
