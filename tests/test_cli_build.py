"""``build``: what it writes, refuses, finds out of date, and says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from qsfa_codegen.commands.new import new
from qsfa_codegen.manifest import NAME
from tests.cli_tools import ROOT, Done, Program, process

PACKAGE = Path("generated/add_example")
DEFINITION = PACKAGE / "op_host/add_example_def.cpp"


def _tree(folder: Path) -> dict[str, bytes]:
    return {path.as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _edit_spec(old: str = "max: 8192", new: str = "max: 4096") -> None:
    spec = Path("spec/add_example.yaml")
    assert old in spec.read_text()
    spec.write_text(spec.read_text().replace(old, new))


def _built(program: Program) -> int:
    """Build, and the number of files that the package has."""
    assert program("build").status == 0
    return len(_tree(PACKAGE))


# --------------------------------------------------------------------------- writing


def test_a_build_writes_the_package_and_a_second_one_nothing(project: Path, program: Program) -> None:
    first = program("build")
    count = len(_tree(PACKAGE))
    assert (first.status, first.err) == (0, "")
    assert first.out == f"generated/add_example: {count} created\n1 package: 1 written\n"
    before = {path: path.stat().st_mtime_ns for path in PACKAGE.rglob("*")}
    second = program("build")
    assert (second.status, second.out, second.err) == (0, "1 package: 1 unchanged\n", "")
    assert {path: path.stat().st_mtime_ns for path in PACKAGE.rglob("*")} == before


def test_the_same_spec_gives_the_same_bytes_wherever_it_is(
    project: Path, program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _built(program)
    expected = {path.removeprefix("generated/"): data for path, data in _tree(Path("generated")).items()}
    elsewhere = tmp_path / "else where"
    (elsewhere / "deep").mkdir(parents=True)
    spec = elsewhere / "deep/add_example.yaml"
    spec.write_bytes(Path("spec/add_example.yaml").read_bytes())
    monkeypatch.chdir("/")
    hashing = {"PYTHONHASHSEED": "77", "TZ": "Asia/Shanghai", "LANG": "zh_CN.UTF-8", "HOME": "/nowhere"}
    done = process("build", spec, "--out", elsewhere / "out", env=hashing)
    assert done.status == 0, done.err
    found = {path.removeprefix(f"{elsewhere}/out/"): data for path, data in _tree(elsewhere / "out").items()}
    assert found == expected


def test_quiet_says_nothing(project: Path, program: Program) -> None:
    done = program("build", "--quiet")
    assert (done.status, done.out, done.err) == (0, "", "")
    assert PACKAGE.is_dir()


def test_a_changed_spec_changes_only_what_depends_on_it(project: Path, program: Program) -> None:
    count = _built(program)
    _edit_spec("en: Rows to scale.", "en: Rows to be scaled.")
    kept = (PACKAGE / "op_host/add_example_def.cpp").stat().st_ino
    done = program("build")
    assert done.status == 0
    changed = int(done.out.split(" changed")[0].rsplit(" ", 1)[1])
    assert done.out.startswith(f"generated/add_example: {changed} changed, {count - changed} unchanged\n")
    assert (PACKAGE / "op_host/add_example_def.cpp").stat().st_ino == kept


def test_errors_in_one_spec_do_not_keep_others_from_being_built(project: Path, program: Program) -> None:
    new("AaaBroken", Path("spec"))
    broken = Path("spec/aaa_broken.yaml")
    broken.write_text(broken.read_text().replace("when: mode == 1", "when: modus == 1"))
    done = program("build")
    assert done.status == 1
    assert "spec/aaa_broken.yaml:" in done.err
    assert "error[QS202]" in done.err
    assert done.out.endswith("2 packages: 1 written, 1 failed\n")
    assert DEFINITION.is_file()
    assert not Path("generated/aaa_broken").exists()


def test_named_specs_only(project: Path, program: Program) -> None:
    new("Other", Path("spec"))
    assert program("build", "spec/other.yaml", "spec/other.yaml").out.endswith("1 package: 1 written\n")
    assert [path.name for path in Path("generated").iterdir()] == ["other"]


def test_chips_are_no_operator(project: Path, program: Program) -> None:
    Path("spec/chips.yaml").write_bytes((ROOT / "spec/chips.yaml").read_bytes())
    assert program("build").out.endswith("1 package: 1 written\n")


def test_chips_beside_the_spec_count(project: Path, program: Program) -> None:
    chips = (ROOT / "spec/chips.yaml").read_text()
    Path("spec/chips.yaml").write_text(chips)
    _built(program)
    Path("spec/chips.yaml").write_text(chips.replace("ascend910b", "ascend910x"))
    done = program("build")
    assert "changed" in done.out
    assert "ascend910x" in DEFINITION.read_text()


def test_specs_are_found_below_the_folder_and_as_yml(project: Path, program: Program) -> None:
    for name, place in (("Second", "spec/deep/er/second.yml"), ("Third", "spec/third.yml")):
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        new(name, Path("made")).rename(place)
    for hidden in (".hidden.yaml", ".git/config.yaml", "deep/.#second.yaml"):
        Path("spec", hidden).parent.mkdir(exist_ok=True)
        Path("spec", hidden).symlink_to("nowhere")
    Path("spec/notes.txt").write_text("no spec")
    done = program("build")
    assert (done.status, done.err) == (0, "")
    assert sorted(path.name for path in Path("generated").iterdir()) == ["add_example", "second", "third"]
    assert program("validate").out == "3 specs: no problems\n"
    assert program("build", "--check").out == "3 packages: 3 unchanged\n"


def test_chips_hold_for_specs_in_folders_below(
    project: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("spec/deep/er").mkdir(parents=True)
    Path("spec/add_example.yaml").rename("spec/deep/er/add_example.yaml")
    chips = (ROOT / "spec/chips.yaml").read_text()
    Path("chips.yaml").write_text("above the folder of specs: not read")
    assert program("build").status == 0
    for place, soc in (("spec", "ascend910x"), ("spec/deep", "ascend910y")):
        Path(place, "chips.yaml").write_text(chips.replace("ascend910b", soc))
        assert "changed" in program("build").out
        assert soc in DEFINITION.read_text()
    monkeypatch.chdir("spec/deep/er")
    assert program("build", "add_example.yaml", "--out", "../../../generated", "--check").status == 0


@pytest.mark.parametrize("kind", ["pipe", "folder", "link to nothing"])
def test_chips_that_cannot_be_read_are_not_overlooked(project: Path, program: Program, kind: str) -> None:
    chips = Path("spec/chips.yaml")
    {"pipe": os.mkfifo, "folder": os.mkdir}.get(kind, lambda path: os.symlink("nowhere", path))(chips)
    done = program("build")
    assert (done.status, done.out) == (1, "1 package: 1 failed\n")
    assert done.err.startswith("spec/chips.yaml:1:1: error[QS100]: 'spec/chips.yaml' ")


def test_chips_under_another_name_are_not_overlooked(project: Path, program: Program) -> None:
    Path("spec/chips.yml").write_bytes((ROOT / "spec/chips.yaml").read_bytes())
    message = "Error: spec/chips.yml is not read: chips are described in chips.yaml; give it that name\n"
    assert program("build") == Done(2, "", message)


def test_there_must_be_a_spec(tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = program("build")
    assert (done.status, done.err) == (2, "Error: no spec was named, and spec/ has none\n")


# --------------------------------------------------------------------------- the short cut


def test_nothing_heavy_is_imported_when_nothing_is_to_do(project: Path, program: Program) -> None:
    _built(program)
    probe = (
        "import sys; from qsfa_codegen.__main__ import run; status = run(sys.argv[1:])\n"
        "heavy = {'yaml', 'jinja2', 'jsonschema', 'multiprocessing', 'qsfa_codegen.spec.model'}\n"
        "print(status, sorted(heavy & sys.modules.keys()))"
    )
    for arguments in (["build"], ["build", "--check"]):
        done = subprocess.run(
            [sys.executable, "-c", probe, *arguments],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        assert done.stdout == "1 package: 1 unchanged\n0 []\n"


def test_a_build_takes_nothing_from_the_parts_of_the_program_that_do_not_count(tmp_path: Path) -> None:
    probe = (
        "import os, sys; del os.fork\n"  # so that all of the work is done in this process
        "from qsfa_codegen.__main__ import run; from qsfa_codegen import resources\n"
        "status = run(sys.argv[1:])\n"
        "apart = tuple(f'qsfa_codegen.{folder.name}' for folder in resources.APART)\n"
        "print(status, [name for name in sys.modules if name.startswith(apart)])"
    )
    specs = sorted((ROOT / "spec").glob("[!c]*.yaml"))
    done = subprocess.run(
        [sys.executable, "-c", probe, "build", "--quiet", "--out", tmp_path, "--jobs", "1", *specs],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path / "cache")},
    )
    assert done.stdout == "0 []\n"


def test_without_a_cache_the_result_is_the_same(
    project: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/nowhere")
    _built(program)
    assert program("build").out == "1 package: 1 unchanged\n"
    assert program("build", "--check").status == 0


_CHANGES: dict[str, Callable[[], object]] = {
    "a generated file": lambda: DEFINITION.write_text("// mine\n"),
    "a missing file": DEFINITION.unlink,
    "the spec": _edit_spec,
    "the manifest": lambda: (PACKAGE / NAME).write_text("{}"),
}


@pytest.mark.parametrize("change", _CHANGES)
def test_the_short_cut_overlooks_no_change(project: Path, program: Program, change: str) -> None:
    _built(program)
    assert program("build", "--check").status == 0
    _CHANGES[change]()
    assert program("build", "--check").status == 1


def test_warnings_are_repeated(project: Path, program: Program) -> None:
    _edit_spec("constraints:", "let:\n  unused_value: D + 1\n\nconstraints:")
    for _ in range(2):
        done = program("build")
        assert (done.status, "warning[QS442]" in done.err) == (0, True)


# --------------------------------------------------------------------------- check


def test_check_lists_what_would_change_and_writes_nothing(project: Path, program: Program) -> None:
    _built(program)
    _edit_spec("en: Multiplies each row", "en: Scales each row")
    DEFINITION.unlink()
    before = _tree(Path())
    done = program("build", "--check")
    assert done.status == 1
    assert done.out == "1 package: 1 out of date\n"
    assert done.err.startswith(
        "spec/add_example.yaml:13:9: error[QS910]: "
        "generated/add_example is not what spec/add_example.yaml generates\n"
        " 13 |   name: AddExample\n    |         ^^^^^^^^^^\n"
        "  = help: run `qsfa-codegen build`\n"
        "  missing: op_host/add_example_def.cpp\n"
        f"  differs: {NAME}\n"
    )
    assert _tree(Path()) == before


def test_check_of_a_package_that_was_never_built(project: Path, program: Program) -> None:
    done = program("build", "--check")
    assert done.status == 1
    assert "  missing: op_host/add_example_def.cpp\n" in done.err
    assert not Path("generated").exists()


def test_check_gives_programs_the_list_in_the_message(project: Path, program: Program) -> None:
    done = program("build", "--check", "--format", "json")
    (found,) = json.loads(done.out)["diagnostics"]
    assert (done.status, done.err, found["code"]) == (1, "", "QS910")
    assert "\nmissing: op_host/add_example_def.cpp\n" in found["message"]


def test_chips_without_a_legal_call_are_reported(project: Path, program: Program) -> None:
    rules = "constraints:\n  - {id: long_rows, require: D > 4000}\n  - {id: short_rows, require: D < 100}\n"
    _edit_spec("constraints:\n", rules)
    line = 1 + Path("spec/add_example.yaml").read_text().split("\n").index(rules.split("\n")[2])
    for _ in range(2):
        done = program("build")
        assert done.status == 0
        assert done.err.startswith(
            f"spec/add_example.yaml:{line}:10: warning[QS911]: no legal call was found on A2, A3; "
            "in the way stood short_rows\n"
        )


# --------------------------------------------------------------------------- edits by hand


def test_an_edit_by_hand_is_shown_and_kept(project: Path, program: Program) -> None:
    _built(program)
    DEFINITION.write_text(DEFINITION.read_text() + "// mine\n")
    _edit_spec()
    before = _tree(PACKAGE)
    done = program("build")
    assert done.status == 1
    last = len(DEFINITION.read_text().splitlines())
    assert (
        f"{DEFINITION}:{last}:1: error[QS901]: this file was edited by hand since it was generated\n"
        f" {last} | // mine\n"
    ) in done.err
    assert "\n  -// mine\n" in done.err
    assert "`build --force`" in done.err
    assert _tree(PACKAGE) == before


def test_force_overwrites_an_edit(project: Path, program: Program) -> None:
    _built(program)
    DEFINITION.write_text("// mine\n")
    done = program("build", "--force")
    assert done.status == 0
    assert f"overwritten although {DEFINITION.relative_to(PACKAGE)} was not as generated" in done.out
    assert "mine" not in DEFINITION.read_text()


def test_a_file_of_somebody_else(project: Path, program: Program) -> None:
    DEFINITION.parent.mkdir(parents=True)
    DEFINITION.write_text("// mine\n")
    done = program("build")
    assert done.status == 1
    assert f"{DEFINITION}:1:1: error[QS902]: this file was not written by this program\n" in done.err


def test_a_link_in_the_way(project: Path, program: Program, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    PACKAGE.mkdir(parents=True)
    (PACKAGE / "op_host").symlink_to(tmp_path / "outside")
    done = program("build", "--force")
    assert (done.status, "error[QS903]" in done.err) == (1, True)
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_disk_that_fails(project: Path, program: Program) -> None:
    Path("generated").write_text("a file where the output folder must be")
    done = program("build", "--out", "generated/out")
    assert done.status == 3
    assert "error[QS904]: generated/out/add_example was not written: " in done.err


# --------------------------------------------------------------------------- several packages


def test_packages_without_a_spec(project: Path, program: Program) -> None:
    new("Gone", Path("spec"))
    assert program("build").status == 0
    Path("spec/gone.yaml").unlink()
    Path("generated/gone/notes.md").write_text("mine")

    done = program("build")
    assert done.status == 0
    assert "warning[QS909]: generated/gone was generated from gone.yaml, and no spec generates it" in done.err
    assert program("build", "--check").status == 1
    assert program("build", "spec/add_example.yaml", "--check").status == 0

    assert program("build", "--prune").status == 0
    assert [path.name for path in Path("generated/gone").iterdir()] == ["notes.md"]
    assert program("build", "--check").status == 0


def test_an_operator_that_was_renamed_leaves_its_package(project: Path, program: Program) -> None:
    _built(program)
    _edit_spec("name: AddExample", "name: AddOther")
    assert "QS909" in program("build").err
    program("build", "--prune")
    assert [path.name for path in Path("generated").iterdir()] == ["add_other"]


def test_an_edited_file_of_a_package_without_a_spec_is_kept(project: Path, program: Program) -> None:
    _built(program)
    DEFINITION.write_text("// mine\n")
    _edit_spec("name: AddExample", "name: AddOther")
    done = program("build", "--prune")
    assert (done.status, "QS901" in done.err) == (1, True)
    assert DEFINITION.is_file()


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_two_specs_cannot_generate_one_package(project: Path, program: Program, jobs: str) -> None:
    spec = Path("spec/add_example.yaml")
    for name in ("b", "c"):
        Path(f"spec/{name}.yaml").write_text(spec.read_text())
    for _ in range(2):  # also when some of them are known to be current
        done = program("build", "--jobs", jobs)
        assert done.status == 1
        for name in ("b", "c"):
            assert (
                f"error[QS905]: spec/{name}.yaml and spec/add_example.yaml both generate the package "
                "add_example\n"
            ) in done.err
        assert '"add_example.yaml"' in (PACKAGE / NAME).read_text()


def test_a_package_of_another_spec_is_kept(project: Path, program: Program) -> None:
    _built(program)
    other = Path("elsewhere/mine.yaml")
    other.parent.mkdir()
    other.write_text(Path("spec/add_example.yaml").read_text().replace("max: 8192", "max: 4096"))
    before = _tree(PACKAGE)
    for arguments in ([], ["--check"], ["--force"]):
        done = program("build", other, *arguments)
        assert done.status == 1
        assert (
            "elsewhere/mine.yaml:13:9: error[QS912]: generated/add_example was generated from "
            "add_example.yaml, not from mine.yaml\n"
        ) in done.err
        assert "`build --take-over`" in done.err
        assert _tree(PACKAGE) == before
    assert program("build", other, "--take-over").status == 0
    assert program("build", other, "--check").status == 0
    assert "QS912" in program("build").err


def test_specs_with_one_file_name_are_told_apart_by_their_folders(project: Path, program: Program) -> None:
    first, second = Path("spec/a/add_example.yaml"), Path("spec/b/add_example.yaml")
    for spec in (first, second):
        spec.parent.mkdir()
        spec.write_text(Path("spec/add_example.yaml").read_text())
    assert program("build", first).status == 0
    for arguments in ([second], ["spec/add_example.yaml"]):
        done = program("build", *arguments)
        assert done.status == 1
        assert "error[QS912]: generated/add_example was generated from a/add_example.yaml, not" in done.err
    assert program("build", first, "--check").status == 0


def test_a_manifest_that_names_the_file_alone_is_understood(project: Path, program: Program) -> None:
    """As earlier versions of the program wrote them."""
    spec = Path("spec/deep/add_example.yaml")
    spec.parent.mkdir()
    Path("spec/add_example.yaml").rename(spec)
    _built(program)
    manifest = json.loads((PACKAGE / NAME).read_text())
    assert (manifest["format"], manifest["spec"]["path"]) == (2, "deep/add_example.yaml")
    manifest["format"] = 1
    for named, status in (("other.yaml", 1), ("add_example.yaml", 0)):
        manifest["spec"]["path"] = named
        (PACKAGE / NAME).write_text(json.dumps(manifest))
        done = program("build")
        assert (done.status, "QS912" in done.err) == (status, status == 1)
    assert json.loads((PACKAGE / NAME).read_text())["spec"]["path"] == "deep/add_example.yaml"


def test_what_takes_over_does_not_overwrite_edits(project: Path, program: Program) -> None:
    _built(program)
    DEFINITION.write_text("// mine\n")
    Path("spec/add_example.yaml").rename("spec/renamed.yaml")
    done = program("build", "--take-over")
    assert (done.status, "QS901" in done.err, "QS912" in done.err) == (1, True, False)
    assert DEFINITION.read_text() == "// mine\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--check", "--force"], "--check writes nothing: leave out --force"),
        (["--check", "--prune", "--take-over"], "--check writes nothing: leave out --prune and --take-over"),
        (["--prune", "spec/add_example.yaml"], "--prune needs to know all specs: name none"),
    ],
)
def test_options_that_contradict_each_other(
    project: Path, program: Program, arguments: list[str], message: str
) -> None:
    done = program("build", *arguments)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"Error: {message}")


def test_parallel_and_single_builds_say_and_write_the_same(project: Path, program: Program) -> None:
    for number in range(6):
        new(f"Many{number}", Path("spec"))
    bad = Path("spec/many3.yaml")
    bad.write_text(bad.read_text().replace("when: mode == 1", "when: modus == 1"))
    single = program("build", "--jobs", "1", "--out", "one")
    several = program("build", "--jobs", "3", "--out", "two")
    assert several.err == single.err
    assert several.out == single.out.replace("one/", "two/")
    one = {path.removeprefix("one/"): data for path, data in _tree(Path("one")).items()}
    assert {path.removeprefix("two/"): data for path, data in _tree(Path("two")).items()} == one


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_spec_that_breaks_the_program_is_named(
    project: Path, program: Program, monkeypatch: pytest.MonkeyPatch, jobs: str
) -> None:
    from qsfa_codegen.render import package

    new("Other", Path("spec"))
    real = package.render

    def render(operator: object, templates: object) -> dict[str, str]:
        if getattr(operator, "name", "") == "Other":
            raise RuntimeError("it broke")
        return real(operator, templates)  # type: ignore[arg-type]

    monkeypatch.setattr(package, "render", render)
    done = program("--debug", "build", "--jobs", jobs)
    assert done.status == 3
    assert "error[QS906]: work on spec/other.yaml stopped: RuntimeError: it broke\n" in done.err
    assert 'raise RuntimeError("it broke")' in done.err
    assert DEFINITION.is_file()


def test_a_worker_that_is_killed_is_named(
    project: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    from qsfa_codegen.render import package

    new("Other", Path("spec"))
    monkeypatch.setattr(package, "render", lambda *_: os._exit(42))
    done = program("build", "--jobs", "2")
    assert done.status == 3
    for name in ("add_example", "other"):
        assert f"work on spec/{name}.yaml stopped: the process ended with status 42\n" in done.err


# --------------------------------------------------------------------------- odd names and odd files


def test_names_that_are_not_utf8(project: Path, program: Program) -> None:
    spec = Path(os.fsdecode(b"spec/\xff \n.yaml"))
    Path("spec/add_example.yaml").rename(spec)
    folder = Path(os.fsdecode(b"my \xff/op_host"))
    folder.mkdir(parents=True)
    (folder / "op_def.cpp.j2").write_bytes((ROOT / "templates/op_host/op_def.cpp.j2").read_bytes())
    written = program("build", "--templates", folder.parent)
    assert (written.status, written.err) == (0, "")
    assert program("build", "--templates", folder.parent, "--check").out == "1 package: 1 unchanged\n"
    refused = program("build", "--format", "json")
    assert json.loads(refused.out)["diagnostics"][0]["code"] == "QS913"
    assert program("build", "--take-over").status == 0
    assert program("build").out == "1 package: 1 unchanged\n"
    assert DEFINITION.read_text().startswith("// Generated by qsfa-codegen from ? .yaml.\n")
    assert json.loads((PACKAGE / NAME).read_text())["spec"]["path"] == "? \n.yaml"


@pytest.mark.parametrize("place", ["the package", "a package without a spec"])
def test_a_manifest_that_is_a_pipe_is_not_opened(project: Path, place: str) -> None:
    assert process("build").status == 0
    package = PACKAGE if place == "the package" else Path("generated/other")
    package.mkdir(exist_ok=True)
    (package / NAME).unlink(missing_ok=True)
    os.mkfifo(package / NAME)
    done = process("build")
    assert done.status == (1 if place == "the package" else 0)
    assert ("error[QS903]" in done.err) == (place == "the package")


def test_a_folder_in_the_place_of_a_file(project: Path, program: Program) -> None:
    _built(program)
    DEFINITION.unlink()
    DEFINITION.mkdir()
    (DEFINITION / "mine").touch()
    for arguments in ([], ["--force"], ["--check"]):
        done = program("build", *arguments)
        assert (done.status, "error[QS903]" in done.err) == (1, True)
    assert (DEFINITION / "mine").is_file()


def test_a_spec_that_goes_away_during_the_build(
    project: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    from qsfa_codegen.commands import build

    second = new("Second", Path("spec"))
    real = build._build_tasks

    def build_tasks(*arguments: Any) -> Any:
        second.unlink()
        return real(*arguments)

    monkeypatch.setattr(build, "_build_tasks", build_tasks)
    done = program("build")
    assert (done.status, done.out.splitlines()[-1]) == (1, "2 packages: 1 written, 1 failed")
    assert "error[QS100]: 'spec/second.yaml' cannot be read: no such file or directory" in done.err


# --------------------------------------------------------------------------- templates of the user's


@pytest.fixture
def templates(project: Path) -> Path:
    """A folder with a copy of one built-in template."""
    folder = project / "my_templates"
    name = "op_host/op_def.cpp.j2"
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_bytes((ROOT / "templates" / name).read_bytes())
    return folder / name


def test_own_templates_replace_built_in_ones(project: Path, program: Program, templates: Path) -> None:
    _built(program)
    templates.write_text(templates.read_text() + "// house style\n")
    assert program("build", "--templates", "my_templates").status == 0
    assert DEFINITION.read_text().endswith("// house style\n")
    assert json.loads((PACKAGE / NAME).read_text())["templates"] is not None
    assert program("build", "--templates", "my_templates", "--check").status == 0


def test_a_build_without_the_templates_of_the_last_one_is_refused(
    project: Path, program: Program, templates: Path
) -> None:
    templates.write_text(templates.read_text() + "// house style\n")
    assert program("build", "--templates", "my_templates").status == 0
    before = _tree(PACKAGE)
    for arguments in ([], ["--check"], ["--force"]):
        done = program("build", *arguments)
        assert done.status == 1
        assert (
            "spec/add_example.yaml:13:9: error[QS913]: generated/add_example was generated with templates "
            "from my_templates, and now none are given\n"
        ) in done.err
        assert _tree(PACKAGE) == before
    templates.write_text(templates.read_text() + "// more\n")
    assert program("build", "--templates", "my_templates").status == 0
    assert program("build", "--take-over").status == 0
    assert "house style" not in DEFINITION.read_text()
    assert program("build", "--check").status == 0


@pytest.mark.parametrize(
    ("text", "line"), [("a\n{{ no_such_name }}\n", 2), ("a\n\n{% if %}\n", 3), ("{{ 1 // 0 }}\n", 1)]
)
def test_a_template_that_fails_is_named_with_its_line(
    project: Path, program: Program, templates: Path, text: str, line: int
) -> None:
    templates.write_text(text)
    done = program("build", "--templates", "my_templates")
    assert done.status == 1
    assert f"my_templates/op_host/op_def.cpp.j2:{line}:1: error[QS908]: " in done.err
    assert not Path("generated").exists()


def test_every_mistake_in_a_folder_of_templates_is_reported_once(
    project: Path, program: Program, templates: Path
) -> None:
    new("Other", Path("spec"))
    folder = templates.parent
    (folder / "op_tiling.h.j2").write_text("\n\n{% for %}\n")
    (folder / "op_tiling.cpp.j2").write_bytes(b"// \xe4\xb8\xad\n// \xff\n")
    (folder / "op_infershape.cpp.j2").write_bytes(b"\xef\xbb\xbf// x\n")
    (folder / "op_deff.cpp.j2").touch()
    (folder / "op_def.cpp").touch()
    for harmless in ("notes.md", ".hidden.j2"):
        (folder / harmless).touch()
    done = program("build", "--templates", "my_templates")
    assert (done.status, done.out) == (1, "")
    found = [line for line in done.err.splitlines() if "error[" in line]
    assert [line.removeprefix("my_templates/op_host/").split("]: ")[0] for line in found] == [
        "op_def.cpp:1:1: error[QS914",
        "op_deff.cpp.j2:1:1: error[QS914",
        "op_infershape.cpp.j2:1:1: error[QS908",
        "op_tiling.cpp.j2:2:4: error[QS908",
        "op_tiling.h.j2:3:1: error[QS908",
    ]
    assert "  = help: did you mean `op_host/op_def.cpp.j2`?\n" in done.err
    assert not Path("generated").exists()


def test_templates_may_be_split(project: Path, program: Program, templates: Path) -> None:
    templates.write_text(templates.read_text() + '{% include "house/end.j2" %}\n')
    Path("my_templates/house").mkdir()
    Path("my_templates/house/end.j2").write_text("// the end\n")
    assert program("build", "--templates", "my_templates").status == 0
    assert DEFINITION.read_text().endswith("// the end\n")
    Path("my_templates/house/end.j2").write_text("{{ nothing }}\n")
    done = program("build", "--templates", "my_templates")
    assert "my_templates/house/end.j2:1:1: error[QS908]: " in done.err


@pytest.mark.parametrize("kind", ["pipe", "link to nothing", "link in a circle", "link to a folder"])
def test_what_is_no_file_in_a_folder_of_templates_is_not_opened(
    project: Path, program: Program, templates: Path, kind: str
) -> None:
    odd = templates.with_name("op_tiling.cpp.j2")
    if kind == "pipe":
        os.mkfifo(odd)
    else:
        odd.symlink_to({"link to nothing": "nowhere", "link in a circle": odd.name}.get(kind, ".."))
    done = program("build", "--templates", "my_templates")
    assert (done.status, done.out) == (1, "")
    assert f"error[QS915]: {odd.relative_to(project)} " in done.err
    assert not Path("generated").exists()


# --------------------------------------------------------------------------- interruptions


def test_an_interrupted_build_leaves_whole_packages(project: Path) -> None:
    for number in range(40):
        new(f"Many{number}", Path("spec"))
    child = subprocess.Popen(
        [sys.executable, "-m", "qsfa_codegen", "build", "--jobs", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        process_group=0,
    )
    assert child.stdout is not None
    child.stdout.readline()  # one package is written
    os.killpg(child.pid, 2)
    _, err = child.communicate(timeout=30)
    assert child.returncode == 130
    assert "Traceback" not in err
    written = [path.parent for path in Path("generated").glob(f"*/{NAME}")]
    assert 1 <= len(written) < 41
    assert sorted(path.name for path in Path("generated").iterdir()) == sorted(p.name for p in written)
    whole = len(_tree(written[0]))
    assert {len(_tree(package)) for package in written} == {whole}
