"""Files that only save time: everything works without them, also where they cannot be written."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def folder() -> Path | None:
    """The program's folder in the user's cache; None where the environment gives no usable place."""
    root = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(root, "qsfa-codegen") if os.path.isabs(root) else None


def read(name: str) -> bytes | None:
    """The bytes kept under ``name``, if any."""
    root = folder()
    if root is None:
        return None
    try:
        return (root / name).read_bytes()
    except OSError:
        return None


def write(name: str, data: bytes) -> None:
    """Keep ``data`` under ``name``; readers see the old bytes or the new ones."""
    root = folder()
    if root is None:
        return
    target = root / name
    passing = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    with suppress(OSError):
        target.parent.mkdir(parents=True, exist_ok=True)
        passing.write_bytes(data)
        os.replace(passing, target)
