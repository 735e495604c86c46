"""Launches of the generated kernel of the first operator in the emulator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qsfa_codegen.commands.workers import usable_cores
from qsfa_codegen.contract.calls import Call
from qsfa_codegen.emulate.program import kernel_sources
from qsfa_codegen.emulate.run import Emulation, How, Prepared, Ran
from qsfa_codegen.emulator.launch import Finding
from qsfa_codegen.host.errors import HostError
from qsfa_codegen.reference.elements import half_bytes, round_to
from qsfa_codegen.reference.sparse_mla import Row
from qsfa_codegen.reference.sparse_mla_data import rows_of
from tests.emulate.calls import evaluator, family, operator
from tests.kernel.cases import NOPE, Case

Data = Mapping[str, NDArray[Any]]


def emulation_on(chip: str) -> Emulation:
    """The operator's kernel on a chip."""
    (found,) = (one for one in operator().chips if one.id == chip)
    return Emulation(kernel_sources(operator(), found), family(), evaluator())


def prepared(emulation: Emulation, *calls: Call) -> list[Prepared]:
    found = list(emulation.prepared(calls))
    assert all(isinstance(one, Prepared) for one in found), found
    return [one for one in found if isinstance(one, Prepared)]


def all_ran(emulation: Emulation, cases: Sequence[Case]) -> dict[str, Ran | HostError]:
    """What came of each case. Programs and launches share the cores."""
    asked = prepared(emulation, *(case.call() for case in cases))
    seeds = {case.name: case.seed for case in cases}

    def run(one: Prepared) -> Ran | HostError:
        try:
            return emulation.run(one, 0, How(seeds[one.call.id]))
        except HostError as error:
            return error

    with ThreadPoolExecutor(usable_cores()) as pool:
        list(pool.map(emulation.program, dict.fromkeys(one.variant for one in asked)))
        return {one.call.id: ran for one, ran in zip(asked, pool.map(run, asked), strict=True)}


def told(findings: tuple[Finding, ...]) -> list[str]:
    return [f"{found.at.file}:{found.at.line}: {found.code}: {found.message}" for found in findings]


def outputs(emulation: Emulation, one: Prepared, data: Data, seed: int | None = None) -> Mapping[str, bytes]:
    outcome = emulation.launch(one, data, How(seed))
    assert told(outcome.report.findings) == []
    return outcome.outputs


def decode(chip: str = "A2", *, lse: bool = True) -> tuple[Call, Data]:
    """The step of the spec's sizes: Q and RoPE within 10, NoPE from -5 to 10, scales from 0.1 to 1."""
    reference = operator().reference
    assert reference is not None
    assert reference.decode is not None
    sizes = dict(reference.decode.sizes)
    case = Case(
        "decode",
        q=(1,),
        kv=(sizes["KV_S"],),
        heads=sizes["Q_N"],
        size=sizes["SPARSE_SIZE"],
        page=sizes["BLOCK_SIZE"],
        chip=chip,
        lse=lse,
    )
    call, random = case.call(), np.random.default_rng(0)
    tokens = case.kv[0]

    def between(low: float, high: float, *shape: int) -> NDArray[np.float64]:
        return random.uniform(low, high, shape)

    query = round_to(between(-10, 10, 1, 1, case.heads, NOPE + 64), case.half)
    nope = np.trunc(between(-5, 10, tokens, NOPE)).astype(np.int8).view(np.uint8)
    rope = round_to(between(-10, 10, tokens, 64), case.half)
    scale = between(0.1, 1, tokens, 4).astype(np.float32)
    rows = rows_of(nope, rope, scale, case.half, Row(NOPE, 128, 64, (0, NOPE, NOPE + 128)))
    pages = tokens // case.page
    key = rows.reshape(pages, case.page, 1, -1)
    data: dict[str, NDArray[Any]] = {
        "query": half_bytes(query, case.half).view("<u2"),
        "key": key,
        "value": key,
        "sparse_indices": random.permutation(tokens)[: case.size].astype("<i4"),
        "block_table": np.arange(pages, dtype="<i4"),
        "actual_seq_lengths_query": np.ones(1, "<i4"),
        "actual_seq_lengths_kv": np.array([tokens], "<i4"),
    }
    shapes = {name: tensor.shape for name, tensor in call.inputs.items() if not isinstance(tensor, tuple)}
    return call, {name: array.reshape(shapes[name]) for name, array in data.items()}
