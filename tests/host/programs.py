"""Compiled host code for tests, each program once in a session."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from qsfa_codegen.contract.calls import Call
from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.host.build import STRICT, build
from qsfa_codegen.host.engine import HostEngine, host_files
from qsfa_codegen.spec.load import load
from qsfa_codegen.spec.model import Operator
from tests.contract import qsfa_calls

ROOT = Path(__file__).parents[2]
QSFA = "kv_quant_sparse_flash_attention"
SPECS = (QSFA, "lightning_indexer", "add_rms_norm_bias", "rms_norm_dynamic_quant")


@cache
def operator(name: str) -> Operator:
    return load(ROOT / "spec" / f"{name}.yaml")


@cache
def evaluator(name: str) -> Evaluator:
    return Evaluator(operator(name))


@cache
def program(name: str, *, sanitize: bool = False) -> Path:
    """The host code as it is generated; every warning of the compiler is an error."""
    return build(host_files(operator(name)), STRICT, sanitize=sanitize)


def engine(name: str, *, sanitize: bool = False) -> HostEngine:
    return HostEngine(operator(name), program(name, sanitize=sanitize))


def edited(name: str, path: str, edits: Mapping[str, str]) -> dict[str, str]:
    """The files of host code, with texts of one of them replaced."""
    files = dict(host_files(operator(name)))
    for old, new in edits.items():
        assert files[path].count(old) == 1, old
        files[path] = files[path].replace(old, new)
    return files


def paged(id: str, **attrs: object) -> Call:
    """A legal call of the first operator."""
    return qsfa_calls.parsed(qsfa_calls.changed_case(qsfa_calls.paged(), id=id, **attrs))
