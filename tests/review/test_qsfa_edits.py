"""Reviews of ten edits of a large spec; a person has read each, and a test knows what must be in it."""

from __future__ import annotations

import pytest

from tests.review.pairs import changes, report
from tests.review.qsfa_edits import EDITS, FOLDER, current, previous

# What each edit does, by code and subject: decided before the program was asked.
EXPECTED = {
    "add_a_chip": {("QD103", "chip A3")},
    "add_rope_head_dim_128": {
        ("QD210", "attribute rope_head_dim"),
        ("QD320", "workspace arch22"),
        ("QD320", "workspace arch35"),
        ("QD305", "tiling field singleCoreTensorSize.bmm2ResUbSize"),
        ("QD305", "tiling field splitKVParams.accumOutSize"),
        ("QD332", "kernel plan arch22"),
    },
    "insert_an_attribute_in_the_middle": {("QD122", "attribute sink_tokens")},
    "change_a_default": {("QD127", "attribute sparse_mode"), ("QD411", "torch parameter sparse_mode")},
    "drop_a_dtype_row": {("QD240", "dtypes"), ("QD202", "dtypes")},
    "reorder_tiling_fields": {("QD303", "tiling field baseParams.batchSize")},
    "tighten_block_size": {("QD204", "dim BLOCK_SIZE")},
    "rename_an_input": {("QD114", "input topk_indices"), ("QD408", "torch parameter topk_indices")},
    "add_an_output": {("QD142", "output softmax_lse"), ("QD413", "torch"), ("QD330", "kernel arguments")},
    "edit_docs_only": {("QD500", "attribute layout_query"), ("QD500", "dim BLOCK_SIZE"), ("QD500", "notes")},
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_of_a_large_spec(name: str) -> None:
    found = changes(previous(name), current(name))
    assert EXPECTED[name] <= {(change.code, change.subject) for change in found}
    golden = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert report("kv_quant_sparse_flash_attention", found) == golden
