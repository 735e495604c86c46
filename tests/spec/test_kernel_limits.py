"""Operators that are like the first one, but beyond what the templates of its kernel are written for."""

from __future__ import annotations

from pathlib import Path

import pytest

from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.render.kernel_family import family_parts
from qsfa_codegen.render.left_out import left_out
from qsfa_codegen.spec.kernel_limits import beyond_kernel
from qsfa_codegen.spec.load import analyse
from qsfa_codegen.spec.model import Operator

SPEC = Path(__file__).parents[2] / "spec" / "kv_quant_sparse_flash_attention.yaml"
NOPE = "      nope:  {dtype: kv, count: NOPE, en: quantised NoPE, zh: 量化后的 NoPE}\n"

Edit = tuple[str, str]


def _int64(name: str) -> Edit:
    return f"  {name}:\n    dtype: int32", f"  {name}:\n    dtype: int64"


# Of both architectures.
BEYOND: dict[str, tuple[Edit, ...]] = {
    "'sparse_indices' can be int64; expected: int32": (_int64("sparse_indices"),),
    "'block_table' can be int64; expected: int32": (_int64("block_table"),),
    "'actual_seq_lengths_query' can be int64; expected: int32": (_int64("actual_seq_lengths_query"),),
    "'scale' of 'kv_row' can be float16; expected: float32": (
        (
            "scale: {dtype: float32, count: NOPE // tile_size, align: 4",
            "scale: {dtype: float16, count: 4, align: 2",
        ),
    ),
    "the fields of 'kv_row' are in another order than 'nope', 'rope', 'scale'": (
        (NOPE, ""),
        ("    dequant: {field", f"{NOPE}    dequant: {{field"),
    ),
    "'rope' of 'kv_row' has one of 2 lengths; expected: one, or none": (
        ("values: [0, ROPE_MAX]", "values: [0, 32, ROPE_MAX]"),
    ),
    "64 elements of 'nope' share a scale; expected: 128": (
        ("{value: 128,  en: elements that share", "{value: 64,  en: elements that share"),
        ("    default: 128\n    values: [TILE]", "    default: 64\n    values: [TILE]"),
    ),
    "'nope' of 'kv_row' has 320 elements; expected: ": (
        ("{value: 512,  en: NoPE", "{value: 320,  en: NoPE"),
    ),
    "Q_N can be 256; expected: 128 at most": (
        ("arch22: [1, 2, 4, 8, 16, 32, 64, 128]", "arch22: [1, 256]"),
        ("arch35: [1, 2, 4, 8, 16, 32, 48, 64, 128]", "arch35: [1, 256]"),
    ),
    "'query' has the axes Q_N, Q_T, Q_D; expected first: B, Q_S, Q_N or Q_N, Q_N": (
        ("TND:  [Q_T, Q_N, Q_D]", "TND:  [Q_N, Q_T, Q_D]"),
    ),
    "'sparse_indices' has the axes Q_S, B, SPARSE_SIZE; expected first: B, Q_S or Q_T": (
        ("BSND: [B, Q_S, KV_N, SPARSE_SIZE]", "BSND: [Q_S, B, KV_N, SPARSE_SIZE]"),
    ),
    "'key' has no axis of size 1 for its heads": (
        ("  KV_N:        {is: 1, en", "  KV_N:        {values: [1, 2], en"),
    ),
}


def edited(folder: Path, *edits: Edit) -> Operator:
    text = SPEC.read_text()
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    path = folder / SPEC.name
    path.write_text(text)
    sink = Sink()
    operator = analyse(path, sink)
    assert operator is not None, [diagnostic.message for diagnostic in sink]
    return operator


@pytest.mark.parametrize("lacking", BEYOND)
def test_a_kernel_that_could_not_be_right_is_left_out(lacking: str, tmp_path: Path) -> None:
    operator = edited(tmp_path, *BEYOND[lacking])
    for arch in ("arch22", "arch35"):
        assert family_parts(operator, arch) == ()
        start = f"the body of the kernel in op_kernel/{arch} is left out: {lacking}"
        assert [w for w in left_out(operator) if w.code == "QS916" and w.message.startswith(start)]


def test_an_architecture_has_limits_of_its_own(tmp_path: Path) -> None:
    operator = edited(
        tmp_path,
        ("ROPE_MAX:     {value: 64", "ROPE_MAX:     {value: 32"),
        ("    default: 64\n    values: [0, ROPE_MAX]", "    default: 32\n    values: [0, ROPE_MAX]"),
    )
    assert list(beyond_kernel(operator, "arch22")) == []
    (message,) = beyond_kernel(operator, "arch35")
    assert message == "'rope' of 'kv_row' has 32 elements at most; expected: 64"


def test_more_heads_than_a_group_fill_fractals_on_arch22(tmp_path: Path) -> None:
    operator = edited(tmp_path, ("32, 64, 128]", "32, 48, 65, 127, 128]"), ("48, 64, 128]", "65, 127, 128]"))
    assert list(beyond_kernel(operator, "arch35")) == []
    assert list(beyond_kernel(operator, "arch22")) == [
        "Q_N can be 65; expected above 64: a multiple of 16",
        "Q_N can be 127; expected above 64: a multiple of 16",
    ]


def test_axes_of_size_1_may_stand_anywhere(tmp_path: Path) -> None:
    operator = edited(tmp_path, ("BSND: [B, Q_S, KV_N, SPARSE_SIZE]", "BSND: [B, KV_N, Q_S, SPARSE_SIZE]"))
    assert not [*beyond_kernel(operator, "arch22"), *beyond_kernel(operator, "arch35")]
