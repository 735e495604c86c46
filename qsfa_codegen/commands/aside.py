"""Work that a second process does while this one goes on, where there is a core for it."""

from __future__ import annotations

import gc
import os
import pickle
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader

_ROOM = 1 << 20  # bytes that the other process can say before anyone listens

Work = Callable[[], Iterable[object]]


@contextmanager
def aside(work: Work) -> Iterator[Iterator[object]]:
    """What ``work`` gives, one by one, from a forked process that is ended with the block.

    They end early, or never begin, where that process fails or cannot be started: who needs the rest
    does the work again, and sees what is wrong with it. So ``work`` must change nothing.
    """
    reader, writer = os.pipe()
    with open(reader, "rb") as answers:
        process = _started(work, writer)
        os.close(writer)
        try:
            yield _heard(answers)
        finally:
            if process:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)  # it only computes: nothing is lost
                os.waitpid(process, 0)


def _heard(answers: BufferedReader) -> Iterator[object]:
    with suppress(EOFError, pickle.UnpicklingError):
        while True:
            yield pickle.load(answers)


def _started(work: Work, writer: int) -> int:
    """The id of a new process that tells what ``work`` gives; 0 where none can be started."""
    # Interrupted before it has its own way to take that, the new process would go on as this one.
    gc.freeze()  # both have the same pages as long as nobody looks through them
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        process = os.fork()
        if not process:
            _tell(work, writer)
        return process
    except OSError:
        return 0
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _tell(work: Work, writer: int) -> None:
    """The other process's life: it ends without a word, whatever happens."""
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        _make_room(writer)
        with open(writer, "wb") as answers:
            for value in work():
                answers.write(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
                answers.flush()
        status = 0
    finally:
        os._exit(status)


def _make_room(writer: int) -> None:
    """So that the process goes on where what it tells is not yet wanted; it waits where that cannot be."""
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, _ROOM)
