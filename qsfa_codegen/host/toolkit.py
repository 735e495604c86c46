"""The headers of an installed CANN toolkit, and whether they accept generated host code."""

from __future__ import annotations

import os
import platform
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from msgspec import Struct

from qsfa_codegen.diagnostics import Diagnostic
from qsfa_codegen.host import compiler
from qsfa_codegen.host.build import STANDARD, host_sources, write

REFUSED = "QS924"
VARIABLE = "ASCEND_HOME_PATH"

_FOLDERS = (
    "include",
    "include/external",
    "include/op_common",
    "include/experiment",
    "include/experiment/metadef",
    "include/experiment/platform",
    "include/experiment/runtime",
    "pkg_inc",
    "pkg_inc/base",
    "pkg_inc/op_common",
    "pkg_inc/platform",
    "pkg_inc/runtime",
    "asc/include",
)
"""Where the headers stand, below the root or below the folder of the machine's architecture."""

_NEEDED = ("register/op_def_registry.h", "register/op_impl_registry.h")


class NoToolkitError(Exception):
    """The folder has no toolkit; the message says what was looked for."""


class Refusal(Struct, frozen=True):
    """A source that does not compile, and what the compiler says."""

    diagnostic: Diagnostic
    detail: str


class Toolkit(Struct, frozen=True):
    """An installed toolkit, and the folders of its headers in the order of the search."""

    root: Path
    includes: tuple[Path, ...]

    @classmethod
    def at(cls, root: Path) -> Toolkit:
        """The toolkit in the folder ``root``. NoToolkitError when that has none of its headers."""
        places = (root, root / f"{platform.machine()}-linux")
        includes = [place / name for place in places for name in _FOLDERS if (place / name).is_dir()]
        for header in _NEEDED:
            if not any((folder / header).is_file() for folder in includes):
                raise NoToolkitError(
                    f"{root} has no CANN toolkit: {header} was looked for in include/ and pkg_inc/; "
                    f"DIR is the folder that set_env.sh calls {VARIABLE}"
                )
        return cls(root, tuple(includes))

    def refusals(self, files: Mapping[str, str]) -> Iterator[Refusal]:
        """The sources of a package (text by path) that do not compile with these headers, in order.

        HostError when there is no compiler.
        """
        tool = compiler.find()
        with tempfile.TemporaryDirectory(prefix="qsfa-codegen-") as folder:
            write(files, Path(folder))
            command = [
                *tool.command,
                *STANDARD,
                "-fsyntax-only",
                *(f"-isystem{path}" for path in self._paths()),
            ]

            def said(source: str) -> subprocess.CompletedProcess[str]:
                arguments = [*command, source]
                return subprocess.run(arguments, cwd=folder, capture_output=True, text=True, errors="replace")

            sources = host_sources(files)
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                for source, ran in zip(sources, pool.map(said, sources), strict=True):
                    if ran.returncode:
                        message = f"{source} does not compile with the headers of {self.root}"
                        yield Refusal(Diagnostic(REFUSED, message), ran.stderr.strip())

    def _paths(self) -> Iterator[Path]:
        return (path.resolve() for path in self.includes)
