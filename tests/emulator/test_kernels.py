"""Known small kernels: right results, nothing found, and the same bytes in whatever order the pipes run."""

from __future__ import annotations

import json
import math
import random
import struct
from collections.abc import Sequence
from itertools import pairwise

import pytest

from tests.emulator.launching import given, run, wanted

SEEDS = (None, 1, 2, 3)


def floats(values: Sequence[float]) -> bytes:
    return struct.pack(f"{len(values)}f", *values)


def unpacked(data: bytes) -> tuple[float, ...]:
    return struct.unpack(f"{len(data) // 4}f", data)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kernel", ["add_queues", "add_flags"])
def test_vector_add_with_double_buffering(kernel: str, seed: int | None) -> None:
    draw = random.Random(7)
    x = [float(draw.randrange(-1000, 1000)) for _ in range(2048)]
    y = [float(draw.randrange(-1000, 1000)) / 8 for _ in range(2048)]
    done = run(
        "vector.cpp",
        kernel,
        given("x", floats(x)),
        given("y", floats(y)),
        wanted("z", 8192),
        block_dim=2,
        seed=seed,
    )
    assert done.report.findings == ()
    assert done.report.complete
    assert unpacked(done.outputs["z"]) == tuple(a + b for a, b in zip(x, y, strict=True))


@pytest.mark.parametrize("seed", SEEDS)
def test_softmax_of_rows(seed: int | None) -> None:
    draw = random.Random(11)
    x = [draw.uniform(-20, 20) for _ in range(2 * 3 * 64)]
    data = floats(x)
    done = run("vector.cpp", "softmax_rows", given("x", data), wanted("y", len(data)), block_dim=2, seed=seed)
    assert done.report.findings == ()
    values = unpacked(data)
    result = unpacked(done.outputs["y"])
    for begin in range(0, len(values), 64):
        row = values[begin : begin + 64]
        powers = [math.exp(value - max(row)) for value in row]
        for power, got in zip(powers, result[begin : begin + 64], strict=True):
            assert got == pytest.approx(power / math.fsum(powers), rel=2e-6, abs=1e-12)


def test_positive_numbers_packed() -> None:
    draw = random.Random(5)
    x = [float(draw.randrange(-50, 50)) for _ in range(64)]
    done = run(
        "vector.cpp",
        "positive",
        given("x", floats(x)),
        wanted("packed", 256),
        wanted("count", 4),
        wanted("replaced", 256),
    )
    assert done.report.findings == ()
    kept = [value for value in x if value > 0]
    assert struct.unpack_from("I", done.outputs["count"])[0] == len(kept)
    assert list(unpacked(done.outputs["packed"])) == kept + [0.0] * (64 - len(kept))
    assert list(unpacked(done.outputs["replaced"])) == [value if value > 0 else -1.0 for value in x]


def bfloat16(value: float) -> int:
    """The code of a finite value, to nearest even."""
    bits = int.from_bytes(struct.pack("<f", value), "little")
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def test_dequantise_counts_and_bytes() -> None:
    draw = random.Random(9)
    codes = [draw.randrange(-128, 128) for _ in range(16 * 128)]
    scales = [draw.uniform(0.001, 0.1) for _ in range(16)]
    (*rounded,) = struct.unpack("16f", floats(scales))
    done = run(
        "vector.cpp",
        "dequantise",
        given("x", struct.pack("2048b", *codes)),
        given("scales", floats(scales)),
        wanted("y", 4096),
        trace=True,
    )
    assert done.report.findings == ()
    expected = [bfloat16(code * rounded[i // 128]) for i, code in enumerate(codes)]
    assert list(struct.unpack("2048H", done.outputs["y"])) == expected
    counts = done.report.cores["aiv0"]
    assert counts.repeats == 16 + 2 + 32 + 2 * 16 + 32
    assert counts.bytes == {"gm_ub": 2048 + 64, "ub_gm": 4096}
    assert counts.instructions == {"V": 6, "MTE2": 2, "MTE3": 1}
    assert (counts.vector_barriers, counts.barriers, counts.flags) == (3, 4, 4)  # one barrier is TPipe's


def test_elements_gathered_by_patterns_and_offsets() -> None:
    draw = random.Random(6)
    x = [draw.uniform(-9, 9) for _ in range(128)]
    (*values,) = struct.unpack("128f", floats(x))
    bits = [draw.randrange(2**32) for _ in range(8)]
    offsets = [4 * draw.randrange(96) for _ in range(128)]
    done = run(
        "vector.cpp",
        "gathered",
        given("x", floats(x)),
        given("bits", struct.pack("8I", *bits)),
        given("offsets", struct.pack("128I", *offsets)),
        wanted("y", 2048),
        wanted("counts", 8),
    )
    assert done.report.findings == ()
    y = unpacked(done.outputs["y"])
    fourths = values[::4]
    chosen = [value for i, value in enumerate(values) if bits[i % 64 // 32] >> i % 32 & 1]
    assert struct.unpack("2I", done.outputs["counts"]) == (len(fourths), len(chosen))
    assert list(y[:128]) == fourths + [0.0] * (128 - len(fourths))
    assert list(y[128:256]) == chosen + [0.0] * (128 - len(chosen))
    assert list(y[256:384]) == [values[16 + o // 4] if i % 2 == 0 else 0.0 for i, o in enumerate(offsets)]
    assert list(y[384:]) == [values[o // 4] if i % 64 < 40 else 0.0 for i, o in enumerate(offsets)]


def test_three_ways_to_transpose() -> None:
    x = [float(i) for i in range(256)]
    done = run("vector.cpp", "transposed", given("x", struct.pack("256e", *x)), wanted("y", 3 * 512))
    assert done.report.findings == ()
    turned = [x[row * 16 + column] for column in range(16) for row in range(16)]
    assert list(struct.unpack("768e", done.outputs["y"])) == turned * 3


def test_products_of_halves_are_added_to_floats_that_lie_apart() -> None:
    x = [(i % 23 - 11) / 4 for i in range(128)]
    done = run("vector.cpp", "products_added", given("x", struct.pack("128e", *x)), wanted("y", 1024))
    assert done.report.findings == ()
    expected = [1.0] * 256
    for i, value in enumerate(x):
        row, lane = divmod(i, 64)
        place = row * 128 + lane // 8 * 16 + lane % 8  # every other block
        expected[place] += (2 * value if lane < 40 else 0) + value * value
    assert list(unpacked(done.outputs["y"])) == expected


def test_a_trace_has_every_instruction_in_its_time() -> None:
    data = floats([1.0] * 2048)
    done = run(
        "vector.cpp",
        "add_queues",
        given("x", data),
        given("y", data),
        wanted("z", len(data)),
        block_dim=2,
        trace=True,
    )
    events = json.loads(done.trace)["traceEvents"]
    spans = [event for event in events if event["ph"] == "X"]
    assert {event["args"]["name"] for event in events if event["name"] == "process_name"} == {"aiv0", "aiv1"}
    assert len(spans) == 2 * 4 * (2 + 1 + 1)
    assert all(event["args"]["at"].startswith("vector.cpp:") for event in spans)
    loads = [event["args"] for event in spans if event["args"].get("route") == "gm_ub"]
    for tensor in ("x", "y"):
        parts = [(load["offset"], load["bytes"]) for load in loads if load["tensor"] == tensor]
        assert sum(size for _, size in parts) == len(data)
        assert {offset + size for offset, size in parts} == {offset for offset, _ in parts} ^ {0, len(data)}
    assert sum(event["args"].get("repeats", 0) for event in spans) == 2048 // 64
    for core in (0, 1):
        mine = [event for event in spans if event["pid"] == core]
        for name in ("DataCopy", "Add"):
            assert any(event["name"] == name for event in mine)
        for pipe in {event["tid"] for event in mine}:
            times = [(event["ts"], event["ts"] + event["dur"]) for event in mine if event["tid"] == pipe]
            assert all(end <= start for (_, end), (start, _) in pairwise(times))
        first_add = next(event for event in mine if event["name"] == "Add")
        loads = [event for event in mine if event["tid"] == 4][:2]
        assert first_add["ts"] >= max(load["ts"] + load["dur"] + 400 for load in loads)
    assert done.report.cycles == max(event["ts"] + event["dur"] for event in spans) + 200


def test_the_model_does_not_depend_on_the_order() -> None:
    data = floats([1.0] * 2048)
    tensors = (given("x", data), given("y", data), wanted("z", len(data)))
    runs = [run("vector.cpp", "add_flags", *tensors, block_dim=2, seed=seed).report for seed in SEEDS]
    assert len({report.cycles for report in runs}) == 1
    assert all(report.cores == runs[0].cores for report in runs)
