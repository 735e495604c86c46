"""Finding plans: legal ones, and ones that break a single rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product
from math import prod
from typing import NamedTuple

from qsfa_codegen.contract.calls import Call, InputArg
from qsfa_codegen.contract.env import CallEnv
from qsfa_codegen.contract.evaluate import Broken, Evaluator, Rule
from qsfa_codegen.contract.plan import Builder, Plan
from qsfa_codegen.contract.reads import ReadIndex, Reads
from qsfa_codegen.contract.tiling import FieldRule, Unfit
from qsfa_codegen.expr.limits import INT64_MAX, UINT32_MAX
from qsfa_codegen.expr.nodes import RefKind
from qsfa_codegen.expr.values import EvalError
from qsfa_codegen.spec.model import AttrScalar, AttrValue, Check, Chip, Presence, leaves

_SMALL = (1, 2, 4, 8, 16)
_LARGEST_NUMBER = 1 << 31
_ROUNDS = 8
_MOST_CASES = 500

Pinned = frozenset[str]


class Legal(NamedTuple):
    """A legal call, the plan it follows from, and its environment."""

    plan: Plan
    call: Call
    env: CallEnv


class Blocked(NamedTuple):
    """No legal call was found near a plan: this rule stays broken."""

    id: str


class Search:
    """Runs rules on calls that differ little, and moves plans until they are as wanted."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.operator = evaluator.operator
        self.index = ReadIndex(self.operator)
        self.builder = Builder(self.operator, evaluator.tables, self.index)
        self.reads = {id(rule.check): self.index.of_check(rule.check) for rule in evaluator.rules}
        self._rules = {id(rule.check): rule for rule in evaluator.rules}
        self._legal: dict[str, Call] = {}  # by chip, the last legal call that was found
        self._readers = self._find_readers()
        self.optional = tuple(
            i.name for i in self.operator.inputs if Presence.OPTIONAL in set(leaves(i.presence))
        )

        self.enums = tuple(a for a in self.operator.attrs if a.enum is not None)
        choosers = (attr for _, attr in self.operator.dtypes.select)
        self.pinned = frozenset((*(a.name for a in self.enums), *choosers))

    def _find_readers(self) -> dict[str, list[int]]:
        readers: dict[str, list[int]] = {}
        for number, rule in enumerate(self.evaluator.rules):
            reads = self.reads[id(rule.check)]
            for name in reads.attrs:
                readers.setdefault(f"attr {name}", []).append(number)
            for name in reads.inputs:
                readers.setdefault(f"input {name}", []).append(number)
        return readers

    # ------------------------------------------------------------------ rules

    def broken(self, call: Call, like: Call | None = None) -> list[Broken]:
        """The rules that ``call`` breaks; ``like`` is a legal call on the same chip that saves work."""
        env = self.env(call)
        rules = self.evaluator.rules if like is None else self._affected(call, like)
        return list(self.evaluator.broken(env, rules))

    def _affected(self, call: Call, like: Call) -> Sequence[Rule]:
        """The rules that read something in which the two calls differ, in order."""
        changed = [f"attr {name}" for name in _differing(call.attrs, like.attrs)]
        changed += [f"input {name}" for name in _differing(call.inputs, like.inputs)]
        numbers = set[int]().union(*(self._readers.get(name, ()) for name in changed))
        return [self.evaluator.rules[number] for number in sorted(numbers)]

    def applies(self, check: Check, legal: Legal) -> bool:
        """Whether the check says anything about a legal call."""
        when = self._rules[id(check)].when
        if when is None:
            return True
        try:
            return when(legal.env) is True
        except EvalError:
            return False

    def has_dim(self, name: str, legal: Legal) -> bool:
        """Whether the dim stands somewhere in a legal call."""
        try:
            legal.env.ref(RefKind.DIM, name)
        except EvalError:
            return False
        return True

    def env(self, call: Call) -> CallEnv:
        """The environment of a call on a chip that the operator supports."""
        chip = self.evaluator.chip(call.chip)
        assert chip is not None
        return self.evaluator.env(call, chip)[0]

    def would_fail(self, check: Check, plan: Plan) -> bool:
        """Whether a plan breaks the check, told without making the call."""
        try:
            return self._rules[id(check)].fails(self.builder.env(plan))
        except EvalError:
            return True

    def missing(self, call: Call) -> list[str]:
        """Attributes that the operator needs and ``call`` does not supply."""
        return [attr.name for attr in self.evaluator.bind(call).missing]

    def build(self, plan: Plan) -> Call | None:
        """The call of a plan; None when the plan has no call, such as a size that is not an integer."""
        try:
            return self.builder.call(plan)
        except EvalError:
            return None

    def arg(self, name: str, plan: Plan) -> InputArg | None:
        """What stands at an input that a plan passes; None where that has no value."""
        try:
            return self.builder.arg(self.builder.inputs[name], self.builder.env(plan))
        except EvalError:
            return None

    # ------------------------------------------------------------------ tiling

    def tiling_fields(self) -> tuple[FieldRule, ...]:
        """Every stored tiling field; none without tiling."""
        tiling = self.evaluator.tiling_rule
        return () if tiling is None else tiling.fields

    def overflow(self, field: FieldRule, legal: Legal) -> Call | None:
        """A call like ``legal`` whose only fault is that ``field`` cannot hold its value."""
        tiling = self.evaluator.tiling_rule
        if tiling is None or field.high is None:
            return None
        reads = self.index.of((field.value,))
        for plan in self._large(legal.plan, reads, field.high + 1):
            if not isinstance(field.store(self.builder.env(plan)), Unfit):
                continue
            call = self.build(plan)
            if call is None or self.broken(call, legal.call):
                continue
            found = tiling.run(self.env(call), plan.chip.arch)
            if isinstance(found, tuple) and len(found) == 1:
                return call
        return None

    def _large(self, plan: Plan, reads: Reads, least: int) -> Iterator[Plan]:
        """Plans in which one number that is read is as large as ``least``, or a part of it."""
        for name in self._in_order(reads.dims, (d.name for d in self.builder.free_dims), frozenset()):
            domain = self.builder.domain(name, plan)
            for wanted in (least, least >> 8):
                if wanted <= (size := domain.near(wanted)) <= INT64_MAX:
                    yield plan.with_dim(name, size)
        for name in sorted(reads.platform):
            for wanted in (least >> 16, least):
                if wanted <= UINT32_MAX:
                    yield plan._replace(platform={**plan.platform, name: wanted})

    # ------------------------------------------------------------------ legal plans

    def cases(self, plan: Plan) -> Iterator[tuple[tuple[AttrValue, ...], Plan]]:
        """The plan with every combination of enum values that the attributes accept one by one.

        Where they are too many, with every value beside the usual ones of the others.
        """
        domains = [self.builder.attr_domain(a.name, plan) for a in self.enums]
        pools = [tuple(domain.edges()) for domain in domains]
        few = prod(map(len, pools)) <= _MOST_CASES
        combined = product(*pools) if few else _one_by_one([d.usual for d in domains], pools)
        for values in combined:
            chosen = plan
            for attr, value in zip(self.enums, values, strict=True):
                chosen = chosen.with_attr(attr.name, value)
            yield values, chosen

    def solve(self, plan: Plan, pinned: Pinned) -> Legal | Blocked:
        """A legal plan near ``plan``, with the choices in ``pinned`` left as they are."""
        call = self.build(plan)
        broken = [] if call is None else self._broken_on(plan.chip, call)
        for _ in range(_ROUNDS):
            if call is not None and not broken:
                self._legal[plan.chip.id] = call
                return Legal(plan, call, self.env(call))
            if not broken:
                break
            step = self._best_move(plan, broken, pinned)
            if step is None:
                break
            plan, call, broken = step
        return Blocked((broken[0].check if broken else self.evaluator.rules[0].check).id)

    def _best_move(
        self, plan: Plan, broken: list[Broken], pinned: Pinned
    ) -> tuple[Plan, Call, list[Broken]] | None:
        best = None
        best_score = self._score(broken)
        for trial in self.moves(plan, self.reads[id(broken[0].check)], pinned):
            call = self.build(trial)
            if call is None:
                continue
            still = self._broken_on(plan.chip, call)
            score = self._score(still)
            if score < best_score:
                best, best_score = (trial, call, still), score
            if not still:
                break
        return best

    def _broken_on(self, chip: Chip, call: Call) -> list[Broken]:
        return self.broken(call, self._legal.get(chip.id))

    def _score(self, broken: list[Broken]) -> tuple[int, int]:
        """Fewer broken rules are better, and among as many, those that are checked later."""
        if not broken:
            return (0, 0)
        first = next(n for n, rule in enumerate(self.evaluator.rules) if rule.check is broken[0].check)
        return (len(broken), -first)

    # ------------------------------------------------------------------ moves

    def moves(self, plan: Plan, reads: Reads, pinned: Pinned = frozenset()) -> Iterator[Plan]:
        """Plans that differ from ``plan`` in one choice on which ``reads`` depends."""
        for name in self._in_order(reads.attrs, (a.name for a in self.operator.attrs), pinned):
            yield from self._attr_moves(plan, name, reads)
        for name in self._in_order(reads.dims, (d.name for d in self.builder.free_dims), pinned):
            domain = self.builder.domain(name, plan)
            numbers = self._numbers(plan, reads)
            for size in dict.fromkeys((*numbers, *(domain.near(n) for n in numbers))):
                if size in domain:
                    yield plan.with_dim(name, size)
        for name in self._in_order(reads.inputs.intersection(self.optional), self.builder.inputs, pinned):
            yield plan.with_passed(name, not plan.passed.get(name, False))
        for rest in self.operator.rests:
            if rest.name in reads.rests and rest.name not in pinned:
                for length in range(rest.min_rank, rest.max_rank + 1):
                    dims = tuple(range(2, 2 + length))
                    yield plan.with_rest(rest.name, dims)
                    if length:
                        yield plan.with_rest(rest.name, (0, *dims[1:]))

    def _in_order(self, wanted: Iterable[str], declared: Iterable[str], pinned: Pinned) -> Iterator[str]:
        names = frozenset(wanted) - pinned
        return (name for name in declared if name in names)

    def _numbers(self, plan: Plan, reads: Reads) -> list[int]:
        """Numbers that may satisfy a rule: those in it, their neighbours, chosen sizes, small ones."""
        named = [n for n in sorted(reads.numbers) if 0 < n < _LARGEST_NUMBER]
        products = [a * b for a, b in combinations(named, 2) if a * b < _LARGEST_NUMBER]
        beside = [n + step for n in (*named, *products) for step in (-1, 1)]
        return list(dict.fromkeys([*named, *plan.dims.values(), *_SMALL, *beside, *products, 0]))

    def _attr_moves(self, plan: Plan, name: str, reads: Reads) -> Iterator[Plan]:
        domain = self.builder.attr_domain(name, plan)
        current = plan.attrs.get(name, domain.usual)
        values: Iterable[AttrValue] = domain.edges()
        if isinstance(current, tuple):
            values = [*values, *self._list_moves(current, plan, reads)]
        elif isinstance(current, int) and not isinstance(current, bool):
            values = [*values, *self._numbers(plan, reads)]
        for value in dict.fromkeys(values):
            if value != current and domain.accepts(value):
                yield plan.with_attr(name, value)

    def _list_moves(
        self, current: tuple[object, ...], plan: Plan, reads: Reads
    ) -> Iterator[tuple[AttrScalar, ...]]:
        """The list with one element changed."""
        items = [item for item in current if isinstance(item, int | float | str)]
        for index, item in enumerate(items):
            others: Iterable[AttrScalar] = (
                [not item] if isinstance(item, bool) else self._numbers(plan, reads)
            )
            if isinstance(item, str):
                continue
            for other in others:
                yield (*items[:index], other, *items[index + 1 :])


def _one_by_one(
    usual: Sequence[AttrValue | None], pools: Sequence[tuple[AttrValue, ...]]
) -> Iterator[tuple[AttrValue, ...]]:
    """Each value of each pool beside the usual values of the others; each combination once."""
    first = tuple(value if value in pool else pool[0] for value, pool in zip(usual, pools, strict=True))
    changed = (
        (*first[:index], value, *first[index + 1 :]) for index, pool in enumerate(pools) for value in pool
    )
    yield from dict.fromkeys((first, *changed))


def _differing(left: object, right: object) -> list[str]:
    assert isinstance(left, dict)
    assert isinstance(right, dict)
    names = {**left, **right}
    return [name for name in names if (a := left.get(name)) is not (b := right.get(name)) and a != b]
