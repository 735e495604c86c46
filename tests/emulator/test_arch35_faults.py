"""Each check of what Ascend 950 alone has by a small kernel with that one fault."""

from __future__ import annotations

import struct

import pytest

from qsfa_codegen.emulator.launch import Finding, KernelType, Outcome
from tests.emulator.launching import given, line, only, run, workspace

UNIT = "arch35_faults.cpp"
A2 = "A2"
A5 = "A5"
SEEDS = (None, 3)


def launched(
    kernel: str, type: KernelType = KernelType.AIV, on: str = A5, seed: int | None = None
) -> Outcome:
    x = given("x", struct.pack("256f", *([1.0] * 256)))
    return run(UNIT, f"run_{kernel}", x, workspace(1024), type=type, on=on, seed=seed)


def named(outcome: Outcome, kernel: str) -> Finding:
    """The one finding, at the line that is marked with the kernel's name."""
    finding = only(outcome)
    assert (finding.at.file, finding.at.line) == (UNIT, line(UNIT, kernel))
    return finding


IN_FUNCTION = {
    "no_value": ("uninitialised", "Add takes element 0 of a register, which has no value"),
    "no_bytes": ("uninitialised", "StoreAlign takes element 8 of a register, which has no value"),
    "no_mask": ("uninitialised", "StoreAlign takes a mask register, which has no value"),
    "wide_mask": ("undefined-mask", "Abs takes bits for elements of 2 bytes of a mask that was made for"),
    "wide_mask_of_cast": ("undefined-mask", "Cast takes bits for elements of 2 bytes of a mask"),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kernel", IN_FUNCTION)
def test_operands_of_register_operations(kernel: str, seed: int | None) -> None:
    code, message = IN_FUNCTION[kernel]
    finding = named(launched(kernel, seed=seed), kernel)
    assert (finding.code, finding.severity, finding.pipe) == (code, "error", "V")
    assert message in finding.message


def test_a_number_that_overflows_in_a_register() -> None:
    finding = named(launched("too_large"), "too_large")
    assert (finding.code, finding.severity, finding.instruction) == ("not-finite", "warning", "Mul")


UNORDERED = {
    "load_behind_store": ("LoadAlign reads byte 2048", "writes in the same", "VEC_STORE, MemType::VEC_LOAD"),
    "store_behind_load": ("StoreAlign writes byte 1024", "reads in the same", "VEC_LOAD, MemType::VEC_STORE"),
    "store_behind_store": (
        "StoreAlign writes byte 2080",
        "writes in the same",
        "VEC_STORE, MemType::VEC_STORE",
    ),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kernel", UNORDERED)
def test_loads_and_stores_that_nothing_orders(kernel: str, seed: int | None) -> None:
    first, second, advice = UNORDERED[kernel]
    finding = named(launched(kernel, seed=seed), kernel)
    assert finding.code == "race"
    assert first in finding.message
    assert second in finding.message
    assert advice in finding.help
    assert finding.other.line == line(UNIT, f"{kernel}_first")


@pytest.mark.parametrize("seed", [None, 1, 2, 3, 4])
def test_a_scope_that_does_not_wait_for_a_copy(seed: int | None) -> None:
    found = launched("scope_too_early", seed=seed).report.findings
    assert [(f.code, f.other.line) for f in found] == [("race", line(UNIT, "scope_too_early_first"))]
    # Where the copy comes behind in this run, all that is known of the load is in which scope it was.
    places = ("scope_too_early", "scope_too_early_scope")
    assert found[0].at.line in [line(UNIT, mark) for mark in places[: 1 if seed is None else 2]]
    assert "HardEvent::MTE2_V" in found[0].help


@pytest.mark.parametrize("seed", SEEDS)
def test_loads_and_stores_that_are_in_order(seed: int | None) -> None:
    assert launched("in_order", seed=seed).report.findings == ()


ENDS = {
    "past_buffer": (
        "out-of-bounds",
        "LoadAlign reads bytes 1824 to 2079 of UB of aiv0; the buffer has bytes",
    ),
    "before_buffer": ("out-of-bounds", "StoreAlign writes bytes 2016 to 2271 of UB of aiv0; the buffer has"),
    "before_memory": ("out-of-bounds", "LoadAlign reads bytes -1024 to -769 of UB of aiv0"),
    "unaligned": ("misaligned", "LoadAlign begins at byte 1028 of UB of aiv0; expected: a multiple of 32"),
    "far_blocks": ("limit", "dataBlockStride is 65536; expected: 0 to 65535"),
    "copies": ("inside-vector-function", "DataCopy inside a vector function"),
    "copies_in_scope": ("inside-vector-function", "DataCopy inside a vector function"),
    "reads_one": ("inside-vector-function", "GetValue inside a vector function"),
    "outside": ("limit", "registers are there in vector functions alone"),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kernel", ENDS)
def test_what_ends_a_launch_in_a_vector_function(kernel: str, seed: int | None) -> None:
    code, message = ENDS[kernel]
    done = launched(kernel, seed=seed)
    finding = named(done, kernel)
    assert (finding.code, finding.severity) == (code, "error")
    assert message in finding.message
    assert not done.report.complete


LACKING = {
    "called": (A2, KernelType.AIV, "limit", "a vector function is not there on A2"),
    "two_directions": (A2, KernelType.AIC, "limit", "LoadData2DParamsV2 is not there on A2"),
    "fill_l0a": (A5, KernelType.AIC, "limit", "filling L0A or L0B is not there on A5"),
    "transpose_to_l0a": (
        A5,
        KernelType.AIC,
        "limit",
        "a way from L1 to L0A with LoadDataWithTranspose is not",
    ),
    "image_to_column": (A5, KernelType.AIC, "limit", "without SetLoadDataRepeat is not there on A5"),
    "l1_to_gm": (A5, KernelType.AIC, "limit", "there is no way from L1 to GM on this chip"),
    "gm_to_ub_of_others": (A5, KernelType.MIX_1_2, "no-such-memory", "no way to UB of aiv0 from aic0"),
    "gm_to_l1_of_others": (A5, KernelType.MIX_1_2, "no-such-memory", "no way to L1 of aic0 from aiv0"),
    "scalar_of_others": (A5, KernelType.MIX_1_2, "no-such-memory", "GetValue has no way to UB of aiv0"),
    "to_ub": (A5, KernelType.AIC, "no-such-memory", "cube core aic0 has no UB"),
    "ub_to_l1": (A2, KernelType.MIX_1_2, "no-such-memory", "vector core aiv0 has no L1"),
    "odd_rows": (A5, KernelType.MIX_1_2, "limit", "mSize is 15; expected with dualDstCtl 1: a multiple of 2"),
    "odd_columns": (
        A5,
        KernelType.MIX_1_2,
        "limit",
        "nSize is 48; expected with dualDstCtl 2: a multiple of",
    ),
    "third_target": (A5, KernelType.MIX_1_2, "limit", "dualDstCtl is 3; expected: 0 to 2"),
    "flag_of_mode_4": (
        A2,
        KernelType.MIX_1_2,
        "flag-range",
        "mode 4, pipe FIX, flag 16; expected: a mode of",
    ),
    "flag_11": (A5, KernelType.MIX_1_2, "flag-range", "a flag of 0 to 10 or 16 to 26"),
    "flag_of_the_other": (
        A5,
        KernelType.MIX_1_2,
        "flag-range",
        "flag 16; expected: a kernel of type MIX_1_2",
    ),
}
"""Where it runs, as what, and what is said."""


@pytest.mark.parametrize("kernel", LACKING)
def test_what_the_chip_or_the_core_lacks(kernel: str) -> None:
    on, type, code, message = LACKING[kernel]
    finding = only(launched(kernel, type, on))
    assert finding.code == code
    assert message in finding.message
    if code != "no-such-memory" or kernel.endswith("others"):
        assert finding.at.line == line(UNIT, kernel)


def test_flags_of_one_vector_core_want_two_of_them() -> None:
    assert launched("flag_of_mode_4", KernelType.MIX_1_2).report.findings == ()
    finding = named(launched("flag_of_mode_4", KernelType.MIX_1_1), "flag_of_mode_4")
    assert (finding.code, "a kernel of type MIX_1_2" in finding.message) == ("flag-range", True)


@pytest.mark.parametrize("seed", SEEDS)
def test_flags_of_mode_4_are_flags_of_their_own(seed: int | None) -> None:
    finding = only(launched("other_mode", KernelType.MIX_1_2, seed=seed))
    assert finding.code == "deadlock"
    at = line(UNIT, "other_mode")
    for core in ("aiv0", "aiv1"):
        assert f"MTE3 of {core} waits in line {at} for cross-core flag 3 of mode 4" in finding.message


def test_a_flag_of_mode_4_counts_to_15() -> None:
    finding = named(launched("flag_too_many", KernelType.MIX_1_2), "flag_too_many")
    assert finding.code == "flag-overflow"
    assert "flag 1 of mode 4 of aiv1 is set 16 times" in finding.message


@pytest.mark.parametrize("seed", SEEDS)
def test_two_vector_cores_write_l1(seed: int | None) -> None:
    done = launched("ub_to_l1", KernelType.MIX_1_2, seed=seed)
    assert done.report.findings == ()
    for name in ("aiv0", "aiv1"):
        counts = done.report.cores[name]
        assert (counts.bytes["ub_l1"], counts.moves["ub_l1"]) == (512, 1)
        assert counts.busy["MTE3"] == 20 + 512 // 128


@pytest.mark.parametrize("chip", [A2, A5])
def test_an_event_that_the_pipe_has_set(chip: str) -> None:
    """TPipe of a cube core has the first three from M to MTE1 for itself."""
    finding = named(launched("event_of_the_pipe", KernelType.MIX_1_2, chip), "event_of_the_pipe")
    assert (finding.code, finding.pipe) == ("flag-set-twice", "M")
