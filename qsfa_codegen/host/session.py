"""A running program that answers calls, started anew when a call ends it."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from msgspec import Struct

from qsfa_codegen.diagnostics import Diagnostic
from qsfa_codegen.host.errors import PROGRAM_FAILED, HostError

BATCH_BYTES = 1 << 15  # below what a pipe holds, so that writing a batch never waits for its answers
SECONDS = 10.0
_READ_BYTES = 1 << 16
_SAID_BYTES = 1 << 14
_SANITIZER_MARKS = ("ERROR: ", "runtime error: ")


class Fault(Struct, frozen=True):
    """Why there is no answer to a call."""

    reason: str


class Session:
    """The program at ``path``; a batch of calls may take ``limit`` seconds."""

    def __init__(self, path: Path, limit: float = SECONDS) -> None:
        self._path = path
        self._limit = limit
        self._process: subprocess.Popen[bytes] | None = None
        self._said: IO[bytes] | None = None
        self._rest = b""
        self._busy = False  # some calls of a batch are not answered

    def definition(self) -> str:
        """What the program says of the operator's definition, as JSON."""
        try:
            ran = subprocess.run(
                [self._path, "--definition"], capture_output=True, timeout=self._limit, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise _failed(f"it does not start within {self._limit:g} s", "") from error
        if ran.returncode:
            raise _failed(_ending(ran.returncode, ran.stderr), ran.stderr.decode(errors="replace"))
        return ran.stdout.decode("utf-8", "replace")

    def answers(self, calls: Iterable[bytes]) -> Iterator[str | Fault]:
        """An answer to each call, in order. A call that ends the program is a fault; the next ones run."""
        batch: deque[bytes] = deque()
        size = 0
        for call in calls:
            if batch and size + len(call) > BATCH_BYTES:
                yield from self._batch(batch)
                size = 0
            batch.append(call)
            size += len(call)
        yield from self._batch(batch)

    def close(self) -> None:
        """End the program. HostError when it does not end well, as when it leaks memory."""
        code, said = self._end(kill=self._busy)
        if code and not self._busy:
            raise _failed(_ending(code, said), said.decode(errors="replace"))

    def kill(self) -> None:
        """End the program at once, whatever it does."""
        self._end(kill=True)

    # ------------------------------------------------------------------ one batch

    def _batch(self, calls: deque[bytes]) -> Iterator[str | Fault]:
        """Empties ``calls``."""
        self._busy = True
        while calls:
            deadline = time.monotonic() + self._limit
            self._send(b"".join(calls))
            for answer in self._receive(len(calls), deadline):
                calls.popleft()
                yield answer
            if calls:
                calls.popleft()
                yield self._fault(deadline)
        self._busy = False

    def _send(self, data: bytes) -> None:
        if self._process is None:
            # A file, not a pipe: whatever the program says, it never has to wait.
            self._said = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the program
            self._process = subprocess.Popen(
                [self._path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said, bufsize=0
            )
            self._rest = b""
        assert self._process.stdin is not None
        try:
            view = memoryview(data)
            while view:
                view = view[self._process.stdin.write(view) or 0 :]
        except BrokenPipeError:
            pass  # it ended; reading its answers will tell

    def _receive(self, count: int, deadline: float) -> Iterator[str]:
        """Up to ``count`` answers; fewer when the program ends or time is up."""
        assert self._process is not None
        assert self._process.stdout is not None
        stream = self._process.stdout.fileno()
        while count > 0:
            if not select.select([stream], [], [], max(deadline - time.monotonic(), 0))[0]:
                return
            data = os.read(stream, _READ_BYTES)
            if not data:
                return
            *lines, self._rest = (self._rest + data).split(b"\n")
            count -= len(lines)
            for line in lines:
                yield line.decode("utf-8", "replace")

    def _fault(self, deadline: float) -> Fault:
        """Why the program gave no further answer; it is ended."""
        late = time.monotonic() >= deadline
        code, said = self._end(kill=late)
        return Fault(f"no answer within {self._limit:g} s" if late else _ending(code, said))

    def _end(self, *, kill: bool) -> tuple[int, bytes]:
        process, said = self._process, self._said
        self._process = self._said = None
        if process is None or said is None:
            return 0, b""
        with process, said:
            if kill:
                process.kill()
            assert process.stdin is not None
            process.stdin.close()
            try:
                code = process.wait(self._limit)
            except subprocess.TimeoutExpired:
                process.kill()
                code = process.wait()
            return code, _tail(said)


def _failed(reason: str, detail: str) -> HostError:
    message = f"the program around the generated host code failed: {reason}"
    return HostError(Diagnostic(PROGRAM_FAILED, message), detail.strip())


def _tail(said: IO[bytes]) -> bytes:
    """The last that a program said."""
    size = said.seek(0, os.SEEK_END)
    said.seek(max(size - _SAID_BYTES, 0))
    return said.read()


def _ending(code: int, said: bytes) -> str:
    """How a program ended, from its exit status and what it said last."""
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    marked = next((line for line in lines if any(mark in line for mark in _SANITIZER_MARKS)), None)
    if marked is not None:
        return f"the sanitizer stopped it: {marked}"
    how = f"crashed with {signal.Signals(-code).name}" if code < 0 else f"ended with exit status {code}"
    if lines and lines[-1].startswith("in "):
        how = f"{how} {lines.pop()}"
    return f"{how}: {lines[-1]}" if lines else how
