"""Frozen things as they can be compared: without the places where they stand, and without words."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from msgspec import Struct

from qsfa_codegen.expr.nodes import Ref, RefKind, Select
from qsfa_codegen.spec.model import Chip, Table

PLACES = frozenset({"span", "name_span", "source"})
WORDS = frozenset({"doc", "brief", "formula", "notes", "message"})


def bare(thing: object, *without: str) -> object:
    """``thing`` as a hashable picture without places, words and the fields ``without`` at its top."""
    return _Painter(PLACES | WORDS).picture(thing, frozenset(without))


def bare_on(chip: Chip, chips: AbstractSet[str], thing: object, *without: str) -> object:
    """As ``bare``, of what is true of ``chip``, where chips other than ``chips`` do not count."""
    return _Painter(PLACES | WORDS, chip, chips).picture(thing, frozenset(without))


def written(thing: object) -> object:
    """As ``bare``, with words."""
    return _Painter(PLACES).picture(thing)


def words(thing: object) -> tuple[tuple[str, object], ...]:
    """The words that belong to ``thing`` itself, by field."""
    if not isinstance(thing, Struct):
        return ()
    names = (name for name in thing.__struct_fields__ if name in WORDS)
    return tuple((name, written(getattr(thing, name))) for name in names)


class _Painter:
    def __init__(
        self, skip: AbstractSet[str], chip: Chip | None = None, chips: AbstractSet[str] = frozenset()
    ) -> None:
        self._skip = skip
        self._chip = chip
        self._chips = chips

    def picture(self, thing: object, without: AbstractSet[str] = frozenset()) -> object:
        if isinstance(thing, Select | Table) and self._chip is not None:
            thing = self._case(thing, self._chip)
        if isinstance(thing, Struct):
            names = [n for n in thing.__struct_fields__ if n not in self._skip and n not in without]
            return (
                type(thing).__name__,
                *((name, self._field(name, getattr(thing, name))) for name in names),
            )
        if isinstance(thing, tuple):
            return tuple([self.picture(item) for item in thing])
        return (type(thing).__name__, repr(thing)) if isinstance(thing, float | bool) else thing

    def _field(self, name: str, value: object) -> object:
        if name == "chips" and self._chip is not None and isinstance(value, tuple):
            return tuple(item for item in value if item in self._chips)
        if name in ("plans", "workspace") and self._chip is not None and isinstance(value, tuple):
            return tuple(self.picture(item) for item in value if _arch_of(item) == self._chip.arch)
        return self.picture(value)

    def _case(self, table: object, chip: Chip) -> object:
        while isinstance(table, Select | Table):
            selector = table.selector
            if not isinstance(selector, Ref) or selector.kind not in (RefKind.CHIP, RefKind.ARCH):
                break
            label = chip.id if selector.kind is RefKind.CHIP else chip.arch
            table = dict(table.cases).get(label, table.otherwise)
        return table


def _arch_of(thing: object) -> object:
    return thing[0] if isinstance(thing, tuple) else getattr(thing, "arch", None)
