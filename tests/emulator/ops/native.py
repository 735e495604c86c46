"""The instructions of ``emulator/ops``, compiled once in a session and called through ctypes."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).parent
HEADERS = HERE.parents[2] / "qsfa_codegen" / "emulator" / "ops"
COMPILE = ("g++", "-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{HEADERS}")

Bytes: TypeAlias = NDArray[np.uint8]
Numbers: TypeAlias = NDArray[Any]

RUN, RANGES, ALIGNMENT, LIMITS = range(4)
READ, WRITE, CLOBBER = range(3)
ROOM = 4096  # accesses


class Access(NamedTuple):
    """Runs of bytes that an instruction touches."""

    operand: int
    touch: int
    offset: int
    bytes: int
    times: int
    stride: int

    def offsets(self) -> Iterator[slice]:
        for i in range(self.times):
            begin = self.offset + i * self.stride
            yield slice(begin, begin + self.bytes)


class Limit(NamedTuple):
    """The range of a parameter, and whether the value is in it."""

    least: int
    greatest: int
    multiple: int
    kept: bool


@cache
def build() -> ctypes.CDLL | str:
    """The library, or what the compiler has against it; made once, also when it fails."""
    with tempfile.TemporaryDirectory(prefix="ops") as folder:
        target = Path(folder) / "ops.so"
        done = subprocess.run([*COMPILE, HERE / "bridge.cpp", "-o", target], capture_output=True, text=True)
        if done.returncode:
            return done.stderr
        loaded = ctypes.CDLL(str(target))
    loaded.ask.restype = ctypes.c_int64
    return loaded


def library() -> ctypes.CDLL:
    built = build()
    assert not isinstance(built, str), built
    return built


class Instruction:
    """An instruction by its name in ``bridge.cpp`` and its fields in the order of ``Fill`` there."""

    def __init__(self, name: str, *fields: int | Sequence[int]) -> None:
        self.name = name
        flat = [int(f) for field in fields for f in (field if isinstance(field, Sequence) else (field,))]
        signed = [f - 2**64 if f >= 2**63 else f for f in flat]
        self._fields = (ctypes.c_int64 * max(1, len(signed)))(*signed)

    def _ask(self, action: int, operands: Sequence[Bytes], out: Numbers | None, room: int) -> int:
        pointers = (ctypes.c_void_p * 32)(*[operand.ctypes.data for operand in operands])
        into = None if out is None else ctypes.c_void_p(out.ctypes.data)
        answer: int = library().ask(
            action, self.name.encode(), self._fields, pointers, into, ctypes.c_int64(room)
        )
        assert answer >= 0, self.name
        return answer

    def run(self, *operands: Bytes) -> int:
        """Run it on these bytes; what it counts, if it counts something."""
        return self._ask(RUN, operands, None, 0)

    def ranges(self, *operands: Bytes) -> list[Access]:
        out = np.zeros((ROOM, 6), np.uint64)
        count = self._ask(RANGES, operands, out, ROOM)
        assert count <= ROOM
        return [Access(*map(int, row)) for row in out[:count]]

    def alignment(self, operand: int) -> int:
        return self._ask(ALIGNMENT, (), None, operand)

    def limits(self) -> dict[str, Limit]:
        """The ranges of the parameters, under their public names."""
        out = np.zeros((32, 5), np.uint64)
        rows = out[: self._ask(LIMITS, (), out, 0)]
        return {
            str((ctypes.string_at(int(name))).decode()): Limit(
                int(least), int(greatest), int(multiple), bool(kept)
            )
            for name, least, greatest, multiple, kept in rows
        }

    def touched(self, touch: int, *operands: Bytes) -> list[NDArray[np.bool_]]:
        """For each operand, the bytes that ``ranges`` names with this touch."""
        marks = [np.zeros(operand.size, np.bool_) for operand in operands]
        for access in self.ranges(*operands):
            if access.touch == touch:
                for place in access.offsets():
                    assert place.stop <= marks[access.operand].size, access
                    marks[access.operand][place] = True
        return marks


def check_ranges(instruction: Instruction, rng: np.random.Generator, *operands: Bytes) -> None:
    """What ``ranges`` says is what ``run`` does.

    Bytes that are not said to be read have no influence, those not said to be written stay, and those
    said to be written are, whatever they held.
    """
    reads = instruction.touched(READ, *operands)
    (written, *no_writes) = instruction.touched(WRITE, *operands)
    (clobbered, *no_clobbers) = instruction.touched(CLOBBER, *operands)
    assert not any(marks.any() for marks in (*no_writes, *no_clobbers))
    assert not (written & clobbered).any()
    first = [operand.copy() for operand in operands]
    instruction.run(*first)
    second = [
        np.where(read, operand, rng.integers(0, 256, operand.size, np.uint8))
        for operand, read in zip(operands, reads, strict=True)
    ]
    blank = written & ~reads[0]
    second[0][blank] = ~operands[0][blank]
    before = [operand.copy() for operand in second]
    instruction.run(*second)
    assert np.array_equal(first[0][written], second[0][written])
    kept = ~(written | clobbered)
    assert np.array_equal(first[0][kept], operands[0][kept])
    assert np.array_equal(second[0][kept], before[0][kept])
    for after, was in zip(second[1:], before[1:], strict=True):
        assert np.array_equal(after, was)
