"""Ten edits of a large spec, each as somebody would make it."""

from __future__ import annotations

from collections.abc import Mapping

from tests.review.pairs import HERE, edited

FOLDER = HERE / "qsfa"
SPEC = (FOLDER / "previous.yaml").read_text(encoding="utf-8")

Edits = tuple[tuple[str, str], ...]

# What is edited where that is not the spec itself: without A3, to which it is then added.
BASES: Mapping[str, Edits] = {"add_a_chip": (("chips: [A2, A3, A5]", "chips: [A2, A5]"),)}

EDITS: Mapping[str, Edits] = {
    "add_a_chip": (("chips: [A2, A5]", "chips: [A2, A3, A5]"),),
    "add_rope_head_dim_128": (
        ("ROPE_MAX:     {value: 64,", "ROPE_MAX:     {value: 128,"),
        ("    values: [0, ROPE_MAX]\n", "    values: [0, 64, ROPE_MAX]\n"),
        ("    require: rope_head_dim == ROPE_MAX\n", "    require: rope_head_dim == 64\n"),
    ),
    "insert_an_attribute_in_the_middle": (
        (
            "  sparse_mode:\n    type: int\n",
            "  sink_tokens:\n    type: int\n    default: 0\n    values: {min: 0, max: 4}\n    doc:\n"
            "      en: Tokens at the start that every query token attends to.\n"
            "      zh: 每个 query token 均关注的起始 token 数。\n"
            "  sparse_mode:\n    type: int\n",
        ),
        (
            "      - layout_kv\n      - sparse_mode\n",
            "      - layout_kv\n      - sink_tokens\n      - sparse_mode\n",
        ),
    ),
    "change_a_default": (("    default: 3\n", "    default: 0\n"),),
    "drop_a_dtype_row": (("      - [bfloat16, hifloat8]\n", ""),),
    "reorder_tiling_fields": (
        (
            "          batchSize:             {type: uint32, value: B}\n"
            "          seqSize:               {type: uint32, value: S2}\n",
            "          seqSize:               {type: uint32, value: S2}\n"
            "          batchSize:             {type: uint32, value: B}\n",
        ),
    ),
    "tighten_block_size": (
        (
            "    min: 16\n    max: 1024\n    multiple_of: 16\n",
            "    min: 16\n    max: 512\n    multiple_of: 32\n",
        ),
    ),
    "rename_an_input": (
        ("  sparse_indices:\n    dtype: int32\n", "  topk_indices:\n    dtype: int32\n"),
        ("    blame: sparse_indices\n", "    blame: topk_indices\n"),
        ("    require: padded_with(sparse_indices, -1)\n", "    require: padded_with(topk_indices, -1)\n"),
        ("    names: [sparse_indices, sparse_block_size", "    names: [topk_indices, sparse_block_size"),
        ("    indices: sparse_indices\n", "    indices: topk_indices\n"),
        (
            "[query, key, value, sparse_indices, scale_value]",
            "[query, key, value, topk_indices, scale_value]",
        ),
        (
            "Tokens that one entry of `sparse_indices` stands",
            "Tokens that one entry of `topk_indices` stands",
        ),
        ('zh: "`sparse_indices` 中一个索引', 'zh: "`topk_indices` 中一个索引'),
        ("with it of `sparse_indices` and", "with it of `topk_indices` and"),
        ("`sparse_indices` 与各输出", "`topk_indices` 与各输出"),
        ("In each row of `sparse_indices` the", "In each row of `topk_indices` the"),
        ('zh: "`sparse_indices` 每行', 'zh: "`topk_indices` 每行'),
        ("A valid entry of `sparse_indices` times", "A valid entry of `topk_indices` times"),
        ('zh: "`sparse_indices` 的有效值与', 'zh: "`topk_indices` 的有效值与'),
        ("        that `sparse_indices` selects,", "        that `topk_indices` selects,"),
        ("K、V 行由 `sparse_indices` 选取", "K、V 行由 `topk_indices` 选取"),
    ),
    "add_an_output": (
        (
            "  softmax_sum:\n    dtype: float32\n    shape: {like: softmax_max}\n",
            "  softmax_lse:\n    dtype: float32\n    shape: {like: softmax_max}\n    doc:\n"
            "      en: LSE of each query row and head.\n      zh: 每个 query 行、每个头的 LSE。\n"
            "  softmax_sum:\n    dtype: float32\n    shape: {like: softmax_max}\n",
        ),
        (
            "    returns: [attention_out, softmax_max, softmax_sum]\n",
            "    returns: [attention_out, softmax_max, softmax_lse, softmax_sum]\n",
        ),
    ),
    "edit_docs_only": (
        ("      en: Layout of `query`, and with it of", "      en: Data layout of `query`, and with it of"),
        ("    en: tokens of a cache block\n", "    en: tokens in a block of the cache\n"),
        (
            "    - en: A query row with no valid key gets 0",
            "    - en: A query row without a valid key gets 0",
        ),
    ),
}


def previous(name: str) -> str:
    """The spec before an edit."""
    return edited(SPEC, *BASES.get(name, ()))


def current(name: str) -> str:
    """The spec after it."""
    return edited(previous(name), *EDITS[name])
