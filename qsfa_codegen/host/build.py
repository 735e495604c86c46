"""Compiles a package's host code once, and finds it again by its content."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path, PurePosixPath

from msgspec import Struct

from qsfa_codegen import user_cache
from qsfa_codegen.diagnostics import Diagnostic
from qsfa_codegen.host import compiler
from qsfa_codegen.host.errors import DOES_NOT_COMPILE, HostError

HERE = Path(__file__).resolve().parent
INCLUDE = HERE / "include"
RUNNER = HERE / "runner"

STANDARD = ("-std=c++17", "-O2")
SANITIZED = ("-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
STRICT = ("-Wall", "-Wextra", "-Werror")

_FOLDERS = ("op_host", "op_kernel")
_UNUSED_SECONDS = 30 * 24 * 3600


class _Unit(Struct, frozen=True):
    """A source to compile: its path, absolute or in the package, and a digest of all that it needs."""

    source: str
    digest: str


class _Job(Struct, frozen=True):
    """What one build compiles: the command with its flags, where the package stands, and where results go."""

    command: tuple[str, ...]
    package: Path
    cache: Path

    def object(self, unit: _Unit) -> Path:
        return self.cache / f"{unit.digest}.o"


def build(files: Mapping[str, str], flags: Sequence[str] = (), *, sanitize: bool = False) -> Path:
    """The program that runs the host code of a package (text by path); compiled unless it is cached.

    HostError when there is no compiler, or the code does not compile.
    """
    tool = compiler.find()
    command = (*tool.command, *STANDARD, *(SANITIZED if sanitize else ()), *flags)
    units = list(_units(files, _digest(*command, tool.version, _stand_in())))
    folder = _cache_folder()
    program = folder / f"{_digest(*(unit.digest for unit in units))}.program"
    if _found(program):
        return program
    _remove_unused(folder)
    with tempfile.TemporaryDirectory(prefix="qsfa-codegen-") as package:
        write(files, Path(package))
        job = _Job(command, Path(package), folder)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = list(pool.map(lambda unit: _compile(job, unit), units))
        _run(job, [*map(str, objects)], program, "the program")
    return program


def _units(files: Mapping[str, str], tool: str) -> Iterator[_Unit]:
    for source in sorted(RUNNER.glob("*.cpp")):
        yield _Unit(str(source), _digest(tool, source.name))
    kept = sorted(path for path in files if path.startswith(_FOLDERS))
    headers = _digest(*(part for path in kept if path.endswith(".h") for part in (path, files[path])))
    for path in host_sources(files):
        yield _Unit(path, _digest(tool, headers, path, files[path]))


def host_sources(files: Mapping[str, str]) -> tuple[str, ...]:
    """The paths of what a package compiles for the host, in order."""
    host = (path for path in sorted(files) if PurePosixPath(path).parent.name == _FOLDERS[0])
    return tuple(path for path in host if path.endswith(".cpp"))


@cache
def _stand_in() -> str:
    """A digest of the stand-in and the runner."""
    paths = sorted(path for root in (INCLUDE, RUNNER) for path in root.rglob("*") if path.is_file())
    return _digest(*(part for path in paths for part in (str(path), path.read_text(encoding="utf-8"))))


def _digest(*parts: str) -> str:
    total = hashlib.sha256()
    for part in parts:
        data = part.encode()
        total.update(len(data).to_bytes(8, "little") + data)
    return total.hexdigest()[:40]


def write(files: Mapping[str, str], root: Path) -> None:
    """Write what host code consists of below ``root``."""
    for path, text in files.items():
        if path.startswith(_FOLDERS):
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")


def _compile(job: _Job, unit: _Unit) -> Path:
    target = job.object(unit)
    if not _found(target):
        includes = [f"-I{INCLUDE}", f"-I{RUNNER}"]
        _run(job, [*includes, "-c", unit.source], target, PurePosixPath(unit.source).name)
    return target


def _run(job: _Job, arguments: Sequence[str], target: Path, what: str) -> None:
    """Let the compiler make ``target``, whole or not at all."""
    passing = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    command = [*job.command, *arguments, "-o", str(passing)]
    ran = subprocess.run(command, cwd=job.package, capture_output=True, text=True, errors="replace")
    if ran.returncode:
        message = f"{job.command[0]} cannot make {what} of the generated host code"
        raise HostError(Diagnostic(DOES_NOT_COMPILE, message), ran.stderr.strip())
    os.replace(passing, target)


# --------------------------------------------------------------------------- where results are kept


def _cache_folder() -> Path:
    """A folder to keep results in: the user's, or one for this process where that cannot be written."""
    root = user_cache.folder()
    if root is not None:
        folder = root / "host"
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                return folder
    return Path(_passing_folder().name)


@cache
def _passing_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="qsfa-codegen-host-")


def _found(path: Path) -> bool:
    """Whether the result is there; it counts as used now."""
    with suppress(OSError):
        os.utime(path)
    return path.exists()


def _remove_unused(folder: Path) -> None:
    """Remove what no build has used for a month."""
    oldest = time.time() - _UNUSED_SECONDS
    for path in folder.iterdir():
        with suppress(OSError):
            if path.stat().st_mtime < oldest:
                path.unlink()
