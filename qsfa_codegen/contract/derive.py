"""Calls that a spec implies: legal ones, their edges, and for each rule a call that breaks it alone.

What is expected of a call follows from how it was made (a legal choice, or the rule that was broken
on purpose), and the evaluator confirms it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from qsfa_codegen.contract.breaking import Breaker, may_tell
from qsfa_codegen.contract.calls import Call, Result
from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.contract.kept import Base, Kept, Unbroken
from qsfa_codegen.contract.legal import LegalCalls, Unreached
from qsfa_codegen.contract.search import Legal, Search
from qsfa_codegen.contract.single import SingleCalls
from qsfa_codegen.expr.nodes import Ref, RefKind, walk
from qsfa_codegen.spec.model import Check, CheckKind, Chip, Operator

_BASES_TRIED = 8
_BASES_TRIED_FOR_CONSTRAINT = 3


class Derivation(NamedTuple):
    """The calls in a fixed order, what could not be derived, and what is known of calls by their id.

    ``results`` has the result of each legal call, ``breaks`` the one check that a call was made to break.
    """

    calls: tuple[Call, ...]
    unbroken: tuple[Unbroken, ...]
    unreached: tuple[Unreached, ...]
    results: Mapping[str, Result]
    breaks: Mapping[str, Check]


def derive(operator: Operator, evaluator: Evaluator | None = None) -> Derivation:
    """Every call that the spec of ``operator`` implies. Same operator, same calls, same ids."""
    return Deriver(evaluator or Evaluator(operator)).run()


class Deriver:
    """Derives the calls of one operator."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = self._evaluator = evaluator
        self._operator = evaluator.operator
        self._search = Search(evaluator)
        self._breaker = Breaker(self._search)
        self._kept = Kept(self._search)
        self._legal = LegalCalls(self._search, self._kept)
        self._single = SingleCalls(self._search, self._kept)
        self._attempts: dict[int, int] = {}  # check → legal calls that were changed
        self._done: set[int] = set()  # checks that some call breaks alone

    def first_legal(self) -> list[tuple[Call, Result]]:
        """The legal calls that come first, with their results: far from all, and soon found."""
        self._legal.rows(self._operator.chips[0])
        results = self._kept.results
        return [(call, results[call.id]) for call in self._kept.calls if call.id in results]

    def run(self) -> Derivation:
        """Derive everything. To be called once."""
        for chip in self._operator.chips:
            twin = self._twin(chip)
            if twin is None:
                self._derive(chip, first=chip is self._operator.chips[0])
            else:
                self._copy(twin, chip)
        kept = self._kept
        unreached = tuple(self._legal.unreached)
        return Derivation(kept.calls, self._never_broken(), unreached, kept.results, kept.breaks)

    def _twin(self, chip: Chip) -> Chip | None:
        """An earlier chip of which the same is true, as far as any rule can tell."""
        if any(_names_chips(rule.check) for rule in self._evaluator.rules):
            return None
        matrix = self._operator.dtypes
        alike = {c.id: (c.arch, [row.dtypes for row in matrix.rows_of(c.id)]) for c in self._operator.chips}
        twin = next(c for c in self._operator.chips if alike[c.id] == alike[chip.id])
        return None if twin is chip else twin

    def _copy(self, twin: Chip, chip: Chip) -> None:
        self._kept.copy(twin, chip)
        unreached = self._legal.unreached
        unreached.extend([u._replace(chip=chip.id) for u in unreached if u.chip == twin.id])

    def _derive(self, chip: Chip, *, first: bool) -> None:
        bases = self._legal.find(chip)
        if not self._kept.pool:
            return
        self._breaks(each_case=first)
        if first:
            self._single.find(bases)

    def _never_broken(self) -> tuple[Unbroken, ...]:
        checks = (rule.check for rule in self._evaluator.rules if id(rule.check) not in self._done)
        found = [Unbroken(check.id, _vain(self._attempts.get(id(check), 0))) for check in checks]
        return tuple(dict.fromkeys((*found, *self._single.unbroken)))

    # ------------------------------------------------------------------ broken calls

    def _breaks(self, *, each_case: bool) -> None:
        """For every check a call that breaks it alone; with ``each_case`` in every case it depends on."""
        enums = frozenset(a.name for a in self._search.enums)
        for rule in self._evaluator.rules:
            check = rule.check
            depends = each_case and check.kind is not CheckKind.ATTR
            depends = depends and bool(self._search.reads[id(check)].attrs & enums)
            most = _BASES_TRIED_FOR_CONSTRAINT if check.kind is CheckKind.CONSTRAINT else _BASES_TRIED
            done: set[str] = set()  # cases; once there is one, every other case is tried once
            tried = 0
            broken = False
            for base in self._applying(check):
                if broken and base.case in done:
                    continue
                if tried == most or (broken and not depends):
                    break
                tried += 1
                alone = self._break(check, base, first=not broken)
                broken = broken or alone
                if broken:
                    done.add(base.case)
            if broken:
                self._done.add(id(check))
            self._attempts[id(check)] = self._attempts.get(id(check), 0) + tried

    def _applying(self, check: Check) -> Iterator[Base]:
        """Legal calls to which the check applies; where there is none, one that is changed until it does."""
        found = False
        for base in self._kept.pool:
            if self._search.applies(check, base.legal):
                found = True
                yield base
        if found:
            return
        reads = self._search.index.of((check.when,))
        for plan in self._search.moves(self._kept.pool[0].legal.plan, reads):
            legal = self._search.solve(plan, reads.attrs)
            if isinstance(legal, Legal) and self._search.applies(check, legal):
                yield Base("", legal)
                return

    def _break(self, check: Check, base: Base, *, first: bool) -> bool:
        """Keep a call that breaks the check alone, and the first time every telling one."""
        done: list[Call] = []
        several = first and may_tell(check)
        for edit in self._breaker.edits(check, base.legal):
            if done and (edit.call in done or not edit.telling):
                continue
            broken = self._search.broken(edit.call, base.legal.call)
            if [b.check for b in broken] == [check]:
                case = base.case if check.kind is not CheckKind.ATTR else ""
                self._kept.keep_breaking(edit.call, check, edit.label, case, common=first)
                done.append(edit.call)
                if not several:
                    break
        return bool(done)


def _names_chips(check: Check) -> bool:
    exprs = (check.require,) if check.when is None else (check.when, check.require)
    return any(isinstance(n, Ref) and n.kind is RefKind.CHIP for expr in exprs for n in walk(expr))


def _vain(tried: int) -> str:
    if not tried:
        return "no legal call was found to which it applies"
    return f"{tried} legal calls were changed, and each change broke nothing or other rules too"
