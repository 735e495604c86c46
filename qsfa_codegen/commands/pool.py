"""Tasks in several processes, so that a task that takes its process down is named."""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from msgspec import Struct, field

from qsfa_codegen.commands.workers import Crash, Work, guarded

T = TypeVar("T")
R = TypeVar("R")

_PATIENCE = 10.0  # seconds that a process gets to finish its task when the run is given up

# --------------------------------------------------------------------------- the side of a worker


def _serve(connection: Connection, inherited: list[Connection], tasks: Sequence[T], work: Work[T, R]) -> None:
    """A worker's life: take an index, do the work, send the result, until the other end closes."""
    for other in inherited:  # or this process would keep its siblings' pipes open
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides, and a half-written package is finished
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])

    def claim(name: str) -> int | None:
        connection.send(("claim", name))
        answer: int | None = connection.recv()
        return answer

    with suppress(EOFError, ConnectionError):
        while True:
            task = tasks[connection.recv()]
            connection.send(("done", guarded(work, task, claim)))


# --------------------------------------------------------------------------- the side that hands out


class _Worker(Struct):
    process: Any  # the fork context's own class of process
    task: int


class _Claims(Struct):
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
                with suppress(ConnectionError):
                    connection.send(None if owner == task else owner)


class Pool(Generic[T, R]):
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
        """Index and result of each task, as they come."""
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
        # A worker that is interrupted before it ignores interrupts would die with a traceback.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
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
        with suppress(ConnectionError):
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
