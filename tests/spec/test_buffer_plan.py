"""Buffers of a family's kernel: what fits, what does not, and plans that its code cannot do with."""

from __future__ import annotations

from pathlib import Path

import pytest

from qsfa_codegen.diagnostics import Diagnostic, Sink
from qsfa_codegen.spec.load import analyse

SPEC = Path(__file__).parents[2] / "spec" / "kv_quant_sparse_flash_attention.yaml"


def found(folder: Path, old: str, new: str) -> list[Diagnostic]:
    """What is said of the spec with the first ``old`` replaced: in the plan of arch22, which stands first."""
    text = SPEC.read_text()
    assert old in text
    path = folder / SPEC.name
    path.write_text(text.replace(old, new, 1))
    sink = Sink()
    analyse(path, sink)
    return list(sink)


def test_what_does_not_fit_is_told_with_all_buffers_of_the_memory(tmp_path: Path) -> None:
    """By hand: 16 KiB more than the 516,096 bytes of L1 that are used."""
    (told,) = found(tmp_path, "rope_tiles:     {value: 2", "rope_tiles:     {value: 3")
    assert told.code == "QS481"
    assert told.message == "the kernel of arch22 needs 532480 bytes of L1, A2 has 524032"
    assert told.span is not None
    assert SPEC.read_text().splitlines()[told.span.line - 1].strip() == "arch22:"
    assert told.help is not None
    assert "keys 3 × 131072 (NoPE of a tile); rope 3 × 16384" in told.help


def test_select_overwrites_the_end_of_ub_on_arch22(tmp_path: Path) -> None:
    """By hand: 169,760 bytes are used, 184 KiB can be; 4 bytes an entry of the table."""
    assert not found(tmp_path, "table_pages:    {value: 4096", "table_pages:    {value: 8760")
    (told,) = found(tmp_path, "table_pages:    {value: 4096", "table_pages:    {value: 8768")
    assert told.code == "QS481"
    assert told.message == (
        "the kernel of arch22 needs 188448 bytes of UB, A2 has 188416 for it: "
        "the instruction Select, which its softmax uses, overwrites what lies behind"
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("tile_rows:      {value: 128", "tile_rows:      {value: 64", "'tile_rows' is 64; expected: 128"),
        ("ring_tiles:     {value: 8", "ring_tiles:     {value: 15", "'ring_tiles' is 15; expected: 4 to 14"),
        ("list_tokens:    {value: 2048", "list_tokens:    {value: 100", "64 to 2048, a multiple of 64"),
        ("      operands:  ", "      operand:  ", "the plan of arch22 lacks 'operands'"),
    ],
)
def test_a_plan_has_what_the_kernel_can_do_with(tmp_path: Path, old: str, new: str, message: str) -> None:
    (told,) = found(tmp_path, old, new)
    assert told.code == "QS503"
    assert message in told.message


def test_the_kernel_of_arch35_has_its_own_bounds(tmp_path: Path) -> None:
    (told,) = found(tmp_path, "landings:       {value: 2", "landings:       {value: 3")
    assert told.code == "QS481"
    assert told.message == "the kernel of arch35 needs 269312 bytes of UB, A5 has 253952"
    (told,) = found(tmp_path, "score_tiles:    {value: 2", "score_tiles:    {value: 1")
    assert told.code == "QS503"
    assert "'score_tiles' is 1; expected: 2" in told.message
