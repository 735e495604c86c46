"""Which names to read first, so that reading one never waits for another."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

K = TypeVar("K", bound=Hashable)


def in_order(start: K, needs: Callable[[K], Iterable[K]]) -> list[K] | None:
    """``start`` and all that it needs, each behind what it needs itself; None when it needs itself.

    Takes no more of Python's stack for a long chain than for a short one.
    """
    finished: dict[K, None] = {}
    waiting = {start: iter(needs(start))}
    while waiting:
        remaining = next(reversed(waiting.values()))
        needed = next((n for n in remaining if n not in finished), None)
        if needed is None:
            finished[waiting.popitem()[0]] = None
        elif needed in waiting:
            return None
        else:
            waiting[needed] = iter(needs(needed))
    return list(finished)
