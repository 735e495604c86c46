"""Whatever differs between two operators is reported: nothing falls through the rules."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.review.compare import compare
from qsfa_codegen.spec.lower import lower
from qsfa_codegen.spec.model import Operator, Text
from tests.review.pairs import HERE, operator

SPEC = operator((HERE / "rules/QD332/previous.yaml").read_text(encoding="utf-8"))
TILING = operator((HERE / "rules/QD305/previous.yaml").read_text(encoding="utf-8"))
Path = tuple[str | int, ...]

# Derived from other parts, or a name under which nothing else would be found.
_SKIPPED = {"checks", "source", "index", "type", "kind", "legal", "definers", "axis", "min_rank", "max_rank"}


def leaves(thing: object, path: Path = ()) -> Iterator[Path]:
    """Places of numbers, words from a list and texts for people."""
    if isinstance(thing, Span):
        return
    if isinstance(thing, Struct):
        for name in thing.__struct_fields__:
            if name not in _SKIPPED:
                yield from leaves(getattr(thing, name), (*path, name))
    elif isinstance(thing, tuple):
        for index, item in enumerate(thing):
            yield from leaves(item, (*path, index))
    elif isinstance(thing, bool | int | float | Enum) or (
        isinstance(thing, str) and path[-1] in ("en", "zh")
    ):
        yield path


def changed(thing: object, path: Path) -> object:
    """``thing`` with another value at a place."""
    if not path:
        return _other(thing)
    first, *rest = path
    if isinstance(thing, tuple):
        assert isinstance(first, int)
        return (*thing[:first], changed(thing[first], tuple(rest)), *thing[first + 1 :])
    assert isinstance(thing, Struct)
    return replace(thing, **{str(first): changed(getattr(thing, str(first)), tuple(rest))})


def _other(value: object) -> object:
    if isinstance(value, bool):
        return not value
    if isinstance(value, Enum):
        return next(member for member in type(value) if member is not value)
    if isinstance(value, int | float):
        return value + 1
    assert isinstance(value, str)
    return value + "!"


def edit(before: Operator, path: Path) -> Operator:
    """The operator with another value at a place, and the rules that follow from it."""
    after = changed(before, path)
    assert isinstance(after, Operator)
    return replace(after, checks=lower(after))


CASES = [(which, path) for which in (SPEC, TILING) for path in leaves(which)]


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(range(len(CASES))))
def test_a_difference_anywhere_is_reported(number: int) -> None:
    before, path = CASES[number]
    assert compare(before, edit(before, path)), path


def test_words_alone_are_docs_only() -> None:
    after = replace(SPEC, brief=Text("Another brief.", SPEC.brief.zh))
    assert [change.impact.value for change in compare(SPEC, after)] == ["docs only"]


def test_what_no_rule_knows_counts_as_breaking() -> None:
    """A part of the model that a rule is not made for yet: the C++ type of a dtype attribute, say."""
    attr = SPEC.attrs[2]
    after = replace(SPEC, attrs=(*SPEC.attrs[:2], replace(attr, chips=("A2",))))
    assert [change.code for change in compare(SPEC, after)] == ["QD399"]
