"""HiFloat8 as the tests of the emulator state it, and as the generated package has it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch

from tests.emulator.ops import formats
from tests.emulator.ops.test_numbers import edges, float_codes

PACKAGE = "generated/kv_quant_sparse_flash_attention/python/kv_quant_sparse_flash_attention/hifloat8.py"


@pytest.fixture(scope="module")
def package() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hifloat8", Path(__file__).parents[2] / PACKAGE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_both_read_the_same_numbers(package: ModuleType) -> None:
    codes = np.arange(256, dtype=np.uint8)
    decoded = package.decode(torch.from_numpy(codes)).numpy()
    np.testing.assert_array_equal(decoded.astype(np.float64), formats.HIFLOAT8)


def test_both_round_to_the_same_codes(package: ModuleType) -> None:
    values = np.concatenate([edges("hifloat8"), float_codes()]).view(np.float32)
    encoded = package.encode(torch.from_numpy(values)).numpy()
    with np.errstate(invalid="ignore"):  # widening a signalling NaN
        exact = values.astype(np.float64)
    assert np.array_equal(encoded, formats.encode("hifloat8", exact))
