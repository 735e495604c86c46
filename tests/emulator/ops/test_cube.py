"""From L1 through L0 and back to GM: fractals, products, and the ways between."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.emulator.ops import formats, lanes
from tests.emulator.ops.lanes import seeds
from tests.emulator.ops.native import CLOBBER, Bytes, Instruction, check_ranges

some = settings(max_examples=40, deadline=None)
Matrix = NDArray[Any]


def ceil(value: int, step: int) -> int:
    return -(-value // step)


def padded(matrix: Matrix, rows: int, columns: int) -> Matrix:
    """The matrix with zeros to whole fractals."""
    out = np.zeros(
        (ceil(matrix.shape[0], rows) * rows, ceil(matrix.shape[1], columns) * columns), matrix.dtype
    )
    out[: matrix.shape[0], : matrix.shape[1]] = matrix
    return out


def split(matrix: Matrix, rows: int, columns: int) -> Matrix:
    """Fractals: [row of fractals][column of fractals][row][column]."""
    whole = padded(matrix, rows, columns)
    shape = whole.shape[0] // rows, rows, whole.shape[1] // columns, columns
    return whole.reshape(shape).transpose(0, 2, 1, 3)


def raw(array: Matrix) -> Bytes:
    return np.ascontiguousarray(array).view(np.uint8).ravel().copy()


def zz(matrix: Matrix) -> Bytes:
    return raw(split(matrix, 16, 32 // matrix.itemsize))


def nz(matrix: Matrix, columns: int = 0) -> Bytes:
    return raw(split(matrix, 16, columns or 32 // matrix.itemsize).transpose(1, 0, 2, 3))


def zn(matrix: Matrix) -> Bytes:
    """Of a k × n matrix: rows of fractals that hold n outside and k inside."""
    return raw(split(matrix, 32 // matrix.itemsize, 16).transpose(0, 1, 3, 2))


@some
@given(
    start=st.integers(0, 3), repeat=st.integers(0, 4), stride=st.integers(0, 3), gap=st.integers(0, 2),
    transpose=st.booleans(), seed=seeds,
)  # fmt: skip
def test_load_2d_moves_fractals(
    start: int, repeat: int, stride: int, gap: int, transpose: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    dst, src = lanes.memory(rng), lanes.memory(rng)
    expected = dst.view(np.uint16).copy().reshape(-1, 16, 16)
    for step in range(repeat):
        fractal = src.view(np.uint16).reshape(-1, 16, 16)[start + step * stride]
        expected[step * (gap + 1)] = fractal.T if transpose else fractal
    instruction = Instruction("load2d", start, repeat, stride, gap, int(transpose))
    assert (instruction.alignment(0), instruction.alignment(1)) == (512, 32)
    check_ranges(instruction, rng, dst, src)
    instruction.run(dst, src)
    assert np.array_equal(dst, raw(expected))


@some
@given(
    m=st.integers(0, 4), k=st.integers(0, 4), first=st.tuples(st.integers(0, 2), st.integers(0, 2)),
    gaps=st.tuples(st.integers(0, 2), st.integers(0, 2)), transpose=st.booleans(), seed=seeds,
)  # fmt: skip
def test_load_2d_v2_moves_a_part_of_a_matrix(
    m: int, k: int, first: tuple[int, int], gaps: tuple[int, int], transpose: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    dst, src = lanes.memory(rng, 32768), lanes.memory(rng, 32768)
    src_stride = first[0] + m + gaps[0]
    dst_stride = (k if transpose else m) + gaps[1]
    expected = dst.view(np.uint16).copy().reshape(-1, 16, 16)
    fractals = src.view(np.uint16).reshape(-1, 16, 16)
    for row, column in np.ndindex(m, k):
        fractal = fractals[(first[1] + column) * src_stride + first[0] + row]
        if transpose:
            expected[row * dst_stride + column] = fractal.T
        else:
            expected[column * dst_stride + row] = fractal
    instruction = Instruction("load2dv2", *first, m, k, src_stride, dst_stride, int(transpose))
    assert (instruction.alignment(0), instruction.alignment(1)) == (512, 32)
    check_ranges(instruction, rng, dst, src)
    instruction.run(dst, src)
    assert np.array_equal(dst, expected.view(np.uint8).ravel())


def test_load_2d_v2_makes_the_layouts_of_both_operands() -> None:
    matrix = np.arange(48 * 32, dtype=np.uint16).reshape(48, 32)
    left, right = np.zeros(3072, np.uint8), np.zeros(3072, np.uint8)
    Instruction("load2dv2", 0, 0, 3, 2, 3, 3, 0).run(left, nz(matrix))
    Instruction("load2dv2", 0, 0, 3, 2, 3, 2, 1).run(right, nz(matrix))
    assert np.array_equal(left, nz(matrix))
    assert np.array_equal(right, zn(matrix))


@some
@given(
    size=st.sampled_from([1, 2, 4]), start=st.integers(0, 2), repeat=st.integers(0, 3),
    stride=st.integers(0, 2),
    gap=st.integers(0, 3), apart=st.integers(0, 3), down=st.booleans(), seed=seeds,
)  # fmt: skip
def test_load_with_transpose_turns_squares(
    size: int, start: int, repeat: int, stride: int, gap: int, apart: int, down: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    start = start + stride * repeat if down else start
    dst, src = lanes.memory(rng, 32768), lanes.memory(rng, 32768)
    dtype = np.dtype(f"u{size}")
    side, width = (32, 32) if size == 1 else (16, 32 // size)
    expected = dst.copy().reshape(-1, 512)
    for step in range(repeat):
        index = start - step * stride if down else start + step * stride
        bytes_ = src[index * side * side * size :][: side * side * size]
        fractals = bytes_.view(dtype).reshape(-1, 16, width)
        below = side == 32  # the fractals of a square lie below or beside each other
        square = np.concatenate(list(fractals), axis=0 if below else 1).T
        parts = np.split(square, len(fractals), axis=0 if below else 1)
        for i, part in enumerate(parts):
            expected[step * (gap + 1) + i * (apart + 1)] = raw(part)
    instruction = Instruction("load_transposed", size, start, repeat, stride, gap, apart, int(down))
    overlap = len({s * (gap + 1) + i * (apart + 1) for s in range(repeat) for i in range(2)}) < 2 * repeat
    if size == 2 or not overlap:
        check_ranges(instruction, rng, dst, src)
        instruction.run(dst, src)
        assert np.array_equal(dst, expected.ravel())


def im2col(
    image: Matrix,
    pads: list[int],
    stride: list[int],
    kernel: list[int],
    dilation: list[int],
    fill: int,
) -> Matrix:
    """[window][(C1, kernel point, C0)] of an image [C1][H][W][C0]; lists have the height first."""
    top, bottom, left, right = pads
    whole = np.pad(image, ((0, 0), (top, bottom), (left, right), (0, 0)), constant_values=fill)
    span = [(kernel[i] - 1) * dilation[i] + 1 for i in range(2)]
    places = [range(0, whole.shape[1 + i] - span[i] + 1, stride[i]) for i in range(2)]
    rows = []
    for y in places[0]:
        for x in places[1]:
            window = whole[:, y : y + span[0] : dilation[0], x : x + span[1] : dilation[1]]
            rows.append(window.ravel())
    return np.array(rows)


LAYOUTS = ("zz", "nz", "zz transposed", "zn")


@some
@given(data=st.data(), layout=st.integers(0, 3), size=st.sampled_from([1, 2, 4]), seed=seeds)
def test_load_3d_lays_out_windows(data: st.DataObject, layout: int, size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = 2 if layout >= 2 else size
    dtype, c0 = np.dtype(f"u{size}"), 32 // size
    c1, height, width = (data.draw(st.integers(1, high)) for high in (3, 5, 6))
    pads = [data.draw(st.integers(0, 2)) for _ in range(4)]
    stride, kernel, dilation = ([data.draw(st.integers(1, 2)) for _ in range(2)] for _ in range(3))
    if (
        height + pads[0] + pads[1] <= kernel[0] * dilation[0]
        or width + pads[2] + pads[3] <= kernel[1] * dilation[1]
    ):
        kernel = [1, 1]
    image = rng.integers(0, 256**size, (c1, height, width, c0)).astype(dtype)
    fill = int(rng.integers(0, 256**size))
    matrix = im2col(image, pads, stride, kernel, dilation, fill)
    m_start = data.draw(st.integers(0, matrix.shape[0] - 1))
    k_start = data.draw(st.integers(0, matrix.shape[1] // c0 - 1)) * c0
    m = data.draw(st.integers(1, matrix.shape[0] - m_start))
    k = data.draw(st.integers(1, (matrix.shape[1] - k_start) // c0)) * c0
    part = matrix[m_start : m_start + m, k_start : k_start + k]
    lay = (zz, nz, lambda a: zz(padded(a, 16, c0).T), lambda a: raw(split(a, 16, c0).transpose(0, 1, 3, 2)))[
        layout
    ]
    expected, real = lay(part), lay(np.ones_like(part)).view(dtype) != 0
    top, bottom, left, right = pads
    fields = [layout, size, left, right, top, bottom, height, width, c1 * c0, k, m, k_start, m_start]
    fields += [stride[1], stride[0], kernel[1], kernel[0], dilation[1], dilation[0], fill]
    instruction = Instruction("load3d", *fields)
    dst = lanes.memory(rng, 16384)
    check_ranges(instruction, rng, dst, raw(image))
    marks = instruction.touched(1, dst, raw(image))[0]
    assert np.array_equal(marks[: expected.size], np.repeat(real, size))
    assert not marks[expected.size :].any()
    instruction.run(dst, raw(image))
    assert np.array_equal(dst[: expected.size].view(dtype)[real], expected.view(dtype)[real])


def test_a_key_tile_in_l1_becomes_the_b_matrix_of_pv() -> None:
    rows, columns = 64, 128
    tile = np.random.default_rng(0).integers(0, 65536, (rows, columns)).astype(np.uint16)
    dst = np.zeros(rows * columns * 2, np.uint8)
    fields = [3, 2, 0, 0, 0, 255, 4, 16, columns, columns, rows, 0, 0, 1, 1, 1, 1, 1, 1, 0]
    Instruction("load3d", *fields).run(dst, nz(tile))
    assert np.array_equal(dst, zn(tile))


KINDS: dict[str, np.dtype[Any]] = {
    "half": np.dtype(np.uint16),
    "bfloat16": np.dtype(np.uint16),
    "float": np.dtype(np.float32),
    "int8": np.dtype(np.int8),
}


def factors(rng: np.random.Generator, kind: str, shape: tuple[int, int]) -> tuple[Matrix, Matrix]:
    """A matrix as it lies in memory, and its values."""
    if kind == "int8":
        stored = rng.integers(-128, 128, shape).astype(np.int8)
        return stored, stored.astype(np.int64)
    values = rng.normal(0, 2, shape)
    if kind == "float":
        return values.astype(np.float32), values.astype(np.float32).astype(np.float64)
    codes = formats.encode(kind, values.ravel()).reshape(shape)
    return codes, formats.decode(kind, codes.ravel()).reshape(shape)


def product(kind: str, c: Matrix, a: Matrix, b: Matrix) -> Matrix:
    """C + A·B: one rounding to float for each fractal's depth."""
    if kind == "int8":
        whole: Matrix = (c + a @ b).astype(np.int32)
        return whole
    depth = 8 if kind == "float" else 16
    for i in range(0, a.shape[1], depth):
        sums = np.zeros(c.shape)
        for j in range(i, min(i + depth, a.shape[1])):
            sums += a[:, j : j + 1] * b[j : j + 1]
        c = (c.astype(np.float64) + sums).astype(np.float32)
    return c


ZERO, KEEP, BIAS = range(3)


@pytest.mark.parametrize("kind", KINDS)
@some
@given(
    m=st.integers(1, 40), n=st.integers(1, 40), k=st.integers(1, 70),
    start=st.integers(0, 2), nz_a=st.booleans(),
    wide=st.booleans(), seed=seeds,
)  # fmt: skip
def test_mmad(kind: str, m: int, n: int, k: int, start: int, nz_a: bool, wide: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, a_values = factors(rng, kind, (m, k))
    b, b_values = factors(rng, kind, (k, n))
    wide = wide and kind == "float" and not nz_a
    c_type = np.int32 if kind == "int8" else np.float32
    old = rng.normal(0, 5, (m, n)).astype(c_type)
    bias = rng.normal(0, 5, n).astype(c_type)
    begin = {ZERO: np.zeros_like(old), KEEP: old, BIAS: np.broadcast_to(bias, old.shape)}[start]
    expected = product(kind, begin, a_values, b_values)
    to_k = np.pad(a, ((0, 0), (0, ceil(k, 16) * 16 - k))) if wide else a
    lay = raw if m == 1 else nz if nz_a else zz  # a single row lies as it is
    operands = [nz(old, 16), lay(to_k), zn(b), raw(bias)]
    instruction = Instruction(f"mmad {kind}", m, n, k, start, int(nz_a), 0, int(wide))
    check_ranges(instruction, rng, *operands)
    real = nz(np.ones((m, n), c_type), 16).view(c_type) != 0
    assert np.array_equal(instruction.touched(1, *operands)[0], np.repeat(real, 4))
    assert np.array_equal(instruction.touched(CLOBBER, *operands)[0], np.repeat(~real, 4))
    for mark, lay_out, matrix in zip(instruction.touched(0, *operands)[1:3], (lay, zn), (a, b), strict=True):
        ones = np.ones(matrix.shape, f"u{matrix.itemsize}")
        ones = np.pad(ones, ((0, 0), (0, to_k.shape[1] - k))) if lay_out is lay else ones
        assert np.array_equal(mark, np.repeat(lay_out(ones).view(ones.dtype) != 0, matrix.itemsize))
    instruction.run(*operands)
    assert np.array_equal(operands[0].view(c_type)[real], nz(expected, 16).view(c_type)[real])


def test_a_single_row_can_be_read_as_fractals() -> None:
    rng = np.random.default_rng(1)
    a, a_values = factors(rng, "half", (1, 40))
    b, b_values = factors(rng, "half", (40, 16))
    out = np.zeros(1024, np.uint8)
    Instruction("mmad half", 1, 16, 40, ZERO, 1, 1, 0).run(out, nz(a), zn(b))
    expected = product("half", np.zeros((1, 16), np.float32), a_values, b_values)
    assert np.array_equal(out.view(np.float32)[:16], expected[0])


FIX = {"float": np.float32, "half": np.uint16, "bfloat16": np.uint16, "int32": np.int32}


def converted(kind: str, values: Matrix, relu: bool) -> Matrix:
    values = np.maximum(values, 0) if relu else values
    if kind in ("float", "int32"):
        return values
    return formats.encode(kind, values.astype(np.float64).ravel()).reshape(values.shape)


def added(kind: str, old: Matrix, new: Matrix) -> Matrix:
    if kind in ("float", "int32"):
        with np.errstate(all="ignore"):
            return (old + new).astype(old.dtype)
    with np.errstate(invalid="ignore"):
        sums = formats.decode(kind, old.ravel()) + formats.decode(kind, new.ravel())
    return formats.encode(kind, sums).reshape(old.shape)


@pytest.mark.parametrize("kind", FIX)
@some
@given(
    m=st.integers(0, 36), n=st.integers(0, 3), taller=st.integers(0, 2), slack=st.integers(0, 20),
    matrices=st.integers(0, 2), relu=st.booleans(), atomic=st.integers(0, 1), seed=seeds,
)  # fmt: skip
def test_fixpipe_to_rows(
    kind: str, m: int, n: int, taller: int, slack: int, matrices: int, relu: bool, atomic: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    columns, rows, dtype = 16 * n, ceil(m, 16) * 16 + 16 * taller, np.dtype(FIX[kind])
    in_type = np.int32 if kind == "int32" else np.float32
    each = rng.normal(0, 30, (matrices, rows, columns)).astype(in_type)
    step = ceil(rows * columns, 256) + 1  # in squares of 16 × 16
    src = np.zeros(max(1, matrices) * step * 256, in_type)
    for i in range(matrices):
        src[i * step * 256 :][: rows * columns] = nz(each[i], 16).view(in_type)
    pitch, apart = columns + slack, m * (columns + slack) + 5
    size = matrices * apart + m * pitch
    start = rng.normal(0, 30, size)
    dst = start.astype(dtype) if kind in ("float", "int32") else formats.encode(kind, start)
    expected = dst.copy()
    for i in range(matrices):
        for row in range(m):
            new = converted(kind, each[i, row], relu)
            place = slice(i * apart + row * pitch, i * apart + row * pitch + columns)
            expected[place] = added(kind, expected[place], new) if atomic else new
    fields = 0, columns, m, rows, pitch, matrices, step, apart, int(relu), 0, atomic, formats.INF_NAN
    instruction = Instruction(f"fixpipe {kind}", *fields)
    check_ranges(instruction, rng, raw(dst), raw(src))
    out = raw(dst)
    instruction.run(out, raw(src))
    assert np.array_equal(out.view(dtype), expected)


@pytest.mark.parametrize("kind", FIX)
@some
@given(m=st.integers(0, 36), n=st.integers(0, 3), gap=st.integers(0, 3), divide=st.booleans(), seed=seeds)
def test_fixpipe_to_fractals(kind: str, m: int, n: int, gap: int, divide: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    divide = divide and kind == "float"
    rows, dtype, width = ceil(m, 16) * 16, np.dtype(FIX[kind]), 8 if divide else 16
    in_type = np.int32 if kind == "int32" else np.float32
    values = rng.normal(0, 30, (rows, 16 * n)).astype(in_type)
    pitch = m * width * dtype.itemsize + 32 * gap
    dst = lanes.memory(rng, 32768)
    expected = dst.copy()
    for column in range(16 * n // width):
        block = converted(kind, values[:m, column * width : (column + 1) * width], relu=False)
        expected[column * pitch :][: m * width * dtype.itemsize] = raw(block)
    fields = 1, 16 * n, m, rows, pitch, 1, 0, 0, 0, int(divide), 0, formats.INF_NAN
    instruction = Instruction(f"fixpipe {kind}", *fields)
    src = raw(nz(values, 16)) if values.size else np.zeros(64, np.uint8)
    check_ranges(instruction, rng, dst, src)
    instruction.run(dst, src)
    assert np.array_equal(dst, expected)
