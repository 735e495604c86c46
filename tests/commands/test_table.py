"""Tables for people."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from qsfa_codegen.commands.table import render, wrap
from qsfa_codegen.diagnostic_formats import display_width


def test_columns_line_up() -> None:
    table = render(["name", "dtype"], [["x", "float16"], ["weight", "int8"]], None)
    assert table == (
        "name    dtype\n"
        "------  -------\n"
        "x       float16\n"
        "weight  int8\n"
    )  # fmt: skip


def test_wide_characters_count_twice() -> None:
    table = render(["名", "b"], [["张量", "1"], ["ab", "2"]], None)
    assert table == (
        "名    b\n"
        "----  -\n"
        "张量  1\n"
        "ab    2\n"
    )  # fmt: skip


def test_long_cells_go_on_below() -> None:
    table = render(["name", "meaning"], [["x", "the rows that are to be scaled"], ["y", "result"]], 24)
    assert table == (
        "name  meaning\n"
        "----  ------------------\n"
        "x     the rows that are\n"
        "      to be scaled\n"
        "y     result\n"
    )  # fmt: skip


def test_empty_columns_and_tables_are_left_out() -> None:
    assert render(["a", "b", "c"], [["1", "", "3"]], None) == "a  c\n-  -\n1  3\n"
    assert render(["a", "b"], [], None) == ""


def test_line_breaks_are_kept() -> None:
    assert render(["a", "b"], [["1\n2", "x"]], None) == "a  b\n-  -\n1  x\n2\n"


def test_chinese_is_broken_between_characters() -> None:
    assert list(wrap("待缩放的输入，按行处理", 8)) == ["待缩放的", "输入，按", "行处理"]
    assert list(wrap("待缩放的输入，按行处理", 12)) == ["待缩放的输", "入，按行处理"]


def test_a_word_longer_than_the_line_is_cut() -> None:
    assert list(wrap("abcdefgh ij", 3)) == ["abc", "def", "gh", "ij"]


_TEXT = st.text(st.sampled_from("ab 张，\n"), max_size=30)


@given(text=_TEXT, width=st.integers(2, 20))
def test_wrapping_loses_nothing_and_fits(text: str, width: int) -> None:
    lines = list(wrap(text, width))
    assert all(display_width(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(rows=st.lists(st.tuples(_TEXT, _TEXT, _TEXT), min_size=1, max_size=4), width=st.integers(45, 100))
def test_a_table_fits_the_width(rows: list[tuple[str, str, str]], width: int) -> None:
    assert all(display_width(line) <= width for line in render(["a", "b", "c"], rows, width).splitlines())
