"""Results about expression trees, worked out once for each tree."""

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
    # By identity: hashing a tree costs more than most of what is asked of it. An entry keeps its tree alive.
    known: dict[int, tuple[E, R]] = {}
    _memories.append(known)

    @wraps(function)
    def remembered(tree: E) -> R:
        entry = known.get(id(tree))
        if entry is None:
            result = function(tree)
            if len(known) >= _LIMIT:
                known.clear()
            entry = known[id(tree)] = (tree, result)
        return entry[1]

    return remembered


def forget() -> None:
    """Let go of every tree: the operator that they belong to is done with."""
    for known in _memories:
        known.clear()
