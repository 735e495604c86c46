"""Calls around a rule that changed: there most likely is one that two contracts treat differently."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import islice

from qsfa_codegen.contract.breaking import Breaker
from qsfa_codegen.contract.calls import Call
from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.contract.plan import Plan
from qsfa_codegen.contract.reads import Reads
from qsfa_codegen.contract.search import Legal, Search
from qsfa_codegen.review.calls import Both, Translator, reshaped
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.review.units import Unit
from qsfa_codegen.spec.model import Check

_BASES = 40  # legal calls that are changed, for one rule
_MOVES = 250  # changes of one legal call


class Trials:
    """Changes legal calls of both contracts in what a group of rules reads."""

    def __init__(self, pair: Pair, old: Evaluator, new: Evaluator, translator: Translator) -> None:
        self._pair = pair
        self._old = old
        self._new = new
        self._translator = translator

    @cached_property
    def _searches(self) -> tuple[tuple[Search, Callable[[Call], Both | None], tuple[Legal, ...]], ...]:
        found = []
        for evaluator, translate in (
            (self._old, self._translator.of_before),
            (self._new, self._translator.of_after),
        ):
            search = Search(evaluator)
            found.append((search, translate, tuple(self._bases(search))))
        return tuple(found)

    def _bases(self, search: Search) -> Iterator[Legal]:
        """A legal call for each dtype row and combination of enum values on chips of both."""
        operator = search.operator
        for _, known in self._pair.chips:
            chip = search.evaluator.chip(known.id)
            assert chip is not None
            for row in operator.dtypes.rows_of(chip.id) if operator.dtypes.rows else (None,):
                for _, plan in search.cases(Plan(chip, () if row is None else row.dtypes)):
                    legal = search.solve(plan, search.pinned)
                    if isinstance(legal, Legal):
                        yield legal

    def around(self, unit: Unit) -> Iterator[Both]:
        """Legal calls of either contract, changed so that the unit may treat them otherwise."""
        for search, translate, bases in self._searches:
            breaker = Breaker(search)
            checks = unit.before if search.evaluator is self._old else unit.after
            for legal in islice(self._with_parameter(unit, search, bases), _BASES):
                for call in self._trials(unit, checks, search, breaker, legal):
                    both = translate(call)
                    if both is not None and self._fails(self._old, unit, both.before) != self._fails(
                        self._new, unit, both.after
                    ):
                        yield both

    def _with_parameter(self, unit: Unit, search: Search, bases: Iterable[Legal]) -> Iterator[Legal]:
        """The bases; where they leave out what the unit is about, with that."""
        name = unit.parameter
        for legal in bases:
            if name not in search.optional or name in legal.call.inputs:
                yield legal
                continue
            passing = search.solve(legal.plan.with_passed(name, True), search.pinned | {name})
            yield passing if isinstance(passing, Legal) else legal

    def _trials(
        self, unit: Unit, checks: Iterable[Check], search: Search, breaker: Breaker, legal: Legal
    ) -> Iterator[Call]:
        for plan in islice(search.moves(legal.plan, self._reads(unit)), _MOVES):
            call = search.build(plan)
            if call is not None:
                yield call
        for check in checks:
            yield from (edit.call for edit in breaker.edits(check, legal))
        yield from reshaped(legal.call, unit.parameter)

    def _fails(self, evaluator: Evaluator, unit: Unit, call: Call) -> bool:
        """Whether a call breaks a rule of the unit, other rules left aside."""
        chip = evaluator.chip(call.chip)
        assert chip is not None
        rules = [rule for rule in evaluator.rules if rule.check.id in unit.ids]
        return any(True for _ in evaluator.broken(evaluator.env(call, chip)[0], rules))

    def _reads(self, unit: Unit) -> Reads:
        old, new = (search.index for search, _, _ in self._searches)
        reads = [old.of_check(check) for check in unit.before] + [new.of_check(check) for check in unit.after]
        found = reads[0]
        for more in reads[1:]:
            found |= more
        return found
