"""What lines belong to, by the grammar and by how they look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from qsfa_codegen.review.files import scopes
from qsfa_codegen.review.files.grammar import grammar_scopes
from qsfa_codegen.review.files.model import Row, Side
from qsfa_codegen.review.files.scopes import guessed_scopes, scopes_in, scopes_of
from tests.cli_tools import ROOT

Reader = Callable[[Sequence[str]], Callable[[int], str]]

SOURCE = """\
#ifndef GUARD_H
#define GUARD_H
#define LAYOUT_TND 1

namespace optiling {
constexpr size_t ATTR_MODE = 4; // where it is
constexpr int64_t TILE = 128;
const std::vector<Call> ACCEPTED = {
    Call("one"),
};

enum class Layout : int64_t {
    BSND = 0,
};

struct Attributes {
    int64_t sparseMode{};
};

class Tiling {
public:
    bool CheckMode() const;
};

template <typename T>
T Rounded(T value)
{
    return value + 1;
}

bool Tiling::CheckMode() const
{
    if (true) {
        return false;
    }

    return true;
}

REG_OP(AddExample)
    .INPUT(x, TensorType::ALL())
    .OP_END_FACTORY_REG(AddExample)
} // namespace optiling
#endif
"""
EXPECTED = {
    "#define LAYOUT_TND 1": "macro LAYOUT_TND",
    "constexpr size_t ATTR_MODE = 4; // where it is": "constant ATTR_MODE",
    "constexpr int64_t TILE = 128;": "constant TILE",
    '    Call("one"),': "constant ACCEPTED",
    "    BSND = 0,": "enum Layout",
    "    int64_t sparseMode{};": "struct Attributes",
    "    bool CheckMode() const;": "class Tiling",
    "    return value + 1;": "Rounded()",
    "        return false;": "Tiling::CheckMode()",
    "    return true;": "Tiling::CheckMode()",
    "    .INPUT(x, TensorType::ALL())": "REG_OP(AddExample)",
}


@pytest.mark.parametrize("reader", [grammar_scopes, guessed_scopes])
@pytest.mark.parametrize("line", EXPECTED)
def test_a_line_of_cpp(line: str, reader: Reader) -> None:
    lines = SOURCE.split("\n")
    assert reader(lines)(lines.index(line) + 1) == EXPECTED[line]


def test_the_grammar_knows_methods_and_comments() -> None:
    lines = [
        "class A {",
        "    int B() const",
        "    {",
        "        return 1;",
        "    }",
        "};",
        "",
        "// What it does.",
        "void F();",
    ]
    scope = grammar_scopes(lines)
    assert [scope(number) for number in (1, 4, 8, 9)] == ["class A", "A::B()", "F()", "F()"]


def test_qualifiers_of_kernels_are_no_types() -> None:
    lines = [
        "class A {",
        "    __aicore__ inline Base<float> Get(uint32_t at) const",
        "    {",
        "        return base_[at];",
        "    }",
        "};",
        "__simd_vf__ inline void Add(__ubuf__ float *to, __gm__ float *from)",
        "{",
        "    to = from;",
        "}",
    ]
    scope = grammar_scopes(lines)
    assert [scope(number) for number in (4, 9)] == ["A::Get()", "Add()"]


def cpp_files() -> list[Path]:
    return sorted(path for path in (ROOT / "generated").rglob("*") if path.suffix in (".h", ".cpp"))


def test_both_agree_on_generated_files() -> None:
    """Two ways to tell; methods inside of classes are their class's where the grammar is not there."""
    found: Counter[str] = Counter()
    for path in cpp_files():
        lines = path.read_text(encoding="utf-8").split("\n")
        by_grammar, by_looks = grammar_scopes(lines), guessed_scopes(lines)
        for number, line in enumerate(lines, 1):
            if not line.startswith("    ") or not by_looks(number):
                continue
            kind, _, name = by_looks(number).partition(" ")
            inside = kind in ("class", "struct") and by_grammar(number).startswith(f"{name}::")
            # Members of a class template that are defined outside of it.
            inside = inside or (kind == "namespace" and by_grammar(number).startswith("Kernel<"))
            same = inside or by_grammar(number) == by_looks(number)
            assert same, f"{path}:{number}: {by_grammar(number)} or {by_looks(number)}"
            found[kind] += 1
    assert sum(found.values()) > 5000
    assert {"class", "struct", "enum", "constant"} <= set(found)


@pytest.mark.parametrize("number", [0, -1, 99])
def test_a_line_that_is_not_there(number: int) -> None:
    for reader in (grammar_scopes, guessed_scopes):
        assert reader(["void F()", "{", "}"])(number) == ""


@pytest.mark.parametrize("text", ["", "}}}}", "class {", "void f(", "#define", "\ud800", "((((" * 50])
def test_text_that_is_no_cpp(text: str) -> None:
    for reader in (grammar_scopes, guessed_scopes):
        assert isinstance(reader([text, "int x;"])(1), str)


def test_parts_of_a_python_module() -> None:
    lines = [
        "import a",
        "LIMIT = 1",
        "class A:",
        "    x = 2",
        "    @property",
        "    def y(self):",
        "        return 1",
    ]
    lines += ["def f(a,", "      b):", "    class B: pass", "    return a"]
    scope = scopes_in("a.py", lines)
    assert [scope(at) for at in (0, 1, 2, 4, 5, 7, 9, 11, 99)] == [
        "", "", "constant LIMIT", "class A", "A.y()", "A.y()", "f()", "f()", "",
    ]  # fmt: skip
    assert scopes_in("a.py", ["def f(:"])(1) == ""


def test_generated_python_is_read() -> None:
    found = 0
    for path in sorted((ROOT / "generated").rglob("*.py")):
        lines = path.read_text(encoding="utf-8").split("\n")
        scope = scopes_in(path.name, lines)
        for number, line in enumerate(lines, 1):
            if line.startswith("def "):
                assert scope(number) == f"{line[4:].partition('(')[0].partition('[')[0]}()"
                found += 1
    assert found > 20


def test_without_the_grammar_lines_are_told_by_their_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["class A {", "    int B() const", "    {", "        return 1;", "    }", "};"]
    assert scopes_in("a.h", lines)(4) == "A::B()"
    monkeypatch.setattr(scopes, "find_spec", lambda _: None)
    assert scopes_in("a.h", lines)(4) == "class A"


def test_sections_of_a_page() -> None:
    lines = ["# Title", "text", "```sh", "# no heading", "```", "## 参数 ##", "| x |"]
    scope = scopes_in("README.md", lines)
    assert [scope(at) for at in (2, 4, 7)] == ["Title", "Title", "参数"]


def test_keys_of_a_spec() -> None:
    lines = [
        "operator:",
        "  name: A",
        "inputs:",
        "  query:",
        "    dtype: q",
        "  key: {dtype: kv}",
        "- no key",
    ]
    scope = scopes_in("spec.yaml", lines)
    assert [scope(at) for at in (2, 5, 6)] == ["operator › name", "inputs › query", "inputs › key"]


def test_calls() -> None:
    scope = scopes_in("cases.jsonl", ['{"id": "one"}', "no json", "[1]"])
    assert [scope(at) for at in (1, 2, 3)] == ["case one", "", ""]


def test_a_hunk_names_each_scope_once_and_of_many_the_first() -> None:
    rows = [Row(None, Side(at, "x")) for at in (1, 2, 3, 4, 5, 6)]
    names = ["", "a", "a", "b", "c", "d", "e"]
    assert scopes_of(rows, str, lambda at: names[at]) == ("a", "b", "c", "2 more")
