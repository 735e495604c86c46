"""Results that are kept for a tree."""

from __future__ import annotations

import gc

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.build import literal
from qsfa_codegen.expr.memo import forget, once_a_tree
from qsfa_codegen.expr.nodes import Expr, Literal

HERE = Span("s.yaml", 1, 1, 1, 2)
asked: list[object] = []


@once_a_tree
def value_of(expr: Expr) -> object:
    """What a literal holds."""
    assert isinstance(expr, Literal)
    asked.append(expr.value)
    return expr.value


def test_is_worked_out_once_for_a_tree() -> None:
    asked.clear()
    tree = literal(1, HERE)
    assert [value_of(tree), value_of(tree)] == [1, 1]
    assert asked == [1]


def test_equal_trees_are_two() -> None:
    asked.clear()
    assert [value_of(literal(2, HERE)), value_of(literal(2, HERE))] == [2, 2]
    assert asked == [2, 2]


def test_a_tree_that_nobody_else_holds_is_not_taken_for_its_successor() -> None:
    # Without a hold on the first tree, the memory and so the identity of it would be used again.
    for number in range(200):
        assert value_of(literal(number, HERE)) == number


def test_forgotten_trees_are_asked_anew_and_let_go() -> None:
    forget()
    gc.collect()
    before = sum(isinstance(o, Literal) for o in gc.get_objects())
    tree = literal(3, HERE)
    value_of(tree)
    asked.clear()
    forget()
    assert value_of(tree) == 3
    assert asked == [3]
    forget()
    del tree
    assert sum(isinstance(o, Literal) for o in gc.get_objects()) <= before
