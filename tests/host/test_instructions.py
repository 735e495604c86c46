"""What generated host code costs a call, as the benchmark counts it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bench import host_instructions
from qsfa_codegen.contract.calls import Stage
from qsfa_codegen.host.protocol import CallWriter
from tests.host.programs import QSFA, ROOT, operator, paged, program


def test_without_valgrind_the_benchmark_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    said = host_instructions.count(ROOT / "spec" / f"{QSFA}.yaml")
    assert said == "not counted: valgrind is not installed"


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
@pytest.mark.parametrize(
    ("step", "stage"), [("tiling", Stage.TILING), ("shape inference", Stage.INFER)], ids=["tiling", "infer"]
)
def test_a_paged_call_keeps_its_limit(step: str, stage: Stage) -> None:
    path: Path = program(QSFA)
    line = CallWriter(operator(QSFA)).line(paged("paged", return_softmax_lse=True), stage)
    assert 100 < host_instructions.cost(path, line) <= host_instructions.LIMITS[step]
