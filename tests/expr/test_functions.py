"""The table of functions, and that every engine knows each of them."""

import pytest

from qsfa_codegen.expr.bounds import value_range
from qsfa_codegen.expr.cpp import emit
from qsfa_codegen.expr.evaluate import evaluate
from qsfa_codegen.expr.functions import FUNCTIONS, PLATFORM_VALUES
from qsfa_codegen.expr.nodes import BOOL, DIMS, Call, Expr, ParamQuery, Query, Ref, RefKind
from qsfa_codegen.expr.prose import say
from qsfa_codegen.expr.scope import Scope
from tests.expr.cpp_names import Names as CppNames
from tests.expr.test_prose import Names as ProseNames
from tests.expr.world import SCOPE, SPAN, World, typed

EVERYTHING = Scope(
    **{
        **{name: getattr(SCOPE, name) for name in SCOPE.__struct_fields__},
        "groups": frozenset({"core", "contents", "tiling"}),
    }
)
CALLS = {
    "ceil_div": ("ceil_div(A, 4)", 2),
    "align_up": ("align_up(A, 4)", 8),
    "min": ("min(A, 2)", 2),
    "max": ("max(A, 2)", 7),
    "abs": ("abs(A)", 7),
    "is_power_of_two": ("is_power_of_two(A)", False),
    "is_finite": ("is_finite(scale)", True),
    "len": ("len(sizes)", 2),
    "prod": ("prod(sizes)", 15),
    "code": ("code(mode)", 5),
    "sizeof": ("sizeof(t)", 2),
    "elements": ("elements(row)", 656),
    "offset": ("offset(row, rope)", 512),
    "present": ("present(x)", True),
    "rank": ("rank(x)", 2),
    "dim": ("dim(x, 0)", 3),
    "dtype": ("dtype(x)", "int8"),
    "numel": ("numel(x)", 12),
    "count": ("count(x)", 1),
    "stride": ("stride(x, 0)", 4),
    "all_between": ("all_between(lengths, 0, A)", True),
    "non_decreasing": ("non_decreasing(lengths)", False),
    "padded_with": ("padded_with(lengths, 1)", True),
    "tsch_block_dim": ("tsch_block_dim(A, 1, 1)", 7),
}
CALL = World(
    names={"A": 7, "scale": 0.5, "sizes": (3, 5), "mode": "COL", "t": "float16", "ROWS": (3, 4)},
    facts={
        (Query.PRESENT, "x", None): True,
        (Query.RANK, "x", None): 2,
        (Query.DIM, "x", 0): 3,
        (Query.DTYPE, "x", None): "int8",
        (Query.NUMEL, "x", None): 12,
        (Query.COUNT, "x", None): 1,
        (Query.STRIDE, "x", 0): 4,
        (Query.DIM, "lengths", -1): 4,
        (Query.DIMS, "x", 0): (3, 4),
    },
    data={"lengths": (3, 2, 1, 1)},
)


def _written(name: str) -> Expr:
    return typed(CALLS[name][0], scope=EVERYTHING)


def test_every_function_that_can_be_written_is_tried_here() -> None:
    assert set(CALLS) == {f.name for f in FUNCTIONS.values() if f.group != "internal"}


@pytest.mark.parametrize("name", CALLS)
def test_every_engine_knows_the_function(name: str) -> None:
    expr = _written(name)

    assert evaluate(expr, CALL) == CALLS[name][1]
    assert isinstance(expr, ParamQuery) or (isinstance(expr, Call) and expr.function == name)
    if name not in ("numel", "count", "stride"):
        assert emit(expr, CppNames()).text
    value = CALLS[name][1]
    if isinstance(value, int):
        assert value in value_range(expr, lambda leaf: None)


@pytest.mark.parametrize("name", CALLS)
def test_prose_does_not_fall_back_to_the_spelling_of_a_call(name: str) -> None:
    english, chinese = (say(_written(name), lang, ProseNames()) for lang in ("en", "zh"))

    formulas = ("min", "max", "tsch_block_dim")
    assert name in formulas or f"{name}(" not in english + chinese


@pytest.mark.parametrize("name", ["starts_with", "ends_with"])
def test_internal_functions(name: str) -> None:
    whole = ParamQuery(DIMS, SPAN, Query.DIMS, "x", 0)
    rows = Ref(DIMS, SPAN, RefKind.REST, "ROWS")
    expr = Call(BOOL, SPAN, name, (whole, rows))

    assert FUNCTIONS[name].group == "internal"
    assert evaluate(expr, CALL) is True


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_is_described_in_both_languages(name: str) -> None:
    function = FUNCTIONS[name]

    assert function.name == name
    assert function.en.replace("…", "").isascii()
    assert not function.zh.isascii()


def test_signatures() -> None:
    shown = {name: FUNCTIONS[name].signature for name in ("min", "offset", "dim", "all_between", "sizeof")}

    assert shown == {
        "min": "min(a, b, …)",
        "offset": "offset(record, field)",
        "dim": "dim(input, axis)",
        "all_between": "all_between(input, a, b)",
        "sizeof": "sizeof(dtype)",
    }


def test_platform_values() -> None:
    assert set(PLATFORM_VALUES) == {"aic", "aiv", "ub_size", "libapi_workspace"}
