"""Generated files and the page, through the command."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from qsfa_codegen.resources import resource
from tests.cli_tools import Program
from tests.review.repository import SPEC, TIGHTER, WIDER, edit, git


def test_files_are_shown_when_asked_for(repository: Path, program: Program) -> None:
    edit(*TIGHTER)
    assert "op_host" not in program("diff").out
    out = program("diff", "--files").out
    assert "files: " in out
    assert "op_host/add_example_infershape.cpp +" in out
    assert "    @@ -" in out
    assert any(line.startswith("    -") and "8192" in line for line in out.splitlines())
    assert not Path("generated").exists()


def test_words_stand_out_where_there_is_colour(repository: Path, program: Program) -> None:
    edit(*TIGHTER)
    out = program("diff", "--files", "--color", "always").out
    assert "\x1b[1;7;31m8192\x1b[0m" in out
    assert "\x1b[1;7;32m4096\x1b[0m" in out


def test_nothing_to_look_at(repository: Path, program: Program) -> None:
    SPEC.write_text(SPEC.read_text(encoding="utf-8") + "\n# a comment\n", encoding="utf-8")
    out = program("diff", "--files").out
    assert "files: all " in out
    assert "are the same" in out


def test_json_has_files(repository: Path, program: Program) -> None:
    edit(*TIGHTER)
    plain = json.loads(program("diff", "--format", "json").out)
    assert "files" not in plain["reviews"][0]
    (review,) = json.loads(program("diff", "--format", "json", "--files").out)["reviews"]
    files = review["files"]
    assert files["problem"] is None
    assert files["same"] > 0
    file = next(file for file in files["changed"] if file["path"].endswith("_infershape.cpp"))
    assert (file["artefact"], file["status"], file["was"]) == ("op_host", "changed", file["path"])
    changed = [row for hunk in file["hunks"] for row in hunk["rows"] if row["old"] != row["new"]]
    marks = [
        row["new"]["text"][slice(*mark)] for row in changed if row["new"] for mark in row["new"]["marks"]
    ]
    assert "4096" in marks


def test_markdown_has_files_and_an_end(
    repository: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(*TIGHTER)
    out = program("diff", "--format", "markdown", "--files").out
    assert "📄 <b>op_host</b>" in out
    assert out.count("<details") == out.count("</details>")
    assert "\n```diff\n@@ -" in out
    monkeypatch.setattr("qsfa_codegen.review.report.files._MOST_OF_A_FILE", 3)
    short = program("diff", "--format", "markdown", "--files").out
    assert "more line" in short
    assert len(short) < len(out)


def test_a_base_with_errors_of_today_has_no_files(repository: Path, program: Program) -> None:
    good = SPEC.read_bytes()
    edit("require: D % 32 == 0", "require: D < 0")  # which no call can meet
    git("commit", "-q", "-a", "-m", "two")
    SPEC.write_bytes(good)
    done = program("diff", "--files", "--html", "page.html")
    assert done.status in (0, 100)
    assert "files: not compared: by the rules of today the spec of the base has errors" in done.out
    assert "not compared" in Path("page.html").read_text(encoding="utf-8")


def test_a_page_is_written(repository: Path, program: Program) -> None:
    edit(*TIGHTER)
    done = program("diff", "--html", "page.html")
    assert done.status == 100
    assert "op_host" not in done.out  # the page has it
    text = Path("page.html").read_text(encoding="utf-8")
    assert "QD204" in text
    assert "op_host/add_example_infershape.cpp" in text
    edit("max: 4096", "max: 16384")
    assert program("diff", "--html", "page.html", "--no-files").status == 0
    text = Path("page.html").read_text(encoding="utf-8")
    assert "Nothing breaks" in text
    assert "op_host/add_example_infershape.cpp" not in text
    assert sorted(os.listdir()) == [".git", "page.html", "spec"]


def test_a_page_is_written_again_byte_for_byte(repository: Path, program: Program) -> None:
    edit(*WIDER)
    program("diff", "--html", "one.html")
    program("diff", "--html", "two.html")
    assert Path("one.html").read_bytes() == Path("two.html").read_bytes()


def test_a_link_stays_one(repository: Path, program: Program) -> None:
    edit(*WIDER)
    Path("page.html").symlink_to("target.html")
    assert program("diff", "--html", "page.html").status == 0
    assert Path("page.html").is_symlink()
    assert "Nothing breaks" in Path("target.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", ["nowhere/page.html", "spec", "spec/add_example.yaml/page.html"])
def test_a_page_that_cannot_be_written(path: str, repository: Path, program: Program) -> None:
    done = program("diff", "--html", path)
    assert done.status == 2
    assert path in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("path", ["", SPEC.as_posix(), "spec/chips.yaml", "link.html"])
def test_a_page_does_not_take_the_place_of_a_source(path: str, repository: Path, program: Program) -> None:
    SPEC.with_name("chips.yaml").write_bytes(resource("chips.yaml").read_bytes())
    Path("link.html").symlink_to(SPEC)
    before = {file: file.read_bytes() for file in Path("spec").iterdir()}
    done = program("diff", "--html", path)
    assert (done.status, done.out) == (2, "")
    assert "--html needs the name of a file" in done.err or "is a source" in done.err
    assert {file: file.read_bytes() for file in Path("spec").iterdir()} == before
