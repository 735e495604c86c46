"""The generated kernel of the first operator on Ascend 950, in the emulator: right, and without a finding.

Every case is one launch. What is allowed is in docs/emulator.md.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from msgspec.structs import replace

from qsfa_codegen.emulate.run import Emulation, How, Ran
from qsfa_codegen.host.errors import HostError
from tests.cli_tools import ROOT
from tests.kernel.cases import NOPE, Case
from tests.kernel.cases_arch35 import MAIN, MOST_HEADS, all_cases
from tests.kernel.launches import all_ran, decode, emulation_on, outputs, prepared, told

PAGE = (ROOT / "docs/kernel-ascend950.md").read_text(encoding="utf-8")
ROUTES = ("ub_gm", "gm_ub")
CASES = {case.name: case for case in all_cases()}


@pytest.fixture(scope="module")
def emulation() -> Emulation:
    return emulation_on("A5")


@pytest.fixture(scope="module")
def results(emulation: Emulation) -> dict[str, Ran | HostError]:
    return all_ran(emulation, tuple(CASES.values()))


@pytest.mark.parametrize("name", CASES)
def test_a_case_is_right(name: str, results: dict[str, Ran | HostError]) -> None:
    ran = results[name]
    assert isinstance(ran, Ran), ran
    assert told(ran.report.findings) == []
    assert ran.report.complete
    assert [worst.output for worst in ran.worst] == ["attention_out"]
    assert not any(worst.wrong for worst in ran.worst), ran.worst


def on_a5(case: Case, name: str, **changes: object) -> Case:
    return replace(case, name=name, chip="A5", lse=False, **changes)


@pytest.mark.parametrize(
    "case",
    [
        on_a5(MAIN, "rows", q=(3, 2), kv=(300, 140), size=290, cores=2),
        on_a5(MAIN, "parts_of_a_row", q=(1,), kv=(1200,), size=1100, cores=3),
        on_a5(MAIN, "rows_and_parts", q=(4,), kv=(1200,), size=1100, cores=3, heads=16),
    ],
    ids=lambda case: case.name,
)
def test_every_order_gives_the_same_bytes(case: Case, emulation: Emulation) -> None:
    (one,) = prepared(emulation, case.call())
    data = emulation.filled(one.call, 0)
    fixed = outputs(emulation, one, data)
    assert all(outputs(emulation, one, data, seed) == fixed for seed in range(4))


def test_cores_share_the_list_of_a_row(emulation: Emulation) -> None:
    """In equal parts, and it takes less time; there is no workspace in which they could meet."""
    long = on_a5(MAIN, "long", heads=64, q=(1,), kv=(1100,), size=1024, causal=False)
    cases = [replace(long, cores=count) for count in (1, 2)]
    alone, shared = prepared(emulation, *(case.call() for case in cases))
    assert shared.workspace == 0
    data = emulation.filled(alone.call, 0)
    first, second = (
        emulation.judged(one, data, emulation.launch(one, data, How())) for one in (alone, shared)
    )
    assert first.right
    assert second.right
    products = [core.macs for core in second.report.cores.values() if core.macs > 0]
    assert products == [64 * 512 * (512 + 64 + 512)] * 2
    assert second.report.cycles < 0.7 * first.report.cycles


def test_cores_share_the_rows_of_the_last_round(emulation: Emulation) -> None:
    """Three rows on two cores: the third is cut into two parts."""
    case = on_a5(MAIN, "last", q=(3,), kv=(1100,), size=1024, causal=False, cores=2, heads=16)
    (one,) = prepared(emulation, case.call())
    ran = emulation.run(one, 0, How())
    assert ran.right
    products = [core.macs for core in ran.report.cores.values() if core.macs > 0]
    assert products == [16 * (1024 + 512) * (512 + 64 + 512)] * 2


def test_two_cores_compute_the_heads_that_one_does(emulation: Emulation) -> None:
    """Bit for bit, and each of the two writes its half alone."""
    cases = [on_a5(MOST_HEADS, f"on_{cores}", size=150, cores=cores) for cores in (1, 2)]
    alone, shared = prepared(emulation, *(case.call() for case in cases))
    data = emulation.filled(alone.call, 0)
    first, second = (emulation.launch(one, data, How()) for one in (alone, shared))
    assert first.outputs == second.outputs
    written = [second.report.cores[f"aiv{n}"].bytes["ub_gm"] for n in range(4)]
    assert written == [len(first.outputs["attention_out"]) // 4] * 4


def test_no_rope_is_a_rope_of_zeros_bit_for_bit(emulation: Emulation) -> None:
    plain = on_a5(MAIN, "plain", rope=0, kv=(200, 70), size=180, cores=2, scale=0.04)
    first, second = prepared(emulation, plain.call(), replace(plain, rope=64).call())
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


def test_the_decoding_step_moves_little_more_than_its_tensors(emulation: Emulation) -> None:
    """Gathered rows, Q, the output, and list and table on both vector cores; nothing goes to a workspace."""
    call, data = decode("A5", lse=False)
    (one,) = prepared(emulation, replace(call, platform={"aic": 1, "aiv": 2}))
    assert one.workspace == 0
    ran = emulation.judged(one, data, emulation.launch(one, data, How()))
    assert ran.right, ran.worst
    assert told(ran.report.findings) == []
    rows, heads, halves = 2048, 64, 2
    least = rows * 656 + rows * 4 + heads * (576 + 512) * halves
    cores = ran.report.cores.values()
    moved = {
        route: sum(core.bytes.get(route, 0) for core in cores)
        for route in ("gm_ub", "gm_l1", "ub_gm", "l0c_gm")
    }
    assert moved == {
        "gm_ub": rows * 656 + 2 * (rows * 4 + 16 * 4),
        "gm_l1": heads * 576 * halves,
        "ub_gm": heads * 512 * halves,
        "l0c_gm": 0,
    }
    assert sum(moved.values()) <= 1.05 * least


def test_four_cores_share_the_decoding_step(emulation: Emulation) -> None:
    """Parts meet in the output: thrice what another part has of a quarter of the heads, and statistics."""
    call, data = decode("A5", lse=False)
    calls = [replace(call, platform={"aic": count, "aiv": 2 * count}) for count in (1, 4)]
    ran = [
        emulation.judged(one, data, emulation.launch(one, data, How())) for one in prepared(emulation, *calls)
    ]
    assert ran[1].right, ran[1].worst
    assert told(ran[1].report.findings) == []
    heads, width, number, vectors, parts = 64, 512, 4, 8, 4
    passed = (parts - 1) * heads * width * number
    written, read = (
        sum(core.bytes.get(route, 0) for core in ran[1].report.cores.values()) for route in ROUTES
    )
    assert written == heads * width * 2 + passed + parts * 2 * heads * number
    rows, lists = 2048 * 656, vectors * (2048 * 4 + 16 * 4)
    assert read == rows + lists + passed + parts * parts * 2 * heads * number
    told_of = re.search(r"takes ([\d,]+) cycles instead of ([\d,]+)", " ".join(PAGE.split()))
    assert told_of is not None
    said = [float(text.replace(",", "")) for text in reversed(told_of.groups())]
    assert said == [pytest.approx(one.report.cycles, rel=0.02) for one in ran]


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ("int64_t PART_TOKENS = 4 * TILE_ROWS", "no less than 512 places of the list"),
        ("int64_t MOST_PARTS = 8", "no more than 8"),
    ],
)
def test_numbers_of_parts_are_those_of_the_template(declared: str, said: str) -> None:
    template = ROOT / "templates/op_kernel/sparse_mla/arch35/sequence.h.j2"
    assert f"constexpr {declared};" in template.read_text(encoding="utf-8")
    assert said in " ".join(PAGE.split())
