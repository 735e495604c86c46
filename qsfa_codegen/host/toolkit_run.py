"""A program that runs generated host code with the libraries of an installed toolkit."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from msgspec import Struct

from qsfa_codegen.contract.calls import Call
from qsfa_codegen.host import compiler
from qsfa_codegen.host.build import HERE, INCLUDE, RUNNER, host_sources, write
from qsfa_codegen.host.errors import HostError
from qsfa_codegen.host.session import Session
from qsfa_codegen.host.toolkit import Toolkit
from qsfa_codegen.spec.model import Operator

SOURCES = HERE / "toolkit_runner"

_HEADERS = (
    "base/context_builder/op_tiling_context_builder.h",
    "base/registry/op_impl_space_registry_v2.h",
    "platform/platform_infos_def.h",
)
_SHARED = ("libmetadef.so", "libopp_registry.so", "libplatform.so")
_STATIC = ("librt2_registry.a", "libtiling_api.a")
_WHERE_PRESENT = ("libmmpa.so", "libc_sec.so", "libunified_dlog.so")
_FOLDERS = ("lib64", "devlib")

_FLAGS = ("-std=c++17", "-O0", "-fPIC", "-w")
"""Compiling takes longer than the calls do."""

_OURS = ("standin/fail.h", "log/log.h")
"""Headers of the stand-in that this program has too: its log is how a rejection's reason is heard."""

_FIRST_ERROR = 300


class NotRunnableError(Exception):
    """The libraries cannot run host code; the message says why."""


class _Libraries(Struct, frozen=True):
    shared: tuple[Path, ...]
    static: tuple[Path, ...]

    @property
    def folders(self) -> tuple[Path, ...]:
        return tuple(dict.fromkeys(path.parent for path in self.shared))


def program(toolkit: Toolkit, operator: Operator, files: Mapping[str, str], folder: Path) -> Path:
    """Compile the host code (text by path) into ``folder`` as a program that ``HostEngine`` can run.

    NotRunnableError when the toolkit lacks a library or a header, or they do not work together.
    HostError when there is no compiler.
    """
    libraries = _libraries(toolkit)
    tool = compiler.find()
    write(files, folder)
    _prepare(operator, folder)
    command = [*tool.command, *_FLAGS, "-Iours", f"-I{RUNNER}", "-I."]
    command += [f"-isystem{path.resolve()}" for path in toolkit.includes]
    package, runner = host_sources(files), sorted(map(str, SOURCES.glob("*.cpp")))
    with ThreadPoolExecutor() as pool:
        objects = list(pool.map(lambda source: _compiled(command, source, folder), (*package, *runner)))
    path = folder / "program"
    _link_package(tool.command, objects[: len(package)], libraries, path.with_name("program.so"))
    _link_runner(tool.command, objects[len(package) :], libraries, path)
    _try(path)
    return path


def can_say(operator: Operator, call: Call) -> bool:
    """Whether the toolkit can be asked: it always gives attributes a value, and its own workspace."""
    given = operator.attrs[: call.attr_count]
    valued = all(attr.default is not None or call.attrs.get(attr.name) is not None for attr in given)
    return valued and "libapi_workspace" not in call.platform


def _libraries(toolkit: Toolkit) -> _Libraries:
    for header in _HEADERS:
        if not any((folder / header).is_file() for folder in toolkit.includes):
            raise NotRunnableError(f"it has no {header}, so it cannot build the contexts of a call")
    roots = (toolkit.root, toolkit.root / f"{platform.machine()}-linux")
    places = [root / name for root in roots for name in _FOLDERS]

    def find(names: Iterable[str], *, needed: bool) -> Iterator[Path]:
        for name in names:
            found = next((place / name for place in places if (place / name).is_file()), None)
            if found is not None:
                yield found.resolve()
            elif needed:
                raise NotRunnableError(f"{name} is not in its {' or '.join(_FOLDERS)}")

    shared = (*find(_SHARED, needed=True), *find(_WHERE_PRESENT, needed=False))
    return _Libraries(shared, tuple(find(_STATIC, needed=True)))


def _prepare(operator: Operator, folder: Path) -> None:
    for name in _OURS:
        target = folder / "ours" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(INCLUDE / name, target)
    socs = ", ".join(json.dumps(chip.soc) for chip in operator.chips)
    (folder / "ours" / "operator.h").write_text(
        "#pragma once\n"
        "#include <cstddef>\n"
        f"constexpr const char *OPERATOR_TYPE = {json.dumps(operator.name)};\n"
        f"constexpr size_t OPERATOR_OUTPUTS = {len(operator.outputs)};\n"
        f"constexpr const char *OPERATOR_SOCS[] = {{{socs}}};\n"
    )


def _compiled(command: Sequence[str], source: str, folder: Path) -> Path:
    target = folder / f"{Path(source).parent.name}_{Path(source).stem}.o"
    _run([*command, "-c", source, "-o", str(target)], folder, f"{Path(source).name} does not compile")
    return target


def _link_package(tool: Sequence[str], objects: Sequence[Path], libraries: _Libraries, path: Path) -> None:
    registry, *others = map(str, libraries.static)
    inputs = ["-Wl,--whole-archive", registry, "-Wl,--no-whole-archive", *others]
    command = [*tool, "-shared", *map(str, objects), *inputs, *_shared(libraries), "-o", str(path)]
    _run(command, path.parent, "the host code does not link")


def _link_runner(tool: Sequence[str], objects: Sequence[Path], libraries: _Libraries, path: Path) -> None:
    inputs = [*map(str, objects), *map(str, libraries.static[1:]), *_shared(libraries)]
    # The host code logs into the program's log, so its symbols are shared.
    command = [*tool, "-rdynamic", *inputs, "-ldl", "-pthread", "-o", str(path)]
    _run(command, path.parent, "the program around the host code does not link")


def _shared(libraries: _Libraries) -> list[str]:
    # Old tags: the libraries find each other there too.
    folders = ["-Wl,--disable-new-dtags", *(f"-Wl,-rpath,{folder}" for folder in libraries.folders)]
    return ["-Wl,--no-as-needed", *map(str, libraries.shared), "-Wl,--allow-shlib-undefined", *folders]


def _run(command: Sequence[str], folder: Path, what: str) -> None:
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    if ran.returncode:
        raise NotRunnableError(f"{what} with it: {_first_error(ran.stderr)}")


def _try(path: Path) -> None:
    """Start the program once, so that libraries that do not load are told from calls that crash."""
    try:
        session = Session(path)
        session.definition()
        session.close()
    except HostError as error:
        raise NotRunnableError(
            f"its libraries do not load: {_first_error(error.detail or str(error))}"
        ) from error


def _first_error(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    told = next(
        (line for line in lines if "error" in line or "undefined" in line), lines[-1] if lines else ""
    )
    return told[:_FIRST_ERROR]
