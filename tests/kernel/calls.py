"""Calls of the first operator, and its generated kernel in the emulator."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call
from qsfa_codegen.contract.case_reader import parse_cases
from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.emulate.program import kernel_sources
from qsfa_codegen.emulate.run import Emulation, How, Prepared, Ran
from qsfa_codegen.reference.families import reference_of
from qsfa_codegen.spec.load import load
from qsfa_codegen.spec.model import Operator
from tests.cli_tools import ROOT

PAGE = 16


@dataclass(frozen=True)
class Case:
    """A call by what matters for the kernel; ``q`` and ``kv`` are the lengths of its batches.

    ``lists`` are the entries of every query row in turns, filled up with -1; without them lists are made up.
    """

    id: str
    layouts: tuple[str, str] = ("TND", "PA_BSND")
    half: str = "bfloat16"
    heads: int = 4
    rope: int = 64
    lse: bool = True
    mode: int = 3
    block: int = 1
    size: int = 40
    q: Sequence[int] = (2, 1)
    kv: Sequence[int] = (37, 50)
    scale: float = 0.04
    lists: Sequence[Sequence[int]] = ()

    @property
    def rows(self) -> int:
        """Query rows of the tensor; with batches side by side each has room for one more."""
        return sum(self.q) if self.layouts[0] == "TND" else len(self.q) * (max(self.q) + 1)

    def call(self) -> Call:
        """The call as a case file has it."""
        given = {"id": self.id, "chip": "A2", "inputs": self._inputs(), "attrs": self._attrs()}
        (call,) = parse_cases([json.dumps(given)], operator(), Sink())
        return call

    def _inputs(self) -> dict[str, object]:
        joined, paged = self.layouts[0] == "TND", self.layouts[1] == "PA_BSND"
        batches, row = len(self.q), 528 + 2 * self.rope
        lead = [self.rows] if joined else [batches, max(self.q) + 1]
        pages = max(1, -(-max(self.kv) // PAGE))
        caches = {
            "BSND": [batches, max(self.kv) + 1, 1, row],
            "TND": [max(1, sum(self.kv)), 1, row],
            "PA_BSND": [batches * pages + 1, PAGE, 1, row],
        }
        cache = {"dtype": "int8", "shape": caches[self.layouts[1]]}
        q_lens = [int(n) for n in np.cumsum(self.q)] if joined else list(self.q)
        kv_lens = [int(n) for n in np.cumsum(self.kv)] if self.layouts[1] == "TND" else list(self.kv)
        indices: dict[str, object] = {"dtype": "int32", "shape": [*lead, 1, self.size]}
        if self.lists:
            indices["data"] = [n for place in range(int(np.prod(lead))) for n in self._list(place)]
        inputs: dict[str, object] = {
            "query": {"dtype": self.half, "shape": [*lead, self.heads, 512 + self.rope]},
            "key": cache,
            "value": cache,
            "sparse_indices": indices,
            "actual_seq_lengths_query": {"dtype": "int32", "shape": [batches], "data": q_lens},
            "actual_seq_lengths_kv": {"dtype": "int32", "shape": [batches], "data": kv_lens},
        }
        if paged:
            inputs["block_table"] = {"dtype": "int32", "shape": [batches, pages]}
        return inputs

    def _list(self, place: int) -> list[int]:
        entries = self.lists[place % len(self.lists)]
        return [*entries, *[-1] * (self.size - len(entries))]

    def _attrs(self) -> dict[str, object]:
        return {
            "scale_value": self.scale,
            "key_quant_mode": 2,
            "value_quant_mode": 2,
            "attention_mode": 2,
            "sparse_block_size": self.block,
            "layout_query": self.layouts[0],
            "layout_kv": self.layouts[1],
            "sparse_mode": self.mode,
            "rope_head_dim": self.rope,
            "return_softmax_lse": self.lse,
        }


@cache
def operator() -> Operator:
    return load(ROOT / "spec/kv_quant_sparse_flash_attention.yaml")


@cache
def emulation(cores: int = 24) -> Emulation:
    """The kernel on a chip with so many cube cores."""
    chip = next(chip for chip in operator().chips if chip.id == "A2")
    family = reference_of(operator())
    assert family is not None
    sources = kernel_sources(operator(), replace(chip, aic=cores, aiv=2 * cores))
    return Emulation(sources, family, Evaluator(operator()))


def prepared(case: Case, cores: int = 24) -> Prepared:
    call = replace(case.call(), platform={"aic": cores, "aiv": 2 * cores})
    (found,) = emulation(cores).prepared([call])
    assert isinstance(found, Prepared), found
    return found


def ran(case: Case, cores: int = 24, seed: int | None = None) -> Ran:
    return emulation(cores).run(prepared(case, cores), 0, How(seed))


def outputs(case: Case, tensors: Mapping[str, np.ndarray], cores: int = 24) -> Mapping[str, bytes]:
    """The outputs on these tensors, of a launch that found nothing."""
    outcome = emulation(cores).launch(prepared(case, cores), tensors, How())
    assert outcome.report.complete
    assert outcome.report.findings == ()
    return outcome.outputs
