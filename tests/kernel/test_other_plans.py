"""Kernels of other plans than that of the spec; with them, lists and tables come in parts."""

from __future__ import annotations

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
    "list_tokens:    {value: 2048": "list_tokens:    {value: 64",
    "table_pages:    {value: 4096": "table_pages:    {value: 8",
    "ring_tiles:     {value: 8": "ring_tiles:     {value: 4",
    "gather_buffers: {value: 2": "gather_buffers: {value: 3",
    "stages:         {value: 2": "stages:         {value: 3",
    "operands:       {value: 4": "operands:       {value: 3",
    "results:        {value: 3": "results:        {value: 2",
}
CASES = (
    Case("parts", q=(2, 1), kv=(900, 140), size=800, causal=False, cores=2),
    Case("parts_of_blocks", q=(2,), kv=(700,), size=90, block=8, cores=1),
    Case("parts_on_cores", q=(1,), kv=(1200,), size=1100, cores=4, heads=16),
)


@pytest.fixture(scope="module")
def emulation(tmp_path_factory: pytest.TempPathFactory) -> Emulation:
    text = SPEC.read_text()
    for old, new in CHANGES.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    path = tmp_path_factory.mktemp("plan") / SPEC.name
    path.write_text(text)
    operator = analyse(path, Sink())
    assert operator is not None
    family = reference_of(operator)
    assert family is not None
    return Emulation(kernel_sources(operator, operator.chips[0]), family, Evaluator(operator))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_another_plan_is_right(emulation: Emulation, case: Case) -> None:
    (one,) = emulation.prepared([case.call()])
    assert isinstance(one, Prepared)
    ran = emulation.run(one, 0, How())
    assert ran.right, (ran.report.findings, ran.worst)
    assert ran.report.findings == ()
