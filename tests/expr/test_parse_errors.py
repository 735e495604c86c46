"""What the parser says about a wrong expression, and at which character."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsfa_codegen.diagnostics import Sink, Span
from qsfa_codegen.expr.nodes import BOOL, FLOAT, INT, Type
from qsfa_codegen.expr.parse import parse
from tests.expr.world import CONTENTS, MODE, SCOPE, TILING, diagnose

ERRORS = [
    # syntax
    ("", None, "QS200", 1, "an expression is missing"),
    ("   ", None, "QS200", 1, "an expression is missing"),
    ("A +", None, "QS200", 4, "the expression ends too early"),
    ("A B", None, "QS200", 3, "cannot read the expression from `B` on"),
    ("1 +* 2", None, "QS200", 4, "cannot read the expression from `*` on"),
    ("A = B", None, "QS200", 3, "cannot read the expression from `=` on"),
    ("A if flag", None, "QS200", 1, "cannot read the expression from `A` on"),
    ("A && B", None, "QS200", 3, "`&&` is not an operator of the language"),
    ("flag || wide", None, "QS200", 6, "`||` is not an operator of the language"),
    ("!flag", None, "QS200", 1, "`!` is not an operator of the language"),
    ("A ≤ 3", None, "QS200", 3, "`≤` is not an operator of the language"),
    ("Ａ + 1", None, "QS200", 1, "`Ａ` is not an ASCII character"),
    ("flag == größe", None, "QS200", 11, "`ö` is not an ASCII character"),
    ("A # B", None, "QS200", 3, "`#` has no meaning here"),
    ("mode == 'RO\\W'", None, "QS200", 12, "`\\` has no meaning here"),
    ("A + 08", None, "QS200", 5, "cannot read the expression from `08` on"),
    # brackets, as flow style leaves them
    ("A in (1", None, "QS212", 6, "`(` is never closed"),
    ("min(A", None, "QS212", 4, "`(` is never closed"),
    ("2)", None, "QS212", 2, "`)` closes nothing"),
    ("(A]", None, "QS212", 3, "`]` closes nothing"),
    ("1, 2", None, "QS201", 1, "a tuple is not part of the language"),
    # constructs of Python that are not in the language
    ("A / B", None, "QS201", 1, "`/` is not part of the language"),
    ("A ** 2", None, "QS201", 1, "`**` is not part of the language"),
    ("A & B", None, "QS201", 1, "`&` is not part of the language"),
    ("~A", None, "QS201", 1, "`~` is not part of the language"),
    ("+A", None, "QS201", 1, "a leading `+` is not part of the language"),
    ("1 + (A << 2)", None, "QS201", 6, "`<<` is not part of the language"),
    ("A is B", None, "QS201", 1, "`is` is not part of the language"),
    ("x.shape", None, "QS201", 1, "`.` is not part of the language"),
    ("[A]", None, "QS201", 1, "a list is not part of the language"),
    ("sizes[0:1]", None, "QS201", 1, "a slice is not part of the language"),
    ("(A := 3)", None, "QS201", 2, "`:=` is not part of the language"),
    ("lambda: 1", None, "QS201", 1, "`lambda` is not part of the language"),
    ("[a for a in sizes]", None, "QS201", 1, "this construct is not part of the language"),
    ("f'{A}'", None, "QS201", 1, "an f-string is not part of the language"),
    ("1j", None, "QS201", 1, "complex constants are not part of the language"),
    ("b'a'", None, "QS201", 1, "bytes constants are not part of the language"),
    ("...", None, "QS201", 1, "ellipsis constants are not part of the language"),
    ("1 < A in (1, 2)", None, "QS201", 1, "`in` cannot be part of a chain of comparisons"),
    ("min(A)(B)", None, "QS201", 1, "only a named function can be called"),
    ("min(*sizes, 1)", None, "QS201", 5, "`*` before an argument is not part of the language"),
    # names
    ("A + stap", None, "QS202", 5, "there is no `stap` here"),
    ("ROW", None, "QS202", 1, "there is no `ROW` here"),
    ("'a' == ROW", None, "QS202", 8, "there is no `ROW` here"),
    ("nope == ROW", None, "QS202", 1, "there is no `nope` here"),
    ("x + 1", None, "QS206", 1, "`x` is an input, not a value"),
    ("row", None, "QS206", 1, "`row` is a record, not a value"),
    ("min + 1", None, "QS206", 1, "`min` is a function, not a value"),
    ("mode == ROWS", None, "QS203", 9, "enum Mode and dims do not go together"),
    ("mode == TOW", None, "QS207", 9, "`TOW` is not a label of enum Mode"),
    ("mode == 'TOW'", None, "QS207", 9, "`TOW` is not a label of enum Mode"),
    ("mode in (ROW, TILES)", None, "QS207", 15, "`TILES` is not a label of enum Mode"),
    ("mode == 'ELSE'", None, "QS207", 9, "`ELSE` is not a label of enum Mode"),
    ("chip == A4", None, "QS207", 9, "`A4` is not a chip"),
    ("arch == 'arch99'", None, "QS207", 9, "`arch99` is not an architecture"),
    ("TOW", MODE, "QS207", 1, "`TOW` is not a label of enum Mode"),
    ("aic", None, "QS214", 1, "`aic` is known in `tiling` only"),
    # types
    ("A + flag", None, "QS203", 5, "the right side of `+` must be a number; this is bool"),
    ("mode * 2", None, "QS203", 1, "the left side of `*` must be a number; this is enum Mode"),
    ("scale // 2", None, "QS203", 1, "`//` takes int64 only"),
    ("scale + A", None, "QS203", 9, "float and int64 do not go together"),
    ("-flag", None, "QS203", 2, "the operand of `-` must be a number; this is bool"),
    ("not A", None, "QS203", 5, "the operand of `not` must be bool; this is int64"),
    ("flag and A", None, "QS203", 10, "an operand of `and` must be bool; this is int64"),
    ("1 if A else 2", None, "QS203", 6, "the condition must be bool; this is int64"),
    ("1 if flag else wide", None, "QS203", 16, "int64 and bool do not go together"),
    ("flag == 1", None, "QS203", 9, "bool and int64 do not go together"),
    ("A == true", None, "QS203", 6, "int64 and bool do not go together"),
    ("mode == 0", None, "QS203", 9, "enum Mode and int64 do not go together"),
    ("mode < other_mode", None, "QS203", 1, "`<` orders numbers; these are enum Mode"),
    ("flag < wide", None, "QS203", 1, "`<` orders numbers; these are bool"),
    ("sizes == sizes", None, "QS203", 1, "a list cannot be compared"),
    ("t + 1", None, "QS203", 1, "the left side of `+` must be a number; this is dtype"),
    ("A[0]", None, "QS203", 1, "only a list attribute has elements; this is int64"),
    ("min(A, flag)", None, "QS203", 8, "argument 2 of `min` must be a number; this is bool"),
    ("ceil_div(A, 2.0)", None, "QS203", 13, "argument 2 of `ceil_div` must be int64; this is float"),
    ("prod(mask)", None, "QS203", 6, "argument 1 of `prod` must be a list of int64 or the dims"),
    ("code(A)", None, "QS203", 6, "argument 1 of `code` must be an enum value; this is int64"),
    ("sizeof(A)", None, "QS203", 8, "argument 1 of `sizeof` must be a dtype or dtype column; this is int64"),
    ("halves(1.5)", None, "QS203", 8, "argument 1 of `halves` must be int64; this is float"),
    ("A in (1, flag)", None, "QS203", 10, "int64 and bool do not go together"),
    ("A == 'ROW'", None, "QS208", 6, "a string cannot be compared with int64"),
    ("'ROW' == scale", None, "QS208", 10, "a string cannot be compared with float"),
    ("flag == 'true'", None, "QS208", 9, "a string cannot be compared with bool"),
    ("A in [1, 2]", None, "QS210", 6, "`in` needs a tuple of values"),
    ("A in (1)", None, "QS210", 7, "`in` needs a tuple of values"),
    ("A in ()", None, "QS210", 6, "`in` needs a tuple of values"),
    ("A in sizes", None, "QS210", 6, "`in` needs a tuple of values"),
    ("sizes[A]", None, "QS211", 7, "a subscript must be a constant integer"),
    ("sizes[-1]", None, "QS211", 7, "a subscript counts from 0"),
    ("dim(x, A)", None, "QS211", 8, "an axis must be a constant integer"),
    # what is wanted
    ("A", BOOL, "QS215", 1, "bool is needed here; this is int64"),
    ("A", FLOAT, "QS215", 1, "float is needed here; this is int64"),
    ("scale", INT, "QS215", 1, "int64 is needed here; this is float"),
    ("mode", INT, "QS215", 1, "int64 is needed here; this is enum Mode"),
    ("flag", MODE, "QS215", 1, "enum Mode is needed here; this is bool"),
    ("1 if flag else scale", INT, "QS215", 16, "int64 is needed here; this is float"),
    # calls
    ("mni(A, B)", None, "QS204", 1, "there is no function `mni`"),
    ("A(1)", None, "QS204", 1, "there is no function `A`"),
    ("ends_with(ROWS, ROWS)", None, "QS204", 1, "there is no function `ends_with`"),
    ("ceil_div(A)", None, "QS205", 1, "`ceil_div` takes 2 arguments, 1 given"),
    ("abs(A, B)", None, "QS205", 1, "`abs` takes 1 argument, 2 given"),
    ("min(A)", None, "QS205", 1, "`min` takes at least 2 arguments, 1 given"),
    ("halves()", None, "QS205", 1, "`halves` takes 1 argument, 0 given"),
    ("min(A, b=3)", None, "QS205", 10, "`min` takes no named arguments"),
    ("rank(A)", None, "QS206", 6, "`A` is not an input"),
    ("rank(1)", None, "QS206", 6, "the name of an input is needed here"),
    ("elements(rows)", None, "QS206", 10, "`rows` is not a record"),
    ("offset(row, rape)", None, "QS206", 13, "`rape` is not a field of the record"),
    ("all_between(x, 0, 1)", None, "QS214", 1, "`all_between` is known in `contents` only"),
    ("tsch_block_dim(1, 1, 1)", None, "QS214", 1, "`tsch_block_dim` is known in `tiling` only"),
    # constants
    ("9223372036854775808", None, "QS209", 1, "the constant does not fit in int64"),
    ("-9223372036854775809", None, "QS209", 1, "the constant does not fit in int64"),
    ("-(INT64_MIN)", None, "QS209", 1, "the constant does not fit in int64"),
    ("A + INT64_MAX * 2", None, "QS209", 5, "the constant does not fit in int64"),
    ("align_up(INT64_MAX, 2)", None, "QS209", 1, "the constant does not fit in int64"),
    ("1e400", None, "QS209", 1, "the constant does not fit in a float"),
    ("A // 0", None, "QS216", 6, "division by zero"),
    ("A % (1 - 1)", None, "QS216", 6, "division by zero"),
    ("ceil_div(A, 0)", None, "QS216", 13, "division by zero"),
]


@pytest.mark.parametrize(("text", "want", "code", "column", "message"), ERRORS)
def test_one_error_at_its_character(
    text: str, want: Type | None, code: str, column: int, message: str
) -> None:
    expr, found = diagnose(text, want)

    assert expr is None
    assert [d.code for d in found] == [code]
    assert found[0].message.startswith(message)
    assert found[0].span is not None
    assert (found[0].span.line, found[0].span.column) == (7, column)


HELP = [
    ("A + stap", None, "did you mean `step`?"),
    ("MODE == ROW", None, "did you mean `mode`?"),
    ("mode == TOW", None, "did you mean `ROW`?"),
    ("mode == XX", None, "there are COL, ROW, TILE"),
    ("mni(A, B)", None, "did you mean `min`?"),
    ("offset(row, rape)", None, "did you mean `rope`?"),
    ("ROW", None, "it is a label of enum Mode: compare it with a value of that enum"),
    ("A = B", None, "write `==` to compare"),
    ("A / 2", None, "write `//` to round down or `ceil_div(a, b)` to round up"),
    ("A + flag", None, "write `1 if … else 0`"),
    ("mode", INT, "`code(…)` gives the integer of an enum value"),
    ("A in (1)", None, "write `(a, b)`, or `(a,)` for one"),
    ("ceil_div(A)", None, "write `ceil_div(a, b)`"),
    ("min(A)", None, "write `min(a, b, …)`"),
    ("halves()", None, "write `halves(int64)`"),
    (
        "min(A",
        None,
        "inside {…} and […] YAML ends a value at a comma or a closing bracket: "
        "put the expression in quotes or on lines of its own",
    ),
]


@pytest.mark.parametrize(("text", "want", "help"), HELP)
def test_help(text: str, want: Type | None, help: str) -> None:
    assert [d.help for d in diagnose(text, want)[1]] == [help]


def test_every_mistake_of_an_expression_is_reported() -> None:
    _, found = diagnose("foo + flag * 2 > min(A, bar) and not A")

    assert [(d.code, d.span.column if d.span else 0) for d in found] == [
        ("QS202", 1),
        ("QS203", 7),
        ("QS202", 25),
        ("QS203", 38),
    ]


def _place(text: str, span: Span) -> Span | None:
    sink = Sink()
    assert parse(text, span, SCOPE, sink) is None
    return next(iter(sink)).span


def test_place_in_a_plain_scalar() -> None:
    assert _place("A + nope", Span("f", 3, 10, 3, 18)) == Span("f", 3, 14, 3, 18)


def test_place_in_a_quoted_scalar() -> None:
    assert _place("A + nope", Span("f", 3, 10, 3, 20)) == Span("f", 3, 15, 3, 19)


def test_place_behind_blanks() -> None:
    assert _place("  A + nope", Span("f", 3, 10, 3, 22)) == Span("f", 3, 17, 3, 21)


def test_place_behind_characters_of_several_bytes() -> None:
    assert _place('"é" == nope', Span("f", 3, 10, 3, 21)) == Span("f", 3, 17, 3, 21)
    assert _place('  "é" == nope', Span("f", 3, 10, 3, 23)) == Span("f", 3, 19, 3, 23)


@pytest.mark.parametrize(
    "span", [Span("f", 3, 10, 5, 2), Span("f", 3, 10, 3, 30)], ids=["several lines", "escapes"]
)
def test_the_whole_scalar_where_characters_cannot_be_counted(span: Span) -> None:
    assert _place("A + nope", span) == span


@pytest.mark.parametrize(
    "text",
    [
        "(" * 101 + "A" + ")" * 101,
        "(" * 2000 + "A" + ")" * 2000,
        "-" * 300 + "A",
        "-" * 4000 + "A",
        "not " * 1000 + "flag",
        "A" + " + A" * 300,
        "min(A, " * 200 + "A" + ")" * 200,
        "A" + "[0]" * 1000,
    ],
    ids=["101 brackets", "brackets", "minus", "many minus", "not", "plus", "calls", "subscripts"],
)
def test_deep_nesting_ends_with_a_diagnostic(text: str) -> None:
    expr, found = diagnose(text)

    assert expr is None
    assert [(d.code, d.message) for d in found] == [("QS213", "the expression is nested more than 100 deep")]


def test_what_is_not_too_deep() -> None:
    assert diagnose("(" * 100 + "A" + ")" * 100)[0] is not None
    assert diagnose("A" + " + A" * 99)[0] is not None
    assert diagnose("A < " * 1000 + "A")[0] is not None


def test_long_text_ends_with_a_diagnostic() -> None:
    _, found = diagnose("A" * 5000)

    assert [(d.code, d.message) for d in found] == [
        ("QS213", "the expression has 5000 characters; at most 4096 are read")
    ]


def test_functions_and_values_of_a_group_are_open_in_their_scope() -> None:
    assert diagnose("aic * 2", scope=TILING)[0] is not None
    assert diagnose("tsch_block_dim(A, aic, aiv)", scope=TILING)[0] is not None
    assert diagnose("non_decreasing(lengths)", scope=CONTENTS)[0] is not None


_WORDS = """A flag mode ROW x ( ) [ ] , + - * // % == < in not and or if else min dim 0 1 'ROW' " \\ é . :="""
_SCRAPS = st.lists(st.sampled_from([*_WORDS.split(), "\n", "\0"]), max_size=14).map(" ".join)


@given(st.one_of(_SCRAPS, st.text(max_size=40)))
def test_any_text_gives_a_tree_or_diagnostics_inside_the_text(text: str) -> None:
    expr, found = diagnose(text)

    assert (expr is None) == bool(found)
    for diagnostic in found:
        assert diagnostic.span is not None
        assert diagnostic.code.startswith("QS2")
        assert diagnostic.span.line == 7
        assert 1 <= diagnostic.span.column <= len(text) + 1
        assert diagnostic.span.end_column <= len(text) + 2
