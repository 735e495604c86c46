"""Random programs: races are found just where no path of flags and barriers joins two accesses to a byte."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from qsfa_codegen.emulator.launch import Role, Tensor
from tests.emulator.launching import given as tensor
from tests.emulator.launching import run

WORDS = 64
LOAD, STORE, COMPUTE, ORDER, BARRIER, PUT, TAKE, END = range(8)
EVENTS = (
    ("MTE2", "V"), ("V", "MTE3"), ("V", "MTE2"), ("MTE3", "MTE2"), ("MTE3", "V"), ("MTE2", "MTE3"),
    ("V", "S"), ("MTE2", "S"), ("MTE3", "S"), ("S", "V"), ("S", "MTE2"), ("S", "MTE3"),
)  # fmt: skip
PIPES = ("V", "MTE2", "MTE3")

Step = tuple[int, int, int, int]
Words = frozenset[tuple[str, int]]


def steps() -> st.SearchStrategy[list[Step]]:
    block = st.integers(0, 4).map(lambda i: 8 * i)
    word = st.integers(0, 40)
    count = st.integers(1, 24)
    work = st.one_of(
        st.tuples(st.sampled_from((LOAD, STORE)), block, word, count),
        st.tuples(st.just(COMPUTE), block, block, count),
        st.tuples(st.sampled_from((PUT, TAKE)), word, st.just(0), st.just(0)),
    )
    order = st.one_of(
        st.tuples(st.just(ORDER), st.integers(0, len(EVENTS) - 1), st.just(0), st.just(0)),
        st.tuples(st.just(BARRIER), st.integers(0, 2), st.just(0), st.just(0)),
    )
    return st.lists(st.one_of(work, order, order), max_size=30)


class Node(Struct, frozen=True):
    """A point in the life of a pipe: an instruction, or one side of an order."""

    pipe: str
    kind: str  # work, set, wait, barrier
    reads: Words = frozenset()
    writes: Words = frozenset()


def words(space: str, first: int, count: int) -> Words:
    return frozenset((space, first + i) for i in range(count))


def nodes(program: list[Step]) -> Iterator[Node]:
    for what, a, b, c in program:
        if what == LOAD:
            yield Node("MTE2", "work", words("z", b, c), words("UB", a, -(-c // 8) * 8))
        elif what == STORE:
            yield Node("MTE3", "work", words("UB", a, c), words("z", b, c))
        elif what == COMPUTE:
            yield Node("V", "work", words("UB", b, c), words("UB", a, c))
        elif what == PUT:
            yield Node("S", "work", writes=words("UB", a, 1))
        elif what == TAKE:
            yield Node("S", "work", reads=words("UB", a, 1))
        elif what == ORDER:
            yield Node(EVENTS[a][0], "set")
            yield Node(EVENTS[a][1], "wait")
        else:
            yield Node(PIPES[a], "barrier")


def before(all_nodes: list[Node]) -> list[set[int]]:
    """For each node, all nodes that are complete when it begins."""
    known: list[set[int]] = []
    unit: set[int] = set()  # what the scalar unit knows: all that it has done, and what its waits tell it
    told: set[int] = set()  # what it has issued since knows as well: not its stores
    for i, node in enumerate(all_nodes):
        if node.pipe == "S":
            if node.kind == "wait":
                learned = known[i - 1] | {i - 1}  # its set
                unit |= learned
                told |= learned
            known.append(set(unit))
            unit.add(i)
            if node.reads:
                told.add(i)
            continue
        direct = []
        for j in range(i):
            earlier = all_nodes[j]
            same = earlier.pipe == node.pipe
            if same and (node.kind in ("set", "barrier") or earlier.kind in ("wait", "barrier")):
                direct.append(j)
        if node.kind == "wait":
            direct.append(i - 1)
        known.append(told.union(direct, *(known[j] for j in direct)))
    return known


def races(program: list[Step]) -> tuple[bool, bool]:
    """Whether two accesses collide; and whether all that collide are a write after a read on one pipe."""
    all_nodes = list(nodes(program))
    known = before(all_nodes)
    hard = soft = False
    for i, late in enumerate(all_nodes):
        for j, early in enumerate(all_nodes[:i]):
            if j in known[i]:
                continue
            read = bool(early.reads & late.writes)
            hard |= bool(early.writes & (late.writes | late.reads)) or (read and early.pipe != late.pipe)
            soft |= read
    return hard, soft and not hard


@settings(max_examples=150, deadline=None)
@given(steps(), st.one_of(st.none(), st.integers(0, 1000)))
def test_races_are_where_no_path_is(program: list[Step], seed: int | None) -> None:
    numbers = [number for step in (*program, (END, 0, 0, 0)) for number in step]
    z = Tensor("z", Role.INOUT, bytes(4 * WORDS))
    done = run(
        "script.cpp", "script", tensor("steps", struct.pack(f"{len(numbers)}i", *numbers)), z, seed=seed
    )
    hard, soft = races(program)
    found = {finding.severity for finding in done.report.findings}
    assert {finding.code for finding in done.report.findings} <= {"race"}
    assert ("error" in found) == hard
    if not hard:
        assert ("warning" in found) == soft
