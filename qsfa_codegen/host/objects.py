"""What a compiler has made, kept under a digest of all that went into it."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from qsfa_codegen import user_cache
from qsfa_codegen.diagnostics import Diagnostic
from qsfa_codegen.host.errors import DOES_NOT_COMPILE, HostError

_UNUSED_SECONDS = 30 * 24 * 3600


def digest(*parts: str) -> str:
    """A name for all of the parts, in their order."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode()
        total.update(len(data).to_bytes(8, "little") + data)
    return total.hexdigest()[:40]


def digest_of_sources(*roots: Path) -> str:
    """A digest of all files below the folders."""
    paths = sorted(path for root in roots for path in root.rglob("*") if path.is_file())
    return digest(*(part for path in paths for part in (str(path), path.read_text(encoding="utf-8"))))


def make(command: Sequence[str], target: Path, what: str, folder: Path) -> None:
    """Let the compiler, run in ``folder``, make ``target``, whole or not at all.

    HostError when it cannot make ``what``, as "tiling.cpp of the generated host code".
    """
    passing = target.with_name(f"{target.name}.{os.getpid()}.{threading.get_ident()}.tmp")
    arguments = [*command, "-o", str(passing)]
    ran = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, errors="replace")
    if ran.returncode:
        message = f"{command[0]} cannot make {what}"
        raise HostError(Diagnostic(DOES_NOT_COMPILE, message), ran.stderr.strip())
    os.replace(passing, target)


def cache_folder(name: str) -> Path:
    """A folder to keep results in: the user's, or one for this process where that cannot be written."""
    root = user_cache.folder()
    if root is not None:
        folder = root / name
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                return folder
    return Path(_passing_folder(name).name)


@cache
def _passing_folder(name: str) -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix=f"qsfa-codegen-{name}-")


def found(path: Path) -> bool:
    """Whether the result is there; it counts as used now."""
    with suppress(OSError):
        os.utime(path)
    return path.exists()


def remove_unused(folder: Path) -> None:
    """Remove what no build has used for a month."""
    oldest = time.time() - _UNUSED_SECONDS
    for path in folder.iterdir():
        with suppress(OSError):
            if path.stat().st_mtime < oldest:
                path.unlink()
