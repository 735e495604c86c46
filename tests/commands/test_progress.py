"""The progress line."""

from __future__ import annotations

import io

import pytest

from qsfa_codegen.commands.progress import Progress


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    return now


def _run(stream: io.StringIO, clock: list[float], total: int, seconds: float, *, enabled: bool = True) -> str:
    counter = Progress(total, "specs", enabled=enabled, stream=stream)
    for _ in range(total):
        clock[0] += seconds
        counter.step()
    counter.clear()
    return stream.getvalue()


def test_short_runs_say_nothing(clock: list[float]) -> None:
    assert _run(_Terminal(), clock, 9, 0.1) == ""
    assert _run(io.StringIO(), clock, 9, 0.1) == ""


def test_a_terminal_has_one_line_that_is_taken_away(clock: list[float]) -> None:
    assert _run(_Terminal(), clock, 4, 0.5) == "\r2 of 4 specs\r3 of 4 specs\r\x1b[K"


def test_a_log_gets_a_line_now_and_then(clock: list[float]) -> None:
    assert _run(io.StringIO(), clock, 100, 0.25) == "40 of 100 specs\n80 of 100 specs\n"


def test_a_single_item_and_quiet_runs_have_no_progress(clock: list[float]) -> None:
    assert _run(_Terminal(), clock, 1, 5.0) == ""
    assert _run(_Terminal(), clock, 10, 5.0, enabled=False) == ""


def test_several_items_at_a_time(clock: list[float]) -> None:
    stream = _Terminal()
    counter = Progress(2500, "calls", stream=stream)
    for _ in range(3):
        clock[0] += 2
        counter.step(1000)
    assert stream.getvalue() == "\r1000 of 2500 calls\r2000 of 2500 calls"
