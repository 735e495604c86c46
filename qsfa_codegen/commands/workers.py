"""Runs many independent tasks, in this process or in several, and reports them in order."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import TypeVar

from msgspec import Struct

T = TypeVar("T")
R = TypeVar("R")

Claim = Callable[[str], int | None]
"""Asks for a name before using it; answers the earlier task that has it, None when it is free."""

Work = Callable[[T, Claim], R]


class Crash(Struct, frozen=True):
    """A task that did not come to an end; ``trace`` is empty when the process died without a word."""

    reason: str
    trace: str = ""


def usable_cores() -> int:
    """How many processes this one may keep busy."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(tasks: Sequence[T], work: Work[T, R], jobs: int) -> Generator[tuple[int, R | Crash], None, None]:
    """Do ``work`` on each task and yield (index, result) as they come.

    Whatever the timing, a name belongs to the first task, in the order given, that claims it.
    """
    if min(jobs, len(tasks)) <= 1:
        return _run_here(tasks, work)
    from qsfa_codegen.commands.pool import Pool  # several processes cost an import of their own

    return Pool(tasks, work, jobs).run()


def _run_here(tasks: Sequence[T], work: Work[T, R]) -> Generator[tuple[int, R | Crash], None, None]:
    owners: dict[str, int] = {}
    for index, task in enumerate(tasks):

        def claim(name: str, index: int = index) -> int | None:
            owner = owners.setdefault(name, index)
            return None if owner == index else owner

        yield index, guarded(work, task, claim)


def guarded(work: Work[T, R], task: T, claim: Claim) -> R | Crash:
    """The result of ``work``, or what went wrong in it."""
    try:
        return work(task, claim)
    except Exception as error:
        import traceback

        return Crash(f"{type(error).__name__}: {error}", traceback.format_exc())


def in_order(
    finished: Iterable[tuple[int, R | Crash]],
    broken: Callable[[int, Crash], R],
    report: Callable[[R], None],
    step: Callable[[], None],
) -> list[R]:
    """Results in the order of the tasks, each reported as soon as all before it were.

    ``broken`` makes a result of a crash; ``step`` is called for each task that is finished.
    """
    results: dict[int, R] = {}
    reported = 0
    for index, result in finished:
        results[index] = broken(index, result) if isinstance(result, Crash) else result
        step()
        while reported in results:
            report(results[reported])
            reported += 1
    return [results[index] for index in range(reported)]
