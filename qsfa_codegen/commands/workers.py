"""Runs many independent tasks in a few processes, and names the task that takes its process down."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

Claim = Callable[[str], int | None]
"""Asks for a name before using it; answers the earlier task that has it, None when it is free."""

Work = Callable[[T, Claim], R]

_PATIENCE = 10.0  # seconds that a process gets to finish its task when the run is given up


@dataclass(frozen=True, slots=True)
class Crash:
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
    return _Pool(tasks, work, jobs).run()


def _run_here(tasks: Sequence[T], work: Work[T, R]) -> Generator[tuple[int, R | Crash], None, None]:
    owners: dict[str, int] = {}
    for index, task in enumerate(tasks):

        def claim(name: str, index: int = index) -> int | None:
            owner = owners.setdefault(name, index)
            return None if owner == index else owner

        yield index, _guarded(work, task, claim)


def _guarded(work: Work[T, R], task: T, claim: Claim) -> R | Crash:
    try:
        return work(task, claim)
    except Exception as error:
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


# --------------------------------------------------------------------------- the side of a worker


def _serve(connection: Connection, inherited: list[Connection], tasks: Sequence[T], work: Work[T, R]) -> None:
    """A worker's life: take an index, do the work, send the result, until the other end closes."""
    for other in inherited:  # or this process would keep its siblings' pipes open
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides, and a half-written package is finished

    def claim(name: str) -> int | None:
        connection.send(("claim", name))
        answer: int | None = connection.recv()
        return answer

    with suppress(EOFError, BrokenPipeError):
        while True:
            task = tasks[connection.recv()]
            connection.send(("done", _guarded(work, task, claim)))


# --------------------------------------------------------------------------- the side that hands out


@dataclass(slots=True)
class _Worker:
    process: Any  # the fork context's own class of process
    task: int


@dataclass(slots=True)
class _Claims:
    """Answers claims in the order of the tasks: nobody is told before all earlier tasks have spoken."""

    owners: dict[str, int] = field(default_factory=dict)
    names: dict[int, str | None] = field(default_factory=dict)
    asking: dict[int, Connection] = field(default_factory=dict)
    next_task: int = 0

    def ask(self, task: int, name: str, connection: Connection) -> None:
        """A worker waits to hear whether ``task`` may have ``name``."""
        self.names[task] = name
        self.asking[task] = connection

    def end(self, task: int) -> None:
        """``task`` will not ask any more."""
        self.names.setdefault(task, None)
        self.asking.pop(task, None)

    def answer(self) -> None:
        """Tell everyone whose turn it is."""
        while self.next_task in self.names:
            task, name = self.next_task, self.names[self.next_task]
            self.next_task += 1
            owner = self.owners.setdefault(name, task) if name is not None else task
            if connection := self.asking.pop(task, None):
                with suppress(BrokenPipeError):
                    connection.send(None if owner == task else owner)


class _Pool(Generic[T, R]):
    """Worker processes, each with a pipe and at most one task, so that a death has a name."""

    def __init__(self, tasks: Sequence[T], work: Work[T, R], jobs: int) -> None:
        self._tasks = tasks
        self._work = work
        self._jobs = min(jobs, len(tasks))
        self._context = multiprocessing.get_context("fork")
        self._workers: dict[Connection, _Worker] = {}
        self._waiting = iter(range(len(tasks)))
        self._claims = _Claims()

    def run(self) -> Generator[tuple[int, R | Crash], None, None]:
        try:
            for _ in range(self._jobs):
                self._start()
            while self._workers:
                for connection in wait(list(self._workers)):
                    assert isinstance(connection, Connection)
                    yield from self._hear(connection)
                self._claims.answer()
        finally:
            self._stop()

    def _start(self) -> None:
        """Start a worker on the next task, if there is one."""
        task = next(self._waiting, None)
        if task is None:
            return
        sys.stdout.flush()  # or the new process prints what is buffered once more
        ours, theirs = self._context.Pipe()
        inherited = [*self._workers, ours]
        process = self._context.Process(
            target=_serve, args=(theirs, inherited, self._tasks, self._work), daemon=True
        )
        process.start()
        theirs.close()
        self._workers[ours] = _Worker(process, task)
        ours.send(task)

    def _continue(self, connection: Connection) -> None:
        """Give a worker its next task, or let it go."""
        task = next(self._waiting, None)
        if task is None:
            self._dismiss(connection)
            return
        self._workers[connection].task = task
        with suppress(BrokenPipeError):
            connection.send(task)

    def _dismiss(self, connection: Connection) -> _Worker:
        connection.close()
        worker = self._workers.pop(connection)
        worker.process.join(_PATIENCE)
        return worker

    def _hear(self, connection: Connection) -> Iterator[tuple[int, R | Crash]]:
        task = self._workers[connection].task
        try:
            kind, value = connection.recv()
        except (EOFError, ConnectionResetError):
            self._claims.end(task)
            yield task, Crash(_death(self._dismiss(connection).process.exitcode))
            self._start()
            return
        if kind == "claim":
            self._claims.ask(task, value, connection)
            return
        self._claims.end(task)
        yield task, value
        self._continue(connection)

    def _stop(self) -> None:
        """End the workers: what is being written is finished, nothing new is begun."""
        for connection in self._workers:
            connection.close()
        for worker in self._workers.values():
            worker.process.join(_PATIENCE)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()


def _death(exitcode: int | None) -> str:
    if exitcode is not None and exitcode < 0:
        return f"the process was ended by signal {-exitcode} ({signal.strsignal(-exitcode)})"
    return f"the process ended with status {exitcode}"
