"""What `make bench` prints, and that what it measures is the program alone."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from bench import bench, builds, cpu_attention, host_instructions, kernel_counts
from bench.kernel_calls import DECODE_A5
from bench.kernel_launches import Counted, Dequantisation
from bench.kernel_uses import ROWS
from bench.limits import Limit, for_machines
from qsfa_codegen.emulator.launch import CoreCounts

RUN = {"ratio_median": 2.0, "ratio_min": 1.9, "peak_megabytes": 40.0}
BUILT: dict[str, Any] = {
    "one_package": {"imports": RUN, "build": RUN, "rebuild": {**RUN, "ratio_median": 0.5}},
    "many_packages": [{"specs": n, "build_busy_milliseconds_a_spec": 100.0 + n} for n in (2, 8)],
}
HOST = [host_instructions.Counted("tiling", "a_call", 1000)]
NOTHING = CoreCounts({}, {}, {}, {}, {}, *[0] * 8)
LAUNCH = Counted(DECODE_A5, 1000, (NOTHING,), (NOTHING,), dict.fromkeys(ROWS, 0), 0, Dequantisation(0, 0), ())
ATTENTION = {"int8": {"milliseconds": 8.0, "ratio_to_matrix_products": 2.0}}


@pytest.mark.parametrize(("measured", "holds"), [(0.99, True), (1, True), (1.00004, False), (2, False)])
def test_a_limit_holds_up_to_its_value(measured: float, holds: bool) -> None:
    assert for_machines([Limit("this", measured, 1)]) == [
        {"what": "this", "measured": pytest.approx(measured, abs=1e-4), "limit": 1, "holds": holds}
    ]


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What each part measures; nothing is run."""
    found: dict[str, Any] = {
        "built": BUILT,
        "host": HOST,
        "attention": ATTENTION,
        "counted": {DECODE_A5: LAUNCH},
    }
    monkeypatch.setattr(builds, "measure", lambda rounds, copies: found["built"])
    monkeypatch.setattr(host_instructions, "count", lambda spec: found["host"])
    monkeypatch.setattr(cpu_attention, "measure", lambda: found["attention"])
    monkeypatch.setattr(kernel_counts, "measure", lambda say: found["counted"])
    return found


def test_the_report_is_json_with_every_limit(
    measured: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.main([]) == 0
    said = capsys.readouterr()
    report = json.loads(said.out)
    assert report["one_package"] == BUILT["one_package"]
    assert report["host_instructions_a_call"] == [{"step": "tiling", "call": "a_call", "instructions": 1000}]
    limits = report["limits"]
    assert list(report["kernel_in_the_emulator"]["launches"]) == ["A5 decode"]
    assert [(limit["what"], limit["measured"]) for limit in limits] == [
        ("build, ratio to the imports", 2.0),
        ("build, peak megabytes", 40.0),
        ("rebuild with nothing changed, ratio", 0.5),
        ("processor time of a spec, largest build to smallest", round(108 / 102, 4)),
        ("tiling, instructions", 1000),
        ("decode on the CPU, int8, ratio to its matrix products", 2.0),
        ("A5 decode: findings of the emulator", 0),
        ("A5 decode: MACs, to those of the products alone", 0),
        ("A5 decode: bytes to and from a workspace", 0),
        ("A5 decode: bytes through GM, to the minimum", 0),
        ("A5 decode: bytes gathered for a row", 0),
        ("A5 decode: bytes of Q, to each head's once", 0),
        ("A5 decode: operations on registers to dequantise a row", 0),
    ]
    assert all(limit["holds"] for limit in limits)
    assert "exceeded" not in said.err


def test_a_limit_that_is_exceeded_is_told_and_fails(
    measured: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    measured["host"] = [host_instructions.Counted("tiling", "a_call", 3001)]
    measured["counted"] = {DECODE_A5: dataclasses.replace(LAUNCH, workspace_bytes=64)}
    assert bench.main([]) == 1
    said = capsys.readouterr()
    missed = [one["what"] for one in json.loads(said.out)["limits"] if not one["holds"]]
    assert missed == ["tiling, instructions", "A5 decode: bytes to and from a workspace"]
    assert said.err.splitlines()[-2:] == [
        "exceeded: tiling, instructions: 3,001.000, at most 3,000.000",
        "exceeded: A5 decode: bytes to and from a workspace: 64.000, at most 0.000",
    ]


def test_what_cannot_be_counted_has_no_limit(
    measured: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    measured["host"] = "not counted: valgrind is not installed"
    assert bench.main([]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["host_instructions_a_call"] == measured["host"]
    assert not any("instructions" in one["what"] for one in report["limits"])


def test_memory_of_a_build_is_not_that_of_who_measures_it() -> None:
    """A process starts with the peak of the one that starts it: here the tests', made large."""
    held = bytearray(b"x") * (200 << 20)
    found = builds.measure(1, ())
    del held
    assert found["many_packages"] == []
    assert list(found["one_package"]) == [
        *("imports_seconds", "imports", "build", "first build ever", "rebuild", "check")
    ]
    (memory,) = (limit for limit in builds.limits(found) if limit.what == "build, peak megabytes")
    assert 5 < memory.measured <= memory.limit
