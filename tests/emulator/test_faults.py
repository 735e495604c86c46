"""Each check by a small kernel that has that one fault: the code, the line, and what the message says."""

from __future__ import annotations

import struct

import pytest

from qsfa_codegen.emulator.launch import KernelType, Launch, Outcome, Role, Tensor, launch
from qsfa_codegen.host.errors import HostError
from tests.emulator.launching import chip, given, line, only, program, run, wanted

UNIT = "faults.cpp"

BOUNDS = {
    "past_tensor": ("out-of-bounds", "reads bytes 32 to 287 of x; the tensor has bytes 0 to 255", "x", 256),
    "before_tensor": (
        "out-of-bounds",
        "reads bytes -32 to 223 of x; the tensor has bytes 0 to 255",
        "x",
        -32,
    ),
    "far_from_tensor": ("out-of-bounds", "an address of GM at which there is no tensor", "", -1),
    "past_buffer": (
        "out-of-bounds",
        "writes bytes 32 to 287 of UB of aiv0; the buffer has bytes 0 to 255",
        "UB of aiv0",
        256,
    ),
    "past_buffer_by_stride": (
        "out-of-bounds",
        "writes bytes 512 to 799 of UB of aiv0; the buffer has bytes 512 to 767",
        "UB of aiv0",
        768,
    ),
    "past_buffer_by_scalar": (
        "out-of-bounds",
        "SetValue writes bytes 256 to 259 of UB of aiv0",
        "UB of aiv0",
        256,
    ),
    "past_offsets": (
        "out-of-bounds",
        "Gather reads bytes 0 to 65279 of UB of aiv0; the buffer has bytes 0 to 255",
        "UB of aiv0",
        256,
    ),
    "past_bits": (
        "out-of-bounds",
        "GatherMask reads bytes 8672 to 8679 of UB of aiv0; the buffer has bytes 512 to 767",
        "UB of aiv0",
        768,
    ),
    "past_by_offset": (
        "out-of-bounds",
        "Gather reads bytes 2147483632 to 2147483635 of UB of aiv0; the buffer has bytes 0 to 255",
        "UB of aiv0",
        256,
    ),
    "input_written": ("input-written", "DataCopy writes bytes 0 to 255 of x, which is an input", "x", 0),
    "misaligned": (
        "misaligned",
        "an operand of Adds begins at byte 16 of UB of aiv0; expected: a multiple of 32",
        "UB of aiv0",
        16,
    ),
    "too_large": (
        "capacity",
        "a buffer of 196608 bytes does not fit UB of aiv0: 768 of 196352 bytes are given out",
        "UB of aiv0",
        768,
    ),
    "half_block": ("limit", "48 bytes are not whole blocks of 32", "", -1),
    "repeats": ("limit", "repeatTime is 256; expected: 0 to 255", "", -1),
    "wide_mask": ("limit", "mask is 65; expected: 1 to 64", "", -1),
    "long_stride": (
        "limit",
        "src0RepStride is 300; expected: 0 to 255",
        "",
        -1,
    ),
    "many_bursts": ("limit", "blockCount is 65536; expected: 0 to 4095", "", -1),
    "flag_number": ("flag-range", "the event of SetFlag is 8; expected: 0 to 7", "", -1),
    "queue_full": ("limit", "all 1 buffers of the queue are taken", "", -1),
    "queue_empty": ("limit", "the queue is empty", "", -1),
    "wrong_pipe": ("no-such-pipe", "is for pipe M, which a vector core does not have", "", -1),
}
"""What ends a launch: code, part of the message, buffer, offset."""

VALUES = {
    "never_written": ("uninitialised", "error", "Adds reads byte 0 of UB of aiv0, which nothing", 0),
    "tail_never_written": ("uninitialised", "error", "Adds reads byte 128 of UB of aiv0, which nothing", 128),
    "padding_read": ("undefined-padding", "warning", "Adds reads byte 244 of UB of aiv0, padding", 244),
}
"""Bytes without a value: code, severity, part of the message, offset."""

RACES = {
    "no_flag": ("no_flag_first", "Adds reads byte 0", "writes", "HardEvent::MTE2_V"),
    "no_vector_barrier": (
        "no_vector_barrier_first",
        "Muls reads byte 256",
        "writes",
        "PipeBarrier<PIPE_V>()",
    ),
    "two_copies_overlap": (
        "two_copies_overlap_first",
        "DataCopy writes byte 0",
        "writes",
        "PipeBarrier<PIPE_MTE2>()",
    ),
    "written_while_read": (
        "written_while_read_first",
        "DataCopy writes byte 0",
        "reads",
        "HardEvent::V_MTE2",
    ),
    "store_too_late": ("store_too_late_first", "Adds reads byte 12", "SetValue", "HardEvent::S_V"),
    "store_of_another_pipe": (
        "store_of_another_pipe_first",
        "DataCopy reads byte 12",
        "SetValue",
        "HardEvent::S_MTE3",
    ),
    "two_cores": ("two_cores", "DataCopy writes byte 0 of z", "MTE3 of aiv0) writes", "CrossCoreSetFlag"),
}
"""The mark of the earlier access, parts of the message, part of the advice."""


def launched(kernel: str, block_dim: int = 1, value: float = 1.0, seed: int | None = None) -> Outcome:
    x = struct.pack("64f", *([value] * 64))
    z = Tensor("z", Role.INOUT, bytes(256))
    return run(UNIT, kernel, given("x", x), z, block_dim=block_dim, seed=seed)


@pytest.mark.parametrize("kernel", BOUNDS)
def test_what_ends_a_launch(kernel: str) -> None:
    code, message, buffer, offset = BOUNDS[kernel]
    done = launched(kernel)
    finding = only(done)
    assert (finding.code, finding.severity) == (code, "error")
    assert message in finding.message
    assert (finding.buffer, finding.offset) == (buffer, offset)
    assert (finding.at.file, finding.at.line) == (UNIT, line(UNIT, kernel))
    assert finding.core == "aiv0"
    assert not done.report.complete


@pytest.mark.parametrize("kernel", VALUES)
def test_bytes_without_a_value(kernel: str) -> None:
    code, severity, message, offset = VALUES[kernel]
    finding = only(launched(kernel))
    assert (finding.code, finding.severity, finding.offset) == (code, severity, offset)
    assert message in finding.message
    assert finding.at.line == line(UNIT, kernel)


@pytest.mark.parametrize("seed", [None, 5, 6])
@pytest.mark.parametrize("kernel", RACES)
def test_two_accesses_that_nothing_orders(kernel: str, seed: int | None) -> None:
    earlier, first, second, advice = RACES[kernel]
    block_dim = 2 if kernel == "two_cores" else 1
    found = [f for f in launched(kernel, block_dim, seed=seed).report.findings if f.code == "race"]
    places = (line(UNIT, kernel), line(UNIT, earlier))
    finding = next(f for f in found if (f.at.line, f.other.line) == places)
    assert finding.severity == "error"
    assert advice in finding.help
    if seed is None:
        assert found == [finding]
        assert first in finding.message
        assert second in finding.message


def test_the_scalar_unit_reads_too_early() -> None:
    finding = only(launched("scalar_too_early"))
    assert (finding.code, finding.instruction) == ("race", "GetValue")
    assert (finding.at.line, finding.other.line) == (
        line(UNIT, "scalar_too_early"),
        line(UNIT, "scalar_too_early_writes"),
    )
    assert "SetFlag<HardEvent::V_S>" in finding.help


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
def test_stores_of_the_scalar_unit_in_order(seed: int | None) -> None:
    done = launched("stores_in_order", seed=seed)
    assert done.report.findings == ()
    z = struct.unpack("64f", done.outputs["z"])
    assert (z[0], z[1], z[9], z[10]) == (8.0, 0.0, 9.0, 2.0)


def test_a_flag_that_is_left() -> None:
    finding = only(launched("flag_left"))
    assert (finding.code, finding.at.line) == ("unbalanced-flag", line(UNIT, "flag_left"))
    assert "flag V_MTE2 1 is still set" in finding.message


def test_a_flag_that_is_set_twice() -> None:
    finding = only(launched("flag_twice"))
    assert (finding.code, finding.at.line) == ("flag-set-twice", line(UNIT, "flag_twice"))


def test_a_flag_that_is_never_set() -> None:
    done = launched("never_set")
    finding = only(done)
    at = line(UNIT, "never_set")
    assert (finding.code, finding.at.line) == ("deadlock", at)
    assert f"MTE3 of aiv0 waits in line {at} for flag V_MTE3 3" in finding.message
    assert not done.report.complete


def test_a_buffer_of_a_queue_that_is_left() -> None:
    finding = only(launched("queue_left"))
    assert (finding.code, finding.at.line) == ("queue-not-drained", line(UNIT, "queue_left"))
    assert "taken with AllocTensor and neither enqueued nor freed" in finding.message


def test_numbers_that_overflow() -> None:
    assert launched("overflow", value=80.0).report.findings == ()
    finding = only(launched("overflow", value=89.0))
    assert (finding.code, finding.severity) == ("not-finite", "warning")
    assert finding.at.line == line(UNIT, "overflow")
    assert launched("overflow", value=float("inf")).report.findings == ()


def test_an_output_that_is_not_written() -> None:
    finding = only(run(UNIT, "half_of_z", given("x", bytes(256)), wanted("z", 256)))
    assert (finding.code, finding.buffer, finding.offset) == ("output-not-written", "z", 132)


def test_a_kernel_that_crashes_and_one_that_does_not_end() -> None:
    """What is known of the place is the call before it."""
    x, z = given("x", bytes(256)), wanted("z", 256)
    with pytest.raises(HostError) as crashed:
        run(UNIT, "crash", x, z)
    assert "kernel crash cannot be run: its program ends with" in str(crashed.value)
    assert crashed.value.detail == f"aiv0 had come to Duplicate in line {line(UNIT, 'crash')} of {UNIT}"
    with pytest.raises(HostError) as endless:
        run(UNIT, "endless", x, z, limit=0.5)
    assert "kernel endless cannot be run: it does not end within 0.5 s" in str(endless.value)
    assert endless.value.detail == f"aiv0 had come to Duplicate in line {line(UNIT, 'endless')} of {UNIT}"
    with pytest.raises(HostError) as unknown:
        run(UNIT, "unknown", x, z)
    assert unknown.value.detail == "there is no kernel unknown"


@pytest.mark.parametrize("seed", [None, 3])
def test_instructions_without_an_end(seed: int | None) -> None:
    """They end before the memory of this machine does."""
    tensors = (given("x", bytes(256)), wanted("z", 256))
    what = Launch("endless_work", tensors, KernelType.AIV, seed=seed, instructions=1000)
    finding = only(launch(program(UNIT), chip(), what, 60))
    assert (finding.code, finding.at.line) == ("limit", line(UNIT, "endless_work"))
    assert "Duplicate is instruction 1000 of the launch, more are not emulated" in finding.message


@pytest.mark.parametrize("seed", [None, 3])
def test_instructions_without_an_end_for_a_pipe_that_waits(seed: int | None) -> None:
    finding = only(launched("endless_behind_a_flag", seed=seed))
    at, copies = line(UNIT, "endless_behind_a_flag"), line(UNIT, "endless_copies")
    assert (finding.code, finding.at.line) == ("deadlock", at)
    assert f"MTE3 of aiv0 waits in line {at} for flag V_MTE3 3" in finding.message
    assert "aiv0 has issued 262144 instructions to its pipe MTE3" in finding.message
    assert f"the last in line {copies}" in finding.message
