"""Where a value stands inside a line of JSON: used only once something is wrong with it."""

from __future__ import annotations

import json

_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n"

JsonPath = tuple[str | int, ...]


def locate(text: str, path: JsonPath, *, key: bool = False) -> tuple[int, int]:
    """Start and end offset of the value at ``path``, or of its key with ``key``.

    ``text`` must be valid JSON. A path that leaves the document gives the deepest part that exists.

    >>> text = '{"inputs": {"key": {"shape": [2, 3]}}}'
    >>> start, end = locate(text, ("inputs", "key", "shape", 1))
    >>> text[start:end]
    '3'
    """
    start = _skip(text, 0)
    named = (start, _end(text, start))
    for step in path:
        found = _member(text, start, step) if isinstance(step, str) else _element(text, start, step)
        if found is None:
            return named
        key_span, start = found
        named = key_span if key else (start, _end(text, start))
    return named


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _end(text: str, at: int) -> int:
    return _DECODER.raw_decode(text, at)[1]


def _member(text: str, at: int, name: str) -> tuple[tuple[int, int], int] | None:
    if text[at] != "{":
        return None
    found = None
    at = _skip(text, at + 1)
    while text[at] == '"':
        key_start = at
        key, at = _DECODER.raw_decode(text, at)
        key_span = (key_start, at)
        at = _skip(text, _skip(text, at) + 1)
        if key == name:
            found = (key_span, at)
        at = _skip(text, _end(text, at))
        if text[at] == "}":
            break
        at = _skip(text, at + 1)
    return found


def _element(text: str, at: int, index: int) -> tuple[tuple[int, int], int] | None:
    if text[at] != "[":
        return None
    at = _skip(text, at + 1)
    while text[at] != "]":
        end = _end(text, at)
        if index == 0:
            return (at, end), at
        index -= 1
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return None
