"""What is left on one chip, substitution, negation and dependencies."""

import pytest

from qsfa_codegen.expr.build import strip
from qsfa_codegen.expr.nodes import BOOL, INT, Expr, Literal, Ref, RefKind, Select
from qsfa_codegen.expr.rewrite import bottom_up, with_children
from qsfa_codegen.expr.specialize import depends_on, negate, params, refs, simplify, specialize, substitute
from tests.expr.world import CONTENTS, SPAN, typed

ON_A5 = [
    ("chip == A5", "true"),
    ("chip != A5", "false"),
    ("arch in (arch22, arch35)", "true"),
    ("arch not in (arch35,)", "false"),
    ("A if chip == A5 else B", "A"),
    ("A if arch == arch22 else B", "B"),
    ("flag and chip == A5", "flag"),
    ("flag and chip == A2", "false"),
    ("chip == A2 and A // step == 1", "false"),
    ("chip == A5 or A // step == 1", "true"),
    ("chip == A2 or A == 1", "A == 1"),
    ("(flag and chip == A5) and wide", "flag and wide"),
    ("not chip == A2", "true"),
    ("A * (64 if arch == arch35 else 32)", "A * 64"),
]


@pytest.mark.parametrize(("text", "left"), ON_A5)
def test_what_is_left_on_a_chip(text: str, left: str) -> None:
    assert strip(specialize(typed(text), "A5", "arch35")) == strip(typed(left))


def test_an_operand_that_may_fail_stays_before_a_constant() -> None:
    """`A // step == 1 and false` still fails where step is 0, and `flag` decides whether it is reached."""
    expr = specialize(typed("flag and A // step == 1 and chip == A2 and wide"), "A5", "arch35")

    assert strip(expr) == strip(typed("flag and A // step == 1 and false"))


SIMPLER = [
    ("2 * 3 + A", "6 + A"),
    ("A + 0", "A"),
    ("0 + A", "A"),
    ("A - 0", "A"),
    ("A * 1", "A"),
    ("1 * A", "A"),
    ("A // 1", "A"),
    ("A * 0", "A * 0"),
    ("0 - A", "0 - A"),
    ("A % 1", "A % 1"),
    ("align_up(5, 4) + min(2, 1)", "9"),
    ("ceil_div(A, 2 * 2)", "ceil_div(A, 4)"),
    ("3 < 4", "true"),
    ("3 in (1, 2)", "false"),
    ("1.5 < 1", "false"),
    ("A in (1, 2)", "A in (1, 2)"),
    ("flag in (true, false)", "true"),
    ("flag not in (false, true)", "false"),
    ("flag in (false,)", "flag in (false,)"),
    ("wide in (true, false)", "wide in (true, false)"),
    ("flag and true", "flag"),
    ("flag or false", "flag"),
    ("flag or (wide or true)", "flag or wide or true"),
    ("true and true", "true"),
    ("false or false", "false"),
    ("not true", "false"),
    ("not not flag", "flag"),
    ("A if true else B if flag else 1", "A"),
]


@pytest.mark.parametrize(("text", "left"), SIMPLER)
def test_simplify(text: str, left: str) -> None:
    assert strip(simplify(typed(text))) == strip(typed(left))


def _by_chip(other: str | None) -> Select:
    cases = (("A2", typed("A")), ("A3", typed("B")))
    return Select(INT, SPAN, typed("chip"), cases, None if other is None else typed(other))


def test_tables_by_chip_are_taken_apart() -> None:
    assert strip(specialize(_by_chip("7"), "A3", "arch22")) == strip(typed("B"))
    assert strip(specialize(_by_chip("7"), "A5", "arch35")) == strip(typed("7"))


def test_a_table_without_the_chip_stays_without_a_value() -> None:
    left = specialize(_by_chip(None), "A5", "arch35")

    assert isinstance(left, Select)
    assert isinstance(left.selector, Literal)


def test_a_table_by_a_known_flag_is_taken_apart() -> None:
    table = Select(INT, SPAN, typed("chip == A5"), (("true", typed("A")), ("false", typed("B"))))

    assert strip(specialize(table, "A5", "arch35")) == strip(typed("A"))
    assert strip(specialize(table, "A2", "arch22")) == strip(typed("B"))


def test_substitute() -> None:
    mapping = {(RefKind.DIM, "A"): typed("B + 1"), (RefKind.DIM, "B"): typed("C")}

    assert strip(substitute(typed("A * B + step"), mapping)) == strip(typed("(B + 1) * C + step"))
    table = Select(INT, SPAN, typed("mode"), (("ROW", typed("A")),), typed("B"))
    changed = Select(INT, SPAN, typed("mode"), (("ROW", typed("B + 1")),), typed("C"))
    assert strip(substitute(table, mapping)) == strip(changed)


def test_what_does_not_change_is_shared() -> None:
    expr = typed("A + min(B, 1) if flag else 2")

    assert bottom_up(expr, lambda node: node) is expr


def test_leaves_have_no_children_to_replace() -> None:
    expr = typed("A")

    assert with_children(expr, ()) is expr


NEGATIONS = [
    ("A == 1", "A != 1"),
    ("A < 1", "A >= 1"),
    ("1 <= A <= 3", "1 > A or A > 3"),
    ("A in (1, 2)", "A not in (1, 2)"),
    ("flag or not wide", "not flag and wide"),
    ("true", "false"),
    ("present(x)", "not present(x)"),
    ("scale < 1", "not scale < 1"),
    ("scale == 1", "scale != 1"),
    ("flag if A > 1 else B == 2", "not flag if A > 1 else B != 2"),
    ("is_power_of_two(A)", "not is_power_of_two(A)"),
]


@pytest.mark.parametrize(("text", "opposite"), NEGATIONS)
def test_negate(text: str, opposite: str) -> None:
    assert strip(negate(typed(text))) == strip(typed(opposite))


def test_a_table_is_negated_case_by_case() -> None:
    table = Select(BOOL, SPAN, typed("mode"), (("ROW", typed("A > 1")),), typed("flag"))
    opposite = Select(BOOL, SPAN, typed("mode"), (("ROW", typed("A <= 1")),), typed("not flag"))

    assert strip(negate(table)) == strip(opposite)


def test_refs_in_order() -> None:
    assert list(refs(typed("B + A"))) == [(RefKind.DIM, "B"), (RefKind.DIM, "A")]
    assert set(refs(typed("B * A - code(mode) + elements(row) + B"))) == {
        (RefKind.DIM, "A"),
        (RefKind.DIM, "B"),
        (RefKind.ATTR, "mode"),
        (RefKind.RECORD, "row"),
    }


def test_params_in_order() -> None:
    assert list(params(typed("dim(y, 0) + dim(x, 0) + dim(y, 1)"))) == ["y", "x"]
    assert list(params(typed("non_decreasing(lengths) and present(x)", scope=CONTENTS))) == ["lengths", "x"]
    assert list(params(typed("offset(row, rope)"))) == []


def test_dependencies_go_through_definitions() -> None:
    definitions: dict[tuple[RefKind, str], Expr] = {
        (RefKind.LET, "wide"): typed("A > dim(x, 0)"),
        (RefKind.DIM, "A"): typed("dim(y, 1) if wide else B"),
    }
    found = depends_on(typed("1 if wide else 0"), lambda kind, name: definitions.get((kind, name)))

    assert set(found.refs) == {(RefKind.LET, "wide"), (RefKind.DIM, "A"), (RefKind.DIM, "B")}
    assert list(found.params) == ["x", "y"]


def test_dependencies_of_a_name_without_definition() -> None:
    found = depends_on(Ref(INT, SPAN, RefKind.DIM, "A"), lambda kind, name: None)

    assert list(found.refs) == [(RefKind.DIM, "A")]
    assert not found.params
