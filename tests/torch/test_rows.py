"""Packed rows: bytes worked out by hand, what packing and quantising keep, and what is refused."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from kv_quant_sparse_flash_attention.rows import KvRow, quantise_tiles
from torch import Tensor

from qsfa_codegen.reference.elements import fp8

BF16, FP16, FP8 = torch.bfloat16, torch.float16, torch.float8_e4m3fn


def raw(rows: Tensor) -> bytes:
    return rows.contiguous().view(torch.uint8).numpy().tobytes()


# --------------------------------------------------------------------------- sizes


@pytest.mark.parametrize(
    ("row", "elements", "offsets"),
    [
        (KvRow(kv=torch.int8, q=BF16), 656, [0, 512, 640]),
        (KvRow(kv=torch.int8, q=BF16, rope_head_dim=0), 528, [0, 512, 512]),
        (KvRow(kv=FP8, q=FP16), 656, [0, 512, 640]),
        (KvRow(kv=FP8, q=FP16, rope_head_dim=0), 528, [0, 512, 512]),
        (KvRow(kv=torch.int8, q=BF16, nope=256, rope_head_dim=32, tile_size=64), 336, [0, 256, 320]),
        (KvRow(kv=torch.int8, q=BF16, scale_dtype=BF16), 648, [0, 512, 640]),
    ],
    ids=str,
)
def test_sizes_and_offsets(row: KvRow, elements: int, offsets: list[int]) -> None:
    assert (row.elements, row.size) == (elements, elements)
    assert [field.offset for field in row.fields] == offsets
    assert row.fields[-1].end == elements


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tile_size": 0}, "a tile has 0 elements; expected: a whole number, at least 1"),
        ({"tile_size": 128.0}, "a tile has 128.0 elements; expected: a whole number, at least 1"),
        ({"tile_size": 100}, "nope has 512 elements; expected: whole tiles of 100, one scale each"),
        ({"rope_head_dim": 1}, "scale begins at byte 514; expected: a multiple of 4"),
        ({"rope_head_dim": -2}, "rope has -2 elements; expected: a whole number, at least 0"),
        ({"rope_head_dim": 64.0}, "rope has 64.0 elements; expected: a whole number, at least 0"),
        ({"q": torch.float32}, "q is torch.float32; expected: one of torch.float16, torch.bfloat16"),
        (
            {"kv": torch.float8_e5m2},
            "kv is torch.float8_e5m2; expected: one of torch.int8, torch.float8_e4m3fn, torch.uint8",
        ),
        ({"kv": "int8"}, "kv is 'int8'; expected: one of torch.int8, torch.float8_e4m3fn, torch.uint8"),
        (
            {"scale_dtype": torch.int32},
            "scale_dtype is torch.int32; expected: one of torch.float16, torch.bfloat16, torch.float32",
        ),
    ],
)
def test_rows_that_cannot_be(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        KvRow(**{"kv": torch.int8, "q": BF16, **changes})
    assert str(caught.value) == message


# --------------------------------------------------------------------------- bytes by hand

SMALL = KvRow(kv=torch.int8, q=BF16, nope=4, rope_head_dim=2, tile_size=2)
SMALL_BYTES = bytes.fromhex(
    "01 ff 80 7f"  # 1, -1, -128, 127 as int8
    "80 3f 00 c0"  # 1.0 and -2.0 as bfloat16: 3f80, c000
    "00 00 00 3f 00 00 80 40"  # 0.5 and 4.0 as float32: 3f000000, 40800000
)


def test_bytes_of_a_row_of_int8() -> None:
    nope = torch.tensor([[1, -1, -128, 127]], dtype=torch.int8)
    rope, scale = torch.tensor([[1.0, -2.0]], dtype=BF16), torch.tensor([[0.5, 4.0]])
    rows = SMALL.pack(nope, rope, scale)
    assert (rows.dtype, tuple(rows.shape)) == (torch.int8, (1, 16))
    assert raw(rows) == SMALL_BYTES
    for part, wanted in zip(SMALL.unpack(rows), (nope, rope, scale), strict=True):
        assert torch.equal(part, wanted)
    assert SMALL.dequantise(rows, torch.float32).tolist() == [[0.5, -0.5, -512, 508]]


def test_bytes_of_a_row_of_fp8() -> None:
    row = KvRow(kv=FP8, q=FP16, nope=4, rope_head_dim=2, tile_size=4)
    nope = torch.tensor([[1.0, -0.5, 448, 2**-9]]).to(FP8)
    rows = row.pack(nope, torch.tensor([[1.0, -2.0]], dtype=FP16), torch.tensor([[1.5]]))
    # 0 0111 000, 1 0110 000, 0 1111 110, 0 0000 001; halves 3c00, c000; 1.5 is 3fc00000.
    assert raw(rows) == bytes.fromhex("38 b0 7e 0100 3c 00 c000 00 c0 3f")
    assert row.dequantise(rows, torch.float32).tolist() == [[1.5, -0.75, 672, 1.5 * 2**-9]]


def test_bytes_of_a_row_without_rope() -> None:
    row = KvRow(kv=torch.int8, q=BF16, nope=4, rope_head_dim=0, tile_size=4)
    rows = row.pack(
        torch.tensor([[1, 2, 3, 4]], dtype=torch.int8), torch.empty(1, 0, dtype=BF16), torch.ones(1, 1)
    )
    assert raw(rows) == bytes.fromhex("01 02 03 0400 00 80 3f")
    assert row.unpack(rows)[1].shape == (1, 0)


def test_the_whole_row_of_the_operator() -> None:
    row = KvRow(kv=torch.int8, q=BF16)
    nope = (torch.arange(512) % 256 - 128).to(torch.int8)
    rope, scale = torch.arange(64).to(BF16), torch.tensor([0.5, 1.0, 2.0, 4.0])
    expected = struct.pack("512b", *(i % 256 - 128 for i in range(512)))
    expected += b"".join(struct.pack("<f", float(i))[2:] for i in range(64))  # few bits: cut is exact
    expected += struct.pack("<4f", 0.5, 1, 2, 4)
    assert raw(row.pack(nope, rope, scale)) == expected


@pytest.mark.parametrize("kv", [torch.int8, FP8, torch.uint8])
@pytest.mark.parametrize("q", [BF16, FP16])
@pytest.mark.parametrize("rope", [0, 2, 64])
def test_packing_keeps_every_bit(kv: torch.dtype, q: torch.dtype, rope: int) -> None:
    row = KvRow(kv=kv, q=q, nope=256, rope_head_dim=rope)
    bits = torch.randint(
        0, 256, (3, 5, row.size), dtype=torch.uint8, generator=torch.Generator().manual_seed(1)
    )
    rows = bits.view(kv)
    parts = row.unpack(rows)
    assert [tuple(part.shape) for part in parts] == [(3, 5, 256), (3, 5, rope), (3, 5, 2)]
    assert raw(row.pack(*parts)) == bits.numpy().tobytes()


def test_parts_of_another_dtype_or_size_are_refused() -> None:
    nope, rope, scale = SMALL.unpack(torch.zeros(1, 16, dtype=torch.int8))
    with pytest.raises(ValueError, match=r"rope is \[1, 2\] of torch.float16; expected: a last dim of 2 and"):
        SMALL.pack(nope, rope.to(FP16), scale)
    with pytest.raises(ValueError, match=r"nope is \[1, 3\] of torch.int8; expected: a last dim of 4"):
        SMALL.pack(nope[:, :3], rope, scale)
    with pytest.raises(ValueError, match=r"rope is \[3, 2\]; expected: \[1, 2\], as many rows as nope has"):
        SMALL.pack(nope, rope.expand(3, 2), scale)
    with pytest.raises(ValueError, match="there is no field 'k'; expected: one of nope, rope, scale"):
        SMALL.read(torch.zeros(1, 16, dtype=torch.int8), "k")
    with pytest.raises(ValueError, match=r"dtype is torch.int8; expected: a float dtype"):
        SMALL.dequantise(torch.zeros(1, 16, dtype=torch.int8), torch.int8)
    with pytest.raises(ValueError, match=r"tensor of rows is \[\] of torch.int8; expected: a last dim of 16"):
        SMALL.unpack(torch.tensor(0, dtype=torch.int8))
    with pytest.raises(
        ValueError, match=r"tensor of rows is \[1, 15\] of torch.int8; expected: a last dim of 16"
    ):
        SMALL.unpack(torch.zeros(1, 15, dtype=torch.int8))


# --------------------------------------------------------------------------- quantising


def test_int8_rounds_half_to_even() -> None:
    """The peak is 127, so that the scale is 1 and halves are ties."""
    quantised, scale = quantise_tiles(
        torch.tensor([127.0, 0.5, 1.5, -2.5, 3.5, -0.5, 2.4999, 0.0]), 8, torch.int8
    )
    assert scale.tolist() == [1.0]
    assert quantised.tolist() == [127, 0, 2, -2, 4, 0, 2, 0]


def test_scales_are_those_of_their_tiles() -> None:
    quantised, scale = quantise_tiles(torch.tensor([[254.0, -2.0, 0.0, 0.0, 0.127, -0.127]]), 2, torch.int8)
    assert scale.tolist() == [[2.0, 1.0, pytest.approx(0.001)]]
    assert quantised.tolist() == [[127, -1, 0, 0, 127, -127]]


def test_fp8_is_scaled_to_its_largest_and_rounds_half_to_even() -> None:
    """Between 16 and 32 numbers are 2 apart."""
    values = torch.tensor([448.0, 17.0, 19.0, -17.0, 2.0**-10, 3 * 2.0**-10])
    quantised, scale = quantise_tiles(values, 6, FP8)
    assert scale.tolist() == [1.0]
    assert quantised.float().tolist() == [448, 16, 20, -16, 0, 2.0**-8]
    quantised, scale = quantise_tiles(torch.tensor([-896.0, 2.0]), 2, FP8)
    assert (scale.item(), quantised.float().tolist()) == (2.0, [-448.0, 1.0])


def test_hifloat8_is_scaled_to_where_it_is_precise() -> None:
    quantised, scale = quantise_tiles(torch.tensor([30.0, 2.0, -1.0625, 1.0625]), 4, torch.uint8)
    assert scale.tolist() == [2.0]
    # 15 = 2^3 · 1.875; 1; 0.53125 = 2^-1 · 1.0625, a tie that goes away from zero.
    assert quantised.tolist() == [0b00101111, 0b00001000, 0b10011001, 0b00011001]


def test_scales_can_be_kept_in_another_dtype() -> None:
    """The scale 1.003 becomes the bfloat16 1, and elements are divided by that: 64.6 / 1.003 is 64.4."""
    quantised, scale = quantise_tiles(torch.tensor([127.4, 64.6]), 2, torch.int8, BF16)
    assert (scale.dtype, scale.tolist()) == (BF16, [1.0])
    assert quantised.tolist() == [127, 65]


def test_a_scale_of_few_bits_does_not_take_elements_out_of_range() -> None:
    """The peak is 142 times the smallest float32, which becomes the scale."""
    tiny = 2.0**-149
    quantised, scale = quantise_tiles(torch.tensor([142 * tiny, -142 * tiny, 3 * tiny]), 3, torch.int8)
    assert scale.item() == tiny
    assert quantised.tolist() == [127, -127, 3]


def test_dtypes_that_no_row_has_are_refused() -> None:
    for wrong in (torch.int64, torch.float16, torch.bool):
        with pytest.raises(ValueError, match=f"dtype is {wrong}; expected: one of torch.int8"):
            quantise_tiles(torch.ones(2), 2, wrong)
    with pytest.raises(
        ValueError, match=r"scale_dtype is torch.float8_e4m3fn; expected: one of torch.float16"
    ):
        quantise_tiles(torch.ones(2), 2, torch.int8, FP8)
    with pytest.raises(ValueError, match=r"the values are \[\]; expected: whole tiles of 1"):
        quantise_tiles(torch.tensor(1.0), 1, torch.int8)


def test_the_tile_that_cannot_be_quantised_is_named() -> None:
    values = torch.ones(3, 4)
    values[1, 3] = torch.nan
    with pytest.raises(ValueError) as caught:
        quantise_tiles(values, 2, torch.int8)
    assert str(caught.value) == "the scale of tile [1, 1] is nan as torch.float32; expected: finite values"


@pytest.mark.parametrize("dtype", [torch.int8, FP8, torch.uint8])
def test_quantised_values_have_no_gradients(dtype: torch.dtype) -> None:
    quantised, scale = quantise_tiles(torch.ones(4, requires_grad=True), 2, dtype)
    assert not quantised.requires_grad
    assert not scale.requires_grad


@pytest.mark.parametrize("bad", [float("inf"), float("nan")])
def test_values_that_are_not_finite_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="expected: finite values"):
        quantise_tiles(torch.tensor([1.0, bad]), 2, torch.int8)


def test_half_a_tile_is_refused() -> None:
    with pytest.raises(ValueError, match=r"the values are \[3\]; expected: whole tiles of 2"):
        quantise_tiles(torch.ones(3), 2, torch.int8)


FLOATS = st.floats(-(2.0**30), 2.0**30, width=32)


@settings(max_examples=100, deadline=None)
@given(st.lists(FLOATS, min_size=8, max_size=8))
def test_int8_is_within_half_a_step(values: list[float]) -> None:
    quantised, scale = quantise_tiles(torch.tensor(values), 4, torch.int8)
    steps = scale.double().repeat_interleave(4).numpy()
    error = np.abs(quantised.double().numpy() * steps - np.array(values))
    assert (error <= 0.50001 * steps).all()
    peaks = np.abs(np.array(values)).reshape(2, 4).max(1)
    assert ((np.abs(quantised.numpy()).reshape(2, 4).max(1) == 127) | (peaks < 1e-37)).all()


def test_every_number_of_fp8() -> None:
    """Against the definition; the package reads them from a table."""
    row = KvRow(kv=FP8, q=BF16, nope=256, rope_head_dim=0, tile_size=256)
    codes = torch.arange(256).to(torch.uint8).view(FP8)
    rows = row.pack(codes, torch.empty(0, dtype=BF16), torch.ones(1))
    np.testing.assert_array_equal(
        row.dequantise(rows, torch.float32).numpy(), [fp8(code) for code in range(256)]
    )
