"""Values that a declared domain has, values at its edges, and values just outside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

from qsfa_codegen.contract.env import CallEnv, SpoiltError
from qsfa_codegen.contract.infer import choice_run
from qsfa_codegen.expr.evaluate import compiled
from qsfa_codegen.expr.limits import INT64_MAX, INT64_MIN
from qsfa_codegen.expr.memo import once_a_tree
from qsfa_codegen.expr.nodes import Expr
from qsfa_codegen.expr.values import EvalError
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Attr, AttrScalar, AttrType, AttrValue, Dim, Domain, Operator, leaves

T = TypeVar("T", int, None)

NARROWED = 1 << 32
"""What a host that keeps 32 bits of an attribute does not see."""

_STEP_ABOVE = 2.0**-20


class Sizes(NamedTuple):
    """Sizes that a dim may have; ``values`` empty: every multiple of ``step`` in the range."""

    low: int
    high: int | None
    step: int
    values: tuple[int, ...]

    def __contains__(self, size: object) -> bool:
        if not isinstance(size, int) or size < self.low or (self.high is not None and size > self.high):
            return False
        return size % self.step == 0 and (not self.values or size in self.values)

    def near(self, wanted: int) -> int:
        """A legal size, ``wanted`` or the next one above it where there is one."""
        if self.values:
            return next((v for v in sorted(self.values) if v >= wanted), max(self.values))
        size = -(-max(wanted, self.low) // self.step) * self.step
        return size if self.high is None or size <= self.high else self.high // self.step * self.step

    def edges(self) -> tuple[int, ...]:
        """Every listed value; else the smallest and the largest size."""
        if self.values:
            return tuple(v for v in self.values if v in self)
        low = self.near(self.low)
        return (low,) if self.high is None else (low, self.near(self.high))

    def outside(self, elsewhere: Iterable[int] = ()) -> tuple[int, ...]:
        """Sizes that are just not legal; -1 where 0 is legal. Then those of ``elsewhere`` that are not."""
        edges = self.edges()
        low, high = min(edges), max(edges)
        bounded = self.high is not None or bool(self.values)
        between = next((v for v in range(low + 1, high) if v not in self), None)
        off_step = low + 1 if self.step > 1 else None
        beside = (low - self.step, low - 1, high + self.step if bounded else None, between, off_step)
        sizes = (*beside, *elsewhere)
        return tuple(s for s in dict.fromkeys(sizes) if s is not None and s >= -1 and s not in self)


def sizes_of(dim: Dim, env: CallEnv) -> Sizes:
    """The domain of ``dim`` in the case that ``env`` is in."""
    values = choice_run(dim.values, tuple)(env) if dim.values is not None else None
    return Sizes(
        low=_bound(dim.minimum, env, 0),
        high=_bound(dim.maximum, env, None),
        step=_bound(dim.multiple_of, env, 1),
        values=values or (),
    )


def sizes_elsewhere(dim: Dim) -> Iterator[int]:
    """Every size that is listed for ``dim`` in any case, on any chip."""
    for values in leaves(dim.values) if dim.values is not None else ():
        yield from values


def _bound(expr: Expr | None, env: CallEnv, fallback: T) -> int | T:
    if expr is None:
        return fallback
    try:
        value = compiled(expr)(env)
    except (EvalError, SpoiltError):
        return fallback
    return value if isinstance(value, int) else fallback


@once_a_tree
def _listed(domain: Domain) -> frozenset[AttrScalar]:
    """The values that a domain lists, which may be many, and are asked for often."""
    return frozenset(named.value for named in domain.values)


class AttrDomain:
    """What one attribute accepts in one case."""

    def __init__(self, operator: Operator, attr: Attr, env: CallEnv) -> None:
        domain = None if attr.domain is None else choice_run(attr.domain, _itself)(env)
        chip = env.platform_name("chip")
        self._attr = attr
        self._domain = domain or Domain()
        self._enums = {e.name: [label.name for label in e.labels] for e in operator.enums}
        self._only_default = chip not in attr.chips

    @property
    def listed(self) -> bool:
        """Whether ``edges`` is everything that the attribute accepts."""
        one = not self._attr.type.name.startswith("LIST")
        return one and (self._only_default or bool(self._domain.values) or self._attr.type is AttrType.BOOL)

    @property
    def usual(self) -> AttrValue | None:
        """The registered default where it is accepted, else the first accepted value."""
        default = self._attr.default
        if default is not None and self.accepts(default):
            return default
        return next(self.edges(), default)

    def accepts(self, value: AttrValue) -> bool:
        """Whether the attribute's own domain has ``value``; rules between parameters do not count."""
        if self._only_default:
            return value == self._attr.default
        if not isinstance(value, tuple):
            return self._accepts_item(value)
        if not self._accepts_length(len(value)):
            return False
        return all(isinstance(item, tuple) or self._accepts_item(item) for item in value)

    def _accepts_item(self, value: AttrScalar) -> bool:
        domain = self._domain
        if domain.values:
            return value in _listed(domain)
        if isinstance(value, str):
            return True
        return (
            (domain.minimum is None or value >= domain.minimum)
            and (domain.maximum is None or value <= domain.maximum)
            and (domain.above is None or value > domain.above)
            and not (domain.finite and value - value != 0)
        )

    def _accepts_length(self, length: int) -> bool:
        return not self._attr.lengths or length in self._attr.lengths

    def edges(self) -> Iterator[AttrValue]:
        """Every listed value; else the values at the bounds. Of a list, the shortest and the longest."""
        if self._only_default:
            if self._attr.default is not None:
                yield self._attr.default
        elif self._attr.type.name.startswith("LIST"):
            item = next(self._item_edges(), None)
            for length in self._lengths():
                if item is not None or length == 0:
                    yield (item,) * length if item is not None else ()
        else:
            yield from self._item_edges()

    def _lengths(self) -> tuple[int, ...]:
        return self._attr.lengths or (0, 1)

    def _item_edges(self) -> Iterator[AttrScalar]:
        domain = self._domain
        kind = _ITEMS.get(self._attr.type, self._attr.type)
        if domain.values:
            yield from (named.value for named in domain.values)
        elif kind is AttrType.BOOL:
            yield from (False, True)
        elif kind in (AttrType.INT, AttrType.FLOAT):
            bounds = [domain.minimum, domain.maximum]
            if domain.above is not None:
                bounds.insert(0, domain.above + (1 if kind is AttrType.INT else _STEP_ABOVE))
            known = [bound for bound in bounds if bound is not None]
            yield from dict.fromkeys(_of_kind(bound, kind) for bound in known or [0])

    def outside(self) -> Iterator[AttrValue]:
        """Values that the attribute's own domain does not have, at last those that it has elsewhere."""
        listed = self._attr.type.name.startswith("LIST")
        candidates: Iterator[AttrValue] = self._lists_outside() if listed else self._items_outside()
        for value in dict.fromkeys(candidates):
            if not self.accepts(value):
                yield value

    def _lists_outside(self) -> Iterator[AttrValue]:
        usual = self.usual
        item = next(self._item_edges(), None)
        if item is not None:
            lengths = self._lengths()
            for length in (max(lengths) + 1, min(lengths) - 1, *range(min(lengths) + 1, max(lengths))):
                if length >= 0:
                    yield (item,) * length
        if isinstance(usual, tuple) and usual:
            for value in self._items_outside():
                yield (value, *(item for item in usual[1:] if not isinstance(item, tuple)))

    def _items_elsewhere(self) -> Iterator[AttrScalar]:
        """Every value that is listed in any case, on any chip."""
        for domain in leaves(self._attr.domain) if self._attr.domain is not None else ():
            yield from (named.value for named in domain.values)

    def _items_outside(self) -> Iterator[AttrScalar]:
        kind = _ITEMS.get(self._attr.type, self._attr.type)
        if kind is AttrType.INT:
            yield from self._ints_outside()
        elif kind is AttrType.FLOAT:
            yield from self._floats_outside()
        elif kind is AttrType.BOOL:
            yield from (True, False)
        elif kind is AttrType.DTYPE:
            yield from DTYPES
        elif self._attr.enum is not None:
            yield from self._enums[self._attr.enum]
            yield "no_such_label"
        else:
            yield from ("", "no_such_value")
        yield from self._items_elsewhere()

    def _ints_outside(self) -> Iterator[int]:
        accepted = sorted(int(v) for v in self._item_edges())
        if not accepted:
            return
        low, high = accepted[0], accepted[-1]
        between = next((v for v in range(low + 1, min(high, low + 1000)) if not self._accepts_item(v)), None)
        for value in (low - 1, high + 1, between, low + NARROWED, self._attr.default):
            if isinstance(value, int) and INT64_MIN <= value <= INT64_MAX:
                yield value

    def _floats_outside(self) -> Iterator[float]:
        domain = self._domain
        if domain.above is not None:
            yield float(domain.above)
        if domain.minimum is not None:
            yield float(domain.minimum) - 1.0
        if domain.maximum is not None:
            yield float(domain.maximum) + 1.0
        yield from (float("inf"), float("-inf"), float("nan"))


def _itself(domain: Domain) -> Domain:
    return domain


def _of_kind(value: int | float, kind: AttrType) -> int | float:
    return float(value) if kind is AttrType.FLOAT else int(value)


_ITEMS = {
    AttrType.LIST_INT: AttrType.INT,
    AttrType.LIST_FLOAT: AttrType.FLOAT,
    AttrType.LIST_BOOL: AttrType.BOOL,
    AttrType.LIST_STR: AttrType.STR,
    AttrType.LIST_LIST_INT: AttrType.INT,
}
