"""Reading the header that declares the template arguments of a tiling key."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
_DEFINE = re.compile(r"^#define[ \t]+(\w+)[ \t]+(\w+)[ \t]*$", re.M)
_ENTRY = re.compile(r"ASCENDC_TPL_(BOOL|UINT)_(DECL|SEL)\(([^()]*)\)")
_LIST = "ASCENDC_TPL_UI_LIST"


@dataclass(frozen=True, slots=True)
class Argument:
    """``values`` are the declared codes in order: the key holds a value's place among them."""

    name: str
    kind: str
    bits: int
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TemplateKey:
    """The declared arguments in order, and every combination that is compiled, as codes."""

    operator: str
    arguments: tuple[Argument, ...]
    combinations: frozenset[tuple[int, ...]]


def read(header: str) -> TemplateKey:
    """The one key that a header declares."""
    text = _COMMENT.sub(" ", header)
    macros = dict(_DEFINE.findall(text))
    body = _DEFINE.sub("", text)
    declared, selected = body.split("ASCENDC_TPL_SEL(", 1)
    (operator,) = re.findall(r"ASCENDC_TPL_ARGS_DECL\(\s*(\w+)", declared)
    arguments = tuple(_argument(kind, inside, macros) for kind, _, inside in _ENTRY.findall(declared))
    combinations: set[tuple[int, ...]] = set()
    for group in selected.split("ASCENDC_TPL_ARGS_SEL(")[1:]:
        entries = [_words(inside, macros) for _, _, inside in _ENTRY.findall(group)]
        assert [name for name, *_ in entries] == [a.name for a in arguments]
        combinations |= set(product(*(map(int, filter(str.isdigit, words[1:])) for words in entries)))
    return TemplateKey(operator, arguments, frozenset(combinations))


def _argument(kind: str, inside: str, macros: dict[str, str]) -> Argument:
    name, *words = _words(inside, macros)
    if kind == "BOOL":
        return Argument(name, "bool", 1, tuple(map(int, words)))
    bits, form, *values = words
    assert form == _LIST
    # CANN spells a width of four bits ASCENDC_TPL_4_BW and defines it as 4.
    width = re.fullmatch(r"ASCENDC_TPL_(\d+)_BW", bits)
    return Argument(name, "uint", int(width[1] if width else bits), tuple(map(int, values)))


def _words(inside: str, macros: dict[str, str]) -> list[str]:
    return [macros.get(word, word) for word in re.findall(r"\w+", inside)]
