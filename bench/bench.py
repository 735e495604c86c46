"""Speed and memory of `qsfa-codegen build` as whole processes, and the cost of generated code, as JSON.

Progress and the tables of the generated kernel go to standard error.

Times are divided by that of a process of the same interpreter which only imports click, yaml, jinja2
and jsonschema, measured in turns with the others, so that the figures hold on slow and busy machines.
Run with `make bench`; exit status 1 when a limit is exceeded.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench import cpu_attention, host_instructions, kernel_counts  # noqa: E402 - the benchmark is started by its path

SPEC = ROOT / "spec" / "kv_quant_sparse_flash_attention.yaml"
IMPORTS = "import click, yaml, jinja2, jsonschema"

COLD_LIMIT = 2.5  # times the imports
REBUILD_LIMIT = 1.0
MEMORY_LIMIT = 60.0  # MB
GROWTH_LIMIT = 1.25  # processor time of a spec in the largest build, to that in the smallest


@dataclass(frozen=True)
class Run:
    """One process: wall time, and processor time and peak memory of it and its children."""

    seconds: float
    busy_seconds: float
    megabytes: float


def run(command: Sequence[str], cache: Path) -> Run:
    """Run a command to its end; it must succeed."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "PYTHONPATH": str(ROOT)}
    # Installed programs have their modules compiled; the first run, which does not count, sees to it here.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    launch = [sys.executable, "-IS", str(ROOT / "bench/launch.py"), *command]
    done = subprocess.run(launch, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed with status {done.returncode}")
    return Run(*map(float, done.stdout.split()))


def program(*arguments: object) -> list[str]:
    """The command line of the program under test."""
    return [sys.executable, "-m", "qsfa_codegen", *map(str, arguments)]


def in_turns(steps: dict[str, Callable[[], Run]], rounds: int) -> dict[str, list[Run]]:
    """Each step once a round, so that all of them see the same state of the machine."""
    results: dict[str, list[Run]] = {name: [] for name in steps}
    for _ in range(rounds):
        for name, step in steps.items():
            results[name].append(step())
    return results


def single(folder: Path, rounds: int) -> dict[str, object]:
    """One package: from nothing, in a new process with what earlier runs cached, and with nothing to do."""
    warm, out = folder / "warm", folder / "kept"
    build = program("build", SPEC, "--quiet")
    fresh = iter(range(10**6))

    def cold(cache: Path | None) -> Run:
        number = next(fresh)
        used = cache or folder / f"cache{number}"
        return run([*build, "--out", str(folder / f"out{number}")], used)

    cold(warm)
    run([*build, "--out", str(out)], warm)
    runs = in_turns(
        {
            "imports": lambda: run([sys.executable, "-c", IMPORTS], warm),
            "build": lambda: cold(warm),
            "first build ever": lambda: cold(None),
            "rebuild": lambda: run([*build, "--out", str(out)], warm),
            "check": lambda: run([*build, "--out", str(out), "--check"], warm),
        },
        rounds,
    )
    base = runs["imports"]
    figures: dict[str, object] = {"imports_seconds": round(statistics.median(r.seconds for r in base), 4)}
    for name, measured in runs.items():
        ratios = [mine.seconds / its.seconds for mine, its in zip(measured, base, strict=True)]
        figures[name] = {
            "ratio_median": round(statistics.median(ratios), 3),
            "ratio_min": round(min(r.seconds for r in measured) / min(r.seconds for r in base), 3),
            "peak_megabytes": round(max(r.megabytes for r in measured), 1),
        }
    return figures


def growth(folder: Path, sizes: Sequence[int]) -> list[dict[str, object]]:
    """Copies of the spec under other names, in one build for each size."""
    text = SPEC.read_text(encoding="utf-8")
    rows: list[dict[str, object]] = []
    for size in sizes:
        specs = folder / f"specs{size}"
        specs.mkdir()
        for number in range(size):
            renamed = re.sub(r"(?m)^(  name: \w+)$", rf"\g<1>{number:04}", text, count=1)
            (specs / f"copy{number:04}.yaml").write_text(renamed, encoding="utf-8")
        out, cache = folder / f"many{size}", folder / "warm"
        command = program("build", *sorted(specs.iterdir()), "--out", out, "--quiet")
        first, again = run(command, cache), run(command, cache)
        rows.append(
            {
                "specs": size,
                "build_seconds": round(first.seconds, 2),
                "build_busy_milliseconds_a_spec": round(1000 * first.busy_seconds / size, 2),
                "rebuild_seconds": round(again.seconds, 2),
                "rebuild_busy_milliseconds_a_spec": round(1000 * again.busy_seconds / size, 2),
                "peak_megabytes": round(first.megabytes, 1),
            }
        )
        shutil.rmtree(out)
    return rows


def limits(one: dict[str, object], many: list[dict[str, object]]) -> list[dict[str, object]]:
    """Each limit with what was measured against it."""

    def figure(row: object, key: str) -> float:
        assert isinstance(row, dict)
        value = row[key]
        assert isinstance(value, int | float)
        return float(value)

    measured = [
        ("build, ratio to the imports", figure(one["build"], "ratio_median"), COLD_LIMIT),
        ("build, peak megabytes", figure(one["build"], "peak_megabytes"), MEMORY_LIMIT),
        ("rebuild with nothing changed, ratio", figure(one["rebuild"], "ratio_median"), REBUILD_LIMIT),
    ]
    if len(many) > 1:
        per_spec = "build_busy_milliseconds_a_spec"
        slower = figure(many[-1], per_spec) / figure(many[0], per_spec)
        measured.append(
            ("processor time of a spec, largest build to smallest", round(slower, 3), GROWTH_LIMIT)
        )
    return [
        {"what": what, "measured": value, "limit": limit, "holds": value <= limit}
        for what, value, limit in measured
    ]


def host_limits(host: list[host_instructions.Counted] | str) -> list[dict[str, object]]:
    """The limits of what host code may cost; none where it could not be counted."""
    counted = {} if isinstance(host, str) else {step.step: step.instructions for step in host}
    return [
        {
            "what": f"{step}, instructions",
            "measured": counted[step],
            "limit": limit,
            "holds": counted[step] <= limit,
        }
        for step, limit in host_instructions.LIMITS.items()
        if step in counted
    ]


def tell(line: str) -> None:
    """For people; what machines read goes to standard output."""
    print(line, file=sys.stderr, flush=True)


def main() -> int:
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
    options = parser.parse_args()
    counted = kernel_counts.measure(tell)
    tell("\n".join(kernel_counts.tables(counted)))
    tell("building packages")
    with tempfile.TemporaryDirectory() as name:
        one = single(Path(name), options.rounds)
        many = growth(Path(name), options.copies)
    tell("counting instructions of host code, timing the CPU implementation")
    host = host_instructions.count(SPEC)
    attention = cpu_attention.measure()
    held = [
        *limits(one, many),
        *host_limits(host),
        *cpu_attention.limits(attention),
        *kernel_counts.limits(counted),
    ]
    report = {
        "python": sys.version.split()[0],
        "cores": os.cpu_count(),
        "one_package": one,
        "many_packages": many,
        "host_instructions_a_call": host if isinstance(host, str) else [asdict(step) for step in host],
        "attention_on_the_cpu": attention,
        "kernel_in_the_emulator": kernel_counts.report(counted),
        "limits": held,
    }
    print(json.dumps(report, indent=2))
    return 0 if all(limit["holds"] for limit in held) else 1


if __name__ == "__main__":
    sys.exit(main())
