"""Compiles kernels that reach the emulator through intrinsics, which a toolkit's headers lower calls to.

The kernel and the intrinsics are one shared object. The program holds it as an image and loads it once for
each core, so that each has its own global variables, as on a device. The compiler tells of every access of
the kernel's own code to memory, as it does for a detector of races, and keeps lines and frame pointers, by
which a finding is placed.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from qsfa_codegen.diagnostics import Diagnostic
from qsfa_codegen.emulator.build import CORE, HERE, INCLUDE, OPS, STANDARD, core_objects, write
from qsfa_codegen.emulator.toolkit import KernelHeaders
from qsfa_codegen.host import compiler, objects
from qsfa_codegen.host.errors import DOES_NOT_COMPILE, HostError
from qsfa_codegen.spec.model import Chip

INTRINSICS = HERE / "intrinsics"

PRELUDE = ("-include", str(INTRINSICS / "prelude.h"))
"""Compiler flags for the kernel's sources alone."""

_WRAPPER = "through.cpp"
_CODE = (*STANDARD, "-fPIC", "-fvisibility=hidden", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls")
_OF_INTRINSICS = ("-O1",)
_OF_KERNELS = ("-O0", "-g1", "-fsanitize=thread", "-w")  # optimised code has not every access
_LINKED = ("-rdynamic", "-ldl")
_OF_FUNCTIONS = ("-finstrument-functions",)  # by which calls of vector functions are seen
_OF_TOOLKIT = re.compile(r"_Z(NK?7AscendC|[0-9]+AscendC)")
"""Functions that a toolkit's library has beside the intrinsics: checks and records."""
_INTRINSIC = re.compile(r"_Z[0-9]")
"""Functions outside of all namespaces."""


def build_through(files: Mapping[str, str], unit: str, headers: KernelHeaders | None, chip: Chip) -> Path:
    """The program that launches the kernels registered in ``unit``, a path in ``files`` (text by path).

    Without ``headers`` the kernel calls the intrinsics itself. HostError when the code does not compile.
    """
    tool = compiler.find()
    flags = flags_of(headers, chip)
    given = objects.digest(*(part for path in sorted(files) for part in (path, files[path])))
    folder = objects.cache_folder("emulator")
    own = objects.digest_of_sources(CORE, INCLUDE, OPS, INTRINSICS)
    identity = "" if headers is None else headers.identity()
    own_stubs = _stubs_of(chip).is_dir()
    unit_of_intrinsics = (INTRINSICS / chip.arch if own_stubs else INTRINSICS) / "unit.cpp"
    of_kernels = [*_OF_KERNELS, *(_OF_FUNCTIONS if own_stubs else ())]
    common = objects.digest(*tool.command, tool.version, *_CODE, *_OF_INTRINSICS, *flags, own, identity)
    program = folder / f"{objects.digest(common, *of_kernels, given, unit)}.program"
    if objects.found(program):
        return program
    objects.remove_unused(folder)
    intrinsics = folder / f"{common}-intrinsics.o"
    command = [*tool.command, *_CODE, *flags]
    if not objects.found(intrinsics):
        compiling = [*command, *_OF_INTRINSICS, "-c", str(unit_of_intrinsics)]
        objects.make(compiling, intrinsics, "the intrinsics of the emulator", folder)
    with tempfile.TemporaryDirectory(prefix="qsfa-codegen-") as place:
        root = Path(place)
        write({**files, _WRAPPER: f'#include "{unit}"\n\n#include "intrinsics/attach.h"\n'}, root)
        kernel = root / "kernel.o"
        own_paths = f"-fdebug-prefix-map={root}=kernel:"
        what = f"{PurePosixPath(unit).name}, a kernel"
        objects.make([*command, *of_kernels, own_paths, *PRELUDE, "-c", _WRAPPER], kernel, what, root)
        image = _image(tool, root, [kernel, intrinsics])
        parts = [str(image), *map(str, core_objects(tool, folder))]
        objects.make([*tool.command, *parts, *_LINKED], program, "the emulator's program", root)
    return program


def flags_of(headers: KernelHeaders | None, chip: Chip) -> tuple[str, ...]:
    """Compiler flags for the kernel's sources and the intrinsics; without ``headers`` for these alone."""
    stubs = _stubs_of(chip)
    hiding = (f"-I{stubs}",) if stubs.is_dir() else ()  # before what a toolkit has of the same names
    own = (*hiding, f"-I{INTRINSICS / 'include'}", f"-I{HERE}")
    if headers is None:
        return (*own, f"-I{INCLUDE}")
    return ("-DEMULATOR_TOOLKIT", *own, *headers.flags(chip), f"-idirafter{INCLUDE}")


def _stubs_of(chip: Chip) -> Path:
    """Where the emulator has stub headers of its own: for architectures whose are not public."""
    return INTRINSICS / chip.arch / "include"


def _image(tool: compiler.Compiler, root: Path, parts: Sequence[Path]) -> Path:
    """An object that holds the shared object made of the parts."""
    answers = root / "answers.c"
    answers.write_text(_answers(parts), encoding="utf-8")
    shared = root / "image.so"
    compiled = root / "answers.o"
    objects.make(
        [*tool.command, "-x", "c", "-fPIC", "-fno-omit-frame-pointer", "-w", "-c", str(answers)],
        compiled,
        "answers",
        root,
    )
    arguments = [*tool.command, "-shared", "-Wl,-Bsymbolic", *map(str, parts), str(compiled)]
    objects.make(arguments, shared, "the kernel's image", root)
    holder = root / "holder.cpp"
    holder.write_text(_HOLDER.replace("IMAGE", str(shared)), encoding="utf-8")
    target = root / "holder.o"
    objects.make([*tool.command, "-c", str(holder)], target, "the kernel's image", root)
    return target


_HOLDER = """asm(".section .rodata\\n"
    ".global emulator_image\\n"
    ".global emulator_image_end\\n"
    "emulator_image: .incbin \\"IMAGE\\"\\n"
    "emulator_image_end: .byte 0\\n"
    ".previous\\n");
"""


def _answers(parts: Sequence[Path]) -> str:
    """C for what the parts call and lack: checks of the toolkit's library say yes, intrinsics refuse."""
    undefined = set().union(*(_symbols(part, "-u") for part in parts))
    defined = set().union(*(_symbols(part, "--defined-only") for part in parts))
    hidden = '__attribute__((visibility("hidden")))'
    lines = ["void EmulatorRefuse(const char *);"]
    for name in sorted(undefined - defined):
        if _OF_TOOLKIT.match(name):
            lines.append(f"{hidden} long {name}(void) {{ return 1; }}")
        elif _INTRINSIC.match(name):
            lines.append(f'{hidden} void {name}(void) {{ EmulatorRefuse("{name}"); }}')
    return "".join(line + "\n" for line in lines)


def _symbols(path: Path, which: str) -> set[str]:
    nm = shutil.which("nm")
    if nm is None:
        raise HostError(
            Diagnostic(
                DOES_NOT_COMPILE, "nm is not on the PATH", help="install binutils, which has nm and addr2line"
            )
        )
    ran = subprocess.run([nm, "-P", which, path], capture_output=True, text=True, check=True)
    return {line.split()[0] for line in ran.stdout.splitlines() if line}
