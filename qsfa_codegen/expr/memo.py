"""Results about expression trees and other frozen things, worked out once for each."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

E = TypeVar("E")
P = ParamSpec("P")
R = TypeVar("R")

_LIMIT = 1 << 16
_LATEST = 1 << 8
_forgetting: list[Callable[[], None]] = []


def once_an_operator(function: Callable[P, R]) -> Callable[P, R]:
    """``function`` of an operator, and maybe of more, with its results kept until ``forget``."""
    remembered = lru_cache(maxsize=_LATEST)(function)
    _forgetting.append(remembered.cache_clear)
    return remembered  # type: ignore[return-value]  # lru_cache does not tell the types of arguments


def once_a_tree(function: Callable[[E], R]) -> Callable[[E], R]:
    """``function``, which looks at nothing but a frozen tree, with its results kept until ``forget``."""
    known: dict[int, tuple[E, R]] = {}
    _forgetting.append(known.clear)
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
    """Let go of everything that is kept: the operator that it belongs to is done with."""
    for clear in _forgetting:
        clear()
    gc.collect()  # parts of an operator know each other in circles, and it is large
