"""Speed and memory of builds, the cost of generated host code, and the counts of generated kernels, as JSON.

Progress and the tables of the kernels go to standard error.
Run with `make bench`; exit status 1 when a limit is exceeded.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import builds, cpu_attention, host_instructions, kernel_counts, kernel_goals, kernel_tables
from bench.limits import for_machines


def tell(line: str) -> None:
    """For people; what machines read goes to standard output."""
    print(line, file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and say whether the limits hold."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=15, help="runs of each single build (default 15)")
    parser.add_argument(
        "--copies",
        type=int,
        nargs="*",
        default=[20, 100],
        help="sizes of large builds (default 20 100; 100 1000 takes some minutes)",
    )
    options = parser.parse_args(arguments)
    tell("building packages")
    built = builds.measure(options.rounds, options.copies)
    counted = kernel_counts.measure(tell)
    tell("\n".join(kernel_tables.tables(counted)))
    tell("counting instructions of host code")
    host = host_instructions.count(builds.SPEC)
    tell("timing the CPU implementation")
    attention = cpu_attention.measure()
    limits = [
        *builds.limits(built),
        *host_instructions.limits(host),
        *cpu_attention.limits(attention),
        *kernel_goals.goals(counted),
    ]
    missed = [limit for limit in limits if not limit.holds]
    for limit in missed:
        tell(f"exceeded: {limit.what}: {limit.measured:,.3f}, at most {limit.limit:,.3f}")
    report = {
        "python": sys.version.split()[0],
        "cores": os.cpu_count(),
        **built,
        "host_instructions_a_call": host if isinstance(host, str) else [asdict(step) for step in host],
        "attention_on_the_cpu": attention,
        "kernel_in_the_emulator": kernel_counts.report(counted),
        "limits": for_machines(limits),
    }
    print(json.dumps(report, indent=2))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
