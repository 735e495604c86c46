"""Generated files before and after edits of specs."""

from __future__ import annotations

from pathlib import Path

import pytest

from qsfa_codegen.render.package import groups, render
from qsfa_codegen.review.files.model import FileChange, Files, Noise, Row, Side, Status
from qsfa_codegen.review.files.noise import Known, marked
from qsfa_codegen.review.files.packages import compare_packages, compare_texts
from tests.review.pairs import edited, operator, specs
from tests.review.qsfa_edits import current, previous

SPEC, _ = specs("QD204")


def file(files: Files, end: str) -> FileChange:
    (found,) = [file for file in files.changed if file.path.endswith(end)]
    return found


def test_what_differs_is_what_is_rendered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    old, new = map(operator, specs("QD142"))
    files = compare_packages(old, new)
    before, after = render(old), render(new)
    assert {file.path for file in files.changed} == {p for p in after if before.get(p) != after[p]}
    assert files.same == sum(before.get(path) == text for path, text in after.items())
    for changed in files.changed:
        assert (changed.before, changed.after) == (before[changed.was], after[changed.path])
    order = [groups().index(changed.artefact) for changed in files.changed]
    assert order == sorted(order)
    assert list(tmp_path.iterdir()) == []


def test_an_attribute_in_the_middle_is_shown_and_numbering_is_not() -> None:
    name = "insert_an_attribute_in_the_middle"
    files = compare_packages(operator(previous(name)), operator(current(name)))
    tiling = (
        file(files, "_tiling.cpp")
        if False
        else next(
            f for f in files.changed if f.path.startswith("op_host/") and f.path.endswith("_tiling.cpp")
        )
    )
    scopes = [scope for hunk in tiling.hunks for scope in hunk.scopes]
    assert "constant ATTR_SINK_TOKENS" in scopes
    assert "struct Attributes" in scopes
    assert "KvQuantSparseFlashAttentionTiling::CheckSinkTokens()" in scopes
    changed = [row for hunk in tiling.hunks for row in hunk.rows if row.changed]
    assert not any(row.new is not None and "ATTR_TILE_SIZE =" in row.new.text for row in changed)
    assert [(fold.noise, fold.hunks) for fold in tiling.folds] == [(Noise.NUMBERING, 1)]
    assert str(tiling.folds[0]) == "1 hunk: only numbering"
    infershape = next(
        f for f in files.changed if f.path.startswith("op_host/") and f.path.endswith("_infershape.cpp")
    )
    assert infershape in files.quiet
    assert infershape.hunks == ()


def test_a_limit_is_no_numbering() -> None:
    files = compare_packages(*map(operator, specs("QD204")))
    assert not any(fold.noise is Noise.NUMBERING for changed in files.changed for fold in changed.folds)
    words = {
        row.new.text[start:end]
        for changed in files.shown
        for hunk in changed.hunks
        for row in hunk.rows
        if row.new is not None
        for start, end in row.new.marks
    }
    assert "512" in words


def test_headers_are_folded_away() -> None:
    files = compare_packages(operator(SPEC, "former.yaml"), operator(SPEC, "latter.yaml"))
    assert files.shown == ()
    assert len(files.quiet) == len(files.changed) > 10
    for changed in files.quiet:
        assert [str(fold) for fold in changed.folds] == ["1 hunk: only header lines"]
        assert "former.yaml" in changed.before


def test_another_name_of_the_operator_is_another_path_of_the_same_file() -> None:
    new = edited(SPEC, ("  name: ScaleRows\n", "  name: OtherRows\n"))
    files = compare_packages(operator(SPEC), operator(new))
    proto = file(files, "_proto.h")
    assert proto.status is Status.RENAMED
    assert proto.was == "op_graph/scale_rows_proto.h"
    assert not any(changed.status in (Status.ADDED, Status.REMOVED) for changed in files.changed)


def test_files_that_only_one_has() -> None:
    old = operator(SPEC)
    from msgspec.structs import replace

    new = replace(old, emit=tuple(group for group in groups() if group != "op_graph"))
    gone = compare_packages(old, new)
    assert [(f.artefact, f.status, f.added) for f in gone.changed] == [("op_graph", Status.REMOVED, 0)]
    assert gone.changed[0].removed == gone.changed[0].before.count("\n")
    come = compare_packages(new, old)
    assert [(f.status, f.removed) for f in come.changed] == [(Status.ADDED, 0)]


def test_no_difference() -> None:
    files = compare_packages(operator(SPEC), operator(SPEC))
    assert files.changed == ()
    assert files.same == len(render(operator(SPEC)))


# --------------------------------------------------------------------------- noise

OLD, NEW = Known(2, {"ATTR_A": 4, "ATTR_B": 5}), Known(2, {"ATTR_A": 5, "ATTR_B": 4})


def noise(old: str | None, new: str | None, number: int = 9) -> Noise | None:
    row = Row(
        None if old is None else Side(number, old),
        None if new is None else Side(number, new),
    )
    return marked([row], OLD, NEW, cpp=True)[0].noise


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("constexpr size_t ATTR_A = 4;", "constexpr size_t ATTR_A = 5;", Noise.NUMBERING),
        ("constexpr size_t ATTR_A = 4;", "constexpr size_t ATTR_A = 6;", None),  # not its place
        ("constexpr size_t ATTR_A = 3;", "constexpr size_t ATTR_A = 5;", None),
        ("constexpr size_t ATTR_A = 4;", "constexpr size_t ATTR_B = 4;", None),
        ("constexpr size_t ATTR_C = 4;", "constexpr size_t ATTR_C = 5;", None),  # no parameter
        ("constexpr int64_t ATTR_A = 4;", "constexpr int64_t ATTR_A = 5;", None),
        (None, "constexpr size_t ATTR_A = 5;", None),
        ("f(4);", "f(5);", None),
    ],
)
def test_numbering_is_what_is_known_to_be_a_place(old: str | None, new: str, expected: Noise | None) -> None:
    assert noise(old, new) is expected


@pytest.mark.parametrize(("number", "expected"), [(1, Noise.HEADER), (2, Noise.HEADER), (3, None)])
def test_a_header_ends(number: int, expected: Noise | None) -> None:
    assert noise("// from a.yaml", "// from b.yaml", number) is expected
    assert noise(None, "// SPDX", number) is expected


@pytest.mark.parametrize(
    ("old", "new", "quiet"),
    [
        (["f(a,", "  b);"], ["f(a, b);"], True),
        (["f(a, b);"], ["f(a, c);"], False),
        (['f("a b");'], ['f("a  b");'], False),  # inside of a text spaces count
        (["x; // c", "y;"], ["x; // c y;"], False),
        (["#define A \\", "  1"], ["#define A 1"], False),
    ],
)
def test_line_breaks(old: list[str], new: list[str], quiet: bool) -> None:
    rows = [*(Row(Side(9 + at, line), None) for at, line in enumerate(old))]
    rows += [*(Row(None, Side(9 + at, line)) for at, line in enumerate(new))]
    found = {row.noise for row in marked(rows, OLD, NEW, cpp=True)}
    assert found == {Noise.LAYOUT if quiet else None}
    assert {row.noise for row in marked(rows, OLD, NEW, cpp=False)} == {None}


def test_two_texts() -> None:
    found = compare_texts("spec", "a.yaml", "x: 1\n", "x: 2\n")
    assert (found.added, found.removed, found.hunks[0].scopes) == (1, 1, ("x",))
