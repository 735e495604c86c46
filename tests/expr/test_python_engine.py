"""Random trees as Python source: the same values as the evaluator gives, wherever it gives one."""

from __future__ import annotations

import ast
import math
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsfa_codegen.expr.evaluate import EvalError, evaluate
from qsfa_codegen.expr.nodes import Query, RefKind
from qsfa_codegen.expr.python import COMPARISON, NOT, emit
from tests.expr.samples import inside
from tests.expr.trees import INTEGERS, Trees, call
from tests.expr.world import CODES, SIZES, World, typed

_FACTS = {Query.RANK: "rank", Query.DTYPE: "dtype"}


class Names:
    """Spellings: keys of the world's names, and facts about x by their names."""

    def ref(self, kind: RefKind, name: str) -> str:
        return name

    def query(self, query: Query, param: str, axis: int | None, tail: int = 0) -> str:
        return _FACTS.get(query, f"axis({axis})")

    def present(self, param: str, *, passed: bool) -> tuple[str, int]:
        return (f"{param} is not None", COMPARISON) if passed else (f"not ({param} is not None)", NOT)

    def label(self, enum: str, label: str) -> str:
        return f'"{label}"'

    def dtype(self, name: str) -> str:
        return f'"{name}"'

    def call(self, function: str, args: tuple[str, ...]) -> str | None:
        match function, args:
            case "code", ("Mode", label):
                return f"codes[{label}]"
            case "sizeof", (dtype,):
                return f"sizes_of[{dtype}]"
        return None


def value_of(text: str, world: World) -> Any:
    facts = world.facts
    names: dict[str, Any] = {
        **world.names,
        "rank": facts[Query.RANK, "x", None],
        "dtype": facts[Query.DTYPE, "x", None],
        "axis": lambda axis: facts[Query.DIM, "x", axis],
        "x": 1 if facts[Query.PRESENT, "x", None] else None,
        "y": 1 if facts[Query.PRESENT, "y", None] else None,
        "codes": CODES,
        "sizes_of": SIZES,
        "math": math,
        "_is_power_of_two": lambda n: n > 0 and n & (n - 1) == 0,
    }
    return eval(text, {"__builtins__": {"min": min, "max": max, "abs": abs, "len": len}}, names)


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 2**32).map(Random), st.integers(0, 4), st.booleans())
def test_python_gives_what_evaluate_gives(random: Random, depth: int, small: bool) -> None:
    trees = Trees(random, small=small)
    expr = trees.integer(depth) if random.random() < 0.5 else trees.truth(depth)
    text = emit(expr, Names()).text
    for _ in range(6):
        world = inside(random) if small else call(random, lambda: random.choice(INTEGERS))
        try:
            expected = evaluate(expr, world)
        except EvalError:
            continue
        assert value_of(text, world) == expected, text


@pytest.mark.parametrize(
    ("text", "python"),
    [
        ("A + B * C", "A + B * C"),
        ("(A + B) * C", "(A + B) * C"),
        ("A - (B - C)", "A - (B - C)"),
        ("A // B % C", "A // B % C"),
        ("ceil_div(A + B, C)", "-(-(A + B) // C)"),
        ("align_up(A, 16)", "-(-A // 16) * 16"),
        ("min(A, B, 3)", "min(A, B, 3)"),
        ("A == 1 and B > 2 or not flag", "(A == 1 and B > 2) or not flag"),
        ("A in (1, 2)", "A in (1, 2)"),
        ("not A in (1, 2)", "A not in (1, 2)"),
        ('mode == "ROW"', 'mode == "ROW"'),
        ('code(mode) + 1', "codes[mode] + 1"),
        ("A if flag else B", "A if flag else B"),
        ("1 <= A < B", "A >= 1 and A < B"),
        ("not present(x)", "not (x is not None)"),
        ("dtype(x) == float16", 'dtype == "float16"'),
        ("is_finite(scale)", "math.isfinite(scale)"),
        ("-A", "-A"),
        ("flag == false", "not flag"),
    ],
)  # fmt: skip
def test_python_as_people_write_it(text: str, python: str) -> None:
    emitted = emit(typed(text), Names()).text
    assert emitted == python
    ast.parse(emitted, mode="eval")
