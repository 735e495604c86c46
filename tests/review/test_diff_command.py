"""The command: which base it compares with, what it prints, and how it ends."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.cli_tools import Program
from tests.review.repository import SPEC, TIGHTER, WIDER, WORDS, edit, git


def test_nothing_changed(repository: Path, program: Program) -> None:
    done = program("diff")
    assert (done.status, done.err) == (0, "")
    assert done.out == "add_example: no change since HEAD\n"


def test_a_break_is_reported_with_both_places_and_a_call(repository: Path, program: Program) -> None:
    edit(*TIGHTER)
    done = program("diff", SPEC)
    assert done.status == 100
    assert "QD204 spec/add_example.yaml:" in done.out
    assert "(HEAD:spec/add_example.yaml:" in done.out
    case = json.loads(next(line for line in done.out.splitlines() if line.startswith("      {")))
    Path("cases.jsonl").write_text(json.dumps(case), encoding="utf-8")
    assert program("call", SPEC, "cases.jsonl").status == 0
    git("stash", "-q")
    assert program("call", SPEC, "cases.jsonl").status == 1  # it was accepted before


@pytest.mark.parametrize(("change", "status"), [(WIDER, 0), (WORDS, 0), (TIGHTER, 100)])
def test_the_exit_status_says_whether_something_breaks(
    change: tuple[str, str], status: int, repository: Path, program: Program
) -> None:
    edit(*change)
    assert program("diff").status == status


def test_a_revision_is_a_base(repository: Path, program: Program) -> None:
    edit(*TIGHTER)
    git("commit", "-q", "-a", "-m", "two")
    assert program("diff").status == 0
    assert program("diff", "--base", "HEAD~1").status == 100
    assert "since main~1" in program("diff", "--base", "main~1").out


def test_a_folder_is_a_base(repository: Path, program: Program) -> None:
    base = Path("released/spec")
    base.mkdir(parents=True)
    (base / SPEC.name).write_bytes(SPEC.read_bytes())
    edit(*TIGHTER)
    for folder in (base, base.parent):
        done = program("diff", "--base", folder)
        assert done.status == 100
        assert "released/spec/add_example.yaml" in done.out


@pytest.mark.parametrize("base", ["nowhere", "--output=x", "HEAD^9"])
def test_a_base_that_is_not_there(base: str, repository: Path, program: Program) -> None:
    done = program("diff", f"--base={base}")
    assert (done.status, done.out) == (2, "")
    assert f"has no revision {base}" in done.err
    assert not Path("x").exists()


def test_without_a_repository_or_a_commit(project: Path, program: Program) -> None:
    done = program("diff")
    assert done.status == 2
    assert "is in no git repository" in done.err
    assert "--base DIR" in done.err
    git("init", "-q")
    done = program("diff")
    assert done.status == 2
    assert "has no commit yet" in done.err


def test_a_new_spec_breaks_nothing(repository: Path, program: Program) -> None:
    program("new", "OtherExample")
    done = program("diff")
    assert done.status == 0
    assert "other_example: new, HEAD has no such operator" in done.out


def test_a_spec_under_another_file_name_is_found(repository: Path, program: Program) -> None:
    moved = SPEC.with_name("adding.yaml")
    SPEC.rename(moved)
    edit(*TIGHTER, moved)
    done = program("diff")
    assert done.status == 100
    assert "QD204 spec/adding.yaml:" in done.out
    assert "(HEAD:spec/add_example.yaml:" in done.out
    assert "QD101" not in done.out


def test_a_spec_in_a_folder_of_its_own_is_found(repository: Path, program: Program) -> None:
    moved = SPEC.parent / "math" / "adding.yml"
    moved.parent.mkdir()
    SPEC.rename(moved)
    edit(*TIGHTER, moved)
    done = program("diff")
    assert done.status == 100
    assert "QD204 spec/math/adding.yml:" in done.out
    assert "(HEAD:spec/add_example.yaml:" in done.out
    git("add", ".")
    git("commit", "-q", "-m", "two")
    assert program("diff").out == "add_example: no change since HEAD\n"


def test_a_spec_that_is_gone(repository: Path, program: Program) -> None:
    program("new", "OtherExample")
    git("add", ".")
    git("commit", "-q", "-m", "two")
    SPEC.unlink()
    done = program("diff")
    assert done.status == 100
    assert "the operator AddExample was removed" in done.out
    assert program("diff", "--allow", "QD101").status == 0


def test_specs_that_change_files_are_known_by_their_operators(repository: Path, program: Program) -> None:
    program("new", "OtherExample")
    git("add", ".")
    git("commit", "-q", "-m", "two")
    other, aside = SPEC.with_name("other_example.yaml"), Path("aside")
    SPEC.rename(aside)
    other.rename(SPEC)
    aside.rename(other)
    done = program("diff")
    assert done.status == 0
    assert done.out == "other_example: no change since HEAD\n\nadd_example: no change since HEAD\n"
    other.unlink()  # the file of one has the other now
    done = program("diff")
    assert done.status == 100
    assert "QD101 the operator AddExample was removed" in done.out
    assert "other_example: no change since HEAD" in done.out


def test_a_new_operator_in_the_file_of_one_that_moved(repository: Path, program: Program) -> None:
    moved = SPEC.with_name("first_version.yaml")
    text = SPEC.read_text(encoding="utf-8")
    SPEC.rename(moved)
    SPEC.write_text(text.replace("AddExample", "AddExampleV2"), encoding="utf-8")
    done = program("diff")
    assert done.status == 0
    assert "add_example: no change since HEAD" in done.out
    assert "new, HEAD has no such operator" in done.out


def test_an_operator_with_another_name_in_its_file(repository: Path, program: Program) -> None:
    edit("AddExample", "AddSample")
    done = program("diff")
    assert done.status == 100
    assert "QD100" in done.out
    assert "QD101" not in done.out


def test_chips_come_from_the_base_too(repository: Path, program: Program) -> None:
    from qsfa_codegen.resources import CHIPS, resource

    chips = SPEC.with_name(CHIPS)
    chips.write_bytes(resource(CHIPS).read_bytes())
    git("add", ".")
    git("commit", "-q", "-m", "two")
    edit("cores: {aic: 24, aiv: 48}", "cores: {aic: 20, aiv: 40}", chips)
    done = program("diff")
    assert done.status == 100
    assert "QD104" in done.out
    assert "aiv of A2 changed" in done.out


def test_a_spec_with_errors(repository: Path, program: Program) -> None:
    edit("mode == 1", "mood == 1")
    done = program("diff")
    assert done.status == 1
    assert "spec/add_example.yaml:" in done.err


def test_a_base_with_errors(repository: Path, program: Program) -> None:
    good = SPEC.read_bytes()
    edit("mode == 1", "mood == 1")
    git("commit", "-q", "-a", "-m", "two")
    SPEC.write_bytes(good)
    done = program("diff")
    assert done.status == 1
    assert "HEAD:spec/add_example.yaml:" in done.err
    assert "QS931" in done.err


def test_rules_of_today_do_not_matter_for_the_base(repository: Path, program: Program) -> None:
    good = SPEC.read_bytes()
    edit("require: D % 32 == 0", "require: D < 0")  # which no call can meet
    git("commit", "-q", "-a", "-m", "two")
    assert program("validate").status == 1
    SPEC.write_bytes(good)
    done = program("diff")
    assert (done.status, done.err) == (0, "")
    assert "QD215" in done.out


# --------------------------------------------------------------------------- what cannot be compared


@pytest.mark.parametrize("form", ["text", "markdown", "json", "github"])
@pytest.mark.parametrize("of_base", [True, False])
def test_every_form_says_what_was_not_compared(
    of_base: bool, form: str, repository: Path, program: Program
) -> None:
    program("new", "OtherExample")
    good = SPEC.read_bytes()
    edit("mode == 1", "mood == 1" if of_base else "mode == 2")
    git("add", ".")
    git("commit", "-q", "-m", "two")
    SPEC.write_bytes(good)
    if not of_base:
        edit("mode == 1", "mood == 1")
    done = program("diff", "--format", form, "--html", "page.html")
    assert done.status == 1
    problem = "the spec of HEAD cannot be read" if of_base else "the spec has errors"
    assert problem in done.out
    assert "add_example" in done.out.replace("\\", "")
    page = Path("page.html").read_text(encoding="utf-8")
    assert "1 spec could not be compared" in page
    assert f"add_example: not compared: {problem}" in page
    assert "Nothing changed" not in page
    if form == "json":
        broken = json.loads(done.out)["reviews"][0]
        assert (broken["operator"], broken["problem"]) == ("add_example", problem)


def test_an_operator_whose_moved_spec_has_errors_is_not_gone(repository: Path, program: Program) -> None:
    moved = SPEC.with_name("adding.yaml")
    SPEC.rename(moved)
    edit("mode == 1", "mood == 1", moved)
    done = program("diff")
    assert (done.status, done.out) == (1, "add_example: not compared: the spec has errors\n")


def test_an_operator_that_is_gone_has_no_place_now(repository: Path, program: Program) -> None:
    program("new", "OtherExample")
    SPEC.unlink()
    assert "\n  QD101 the operator AddExample was removed" in program("diff").out


@pytest.mark.parametrize(
    ("base", "said"),
    [
        ("", "--base is empty"),
        (".", "is what it would be compared with"),
        ("spec", "is what it would be compared with"),
        ("empty", "has no spec to compare with"),
        ("folders", "is no file that can be read"),
        (SPEC.as_posix(), "is a file: choose the folder"),
        ("HEAD:spec", "is no commit"),
    ],
)
def test_a_base_that_is_none(base: str, said: str, repository: Path, program: Program) -> None:
    Path("empty").mkdir()
    Path("folders", SPEC.name).mkdir(parents=True)
    done = program("diff", "--base", base)
    assert (done.status, done.out) == (2, "")
    assert said in done.err


def test_a_part_of_a_history(repository: Path, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    edit(*TIGHTER)
    git("commit", "-q", "-a", "-m", "two")
    git("clone", "-q", "--depth", "1", repository.as_uri(), "part")
    monkeypatch.chdir("part")
    assert program("diff").status == 0
    done = program("diff", "--base", "HEAD~1")
    assert done.status == 2
    assert "has no revision HEAD~1" in done.err
    assert "git fetch --unshallow" in done.err


def test_a_repository_that_has_lost_a_file(repository: Path, program: Program) -> None:
    blob = subprocess.run(["git", "rev-parse", f"HEAD:{SPEC}"], check=True, capture_output=True, text=True)
    name = blob.stdout.strip()
    Path(".git/objects", name[:2], name[2:]).unlink()
    done = program("diff")
    assert (done.status, done.out) == (2, "")  # not a new operator, which would break nothing
    assert f"HEAD:{SPEC} is there, and git cannot read it" in done.err


def test_a_repository_that_git_refuses(
    repository: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    done = program("diff")
    assert done.status == 2
    assert "dubious ownership" in done.err


def test_a_detached_head_and_an_index_of_its_own(repository: Path, program: Program) -> None:
    git("checkout", "-q", "--detach")
    edit(*TIGHTER)
    git("add", ".")
    assert program("diff").status == 100
    edit(TIGHTER[1], TIGHTER[0])  # what lies in the folder counts, not what is staged
    assert program("diff").status == 0


# --------------------------------------------------------------------------- breaks on purpose

ALLOW = 'review:\n  allow:\n    - {code: QD204, subject: dim D, reason: "the kernel never took more"}\n'


def test_a_break_is_allowed_on_the_command_line(repository: Path, program: Program) -> None:
    edit(*TIGHTER)
    done = program("diff", "--allow", "qd204")
    assert done.status == 0
    assert "1 breaking for callers (1 allowed)" in done.out
    assert program("diff", "--allow", "QD200").status == 100


def test_a_break_is_allowed_by_the_spec(repository: Path, program: Program) -> None:
    edit(*TIGHTER)
    edit("constraints:", f"{ALLOW}\nconstraints:")
    done = program("diff")
    assert (done.status, done.err) == (0, "")
    assert "allowed: the kernel never took more" in done.out


def test_an_allowance_is_for_its_subject_and_its_edit(repository: Path, program: Program) -> None:
    edit(*TIGHTER)
    edit("constraints:", ALLOW.replace("dim D", "dim N") + "\nconstraints:")
    done = program("diff")
    assert done.status == 100
    assert "QS932" in done.err
    edit("dim N", "dim D")
    assert program("diff").status == 0
    git("commit", "-q", "-a", "-m", "two")
    edit("max: 4096", "max: 2048")
    done = program("diff")
    assert done.status == 100  # the entry was for the edit before
    assert "QS932" in done.err


def test_a_code_that_does_not_exist(repository: Path, program: Program) -> None:
    done = program("diff", "--allow", "QD999")
    assert done.status == 2
    assert "no change has the code QD999" in done.err


# --------------------------------------------------------------------------- proofs


def test_a_proof_says_so(repository: Path, program: Program) -> None:
    edit("require: D % 32 == 0", "require: D // 32 * 32 == D")
    done = program("diff", "--prove")
    assert done.status == 0
    assert "contract: equivalent (proved for all calls)" in done.out
    assert "QD220" in done.out
    assert "searched" not in done.out


def test_a_proof_needs_the_solver(
    repository: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qsfa_codegen.review.prove.find_spec", lambda _: None)
    done = program("diff", "--prove")
    assert done.status == 2
    assert "qsfa-codegen[prove]" in done.err
    assert program("diff").status == 0


# --------------------------------------------------------------------------- forms


def test_layers_have_switches(repository: Path, program: Program) -> None:
    edit(*TIGHTER)
    whole = program("diff").out
    assert "      - D is" in whole
    assert '{"id": ' in whole
    assert '{"id": ' not in program("diff", "--no-witness").out
    calls = program("diff", "--no-contract").out
    assert '{"id": ' in calls
    assert "      - D is" not in calls


def test_json_has_everything(repository: Path, program: Program) -> None:
    edit(*TIGHTER)
    edit(*WORDS)
    done = program("diff", "--format", "json")
    document = json.loads(done.out)
    assert document["breaks"] is True
    (review,) = document["reviews"]
    assert (review["operator"], review["file"], review["base"]) == ("add_example", SPEC.as_posix(), "HEAD")
    assert review["contract"] == {"narrower": True, "wider": False, "basis": "searched"}
    narrower, words = review["changes"]
    assert (narrower["code"], narrower["class"]) == ("QD204", "breaking for callers")
    lines = SPEC.read_text(encoding="utf-8").split("\n")
    assert lines[narrower["after"]["line"] - 1].lstrip().startswith("D:")
    assert narrower["witness"]["call"]["expect"]["status"] == "rejected"
    assert (words["code"], words["breaks"]) == ("QD500", False)


def test_github_shows_breaks_as_errors_and_the_rest_as_notices(repository: Path, program: Program) -> None:
    edit(*TIGHTER)
    edit(*WORDS)
    out = program("diff", "--format", "github").out
    levels = re.findall(r"(?m)^::(\w+) file=spec/add_example.yaml,line=\d+.*title=(QD\d+)::", out)
    assert levels == [("error", "QD204"), ("notice", "QD500")]
    allowed = program("diff", "--format", "github", "--allow", "QD204").out
    assert allowed.startswith("::warning file=spec/add_example.yaml")


def test_markdown_keeps_names_from_being_markup(repository: Path, program: Program) -> None:
    edit("Rows to scale.", "Rows *to* <b>scale</b> for @someone or issue(#1).")
    edit("{max: 8192,", "{doc_name: row_width, max: 4096,")
    out = program("diff", "--format", "markdown").out
    outside = re.sub(r"(?ms)^  (`{3,})\w+\n.*?^  \1\n", "", out)
    assert "row\\_width" in outside
    for text in ("<b>scale", "@someone", "#1", "*to*"):
        assert text not in outside
    assert out.count("<details") == out.count("</details>") == 2


def test_terminal_controls_of_a_base_are_not_obeyed(repository: Path, program: Program) -> None:
    edit(*TIGHTER)
    git("branch", "new\N{RIGHT-TO-LEFT MARK}line")
    out = program("diff", "--base", "new\N{RIGHT-TO-LEFT MARK}line").out
    assert "\N{RIGHT-TO-LEFT MARK}" not in out
