"""The counts of kernels as tables for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from bench import hand_written as hand
from bench.kernel_calls import DECODE, DECODE_A5, described, least_bytes
from bench.kernel_goals import goals
from bench.kernel_launches import Counted
from bench.kernel_uses import ROWS
from tests.kernel.cases import Case

_LEAST_REPEATS = 28.0  # of dequantisation: four passes over 512 elements, in the wider type of each
_Value = float | None  # None: there is none


def tables(counted: Mapping[Case, Counted]) -> Iterator[str]:
    """Everything: lines of text."""
    if DECODE in counted and DECODE_A5 in counted:
        yield from _side_by_side(counted[DECODE], counted[DECODE_A5])
    yield from _launches(list(counted.values()))
    yield ""
    yield from _goals(counted)


# --------------------------------------------------------------------------- one call on both chips


def _side_by_side(a2: Counted, a5: Counted) -> Iterator[str]:
    yield described(a2.case)
    yield ""
    yield _row("bytes through GM", ("A2", "A5", "minimum", "hand-written, A2"))
    least = least_bytes(a2.case)
    for name in ROWS:
        yield _line(name, (a2.bytes[name], a5.bytes[name], least.get(name, 0), hand.BYTES[name]))
    total = (a2.total_bytes, a5.total_bytes, a2.least_bytes, hand.TOTAL_BYTES)
    yield _line("total", total)
    yield _line("total, to the minimum", [value / a2.least_bytes for value in total])
    yield _line("total, for a selected row", [value / a2.selected for value in total])
    yield _line("of these, to and from the workspace", (a2.workspace_bytes, a5.workspace_bytes, 0, None))
    yield ""
    yield from _between_cores(a2, a5)
    yield ""
    yield from _issued(a2, a5)
    yield ""


def _between_cores(a2: Counted, a5: Counted) -> Iterator[str]:
    yield _row("bytes between cores that do not pass GM", ("A2", "A5", "", "hand-written, A2"))
    its = a5.on_chip_bytes()
    for name, value in a2.on_chip_bytes().items():
        yield _line(name, (value, its[name], None, 0))


def _issued(a2: Counted, a5: Counted) -> Iterator[str]:
    yield _row("what is issued", ("A2", "A5", "minimum", "hand-written, A2"))
    kinds = (
        ("cube", a2.cube_counts(), a5.cube_counts(), hand.CUBE),
        ("vector", a2.vector_counts(), a5.vector_counts(), hand.VECTOR),
    )
    for kind, mine, its, theirs in kinds:
        for name, value in mine.items():
            yield _line(f"{kind}: {name}", (value, its[name], None, theirs.get(name, 0)))
    yield _line("MACs", (a2.macs, a5.macs, a2.least_macs, a2.least_macs))
    repeats = (a2.repeats_a_row, None, _LEAST_REPEATS, hand.DEQUANTISATION_REPEATS)
    yield _line("to dequantise a row: repeats", repeats)
    yield _line("to dequantise a row: operations on registers", (None, a5.registers_a_row, None, None))
    yield _line("cycles of the model", (a2.cycles, a5.cycles, None, hand.CYCLES))


def _line(name: str, values: Sequence[_Value]) -> str:
    return _row(name, ["" if value is None else _number(value) for value in values])


def _number(value: float) -> str:
    """Counts as they are; what was divided with three places below ten, else with one."""
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.3f}" if value < 10 else f"{value:,.1f}"


def _row(name: str, cells: Sequence[str]) -> str:
    return f"{name:<46}" + "".join(f"{cell:>18}" for cell in cells).rstrip()


# --------------------------------------------------------------------------- all launches


def _launches(launches: Sequence[Counted]) -> Iterator[str]:
    for one in launches:
        yield f"{one.case.chip} {described(one.case)}"
    for columns in (_MOVED, _TAKEN, _busy(launches[0])):
        yield ""
        yield from _of_launches(launches, columns)


_Columns = Mapping[str, Callable[[Counted], str]]


def _of_launches(launches: Sequence[Counted], columns: _Columns) -> Iterator[str]:
    name = max(len(one.name) for one in launches)
    widths = [max(len(title), 9) + 3 for title in columns]
    yield " " * name + "".join(f"{title:>{width}}" for title, width in zip(columns, widths, strict=True))
    for one in launches:
        cells = zip(columns.values(), widths, strict=True)
        yield f"{one.name:<{name}}" + "".join(f"{show(one):>{width}}" for show, width in cells)


_MOVED: _Columns = {
    "bytes through GM": lambda one: f"{one.total_bytes:,}",
    "minimum": lambda one: f"{one.least_bytes:,}",
    "to the minimum": lambda one: f"{one.total_bytes / one.least_bytes:.3f}",
    "workspace": lambda one: "untraced" if one.workspace_bytes is None else f"{one.workspace_bytes:,}",
    "selected rows": lambda one: f"{one.selected:,}",
    "bytes a row": lambda one: f"{one.total_bytes / one.selected:,.0f}",
}
_TAKEN: _Columns = {
    "cycles": lambda one: f"{one.cycles:,}",
    "core cycles, a query row": lambda one: f"{one.cycles * len(one.cube) // sum(one.case.q):,}",
    "vector barriers, a row": lambda one: f"{one.vector_counts()['vector barriers'] / one.selected:.3f}",
}


def _busy(one: Counted) -> _Columns:
    """The shares of time of each pipe that there is."""

    def share(pipe: str) -> Callable[[Counted], str]:
        return lambda one: f"{one.utilisation()[pipe]:.0%}"

    return {f"{pipe} busy": share(pipe) for pipe in one.utilisation()}


# --------------------------------------------------------------------------- what is kept to


def _goals(counted: Mapping[Case, Counted]) -> Iterator[str]:
    found = goals(counted)
    width = max(len(goal.what) for goal in found)
    yield f"{'goal':<{width}}{'measured':>13}{'at most':>13}"
    for goal in found:
        missed = "" if goal.holds else "  NOT MET"
        yield f"{goal.what:<{width}}{goal.measured:>13,.3f}{goal.limit:>13,.3f}{missed}"
