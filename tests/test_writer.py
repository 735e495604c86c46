"""Writing a package: all or nothing, hand edits kept, nothing outside the folder."""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsfa_codegen import writer
from qsfa_codegen.manifest import NAME, DamagedError, Provenance, decode
from qsfa_codegen.transaction import STAGING, WriteError
from qsfa_codegen.writer import Obstacle, RefusedError, UnsafePathError

MADE = Provenance("tool 1", "op.yaml", "0" * 64)
FILES = {"a.txt": "alpha\n", "sub/b.txt": "beta\n", "sub/deep/c.txt": "gamma\n"}


def tree(package: Path) -> dict[str, bytes]:
    """Every file below a folder, the manifest left out."""
    return {
        path.relative_to(package).as_posix(): path.read_bytes()
        for path in package.rglob("*")
        if path.is_file() and path.name != NAME
    }


def text(files: dict[str, str]) -> dict[str, bytes]:
    return {path: value.encode() for path, value in files.items()}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "out" / "op"
    writer.update(folder, FILES, MADE)
    return folder


# --------------------------------------------------------------------------- the ordinary life of a package


def test_first_build_creates_everything(tmp_path: Path) -> None:
    plan = writer.update(tmp_path / "out" / "op", FILES, MADE)
    assert plan.created == (NAME, "a.txt", "sub/b.txt", "sub/deep/c.txt")
    assert tree(tmp_path / "out" / "op") == text(FILES)


def test_files_have_the_mode_of_ordinary_files(package: Path) -> None:
    modes = {stat.S_IMODE(path.stat().st_mode) for path in package.rglob("*") if path.is_file()}
    assert modes == {0o644 & ~_umask()}


def _umask() -> int:
    value = os.umask(0)
    os.umask(value)
    return value


def test_rewriting_keeps_the_mode_that_a_file_has(package: Path) -> None:
    (package / "a.txt").chmod(0o664)
    writer.update(package, {**FILES, "a.txt": "new\n"}, MADE)
    assert stat.S_IMODE((package / "a.txt").stat().st_mode) == 0o664


def test_equal_files_are_not_written(package: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in package.rglob("*")}
    plan = writer.update(package, FILES, MADE)
    assert plan.idle
    assert plan.unchanged == (NAME, "a.txt", "sub/b.txt", "sub/deep/c.txt")
    assert {path: path.stat().st_mtime_ns for path in package.rglob("*")} == before


def test_only_changed_files_are_written(package: Path) -> None:
    kept = (package / "sub/b.txt").stat().st_ino
    plan = writer.update(package, {**FILES, "a.txt": "new\n"}, MADE)
    assert plan.changed == (NAME, "a.txt")
    assert (package / "a.txt").read_text() == "new\n"
    assert (package / "sub/b.txt").stat().st_ino == kept


def test_files_no_longer_generated_are_removed_with_their_folders(package: Path) -> None:
    plan = writer.update(package, {"a.txt": "alpha\n"}, MADE)
    assert plan.stale == ("sub/b.txt", "sub/deep/c.txt")
    assert sorted(path.name for path in package.iterdir()) == [NAME, "a.txt"]


def test_no_files_at_all_removes_the_package(package: Path) -> None:
    writer.update(package, {}, MADE)
    assert not package.exists()


def test_a_missing_file_is_written_again(package: Path) -> None:
    (package / "a.txt").unlink()
    assert writer.update(package, FILES, MADE).created == ("a.txt",)
    assert tree(package) == text(FILES)


def test_what_people_put_beside_the_files_is_left_alone(package: Path) -> None:
    (package / "sub/notes.md").write_text("mine")
    (package / "own").mkdir()
    writer.update(package, {}, MADE)
    assert tree(package) == {"sub/notes.md": b"mine"}
    assert (package / "own").is_dir()


def test_planning_writes_nothing(tmp_path: Path) -> None:
    plan = writer.plan(tmp_path / "op", FILES, MADE)
    assert len(plan.created) == 4
    assert list(tmp_path.iterdir()) == []


def test_manifest_says_where_the_package_came_from(package: Path) -> None:
    document = json.loads((package / NAME).read_text())
    assert document["generator"] == "tool 1"
    assert document["spec"] == {"path": "op.yaml", "sha256": "0" * 64}
    assert list(document["files"]) == ["a.txt", "sub/b.txt", "sub/deep/c.txt"]
    listed = "".join(f"{value}  {path}\n" for path, value in document["files"].items())
    subprocess.run(["sha256sum", "--check", "-"], input=listed, text=True, cwd=package, check=True)


# --------------------------------------------------------------------------- edits by hand


def test_an_edited_file_stops_the_whole_build_and_shows_the_difference(package: Path) -> None:
    (package / "sub/b.txt").write_text("mine\n")
    with pytest.raises(RefusedError) as caught:
        writer.update(package, {**FILES, "a.txt": "new\n"}, MADE)
    (refusal,) = caught.value.plan.hand_edited
    assert (refusal.path, refusal.obstacle) == ("sub/b.txt", Obstacle.EDITED)
    assert refusal.detail == (
        "--- sub/b.txt (on disk)\n+++ sub/b.txt (as generated)\n@@ -1 +1 @@\n-mine\n+beta\n"
    )
    assert tree(package) == {**text(FILES), "sub/b.txt": b"mine\n"}


def test_an_edited_file_that_is_no_longer_generated_is_kept(package: Path) -> None:
    (package / "sub/b.txt").write_text("mine\n")
    with pytest.raises(RefusedError) as caught:
        writer.update(package, {"a.txt": "alpha\n"}, MADE)
    assert "+++ /dev/null" in caught.value.plan.hand_edited[0].detail
    assert (package / "sub/deep/c.txt").exists()


def test_force_overwrites_and_says_which(package: Path) -> None:
    (package / "sub/b.txt").write_text("mine\n")
    plan = writer.update(package, FILES, MADE, force=True)
    assert plan.overridden == ("sub/b.txt",)
    assert tree(package) == text(FILES)


def test_an_edit_that_equals_the_new_text_is_fine(package: Path) -> None:
    (package / "a.txt").write_text("new\n")
    plan = writer.update(package, {**FILES, "a.txt": "new\n"}, MADE)
    assert plan.changed == (NAME,)


def test_line_ends_of_a_checkout_are_not_an_edit(package: Path) -> None:
    (package / "a.txt").write_bytes(b"alpha\r\n")
    (package / "sub/b.txt").write_bytes(b"beta\r\n")
    plan = writer.update(package, {**FILES, "a.txt": "new\n"}, MADE)
    assert set(plan.changed) == {NAME, "a.txt", "sub/b.txt"}
    assert tree(package) == text({**FILES, "a.txt": "new\n"})


@pytest.mark.parametrize(
    ("edited", "shown"),
    [
        (b"alpha", "-alpha\n\\ No newline at end of file\n+alpha\n"),
        (b"alpha\n\r", "@@ -1,2 +1 @@\n alpha\n-\r\n\\ No newline at end of file\n"),
        (b"al\x1b[2Jpha\n", "-al\x1b[2Jpha\n+alpha\n"),
    ],
)
def test_a_difference_that_one_does_not_see_is_shown(package: Path, edited: bytes, shown: str) -> None:
    (package / "a.txt").write_bytes(edited)
    assert writer.plan(package, FILES, MADE).hand_edited[0].detail.endswith(shown)


def test_a_long_difference_is_cut(package: Path) -> None:
    (package / "a.txt").write_text("".join(f"line {n}\n" for n in range(1000)))
    (refusal,) = writer.plan(package, FILES, MADE).hand_edited
    assert len(refusal.detail.splitlines()) == 201
    assert refusal.detail.splitlines()[-1] == "… 804 more lines"


def test_a_difference_of_something_that_is_not_text(package: Path) -> None:
    (package / "a.txt").write_bytes(b"\xff\xfe\x00")
    assert writer.plan(package, FILES, MADE).hand_edited[0].detail == "the file on disk is not text\n"


# --------------------------------------------------------------------------- damaged manifests


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b'{"format": 3, "spec": {"path": "x"}, "files": {}}',
        b'{"format": 1, "spec": {"path": "x"}, "files": []}',
        b'{"format": 1, "spec": {"path": "x"}, "files": {"a.txt": 3}}',
        b"[" * 100_000,
        b"<<<<<<< HEAD\n",
    ],
)
def test_a_damaged_manifest(package: Path, damage: bytes) -> None:
    (package / NAME).write_bytes(damage)
    with pytest.raises(DamagedError):
        decode(damage)
    (package / "sub/b.txt").write_text("mine\n")
    (refusal,) = writer.plan(package, FILES, MADE).hand_edited
    assert (refusal.path, refusal.obstacle) == ("sub/b.txt", Obstacle.FOREIGN)
    (package / "sub/b.txt").write_text("beta\n")
    assert writer.update(package, FILES, MADE).changed == (NAME,)


def test_a_file_that_was_there_before_the_first_build_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("mine\n")
    with pytest.raises(RefusedError):
        writer.update(tmp_path, FILES, MADE)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    writer.update(tmp_path, FILES, MADE, force=True)
    assert tree(tmp_path) == text(FILES)


@pytest.mark.parametrize("escape", ["../victim", "/tmp/victim", "sub/../../victim"])
def test_a_manifest_cannot_have_files_outside_removed(package: Path, escape: str) -> None:
    victim = package.parent / "victim"
    victim.write_text("alpha\n")
    document = json.loads((package / NAME).read_text())
    document["files"][escape] = document["files"]["a.txt"]
    (package / NAME).write_text(json.dumps(document))
    writer.update(package, FILES, MADE)
    assert victim.read_text() == "alpha\n"


# --------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    "path",
    ["", "/etc/x", "../x", "a/../../x", "a//b", "./a", "a/.", "a/", "a\\b", "c:x", "a\nb", "a\0b", NAME,
     ".Manifest.json", STAGING, f"{STAGING}/1.new"],
)  # fmt: skip
def test_unsafe_names_are_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(UnsafePathError):
        writer.update(tmp_path / "op", {"ok": "x", path: "x"}, MADE)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("one", "other"), [("readme.md", "README.md"), ("a/x", "A/x"), ("a", "a/b"), ("A/b", "a"), ("ß", "SS")]
)
def test_names_that_collide_are_refused(tmp_path: Path, one: str, other: str) -> None:
    with pytest.raises(UnsafePathError):
        writer.plan(tmp_path, {one: "x", other: "y"}, MADE)


def test_text_that_utf8_cannot_hold_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(UnsafePathError, match="UTF-8"):
        writer.update(tmp_path / "op", {"a": "x", "b": "\ud800"}, MADE)
    assert list(tmp_path.iterdir()) == []


# --------------------------------------------------------------------------- things in the way


def test_a_link_out_of_the_package_is_not_followed(package: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "b.txt").write_text("beta\n")
    (package / "sub/deep/c.txt").unlink()
    (package / "sub/deep").rmdir()
    (package / "sub/b.txt").unlink()
    (package / "sub").rmdir()
    (package / "sub").symlink_to(outside)
    for force in (False, True):
        with pytest.raises(RefusedError) as caught:
            writer.update(package, {**FILES, "sub/b.txt": "new\n"}, MADE, force=force)
        assert {refusal.obstacle for refusal in caught.value.plan.hand_edited} == {Obstacle.BLOCKED}
    writer.update(package, {"a.txt": "alpha\n"}, MADE)
    assert (outside / "b.txt").read_text() == "beta\n"


@pytest.mark.parametrize("path", ["a.txt", NAME])
def test_a_linked_file_is_not_written_through(package: Path, tmp_path: Path, path: str) -> None:
    (tmp_path / "target").write_text("kept")
    (package / path).unlink()
    (package / path).symlink_to(tmp_path / "target")
    with pytest.raises(RefusedError) as caught:
        writer.update(package, {**FILES, "a.txt": "new\n"}, MADE, force=True)
    assert f"{path} is a symbolic link where a file must be\n" in {
        refusal.detail for refusal in caught.value.plan.hand_edited
    }
    assert (tmp_path / "target").read_text() == "kept"


def test_a_file_where_a_folder_must_be(tmp_path: Path) -> None:
    (tmp_path / "sub").write_text("a file")
    with pytest.raises(RefusedError) as caught:
        writer.update(tmp_path, FILES, MADE, force=True)
    assert caught.value.plan.hand_edited[0].detail == "sub is a file where a folder must be\n"
    assert tree(tmp_path) == {"sub": b"a file"}


def test_a_folder_where_a_file_must_be(tmp_path: Path) -> None:
    (tmp_path / "a.txt").mkdir()
    (tmp_path / NAME).mkdir()
    with pytest.raises(RefusedError) as caught:
        writer.update(tmp_path, FILES, MADE, force=True)
    assert [refusal.path for refusal in caught.value.plan.hand_edited] == [NAME, "a.txt"]


def test_a_file_where_the_package_must_be(tmp_path: Path) -> None:
    (tmp_path / "op").write_text("a file")
    with pytest.raises(WriteError, match="op: File exists"):
        writer.update(tmp_path / "op", FILES, MADE)


def test_the_package_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "op").symlink_to(tmp_path / "real")
    writer.update(tmp_path / "op", FILES, MADE)
    assert tree(tmp_path / "real") == text(FILES)


def test_a_name_that_the_disk_refuses(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="File name too long"):
        writer.update(tmp_path / "op", {**FILES, "x" * 300: ""}, MADE)
    assert not (tmp_path / "op").exists()


# --------------------------------------------------------------------------- failures midway

_NEXT = {"a.txt": "new\n", "sub/b.txt": "beta 2\n", "fresh/d.txt": "delta\n"}  # c is stale


def _failing(real: Callable[..., Any], at: int, error: BaseException) -> Callable[..., Any]:
    calls = iter(range(1, 1000))

    def call(*args: Any, **keywords: Any) -> Any:
        if next(calls) == at:
            raise error
        return real(*args, **keywords)

    return call


def _whole_state(root: Path) -> dict[str, tuple[bytes | None, int]]:
    return {
        path.relative_to(root).as_posix(): (
            path.read_bytes() if path.is_file() else None,
            path.stat().st_mode,
        )
        for path in root.rglob("*")
    }


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("call", ["replace", "open", "link", "mkdir", "chmod"])
def test_a_failure_at_any_step_changes_nothing(
    package: Path, monkeypatch: pytest.MonkeyPatch, call: str, error: BaseException
) -> None:
    failures = 0
    for at in range(1, 10):
        copy = package.parent / f"copy{at}"
        shutil.copytree(package, copy)
        before = _whole_state(copy)
        with monkeypatch.context() as patch:
            patch.setattr(os, call, _failing(getattr(os, call), at, error))
            try:
                writer.update(copy, _NEXT, MADE)
            except (WriteError, KeyboardInterrupt):
                failures += 1
                assert _whole_state(copy) == before
                continue
        assert tree(copy) == text(_NEXT)
    copied_instead = call == "link" and isinstance(error, OSError)
    assert failures > 0 or copied_instead


@pytest.mark.parametrize("call", ["replace", "open", "mkdir"])
def test_a_first_build_that_fails_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, call, _failing(getattr(os, call), 3, OSError(errno.EIO, "Input/output error")))
        with pytest.raises(WriteError, match="Input/output error"):
            writer.update(tmp_path / "out" / "op", FILES, MADE)
    assert list(tmp_path.iterdir()) == []


def test_old_bytes_survive_where_there_are_no_hard_links(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    before = _whole_state(package)
    monkeypatch.setattr(os, "link", no_links)
    monkeypatch.setattr(os, "replace", _failing(os.replace, 4, OSError(errno.EIO, "Input/output error")))
    with pytest.raises(WriteError):
        writer.update(package, _NEXT, MADE)
    assert _whole_state(package) == before


def test_when_undoing_fails_too_the_old_bytes_are_named(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = iter(range(1, 1000))
    real = os.replace

    def dying_disk(source: Path, target: Path) -> None:
        if next(calls) >= 3:
            raise OSError(errno.EIO, "Input/output error")
        real(source, target)

    monkeypatch.setattr(os, "replace", dying_disk)
    with pytest.raises(WriteError, match=r"see .*qsfa-codegen\.tmp for .*sub/deep/c\.txt"):
        writer.update(package, _NEXT, MADE)
    saved = {path.read_bytes() for path in (package / STAGING).iterdir()}
    assert b"gamma\n" in saved


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder that a user without privileges can reach, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_a_folder_that_may_not_be_written(shared_folder: Path) -> None:
    package = shared_folder / "op"
    writer.update(package, FILES, MADE)
    package.chmod(0o555)
    was_root = os.geteuid() == 0
    if was_root:
        os.seteuid(65534)
    try:
        with pytest.raises(WriteError, match="Permission denied"):
            writer.update(package, _NEXT, MADE)
        assert writer.update(package, FILES, MADE).idle
    finally:
        if was_root:
            os.seteuid(0)
        package.chmod(0o755)
    assert tree(package) == text(FILES)


# --------------------------------------------------------------------------- killed and concurrent builds


def test_a_killed_build_is_taken_up_by_the_next(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child = multiprocessing.get_context("fork").Process(target=_build_and_die, args=(package,))
    child.start()
    child.join()
    assert child.exitcode == 9
    assert (package / STAGING).is_dir()
    assert tree(package)["a.txt"] == b"new\n"  # it came as far as this

    plan = writer.update(package, {**_NEXT, "a.txt": "newest\n"}, MADE)
    assert plan.overridden == ()
    assert tree(package) == text({**_NEXT, "a.txt": "newest\n"})
    assert not (package / STAGING).exists()


def _build_and_die(package: Path) -> None:
    real = os.replace

    def die_after_some(source: Path, target: Path) -> None:
        real(source, target)
        if Path(target).name == "a.txt":
            os._exit(9)

    os.replace = die_after_some  # type: ignore[assignment]
    writer.update(package, _NEXT, MADE)


def test_leavings_of_a_killed_build_go_even_when_nothing_changes(package: Path) -> None:
    (package / STAGING).mkdir()
    (package / STAGING / "1.new").write_text("half")
    assert writer.update(package, FILES, MADE).idle
    assert not (package / STAGING).exists()


def test_a_file_in_the_place_of_the_staging_folder(package: Path) -> None:
    (package / STAGING).write_text("mine")
    with pytest.raises(WriteError, match="staging folder"):
        writer.update(package, _NEXT, MADE)
    assert tree(package) == {**text(FILES), STAGING: b"mine"}


def test_builds_at_the_same_time_leave_one_whole_package(tmp_path: Path) -> None:
    package = tmp_path / "out" / "op"
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=_build_often, args=(package, number)) for number in range(4)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0, 0, 0, 0]
    assert len(set(tree(package).values())) == 1
    assert len(tree(package)) == 5
    number = tree(package)["f0"].decode()
    assert writer.plan(package, {f"f{n}": number for n in range(5)}, MADE).idle


def _build_often(package: Path, number: int) -> None:
    for _ in range(15):
        writer.update(package, {f"f{n}": str(number) for n in range(5)}, MADE)


# --------------------------------------------------------------------------- any history

_NAMES = st.sampled_from(["a", "b", "d/a", "d/e/a", "d/e/b", "f/a"])
_PACKAGES = st.dictionaries(_NAMES, st.text(max_size=3), max_size=6)


@given(builds=st.lists(_PACKAGES, max_size=4), own=st.sampled_from([None, "own", "d/own"]))
def test_after_any_history_the_folder_is_the_last_build(
    tmp_path_factory: pytest.TempPathFactory, builds: list[dict[str, str]], own: str | None
) -> None:
    package = tmp_path_factory.mktemp("history") / "op"
    expected: dict[str, bytes] = {}
    if own:
        (package / own).parent.mkdir(parents=True)
        (package / own).write_text("mine")
        expected = {own: b"mine"}
    for files in builds:
        writer.update(package, files, MADE)
        assert tree(package) == {**text(files), **expected} if package.exists() else not expected
        assert writer.plan(package, files, MADE).idle
