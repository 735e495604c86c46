"""Calls that a spec implies, as many as are asked for: the same ones for the same seed."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call, Stage
from qsfa_codegen.contract.derive import derive
from qsfa_codegen.contract.domains import Sizes
from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.contract.plan import Plan
from qsfa_codegen.contract.search import Legal, Search
from qsfa_codegen.expr.limits import INT64_MAX
from qsfa_codegen.spec.model import AttrValue, Presence, Rest
from qsfa_codegen.verify.damage import Damage, platform

_STAGES = (None, None, Stage.INFER, Stage.TILING)
_MOST_CHANGES = 4
_LARGEST_REST = 40


class _Base(NamedTuple):
    """A legal plan, and what may be chosen beside it one by one."""

    plan: Plan
    call: Call
    attrs: tuple[tuple[str, tuple[AttrValue, ...]], ...]
    dims: tuple[tuple[str, Sizes], ...]
    optional: tuple[str, ...]


class Calls:
    """The calls of one operator by their numbers.

    First come the derived calls, each in every stage: legal ones, edges, and for each rule calls that
    break it alone. The others are random: legal over the whole contract, with one thing changed, with
    several, and with unknown sizes and ranks.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self._search = Search(evaluator)
        self._damage = Damage(evaluator.operator)
        derived = derive(evaluator.operator, evaluator).calls
        self.derived = tuple(staged for call in derived for staged in _staged(call))
        self.legal = tuple(call for call in derived if (call.expect or {}).get("status") == "ok")
        self._bases = tuple(self._find_bases())

    def call(self, seed: int, number: int) -> Call:
        """The call with a number, counted from 0."""
        derived = number < len(self.derived)
        call = self.derived[number] if derived else self._random(Random(f"{seed}/{number}"))
        facts = dict(call.platform)  # its own, so that the call can go from process to process
        return replace(call, id=f"verify_{seed}_{number}", expect=None, platform=facts)

    def calls(self, seed: int, numbers: range) -> Iterator[Call]:
        """The calls with these numbers."""
        return (self.call(seed, number) for number in numbers)

    def _random(self, rng: Random) -> Call:
        kind = rng.random()
        if not self._bases or kind < 0.15:
            call = self._damage.damaged(rng, rng.choice(self.derived), rng.randint(1, _MOST_CHANGES))
            return replace(call, stage=rng.choice(_STAGES))
        call = self._legal(rng)
        if kind < 0.45:
            return replace(call, stage=rng.choice(_STAGES))
        call = self._damage.damaged(rng, call, 1 if kind < 0.7 else rng.randint(1, _MOST_CHANGES))
        return self._damage.unknown(rng, call) if kind > 0.85 else replace(call, stage=rng.choice(_STAGES))

    # ------------------------------------------------------------------ legal calls

    def _find_bases(self) -> Iterator[_Base]:
        """A legal plan for every chip, dtype row and combination of enum values."""
        for chip in self._search.operator.chips:
            for row in self._search.operator.dtypes.rows_of(chip.id) or (None,):
                for _, plan in self._search.cases(Plan(chip, () if row is None else row.dtypes)):
                    found = self._search.solve(plan, self._search.pinned)
                    if isinstance(found, Legal):
                        yield self._base(found)

    def _base(self, legal: Legal) -> _Base:
        builder, plan = self._search.builder, legal.plan
        free = (a.name for a in self._search.operator.attrs if a.name not in self._search.pinned)
        return _Base(
            plan=plan,
            call=legal.call,
            attrs=tuple((name, tuple(builder.attr_domain(name, plan).edges())) for name in free),
            dims=tuple((dim.name, builder.domain(dim.name, plan)) for dim in builder.free_dims),
            optional=tuple(
                name
                for name in self._search.optional
                if builder.presence(name, plan) in (Presence.OPTIONAL, Presence.IGNORED)
            ),
        )

    def _legal(self, rng: Random) -> Call:
        """A call whose choices are each legal; most often it is legal as a whole."""
        base = rng.choice(self._bases)
        plan = base.plan
        attrs = {name: rng.choice(values) for name, values in base.attrs if values and rng.random() < 0.4}
        dims = {name: _size(rng, sizes) for name, sizes in base.dims if rng.random() < 0.6}
        rests = {r.name: _rest(rng, r) for r in self._search.operator.rests if rng.random() < 0.6}
        options = {name: rng.randrange(count) for name, count in self._search.builder.options.items()}
        plan = plan._replace(
            attrs={**plan.attrs, **attrs},
            dims={**plan.dims, **dims},
            rests={**plan.rests, **rests},
            passed={**plan.passed, **{name: rng.random() < 0.5 for name in base.optional}},
            options=options,
            platform=platform(rng) if rng.random() < 0.2 else plan.platform,
        )
        return self._search.build(plan) or base.call


def _staged(call: Call) -> Iterator[Call]:
    yield call
    if call.stage is None:
        yield replace(call, stage=Stage.INFER)
        yield replace(call, stage=Stage.TILING)


def _size(rng: Random, sizes: Sizes) -> int:
    """A legal size: mostly small, sometimes at an edge or large."""
    kind = rng.random()
    if sizes.values or kind < 0.15:
        return rng.choice(sizes.edges())
    most = rng.choice((4, 4, 40, 300, 2**12, 2**20, 2**31 if kind > 0.95 else 4))
    highest = INT64_MAX if sizes.high is None else sizes.high
    return sizes.near(min(sizes.low + rng.randrange(most) * sizes.step, highest))


def _rest(rng: Random, rest: Rest) -> tuple[int, ...]:
    length = rng.randint(rest.min_rank, rest.max_rank)
    return tuple(rng.randrange(_LARGEST_REST) for _ in range(length))
