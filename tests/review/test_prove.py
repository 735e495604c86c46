"""The solver against running both contracts on every call of a small world."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsfa_codegen.contract.calls import Call, TensorArg
from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.review.changes import Basis, Change
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.review.prove import Prover
from tests.review.pairs import changes, edited, operator
from tests.review.qsfa_edits import SPEC

SMALL = """\
spec: 1
operator:
  name: Small
  category: math
  brief: {en: Small., zh: 小。}
  formula: y = x
chips: [A2]
dims:
  N: {min: 0, max: 6, en: rows, zh: 行数}
  D: {max: 6, en: width, zh: 宽}
dtypes: {columns: [t], rows: {all: [[float16], [float32]]}}
inputs:
  x: {dtype: t, shape: [N, D], doc: {en: In., zh: 入。}}
  b: {dtype: t, presence: optional, shape: [D], doc: {en: Bias., zh: 偏置。}}
attrs:
  k: {type: int, default: 1, values: [-2, 0, 1, 3], doc: {en: K., zh: K。}}
outputs:
  y: {dtype: t, shape: {like: x}, doc: {en: Out., zh: 出。}}
constraints:
  - id: rule
    when: "WHEN"
    require: "REQUIRE"
    blame: x
"""
RULE = "constraint rule"


def spec(when: str, require: str) -> str:
    return SMALL.replace("WHEN", when).replace("REQUIRE", require)


def every_call() -> Iterator[Call]:
    """Every call that the rest of the spec accepts."""
    for n, d, k, dtype, bias in product(
        range(7), range(1, 7), (-2, 0, 1, 3), ("float16", "float32"), (False, True)
    ):
        inputs = {"x": TensorArg(dtype, (n, d))} | ({"b": TensorArg(dtype, (d,))} if bias else {})
        yield Call("", "A2", inputs, {"k": k})


CALLS = tuple(every_call())


def compared(old: str, new: str) -> tuple[bool, bool]:
    """Whether some call is newly rejected, and whether some is newly accepted: by trying all."""
    before, after = Evaluator(operator(old)), Evaluator(operator(new))
    verdicts = [(before.evaluate(call).ok, after.evaluate(call).ok) for call in CALLS]
    return (True, False) in verdicts, (False, True) in verdicts


numbers = st.sampled_from(
    ["N", "D", "k", "N + D", "N * D", "N - D", "2", "abs(k)", "min(N, D)", "dim(x, -1)"]
)
divisors = st.sampled_from(["2", "3", "D", "k", "N + 1", "N - 4"])
terms = st.one_of(
    numbers,
    st.builds("({}) // ({})".format, numbers, divisors),
    st.builds("({}) % ({})".format, numbers, divisors),
    st.builds("ceil_div({}, {})".format, numbers, divisors),
    st.builds("align_up({}, {})".format, numbers, divisors),
)
atoms = st.one_of(
    st.builds("({}) {} ({})".format, terms, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), terms),
    st.sampled_from(
        ["present(b)", "dtype(x) == float16", "k in (0, 3)", "is_power_of_two(N)", "numel(x) > 6"]
    ),
)
conditions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.builds("({} and {})".format, inner, inner),
        st.builds("({} or {})".format, inner, inner),
        st.builds("(not {})".format, inner),
        st.builds("({} if {} else {})".format, inner, inner, inner),
    ),
    max_leaves=3,
)


@settings(max_examples=12, deadline=None)
@given(conditions, conditions, conditions, conditions)
def test_the_solver_knows_what_all_calls_say(a: str, b: str, c: str, d: str) -> None:
    old, new = spec(a, b), spec(c, d)
    pair = Pair(operator(old), operator(new), {})
    units = [unit for unit in pair.evidence.units if unit.id == "rule"]
    narrower, wider = compared(old, new)
    if not units:
        assert (narrower, wider) == (False, False)
        return
    answer = Prover(pair, smallest=False).compare(units[0])
    for direction, expected in ((answer.narrower, narrower), (answer.wider, wider)):
        # That it gives up is no mistake; what it says it knows is.
        assert not (direction.none and expected)
        assert direction.call is None or expected


def only(found: tuple[Change, ...], subject: str) -> Change:
    (change,) = [change for change in found if change.subject == subject]
    return change


def test_the_same_rule_in_other_words_is_proved_to_be_the_same() -> None:
    found = changes(spec("k == 3", "N % D == 0"), spec("k > 1", "N // D * D == N"), prove=True)
    assert only(found, RULE).code == "QD220"
    assert only(found, RULE).basis is Basis.PROVED


def test_without_the_solver_it_is_said_that_calls_were_searched() -> None:
    found = changes(spec("k == 3", "N % D == 0"), spec("k > 1", "N // D * D == N"))
    assert only(found, RULE).basis is Basis.SEARCHED


def test_a_call_that_no_search_comes_upon_is_found() -> None:
    old = spec("k == 1", "N >= 0")
    new = spec("k == 1", "N * N + 7 * D != 700046 or present(b)").replace("max: 6", "max: 100000")
    old = old.replace("max: 6", "max: 100000")
    found = only(changes(old, new, prove=True), RULE)
    assert found.code == "QD205"
    assert found.witness is not None
    (rows, width) = found.witness.call.inputs["x"].shape  # type: ignore[union-attr]
    assert rows * rows + 7 * width == 700046


def test_what_does_not_fit_in_64_bits_fails_in_a_proof_too() -> None:
    """For the solver N * N * 2^40 is a number like any other; when a call is run it does not fit."""
    old = spec("k == 1", "N * N * 1099511627776 >= 0").replace("max: 6", "max: 1000000")
    new = spec("k == 1", "N >= 0").replace("max: 6", "max: 1000000")
    found = only(changes(old, new, prove=True), RULE)
    assert found.code == "QD215"
    assert found.witness is not None
    assert found.witness.call.inputs["x"].shape[0] == 2897  # type: ignore[union-attr]  # the least that overflows


def test_a_large_contract_is_compared_as_a_whole() -> None:
    other_words = edited(
        SPEC,
        (
            "    when: paged\n    require: BLOCK_SIZE % sparse_block_size == 0\n",
            '    when: layout_kv == "PA_BSND"\n'
            "    require: BLOCK_SIZE // sparse_block_size * sparse_block_size == BLOCK_SIZE\n",
        ),
    )
    pair = Pair(operator(SPEC), operator(other_words), {}, prove=True)
    relation = pair.evidence.relation()
    assert (str(relation), relation.basis) == ("equivalent", Basis.PROVED)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (("    max: 1024\n", "    max: 512\n"), "narrower"),
        (("    multiple_of: 16\n", "    multiple_of: 8\n"), "wider"),
        (("    min: 16\n    max: 1024\n", "    min: 32\n    max: 2048\n"), "narrower and wider"),
    ],
)
def test_how_the_whole_contract_changed(edit: tuple[str, str], said: str) -> None:
    answer = Prover(Pair(operator(SPEC), operator(edited(SPEC, edit)), {})).compare(None)
    words = {"narrower": answer.narrower, "wider": answer.wider}
    assert [word for word, direction in words.items() if direction.call is not None] == said.split(" and ")
    assert all(direction.none for word, direction in words.items() if word not in said)
