"""Random trees: evaluation, bounds, rewriting and parsing against a second evaluator and each other."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from qsfa_codegen.expr.bounds import Ranges, decide, fits, interval, may_fail, nonzero, value_range
from qsfa_codegen.expr.build import strip
from qsfa_codegen.expr.evaluate import UNKNOWN, EvalError, Value, evaluate
from qsfa_codegen.expr.nodes import INT, Expr, RefKind
from qsfa_codegen.expr.rewrite import negate
from qsfa_codegen.expr.specialize import refs, simplify, specialize
from tests.expr.reference import FailError, reference
from tests.expr.samples import inside, narrow, wide
from tests.expr.text import text_of
from tests.expr.trees import CHIPS, INTEGERS, Trees, call
from tests.expr.world import World, diagnose

RANDOM = st.integers(0, 2**32).map(Random)
DEPTH = st.integers(0, 4)
EXAMPLES = settings(max_examples=250, deadline=None)


def _tree(random: Random, depth: int, trees: Trees) -> Expr:
    return trees.integer(depth) if random.random() < 0.5 else trees.truth(depth)


def _outcome(expr: Expr, world: World) -> tuple[str, Value]:
    try:
        return "value", evaluate(expr, world)
    except EvalError as error:
        return error.reason, ""


def _expected(expr: Expr, world: World) -> tuple[str, Value]:
    try:
        return "value", reference(expr, world)
    except FailError as error:
        return str(error), ""


@EXAMPLES
@given(RANDOM, DEPTH, st.booleans(), st.booleans())
def test_evaluate_gives_what_the_reference_gives(
    random: Random, depth: int, small: bool, known: bool
) -> None:
    expr = _tree(random, depth, Trees(random, small))
    values = INTEGERS[:9] if small else INTEGERS
    world = call(random, lambda: random.choice(values), 0.0 if known else 0.3)

    assert _outcome(expr, world) == _expected(expr, world)


@EXAMPLES
@given(RANDOM, DEPTH, st.booleans())
def test_values_lie_inside_the_interval(random: Random, depth: int, proven: bool) -> None:
    expr = Trees(random, small=proven).integer(depth)
    ranges: Ranges = narrow if proven else wide
    known, possible = interval(expr, ranges), value_range(expr, ranges)

    for _ in range(8):
        world = inside(random) if proven else call(random, lambda: random.choice(INTEGERS))
        reason, value = _outcome(expr, world)
        if reason != "value":
            assert known is None
            assert may_fail(expr, ranges)
            continue
        assert isinstance(value, int)
        assert value in possible
        assert known is None or value in known
        assert value != 0 or not nonzero(expr, ranges)
        assert not fits(expr, ranges, value + 1, 2**63 - 1)
        assert not fits(expr, ranges, -(2**63), value - 1)


@EXAMPLES
@given(RANDOM, DEPTH)
def test_a_decided_condition_is_decided_right(random: Random, depth: int) -> None:
    expr = Trees(random, small=True).truth(depth)
    decided = decide(expr, narrow)

    for _ in range(8):
        if decided is not None:
            assert _outcome(expr, inside(random)) == ("value", decided)


@EXAMPLES
@given(RANDOM, DEPTH, st.integers(0, 2), st.booleans())
def test_specializing_keeps_the_meaning(random: Random, depth: int, chip: int, known: bool) -> None:
    expr = _tree(random, depth, Trees(random, by_chip=True))
    left = specialize(expr, *CHIPS[chip])

    assert not refs(left) & {(RefKind.CHIP, "chip"), (RefKind.ARCH, "arch")}
    for _ in range(5):
        world = call(random, lambda: random.choice(INTEGERS), 0.0 if known else 0.3, chip)
        assert _outcome(left, world) == _outcome(expr, world)


@EXAMPLES
@given(RANDOM, DEPTH, st.booleans())
def test_simplifying_and_negating_keep_the_meaning(random: Random, depth: int, known: bool) -> None:
    expr = Trees(random).truth(depth)
    simpler, opposite = simplify(expr), negate(expr)

    for _ in range(5):
        world = call(random, lambda: random.choice(INTEGERS), 0.0 if known else 0.3)
        reason, value = _outcome(expr, world)
        assert _outcome(simpler, world) == (reason, value)
        inverted = value if reason != "value" or value is UNKNOWN else value is False
        assert _outcome(opposite, world) == (reason, inverted)


@EXAMPLES
@given(RANDOM, DEPTH)
def test_a_written_tree_is_read_back(random: Random, depth: int) -> None:
    expr = _tree(random, depth, Trees(random, tables=False))
    parsed, found = diagnose(text_of(expr))

    if parsed is None:
        # A constant part that cannot be computed is refused.
        assert {d.code for d in found} <= {"QS209", "QS216"}
    else:
        assert strip(parsed) == strip(expr)
        assert parsed.type == expr.type
        assert expr.type != INT or not found
