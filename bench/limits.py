"""A figure with what it should be at most."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Limit:
    """What was ``measured`` is to be at most ``limit``."""

    what: str
    measured: float
    limit: float

    @property
    def holds(self) -> bool:
        """Whether it is kept to."""
        return self.measured <= self.limit


def for_machines(limits: Iterable[Limit]) -> list[dict[str, object]]:
    """Each limit as it stands in the report."""
    return [
        {"what": one.what, "measured": round(one.measured, 4), "limit": one.limit, "holds": one.holds}
        for one in limits
    ]
