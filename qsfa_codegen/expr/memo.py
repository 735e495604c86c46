"""Results about expression trees and other frozen things, worked out once for each."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

E = TypeVar("E")
R = TypeVar("R")

_LIMIT = 1 << 16
_memories: list[dict[int, tuple[Any, Any]]] = []


def once_a_tree(function: Callable[[E], R]) -> Callable[[E], R]:
    """``function``, which looks at nothing but a frozen tree, with its results kept until ``forget``."""
    known: dict[int, tuple[E, R]] = {}
    _memories.append(known)
    return _remembering(function, known)


def once_each(function: Callable[[E], R]) -> Callable[[E], R]:
    """``function`` of frozen things, with its results kept as long as what is returned here lives."""
    return _remembering(function, {})


def _remembering(function: Callable[[E], R], known: dict[int, tuple[E, R]]) -> Callable[[E], R]:
    # By identity: hashing a tree costs more than most of what is asked of it. An entry keeps its tree alive.
    @wraps(function)
    def remembered(thing: E) -> R:
        entry = known.get(id(thing))
        if entry is None:
            result = function(thing)
            if len(known) >= _LIMIT:
                known.clear()
            entry = known[id(thing)] = (thing, result)
        return entry[1]

    return remembered


def forget() -> None:
    """Let go of every tree: the operator that they belong to is done with."""
    for known in _memories:
        known.clear()
