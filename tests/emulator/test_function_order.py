"""The order inside vector functions: random scripts against a list of all loads and stores before."""

from __future__ import annotations

import ctypes
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsfa_codegen.emulator.build import CORE, HERE

LOAD, STORE, JOIN, LOAD_WAITS, STORE_WAITS, STORES_IN_ORDER, NEXT_FUNCTION = range(7)
BYTES = 24
REGISTERS = 4
Step = tuple[int, int, int, int]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    target = tmp_path_factory.mktemp("order") / "order.so"
    sources = [Path(__file__).with_name("function_order.cpp"), CORE / "function_order.cpp"]
    command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{HERE}"]
    subprocess.run([*command, *sources, "-o", target], check=True)
    return ctypes.CDLL(str(target))


@dataclass
class Model:
    """All accesses of the vector function so far, by number, and what each register comes from."""

    number: int = 0
    loads: list[tuple[int, range]] = field(default_factory=list)
    stores: list[tuple[int, range, int]] = field(default_factory=list)
    barriers: dict[int, int] = field(default_factory=dict)
    origins: list[set[int]] = field(default_factory=lambda: [set() for _ in range(REGISTERS)])

    def step(self, kind: int, register: int, begin: int, end: int) -> int:
        """The first byte of the step that nothing orders, or −1."""
        if kind == JOIN:
            self.origins[register] = self.origins[register] | self.origins[begin]
        elif kind in (LOAD_WAITS, STORE_WAITS, STORES_IN_ORDER):
            self.barriers[kind] = self.number
        else:
            self.number += 1
            place = range(begin, end)
            wrong = [at for at in place if self.unordered(kind, register, at)]
            if kind == LOAD:
                self.loads.append((self.number, place))
                self.origins[register] = {self.number}
            else:
                self.stores.append((self.number, place, register))
            return wrong[0] if wrong else -1
        return -1

    def unordered(self, kind: int, register: int, at: int) -> bool:
        stores = [(number, of) for number, place, of in self.stores if at in place]
        if kind == LOAD:
            return any(number > self.barriers.get(LOAD_WAITS, 0) for number, _ in stores)
        last = stores[-1] if stores else (0, register)
        if last[0] > self.barriers.get(STORES_IN_ORDER, 0) and last[1] != register:
            return True
        latest = max((number for number, place in self.loads if at in place), default=0)
        return latest > self.barriers.get(STORE_WAITS, 0) and not self.waits(register, latest)

    def waits(self, register: int, load: int) -> bool:
        """Whether what is in the register was made from that load, or is so much newer that it is done."""
        origin = self.origins[register]
        return load in origin or (bool(origin) and max(origin) - load >= 64)


registers = st.integers(0, REGISTERS - 1)
places = st.tuples(st.integers(0, BYTES - 8), st.integers(1, 8)).map(lambda p: (p[0], p[0] + p[1]))
steps = st.one_of(
    st.tuples(st.sampled_from([LOAD, STORE]), registers, places).map(lambda s: (s[0], s[1], *s[2])),
    st.tuples(st.just(JOIN), registers, registers).map(lambda s: (*s, 0)),
    st.sampled_from([LOAD_WAITS, STORE_WAITS, STORES_IN_ORDER, NEXT_FUNCTION]).map(lambda k: (k, 0, 0, 0)),
)


def found_in(library: ctypes.CDLL, script: list[Step]) -> list[int]:
    """The first byte of each step that nothing orders, or −1."""
    numbers = np.array(script, np.int32)
    found = np.zeros(len(script), np.int32)
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (numbers, found)]
    library.run_script(pointers[0], len(script), pointers[1])
    return [int(byte) for byte in found]


@settings(max_examples=150, deadline=None)
@given(script=st.lists(steps, min_size=30, max_size=160))
def test_what_nothing_orders_is_found(library: ctypes.CDLL, script: list[Step]) -> None:
    model, expected = Model(), []
    for step in script:
        if step[0] == NEXT_FUNCTION:
            model = Model(model.number)
            expected.append(-1)
        else:
            expected.append(model.step(*step))
    assert found_in(library, script) == expected


def test_a_load_that_is_64_older_is_done(library: ctypes.CDLL) -> None:
    for later, byte in ((63, 0), (64, -1)):
        script = [(LOAD, 0, 0, 8), *[(LOAD, 1, 8, 16)] * later, (STORE, 1, 0, 8)]
        assert found_in(library, script)[-1] == byte
