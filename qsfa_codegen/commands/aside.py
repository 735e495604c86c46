"""Work that a second process does while this one goes on, where there is a core for it."""

from __future__ import annotations

import marshal
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress

Files = dict[str, str]
"""Texts by name: what another process can tell this one at little cost."""


class Aside:
    """``work`` in a forked process; ``result`` waits for it, leaving the block gives it up.

    ``work`` must be pure. It is done here instead where no process can be started, and when the other
    one does not come to an end: whatever is wrong with it is then seen here.
    """

    def __init__(self, work: Callable[[], Files]) -> None:
        self._work = work
        self._process, self._answer = _started(work)

    def __enter__(self) -> Aside:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process:
            with suppress(ProcessLookupError):
                os.kill(self._process, signal.SIGKILL)  # it only computes: nothing is lost
            self._wait()

    def result(self) -> Files:
        """What ``work`` gives; raises what it raises."""
        if self._process:
            with open(self._answer, "rb", closefd=False) as answer:
                told = answer.read()
            if self._wait() == 0:
                files: Files = marshal.loads(told)
                return files
        return self._work()

    def _wait(self) -> int:
        """End the acquaintance with the other process; its status."""
        process, self._process = self._process, 0
        os.close(self._answer)
        return os.waitpid(process, 0)[1]


def _started(work: Callable[[], Files]) -> tuple[int, int]:
    """The id of a new process that does ``work``, and where to read its answer; id 0 for none."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    reader, writer = os.pipe()
    try:
        process = os.fork()
    except OSError:  # no room for another one
        os.close(reader)
        process = 0
    else:
        if not process:
            _tell(writer, work)
    os.close(writer)
    return process, reader


def _tell(writer: int, work: Callable[[], Files]) -> None:
    """The other process's life: do ``work``, send what comes of it, and end without a word."""
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        with open(writer, "wb") as answer:
            answer.write(marshal.dumps(work()))
        status = 0
    finally:
        os._exit(status)
