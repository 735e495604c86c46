"""Reading torch operator schemas: parameters with type and default, and what is returned."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

_SCHEMA = re.compile(r"(\w+)\((.*)\)\s*->\s*(.+)$", re.S)
_ARGUMENT = re.compile(r"(\S+)\s+(\w+)(?:=(.+))?$", re.S)
_WORDS = {"None": None, "True": True, "False": False}


@dataclass(frozen=True, slots=True)
class Argument:
    """``default`` is a Python value; ``has_default`` tells None from nothing."""

    type: str
    name: str
    has_default: bool
    default: object


@dataclass(frozen=True, slots=True)
class Schema:
    """``returns`` holds (type, name); the name is empty where the schema gives none."""

    name: str
    positional: tuple[Argument, ...]
    keyword: tuple[Argument, ...]
    returns: tuple[tuple[str, str], ...]


def read(text: str) -> Schema:
    """The schema of one operator, however it is spaced and quoted."""
    match = _SCHEMA.match(" ".join(text.split()))
    assert match is not None, text
    name, inside, returned = match.groups()
    pieces = [piece.strip() for piece in re.split(r",(?![^\[]*\])", inside) if piece.strip()]
    split = pieces.index("*") if "*" in pieces else len(pieces)
    return Schema(
        name,
        tuple(map(_argument, pieces[:split])),
        tuple(map(_argument, pieces[split + 1 :])),
        tuple(map(_returned, filter(None, re.split(r"\s*,\s*", returned.strip("() "))))),
    )


def _argument(piece: str) -> Argument:
    match = _ARGUMENT.match(piece)
    assert match is not None, piece
    kind, name, default = match.groups()
    return Argument(kind, name, default is not None, _value(default))


def _value(text: str | None) -> object:
    return _WORDS[text] if text in _WORDS else None if text is None else ast.literal_eval(text)


def _returned(piece: str) -> tuple[str, str]:
    kind, _, name = piece.partition(" ")
    return kind, name
