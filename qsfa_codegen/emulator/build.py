"""Compiles kernels against the emulator's headers, and finds the programs again by their content."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path, PurePosixPath
from threading import Lock

from qsfa_codegen.host import compiler, objects

HERE = Path(__file__).resolve().parent
CORE = HERE / "core"
INCLUDE = HERE / "include"
OPS = HERE / "ops"

STANDARD = ("-std=c++17", "-Wno-unknown-pragmas")
OF_CORE = (*STANDARD, "-O2")
OF_KERNELS = (*STANDARD, "-O1")
STRICT = ("-Wall", "-Wextra", "-Werror")
_MAKING = Lock()


def build(files: Mapping[str, str], unit: str, flags: Sequence[str] = ()) -> Path:
    """The program that launches the kernels registered in ``unit``, a path in ``files`` (text by path).

    It is compiled unless it is cached. HostError when there is no compiler, or the code does not compile.
    """
    tool = compiler.find()
    given = objects.digest(*(part for path in sorted(files) for part in (path, files[path])))
    folder = objects.cache_folder("emulator")
    name = objects.digest(
        *tool.command, tool.version, *OF_CORE, *OF_KERNELS, *flags, _emulator(), given, unit
    )
    program = folder / f"{name}.program"
    if objects.found(program):
        return program
    objects.remove_unused(folder)
    with tempfile.TemporaryDirectory(prefix="qsfa-codegen-") as place:
        root = Path(place)
        write(files, root)
        compiled = root / "kernel.o"
        command = [*tool.command, *OF_KERNELS, *flags, f"-I{HERE}", f"-I{INCLUDE}", "-c", unit]
        objects.make(command, compiled, f"{PurePosixPath(unit).name}, a kernel", root)
        parts = [str(compiled), *map(str, core_objects(tool, folder))]
        objects.make([*tool.command, *parts], program, "the emulator's program", root)
    return program


def core_objects(tool: compiler.Compiler, folder: Path) -> list[Path]:
    """The objects of the emulator itself, made once for all kernels, also for several at a time."""
    with _MAKING:
        return _made_core(tool, folder)


def _made_core(tool: compiler.Compiler, folder: Path) -> list[Path]:
    made = objects.digest(*tool.command, tool.version, *OF_CORE, objects.digest_of_sources(CORE))

    def compiled(source: Path) -> Path:
        target = folder / f"{made}-{source.stem}.o"
        if not objects.found(target):
            command = [*tool.command, *OF_CORE, *STRICT, f"-I{HERE}", "-c", str(source)]
            objects.make(command, target, f"{source.name} of the emulator", folder)
        return target

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(compiled, sorted(CORE.glob("*.cpp"))))


@cache
def _emulator() -> str:
    """A digest of the emulator's sources."""
    return objects.digest_of_sources(CORE, INCLUDE, OPS)


def write(files: Mapping[str, str], root: Path) -> None:
    """Write the files (text by path) below ``root``."""
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
