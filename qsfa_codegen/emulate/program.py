"""The generated kernel of one tiling key and one row of dtypes, as a program of the emulator."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from qsfa_codegen.contract.env import CallEnv
from qsfa_codegen.diagnostics import Diagnostic
from qsfa_codegen.emulator.build import build
from qsfa_codegen.emulator.launch import KernelType
from qsfa_codegen.emulator.through import build_through
from qsfa_codegen.emulator.toolkit import KernelHeaders
from qsfa_codegen.expr.nodes import RefKind
from qsfa_codegen.host.errors import HostError
from qsfa_codegen.render.kernel import has_kernel
from qsfa_codegen.render.kernel_family import lacking_in_kernel
from qsfa_codegen.render.package import ARTEFACTS, render_these
from qsfa_codegen.render.tiling_key import tiling_key
from qsfa_codegen.spec.columns import root_dtype
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Chip, Input, Operator, Output
from qsfa_codegen.spec.source_text import not_utf8

NO_KERNEL = "QS701"
NO_BODY = "QS702"
NO_USE = "QS706"
_FOLDER = "op_kernel"
_SUFFIXES = (".h", ".hpp", ".cpp")
_UNIT = "emulated.cpp"
_NEEDED = re.compile(r'__has_include\("([^"]+)"\)')
_TYPES = {
    "aiv": KernelType.AIV,
    "aiv_only": KernelType.AIV,
    "aic": KernelType.AIC,
    "aic_only": KernelType.AIC,
    "mix_aiv_1_0": KernelType.MIX_AIV_1_0,
    "mix_aic_1_0": KernelType.MIX_AIC_1_0,
    "mix_aic_1_1": KernelType.MIX_1_1,
    "mix_aic_1_2": KernelType.MIX_1_2,
}


class Variant(Struct, frozen=True):
    """What a kernel is compiled for: a tiling key, and the dtype of each parameter in order of the ABI."""

    key: int | None
    dtypes: tuple[tuple[str, str], ...]


def variant_of(operator: Operator, env: CallEnv, key: int | None) -> Variant:
    """The variant that a legal call runs."""
    found = []
    for param in _parameters(operator):
        root = root_dtype(operator, param.dtype)
        dtype = root.fixed if root.column is None else str(env.ref(RefKind.COLUMN, root.column))
        found.append((param.name, str(dtype)))
    return Variant(key, tuple(found))


class KernelSources(Struct, frozen=True):
    """What a kernel is compiled from, by its path in the package; ``own`` says where the user's files are."""

    operator: Operator
    chip: Chip
    files: Mapping[str, str]
    own: Mapping[str, Path]

    def path_of(self, name: str) -> str | None:
        """The file that a finding calls ``name``, of those that this chip compiles."""
        return next((path for path in self.files if self.compiles(path) and Path(path).name == name), None)

    def compiles(self, path: str) -> bool:
        """Whether the chip's kernel may include the file: it is not another architecture's."""
        others = (f"{_FOLDER}/{arch}/" for arch in self.operator.archs if arch != self.chip.arch)
        return not path.startswith(tuple(others))


def kernel_sources(operator: Operator, chip: Chip, own: Path | None = None) -> KernelSources:
    """The generated files of ``op_kernel``, and those of the user's in the folder ``own``.

    HostError when the spec has no kernel, the kernel for this chip's architecture is not there, or the
    folder has nothing for it.
    """
    kernel = operator.kernel
    if kernel is None or not has_kernel(operator):
        message = f"{operator.snake} has no kernel that can be run: its spec names no kernel family"
        if kernel is not None:
            message = f"the kernel of {operator.snake} gets its tiling data from the toolkit's library"
        raise HostError(Diagnostic(NO_KERNEL, message))
    wanted = [a for a in ARTEFACTS if a.applies(operator) and a.path(operator).startswith(f"{_FOLDER}/")]
    theirs = dict(_files_in(own)) if own is not None else {}
    generated = render_these(operator, wanted)
    files = {**generated, **{path: _text_of(place) for path, place in theirs.items()}}
    sources = KernelSources(operator, chip, files, theirs)
    _refuse_without_body(sources)
    if own is not None:
        _refuse_useless(sources, own, generated)
    return sources


def _text_of(path: Path) -> str:
    raw = path.read_bytes()
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        reason, place = not_utf8(raw, error, str(path))
        raise HostError(Diagnostic(NO_USE, f"{path} cannot be compiled: {reason}", place)) from error


def _refuse_useless(sources: KernelSources, own: Path, generated: Mapping[str, str]) -> None:
    """A folder in which nothing stands where a file of the kernel for this chip stands is the wrong one."""
    folder = f"{_FOLDER}/{sources.chip.arch}/"
    taken = {path for path in generated if sources.compiles(path)}
    taken |= {folder + name for path in taken for name in _NEEDED.findall(generated[path])}
    if taken.isdisjoint(sources.own):
        message = (
            f"no file in {own} is one that the kernel of {sources.operator.snake} has for {sources.chip.id}"
        )
        example = min(path for path in taken if path.startswith(folder)).removeprefix(f"{_FOLDER}/")
        help = f"the folder stands for {_FOLDER}: it replaces files such as {example}"
        raise HostError(Diagnostic(NO_USE, message, help=help))


def _files_in(folder: Path) -> Iterator[tuple[str, Path]]:
    """Sources below a folder that stands for ``op_kernel``, by their paths in the package."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in _SUFFIXES:
            yield f"{_FOLDER}/{path.relative_to(folder).as_posix()}", path


def _refuse_without_body(sources: KernelSources) -> None:
    folder = f"{_FOLDER}/{sources.chip.arch}/"
    for path, text in sources.files.items():
        if path.startswith(folder):
            for name in _NEEDED.findall(text):
                if folder + name not in sources.files:
                    operator, chip = sources.operator, sources.chip
                    lacking = lacking_in_kernel(operator, chip.arch)
                    raise HostError(
                        Diagnostic(
                            NO_BODY,
                            f"there is no kernel of {operator.snake} for {chip.id} ({chip.arch}) yet: "
                            f"{lacking}",
                            help=f"write {chip.arch}/{name} and name its folder with --kernel",
                        )
                    )


def build_program(sources: KernelSources, variant: Variant, headers: KernelHeaders | None = None) -> Path:
    """The program that launches the variant; compiled unless it is cached. HostError when it cannot be.

    With the ``headers`` of a toolkit the kernel reaches the emulator through them.
    """
    files = {**sources.files, _UNIT: _unit(sources, variant)}
    return build(files, _UNIT) if headers is None else build_through(files, _UNIT, headers, sources.chip)


def kernel_type(operator: Operator) -> KernelType:
    """Which cores of each group run the kernel."""
    assert operator.kernel is not None
    return _TYPES[operator.kernel.task_type]


def arguments(operator: Operator) -> tuple[str, ...]:
    """What the kernel takes, in order."""
    return (*(param.name for param in _parameters(operator)), "workspace", "tiling")


def _parameters(operator: Operator) -> tuple[Input | Output, ...]:
    return (*operator.inputs, *operator.outputs)


def dtype_rows(operator: Operator, chip: Chip) -> tuple[tuple[tuple[str, str], ...], ...]:
    """The dtype of each parameter in order of the ABI, for every row of dtypes that the chip supports."""
    rows = operator.dtypes.rows_of(chip.id)
    roots = [(param.name, root_dtype(operator, param.dtype)) for param in _parameters(operator)]
    columns = operator.dtypes.columns
    return tuple(
        tuple(
            (name, str(root.fixed if root.column is None else row.dtypes[columns.index(root.column)]))
            for name, root in roots
        )
        for row in rows
    )


def entry(sources: KernelSources, dtypes: Sequence[tuple[str, str]]) -> list[str]:
    """Lines that include the kernel's entry as the build compiles it for these dtypes."""
    lines = [f"#define __CCE_AICORE__ {sources.chip.cce_aicore}"]
    for name, dtype in dtypes:
        lines.append(f"#define DTYPE_{name.upper()} {DTYPES[dtype].kernel}")
        lines.append(f"#define ORIG_DTYPE_{name.upper()} {DTYPES[dtype].ge}")
    return [*lines, f'#include "{_FOLDER}/{sources.operator.snake}.cpp"', ""]


def call_of(operator: Operator, numbers: Sequence[str]) -> str:
    """A call of the entry with these template arguments and the addresses in ``tensors``."""
    given = ", ".join(f"tensors[{number}]" for number in range(len(arguments(operator))))
    chosen = f"<{', '.join(numbers)}>" if numbers else ""
    return f"{operator.snake}{chosen}({given})"


def _unit(sources: KernelSources, variant: Variant) -> str:
    """The kernel's entry for one variant, registered with the emulator."""
    operator = sources.operator
    key = tiling_key(operator)
    places = range(len(key.args)) if key is not None else ()
    numbers = [f"EMULATED_TPL_ARGUMENT({variant.key}, {place})" for place in places]
    lines = [
        *entry(sources, variant.dtypes),
        '#include "core/registry.h"',
        "",
        f'static const emulator::Registration emulated("{operator.snake}", [](uint8_t *const *tensors) {{',
        f"    {call_of(operator, numbers)};",
        "});",
        "",
    ]
    return "\n".join(lines)
