"""The Ascend C headers of an installed CANN toolkit, in the mode that lets a CPU debug kernels."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from msgspec import Struct

from qsfa_codegen.diagnostics import Diagnostic
from qsfa_codegen.host import objects
from qsfa_codegen.host.errors import HostError
from qsfa_codegen.spec.model import Chip

NO_HEADERS = "QS705"

_ABOVE = ("*-linux", "compiler")
_FOLDERS = (
    "tools/tikicpulib/lib/include",
    "tikcpp/tikcfw",
    "tikcpp/tikcfw/interface",
    "tikcpp/tikcfw/impl",
    "tikcpp/tikcfw/lib",
    "ascendc/include/basic_api",
    "ascendc/include/basic_api/interface",
    "ascendc/include/basic_api/impl",
    "ascendc/include",
    "ascendc/include/highlevel_api",
    "ascendc/include/highlevel_api/lib",
    "ascendc/include/highlevel_api/impl",
    "asc",
    "asc/include",
    "asc/include/basic_api",
    "asc/include/utils/base",
    "asc/include/utils/stub",
    "asc/include/adv_api",
    "asc/impl",
    "asc/impl/basic_api",
    "asc/impl/basic_api/utils",
    "asc/impl/adv_api",
    "include",
    "include/ascendc/highlevel_api",
)
"""Where the headers stand, below the root, the folder of an architecture, or that of the compiler."""

_API = ("kernel_operator.h", "the Ascend C kernel headers")
_NEEDED = (
    _API,
    ("stub_def.h", "the headers of CPU debug mode, tikicpulib"),
    ("stub_fun.h", "the intrinsics of CPU debug mode, tikicpulib"),
)
_NEEDED_ON = {
    "arch35": (
        _API,
        ("dav_3510/kernel_operator_common_impl.h", "the Ascend C kernel headers for Ascend 950"),
        ("kernel_tiling/kernel_tiling.h", "the headers that the build of Ascend C generates"),
    ),
}
"""For architectures whose intrinsics the emulator declares itself."""


class KernelHeaders(Struct, frozen=True):
    """A toolkit's folders of kernel headers, in the order of the search."""

    root: Path
    includes: tuple[Path, ...]

    @classmethod
    def at(cls, root: Path, chip: Chip) -> KernelHeaders:
        """Those of the toolkit in ``root`` for a chip. HostError that names the header that is missing."""
        includes = tuple(_existing(root))
        for name, what in _NEEDED_ON.get(chip.arch, _NEEDED):
            if not any((folder / name).is_file() for folder in includes):
                found = ", ".join(str(folder.relative_to(root)) for folder in includes)
                raise HostError(
                    Diagnostic(
                        NO_HEADERS,
                        f"the toolkit in {root} lacks {name}, one of {what}; {chip.id} needs it",
                        help=f"DIR is the folder that set_env.sh calls ASCEND_HOME_PATH; "
                        f"below it there is {found or 'no known folder'}",
                    )
                )
        return cls(root, includes)

    def identity(self) -> str:
        """A digest by which results of compiling with these headers are kept."""
        return _identity(self.includes)

    def flags(self, chip: Chip) -> tuple[str, ...]:
        """Compiler flags of CPU debug mode."""
        return (
            "-DASCENDC_CPU_DEBUG=1",
            "-D__CCE_KT_TEST__=1",
            f"-D__CCE_AICORE__={chip.cce_aicore}",
            f"-D__NPU_ARCH__={chip.npu_arch.rpartition('_')[2]}",
            *(f"-isystem{path.resolve()}" for path in self.includes),
        )


def _existing(root: Path) -> Iterator[Path]:
    seen = set()
    for base in (root, *(found for above in _ABOVE for found in sorted(root.glob(above)))):
        for name in _FOLDERS:
            folder = base / name
            if folder.is_dir() and folder.resolve() not in seen:
                seen.add(folder.resolve())
                yield folder


@cache
def _identity(includes: tuple[Path, ...]) -> str:
    files = sorted({path for folder in includes for path in folder.rglob("*.h")})
    stats = ((path, path.stat()) for path in files)
    return objects.digest(*(f"{path} {stat.st_size} {stat.st_mtime_ns}" for path, stat in stats))
