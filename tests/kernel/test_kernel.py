"""The generated kernel of the first operator on Atlas A2, in the emulator: right, and without a finding.

Every case is one launch. What is allowed is in docs/emulator.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
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
from qsfa_codegen.reference.subject import numbers_of
from tests.emulate.calls import evaluator, family, operator
from tests.kernel.cases import HALVES, NOPE, Case, all_cases

CASES = {case.name: case for case in all_cases()}
Data = Mapping[str, NDArray[Any]]


@pytest.fixture(scope="module")
def emulation() -> Emulation:
    return Emulation(kernel_sources(operator(), evaluator().operator.chips[0]), family(), evaluator())


def prepared(emulation: Emulation, *calls: Call) -> list[Prepared]:
    found = list(emulation.prepared(calls))
    assert all(isinstance(one, Prepared) for one in found), found
    return [one for one in found if isinstance(one, Prepared)]


@pytest.fixture(scope="module")
def results(emulation: Emulation) -> dict[str, Ran | HostError]:
    """What came of each case. Programs and launches share the cores."""
    asked = prepared(emulation, *(case.call() for case in CASES.values()))

    def run(one: Prepared) -> Ran | HostError:
        try:
            return emulation.run(one, 0, How(CASES[one.call.id].seed))
        except HostError as error:
            return error

    with ThreadPoolExecutor(usable_cores()) as pool:
        list(pool.map(emulation.program, dict.fromkeys(one.variant for one in asked)))
        return {one.call.id: ran for one, ran in zip(asked, pool.map(run, asked), strict=True)}


def told(findings: tuple[Finding, ...]) -> list[str]:
    return [f"{found.at.file}:{found.at.line}: {found.code}: {found.message}" for found in findings]


@pytest.mark.parametrize("name", CASES)
def test_a_case_is_right(name: str, results: dict[str, Ran | HostError]) -> None:
    ran = results[name]
    assert isinstance(ran, Ran), ran
    assert told(ran.report.findings) == []
    assert ran.report.complete
    assert [worst.output for worst in ran.worst][:1] == ["attention_out"]
    assert len(ran.worst) == (3 if CASES[name].lse else 1)
    assert not any(worst.wrong for worst in ran.worst), ran.worst


# --------------------------------------------------------------------------- what a call must not depend on


def outputs(emulation: Emulation, one: Prepared, data: Data, seed: int | None = None) -> Mapping[str, bytes]:
    outcome = emulation.launch(one, data, How(seed))
    assert told(outcome.report.findings) == []
    return outcome.outputs


def test_every_order_gives_the_same_bytes(emulation: Emulation) -> None:
    case = Case("orders", q=(3, 2), kv=(300, 140), size=290, heads=16, cores=3)
    (one,) = prepared(emulation, case.call())
    data = emulation.filled(one.call, 0)
    fixed = outputs(emulation, one, data)
    assert all(outputs(emulation, one, data, seed) == fixed for seed in range(4))


@pytest.mark.parametrize("half", HALVES)
def test_no_rope_is_a_rope_of_zeros_bit_for_bit(half: str, emulation: Emulation) -> None:
    plain = Case("plain", half=half, rope=0, kv=(200, 70), size=180, heads=16, cores=2, scale=0.04)
    padded = replace(plain, rope=64)
    first, second = prepared(emulation, plain.call(), padded.call())
    data = emulation.filled(first.call, 0)
    query, key = data["query"], data["key"]
    rope = np.zeros((*key.shape[:-1], 128), dtype=key.dtype)
    wide = {
        **data,
        "query": np.concatenate([query, np.zeros((*query.shape[:-1], 64), query.dtype)], axis=-1),
        "key": np.concatenate([key[..., :NOPE], rope, key[..., NOPE:]], axis=-1),
    }
    wide["value"] = wide["key"]
    assert outputs(emulation, first, data) == outputs(emulation, second, wide)


# --------------------------------------------------------------------------- the decoding step


def decode() -> tuple[Call, Data]:
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


def test_the_decoding_step_at_full_size(emulation: Emulation) -> None:
    """Within the error of the released test of the operator; the softmax outputs as everywhere."""
    reference = operator().reference
    assert reference is not None
    assert reference.decode is not None
    allowed = reference.decode.tolerance
    assert (allowed.atol, allowed.rtol) == (6e-2, 2**-7)
    call, data = decode()
    (one,) = prepared(emulation, call)
    outcome = emulation.launch(one, data, How())
    assert told(outcome.report.findings) == []
    expected = family().expected(emulation.subject(call), data)
    for name, tensor in one.outputs.items():
        got = numbers_of(outcome.outputs[name], tensor.dtype, tensor.shape)
        want, bound = (part.reshape(tensor.shape) for part in expected[name])
        assert (np.abs(got - want) <= bound).all(), name
        if name == "attention_out":
            assert (np.abs(got - want) <= allowed.atol + allowed.rtol * np.abs(want)).all()
