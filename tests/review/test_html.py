"""The page as text: nothing of a spec becomes markup, nothing is loaded, everything is there."""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.review.changes import Impact
from qsfa_codegen.review.compare import Review
from qsfa_codegen.review.files.model import Row, Side
from qsfa_codegen.review.report.page import colours, page, view
from qsfa_codegen.review.report.page.cells import Version, table_rows
from qsfa_codegen.review.report.page.snippets import Texts
from tests.review.pairs import CURRENT, edited, files_review, review, specs
from tests.review.qsfa_edits import current, previous

HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>&amp;{{ 7*7 }}"
_VOID = {"meta", "input", "col", "br"}


class Reader(HTMLParser):
    """What a page is made of; fails where tags are not balanced."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open[-1:] not in (["script"], ["style"]):
            self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def values(self, name: str) -> list[str]:
        return [value for _, attribute, value in self.attributes if attribute == name]


@pytest.fixture(scope="module")
def attribute() -> Review:
    """An attribute was added in front of another."""
    return review(*specs("QD122"))


@pytest.fixture(scope="module")
def tight() -> Review:
    """A dim has fewer sizes, and a text is another."""
    before, after = specs("QD204")
    return review(before, edited(after, ("{en: Factor., zh", "{en: The factor., zh")))


@pytest.fixture(scope="module")
def read(attribute: Review) -> Reader:
    return Reader(page([attribute]))


def test_every_change_and_every_file_is_there(attribute: Review, read: Reader) -> None:
    for change in attribute.changes:
        assert change.code in read.text
        assert change.message in read.text
    assert attribute.files is not None
    for file in attribute.files.shown:
        assert file.path in read.text
        for hunk in file.hunks:
            assert all(scope in read.text for scope in hunk.scopes)
    assert "sink" not in read.text


def test_the_page_stands_alone(attribute: Review, read: Reader) -> None:
    text = page([attribute])
    assert not {"link", "img", "iframe", "object", "base"} & set(read.tags)
    assert read.values("src") == []
    assert all(link.startswith("#") for link in read.values("href"))
    assert "url(" not in text
    assert "@import" not in text
    assert not any(name.startswith("on") or name == "style" for _, name, _ in read.attributes)
    ids = read.values("id")
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in read.values("href")} <= set(ids)


def test_only_the_own_script_runs(attribute: Review) -> None:
    text = page([attribute])
    assert (text.count("<script"), text.count("<style")) == (1, 1)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    policy = policy.replace("&#39;", "'")
    assert policy.startswith("default-src 'none';")
    for kind in ("script", "style"):
        (inner,) = re.findall(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
        digest = b64encode(sha256(inner.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_nothing_of_a_spec_becomes_markup() -> None:
    before, after = specs("QD122")
    spec = edited(after, ("{en: Depth., zh", f"{{en: '{HOSTILE}', zh"))
    found = review(before, spec, name=f'"><{HOSTILE}.yaml', base=HOSTILE)
    read = Reader(page([replace(found, name=HOSTILE)]))
    assert read.tags["script"] == 1
    assert "img" not in read.tags
    assert not any(name.startswith("on") for _, name, _ in read.attributes)
    assert read.text.count(HOSTILE) > 4  # in the summary, the snippet, the spec and the files


def test_a_page_says_when_nothing_changed() -> None:
    read = Reader(page([Review("scale_rows", CURRENT, "HEAD", ())]))
    assert "Nothing changed" in read.text
    assert "scale_rows: no change since HEAD" in read.text
    assert "item change" not in read.values("class")


def test_a_page_without_reviews() -> None:
    assert "Nothing changed" in Reader(page([])).text


def test_classes_in_the_order_of_gravity(tight: Review) -> None:
    read = Reader(page([tight]))
    kinds = list(dict.fromkeys(read.values("data-kind")))
    assert kinds == [view.CLASSES[impact] for impact in (Impact.CALLERS, Impact.DOCS)]
    assert "D is from 1 to 512" in read.text or "D is at most 512" in read.text
    assert "rejected: D is " in read.text


def test_large_diffs_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "_MOST_ROWS_OF_A_FILE", 20)
    monkeypatch.setattr(view, "_MOST_ROWS", 60)
    text = page([files_review(previous("rename_an_input"), current("rename_an_input"))])
    rows = re.findall(r'<tr class="(?:same|changed|added|removed|quiet)">', text)
    assert len(rows) == 60
    (more, *_) = re.findall(r"(\d+) more lines are not shown", text)
    assert int(more) > 0


def test_one_page_for_several_operators(attribute: Review) -> None:
    read = Reader(page([attribute, replace(attribute, name="other")]))
    ids = read.values("id")
    assert len(ids) == len(set(ids))
    assert "Review of operator specs" in read.text


# --------------------------------------------------------------------------- colours and cells


def test_colours_keep_the_text() -> None:
    lines = ["// a <b> & c", 'constexpr int64_t X = 1; // "q"', "    return f(x);", "\ttab", ""]
    rows = [Row(Side(at, line), Side(at, line)) for at, line in enumerate(lines, 1)]
    for row, line in zip(table_rows(rows, Version("a.cpp"), Version("a.cpp")), lines, strict=True):
        assert Reader(str(row.old.code)).text == line


@pytest.mark.parametrize(
    ("path", "line", "kind", "word"),
    [
        ("a.cpp", "constexpr int64_t X = 1;", "k", "constexpr"),
        ("a.h", "constexpr int64_t X = 1;", "t", "int64_t"),
        ("a.yaml", "max: 512", "k", "max"),
        ("a.md", "# Title", "k", "# Title"),
        ("CMakeLists.txt", "# comment", "c", "# comment"),
        ("a.jsonl", '{"id": "one"}', "s", '"one"'),
        ("a.py", "def f(): pass", "k", "def"),
    ],
)
def test_words_have_colours(path: str, line: str, kind: str, word: str) -> None:
    (words,) = colours.coloured(path, [line])
    assert (kind, word) in {(found.kind, line[found.start : found.end].strip()) for found in words}


@pytest.mark.parametrize(
    ("path", "above", "line", "kinds"),
    [
        ("a.h", ["/* one", " two"], " return;", {"c"}),
        ("a.h", ["/* one */"], "return;", {"k"}),
        ("a.h", ["/* one", "*/ int x;"], "return;", {"k"}),
        ("a.py", ['"""Text', "more"], "return", {"s"}),
        ("a.py", ['"""Text."""'], "return", {"k"}),
        ("a.md", ["```cpp"], "return 1;", {"k", "n"}),
        ("a.md", ["```cpp", "```"], "return 1;", set()),
    ],
)
def test_a_part_that_begins_inside_of_something(
    path: str, above: list[str], line: str, kinds: set[str]
) -> None:
    (words,) = colours.coloured(path, [line], above)
    assert {word.kind for word in words} == kinds


def test_without_pygments_there_is_no_colour(monkeypatch: pytest.MonkeyPatch, attribute: Review) -> None:
    monkeypatch.setattr(colours, "find_spec", lambda _: None)
    read = Reader(page([attribute]))
    assert "depth" in read.text
    assert not {"k", "t", "s"} & set(read.values("class"))


def test_marks_and_colours_cross() -> None:
    row = Row(Side(1, "int64_t a;", ((3, 9),)), Side(1, "int a;"))
    (found,) = table_rows([row], Version("a.cpp"), Version("a.cpp"))
    assert Reader(str(found.old.code)).text == "int64_t a;"
    marked = re.findall(r"<del>(.*?)</del>", str(found.old.code))
    assert Reader("".join(marked)).text == "64_t a"
    assert found.kind == "changed"


# --------------------------------------------------------------------------- snippets


def test_a_snippet_is_what_belongs_to_the_key(attribute: Review) -> None:
    change = next(change for change in attribute.changes if change.code == "QD122")
    runs = Texts(attribute.texts).rows(change.before, change.after)
    lines = [row.new.text.strip() for rows in runs for row in rows if row.new is not None]
    assert lines == ["depth: {type: int, default: 1, values: [1, 2], doc: {en: Depth., zh: 深度。}}"]
    assert all(row.old is None for rows in runs for row in rows)


def test_a_snippet_goes_on_while_lines_are_indented() -> None:
    text = "dims:\n  A:\n    min: 1\n\n    max: 3\n\n  B: {min: 1}\n"
    span = Span("a.yaml", 2, 3, 2, 4)
    (rows,) = Texts({"a.yaml": text}).rows(None, span)
    assert [row.new and row.new.text for row in rows] == ["  A:", "    min: 1", "", "    max: 3"]


def test_a_snippet_has_both_sides(tight: Review) -> None:
    change = next(change for change in tight.changes if change.code == "QD204")
    (rows,) = Texts(tight.texts).rows(change.before, change.after)
    (row,) = rows
    assert row.old is not None
    assert row.new is not None
    assert "max: 1024" in row.old.text
    assert "max: 512" in row.new.text


def test_a_place_that_is_not_there_has_no_snippet(attribute: Review) -> None:
    change = next(change for change in attribute.changes if change.code == "QD122")
    assert change.after is not None
    texts = Texts({})
    assert texts.rows(change.before, change.after) == []
    gone = replace(change.after, line=10**6, end_line=10**6)
    assert Texts(attribute.texts).rows(None, gone) == []
