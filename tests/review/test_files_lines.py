"""Two texts beside each other: rows, marked words, hunks, and pieces of long lines."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsfa_codegen.review.files.model import Hunk, Row, Side
from qsfa_codegen.review.files.pieces import LONG, head, pieces, unified
from qsfa_codegen.review.files.rows import CONTEXT, side_by_side, windows
from qsfa_codegen.review.files.sequences import opcodes
from qsfa_codegen.review.files.words import compared

LINES = st.lists(
    st.sampled_from(["a = 1;", "a = 2;", "f(x, y);", "f(x, y, z) &&", "}", "", "中文 的 text", "    g(1)"]),
    max_size=14,
)


def marked(line: str, marks: tuple[tuple[int, int], ...]) -> list[str]:
    return [line[start:end] for start, end in marks]


@settings(max_examples=150, deadline=None)
@given(LINES, LINES)
def test_rows_are_both_texts(old: list[str], new: list[str]) -> None:
    rows = side_by_side(old, new)
    left = [row.old for row in rows if row.old is not None]
    right = [row.new for row in rows if row.new is not None]
    assert [(side.number, side.text) for side in left] == list(enumerate(old, 1))
    assert [(side.number, side.text) for side in right] == list(enumerate(new, 1))
    for side in (*left, *right):
        ends = [at for mark in side.marks for at in mark]
        assert ends == sorted(ends)
        assert all(0 <= at <= len(side.text) for at in ends)


@settings(max_examples=150, deadline=None)
@given(LINES, LINES)
def test_windows_hold_every_change_and_what_is_around_it(old: list[str], new: list[str]) -> None:
    rows = side_by_side(old, new)
    shown = [at for window in windows(rows) for at in window]
    assert shown == sorted(set(shown))
    near = {
        other
        for at, row in enumerate(rows)
        if row.changed
        for other in range(max(0, at - CONTEXT), min(len(rows), at + CONTEXT + 1))
    }
    assert set(shown) == near


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"],
            ["a", "B", "c", "d", "e", "f", "g", "h", "i", "J", "k"],
        ),
        (["only"], ["only", "more"]),
        (["x = 1;", "y = 2;", "z = 3;"], ["w = 0;", "x = 2;", "z = 3;"]),
    ],
)
def test_hunks_are_a_patch_that_git_applies(old: list[str], new: list[str], tmp_path: Path) -> None:
    rows = side_by_side(old, new)
    hunks = [Hunk(rows[window.start : window.stop]) for window in windows(rows)]
    lines = ["--- a/file", "+++ b/file"]
    for hunk in hunks:
        lines += [head(hunk), *(f"{line.sign}{line.side.text}" for line in unified(hunk))]
    (tmp_path / "file").write_text("\n".join(old) + "\n", encoding="utf-8")
    (tmp_path / "patch").write_text("\n".join(lines) + "\n", encoding="utf-8")
    subprocess.run(["git", "apply", "patch"], cwd=tmp_path, check=True)
    assert (tmp_path / "file").read_text(encoding="utf-8") == "\n".join(new) + "\n"


@pytest.mark.parametrize(
    ("old", "new", "gone", "come"),
    [
        ("max: 1024", "max: 512", ["1024"], ["512"]),
        ("return A() && B();", "return A() && C() && B();", [], ["&& C()"]),
        ("f(a, b, c);", "f(a, c);", ["b,"], []),
        ("每个缓存块的 token 数", "每个缓存页的 token 数", ["块"], ["页"]),
    ],
)
def test_words_that_differ_are_marked(old: str, new: str, gone: list[str], come: list[str]) -> None:
    words = compared([old], [new])
    assert words.pairs == ((0, 0),)
    assert marked(old, words.old[0]) == gone
    assert marked(new, words.new[0]) == come


def test_a_list_filled_anew_shows_what_was_put_in() -> None:
    old = ["    return A() && B() && C() &&", "        D() && E();"]
    new = ["    return A() && X() && B() &&", "        C() && D() && E();"]
    words = compared(old, new)
    assert [marked(line, marks) for line, marks in zip(old, words.old, strict=True)] == [[], []]
    (put_in,) = [text for line, marks in zip(new, words.new, strict=True) for text in marked(line, marks)]
    assert re.sub(r"\W", "", put_in) == "X"


def test_lines_that_have_nothing_in_common_are_no_pair() -> None:
    words = compared(["int a = first(one);"], ["return;"])
    assert words.pairs == ()
    assert words.old == words.new == ((),)


def test_a_name_that_changed_keeps_its_place() -> None:
    words = compared(["    sparse_indices: Tensor"], ["    topk_indices: Tensor"])
    assert words.pairs == ((0, 0),)
    assert words.old == (((4, 18),),)


def test_very_many_words_are_compared_line_by_line() -> None:
    def line(at: int, value: str) -> str:
        return f"case {at:04} " + "a, " * 60 + f"{value}, " + "b, " * 60

    old = [line(at, "old") for at in range(0, 100, 2)]
    new = [line(at, "new") for at in range(100)]
    words = compared(old, new)
    assert words.pairs == tuple((at, 2 * at) for at in range(50))
    assert {tuple(marked(text, marks)) for text, marks in zip(old, words.old, strict=True)} == {("old",)}
    assert {tuple(marked(new[other], words.new[other])) for _, other in words.pairs} == {("new",)}


def test_lines_that_differ_in_a_number_stand_beside_each_other() -> None:
    old = [f"constexpr size_t {name} = {at};" for at, name in enumerate("ABCD")]
    new = [f"constexpr size_t {name} = {at};" for at, name in enumerate("AXBCD")]
    found = [(row.old and row.old.text, row.new and row.new.text) for row in side_by_side(old, new)]
    assert found == [(old[0], new[0]), (None, new[1]), *zip(old[1:], new[2:], strict=True)]


def test_many_lines_take_no_long() -> None:
    old = [f"line {at} of {at % 7}" for at in range(30_000)]
    rows = side_by_side(old, old[::-1])
    assert sum(row.old is not None for row in rows) == sum(row.new is not None for row in rows) == 30_000


def test_many_equal_lines_take_no_long() -> None:
    old = ["    }"] * 9_000 + ["one"]
    new = ["first", *["    }"] * 9_000]
    rows = side_by_side(old, new)
    assert sum(row.old is not None for row in rows) == sum(row.new is not None for row in rows) == 9_001
    assert len(compared(["x, " * 2_900], ["y" + ", x" * 2_900]).old) == 1


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12))
def test_opcodes_make_one_of_the_other(old: list[str], new: list[str]) -> None:
    made: list[str] = []
    at = 0
    for what, i, i_end, j, j_end in opcodes(old, new):
        assert (at, len(made)) == (i, j)
        if what == "equal":
            assert old[i:i_end] == new[j:j_end]
        made += new[j:j_end]
        at = i_end
    assert (made, at) == (new, len(old))


@given(st.text("ab ", max_size=900), st.lists(st.integers(0, 900), max_size=12).map(sorted))
def test_pieces_are_the_whole_line(text: str, ends: list[int]) -> None:
    spans = zip(ends[::2], ends[1::2], strict=False)
    marks = tuple((start, end) for start, end in spans if start < end <= len(text))
    marks = tuple(mark for at, mark in enumerate(marks) if at == 0 or marks[at - 1][1] < mark[0])
    found = pieces(Side(1, text, marks))
    assert [piece.start for piece in found] == [0, *(piece.end for piece in found)][: len(found)]
    assert (found[-1].end if found else 0) == len(text)
    if len(text) <= LONG:
        assert {(piece.start, piece.end) for piece in found if piece.marked} == set(marks)
        assert not any(piece.left_out for piece in found)
    for start, _ in marks:  # wherever something differs, that is shown
        assert any(piece.marked and piece.start == start for piece in found)


def test_of_a_long_line_what_differs_is_shown() -> None:
    text = "a " * 500 + "here" + " b" * 500
    found = pieces(Side(1, text, ((1000, 1004),)))
    assert [text[piece.start : piece.end] for piece in found if piece.marked] == ["here"]
    assert sum(piece.end - piece.start for piece in found if not piece.left_out) < LONG
    assert [piece.left_out for piece in found].count(True) == 2


def test_signs_in_order() -> None:
    rows = (Row(Side(1, "a"), Side(1, "a")), Row(Side(2, "b"), Side(2, "B")), Row(Side(3, "c"), Side(3, "C")))
    shown = [f"{line.sign}{line.side.text}" for line in unified(Hunk(rows))]
    assert shown == [" a", "-b", "-c", "+B", "+C"]
