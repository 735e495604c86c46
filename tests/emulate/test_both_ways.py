"""What ``emulate --toolkit`` says where a toolkit's headers and the emulator's own leave the same, or do not.

The programs of both ways are given, so that no toolkit is needed, but for the last test.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsfa_codegen.contract.calls import TensorArg
from qsfa_codegen.emulate import run as emulate_run
from qsfa_codegen.emulate.both_ways import Difference, differences
from qsfa_codegen.emulate.program import KernelSources, Variant, build_program, kernel_sources
from qsfa_codegen.emulator.toolkit import KernelHeaders
from tests.cli_tools import Done, Program
from tests.emulate.calls import NAIVE, SPEC, case, naive_with, operator, written
from tests.emulator.through import TOOLKIT, with_toolkit, with_toolkit_for

NAMES = ("kernel_operator.h", "stub_def.h", "stub_fun.h")


@pytest.fixture
def toolkit(tmp_path: Path) -> Path:
    folder = tmp_path / "toolkit/include"
    folder.mkdir(parents=True)
    for name in NAMES:
        (folder / name).touch()
    return folder.parent


def lower_to(kernel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A toolkit's headers make of every kernel what the emulator's own make of this one."""
    lowered = kernel_sources(operator(), operator().chips[0], kernel)

    def program(sources: KernelSources, variant: Variant, headers: KernelHeaders | None = None) -> Path:
        return build_program(sources if headers is None else lowered, variant)

    monkeypatch.setattr(emulate_run, "build_program", program)


def emulate(program: Program, cases: Path, toolkit: Path, *options: str, kernel: Path = NAIVE) -> Done:
    return program("emulate", SPEC, cases, "--kernel", kernel, "--toolkit", toolkit, "-j", "1", *options)


def test_the_same_both_ways(
    program: Program, tmp_path: Path, toolkit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lower_to(NAIVE, monkeypatch)
    done = emulate(program, written(tmp_path, case()), toolkit)
    assert done.status == 0
    assert "; the same bytes as through the emulator's own headers; " in done.out
    assert "[QS" not in done.err


@pytest.mark.parametrize("faulty", ["toolkit", "own"])
def test_another_output(
    faulty: str, program: Program, tmp_path: Path, toolkit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Element 7 of each of the 4 rows is 3 one way; the case is wrong whichever way that is."""
    fault = naive_with("FAULT_RESULT", tmp_path)
    lower_to(fault if faulty == "toolkit" else NAIVE, monkeypatch)
    cases = written(tmp_path, case())
    kernel = NAIVE if faulty == "toolkit" else fault
    done = emulate(program, cases, toolkit, "--format", "json", kernel=kernel)
    assert done.status == 1
    (found,) = (json.loads(text) for text in done.out.splitlines())
    assert found["status"] == "wrong"
    (difference,) = found["differences"]
    assert difference["output"] == "attention_out"
    assert difference["place"] == [0, 0, 0, 7]
    assert difference[faulty] == 3
    assert (difference["different"], difference["size"]) == (4, 2048)
    told = emulate(program, cases, toolkit, kernel=kernel)
    assert "; 1 output not as through the emulator's own headers; " in told.out
    assert "error[QS711]: small: attention_out[0, 0, 0, 7] is " in told.err
    assert "; 4 of 2,048 elements differ" in told.err
    assert ("[QS710]" in told.err) == (faulty == "toolkit")


@given(
    st.lists(st.integers(-(2**31), 2**31 - 1), min_size=6, max_size=6),
    st.sets(st.integers(0, 5)),
    st.integers(0, 31),
)
def test_every_bit_counts(values: list[int], changed: set[int], bit: int) -> None:
    outputs = {"y": TensorArg("int32", (2, 3))}
    own = np.array(values, np.int32)
    toolkit = own.copy()
    for number in changed:
        toolkit.view(np.uint32)[number] ^= np.uint32(1 << bit)
    found = differences(outputs, {"y": toolkit.tobytes()}, {"y": own.tobytes()})
    if not changed:
        assert found == ()
        return
    first = min(changed)
    place = divmod(first, 3)
    assert found == (
        Difference("y", place, float(toolkit[first]), float(own[first]), len(changed), len(values)),
    )


def test_the_bits_of_not_a_number_and_of_zero_count() -> None:
    outputs = {"y": TensorArg("float32", (2,)), "empty": TensorArg("float32", (0,))}
    own = np.array([0x7FC00000, 0], np.uint32).tobytes()
    toolkit = np.array([0x7FC00001, 0x80000000], np.uint32).tobytes()
    (found,) = differences(outputs, {"y": toolkit, "empty": b""}, {"y": own, "empty": b""})
    assert (found.output, found.place, found.different) == ("y", (0,), 2)


def both_ways(program: Program, *asked: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What is printed of the cases through the emulator's own headers, and through a toolkit's."""
    assert TOOLKIT is not None
    own, through = (
        [
            json.loads(text)
            for text in program("emulate", SPEC, *asked, "--format", "json", *way).out.splitlines()
        ]
        for way in ((), ("--toolkit", TOOLKIT))
    )
    return own, through


@with_toolkit
def test_the_generated_kernel_through_a_toolkit(program: Program) -> None:
    """Outputs, what each core did, cycles and findings are the same, down to the last."""
    own, through = both_ways(program, "--derived", "4", "--cores", "2", "--counts")
    assert [one["status"] for one in own] == ["right"] * 4
    assert through == [{**one, "differences": []} for one in own]


@with_toolkit_for("A5")
def test_the_generated_kernel_for_ascend_950_through_a_toolkit(program: Program) -> None:
    """Outputs and findings are the same; cycles are not: there, vector instructions are vector functions."""
    own, through = both_ways(program, "--chip", "A5", "--derived", "3", "--cores", "1")
    assert [one["status"] for one in own] == ["right"] * 3
    told = [{**one, "cycles": None} for one in through]
    assert told == [{**one, "differences": [], "cycles": None} for one in own]
