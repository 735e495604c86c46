"""What no sizes can meet, against a count over all sizes that are legal."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.resources import CHIPS, resource
from qsfa_codegen.spec.chips import load_chips
from qsfa_codegen.spec.impossible import Impossible
from qsfa_codegen.spec.model import Operator, Source
from qsfa_codegen.spec.reader import read_text
from qsfa_codegen.spec.resolve import resolve

LEGAL = range(16, 8193, 16)
SPEC = {
    "spec": 1,
    "operator": {"name": "Odd", "category": "math", "brief": {"en": "Odd.", "zh": "奇。"}},
    "chips": ["A2"],
    "consts": {"W": {"value": 24, "en": "a", "zh": "b"}},
    "dims": {"D": {"max": 8192, "multiple_of": 16}, "E": {"min": 0}, "F": {"is": "D * 3 + 1"}},
    "inputs": {"x": {"dtype": "int8", "shape": ["D", "E"]}, "y": {"dtype": "int8", "shape": ["F"]}},
    "outputs": {"out": {"dtype": "int8", "shape": ["D"]}},
    "let": {"l": "D + W"},
}
CONDITIONS: dict[str, Callable[[int], bool]] = {
    "D == 7": lambda d: d == 7,
    "D == 48": lambda d: d == 48,
    "D > 9000": lambda d: d > 9000,
    "9000 < D": lambda d: d > 9000,
    "D >= 8192": lambda d: d >= 8192,
    "D < 16": lambda d: d < 16,
    "D <= 16": lambda d: d <= 16,
    "D % 16 == 3": lambda d: d % 16 == 3,
    "D % 16 != 0": lambda d: d % 16 != 0,
    "D % 32 == 16": lambda d: d % 32 == 16,
    "D % 24 == 4": lambda d: d % 24 == 4,
    "D % 24 == 8": lambda d: d % 24 == 8,
    "l % 16 == 0": lambda d: (d + 24) % 16 == 0,
    "l % 16 == 8": lambda d: (d + 24) % 16 == 8,
    "F == 50": lambda d: d * 3 + 1 == 50,
    "F == 49": lambda d: d * 3 + 1 == 49,
    "W - D == 1": lambda d: 24 - d == 1,
    "W - D == -8": lambda d: 24 - d == -8,
    "-D == -30": lambda d: d == 30,
    "D in (7, 9)": lambda d: d in (7, 9),
    "D in (7, 64)": lambda d: d in (7, 64),
    "D not in (7, 64)": lambda d: d not in (7, 64),
    "D == 7 or D == 9": lambda d: d in (7, 9),
    "D == 7 or D == 16": lambda d: d in (7, 16),
    "D > 32 and D % 16 == 1": lambda d: d > 32 and d % 16 == 1,
    "8176 < D and D < 8192": lambda d: 8176 < d < 8192,
}
# True of no size, which neither of the two halves shows alone.
UNSEEN = {"8176 < D and D < 8192"}


@pytest.mark.parametrize("condition", CONDITIONS)
def test_what_no_size_meets_is_seen_and_nothing_else(condition: str) -> None:
    operator = _operator({"id": "c", "blame": "x", "require": condition})
    never = not any(map(CONDITIONS[condition], LEGAL))
    found = Impossible(operator).never(operator.constraints[0].require)
    assert found is (never and condition not in UNSEEN)


@pytest.mark.parametrize(
    ("when", "require", "never"),
    [
        ("D > 100", "D < 112", True),
        ("D > 100", "D < 128", False),
        ("D > 9000", "D == 16", False),  # never applies, which is another finding
        ("E == 0", "E > 0", True),
    ],
)
def test_what_is_required_is_judged_where_it_applies(when: str, require: str, never: bool) -> None:
    operator = _operator({"id": "c", "blame": "x", "when": when, "require": require})
    constraint = operator.constraints[0]
    assert Impossible(operator).never(constraint.require, constraint.when) is never


def _operator(constraint: dict[str, str]) -> Operator:
    """The operator with one constraint, read without the rules that find fault with it."""
    sink = Sink()
    tree = read_text(json.dumps({**SPEC, "constraints": [constraint]}).encode(), "spec.yaml", sink)
    assert tree is not None
    chips = load_chips(resource(CHIPS), sink)
    operator = resolve(tree, chips, Source("spec.yaml", ""), sink, frozenset())
    assert operator is not None, list(sink)
    return operator
