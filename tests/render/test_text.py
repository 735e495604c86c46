"""No text from a spec can end the literal or the comment it stands in."""

from __future__ import annotations

import ast
import html
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsfa_codegen.render import text

NASTY = [
    "",
    "plain",
    'say "hi" \\',
    "ends with a backslash \\",
    "trigraph ??/",
    "??=??(??)??'??<??>??!??-",
    "???/",
    "*/ int x; /*",
    "// line\nint y;",
    "a\r\nb\u2028c\u2029d\x0be\x0cf\x85g",
    "octal \x011 \x7f7",
    "per %s cent %d 100%",
    "${VAR} @VAR@ $ENV{HOME} ;a;b",
    "]] ]=] #[[ ",
    "| a | b |",
    "<script>alert(1)</script> &amp; &lt;",
    "bidi \u202e evil \u2066 x",
    "中文，√ é 𝔘",
    "`code` and ``two ` ticks`` and a lone `",
    "tab\tend",
    '"""',
    "# heading",
    "1. one",
    "- item",
]
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
LINE_ENDS = re.compile(r"[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


@pytest.fixture(scope="module")
def samples() -> list[str]:
    """Hand-picked texts and some thousand drawn ones, for checks that start a compiler once."""
    drawn: list[str] = []

    @settings(max_examples=150, database=None, derandomize=True)
    @given(ANY_TEXT)
    def draw(sample: str) -> None:
        drawn.append(sample)

    draw()
    return NASTY + drawn


def compile_and_run(folder: Path, source: str) -> bytes:
    (folder / "t.cpp").write_text(source, encoding="utf-8")
    for standard in ("c++17", "gnu++17"):
        command = ["g++", f"-std={standard}", "-trigraphs", "-Wall", "-Werror", "-o", "t", "t.cpp"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return subprocess.run([str(folder / "t")], check=True, capture_output=True).stdout


def test_cpp_string_has_the_bytes_of_the_text(samples: list[str], tmp_path: Path) -> None:
    literals = ",\n".join(f"{{{text.cpp_string(s)}, sizeof({text.cpp_string(s)}) - 1}}" for s in samples)
    source = (
        "#include <cstdio>\n#include <cstddef>\nstruct S { const char *t; size_t n; };\n"
        f"const S ALL[] = {{{literals}}};\n"
        "int main() { for (const S &s : ALL) { std::fwrite(s.t, 1, s.n, stdout); std::putchar(0xff); } }\n"
    )
    expected = b"".join(s.encode() + b"\xff" for s in samples)
    assert compile_and_run(tmp_path, source) == expected


def test_cpp_format_string_prints_as_the_text(samples: list[str], tmp_path: Path) -> None:
    printable = [s for s in samples if "\0" not in s]
    calls = "".join(f"    std::printf({text.cpp_format_string(s + chr(10))});\n" for s in printable)
    output = compile_and_run(tmp_path, f"#include <cstdio>\nint main()\n{{\n{calls}}}\n")
    assert output == b"".join(s.encode() + b"\n" for s in printable)


def test_cpp_comments_end_where_they_should(samples: list[str], tmp_path: Path) -> None:
    lines = "".join(
        f"// {text.cpp_comment(s)}\nALIVE({2 * i})\n/* {text.cpp_comment(s)} */\nALIVE({2 * i + 1})\n"
        for i, s in enumerate(samples)
    )
    source = (
        "#include <cstdio>\n#define ALIVE(n) count += (count == n);\n"
        f'int main()\n{{\nint count = 0;\n{lines}std::printf("%d", count);\n}}\n'
    )
    assert compile_and_run(tmp_path, source) == str(2 * len(samples)).encode()


@given(ANY_TEXT)
def test_one_line_is_one_line(sample: str) -> None:
    for line in (text.one_line(sample), text.cpp_comment(sample), text.cmake_comment(sample)):
        assert not LINE_ENDS.search(line)
        assert len(line.splitlines()) <= 1


@given(ANY_TEXT)
def test_python_string_evaluates_to_the_text(sample: str) -> None:
    assert ast.literal_eval(text.python_string(sample)) == sample


def test_invisible_characters_never_reach_a_literal() -> None:
    assert text.cpp_string("a\u202eb") == r'"a\342\200\256b"'
    assert text.python_string("a\u202eb") == r'"a\u202eb"'


def test_cmake_string_is_the_text(samples: list[str], tmp_path: Path) -> None:
    usable = [s.replace("\0", "") for s in samples]
    lines = [
        f"file(APPEND out {text.cmake_string(s + chr(10))})\n# {text.cmake_comment(s)}\n" for s in usable
    ]
    (tmp_path / "t.cmake").write_text("".join(lines), encoding="utf-8", newline="")
    subprocess.run(["cmake", "-P", "t.cmake"], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "out").read_bytes() == b"".join(s.encode() + b"\n" for s in usable)


def cells(row: str) -> list[str]:
    return re.split(r"(?<!\\)\|", row)


@given(ANY_TEXT)
def test_a_markdown_cell_stays_one_cell(sample: str) -> None:
    cell = text.markdown_cell(sample)
    assert len(cells(f"| {cell} | end |")) == 4
    assert not LINE_ENDS.search(cell)


@given(ANY_TEXT)
def test_markdown_text_has_no_live_html(sample: str) -> None:
    outside_code = re.sub(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", "", text.markdown_text(sample))
    assert "<" not in outside_code
    assert "&" not in re.sub(r"&(?:amp|lt|gt);", "", outside_code)


def test_markdown_text_keeps_code_and_escapes_the_rest() -> None:
    given_text = "index * `a_b*c` is < KV_S, see _this_ [x](y)"
    expected = r"index \* `a_b*c` is &lt; KV_S, see \_this\_ \[x\](y)"
    assert text.markdown_text(given_text) == expected
    assert html.unescape(expected).replace("\\", "") == given_text


@pytest.mark.parametrize(
    ("sample", "expected"),
    [("# a", r"\# a"), ("- a", r"\- a"), ("> a", "&gt; a"), ("1. a", r"1\. a"), ("2) a", r"2\) a")],
)
def test_markdown_text_starts_no_block(sample: str, expected: str) -> None:
    assert text.markdown_text(sample) == expected


@given(st.text("`a ", max_size=12))
def test_markdown_code_is_one_code_span(sample: str) -> None:
    span = text.markdown_code(sample)
    fence = re.match(r"`+", span)
    assert fence is not None
    inside = span[len(fence[0]) : -len(fence[0])]
    assert fence[0] not in re.findall(r"`+", inside)
    assert inside.strip() == text.one_line(sample)


def test_markdown_block_outlasts_fences_inside() -> None:
    assert text.markdown_block("a\n```\nb\n", "c") == "````c\na\n```\nb\n````"


def test_wrap_call_breaks_at_the_limit_and_hangs_by_four() -> None:
    args = [f"argument{i:02}" for i in range(20)]
    lines = text.wrap_call("Call(", args, ");", indent=8).split("\n")
    assert len(lines) > 1
    assert all(len(line) <= text.LINE_LIMIT for line in lines)
    assert len(" " * 8 + lines[0]) <= text.LINE_LIMIT
    assert all(line.startswith(" " * 12) and line[12] != " " for line in lines[1:])
    assert " ".join(line.strip() for line in lines) == f"Call({', '.join(args)});"


def test_wrap_call_keeps_short_calls_on_one_line() -> None:
    assert text.wrap_call("f(", ["a", "b"], ")") == "f(a, b)"
    assert text.wrap_call("f(", [], ")") == "f()"


@given(ANY_TEXT, st.integers(10, 60))
def test_wrap_words_loses_nothing(sample: str, width: int) -> None:
    lines = text.wrap_words(sample, width)
    assert " ".join(lines) == text.one_line(sample)
    assert all(len(line) <= width or " " not in line for line in lines)


@pytest.mark.parametrize("length", range(80, 110))
@pytest.mark.parametrize("args", [[], ["value"]])
def test_a_message_of_any_length_stays_inside_the_line(length: int, args: list[str]) -> None:
    message = "a " * (length // 2) + "b" * (length % 2 + 1)
    call = " " * 8 + text.call_with_format("return Reject(INVALID, ", message, args, 8)
    assert max(map(len, call.splitlines())) <= text.LINE_LIMIT
    assert re.sub(r'"\s+"', "", call).count(message) == 1
