"""The reference of the spec language: whole, linked, and the one that is committed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from qsfa_codegen.docs_tools import spec_reference
from qsfa_codegen.spec.schema import operator_schema

COMMITTED = Path(__file__).parents[1] / "docs" / "spec-reference.md"
REFERENCE = spec_reference(operator_schema())


def test_committed_reference_is_up_to_date() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == REFERENCE


def keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value.get("properties", {})
        for inner in value.values():
            yield from keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner)


def test_every_key_is_there() -> None:
    documented = set(re.findall(r"^(?:## (\w+)|\| `(\w+)`)", REFERENCE, re.MULTILINE))
    names = {first or second for first, second in documented}
    assert {key for key in keys(operator_schema()) if key not in ("by", "of")} <= names


def test_links_have_targets() -> None:
    targets = set(re.findall(r'<a id="([\w-]+)">', REFERENCE)) | set(
        re.findall(r"^## (\w+)$", REFERENCE, re.M)
    )
    assert set(re.findall(r"\]\(#([\w-]+)\)", REFERENCE)) <= targets


def test_targets_are_unique() -> None:
    targets = re.findall(r'<a id="([\w-]+)">', REFERENCE)
    assert len(targets) == len(set(targets))


def test_rows_have_the_columns_of_their_table() -> None:
    width = 0
    for line in REFERENCE.splitlines():
        cells = len(re.findall(r"(?<!\\)\|", line))
        if line.startswith("|---"):
            width = cells
        elif line.startswith(("| `", "| [")):
            assert cells == width, line


def test_small_schema() -> None:
    schema = {
        "properties": {
            "a": {"$ref": "#/$defs/thing", "description": "An a."},
            "b": {"description": "A b.", "enum": ["x", "y|z"]},
        },
        "required": ["a"],
        "$defs": {
            "thing": {
                "title": "a thing",
                "type": "object",
                "properties": {"n": {"type": "integer", "description": "How many.", "default": 1}},
                "additionalProperties": False,
            }
        },
    }
    text = spec_reference(schema)
    assert "| [`a`](#a) | required | An a. |\n| [`b`](#b) |  | A b. |" in text
    assert "## a\n\nAn a.\n\nWritten as: [a thing](#form-thing).\n" in text
    assert "| `n` | integer | `1` | How many. |" in text
    assert "Written as: `x`, `y\\|z`." in text
