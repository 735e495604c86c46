"""Places of values inside a line of JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsfa_codegen.contract.json_spans import locate

TEXT = ' { "a" : [1, {"b": "x,}\\"y"}, []], "c": {"a": null}, "é\\n": -1.5e3 } '


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ((), TEXT.strip()),
        (("a",), '[1, {"b": "x,}\\"y"}, []]'),
        (("a", 0), "1"),
        (("a", 1, "b"), '"x,}\\"y"'),
        (("a", 2), "[]"),
        (("c", "a"), "null"),
        (("é\n",), "-1.5e3"),
        (("c", "missing"), '{"a": null}'),
        (("a", 3), '[1, {"b": "x,}\\"y"}, []]'),
        (("a", "b"), '[1, {"b": "x,}\\"y"}, []]'),
    ],
)
def test_values(path: tuple[str | int, ...], found: str) -> None:
    start, end = locate(TEXT, path)
    assert TEXT[start:end] == found


def test_keys() -> None:
    start, end = locate(TEXT, ("c", "a"), key=True)
    assert TEXT[start:end] == '"a"'
    assert TEXT.index('{"a"') + 1 == start


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@given(values, st.sampled_from([None, 1]))
def test_every_value_of_any_document(document: Any, indent: int | None) -> None:
    text = json.dumps(document, indent=indent)

    def check(value: Any, path: tuple[str | int, ...]) -> None:
        start, end = locate(text, path)
        assert json.loads(text[start:end]) == value
        if isinstance(value, dict):
            for key, inner in value.items():
                check(inner, (*path, key))
        if isinstance(value, list):
            for index, inner in enumerate(value):
                check(inner, (*path, index))

    check(document, ())
