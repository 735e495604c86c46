"""A compiler, not a printer of one operator: no fact of a spec stands in the program or its templates.

What counts as a fact: names of operators, parameters, dims and everything else that a spec names, in any
spelling, and numbers. A name of one word (query, value) says nothing about an operator; it is left out,
but for the labels of enums, which are no words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Protocol

import pytest

from qsfa_codegen.spec.model import Operator, TilingMember, TilingStruct, leaves
from qsfa_codegen.spec.names import words
from tests.truth.operators import FIXTURES, ROOT, SPECS, generated

_NUMBER = re.compile(r"(?<![\w.])\d{3,}(?![\w.])")
_SOURCES = ("qsfa_codegen/**/*.py", "qsfa_codegen/**/*.json", "templates/**/*")

# Numbers that follow from the first spec and stand in none: row sizes, head dims, offsets, keys.
_DERIVED = {528, 576, 640, 656, 1092, 1154}
# Lines whose numbers are the compiler's own, equal to one of some spec by chance; and what they are.
_OWN_NUMBERS = {
    r"MAX_LENGTH = \d+": "longest expression",
    r"(?:MAX|MOST)_[A-Z_]+ = \d+": "most of something that the program itself does or reads",
    r"_BYTES = \(-\d+, \d+\)": "what a byte can hold",
    r"@lru_cache\(maxsize=\d+\)": "entries of a cache",
    r"\"maxItems\": \d+,?": "most items that the schema allows",
    r"ALIGNMENT = \{.*\}": "bytes that on-chip buffers are aligned to",
    r"char message\[\d+\];": "longest message of generated host code",
    r"constexpr uint32_t REPEAT_BYTES = \d+;": "bytes that a vector core computes with at a time",
    r".*\bAllowed\(\d.*\),.*": "what a family's kernel leaves open to a spec, and within what bounds",
    r"heads=\d+,": "most heads that a family's kernel can do with",
}
# Lines with a name that is somebody else's too.
_OWN_NAMES = {
    r"numbers\[\"blockDim\"\] = info\.blockNum;": "a member of TilingInfo in the test framework",
}


@cache
def _lines() -> tuple[tuple[str, int, str], ...]:
    paths = sorted({p for pattern in _SOURCES for p in ROOT.glob(pattern) if p.is_file()})
    return tuple(
        (path.relative_to(ROOT).as_posix(), number, line)
        for path in paths
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    )


def _distinctive(name: str) -> bool:
    """More than one word, however they are joined."""
    return len(words(name)) > 1


def _spec_path(snake: str) -> Path:
    return ROOT / ("spec" if snake in SPECS else "tests/specs") / f"{snake}.yaml"


class _Named(Protocol):
    @property
    def name(self) -> str: ...


def _names(operator: Operator) -> Iterator[str]:
    yield from (operator.name, operator.snake, operator.aclnn.name, operator.aclnn.inner)
    groups: tuple[tuple[_Named, ...], ...] = (
        *(operator.inputs, operator.attrs, operator.outputs, operator.dims, operator.rests),
        *(operator.lets, operator.consts, operator.enums, operator.records),
    )
    yield from (item.name for group in groups for item in group)
    yield from (dim.doc_name for dim in operator.dims)
    for attr in operator.attrs:
        domains = leaves(attr.domain) if attr.domain is not None else ()
        yield from (value.name for domain in domains for value in domain.values if value.name)
    yield from (rule.id for group in (operator.constraints, operator.contents) for rule in group)
    yield from _tiling_names(operator)
    if operator.torch is not None:
        yield operator.torch.name
    if (serving := operator.serving) is not None:
        yield from (serving.switch, serving.otherwise, *serving.models)
        yield from (name for pair in serving.excludes for name in pair)


def _tiling_names(operator: Operator) -> Iterator[str]:
    if operator.tiling is None:
        return
    yield from (item.name for item in operator.tiling.lets)
    yield from (item.name for item in operator.tiling.externs)
    if operator.tiling.key is not None:
        yield from (argument.name for argument in operator.tiling.key.args)
    if operator.tiling.data is not None:
        yield from _struct_names(operator.tiling.data.root)


def _struct_names(structure: TilingStruct) -> Iterator[str]:
    yield structure.type_name
    for member in structure.members:
        yield member.name
        if isinstance(member, TilingMember):
            yield from _struct_names(member.struct)


@pytest.mark.parametrize("snake", [*SPECS, *FIXTURES])
def test_no_name_of_a_spec(snake: str) -> None:
    operator = generated(snake).operator
    names = {words(name) for name in _names(operator) if _distinctive(name)}
    names |= {words(label.name) for enum in operator.enums for label in enum.labels}
    assert len(names) > 3
    found = [
        f"{path}:{number}: {word}"
        for path, number, line in _lines()
        for word in re.findall(r"\w+", line)
        if words(word) in names and not any(re.fullmatch(own, line.strip()) for own in _OWN_NAMES)
    ]
    assert found == []


@pytest.mark.parametrize("snake", [*SPECS, *FIXTURES])
def test_no_number_of_a_spec(snake: str) -> None:
    """Three digits and more: smaller numbers mean something everywhere."""
    text = re.sub(r"#.*", "", _spec_path(snake).read_text(encoding="utf-8"))
    numbers = {int(n) for n in _NUMBER.findall(text)} | _DERIVED
    found = [
        f"{path}:{number}: {literal}"
        for path, number, line in _lines()
        for literal in _NUMBER.findall(line)
        if int(literal) in numbers and not any(re.fullmatch(own, line.strip()) for own in _OWN_NUMBERS)
    ]
    assert found == []


@pytest.mark.parametrize("own", [*_OWN_NUMBERS, *_OWN_NAMES])
def test_every_exception_is_needed(own: str) -> None:
    assert any(re.fullmatch(own, line.strip()) for _, _, line in _lines())
