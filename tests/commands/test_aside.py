"""Work in a second process: what it tells, and that nothing is left of it however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from qsfa_codegen.commands.aside import aside

ROOT = Path(__file__).parents[2]
LARGE = "x" * (3 << 20)  # more than a pipe holds


def no_child_is_left() -> bool:
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
    return True


def test_values_come_in_order_from_another_process() -> None:
    def work() -> Iterator[object]:
        yield os.getpid()
        yield (1, "two", None)
        yield LARGE

    with aside(work) as values:
        process, *others = values
    assert isinstance(process, int)
    assert process != os.getpid()
    assert others == [(1, "two", None), LARGE]
    assert no_child_is_left()


def raises() -> None:
    raise RuntimeError("it broke")


def dies() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("end", [raises, dies])
def test_values_end_where_the_work_does(end: object, capfd: pytest.CaptureFixture[str]) -> None:
    def work() -> Iterator[object]:
        yield 1
        assert callable(end)
        end()
        yield 2

    with aside(work) as values:
        assert list(values) == [1]
    assert capfd.readouterr() == ("", "")
    assert no_child_is_left()


def test_a_value_that_cannot_be_told_ends_them_too() -> None:
    with aside(lambda: [1, lambda: None, 2]) as values:
        assert list(values) == [1]


def test_nobody_has_to_listen_to_the_end() -> None:
    def work() -> Iterator[object]:
        yield 1
        time.sleep(60)
        yield 2

    start = time.monotonic()
    with aside(work) as values:
        assert next(values) == 1
    assert time.monotonic() - start < 30
    assert no_child_is_left()


def test_nothing_comes_where_no_process_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def fork() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", fork)
    with aside(lambda: [1, 2]) as values:
        assert list(values) == []


def test_what_is_buffered_is_printed_once() -> None:
    script = """
import sys
from qsfa_codegen.commands.aside import aside
sys.stdout.write("once ")
with aside(lambda: [1]) as values:
    print(*values)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert (done.stdout, done.stderr) == ("once 1\n", "")


def test_an_interrupt_ends_both_without_a_word() -> None:
    script = """
import sys, time
from qsfa_codegen.commands.aside import aside
def work():
    yield 1
    time.sleep(60)
try:
    with aside(work) as values:
        print(next(values), flush=True)
        next(values)
except KeyboardInterrupt:
    sys.exit(130)
"""
    command = [sys.executable, "-c", script]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "1\n"
        os.killpg(process.pid, signal.SIGINT)
        assert process.communicate(timeout=30) == ("", "")
    assert process.returncode == 130
