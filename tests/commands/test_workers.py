"""Tasks in several processes: order of claims, crashes with names, nothing left running."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from contextlib import closing
from pathlib import Path

import pytest

from qsfa_codegen.commands.workers import Claim, Crash, run


def _double(task: int, _: Claim) -> int:
    return 2 * task


@pytest.mark.parametrize("jobs", [0, 1, 2, 5, 50])
def test_every_task_is_done_once(jobs: int) -> None:
    results = list(run(range(20), _double, jobs))
    assert sorted(results) == [(n, 2 * n) for n in range(20)]


def test_no_tasks() -> None:
    assert list(run([], _double, 4)) == []


def test_several_jobs_are_several_processes() -> None:
    def pid(_: int, __: Claim) -> int:
        time.sleep(0.05)
        return os.getpid()

    assert {result for _, result in run(range(4), pid, 1)} == {os.getpid()}
    pids = {result for _, result in run(range(4), pid, 2)}
    assert len(pids) == 2
    assert os.getpid() not in pids


@pytest.mark.parametrize("jobs", [1, 3])
def test_an_exception_is_reported_with_its_trace(jobs: int) -> None:
    def work(task: int, _: Claim) -> int:
        return 12 // task

    results = dict(run([3, 0, 4], work, jobs))
    assert (results[0], results[2]) == (4, 3)
    crash = results[1]
    assert isinstance(crash, Crash)
    assert crash.reason == "ZeroDivisionError: integer division or modulo by zero"
    assert "12 // task" in crash.trace


def test_a_process_that_dies_takes_only_its_own_task_with_it() -> None:
    def work(task: str, _: Claim) -> str:
        if task == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if task == "left":
            os._exit(7)
        return task

    tasks = ["a", "killed", "b", "left", "c", "d", "e"]
    results = {tasks[index]: result for index, result in run(tasks, work, 2)}
    assert results.pop("killed") == Crash("the process was ended by signal 9 (Killed)")
    assert results.pop("left") == Crash("the process ended with status 7")
    assert results == {name: name for name in "abcde"}


@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_the_first_task_in_order_gets_a_name_whatever_the_timing(jobs: int) -> None:
    def work(task: tuple[str, float], claim: Claim) -> int | None:
        name, delay = task
        time.sleep(delay)
        return claim(name)

    tasks = [("x", 0.1), ("y", 0.05), ("x", 0.0), ("y", 0.02), ("z", 0.0), ("x", 0.0)]
    assert dict(run(tasks, work, jobs)) == {0: None, 1: None, 2: 0, 3: 1, 4: None, 5: 0}


def test_a_task_that_dies_before_its_claim_holds_nobody_up() -> None:
    def work(task: int, claim: Claim) -> int | None:
        if task == 0:
            time.sleep(0.05)
            os._exit(1)
        return claim("name")

    results = dict(run([0, 1, 2], work, 3))
    assert (results[1], results[2]) == (None, 1)


def test_giving_up_ends_the_workers_and_lets_them_finish(tmp_path: Path) -> None:
    def work(task: int, _: Claim) -> int:
        if task > 0:
            (tmp_path / f"{task}.begun").touch()
            time.sleep(0.2)
            (tmp_path / f"{task}.ended").touch()
        return task

    with closing(run(range(50), work, 2)) as results:
        next(results)
    assert multiprocessing.active_children() == []
    begun = {path.stem for path in tmp_path.glob("*.begun")}
    assert begun == {path.stem for path in tmp_path.glob("*.ended")}
    assert len(begun) < 5


def test_results_come_as_they_are_ready() -> None:
    def work(task: float, _: Claim) -> float:
        time.sleep(task)
        return task

    assert [result for _, result in run([0.3, 0.0], work, 2)] == [0.0, 0.3]
