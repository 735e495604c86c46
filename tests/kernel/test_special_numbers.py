"""Infinities and roundings, bit for bit, on both architectures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from qsfa_codegen.emulate.run import Emulation, How, Prepared
from qsfa_codegen.reference.elements import Floats, half_bytes, table
from qsfa_codegen.reference.subject import numbers_of
from tests.kernel.cases import HALVES, NOPE, Case
from tests.kernel.cases_arch35 import COMBINATIONS
from tests.kernel.launches import Data, emulation_on, outputs, prepared

INFINITY = 0x7F80  # of bfloat16
HEAD = 3
STEPS = {"float16": (11, -24), "bfloat16": (8, -133)}
"""Significant bits of a number, and the power of two of the least one."""
SCALES = 640
"""Where they begin in a row."""

ROUNDED = (
    *(Case(f"A2_{half}", half=half) for half in HALVES),
    *(replace(case, name=f"A5_{case.name}", chip="A5") for case in COMBINATIONS),
)


def step(values: Floats, half: str) -> NDArray[np.int64]:
    """Powers of two: by so much the next number of the dtype is larger."""
    bits, least = STEPS[half]
    return np.maximum(np.frexp(values)[1].astype(np.int64) - bits, least)


def nearest(values: Floats, half: str) -> Floats:
    """To nearest, ties to even."""
    power = step(values, half)
    return np.asarray(np.ldexp(np.rint(np.ldexp(values, -power)), power))


def ties(values: Floats, half: str) -> int:
    """How many numbers lie in the middle of two of the dtype."""
    return int((np.ldexp(values, -step(values, half)) % 1 == 0.5).sum())


def launched(case: Case) -> tuple[Emulation, Prepared, Data]:
    """The case as it can be launched, with data."""
    emulation = emulation_on(case.chip)
    (one,) = prepared(emulation, replace(case, lse=False, causal=False, cores=1).call())
    return emulation, one, emulation.filled(one.call, 0)


def attention(one: Prepared, out: Mapping[str, bytes]) -> Floats:
    """The output, ``[query rows, heads, elements]``."""
    tensor = one.outputs["attention_out"]
    return numbers_of(out["attention_out"], tensor.dtype, (-1, *tensor.shape[-2:]))


def products(rows: NDArray[np.uint8], kind: str) -> Floats:
    """Elements times scales in float32, ``[rows, elements]``."""
    scales = np.ascontiguousarray(rows[:, SCALES:]).view("<f4")
    spread = np.repeat(scales, NOPE // scales.shape[1], axis=1)
    return np.asarray(table(kind)[rows[:, :NOPE]] * spread, np.float64)


@pytest.mark.parametrize("chip", ["A2", "A5"])
def test_an_infinite_logit_stays_with_its_head(chip: str) -> None:
    """With the scale 1 the other heads have references that move from tile to tile."""
    case = Case("infinite", chip=chip, q=(2,), kv=(600,), size=600, heads=16, scale=1.0)
    emulation, one, data = launched(case)
    query: NDArray[Any] = data["query"].copy()
    query[..., HEAD, 7] = INFINITY
    plain = attention(one, outputs(emulation, one, data))
    special = emulation.launch(one, {**data, "query": query}, How())
    assert all(found.code == "not-finite" for found in special.report.findings)
    found = attention(one, special.outputs)
    assert np.isnan(found[:, HEAD]).all()
    others = [head for head in range(case.heads) if head != HEAD]
    assert (found[:, others] == plain[:, others]).all()


@pytest.mark.parametrize("case", ROUNDED, ids=lambda case: case.name)
def test_a_row_of_one_token_is_its_values(case: Case) -> None:
    """K is rounded to nearest, ties to even: there are ties."""
    lists = tuple((token,) for token in range(8))
    emulation, one, data = launched(replace(case, q=(8,), kv=(8,), lists=lists))
    values = products(data["key"].reshape(-1, data["key"].shape[-1])[:8], case.cache)
    assert ties(values, case.half) > 0
    got = attention(one, outputs(emulation, one, data))
    assert (got == nearest(values, case.half)[:, None]).all()


@pytest.mark.parametrize("case", ROUNDED, ids=lambda case: case.name)
def test_weights_and_output_are_rounded_to_nearest(case: Case) -> None:
    """Row 0 of the cache is zero; V of row 1 is 1, and its logit is below the other by a step for each head.

    So the output is P / (1 + P), rounded once as P and once more.
    """
    emulation, one, data = launched(replace(case, q=(1,), kv=(2,), lists=((1, 0),), scale=1.0))
    key = np.zeros_like(data["key"])
    rows = key.reshape(-1, key.shape[-1])
    rows[1, :NOPE] = list(table(case.cache)).index(1.0)
    rows[:2, SCALES:] = np.ones(4, "<f4").view(np.uint8)
    rows[1, NOPE : NOPE + 2] = half_bytes(np.array([-1.0]), case.half)
    steps = (np.arange(case.heads) % 16 + 1) / 8
    query = np.zeros((case.heads, NOPE + 64))
    query[:, NOPE] = steps
    words = half_bytes(query, case.half).view("<u2").reshape(data["query"].shape)
    got = attention(one, outputs(emulation, one, {**data, "query": words, "key": key, "value": key}))
    weights = np.exp(-steps)
    want = nearest(nearest(weights, case.half) / (1 + weights), case.half)
    assert (got == want[:, None]).all()
