"""Legal calls of a size that can be emulated, as many as are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call
from qsfa_codegen.contract.domains import Sizes
from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.contract.plan import Plan
from qsfa_codegen.contract.search import Legal, Search
from qsfa_codegen.reference.families import FamilyReference
from qsfa_codegen.reference.subject import Subject
from qsfa_codegen.spec.model import AttrValue, Chip, Presence

_TRIES = 200
_DULL = 0.15
"""The part of calls whose sizes are as they come."""
_VARIED = 0.85
"""The part of sizes that are not left as they are in the plan."""
_MOST_BYTES = 8 << 20
_MOST = (3, 20, 70, 300, 1100)
"""Sizes are drawn below one of these."""


class _Base(NamedTuple):
    """A legal plan, and what may be chosen beside it one by one."""

    plan: Plan
    attrs: tuple[tuple[str, tuple[AttrValue, ...]], ...]
    dims: tuple[tuple[str, Sizes], ...]
    optional: tuple[str, ...]


class DerivedCalls:
    """The calls of one operator on one chip by their numbers; ``most`` is the work of one call at most."""

    def __init__(self, evaluator: Evaluator, chip: Chip, family: FamilyReference, most: int) -> None:
        self._evaluator = evaluator
        self._chip = chip
        self._family = family
        self._most = most
        self._search = Search(evaluator)
        self._bases = tuple(self._find_bases())

    def call(self, seed: int, number: int) -> Call:
        """The call with a number, counted from 0: every dtype and layout in turns, the rest at random."""
        random = Random(f"{seed}/{number}")
        base = self._bases[number % len(self._bases)]
        name = f"derived_{seed}_{number}"
        telling = random.random() > _DULL
        for attempt in range(_TRIES):
            call = self._search.build(self._plan(random, base, smaller=attempt // 20))
            if call is not None and self._fits(call, telling=telling):
                return replace(self._with_usual(random, call), id=name)
        found = self._search.build(base.plan)
        assert found is not None
        return replace(self._with_usual(random, found), id=name)

    def _fits(self, call: Call, *, telling: bool) -> bool:
        """Whether the call is legal and small enough and, where asked for, worth it."""
        if self._evaluator.evaluate(call).violations:
            return False
        size = sum(
            _elements(tensor.shape) for tensor in call.inputs.values() if not isinstance(tensor, tuple)
        )
        subject = self._subject(call)
        if telling and not self._family.telling(subject):
            return False
        return size <= _MOST_BYTES and self._family.work(subject) <= self._most

    def _subject(self, call: Call) -> Subject:
        return Subject(self._evaluator.operator, call, self._evaluator.env(call, self._chip)[0])

    def _with_usual(self, random: Random, call: Call) -> Call:
        """With attributes that give results worth looking at, more often than not."""
        if random.random() < 0.15:
            return call
        return replace(call, attrs={**call.attrs, **self._family.usual(self._subject(call))})

    def _find_bases(self) -> Iterator[_Base]:
        """A legal plan for every dtype row and combination of enum values."""
        operator = self._search.operator
        for row in operator.dtypes.rows_of(self._chip.id) or (None,):
            for _, plan in self._search.cases(Plan(self._chip, () if row is None else row.dtypes)):
                found = self._search.solve(plan, self._search.pinned)
                if isinstance(found, Legal):
                    yield self._base(found)

    def _base(self, legal: Legal) -> _Base:
        builder, plan = self._search.builder, legal.plan
        free = (a.name for a in self._search.operator.attrs if a.name not in self._search.pinned)
        return _Base(
            plan=plan,
            attrs=tuple((name, tuple(builder.attr_domain(name, plan).edges())) for name in free),
            dims=tuple((dim.name, builder.domain(dim.name, plan)) for dim in builder.free_dims),
            optional=tuple(
                name
                for name in self._search.optional
                if builder.presence(name, plan) in (Presence.OPTIONAL, Presence.IGNORED)
            ),
        )

    def _plan(self, random: Random, base: _Base, smaller: int) -> Plan:
        plan = base.plan
        attrs = {
            name: random.choice(values) for name, values in base.attrs if values and random.random() < 0.6
        }
        # A size that a rule settles for this plan is right as it is.
        varied = [dim for dim in base.dims if random.random() < _VARIED]
        dims = {name: _size(random, sizes, smaller) for name, sizes in varied}
        return plan._replace(
            attrs={**plan.attrs, **attrs},
            dims={**plan.dims, **dims},
            passed={**plan.passed, **{name: random.random() < 0.5 for name in base.optional}},
            options={name: random.randrange(count) for name, count in self._search.builder.options.items()},
        )


def _elements(shape: tuple[int, ...]) -> int:
    size = 1
    for length in shape:
        size *= max(length, 0)
    return size


def _size(random: Random, sizes: Sizes, smaller: int) -> int:
    """A legal size, mostly small; ``smaller`` leaves out so many of the larger ranges."""
    if sizes.values:
        return random.choice(sizes.values)
    if random.random() < 0.06:
        return sizes.low if sizes.low % sizes.step == 0 else sizes.near(sizes.low)
    most = random.choice(_MOST[: max(len(_MOST) - smaller, 1)])
    return sizes.near(sizes.low + random.randrange(most) * (1 if most > sizes.step else sizes.step))
