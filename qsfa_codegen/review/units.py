"""The rules of two contracts in groups that a person sees as one, and which of the groups differ."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from qsfa_codegen.expr.nodes import Expr, Literal
from qsfa_codegen.review.meaning import Meaning
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.spec.model import Check, CheckKind


class Unit(Struct, frozen=True):
    """Checks that a person sees as one rule: those with one id, or all about the shape of one input.

    ``rewritten``: they are spelt differently themselves, not only what they depend on.
    """

    id: str
    kind: CheckKind
    parameter: str
    before: tuple[Check, ...]
    after: tuple[Check, ...]
    rewritten: bool

    @property
    def ids(self) -> frozenset[str]:
        """Ids of its checks."""
        return frozenset(check.id for check in (*self.before, *self.after))


def changed_units(pair: Pair) -> tuple[Unit, ...]:
    """Groups that may not be the same on the chips of both, in the order of checking."""
    before, after = _grouped(pair.before.checks), _grouped(pair.after.checks)
    found = []
    for id in dict.fromkeys((*after, *before)):
        old, new = before.get(id, ()), after.get(id, ())
        differs, rewritten = _compared(pair, old, new)
        if differs or rewritten:
            first = (new or old)[0]
            found.append(Unit(id, first.kind, first.parameter, old, new, rewritten))
    return tuple(found)


def _grouped(checks: Sequence[Check]) -> dict[str, tuple[Check, ...]]:
    found: dict[str, tuple[Check, ...]] = {}
    for check in checks:
        group = f"{check.parameter}_shape" if _is_about_shape(check) else check.id
        found[group] = (*found.get(group, ()), check)
    return found


def dim_of(check: Check) -> str | None:
    """The dim whose accepted sizes a check is about, where it is about that."""
    name = check.establishes[0].name if check.kind is CheckKind.DIM and check.establishes else None
    return name if check.id == f"{name}_value" else None


def _is_about_shape(check: Check) -> bool:
    return check.kind is CheckKind.RANK or (check.kind is CheckKind.DIM and dim_of(check) is None)


def _compared(pair: Pair, old: Sequence[Check], new: Sequence[Check]) -> tuple[bool, bool]:
    """Whether meaning differs on some chip, and whether the text does."""
    differs = rewritten = False
    for before, after in pair.meanings:
        left, right = _spelt(before, old), _spelt(after, new)
        rewritten = rewritten or [before.text(e) for e in left] != [after.text(e) for e in right]
        differs = differs or before.of(left) != after.of(right)
    return differs, rewritten


def _spelt(meaning: Meaning, checks: Sequence[Check]) -> list[Expr | None]:
    """What is demanded on a chip, without checks that demand nothing there."""
    found: list[Expr | None] = []
    for check in checks:
        when = None if check.when is None else meaning.here(check.when)
        require = meaning.here(check.require)
        if _is(when, False) or _is(require, True):
            continue
        found += [None if _is(when, True) else when, require]
    return found


def _is(expr: Expr | None, value: bool) -> bool:
    return isinstance(expr, Literal) and expr.value is value
