"""Reading YAML: values and places of what is right, one located error for each thing that is wrong."""

from __future__ import annotations

import math
import os
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsfa_codegen.diagnostics import Diagnostic, Sink, Span
from qsfa_codegen.spec import reader
from qsfa_codegen.spec.reader import Mapping, Node, Scalar, Sequence, read, read_text, to_plain
from qsfa_codegen.spec.source_text import MAX_BYTES

SPECS = Path(__file__).parents[2] / "spec"
REAL = (SPECS / "rms_norm_dynamic_quant.yaml").read_text(encoding="utf-8")
LIBYAML = reader._C_PARSER
Place = tuple[str, int, int]


def parsed(text: str | bytes) -> tuple[Node | None, list[Diagnostic]]:
    sink = Sink()
    return read_text(text, "s.yaml", sink), list(sink)


def found(text: str | bytes) -> list[Place]:
    places = []
    for diagnostic in parsed(text)[1]:
        assert diagnostic.span is not None
        places.append((diagnostic.code, diagnostic.span.line, diagnostic.span.column))
    return places


def plain(text: str) -> Any:
    node, problems = parsed(text)
    assert node is not None
    assert not problems
    return to_plain(node)


@pytest.fixture(params=["libyaml", "python"])
def _either_parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "python":
        monkeypatch.setattr(reader, "_C_PARSER", None)
    else:
        assert reader._C_PARSER is not None


pytestmark = pytest.mark.usefixtures("_either_parser")


class TestValues:
    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("1", 1),
            ("-7", -7),
            ("+7", 7),
            ("0", 0),
            ("0x1F", 31),
            ("0o17", 15),
            ("9223372036854775807", 2**63 - 1),
            ("-9223372036854775808", -(2**63)),
            ("1e-6", 1e-6),
            ("1.", 1.0),
            (".5", 0.5),
            ("-2.5E+3", -2500.0),
            ("1e5", 1e5),
            (".inf", math.inf),
            ("-.INF", -math.inf),
            ("true", True),
            ("False", False),
            ("null", None),
            ("~", None),
            ("", None),
        ],
    )
    def test_core_schema(self, text: str, value: object) -> None:
        result = plain(f"a: {text}")["a"]
        assert result == value
        assert type(result) is type(value)

    @pytest.mark.parametrize(
        "text",
        [
            *("off", "yes", "No", "on", "010", "-007", "16:32", "1_000", "0b1", "0X1F", "-0x1", "2026-01-01"),
            *(
                "1.2.3",
                "+.nan",
                "tRue",
                "nUll",
                ".",
                "-.",
                "e5",
                "=",
                "x + 1",
                "min(a, b)",
                "a == b",
                "x // 2",
            ),
        ],
    )
    def test_texts(self, text: str) -> None:
        assert plain(f"a: {text}") == {"a": text}

    def test_not_a_number(self) -> None:
        assert math.isnan(plain("a: .nan")["a"])

    @pytest.mark.parametrize("text", ["'1'", '"1"', "|-\n  1", ">-\n  1"])
    def test_quoted_and_block_scalars_are_texts(self, text: str) -> None:
        node, _ = parsed(f"a: {text}")
        assert isinstance(node, Mapping)
        leaf = node.get("a")
        assert isinstance(leaf, Scalar)
        assert (leaf.value, leaf.text, leaf.quoted) == ("1", "1", True)

    def test_bool_and_int_keys_are_their_spelling(self) -> None:
        assert plain("of: {true: x, 1: y, 0x10: z}") == {"of": {"true": "x", "1": "y", "0x10": "z"}}

    def test_order_is_kept(self) -> None:
        assert list(plain("{z: 1, a: 2, m: 3}")) == ["z", "a", "m"]

    @pytest.mark.parametrize(
        "text", ["a: 1\r\nb: 2\r\n", "a: 1\rb: 2\r", "a: 1\nb: 2", "---\na: 1\nb: 2\n...\n"]
    )
    def test_line_ends_and_markers(self, text: str) -> None:
        assert plain(text) == {"a": 1, "b": 2}


class TestTree:
    def test_places(self) -> None:
        node, _ = parsed("a: {键: [1, two]}\nbb:\n  - x y\n  - |\n    t\nc:\n")
        assert isinstance(node, Mapping)
        assert node.span == Span("s.yaml", 1, 1, 6, 2)
        a, bb, c = node.entries
        assert (a.key_span, a.value.span) == (Span("s.yaml", 1, 1, 1, 2), Span("s.yaml", 1, 4, 1, 17))
        assert isinstance(a.value, Mapping)
        inner = a.value.entry("键")
        assert inner is not None
        assert inner.key_span == Span("s.yaml", 1, 5, 1, 6)
        assert isinstance(inner.value, Sequence)
        assert [item.span for item in inner.value.items] == [
            Span("s.yaml", 1, 9, 1, 10),
            Span("s.yaml", 1, 12, 1, 15),
        ]
        assert bb.key_span == Span("s.yaml", 2, 1, 2, 3)
        assert isinstance(bb.value, Sequence)
        assert bb.value.items[0].span == Span("s.yaml", 3, 5, 3, 8)
        assert bb.value.items[1].span.line == 4
        assert c.value.span == Span("s.yaml", 6, 2, 6, 2)

    def test_columns_count_characters_not_bytes(self) -> None:
        node, _ = parsed('{a: "中文😀", b: 1}')
        assert isinstance(node, Mapping)
        assert node.entries[1].key_span == Span("s.yaml", 1, 12, 1, 13)

    def test_access(self) -> None:
        node, _ = parsed("{a: 1, b: 2}")
        assert isinstance(node, Mapping)
        assert node.keys() == ("a", "b")
        assert node.get("x") is None
        assert node.entry("x") is None
        assert "a" in node
        assert [entry.key for entry in node] == ["a", "b"]
        assert isinstance(parsed("{}")[0], Mapping)


BROKEN: dict[str, tuple[str | bytes, list[Place]]] = {
    "too large": (b"#" * (MAX_BYTES + 1), [("QS101", 1, 1)]),
    "too large as text": ("é" * (MAX_BYTES // 2 + 1), [("QS101", 1, 1)]),
    "latin 1": (b"a: 1\nb: caf\xe9 au lait\n", [("QS102", 2, 7)]),
    "cut utf-8": ("a: 中".encode()[:-1], [("QS102", 1, 4)]),
    "overlong utf-8": (b"a: \xc0\x80", [("QS102", 1, 4)]),
    "utf-16 little": ("a: 1".encode("utf-16"), [("QS102", 1, 1)]),
    "utf-16 big": (b"\xfe\xff\x00a", [("QS102", 1, 1)]),
    "utf-16 without mark": ("a: 1".encode("utf-16-le"), [("QS104", 1, 2)]),
    "byte-order mark": ("\ufeffa: 1", [("QS103", 1, 1)]),
    "byte-order mark inside": ("a: \ufeff1", [("QS104", 1, 4)]),
    "nul": ("a: 1\nb: \x00", [("QS104", 2, 4)]),
    "escape": ("a: \x1b[31m", [("QS104", 1, 4)]),
    "next line": ("a: b\x85c: d", [("QS104", 1, 5)]),
    "line separator": ("a: b\u2028c", [("QS104", 1, 5)]),
    "direction override": ("a: 'x\u202e'", [("QS104", 1, 6)]),
    "surrogate": ("a: \ud800", [("QS104", 1, 4)]),
    "control escape": ('a: "x\\0"', [("QS104", 1, 4)]),
    "surrogate escape": ('a: "\\ud800"', [("QS104", 1, 4)]),
    "escape out of Unicode": ('a: "\\U00110000"', [("QS105", 1, 7)]),
    "unknown escape": ('a: "\\q"', [("QS105", 1, 6)]),
    "open braces": ("a: {b: 1", [("QS105", 1, 9)]),
    "open brackets": ("a: [1, 2\nb: 3", [("QS105", 2, 2)]),
    "open quotes": ('a: "x\nb: 1', [("QS105", 1, 4)]),
    "brackets in braces": ("a: {x: n[1]}", [("QS105", 1, 9)]),
    "two colons": ("a: b: c", [("QS105", 1, 5)]),
    "no colon": ("a: 1\nb\nc: 2", [("QS105", 2, 1)]),
    "bad indentation": ("a:\n    b: 1\n  c: 2", [("QS105", 3, 3)]),
    "list item beside key": ("a: 1\n- b", [("QS105", 2, 1)]),
    "at sign": ("a: @b", [("QS105", 1, 4)]),
    "backtick": ("a: `b`", [("QS105", 1, 4)]),
    "question mark in braces": ("a: {b: c?}", [("QS105", 1, 9)]),
    "question mark in brackets": ("a: [b? c]", [("QS105", 1, 6)]),
    "empty": ("", [("QS106", 1, 1)]),
    "only a comment": ("# nothing\n\n", [("QS106", 1, 1)]),
    "null": ("null", [("QS106", 1, 1)]),
    "marker only": ("---\n", [("QS106", 2, 1)]),
    "two documents": ("a: 1\n---\nb: 2", [("QS107", 2, 1)]),
    "list": ("- a\n- b", [("QS108", 1, 1)]),
    "text": ("  hello", [("QS108", 1, 3)]),
    "deep brackets": ("[" * 100_000, [("QS109", 1, 65)]),
    "deep braces": ("{a: " * 70, [("QS109", 1, 254)]),
    "deep question marks": ("? " * 3000, [("QS109", 1, 129)]),
    "deep list": ("- " * 3000, [("QS109", 1, 129)]),
    "many values": ("- a\n" * 60_000, [("QS110", 50_000, 3)]),
    "python tag": ("a: !!python/object/apply:os.system [x]", [("QS111", 1, 4)]),
    "own tag": ("a: !foo b", [("QS111", 1, 4)]),
    "core tag": ("a: !!str 1", [("QS111", 1, 4)]),
    "bang": ("a: ! 1", [("QS111", 1, 4)]),
    "tag on a key": ("!!str a: 1", [("QS111", 1, 1)]),
    "undefined tag handle": ("a: !x!y z", [("QS111", 1, 4)]),
    "anchor": ("a: &x 1", [("QS112", 1, 4)]),
    "alias": ("a: *x", [("QS112", 1, 4)]),
    "alias bomb": (
        "a: &a [x]\nb: &b [*a, *a]\nc: [*b]",
        [("QS112", 1, 4), ("QS112", 2, 4), ("QS112", 2, 8), ("QS112", 2, 12), ("QS112", 3, 5)],
    ),
    "recursive alias": ("a: &x [*x]", [("QS112", 1, 4), ("QS112", 1, 8)]),
    "merge key": ("a: {<<: {b: 1}}", [("QS113", 1, 5)]),
    "duplicate": ("a: 1\nb: 2\na: 3", [("QS114", 3, 1)]),
    "duplicate in braces": ("x: {a: 1, b: 2, a: 3, a: 4}", [("QS114", 1, 17), ("QS114", 1, 23)]),
    "duplicate by spelling": ('x: {true: 1, "true": 2}', [("QS114", 1, 14)]),
    "null key": ("~: 1", [("QS115", 1, 1)]),
    "missing key": ("?\n: 1", [("QS115", 1, 2)]),
    "missing key in braces": ("a: {: 1}", [("QS105", 1, 5)]),
    "missing block key": (": 1", [("QS105", 1, 1)]),
    "float key": ("a: {1.5: x}", [("QS115", 1, 5)]),
    "list key": ("{[a]: 1}", [("QS115", 1, 2)]),
    "mapping key": ("? {a: 1}\n: 2", [("QS115", 1, 3)]),
    "cut expression": ("a: {value: min(a, b)}", [("QS116", 1, 12)]),
    "cut expression twice": ("a: {v: f(a, b, c), w: g(1, 2)}", [("QS116", 1, 8), ("QS116", 1, 23)]),
    "cut text": ("a: {en: first, second, zh: x}", [("QS116", 1, 9)]),
    "cut item": ("a: [x, max(a, b), y]", [("QS116", 1, 8)]),
    "cut equal arguments": ("a: {v: f(a, a, a)}", [("QS116", 1, 8)]),
    "integer out of range": ("a: 9223372036854775808", [("QS117", 1, 4)]),
    "negative out of range": ("a: -9223372036854775809", [("QS117", 1, 4)]),
    "hexadecimal out of range": ("a: 0x10000000000000000", [("QS117", 1, 4)]),
    "endless integer": ("a: " + "9" * 10_000, [("QS117", 1, 4)]),
    "float out of range": ("a: -1e999", [("QS117", 1, 4)]),
    "yaml directive": ("%YAML 1.1\n---\na: 1", [("QS118", 1, 1)]),
    "yaml 2 directive": ("%YAML 2.0\n---\na: 1", [("QS118", 1, 1)]),
    "tag directive": ("%TAG ! tag:x,2000:\n---\na: 1", [("QS118", 1, 1)]),
    "tab indents": ("a:\n\tb: 1", [("QS119", 2, 1)]),
    "tab before value": ("a:\tb", [("QS119", 1, 3)]),
    "tab in braces": ("{a: 1,\tb: 2}", [("QS119", 1, 7)]),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken(case: str) -> None:
    text, places = BROKEN[case]
    assert found(text) == places


HOSTILE = {
    "calls that close at the end": "a: [f(" + "b," * 30_000 + ")]",
    "calls that never close": "a: [" + "f(," * 15_000 + "]",
    "keys without values": "a: {v: f(" + "b," * 20_000 + "c)}",
    "same key": "a: 1\n" * 8_000,
    "blanks": " " * 400_000 + "a: 1",
    "words": "a: " + "x " * 150_000,
    "quotes": "a: '" + "''" * 200_000,
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_text_ends_soon(case: str) -> None:
    start = time.process_time()
    parsed(HOSTILE[case])
    assert time.process_time() - start < 10  # a quadratic step would take minutes


def test_several_mistakes_in_one_run() -> None:
    text = "a: &x 1\nb: !t 2\nc: {v: f(1, 2)}\nb: 3\n1.5: 4\n"
    assert found(text) == [
        ("QS112", 1, 4),
        ("QS111", 2, 4),
        ("QS116", 3, 8),
        ("QS114", 4, 1),
        ("QS115", 5, 1),
    ]


class TestRecovery:
    def test_first_duplicate_stays_and_is_named(self) -> None:
        node, problems = parsed("a: 1\nb: 2\na: 3")
        assert node is not None
        assert to_plain(node) == {"a": 1, "b": 2}
        (related,) = problems[0].related
        assert (related.message, related.span) == ("first here", Span("s.yaml", 1, 1, 1, 2))

    def test_cut_expressions_are_whole_again(self) -> None:
        node, problems = parsed("a: {v: min(x, 2), w: [max(x, y), z]}")
        assert node is not None
        assert to_plain(node) == {"a": {"v": "min(x, 2)", "w": ["max(x, y)", "z"]}}
        assert [p.help for p in problems] == [
            'put it in quotes: "min(x, 2)"',
            'put it in quotes: "max(x, y)"',
        ]
        assert problems[0].span == Span("s.yaml", 1, 8, 1, 17)

    def test_parentheses_that_are_not_cut(self) -> None:
        assert plain("a: [f(x), (y), ':(', z)]") == {"a": ["f(x)", "(y)", ":(", "z)"]}
        assert plain('a: {v: "f(x, y)", w: f(x), z: null}') == {"a": {"v": "f(x, y)", "w": "f(x)", "z": None}}

    def test_a_tag_does_not_hide_the_value(self) -> None:
        node, _ = parsed("a: !!int x")
        assert node is not None
        assert to_plain(node) == {"a": "x"}

    def test_no_tree_with_an_alias(self) -> None:
        assert parsed("a: &x 1\nb: *x")[0] is None

    def test_where_brackets_open(self) -> None:
        (problem,) = parsed("k:\n  - {a: 1\n  - b")[1]
        assert [(r.message, r.span.line, r.span.column) for r in problem.related] == [("opened here", 2, 5)]


class TestFiles:
    def test_a_file(self, tmp_path: Path) -> None:
        path = tmp_path / "a.yaml"
        path.write_bytes(b"a: 1\n")
        sink = Sink()
        node = read(path, sink)
        assert node is not None
        assert node.span.file == path.as_posix()
        assert not len(sink)

    def _problem(self, path: Path | str) -> Diagnostic:
        sink = Sink()
        assert read(path, sink) is None
        (problem,) = sink
        assert problem.code == "QS100"
        assert problem.span is not None
        assert (problem.span.line, problem.span.column) == (1, 1)
        return problem

    def test_missing(self, tmp_path: Path) -> None:
        assert self._problem(tmp_path / "no.yaml").message.endswith(
            "cannot be read: no such file or directory"
        )

    def test_folder(self, tmp_path: Path) -> None:
        assert self._problem(tmp_path).message.endswith("is a folder, not a file")

    def test_unreadable(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "a.yaml"
        path.write_text("a: 1")

        def refuse(*_: object, **__: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("builtins.open", refuse)
        assert self._problem(path).message.endswith("cannot be read: permission denied")

    def test_pipe_does_not_block(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        assert self._problem(tmp_path / "pipe").message.endswith("is not a regular file")

    def test_nul_in_the_name(self) -> None:
        assert self._problem("a\0b").message.endswith("is not a file name")

    def test_name_too_long(self) -> None:
        self._problem("x" * 10_000)

    def test_huge_file_is_not_read_whole(self, tmp_path: Path) -> None:
        path = tmp_path / "huge.yaml"
        with path.open("wb") as file:
            file.truncate(1 << 40)
        sink = Sink()
        assert read(path, sink) is None
        assert [d.code for d in sink] == ["QS101"]


def _outcome(text: str | bytes, parser: Any) -> tuple[Node | None, list[Diagnostic]]:
    original = reader._C_PARSER
    reader._C_PARSER = parser
    try:
        return parsed(text)
    finally:
        reader._C_PARSER = original


def _check(text: str | bytes) -> None:
    """Nothing is raised, a missing tree has a reason, errors have places, and both parsers say the same."""
    node, problems = _outcome(text, LIBYAML)
    assert node is not None or problems
    for problem in problems:
        assert problem.span is not None
        assert problem.span.line >= 1
        assert problem.span.column >= 1
    again = _outcome(text, None)
    assert repr(again) == repr((node, problems))


FRAGMENTS = [
    *(
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        ": ",
        "\n",
        "  ",
        "- ",
        "? ",
        "#",
        " #",
        '"',
        "'",
        "|",
        ">",
        "|-\n",
        ">+2\n",
    ),
    *(
        "&a ",
        "*a",
        "!x ",
        "!!str ",
        "%YAML 1.1\n",
        "---\n",
        "...\n",
        "\t",
        "\\",
        "@",
        "`",
        "~",
        "null",
        "<<: ",
    ),
    *(
        "0",
        "1e5",
        ".inf",
        "é",
        "中",
        "😀",
        "\r",
        "\r\n",
        "\n\n",
        "a: |\n",
        "  - - ",
        "\\x41",
        "\\u12",
        "?",
        "\x00",
    ),
]


class TestHypothesis:
    @given(st.binary(max_size=200))
    @settings(max_examples=150, deadline=None)
    def test_arbitrary_bytes(self, data: bytes) -> None:
        _check(data)

    @given(st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join))
    @settings(max_examples=200, deadline=None)
    def test_yaml_soup(self, text: str) -> None:
        _check(text)

    @given(st.data())
    @settings(max_examples=120, deadline=None)
    def test_mutated_spec(self, data: st.DataObject) -> None:
        lines = REAL.splitlines(keepends=True)
        first = data.draw(st.integers(0, len(lines) - 1))
        text = "".join(lines[first : first + data.draw(st.integers(1, 12))])
        for _ in range(data.draw(st.integers(1, 3))):
            at = data.draw(st.integers(0, len(text)))
            cut = data.draw(st.integers(0, 4))
            text = text[:at] + data.draw(st.sampled_from(["", *FRAGMENTS])) + text[at + cut :]
        _check(text)


def test_real_specs_read_the_same_with_both_parsers() -> None:
    for path in sorted(SPECS.glob("*.yaml")):
        _check(path.read_bytes())
        assert parsed(path.read_bytes())[1] == []
