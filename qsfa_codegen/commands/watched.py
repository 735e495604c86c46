"""When files that decide what is generated have changed, told by asking the file system again and again."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

Marks = tuple[int, ...] | None
"""What the file system says of a file, another for each version of it; None where there is none."""

State = Mapping[str, Marks]

_PAUSE = 0.2  # seconds between two looks
_SETTLING = 10  # looks after which a build starts although something still changes


def state(roots: Iterable[Path]) -> State:
    """The files that ``roots`` are, or that are in and below them; hidden and compiled ones left out."""
    return {path: _marks(path) for root in roots for path in _files(os.fspath(root))}


def next_state(known: State, look: Callable[[], State]) -> State:
    """Wait until ``look`` sees another state than the known one, and for two looks the same.

    Editors write a file in several steps, and programs such as git many files.
    """
    seen = look()
    while seen == known:
        time.sleep(_PAUSE)
        seen = look()
    for _ in range(_SETTLING):
        time.sleep(_PAUSE)
        before, seen = seen, look()
        if seen == before:
            break
    return seen


def _marks(path: str) -> Marks:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, found.st_mode)


def _files(root: str) -> Iterator[str]:
    if not os.path.isdir(root):
        yield root
        return
    for place, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != "__pycache__" and not name.startswith(".")]
        yield from (f"{place}{os.sep}{name}" for name in names if not name.startswith("."))
