"""Knowing that there is nothing to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from qsfa_codegen import manifest, user_cache, writer
from qsfa_codegen.manifest import Provenance
from qsfa_codegen.stamp import Entry, Stamp, toolchain
from qsfa_codegen.transaction import STAGING


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def built(tmp_path: Path) -> tuple[Path, Path]:
    """A spec and an output folder with its package, recorded."""
    spec, out = tmp_path / "op.yaml", tmp_path / "out"
    spec.write_text("spec: 1\n")
    plan = writer.update(out / "op", {"a": "alpha", "d/b": "beta"}, Provenance("t", "op.yaml", "0"))
    stamp = Stamp(out, lambda: "tool")
    listing = manifest.digest(plan.contents[manifest.NAME])
    stamp.record(spec, Entry(manifest.digest(b"spec: 1\n"), "op", listing))
    stamp.save()
    return spec, out


def test_an_untouched_package_is_current(built: tuple[Path, Path]) -> None:
    spec, out = built
    assert Stamp(out, lambda: "tool").current(spec) == ("op", 3)


def test_where_nothing_is_known_of_a_spec_the_toolchain_does_not_matter(built: tuple[Path, Path]) -> None:
    spec, out = built

    def asked() -> str:
        raise AssertionError("asked")

    assert Stamp(out, asked).current(spec.with_name("other.yaml")) is None
    with pytest.raises(AssertionError, match="asked"):
        Stamp(out, asked).current(spec)


def _replace_by_link(_: Path, out: Path) -> None:
    (out / "op/a").rename(out / "a")
    (out / "op/a").symlink_to(out / "a")


_TOUCHES: dict[str, Callable[[Path, Path], object]] = {
    "spec": lambda spec, _: spec.write_text("spec: 2\n"),
    "file": lambda _, out: (out / "op/a").write_text("mine"),
    "deleted": lambda _, out: (out / "op/d/b").unlink(),
    "manifest": lambda _, out: (out / "op" / manifest.NAME).write_text("{}"),
    "leavings": lambda _, out: (out / "op" / STAGING).mkdir(),
    "no spec": lambda spec, _: spec.unlink(),
    "linked": _replace_by_link,
}


@pytest.mark.parametrize("touch", _TOUCHES)
def test_anything_touched_makes_it_stale(built: tuple[Path, Path], touch: str) -> None:
    spec, out = built
    _TOUCHES[touch](spec, out)
    assert Stamp(out, lambda: "tool").current(spec) is None


def test_another_program_makes_it_stale(built: tuple[Path, Path]) -> None:
    spec, out = built
    assert Stamp(out, lambda: "other").current(spec) is None


def test_another_folder_or_spec_is_not_current(built: tuple[Path, Path], tmp_path: Path) -> None:
    spec, out = built
    assert Stamp(tmp_path / "elsewhere", lambda: "tool").current(spec) is None
    (tmp_path / "other.yaml").write_text("spec: 1\n")
    assert Stamp(out, lambda: "tool").current(tmp_path / "other.yaml") is None


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"\xff",
        b"[]",
        b"null",
        b'{"toolchain": "tool"}',
        b'{"toolchain": "tool", "specs": {"x": 3}}',
        b'{"toolchain": "tool", "specs": [1]}',
    ],
)
def test_a_damaged_record_is_no_record(built: tuple[Path, Path], cache: Path, damage: bytes) -> None:
    spec, out = built
    (record,) = (cache / "qsfa-codegen/builds").iterdir()
    record.write_bytes(damage)
    assert Stamp(out, lambda: "tool").current(spec) is None


def test_deleted_specs_are_forgotten(built: tuple[Path, Path], cache: Path, tmp_path: Path) -> None:
    spec, out = built
    stamp = Stamp(out, lambda: "tool")
    spec.unlink()
    (tmp_path / "other.yaml").write_text("x")
    stamp.record(tmp_path / "other.yaml", Entry("1", "x", "2"))
    stamp.save()
    (record,) = (cache / "qsfa-codegen/builds").iterdir()
    assert list(json.loads(record.read_text())["specs"]) == [str(tmp_path / "other.yaml")]


@pytest.mark.parametrize("place", ["relative", "/dev/null/cache", "/proc/nowhere"])
def test_without_a_cache_nothing_is_kept_and_nothing_fails(
    monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", place)
    user_cache.write("x", b"1")
    assert user_cache.read("x") is None


def test_what_is_kept_is_read_again(cache: Path) -> None:
    user_cache.write("a/b", b"1")
    user_cache.write("a/b", b"2")
    assert user_cache.read("a/b") == b"2"
    assert [path.name for path in (cache / "qsfa-codegen/a").iterdir()] == ["b"]


def test_toolchain_sees_every_file_and_no_leavings(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/a.py").write_text("1")
    before = toolchain([tmp_path])
    for leaving in ("__pycache__", ".cache"):
        (tmp_path / leaving).mkdir()
        (tmp_path / leaving / "a.py").write_text("x")
    (tmp_path / "sub/a.pyc").write_text("x")
    assert toolchain([tmp_path]) == before
    seen = {before}
    for change in ("2", "1\n"):
        (tmp_path / "sub/a.py").write_text(change)
        seen.add(toolchain([tmp_path]))
    (tmp_path / "sub/a.py").rename(tmp_path / "sub/b.py")
    seen.add(toolchain([tmp_path]))
    seen.add(toolchain([tmp_path / "sub"]))
    seen.add(toolchain([tmp_path / "sub/b.py"]))
    assert len(seen) == 6
    assert toolchain([tmp_path], apart=[tmp_path / "sub"]) == toolchain([tmp_path / "nothing"])
