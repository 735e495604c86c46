"""The generated kernel of the first operator on Atlas A2, in the emulator: right, and without a finding.

Every case is one launch. What is allowed is in docs/emulator.md.
"""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from qsfa_codegen.emulate.run import Emulation, How, Ran
from qsfa_codegen.host.errors import HostError
from qsfa_codegen.reference.subject import numbers_of
from tests.emulate.calls import family, operator
from tests.kernel.cases import HALVES, NOPE, Case, all_cases
from tests.kernel.launches import all_ran, decode, emulation_on, outputs, prepared, told

CASES = {case.name: case for case in all_cases()}


@pytest.fixture(scope="module")
def emulation() -> Emulation:
    return emulation_on("A2")


@pytest.fixture(scope="module")
def results(emulation: Emulation) -> dict[str, Ran | HostError]:
    return all_ran(emulation, tuple(CASES.values()))


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


@pytest.mark.parametrize("q", [(3, 2), (1,), (4,)], ids=["rows", "parts_of_a_row", "rows_and_parts"])
def test_every_order_gives_the_same_bytes(q: tuple[int, ...], emulation: Emulation) -> None:
    case = Case("orders", q=q, kv=(600, 140)[: len(q)], size=590, heads=16, cores=3)
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


@pytest.mark.parametrize("heads", [4, 128])
def test_cores_share_the_list_of_a_row(heads: int, emulation: Emulation) -> None:
    """Several cube cores are at work, and it takes less time."""
    alone, shared = (Case("shared", q=(1,), kv=(900,), size=700, heads=heads, cores=n) for n in (1, 5))
    reports = []
    for one in prepared(emulation, alone.call(), shared.call()):
        ran = emulation.run(one, 0, How())
        assert ran.right
        reports.append(ran.report)
    assert reports[1].cycles < 0.8 * reports[0].cycles
    assert sum(core.macs > 0 for core in reports[1].cores.values()) > 2


def test_cores_share_the_rows_of_the_last_round(emulation: Emulation) -> None:
    """Four rows on three cores: the fourth is cut into three parts, in whole batches of both vector cores."""
    lists = (tuple(range(768)),) * 4
    case = Case("last", q=(4,), kv=(768,), size=768, lists=lists, causal=False, cores=3, heads=16)
    (one,) = prepared(emulation, case.call())
    ran = emulation.run(one, 0, How())
    assert ran.right
    products = [core.macs for core in ran.report.cores.values() if core.macs > 0]
    assert products == [16 * (768 + 256) * (512 + 64 + 512)] * 3


# --------------------------------------------------------------------------- the decoding step


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
