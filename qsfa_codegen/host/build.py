"""Compiles a package's host code once, and finds it again by its content."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path, PurePosixPath

from msgspec import Struct

from qsfa_codegen.host import compiler, objects
from qsfa_codegen.host.objects import digest

HERE = Path(__file__).resolve().parent
INCLUDE = HERE / "include"
RUNNER = HERE / "runner"

STANDARD = ("-std=c++17", "-O2")
SANITIZED = ("-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
STRICT = ("-Wall", "-Wextra", "-Werror")

_FOLDERS = ("op_host", "op_kernel")


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
    units = list(_units(files, digest(*command, tool.version, _stand_in())))
    folder = objects.cache_folder("host")
    program = folder / f"{digest(*(unit.digest for unit in units))}.program"
    if objects.found(program):
        return program
    objects.remove_unused(folder)
    with tempfile.TemporaryDirectory(prefix="qsfa-codegen-") as package:
        write(files, Path(package))
        job = _Job(command, Path(package), folder)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            compiled = list(pool.map(lambda unit: _compile(job, unit), units))
        _make(job, map(str, compiled), program, "the program")
    return program


def _units(files: Mapping[str, str], tool: str) -> Iterator[_Unit]:
    for source in sorted(RUNNER.glob("*.cpp")):
        yield _Unit(str(source), digest(tool, source.name))
    kept = sorted(path for path in files if path.startswith(_FOLDERS))
    headers = digest(*(part for path in kept if path.endswith(".h") for part in (path, files[path])))
    for path in host_sources(files):
        yield _Unit(path, digest(tool, headers, path, files[path]))


def host_sources(files: Mapping[str, str]) -> tuple[str, ...]:
    """The paths of what a package compiles for the host, in order."""
    host = (path for path in sorted(files) if PurePosixPath(path).parent.name == _FOLDERS[0])
    return tuple(path for path in host if path.endswith(".cpp"))


@cache
def _stand_in() -> str:
    """A digest of the stand-in and the runner."""
    return objects.digest_of_sources(INCLUDE, RUNNER)


def write(files: Mapping[str, str], root: Path) -> None:
    """Write what host code consists of below ``root``."""
    for path, text in files.items():
        if path.startswith(_FOLDERS):
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")


def _compile(job: _Job, unit: _Unit) -> Path:
    target = job.object(unit)
    if not objects.found(target):
        includes = [f"-I{INCLUDE}", f"-I{RUNNER}"]
        _make(job, [*includes, "-c", unit.source], target, PurePosixPath(unit.source).name)
    return target


def _make(job: _Job, arguments: Iterable[str], target: Path, what: str) -> None:
    objects.make([*job.command, *arguments], target, f"{what} of the generated host code", job.package)
