"""Sentences in both languages."""

from __future__ import annotations

import pytest

from qsfa_codegen.expr.nodes import (
    BOOL,
    DIMS,
    DTYPE,
    INT,
    Call,
    Compare,
    ParamQuery,
    Query,
    Ref,
    RefKind,
    Select,
    Type,
)
from qsfa_codegen.expr.prose import fragment, say
from qsfa_codegen.expr.wording import EN, ZH, Words, spaced
from tests.expr.world import CONTENTS, SPAN, TILING, typed


class Names:
    """Backticks around names; the dim C has a name of its own in documents."""

    def ref(self, kind: RefKind, name: str) -> str:
        return "`block_size`" if name == "C" else f"`{name}`"

    def param(self, name: str) -> str:
        return f"`{name}`"

    def label(self, type: Type, label: str) -> str:
        return label

    def dtype(self, name: str) -> str:
        return name.upper()

    def field(self, record: str, field: str) -> str:
        return f"`{field}`"

    def string(self, value: str) -> str:
        return f'"{value}"'


CLAUSES = [
    ("A == 3", "`A` is 3", "`A` 为 3"),
    ("A == LIMIT", "`A` is `LIMIT`", "`A` 为 `LIMIT`"),
    ("A == B", "`A` equals `B`", "`A` 等于 `B`"),
    ("A != 3", "`A` is not 3", "`A` 不为 3"),
    ("A != B", "`A` differs from `B`", "`A` 不等于 `B`"),
    ("A < 3", "`A` is less than 3", "`A` 小于 3"),
    ("A <= B", "`A` is at most `B`", "`A` 不大于 `B`"),
    ("A > -1", "`A` is greater than −1", "`A` 大于 −1"),
    ("3 <= A", "`A` is at least 3", "`A` 不小于 3"),
    ("A <= INT64_MAX", "`A` is at most 2^63−1", "`A` 不大于 2^63−1"),
    ("A >= INT64_MIN", "`A` is at least −2^63", "`A` 不小于 −2^63"),
    ("A <= INT32_MAX", "`A` is at most 2^31−1", "`A` 不大于 2^31−1"),
    ("A <= UINT32_MAX", "`A` is at most 2^32−1", "`A` 不大于 2^32−1"),
    ("C % step == 0", "`block_size` is a multiple of `step`", "`block_size` 是 `step` 的整数倍"),
    ("C % 16 != 0", "`block_size` is not a multiple of 16", "`block_size` 不是 16 的整数倍"),
    ("C % 16 == 1", "`block_size` mod 16 is 1", "`block_size` mod 16 为 1"),
    ("16 <= C and C <= 1024", "`block_size` is from 16 to 1024", "`block_size` 取值范围为 [16, 1024]"),
    ("16 <= C <= 1024", "`block_size` is from 16 to 1024", "`block_size` 取值范围为 [16, 1024]"),
    ("C <= 1024 and C >= A", "`block_size` is from `A` to 1024", "`block_size` 取值范围为 [`A`, 1024]"),
    (
        "16 <= C <= 1024 and C % 16 == 0",
        "`block_size` is from 16 to 1024 and is a multiple of 16",
        "`block_size` 取值范围为 [16, 1024] 且是 16 的整数倍",
    ),
    ("0 < A < 10", "`A` is greater than 0 and is less than 10", "`A` 大于 0 且小于 10"),
    ("1 <= A and B <= 3", "`A` is at least 1 and `B` is at most 3", "`A` 不小于 1 且 `B` 不大于 3"),
    ("1 <= A <= 64 or A == 128", "`A` is from 1 to 64 or is 128", "`A` 取值范围为 [1, 64] 或为 128"),
    ("A in (1,)", "`A` is 1", "`A` 为 1"),
    ("A in (0, 64)", "`A` is 0 or 64", "`A` 为 0 或 64"),
    ("A in (1, 2, 4)", "`A` is one of 1, 2, 4", "`A` 为 1、2、4 之一"),
    ("A not in (1,)", "`A` is not 1", "`A` 不为 1"),
    ("A not in (1, 2)", "`A` is none of 1, 2", "`A` 不为 1、2 中的任何一个"),
    ("not A in (1, 2)", "`A` is none of 1, 2", "`A` 不为 1、2 中的任何一个"),
    ("mode == ROW", "`mode` is ROW", "`mode` 为 ROW"),
    ("mode in (ROW, COL)", "`mode` is ROW or COL", "`mode` 为 ROW 或 COL"),
    ("title == 'plain'", '`title` is "plain"', '`title` 为 "plain"'),
    ("flag", "`flag` is true", "`flag` 为 true"),
    ("not flag", "`flag` is false", "`flag` 为 false"),
    ("flag == false", "`flag` is false", "`flag` 为 false"),
    ("flag == wide", "`flag` is true exactly when `wide` is true", "`flag` 为 true 当且仅当 `wide` 为 true"),
    (
        "flag != (A > 1)",
        "either `flag` is true or `A` is greater than 1, but not both",
        "`flag` 为 true 与 `A` 大于 1 有且仅有一个成立",
    ),
    ("true", "true", "true"),
    ("mask[1]", "element [1] of `mask` is true", "`mask` 中下标为 1 的元素为 true"),
    ("not mask[0]", "element [0] of `mask` is false", "`mask` 中下标为 0 的元素为 false"),
    ("present(x)", "`x` is present", "`x` 已传入"),
    ("not present(x)", "`x` is absent", "`x` 未传入"),
    ("dtype(x) == int8", "the dtype of `x` is INT8", "`x` 的数据类型为 INT8"),
    ("dtype(x) != t", "the dtype of `x` differs from `t`", "`x` 的数据类型不等于 `t`"),
    ("rank(x) in (3, 4)", "the rank of `x` is 3 or 4", "`x` 的维数为 3 或 4"),
    ("dim(x, 0) == A", "dim 0 of `x` equals `A`", "`x` 的第 0 维等于 `A`"),
    ("dim(x, -1) == A", "the last dim of `x` equals `A`", "`x` 的最后一维等于 `A`"),
    ("dim(x, -2) > 1", "dim 2 of `x` from the end is greater than 1", "`x` 的倒数第 2 维大于 1"),
    ("stride(x, 1) == 1", "the stride of dim 1 of `x` is 1", "`x` 第 1 维的步长为 1"),
    ("stride(x, -1) == 1", "the stride of dim 1 of `x` from the end is 1", "`x` 倒数第 1 维的步长为 1"),
    ("numel(x) > 0", "the number of elements of `x` is greater than 0", "`x` 的元素个数大于 0"),
    ("count(x) <= 8", "the number of tensors of `x` is at most 8", "`x` 的 tensor 个数不大于 8"),
    ("len(mask) in (0, 2)", "the length of `mask` is 0 or 2", "`mask` 的长度为 0 或 2"),
    ("prod(ROWS) <= 9", "the product of `ROWS` is at most 9", "`ROWS` 的乘积不大于 9"),
    ("is_power_of_two(A)", "`A` is a power of two", "`A` 是 2 的幂"),
    ("not is_power_of_two(A)", "`A` is not a power of two", "`A` 不是 2 的幂"),
    ("is_finite(scale)", "`scale` is finite", "`scale` 为有限值"),
    ("not is_finite(scale)", "`scale` is not finite", "`scale` 不为有限值"),
    (
        "scale > 0 and is_finite(scale)",
        "`scale` is greater than 0 and is finite",
        "`scale` 大于 0 且为有限值",
    ),
    ("scale >= 1e-6", "`scale` is at least 1e-06", "`scale` 不小于 1e-06"),
    ("chip == A5", "the chip is A5", "芯片为 A5"),
    ("arch in (arch22, arch35)", "the architecture is arch22 or arch35", "架构为 arch22 或 arch35"),
    ("flag and A == 1", "`flag` is true and `A` is 1", "`flag` 为 true 且 `A` 为 1"),
    ("flag or A == 1", "`flag` is true or `A` is 1", "`flag` 为 true 或 `A` 为 1"),
    (
        "flag and A == 1 and B == 2",
        "`flag` is true, `A` is 1 and `B` is 2",
        "`flag` 为 true，`A` 为 1 且 `B` 为 2",
    ),
    (
        "flag and (wide or A == 1)",
        "`flag` is true and (`wide` is true or `A` is 1)",
        "`flag` 为 true 且（`wide` 为 true 或 `A` 为 1）",
    ),
    (
        "flag and wide or A == 1",
        "`flag` is true and `wide` is true, or `A` is 1",
        "`flag` 为 true 且 `wide` 为 true，或 `A` 为 1",
    ),
    (
        "A == 1 or flag and wide or B == 1",
        "`A` is 1, or `flag` is true and `wide` is true, or `B` is 1",
        "`A` 为 1，或 `flag` 为 true 且 `wide` 为 true，或 `B` 为 1",
    ),
    (
        "not (flag and A > 1)",
        "`flag` is false or `A` is at most 1",
        "`flag` 为 false 或 `A` 不大于 1",
    ),
    (
        "A == 1 if flag else B == 2",
        "if `flag` is true, `A` is 1; otherwise `B` is 2",
        "若 `flag` 为 true，则 `A` 为 1；否则 `B` 为 2",
    ),
    (
        "not (A == 1 if flag else B == 2)",
        "if `flag` is true, `A` is not 1; otherwise `B` is not 2",
        "若 `flag` 为 true，则 `A` 不为 1；否则 `B` 不为 2",
    ),
    (
        "wide and (A == 1 if flag else B == 2)",
        "`wide` is true and (if `flag` is true, `A` is 1; otherwise `B` is 2)",
        "`wide` 为 true 且（若 `flag` 为 true，则 `A` 为 1；否则 `B` 为 2）",
    ),
]


@pytest.mark.parametrize(("text", "en", "zh"), CLAUSES)
def test_clause(text: str, en: str, zh: str) -> None:
    expr = typed(text)

    assert (say(expr, "en", Names()), say(expr, "zh", Names())) == (en, zh)


TERMS = [
    ("A", "`A`", "`A`"),
    ("7", "7", "7"),
    ("-7", "−7", "−7"),
    ("2.0", "2", "2"),
    ("A * (B + 1) - -3", "`A` × (`B` + 1) − (−3)", "`A` × (`B` + 1) − (−3)"),
    ("A - (B - 1)", "`A` − (`B` − 1)", "`A` − (`B` − 1)"),
    ("-A * 2", "(−`A`) × 2", "(−`A`) × 2"),
    ("A // B", "⌊`A` / `B`⌋", "⌊`A` / `B`⌋"),
    ("A * 2 // (B * 2) + 1", "⌊`A` × 2 / (`B` × 2)⌋ + 1", "⌊`A` × 2 / (`B` × 2)⌋ + 1"),
    ("ceil_div(A, B)", "⌈`A` / `B`⌉", "⌈`A` / `B`⌉"),
    ("align_up(A + 1, 16)", "⌈(`A` + 1) / 16⌉ × 16", "⌈(`A` + 1) / 16⌉ × 16"),
    ("min(A // B, 128)", "min(⌊`A` / `B`⌋, 128)", "min(⌊`A` / `B`⌋, 128)"),
    ("abs(A - B)", "|`A` − `B`|", "|`A` − `B`|"),
    ("INT64_MAX - A", "2^63−1 − `A`", "2^63−1 − `A`"),
    ("halves(A)", "halves(`A`)", "halves(`A`)"),
    ("code(mode)", "the code of `mode`", "`mode` 的编码"),
    ("sizeof(t)", "the bytes of an element of `t`", "`t` 每个元素的字节数"),
    (
        "min(A, B if flag else 1)",
        "min(`A`, (`B` if `flag` is true, otherwise 1))",
        "min(`A`, (`flag` 为 true 时为 `B`，否则为 1))",
    ),
    ("elements(row)", "the size of `row`", "`row` 的大小"),
    ("offset(row, rope)", "the offset of `rope` in `row`", "`rope` 在 `row` 内的偏移"),
    ("elements(row) * 2", "(the size of `row`) × 2", "(`row` 的大小) × 2"),
    ("sizes[0] + 1", "(element [0] of `sizes`) + 1", "(`sizes` 中下标为 0 的元素) + 1"),
    ("1 if flag else 2", "1 if `flag` is true, otherwise 2", "`flag` 为 true 时为 1，否则为 2"),
    (
        "numel(x) if flag else 0",
        "the number of elements of `x` if `flag` is true, otherwise 0",
        "`flag` 为 true 时为 `x` 的元素个数，否则为 0",
    ),
    (
        "1 if flag else 2 if A > 3 else 4",
        "1 if `flag` is true, 2 if `A` is greater than 3, otherwise 4",
        "`flag` 为 true 时为 1，`A` 大于 3 时为 2，否则为 4",
    ),
    (
        "(1 if flag else 2) * A",
        "(1 if `flag` is true, otherwise 2) × `A`",
        "(`flag` 为 true 时为 1，否则为 2) × `A`",
    ),
    ("mode", "`mode`", "`mode`"),
    ("dtype(x)", "the dtype of `x`", "`x` 的数据类型"),
]


@pytest.mark.parametrize(("text", "en", "zh"), TERMS)
def test_noun(text: str, en: str, zh: str) -> None:
    expr = typed(text)

    assert (say(expr, "en", Names()), say(expr, "zh", Names())) == (en, zh)


CONTENT_CLAUSES = [
    (
        "all_between(lengths, 0, A - 1)",
        "every element of `lengths` is from 0 to `A` − 1",
        "`lengths` 的元素取值范围为 [0, `A` − 1]",
    ),
    ("non_decreasing(lengths)", "the elements of `lengths` never decrease", "`lengths` 的元素单调不减"),
    (
        "all_between(lengths, 0, A) and non_decreasing(lengths)",
        "every element of `lengths` is from 0 to `A` and the elements of `lengths` never decrease",
        "`lengths` 的元素取值范围为 [0, `A`] 且单调不减",
    ),
    (
        "padded_with(lengths, -1)",
        "every row of `lengths` has nothing but −1 after the first −1",
        "`lengths` 的每一行在首个 −1 之后均为 −1",
    ),
    (
        "not non_decreasing(lengths)",
        "it does not hold that the elements of `lengths` never decrease",
        "并非 `lengths` 的元素单调不减",
    ),
]


@pytest.mark.parametrize(("text", "en", "zh"), CONTENT_CLAUSES)
def test_clause_about_contents(text: str, en: str, zh: str) -> None:
    expr = typed(text, scope=CONTENTS)

    assert (say(expr, "en", Names()), say(expr, "zh", Names())) == (en, zh)


def test_both_languages_have_every_phrase() -> None:
    for phrase in Words.__annotations__:
        english, chinese = getattr(EN, phrase), getattr(ZH, phrase)
        assert english.count("{}") == chinese.count("{}"), phrase
        assert english.isascii(), phrase


def test_platform_values() -> None:
    expr = typed("tsch_block_dim(2 * aic, aic, aiv)", scope=TILING)

    assert say(expr, "en", Names()) == "tsch_block_dim(2 × `aic`, `aic`, `aiv`)"


FRAGMENTS = [
    ("A == 1", "when `A` is 1", "当 `A` 为 1 时"),
    ("chip == A5", "when the chip is A5", "当芯片为 A5 时"),
    ("not present(x)", "when `x` is absent", "当 `x` 未传入时"),
    (
        "A == 1 if flag else B == 2",
        "when (if `flag` is true, `A` is 1; otherwise `B` is 2)",
        "当（若 `flag` 为 true，则 `A` 为 1；否则 `B` 为 2）时",
    ),
]


@pytest.mark.parametrize(("text", "en", "zh"), FRAGMENTS)
def test_fragment(text: str, en: str, zh: str) -> None:
    expr = typed(text)

    assert (fragment(expr, "en", Names()), fragment(expr, "zh", Names())) == (en, zh)


PLAIN = [
    ("A * B - 1 > -2", "`A` * `B` - 1 is greater than -2"),
    ("A // B == ceil_div(A, 2)", "floor(`A` / `B`) equals ceil(`A` / 2)"),
    ("align_up(A, 16) <= INT64_MAX", "ceil(`A` / 16) * 16 is at most 2^63-1"),
]


@pytest.mark.parametrize(("text", "en"), PLAIN)
def test_plain_text_keeps_to_ascii(text: str, en: str) -> None:
    said = say(typed(text), "en", Names(), plain=True)

    assert said == en
    assert said.isascii()


def _by_mode(type: Type, other: str | None, **values: str) -> Select:
    branches = tuple((label, typed(value)) for label, value in values.items())
    return Select(type, SPAN, typed("mode"), branches, None if other is None else typed(other))


def test_tables_of_values() -> None:
    table = _by_mode(INT, "1", ROW="A", COL="A * B")

    assert say(table, "en", Names()) == "`A` if `mode` is ROW, `A` × `B` if it is COL, otherwise 1"
    assert say(table, "zh", Names()) == "`mode` 为 ROW 时为 `A`，为 COL 时为 `A` × `B`，否则为 1"


def test_tables_of_conditions() -> None:
    table = _by_mode(BOOL, "flag", ROW="A > 1", COL="A == B")

    assert say(table, "en", Names()) == (
        "if `mode` is ROW, `A` is greater than 1; if `mode` is COL, `A` equals `B`; otherwise `flag` is true"
    )
    assert say(table, "zh", Names()) == (
        "若 `mode` 为 ROW，则 `A` 大于 1；若 `mode` 为 COL，则 `A` 等于 `B`；否则 `flag` 为 true"
    )


def test_cases_with_one_value_are_said_together() -> None:
    table = _by_mode(INT, None, ROW="A", COL="B", TILE="A")
    demands = _by_mode(BOOL, None, ROW="A > 1", COL="A > 2", TILE="A > 1")

    assert say(table, "en", Names()) == "`A` if `mode` is ROW or TILE, `B` if it is COL"
    assert (
        say(demands, "zh", Names())
        == "若 `mode` 为 ROW 或 TILE，则 `A` 大于 1；若 `mode` 为 COL，则 `A` 大于 2"
    )


def test_cases_that_demand_nothing_are_left_out() -> None:
    table = _by_mode(BOOL, "true", ROW="A > 1", COL="flag in (true, false)")

    assert say(table, "en", Names()) == "if `mode` is ROW, `A` is greater than 1"
    assert say(_by_mode(BOOL, "true", ROW="true"), "en", Names()) == "true"


def test_a_demand_of_the_other_cases_alone_names_the_cases_that_are_free() -> None:
    table = _by_mode(BOOL, "A > 1", ROW="true")

    assert say(table, "en", Names()) == "if `mode` is not ROW, `A` is greater than 1"
    assert say(table, "zh", Names()) == "若 `mode` 不为 ROW，则 `A` 大于 1"


def test_the_size_of_an_element_is_said_of_its_input() -> None:
    size = Call(INT, SPAN, "sizeof", (ParamQuery(DTYPE, SPAN, Query.DTYPE, "x"),))

    assert say(size, "en", Names()) == "the bytes of an element of `x`"
    assert say(size, "zh", Names()) == "`x` 每个元素的字节数"


def test_tables_by_flag() -> None:
    table = Select(INT, SPAN, typed("flag"), (("true", typed("A")), ("false", typed("B"))))

    assert say(table, "en", Names()) == "`A` if `flag` is true, `B` if it is false"
    assert say(table, "zh", Names()) == "`flag` 为 true 时为 `A`，为 false 时为 `B`"


@pytest.mark.parametrize(
    ("axis", "tail", "en", "zh"),
    [
        (0, 0, "the shape of `x`", "`x` 的形状"),
        (1, 0, "the shape of `x` without the first 1", "`x` 去掉前 1 维后的形状"),
        (0, 2, "the shape of `x` without the last 2", "`x` 去掉后 2 维后的形状"),
        (1, 2, "the shape of `x` without the first 1 and the last 2", "`x` 去掉前 1 维和后 2 维后的形状"),
    ],
)
def test_runs_of_dims(axis: int, tail: int, en: str, zh: str) -> None:
    run = ParamQuery(DIMS, SPAN, Query.DIMS, "x", axis, tail)
    rows = Ref(DIMS, SPAN, RefKind.REST, "ROWS")

    assert say(Compare(BOOL, SPAN, "==", run, rows), "en", Names()) == f"{en} equals `ROWS`"
    assert say(Compare(BOOL, SPAN, "==", run, rows), "zh", Names()) == f"{zh}等于 `ROWS`"
    assert say(Call(BOOL, SPAN, "starts_with", (run, rows)), "en", Names()) == f"{en} begins with `ROWS`"
    assert say(Call(BOOL, SPAN, "ends_with", (run, rows)), "zh", Names()) == f"{zh}以 `ROWS` 结尾"


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("为3时", "为 3 时"),
        ("`x`为true", "`x` 为 true"),
        ("为，3", "为，3"),
        ("（3）时", "（3）时"),
        ("已 有", "已 有"),
        ("plain 3", "plain 3"),
    ],
)
def test_spaces_between_scripts(text: str, out: str) -> None:
    assert spaced(text) == out
