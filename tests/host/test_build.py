"""Compiling: which compiler, what is kept, what is said when it fails."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest

from qsfa_codegen import user_cache
from qsfa_codegen.host import compiler
from qsfa_codegen.host.build import RUNNER, build
from qsfa_codegen.host.errors import HostError

PACKAGE = {
    "op_host/thing_def.cpp": "int thing;\n",
    "op_host/thing_tiling.cpp": '#include "thing_tiling.h"\n',
    "op_host/thing_tiling.h": "// nothing\n",
    "op_host/op_api/aclnn_thing.cpp": "#error not host code\n",
    "op_kernel/thing.cpp": "#error not host code\n",
    "README.md": "text",
}
RUNNER_SOURCES = len(list(RUNNER.glob("*.cpp")))


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the compiler was asked for, line by line; it is a script that writes the file it is told to."""
    script, log = tmp_path / "fake c++", tmp_path / "log"
    script.write_text(
        "#!/bin/sh\n"
        'if [ "$2" = --version ]; then echo "fake 1.0"; exit; fi\n'
        f'echo "$*" >> "{log}"\n'
        'case "$*" in *broken*) echo "thing.cpp:3: error: no" >&2; exit 1;; esac\n'
        'while [ "$1" != -o ]; do shift; done\n'
        'echo made > "$2"\n'
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("CXX", f"'{script}' --launched")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return log


def runs(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []


def test_each_source_of_the_host_is_compiled_and_linked_once(log: Path) -> None:
    program = build(PACKAGE)
    assert program.read_text() == "made\n"
    compiled = [run for run in runs(log) if " -c " in run]
    assert len(compiled) == RUNNER_SOURCES + 2
    assert len(runs(log)) == RUNNER_SOURCES + 3
    assert all("--launched -std=c++17 -O2" in run for run in runs(log))
    assert build(PACKAGE) == program
    assert len(runs(log)) == RUNNER_SOURCES + 3


def test_what_did_not_change_is_not_compiled_again(log: Path) -> None:
    first = build(PACKAGE)
    before = len(runs(log))
    assert build({**PACKAGE, "README.md": "other", "op_kernel/thing.cpp": "other"}) == first
    assert len(runs(log)) == before
    assert build({**PACKAGE, "op_host/thing_def.cpp": "int other;\n"}) != first
    again = runs(log)[before:]
    assert [run.split(" -c ")[1].split(" ")[0] for run in again if " -c " in run] == ["op_host/thing_def.cpp"]
    assert len(again) == 2
    build({**PACKAGE, "op_host/thing_tiling.h": "// other\n"})
    assert len(runs(log)) == before + 2 + 3


def test_flags_and_sanitizers_make_other_programs(log: Path) -> None:
    plain, strict, sanitized = build(PACKAGE), build(PACKAGE, ("-Wall",)), build(PACKAGE, sanitize=True)
    assert len({plain, strict, sanitized}) == 3
    assert all("-fsanitize=address,undefined" in run for run in runs(log)[-(RUNNER_SOURCES + 3) :])


def test_another_compiler_makes_another_program(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = build(PACKAGE)
    script = log.with_name("fake c++")
    script.write_text(script.read_text().replace("fake 1.0", "fake 2.0"))
    assert build(PACKAGE) != first


def test_code_that_does_not_compile_is_reported_with_the_words_of_the_compiler(log: Path) -> None:
    with pytest.raises(HostError) as caught:
        build({**PACKAGE, "op_host/broken_def.cpp": ""})
    assert caught.value.diagnostic.code == "QS922"
    assert caught.value.diagnostic.message.endswith("cannot make broken_def.cpp of the generated host code")
    assert caught.value.detail == "thing.cpp:3: error: no"
    cache = user_cache.folder()
    assert cache is not None
    assert list(cache.rglob("*.tmp")) == []


def test_a_cache_that_cannot_be_written_is_done_without(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert build(PACKAGE).read_text() == "made\n"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert build(PACKAGE).exists()


def test_without_a_compiler_the_message_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HostError) as caught:
        compiler.find()
    found = caught.value.diagnostic
    assert found.code == "QS921"
    assert found.message == "there is no C++ compiler: neither g++ nor clang++ is on the PATH"
    assert found.help is not None
    assert "apt-get install g++" in found.help
    assert "CXX" in found.help


@pytest.mark.parametrize("named", ["no-such-compiler", "false"])
def test_a_named_compiler_that_does_not_work_is_not_replaced(
    named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", named)
    with pytest.raises(HostError) as caught:
        compiler.find()
    assert caught.value.diagnostic.message == f"CXX is '{named}', but '{named} --version' fails"


def test_the_first_known_compiler_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("clang++", "c++"):
        shutil.copy(shutil.which("true") or "/bin/true", folder / name)
    monkeypatch.setenv("PATH", str(folder))
    assert compiler.find().command == ("clang++",)
