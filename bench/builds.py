"""Speed and memory of `qsfa-codegen build` as whole processes.

Times are divided by that of a process of the same interpreter which only imports click, yaml, jinja2
and jsonschema, measured in turns with the others, so that the figures hold on slow and busy machines.
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.limits import Limit

ROOT = Path(__file__).resolve().parent.parent
SPEC = ROOT / "spec" / "kv_quant_sparse_flash_attention.yaml"
IMPORTS = "import click, yaml, jinja2, jsonschema"

_SHARED_MEMORY = "/dev/shm"

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
        used, made = cache or folder / f"cache{number}", folder / f"out{number}"
        found = run([*build, "--out", str(made)], used)
        for done in [made] if cache else [made, used]:
            shutil.rmtree(done)
        return found

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


def measure(rounds: int, copies: Sequence[int]) -> dict[str, Any]:
    """The figures of one package, in memory where the system has such a folder, and of many."""
    with (
        tempfile.TemporaryDirectory(dir=_memory()) as fast,
        tempfile.TemporaryDirectory() as large,
    ):
        one = single(Path(fast), rounds)
        shutil.copytree(Path(fast, "warm"), Path(large, "warm"))
        return {"one_package": one, "many_packages": growth(Path(large), copies)}


def _memory() -> str | None:
    """A folder in memory. On a disk a new file takes the longer, the more were deleted just before."""
    return _SHARED_MEMORY if os.access(_SHARED_MEMORY, os.W_OK) else None


def limits(figures: dict[str, Any]) -> Iterator[Limit]:
    """Each limit with what was measured against it."""
    one, many = figures["one_package"], figures["many_packages"]
    yield Limit("build, ratio to the imports", one["build"]["ratio_median"], COLD_LIMIT)
    yield Limit("build, peak megabytes", one["build"]["peak_megabytes"], MEMORY_LIMIT)
    yield Limit("rebuild with nothing changed, ratio", one["rebuild"]["ratio_median"], REBUILD_LIMIT)
    if len(many) > 1:
        smallest, largest = (many[at]["build_busy_milliseconds_a_spec"] for at in (0, -1))
        yield Limit("processor time of a spec, largest build to smallest", largest / smallest, GROWTH_LIMIT)
