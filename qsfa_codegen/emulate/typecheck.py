"""Whether a toolkit's Ascend C headers accept the generated kernel, for each kind of core, key and dtype."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from msgspec import Struct

from qsfa_codegen.diagnostics import Diagnostic
from qsfa_codegen.emulate.program import KernelSources, call_of, dtype_rows, entry
from qsfa_codegen.emulator.build import STANDARD, write
from qsfa_codegen.emulator.through import PRELUDE, flags_of
from qsfa_codegen.emulator.toolkit import KernelHeaders
from qsfa_codegen.host import compiler
from qsfa_codegen.host.toolkit import Refusal
from qsfa_codegen.render.tiling_key import tiling_key
from qsfa_codegen.spec.model import Chip, Operator

REFUSED = "QS925"
_MODES = {
    "arch22": (("cube", "__DAV_C220_CUBE__"), ("vector", "__DAV_C220_VEC__")),
    "arch35": (("cube", "__DAV_CUBE__"), ("vector", "__DAV_VEC__")),
}
"""For each architecture whose kernels are checked, the kinds of core and the macros that choose them."""
_UNIT = "checked.cpp"
_ERROR = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):\d+: (?:fatal )?error: (?P<message>.*)$", re.MULTILINE)
_FROM = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):\d+:   (?:recursively )?required from", re.MULTILINE)


class Checked(Struct, frozen=True):
    """What was compiled: a kind of core for a row of dtypes, with all ``keys``.

    ``different``: those of its dtypes that not every row has.
    """

    core: str
    dtypes: tuple[tuple[str, str], ...]
    different: tuple[str, ...]
    keys: int

    @property
    def name(self) -> str:
        """For people, as "cube cores, bfloat16 and int8"."""
        return (
            f"{self.core} cores, {' and '.join(self.different)}" if self.different else f"{self.core} cores"
        )


def checked_chips(operator: Operator) -> tuple[Chip, ...]:
    """A chip of each architecture for which there are checks."""
    return tuple({chip.arch: chip for chip in reversed(operator.chips) if chip.arch in _MODES}.values())[::-1]


def checks(sources: KernelSources) -> tuple[Checked, ...]:
    """All that is to be compiled; every tiling key is part of each."""
    keys = len(_keys(sources))
    rows = dtype_rows(sources.operator, sources.chip)
    common = set(rows[0]).intersection(*rows)
    return tuple(
        Checked(core, row, tuple(dict.fromkeys(param[1] for param in row if param not in common)), keys)
        for row in rows
        for core, _ in _MODES[sources.chip.arch]
    )


def refusals(sources: KernelSources, headers: KernelHeaders) -> Iterator[tuple[Checked, Refusal | None]]:
    """For each check, what the compiler refuses and where; None where it is content.

    HostError when there is no compiler.
    """
    tool = compiler.find()
    command = [*tool.command, *STANDARD, "-fsyntax-only", "-w", "-fmax-errors=20"]
    command += [*flags_of(headers, sources.chip), *PRELUDE]
    macros = dict(_MODES[sources.chip.arch])

    def said(check: Checked) -> tuple[Checked, Refusal | None]:
        with tempfile.TemporaryDirectory(prefix="qsfa-codegen-") as folder:
            write({**sources.files, _UNIT: _unit(sources, check)}, Path(folder))
            asked = [*command, f"-D{macros[check.core]}", _UNIT]
            ran = subprocess.run(asked, cwd=folder, capture_output=True, text=True, errors="replace")
        return check, _refusal(sources, headers, check, ran.stderr) if ran.returncode else None

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(said, checks(sources))


def _keys(sources: KernelSources) -> Sequence[tuple[int, ...]]:
    """The template arguments of every key that is compiled; one without any where the entry has none."""
    key = tiling_key(sources.operator)
    return key.legal if key is not None and key.args else ((),)


def _unit(sources: KernelSources, check: Checked) -> str:
    calls = (call_of(sources.operator, [str(code) for code in codes]) for codes in _keys(sources))
    return "\n".join(
        [
            *entry(sources, check.dtypes),
            "void CallAll(uint8_t *const *tensors)",
            "{",
            *(f"    {call};" for call in calls),
            "}",
            "",
        ]
    )


def _refusal(sources: KernelSources, headers: KernelHeaders, check: Checked, said: str) -> Refusal:
    error = _ERROR.search(said)
    message = error["message"] if error is not None else "the compiler does not say why"
    place = _place(sources, said)
    text = f"{place} does not compile with the headers of {headers.root} for {check.name}: {message}"
    return Refusal(Diagnostic(REFUSED, text), said.strip())


def _place(sources: KernelSources, said: str) -> str:
    """The line of the kernel at which it stands, or from which the headers came to it."""
    for pattern in (_ERROR, _FROM):
        for found in pattern.finditer(said):
            path = os.path.normpath(found["file"])
            if path in sources.files:
                return f"{path}:{found['line']}"
    return f"op_kernel of {sources.operator.snake}"
