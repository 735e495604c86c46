"""A thing with another name is the same thing: renamed everywhere in the text, nothing else is reported."""

from __future__ import annotations

import re

import pytest

from qsfa_codegen.review.changes import Change, Impact
from qsfa_codegen.spec.model import Operator
from tests.review.pairs import HERE, changes, edited, operator
from tests.review.qsfa_edits import SPEC as LARGE

SMALL = (HERE / "rules/QD305/previous.yaml").read_text(encoding="utf-8")

# What each kind of rename shows: as the parameter, as what is derived from its name, as a name inside.
SHOWN = {
    "input": {"QD114", "QD408"},
    "attribute": {"QD124", "QD408"},
    "output": {"QD143", "QD413"},
    "inside": {"QD340"},
}


def names(found: Operator) -> list[tuple[str, str]]:
    """Everything that can have another name, by kind."""
    tiling_lets = () if found.tiling is None else found.tiling.lets
    lets = [let.name for let in (*found.lets, *tiling_lets)]
    inside = [
        *(d.name for d in found.dims),
        *(c.name for c in found.consts),
        *(e.name for e in found.enums),
        *lets,
    ]
    return [
        *(("input", i.name) for i in found.inputs),
        *(("attribute", a.name) for a in found.attrs),
        *(("output", o.name) for o in found.outputs),
        *(("inside", name) for name in inside),
        *(("inside", column) for column in found.dtypes.columns),
    ]


def renamed(spec: str, name: str) -> str:
    """The text with another name for one thing; names of files, structs and functions stay."""
    return re.sub(rf"(?<![\w.]){name}(?![\w.])", f"{name}_2", spec)


def codes(found: tuple[Change, ...]) -> set[str]:
    return {change.code for change in found}


# Words of the spec language and of kernel plans that are no names of this spec.
WORDS = ("block_table", "s2_tile")

CASES = [
    pytest.param(spec, kind, name, id=f"{label}-{name}")
    for label, spec, step in (("small", SMALL, 1), ("large", LARGE, 5))
    for kind, name in names(operator(spec))[::step]
    if len(re.findall(rf"\b{name}\b", spec)) < 60
    and name not in ("key", "value", "t", "x", "y", "q", "kv", "base", *WORDS)
]


@pytest.mark.parametrize(("spec", "kind", "name"), CASES)
def test_a_rename_is_one_change(spec: str, kind: str, name: str) -> None:
    found = changes(spec, renamed(spec, name))
    assert found
    told = [change for change in found if change.impact is not Impact.DOCS]  # prose names things too
    assert codes(tuple(told)) <= SHOWN[kind], [change.message for change in told]


def test_texts_that_quote_a_name_follow_it() -> None:
    assert codes(changes(LARGE, renamed(LARGE, "KV_D"))) == {"QD340"}


def test_without_evidence_it_is_one_thing_less_and_one_more() -> None:
    """Another type, another name, another place: nothing says that it is the same attribute."""
    spec = edited(
        SMALL,
        (
            "  group: {type: int, default: 1, values: [1, 2, 4], "
            "doc: {en: Rows at a time., zh: 每次处理的行数。}}\n",
            "",
        ),
        (
            "attrs:\n",
            "attrs:\n  eps: {type: float, default: 0.5, values: finite, doc: {en: Eps., zh: 小量。}}\n",
        ),
        ("    when: group > 1\n", ""),
        ("          groupRows: {type: uint32, value: group}\n", ""),
        ("layout, group]", "layout, eps]"),
    )
    found = codes(changes(SMALL, spec))
    assert {"QD120", "QD122"} <= found
    assert "QD124" not in found


def test_two_alike_that_change_names_at_once_are_told_apart_by_their_places() -> None:
    spec = SMALL
    for old, new in (("lengths", "row_sizes"), ("bias", "shift")):
        spec = re.sub(rf"(?<![\w.]){old}(?![\w.])", new, spec)
    found = changes(SMALL, spec)
    assert codes(found) == {"QD114", "QD408"}
    assert {(change.old, change.new) for change in found} == {("lengths", "row_sizes"), ("bias", "shift")}


def test_two_that_change_places_did_not_change_names() -> None:
    """Swapped names are two moves: a name that is still there is still the same thing."""
    lines = SMALL.splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if line.startswith("  bias:"))
    lines[at], lines[at + 1] = lines[at + 1], lines[at]
    assert codes(changes(SMALL, "".join(lines))) == {"QD115", "QD330"}
