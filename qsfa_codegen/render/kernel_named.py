"""Of what the class of a kernel could offer, only what the family's own body calls."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from qsfa_codegen.render.words import words

_CALLED = re.compile(r"Facts::(\w+)|\b(\w+)\(tiling_?\b")
_DEFINED = re.compile(r"^ *(?!//)[^(=]*?(\w+)(?:\(| = )", re.MULTILINE)


def called_parts(parts: Mapping[str, Any], body: str) -> dict[str, Any]:
    """``parts`` of the header (see ``arch_parts``) without functions and constants that nothing names.

    ``body`` is the text of the family's templates; it names functions as members of ``Facts``, or with the
    tiling data.
    """
    family = parts["family"]
    definitions = [*parts["accessors"], *parts["settings"]]
    definitions += (
        one for group in ("records", "regions") for part in parts[group] for one in part.functions
    )
    definitions += parts["constants"]
    start = _called(body)
    named = _reached(start | words("\n".join([family.call, *family.layouts])), definitions)
    found = {
        **parts,
        **{group: _kept(parts[group], named) for group in ("accessors", "settings")},
        **{group: _kept_inside(parts[group], named) for group in ("records", "regions")},
    }
    return {**found, "constants": _kept(parts["constants"], named)}


def _reached(named: set[str], definitions: Sequence[str]) -> set[str]:
    """``named``, and what the definitions of those names name in turn."""
    while True:
        more = named | words("\n".join(_kept(definitions, named)))
        if more == named:
            return named
        named = more


def _called(body: str) -> set[str]:
    calls = "\n".join(line for line in body.split("\n") if "Facts::" in line or "(tiling" in line)
    return {name for found in _CALLED.findall(calls) for name in found}


def _kept(definitions: Sequence[str], named: set[str]) -> list[str]:
    return [text for text in definitions if _name(text) in named]


def _kept_inside(groups: Sequence[Any], named: set[str]) -> list[Any]:
    kept = [replace(group, functions=tuple(_kept(group.functions, named))) for group in groups]
    return [group for group in kept if group.functions]


def _name(definition: str) -> str:
    found = _DEFINED.search(definition)
    assert found is not None, definition
    return found[1]
