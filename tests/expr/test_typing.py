"""What a right expression becomes."""

import pytest

from qsfa_codegen.expr.build import strip
from qsfa_codegen.expr.nodes import (
    ARCH,
    BOOL,
    CHIP,
    DTYPE,
    FLOAT,
    INT,
    STRING,
    Arith,
    Call,
    Compare,
    Conditional,
    Contains,
    Expr,
    Literal,
    Logic,
    Negate,
    Not,
    ParamQuery,
    Query,
    Ref,
    RefKind,
    Subscript,
    Type,
    list_type,
)
from qsfa_codegen.expr.parse import const_int
from qsfa_codegen.expr.scope import Scope, Symbol
from tests.expr.world import MODE, SPAN, TILING, typed

A = Ref(INT, SPAN, RefKind.DIM, "A")
B = Ref(INT, SPAN, RefKind.DIM, "B")
FLAG = Ref(BOOL, SPAN, RefKind.ATTR, "flag")
MODE_REF = Ref(MODE, SPAN, RefKind.ATTR, "mode")
SCALE = Ref(FLOAT, SPAN, RefKind.ATTR, "scale")
ROW = Literal(MODE, SPAN, "ROW")


def _int(value: int) -> Literal:
    return Literal(INT, SPAN, value)


TREES: list[tuple[str, Expr]] = [
    ("A", A),
    ("  A  ", A),
    ("A\n  + 1", Arith(INT, SPAN, "+", A, _int(1))),
    ("true", Literal(BOOL, SPAN, True)),
    ("False", Literal(BOOL, SPAN, False)),
    ("1_000", _int(1000)),
    ("0x10", _int(16)),
    ("-5", _int(-5)),
    ("-9223372036854775808", _int(-(2**63))),
    ("INT64_MIN", _int(-9223372036854775808)),
    ("INT64_MAX", _int(9223372036854775807)),
    ("INT32_MAX", _int(2147483647)),
    ("INT32_MIN", _int(-2147483648)),
    ("UINT32_MAX", _int(4294967295)),
    ("-2.5", Literal(FLOAT, SPAN, -2.5)),
    ("1e-6", Literal(FLOAT, SPAN, 0.000001)),
    ("-A", Negate(INT, SPAN, A)),
    ("A * B // 2", Arith(INT, SPAN, "//", Arith(INT, SPAN, "*", A, B), _int(2))),
    ("A % (B - 1)", Arith(INT, SPAN, "%", A, Arith(INT, SPAN, "-", B, _int(1)))),
    ("scale * 2", Arith(FLOAT, SPAN, "*", SCALE, Literal(FLOAT, SPAN, 2.0))),
    ("0 < scale", Compare(BOOL, SPAN, "<", Literal(FLOAT, SPAN, 0.0), SCALE)),
    ("not flag", Not(BOOL, SPAN, FLAG)),
    ("flag and A > 1", Logic(BOOL, SPAN, "and", (FLAG, Compare(BOOL, SPAN, ">", A, _int(1))))),
    (
        "1 <= A < B",
        Logic(
            BOOL,
            SPAN,
            "and",
            (Compare(BOOL, SPAN, "<=", _int(1), A), Compare(BOOL, SPAN, "<", A, B)),
        ),
    ),
    ("flag == true", Compare(BOOL, SPAN, "==", FLAG, Literal(BOOL, SPAN, True))),
    ("mode == ROW", Compare(BOOL, SPAN, "==", MODE_REF, ROW)),
    ('mode == "ROW"', Compare(BOOL, SPAN, "==", MODE_REF, ROW)),
    ("ROW != mode", Compare(BOOL, SPAN, "!=", ROW, MODE_REF)),
    ("mode in ('ROW', COL)", Contains(BOOL, SPAN, MODE_REF, (ROW, Literal(MODE, SPAN, "COL")))),
    ("A not in (1, B)", Contains(BOOL, SPAN, A, (_int(1), B), True)),
    (
        "scale in (1, 0.5)",
        Contains(BOOL, SPAN, SCALE, (Literal(FLOAT, SPAN, 1.0), Literal(FLOAT, SPAN, 0.5))),
    ),
    (
        "title == 'plain'",
        Compare(BOOL, SPAN, "==", Ref(STRING, SPAN, RefKind.ATTR, "title"), Literal(STRING, SPAN, "plain")),
    ),
    (
        "dtype(x) == int8",
        Compare(BOOL, SPAN, "==", ParamQuery(DTYPE, SPAN, Query.DTYPE, "x"), Literal(DTYPE, SPAN, "int8")),
    ),
    (
        "t == 'float16'",
        Compare(BOOL, SPAN, "==", Ref(DTYPE, SPAN, RefKind.COLUMN, "t"), Literal(DTYPE, SPAN, "float16")),
    ),
    (
        "chip == A5",
        Compare(BOOL, SPAN, "==", Ref(CHIP, SPAN, RefKind.CHIP, "chip"), Literal(CHIP, SPAN, "A5")),
    ),
    (
        "arch in (arch22,)",
        Contains(BOOL, SPAN, Ref(ARCH, SPAN, RefKind.ARCH, "arch"), (Literal(ARCH, SPAN, "arch22"),)),
    ),
    ("A if flag else 0", Conditional(INT, SPAN, FLAG, A, _int(0))),
    ("1 if flag else scale", Conditional(FLOAT, SPAN, FLAG, Literal(FLOAT, SPAN, 1.0), SCALE)),
    ("sizes[1]", Subscript(INT, SPAN, Ref(list_type(INT), SPAN, RefKind.ATTR, "sizes"), 1)),
    ("mask[0]", Subscript(BOOL, SPAN, Ref(list_type(BOOL), SPAN, RefKind.ATTR, "mask"), 0)),
    ("present(x)", ParamQuery(BOOL, SPAN, Query.PRESENT, "x")),
    ("rank(x)", ParamQuery(INT, SPAN, Query.RANK, "x")),
    ("dim(x, -1)", ParamQuery(INT, SPAN, Query.DIM, "x", -1)),
    ("dim(x, 3 - 1)", ParamQuery(INT, SPAN, Query.DIM, "x", 2)),
    ("numel(x)", ParamQuery(INT, SPAN, Query.NUMEL, "x")),
    ("count(x)", ParamQuery(INT, SPAN, Query.COUNT, "x")),
    ("stride(x, -2)", ParamQuery(INT, SPAN, Query.STRIDE, "x", -2)),
    ("code(mode)", Call(INT, SPAN, "code", (MODE_REF,))),
    ("sizeof(t)", Call(INT, SPAN, "sizeof", (Ref(DTYPE, SPAN, RefKind.COLUMN, "t"),))),
    ("sizeof(bool)", Call(INT, SPAN, "sizeof", (Literal(DTYPE, SPAN, "bool"),))),
    ("elements(row)", Call(INT, SPAN, "elements", (Ref(STRING, SPAN, RefKind.RECORD, "row"),))),
    (
        "offset(row, rope)",
        Call(INT, SPAN, "offset", (Ref(STRING, SPAN, RefKind.RECORD, "row"), Literal(STRING, SPAN, "rope"))),
    ),
    ("min(A, 1, B)", Call(INT, SPAN, "min", (A, _int(1), B))),
    ("max(1, scale)", Call(FLOAT, SPAN, "max", (Literal(FLOAT, SPAN, 1.0), SCALE))),
    ("halves(A)", Call(INT, SPAN, "halves", (A,))),
]


@pytest.mark.parametrize(("text", "tree"), TREES)
def test_tree(text: str, tree: Expr) -> None:
    assert strip(typed(text)) == strip(tree)


WANTED: list[tuple[str, Type, Expr]] = [
    ("flag", INT, Conditional(INT, SPAN, FLAG, _int(1), _int(0))),
    ("not flag", INT, Conditional(INT, SPAN, Not(BOOL, SPAN, FLAG), _int(1), _int(0))),
    (
        "flag if A > 1 else 7",
        INT,
        Conditional(
            INT,
            SPAN,
            Compare(BOOL, SPAN, ">", A, _int(1)),
            Conditional(INT, SPAN, FLAG, _int(1), _int(0)),
            _int(7),
        ),
    ),
    ("3", FLOAT, Literal(FLOAT, SPAN, 3.0)),
    ("ROW", MODE, ROW),
    ("'ROW'", MODE, ROW),
    ("mode", MODE, MODE_REF),
    ("ROW if flag else mode", MODE, Conditional(MODE, SPAN, FLAG, ROW, MODE_REF)),
    ("int8", DTYPE, Literal(DTYPE, SPAN, "int8")),
    ("'plain'", STRING, Literal(STRING, SPAN, "plain")),
]


@pytest.mark.parametrize(("text", "want", "tree"), WANTED)
def test_tree_of_the_wanted_type(text: str, want: Type, tree: Expr) -> None:
    assert strip(typed(text, want)) == strip(tree)


def test_platform_values_have_a_place_in_tiling() -> None:
    assert strip(typed("aic", scope=TILING)) == strip(Ref(INT, SPAN, RefKind.PLATFORM, "aic"))


def test_each_node_knows_its_place() -> None:
    expr = typed("A + min(B, 12) * 2")

    assert isinstance(expr, Arith)
    product = expr.right
    assert isinstance(product, Arith)
    least = product.left
    assert isinstance(least, Call)
    columns = [(e.span.column, e.span.end_column) for e in (expr, product, least, least.args[1])]
    assert columns == [(1, 19), (5, 19), (5, 15), (12, 14)]


def test_parts_of_a_chain_know_their_places() -> None:
    expr = typed("1 <= A < B")

    assert isinstance(expr, Logic)
    assert [(e.span.column, e.span.end_column) for e in expr.operands] == [(1, 7), (6, 11)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        ("-7", -7),
        ("2 * 3 - 1", 5),
        ("-7 // 2", -4),
        ("min(3, align_up(5, 4))", 3),
        ("A", None),
        ("A - A", None),
    ],
)
def test_constant_integers(text: str, value: int | None) -> None:
    assert const_int(typed(text)) == value


def test_a_float_is_no_constant_integer() -> None:
    assert const_int(typed("2.0")) is None


def test_a_symbol_of_another_type_does_not_hide_a_label() -> None:
    scope = Scope(
        symbols={"mode": Symbol(RefKind.ATTR, "mode", MODE), "ROW": Symbol(RefKind.DIM, "ROW", INT)},
        enums={"Mode": {"ROW": 0}},
    )

    assert strip(typed("mode == ROW", scope=scope)) == strip(Compare(BOOL, SPAN, "==", MODE_REF, ROW))
    row = Ref(INT, SPAN, RefKind.DIM, "ROW")
    assert strip(typed("ROW == 1", scope=scope)) == strip(Compare(BOOL, SPAN, "==", row, _int(1)))
    assert strip(typed("ROW < ROW", scope=scope)) == strip(Compare(BOOL, SPAN, "<", row, row))
