"""What the generated kernels move, issue and take in the emulator, the hand-written one, and the minimum.

Everything is counted, nothing timed: the figures are the same on every machine.
`python bench/kernel_counts.py` prints tables, with --json what `make bench` has.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import hand_written as hand
from bench.kernel_calls import CASES
from bench.kernel_goals import goals
from bench.kernel_launches import Counted, count
from bench.kernel_tables import tables
from bench.limits import for_machines
from tests.kernel.cases import Case


def report(counted: Mapping[Case, Counted]) -> dict[str, object]:
    """Everything, for machines."""
    return {
        "launches": {one.name: _figures(one) for one in counted.values()},
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


def _figures(one: Counted) -> dict[str, object]:
    return {
        "findings": list(one.findings),
        "selected_rows": one.selected,
        "bytes": dict(one.bytes),
        "total_bytes": one.total_bytes,
        "least_bytes": one.least_bytes,
        "workspace_bytes": one.workspace_bytes,
        "on_chip_bytes": one.on_chip_bytes(),
        "macs": one.macs,
        "cube": one.cube_counts(),
        "vector": one.vector_counts(),
        "dequantisation_repeats_a_row": one.repeats_a_row or None,
        "dequantisation_registers_a_row": one.registers_a_row or None,
        "cycles": one.cycles,
        "utilisation": {pipe: round(share, 3) for pipe, share in one.utilisation().items()},
    }


def measure(say: Callable[[str], None]) -> dict[Case, Counted]:
    """The counts of every launch."""
    return count(CASES, say)


def main() -> int:
    """Count, print, and say whether the goals are met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    counted = measure(lambda line: print(line, file=sys.stderr))
    met = goals(counted)
    figures = {**report(counted), "limits": for_machines(met)}
    print(json.dumps(figures, indent=2) if options.json else "\n".join(tables(counted)))
    return 0 if all(goal.holds for goal in met) else 1


if __name__ == "__main__":
    sys.exit(main())
