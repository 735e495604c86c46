"""Which names to read first, so that reading one never waits for another."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


class RingError(Exception, Generic[K]):
    """A name needs itself, by way of the others in ``ring``; each needs the next one, the last the first."""

    def __init__(self, ring: list[K]) -> None:
        self.ring = ring
        super().__init__(f"a ring of {len(ring)} names")


def in_order(start: K, needs: Callable[[K], Iterable[K]]) -> list[K]:
    """``start`` and all that it needs, each behind what it needs itself; RingError when that is itself.

    Takes no more of Python's stack for a long chain than for a short one.
    """
    finished: dict[K, None] = {}
    waiting = {start: iter(needs(start))}
    while waiting:
        remaining = next(reversed(waiting.values()))
        needed = next((name for name in remaining if name not in finished), None)
        if needed is None:
            finished[waiting.popitem()[0]] = None
        elif needed in waiting:
            names = list(waiting)
            raise RingError(names[names.index(needed) :])
        else:
            waiting[needed] = iter(needs(needed))
    return list(finished)
