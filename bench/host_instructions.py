"""Machine instructions of one call of generated host code, counted by valgrind.

A run of many calls minus a run of fewer, divided by the difference: what starting costs falls out.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bench.limits import Limit
from qsfa_codegen.commands.workers import usable_cores
from qsfa_codegen.contract.calls import Call, Stage
from qsfa_codegen.contract.derive import derive
from qsfa_codegen.host.build import build
from qsfa_codegen.host.engine import host_files
from qsfa_codegen.host.protocol import CallWriter
from qsfa_codegen.spec.load import load

FEW, MANY = 100, 600
LIMITS = {"tiling": 3000, "shape inference": 350}
_COLLECTED = re.compile(rb"Collected : (\d+)")


@dataclass(frozen=True)
class Counted:
    """A step with the call that takes the most instructions of those that were measured."""

    step: str
    call: str
    instructions: int


def count(spec: Path) -> list[Counted] | str:
    """What each step of an operator costs on its first chip; a text where that cannot be counted."""
    if shutil.which("valgrind") is None:
        return "not counted: valgrind is not installed"
    operator = load(spec)
    writer, program = CallWriter(operator), build(host_files(operator))
    calls = [call for call in derive(operator).calls if call.chip == operator.chips[0].id]
    accepted = (call for call in calls if (call.expect or {}).get("status") == "ok" and call.stage is None)
    legal = list(_distinct(accepted))
    ids = {check.id for check in operator.checks}
    rejected = [call for call in calls if any(f"_breaks_{id.lower()}" in call.id for id in ids)][-1:]

    def worst(step: str, calls: Iterable[Call], stage: Stage) -> Counted:
        def counted(call: Call) -> tuple[int, str]:
            return cost(program, writer.line(call, stage)), call.id

        with ThreadPoolExecutor(usable_cores()) as pool:
            most, id = max(pool.map(counted, calls))
        return Counted(step, id, most)

    return [
        worst("tiling", legal, Stage.TILING),
        worst("rejected tiling", rejected, Stage.TILING),
        worst("shape inference", legal, Stage.INFER),
    ]


def limits(counted: list[Counted] | str) -> Iterator[Limit]:
    """The limits of what host code may cost; none where it could not be counted."""
    found = {} if isinstance(counted, str) else {one.step: one.instructions for one in counted}
    for step, limit in LIMITS.items():
        if step in found:
            yield Limit(f"{step}, instructions", found[step], limit)


def _distinct(calls: Iterable[Call]) -> Iterator[Call]:
    """One call for each set of attributes; what tensors hold and are made of takes no other way."""
    seen = set()
    for call in calls:
        key = tuple(sorted(call.attrs.items()))
        if key not in seen:
            seen.add(key)
            yield call


def cost(program: Path, line: bytes) -> int:
    """Instructions that ``program`` takes for one more of the call that ``line`` spells."""
    few, many = (_collected(program, line, times) for times in (FEW, MANY))
    return round((many - few) / (MANY - FEW))


def _collected(program: Path, line: bytes, times: int) -> int:
    """Instructions of a whole run."""
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command = [*tool, str(program), "--repeat", str(times)]
    ran = subprocess.run(command, input=line, capture_output=True, check=True)
    found = _COLLECTED.search(ran.stderr)
    if found is None:
        raise SystemExit(f"valgrind does not say what it counted: {ran.stderr.decode(errors='replace')}")
    return int(found[1])
