"""What the generated kernel for Atlas A2 moves, issues and takes in the emulator, and the hand-written one.

Everything is counted, nothing timed: the figures are the same on every machine.
`python bench/kernel_counts.py` prints tables, with --json what `make bench` has.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import hand_written as hand
from bench.kernel_goals import goals
from bench.kernel_launches import CASES, DECODE, ROWS, Bench, Counted

_COLUMNS = ("ours", "a row", "least", "hand-written", "a row", "ratio")


def report(counted: Mapping[str, Counted]) -> dict[str, object]:
    """Everything, for machines."""
    return {
        "launches": {name: _figures(one) for name, one in counted.items()},
        "hand_written": {
            "bytes": dict(hand.BYTES),
            "total_bytes": hand.TOTAL_BYTES,
            "cube": dict(hand.CUBE),
            "vector": dict(hand.VECTOR),
            "dequantisation_repeats_a_row": hand.DEQUANTISATION_REPEATS,
            "cycles": hand.CYCLES,
            "prefill_cycles": hand.PREFILL_CYCLES,
        },
    }


def limits(counted: Mapping[str, Counted]) -> list[dict[str, object]]:
    """Each goal with what was measured against it."""
    return [
        {
            "what": f"kernel, {goal.case}: {goal.what}",
            "measured": round(goal.measured, 4),
            "limit": goal.limit,
            "holds": goal.met,
        }
        for goal in goals(counted)
    ]


def _figures(one: Counted) -> dict[str, object]:
    return {
        "findings": list(one.findings),
        "selected_rows": one.selected,
        "bytes": dict(one.bytes),
        "total_bytes": one.total_bytes,
        "macs": one.macs,
        "cube": one.cube_counts(),
        "vector": one.vector_counts(),
        "dequantisation_repeats_a_row": one.repeats_a_row or None,
        "cycles": one.cycles,
        "utilisation": {pipe: round(share, 3) for pipe, share in one.utilisation().items()},
    }


def tables(counted: Mapping[str, Counted]) -> Iterator[str]:
    """Everything, for people: lines of text."""
    if DECODE.name in counted:
        yield from _decode_table(counted[DECODE.name])
    yield from _others_table(counted)
    yield ""
    yield f"{'goal':<72}{'measured':>11}{'at most':>11}"
    for goal in goals(counted):
        met = "" if goal.met else "  NOT MET"
        yield f"{f'{goal.case}: {goal.what}':<72}{goal.measured:>11,.3f}{goal.limit:>11,.3f}{met}"


def _decode_table(one: Counted) -> Iterator[str]:
    rows = one.selected
    yield _head("decode: bytes through GM")
    for name in ROWS:
        yield _line(name, (one.bytes[name], hand.LEAST_BYTES.get(name, 0), hand.BYTES[name]), rows)
    yield _line("total", (one.total_bytes, sum(hand.LEAST_BYTES.values()), hand.TOTAL_BYTES), rows)
    yield ""
    yield _head("decode: what is issued")
    kinds = (("cube", one.cube_counts(), hand.CUBE), ("vector", one.vector_counts(), hand.VECTOR))
    for kind, mine, its in kinds:
        for name, value in mine.items():
            yield _line(f"{kind}: {name}", (value, 0, its[name]))
    yield _line("MACs", (one.macs, one.least_macs, one.least_macs))
    repeats = (one.repeats_a_row, hand.LEAST_REPEATS, hand.DEQUANTISATION_REPEATS)
    yield _line("repeats of dequantisation, a row", repeats)
    yield _line("cycles of the model", (one.cycles, 0, hand.CYCLES))
    yield ""


def _head(title: str) -> str:
    return _cells(title, _COLUMNS)


def _line(name: str, values: tuple[float, float, float], rows: int = 0) -> str:
    """Ours, the least that there can be and hand-written; what is for each of ``rows`` too."""
    mine, _, its = values
    shown = [f"{v:,.1f}" if isinstance(v, float) else f"{v:,}" if v else "" for v in values]
    mine_a_row, its_a_row = (f"{v / rows:,.0f}" if rows else "" for v in (mine, its))
    ratio = f"{mine / its:.3f}" if its else ""
    return _cells(name, (shown[0] or "0", mine_a_row, shown[1], shown[2], its_a_row, ratio))


def _cells(name: str, cells: Sequence[str]) -> str:
    widths = (12, 8, 12, 14, 8, 8)
    return f"{name:<44}" + "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))


def _others_table(counted: Mapping[str, Counted]) -> Iterator[str]:
    names = list(counted)
    width = max(map(len, names)) + 2
    yield f"{'':<30}" + "".join(f"{name:>{width}}" for name in names)
    for what, show in _SHOWN.items():
        yield f"{what:<30}" + "".join(f"{show(one):>{width}}" for one in counted.values())
    for pipe in next(iter(counted.values())).utilisation():
        shares = (one.utilisation()[pipe] for one in counted.values())
        yield f"{f'{pipe} busy':<30}" + "".join(f"{share:>{width}.0%}" for share in shares)


_SHOWN: Mapping[str, Callable[[Counted], str]] = {
    "selected rows": lambda one: f"{one.selected:,}",
    "bytes through GM, a row": lambda one: f"{one.total_bytes / one.selected:,.0f}",
    "cycles": lambda one: f"{one.cycles:,}",
    "core cycles, a query row": lambda one: f"{one.cycles * len(one.cube) // sum(one.case.q):,}",
    "vector barriers, a row": lambda one: f"{one.vector_counts()['vector barriers'] / one.selected:.3f}",
}


def measure(say: Callable[[str], None]) -> dict[str, Counted]:
    """The counts of every launch."""
    return Bench().count(CASES, say)


def main() -> int:
    """Count, print, and say whether the goals are met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    counted = measure(lambda line: print(line, file=sys.stderr))
    figures = {**report(counted), "limits": limits(counted)}
    print(json.dumps(figures, indent=2) if options.json else "\n".join(tables(counted)))
    return 0 if all(goal.met for goal in goals(counted)) else 1


if __name__ == "__main__":
    sys.exit(main())
