"""Kernels of other plans than that of the spec, with which lists come in parts, and of other rows."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.emulate.program import kernel_sources
from qsfa_codegen.emulate.run import Emulation, How, Prepared
from qsfa_codegen.reference.families import reference_of
from qsfa_codegen.spec.load import analyse
from tests.emulate.calls import SPEC
from tests.kernel.cases import Case

# A list of more than 64 tokens comes in parts, and a table of more than 8 pages stays in global memory.
CHANGES = {
    "list_tokens": 64,
    "table_pages": 8,
    "gather_buffers": 3,
    "operands": 3,
}
OWN_CHANGES = {"A2": {"ring_tiles": 4, "stages": 3}, "A5": {"results": 2, "stat_sets": 3}}
CASES = {
    "A2": (
        Case("parts", q=(2, 1), kv=(900, 140), size=800, causal=False, cores=2),
        Case("parts_of_blocks", q=(2,), kv=(700,), size=90, block=8, cores=1),
        Case("parts_on_cores", q=(1,), kv=(1200,), size=1100, cores=4, heads=16),
        Case("short_rows", q=(2, 1), kv=(300, 140), size=150, cores=2, nope=256),
        Case("short_rows_on_cores", q=(1,), kv=(1200,), size=1100, cores=4, heads=16, nope=256),
    ),
    "A5": (
        Case("parts", q=(2, 1), kv=(900, 140), size=800, causal=False, lse=False, cores=2, chip="A5"),
        Case("parts_in_another_order", q=(4,), kv=(300,), size=290, lse=False, cores=1, chip="A5", seed=1),
        Case("short_rows", q=(2, 1), kv=(300, 140), size=150, lse=False, cores=2, chip="A5", nope=256),
    ),
}


def changed(chip: str, nope: int) -> str:
    """The spec with another plan for the chip, and with rows of so many quantised elements."""
    before, after = ("    arch22:\n      tile", "    arch35:\n      tile")
    head, rest = SPEC.read_text().split(before if chip == "A2" else after)
    for name, value in {**CHANGES, **OWN_CHANGES[chip]}.items():
        rest, count = re.subn(rf"(\n      {name}: +\{{value: )\d+", rf"\g<1>{value}", rest, count=1)
        assert count == 1, name
    text = head + (before if chip == "A2" else after) + rest
    return text.replace("NOPE:         {value: 512", f"NOPE:         {{value: {nope}")


@cache
def emulation(chip: str, nope: int, folder: Path) -> Emulation:
    path = folder / SPEC.name
    path.write_text(changed(chip, nope))
    operator = analyse(path, Sink())
    assert operator is not None
    family = reference_of(operator)
    assert family is not None
    (found,) = (one for one in operator.chips if one.id == chip)
    return Emulation(kernel_sources(operator, found), family, Evaluator(operator))


@pytest.mark.parametrize("case", [*CASES["A2"], *CASES["A5"]], ids=lambda case: f"{case.chip}_{case.name}")
def test_another_plan_is_right(case: Case, tmp_path_factory: pytest.TempPathFactory) -> None:
    emulated = emulation(case.chip, case.nope, tmp_path_factory.getbasetemp())
    (one,) = emulated.prepared([case.call()])
    assert isinstance(one, Prepared)
    ran = emulated.run(one, 0, How(case.seed))
    assert ran.right, (ran.report.findings, ran.worst)
    assert ran.report.findings == ()
