"""Reading aclnn headers: functions with the C type and name of each parameter, in order."""

from __future__ import annotations

import re
from dataclasses import dataclass

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
_FUNCTION = re.compile(r"\baclnnStatus\s+(aclnn\w+)\s*\(([^)]*)\)\s*;")
_PARAMETER = re.compile(r"(.*?[\s*])(\w+)$", re.S)


@dataclass(frozen=True, slots=True)
class Parameter:
    """``ctype`` has single spaces and the star apart: ``const aclTensor *``."""

    ctype: str
    name: str


def functions(header: str) -> dict[str, tuple[Parameter, ...]]:
    """The functions that a header declares, in order."""
    text = _COMMENT.sub(" ", header)
    return {name: _parameters(inside) for name, inside in _FUNCTION.findall(text)}


def _parameters(inside: str) -> tuple[Parameter, ...]:
    return tuple(_parameter(part.strip()) for part in inside.split(","))


def _parameter(text: str) -> Parameter:
    match = _PARAMETER.match(text)
    assert match is not None, text
    ctype = " ".join(re.sub(r"\s*(\*+)\s*", r" \1 ", match[1]).split())
    return Parameter(ctype, match[2])
