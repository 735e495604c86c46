"""C++ texts of known expressions."""

from __future__ import annotations

import pytest

from qsfa_codegen.expr.arith import ARITH_STRUCT, arith_struct
from qsfa_codegen.expr.bounds import Interval
from qsfa_codegen.expr.build import strip
from qsfa_codegen.expr.cpp import cases, emit
from qsfa_codegen.expr.cpp_text import PRIMARY, precedence_of, string
from qsfa_codegen.expr.nodes import (
    BOOL,
    DIMS,
    INT,
    Call,
    Compare,
    Expr,
    Literal,
    Negate,
    Not,
    ParamQuery,
    Query,
    Ref,
    RefKind,
    Select,
    Type,
)
from tests.expr.world import CONTENTS, SPAN, TILING, typed

KNOWN = {"A": Interval(0, 1000), "B": Interval(1, 64), "LIMIT": Interval(64, 64)}


def _ranges(expr: Expr) -> Interval | None:
    return KNOWN.get(expr.name) if isinstance(expr, Ref) else None


class Names:
    """Plain spellings."""

    def ref(self, kind: RefKind, name: str) -> str:
        return name

    def query(self, query: Query, param: str, axis: int | None, tail: int = 0) -> str:
        if query is Query.PRESENT:
            return f"{param} != nullptr"
        places = f"{axis}, {tail}" if query is Query.DIMS else "" if axis is None else str(axis)
        return f"{param}.{query.name.capitalize()}({places})"

    def enum_label(self, enum: str, label: str) -> str:
        return f"{enum}::{label}"

    def dtype(self, name: str) -> str:
        return f"DT_{name.upper()}"

    def call(self, function: str, args: tuple[str, ...]) -> str | None:
        if function == "elements":
            return f"{args[0].upper()}_SIZE"
        return f"{args[0]} == nullptr" if function == "absent" else None


PLAIN = [
    ("A + B - 1", "A + B - 1"),
    ("A - (B - 1)", "A - (B - 1)"),
    ("A - B * 2", "A - B * 2"),
    ("(A - B) * 2", "(A - B) * 2"),
    ("A * (B * 2)", "A * (B * 2)"),
    ("A // B * B", "A / B * B"),
    ("A // (B * 2)", "A / (B * 2)"),
    ("A % B", "A % B"),
    ("-A", "-A"),
    ("-(-A)", "-(-A)"),
    ("A - -3", "A - -3"),
    ("-(A + B)", "-(A + B)"),
    ("abs(A - B)", "std::abs(A - B)"),
    ("ceil_div(A, 16)", "(A + 15) / 16"),
    ("ceil_div(A + B, B)", "(A + B + B - 1) / B"),
    ("align_up(A, 32)", "(A + 31) / 32 * 32"),
    ("align_up(min(A, B), LIMIT)", "(std::min<int64_t>(A, B) + LIMIT - 1) / LIMIT * LIMIT"),
    ("2 * align_up(A, 32)", "2 * ((A + 31) / 32 * 32)"),
    ("max(A, B, 3)", "std::max<int64_t>({A, B, 3})"),
    ("max(scale, 0)", "std::max<double>(scale, 0.0)"),
    ("is_power_of_two(A)", "A > 0 && (A & (A - 1)) == 0"),
    ("is_power_of_two(A) or flag", "(A > 0 && (A & (A - 1)) == 0) || flag"),
    ("is_finite(scale)", "std::isfinite(scale)"),
    ("scale * 2 - 1e-6 < -0.5", "scale * 2.0 - 1e-06 < -0.5"),
    ("504 * 1024", "504 * 1024"),
    ("504 * 1024 * 1024 * 1024", "static_cast<int64_t>(504 * 1024 * 1024) * 1024"),
    ("4294967296 * 2", "4294967296 * 2"),
    ("INT64_MAX", "INT64_MAX"),
    ("INT64_MIN", "INT64_MIN"),
    ("INT32_MAX - 1", "INT32_MAX - 1"),
    ("INT32_MAX + 1", "static_cast<int64_t>(INT32_MAX) + 1"),
    ("UINT32_MAX + 1", "4294967295 + 1"),
    ("-(INT32_MIN if flag else 1)", "-static_cast<int64_t>(flag ? INT32_MIN : 1)"),
    ("-(5 if flag else 1)", "-(flag ? 5 : 1)"),
    ("abs(-5 if flag else 1)", "std::abs(static_cast<int64_t>(flag ? -5 : 1))"),
    ("-5 + A", "-5 + A"),
    ("A < B", "A < B"),
    ("1 <= A <= 64 or A == 128", "(A >= 1 && A <= 64) || A == 128"),
    ("(A < B) == (B < 3)", "(A < B) == (B < 3)"),
    ("(not flag) == wide", "(!flag) == wide"),
    ("flag == true", "flag"),
    ("flag == false", "!flag"),
    ("flag != false", "flag"),
    ("not flag", "!flag"),
    ("not (flag and wide)", "!(flag && wide)"),
    ("not A == B", "A != B"),
    ("not A < B", "A >= B"),
    ("not scale < 1", "!(scale < 1.0)"),
    ("not scale == 1", "scale != 1.0"),
    ("not not flag", "flag"),
    ("not A in (1, 2)", "A != 1 && A != 2"),
    ("flag and wide or A > 1", "(flag && wide) || A > 1"),
    ("flag and (wide or A > 1)", "flag && (wide || A > 1)"),
    ("flag and (wide and A > 1)", "flag && wide && A > 1"),
    ("A in (1, 2, 4)", "A == 1 || A == 2 || A == 4"),
    ("A in (1,)", "A == 1"),
    ("A + 1 in (B, 2)", "A + 1 == B || A + 1 == 2"),
    ("A not in (1, 2) and flag", "A != 1 && A != 2 && flag"),
    ("A in (1, 2) and flag", "(A == 1 || A == 2) && flag"),
    ("A if flag else B", "flag ? A : B"),
    ("A if flag else B if wide else 1", "flag ? A : wide ? B : 1"),
    ("(A if flag else B) if wide else 1", "wide ? (flag ? A : B) : 1"),
    ("(A if flag else B) + 1", "(flag ? A : B) + 1"),
    ("A if flag or wide else B", "flag || wide ? A : B"),
    ("mode == ROW", "mode == Mode::ROW"),
    ("ROW == mode", "mode == Mode::ROW"),
    ("mode != other_mode", "mode != other_mode"),
    ("code(mode) == 5", "static_cast<int64_t>(mode) == 5"),
    ("dtype(x) == int8", "x.Dtype() == DT_INT8"),
    ("t in (int8, float16)", "t == DT_INT8 || t == DT_FLOAT16"),
    ("title == 'plain'", 'title == "plain"'),
    ("chip == A5", "chip == chip::A5"),
    ("arch == arch22", "arch == arch::arch22"),
    ("present(x)", "x != nullptr"),
    ("present(x) and flag", "x != nullptr && flag"),
    ("present(x) == flag", "(x != nullptr) == flag"),
    ("not present(x)", "x == nullptr"),
    ("dim(x, -1) // 2", "arith.Div(x.Dim(-1), 2)"),
    ("mask[1]", "mask[1]"),
    ("len(sizes) == 2", "static_cast<int64_t>(sizes.size()) == 2"),
    ("elements(row)", "ROW_SIZE"),
    ("offset(row, rope)", "offset(row, rope)"),
    ("halves(A + 1)", "halves(A + 1)"),
    ("sizeof(t)", "sizeof(t)"),
]


@pytest.mark.parametrize(("text", "cpp"), PLAIN)
def test_text(text: str, cpp: str) -> None:
    emitted = emit(typed(text), Names(), _ranges)

    assert emitted.text == cpp
    assert emitted.checked == ("arith." in cpp)


CHECKED = [
    ("step + 1", "arith.Add(step, 1)"),
    ("step * A - 1", "arith.Sub(arith.Mul(step, A), 1)"),
    ("-step", "arith.Neg(step)"),
    ("abs(step)", "arith.Abs(step)"),
    ("A // step", "arith.Div(A, step)"),
    ("A % step", "arith.Mod(A, step)"),
    ("step // 2", "arith.Div(step, 2)"),
    ("step % 2", "arith.Mod(step, 2)"),
    ("(A - B) // 2", "arith.Div(A - B, 2)"),
    ("ceil_div(A, step)", "arith.CeilDiv(A, step)"),
    ("align_up(step, 16)", "arith.AlignUp(step, 16)"),
    ("align_up(A, B + 1)", "arith.AlignUp(A, B + 1)"),
    # the quotient fits, but the sum that the plain form makes on the way does not
    ("ceil_div(step, 16) if step >= 0 else 0", "step >= 0 ? arith.CeilDiv(step, 16) : 0"),
    ("is_power_of_two(A + 1)", "arith.IsPowerOfTwo(A + 1)"),
    # a failed product goes on as 0, so it is no safe divisor even where it cannot be 0 otherwise
    ("100 // (B * INT64_MAX)", "arith.Div(100, arith.Mul(B, INT64_MAX))"),
    ("align_up(min(B * step, 128), 16)", "arith.AlignUp(std::min<int64_t>(arith.Mul(B, step), 128), 16)"),
    ("A // step > 1 and flag", "arith.Div(A, step) > 1 && flag"),
]


@pytest.mark.parametrize(("text", "cpp"), CHECKED)
def test_what_may_fail_goes_through_arith(text: str, cpp: str) -> None:
    emitted = emit(typed(text), Names(), _ranges)

    assert (emitted.text, emitted.checked) == (cpp, True)


PROVEN_BY_A_TEST = [
    ("100 // step if step > 0 else 0", "step > 0 ? 100 / step : 0"),
    ("step > 0 and 100 // step == 3", "step > 0 && 100 / step == 3"),
    ("step <= 0 or 100 // step == 3", "step <= 0 || 100 / step == 3"),
    ("step % B == 0", "step % B == 0"),
    ("step % B != 0", "step % B != 0"),
    ("step % 16 == 0", "step % 16 == 0"),
]


@pytest.mark.parametrize(("text", "cpp"), PROVEN_BY_A_TEST)
def test_a_test_before_it_proves_the_operation(text: str, cpp: str) -> None:
    emitted = emit(typed(text), Names(), _ranges)

    assert (emitted.text, emitted.checked) == (cpp, False)


def test_a_remainder_that_may_divide_by_minus_one_is_checked() -> None:
    assert emit(typed("step % (B - 2) == 0"), Names(), _ranges).text == "arith.Mod(step, B - 2) == 0"
    below = emit(typed("step % -min(B, 3) == 0"), Names(), _ranges)
    assert below.text == "arith.Mod(step, -std::min<int64_t>(B, 3)) == 0"


def test_without_ranges_nothing_is_known() -> None:
    assert emit(typed("A + 1"), Names()).text == "arith.Add(A, 1)"


def test_the_object_has_the_name_that_is_given() -> None:
    assert emit(typed("step + 1"), Names(), arith="sum_").text == "sum_.Add(step, 1)"


def test_unchecked_arithmetic_is_plain() -> None:
    emitted = emit(typed("align_up(step * 2, A + 1) // dim(x, 0) - abs(-step)"), Names(), unchecked=True)

    assert emitted.text == "(step * 2 + (A + 1) - 1) / (A + 1) * (A + 1) / x.Dim(0) - std::abs(-step)"
    assert not emitted.checked


def test_a_text_that_uses_the_object_is_checked() -> None:
    class Lets(Names):
        def ref(self, kind: RefKind, name: str) -> str:
            return f"{name}(arith)"

    assert emit(typed("A"), Lets(), _ranges).checked
    assert emit(typed("A == 1 and flag"), Lets(), _ranges).checked


def test_products_over_lists_are_checked_unless_they_are_known() -> None:
    assert emit(typed("prod(sizes)"), Names()).checked
    assert emit(typed("numel(x)"), Names()).checked
    assert not emit(typed("numel(x) + 1"), Names(), lambda expr: Interval(0, 9)).checked


def test_tiling_and_contents_functions() -> None:
    assert (
        emit(typed("tsch_block_dim(A, aic, aiv)", scope=TILING), Names()).text
        == "tsch_block_dim(A, aic, aiv)"
    )
    contents = typed("all_between(lengths, 0, A - 1)", scope=CONTENTS)
    assert emit(contents, Names(), _ranges).text == "all_between(lengths, 0, A - 1)"


def test_names_may_spell_arithmetic_functions() -> None:
    class Own(Names):
        def call(self, function: str, args: tuple[str, ...]) -> str | None:
            return f"{function.upper()}({', '.join(args)})"

    texts = [
        emit(typed(t), Own(), _ranges).text for t in ("min(A, B)", "align_up(A, 16)", "sizes[1]", "len(ROWS)")
    ]
    assert texts == ["MIN(A, B)", "ALIGN_UP(A, 16)", "SUBSCRIPT(sizes, 1)", "LEN(ROWS)"]


def test_runs_of_dims() -> None:
    rows = Ref(DIMS, SPAN, RefKind.REST, "ROWS")
    whole = ParamQuery(DIMS, SPAN, Query.DIMS, "x", 1, 2)

    assert emit(Compare(BOOL, SPAN, "==", whole, rows), Names()).text == "SameDims(x.Dims(1, 2), ROWS)"
    assert emit(Compare(BOOL, SPAN, "!=", whole, rows), Names()).text == "!SameDims(x.Dims(1, 2), ROWS)"
    assert emit(Call(BOOL, SPAN, "ends_with", (whole, rows)), Names()).text == "ends_with(x.Dims(1, 2), ROWS)"


def _table(type: Type, selector: str, other: str | None, **values: str) -> Select:
    branches = tuple((label, typed(value)) for label, value in values.items())
    return Select(type, SPAN, typed(selector), branches, None if other is None else typed(other))


def test_tables_become_conditionals() -> None:
    three = _table(INT, "mode", None, ROW="A", COL="B", TILE="1")
    assert emit(three, Names(), _ranges).text == "mode == Mode::ROW ? A : mode == Mode::COL ? B : 1"
    rest = _table(INT, "mode", "7", ROW="A")
    assert emit(rest, Names(), _ranges).text == "mode == Mode::ROW ? A : 7"
    flags = _table(INT, "flag", None, false="A", true="B")
    assert emit(flags, Names(), _ranges).text == "!flag ? A : B"
    assert emit(_table(INT, "mode", None, ROW="A"), Names(), _ranges).text == "A"


def test_cases_with_one_value_share_a_branch() -> None:
    most = _table(INT, "mode", None, ROW="A", COL="B", TILE="A")
    assert emit(most, Names(), _ranges).text == "mode == Mode::COL ? B : A"
    other = _table(INT, "mode", "1", ROW="A", COL="1", TILE="A")
    assert emit(other, Names(), _ranges).text == "mode == Mode::ROW || mode == Mode::TILE ? A : 1"
    flags = _table(INT, "flag", "1", true="A", false="A")
    assert emit(flags, Names(), _ranges).text == "flag ? A : !flag ? A : 1"


def test_a_selector_that_may_fail_is_evaluated() -> None:
    table = _table(INT, "A // step > 1", "1", true="1")
    assert emit(table, Names(), _ranges).text == "arith.Div(A, step) > 1 ? 1 : 1"


CONSTANT_BRANCHES = [
    ("A > 1 if flag else true", "!flag || A > 1"),
    ("A > 1 if flag else false", "flag && A > 1"),
    ("true if flag else A > 1", "flag || A > 1"),
    ("false if flag else A > 1", "!flag && A > 1"),
    ("A // step > 1 if step > 0 else true", "step <= 0 || A / step > 1"),
]


@pytest.mark.parametrize(("text", "cpp"), CONSTANT_BRANCHES)
def test_a_constant_branch_makes_a_condition(text: str, cpp: str) -> None:
    assert emit(typed(text), Names(), _ranges).text == cpp


def test_cases_for_statements() -> None:
    table = cases(_table(INT, "mode", "7", ROW="A", COL="B"))
    conditional = cases(typed("A if flag else B if wide else 1"))

    assert [case.label for case in table] == ["ROW", "COL", None]
    assert [case.condition is None for case in table] == [False, False, True]
    assert strip(table[0].condition or SPAN_EXPR) == strip(typed("mode == ROW"))
    assert [strip(case.value) for case in table] == [strip(typed(t)) for t in ("A", "B", "7")]
    assert [strip(case.condition) if case.condition else None for case in conditional] == [
        strip(typed("flag")),
        strip(typed("wide")),
        None,
    ]
    assert [case.value for case in cases(SPAN_EXPR)] == [SPAN_EXPR]
    flags = cases(_table(INT, "flag", None, true="A", false="B"))
    assert [strip(case.condition or SPAN_EXPR) for case in flags] == [
        strip(typed("flag")),
        strip(Not(BOOL, SPAN, typed("flag"))),
    ]


SPAN_EXPR = Literal(INT, SPAN, 3)


def test_a_negated_literal_keeps_its_signs_apart() -> None:
    assert emit(Negate(INT, SPAN, Literal(INT, SPAN, -3)), Names()).text == "-(-3)"


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        ("plain", '"plain"'),
        ('a"b\\c', '"a\\042b\\134c"'),
        ("a\nb", '"a\\012b"'),
        ("??/", '"\\077\\077/"'),
        ("é7", '"\\303\\2517"'),
        ('"; exit(1); //', '"\\042; exit(1); //"'),
    ],
)
def test_string_literals_cannot_be_left(value: str, literal: str) -> None:
    assert string(value) == literal


@pytest.mark.parametrize(
    ("text", "wrapped"),
    [
        ("a", "a"),
        ("a->b(c + d)", "a->b(c + d)"),
        ("f(a, b)[i + 1]", "f(a, b)[i + 1]"),
        ("a + b", "(a + b)"),
        ("!a", "(!a)"),
        ("-a", "(-a)"),
        ("a ? b : c", "(a ? b : c)"),
        ("a != nullptr", "(a != nullptr)"),
        ('f("a + b")', 'f("a + b")'),
        ("static_cast<int64_t>(a + b)", "static_cast<int64_t>(a + b)"),
    ],
)
def test_precedence_of_given_texts(text: str, wrapped: str) -> None:
    assert (text if precedence_of(text) >= PRIMARY else f"({text})") == wrapped


def test_the_struct_holds_what_is_called() -> None:
    assert arith_struct(["a + b"]) == ""
    some = arith_struct(["arith.AlignUp(a, b)"])
    for member, needed in {
        "AlignUp": True,
        "Add": True,
        "Mod": True,
        "Keep": True,
        "Mul": False,
        "Div": False,
    }.items():
        assert (f" {member}(int64_t a" in some or f" {member}(bool bad" in some) is needed
    assert (
        arith_struct([f"arith.{m}(" for m in ("CeilDiv", "AlignUp", "Abs", "Mul", "IsPowerOfTwo")])
        == ARITH_STRUCT
    )
