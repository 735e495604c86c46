"""The calls that were derived so far, each under a name of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call, Result
from qsfa_codegen.contract.expected import facts_of
from qsfa_codegen.contract.plan import Plan
from qsfa_codegen.contract.search import Blocked, Legal, Search
from qsfa_codegen.spec.model import Check, Chip

OK: Mapping[str, object] = {"status": "ok"}
"""What is asked of a call that is legal; the call that is kept says what comes out of it, too."""


def rejected(id: str) -> Mapping[str, object]:
    """What is expected of a call that breaks one rule."""
    return {"status": "rejected", "violations": [{"constraint": id}]}


class Unbroken(NamedTuple):
    """A rule for which no call was found, on any chip, that breaks it alone."""

    id: str
    reason: str


class Base(NamedTuple):
    """A legal call of one dtype row and one combination of enum values, and a name for the latter."""

    case: str
    legal: Legal


class Kept:
    """Calls in the order in which they were found.

    ``pool`` are the legal calls of the chip at hand: later they serve to be broken. ``results`` has what
    comes out of each legal call, and ``breaks`` the check that a call breaks where it was made for it.
    """

    def __init__(self, search: Search) -> None:
        self._search = search
        self._evaluator = search.evaluator
        tiling = search.operator.tiling
        self._answers = tiling is None or not tiling.externs  # whether the evaluator has every answer
        # Whether a call that is legal on a chip is legal on its twin, too, without a look at the rules.
        self._legal_on_twins = not any(reads.platform for reads in search.reads.values())
        self._calls: dict[str, Call] = {}
        self._keys: set[object] = set()
        self._common: dict[str, list[tuple[str, Call]]] = {}  # chip → what holds for its twins too
        self.pool: list[Base] = []
        self.results: dict[str, Result] = {}
        self.breaks: dict[str, Check] = {}

    @property
    def calls(self) -> tuple[Call, ...]:
        """Everything that was kept."""
        return tuple(self._calls.values())

    def legal(self, plan: Plan, pinned: Iterable[str], case: str, *name: str) -> Base | Blocked:
        """Keep the legal call nearest to a plan, with the choices in ``pinned`` left as they are."""
        found = self._search.solve(plan, frozenset(pinned) | self._search.pinned)
        if isinstance(found, Blocked):
            return found
        base = Base(case, found)
        key = (plan.chip.id, *found.call.inputs.items(), *found.call.attrs.items())
        if key in self._keys:  # another choice led to the same call
            return base
        result = self._evaluator.answered(found.call, plan.chip, found.env)
        expect = self._expected(result)
        if isinstance(expect, str):
            return Blocked(expect)
        self._keys.add(key)
        kept = self._add(found.call, expect, plan.chip.id, "ok", *name, common=True)
        self.results[kept.id] = result
        self.pool.append(base)
        return base

    def keep(
        self, call: Call, expect: Mapping[str, object], chip: str, *name: str, common: bool = False
    ) -> None:
        """Keep a call under a name that no other one has; ``common``: it holds for twins of the chip.

        A call that is expected to be legal and has no outputs or no tiling, because a number leaves its
        range, is not kept.
        """
        if expect.get("status") != "ok":
            self._add(call, expect, chip, *name, common=common)
            return
        self._keep_legal(call, self._evaluator.evaluate(call), chip, *name, common=common)

    def _keep_legal(self, call: Call, result: Result, chip: str, *name: str, common: bool = False) -> None:
        full = self._expected(result)
        if not isinstance(full, str):
            kept = self._add(call, full, chip, *name, common=common)
            self.results[kept.id] = result

    def _expected(self, result: Result) -> Mapping[str, object] | str:
        """All that is expected of a legal call; the id of a rule that it breaks after all."""
        if result.ok:
            return {"status": "ok", **facts_of(result)}
        return result.violations[0].constraint if self._answers else OK

    def _add(self, call: Call, expect: Mapping[str, object], chip: str, *name: str, common: bool) -> Call:
        wanted = "_".join(part.lower() for part in (chip, *name) if part)
        id, number = wanted, 1
        while id in self._calls:
            number += 1
            id = f"{wanted}_{number}"
        kept = self._calls[id] = call.named(id, expect)
        if common:
            self._common.setdefault(chip, []).append((id[len(chip) + 1 :], kept))
        return kept

    def keep_broken(self, call: Call, id: str, *name: str) -> None:
        """Keep a call whose only fault is that it breaks the rule ``id``."""
        self.keep(call, rejected(id), call.chip, "breaks", id, *name)

    def keep_breaking(self, call: Call, check: Check, *name: str, common: bool) -> None:
        """Keep a call that breaks the check alone."""
        kept = self._add(call, rejected(check.id), call.chip, "breaks", check.id, *name, common=common)
        self.breaks[kept.id] = check

    def copy(self, twin: Chip, chip: Chip) -> None:
        """Keep for a chip what was kept for its twin."""
        for name, call in self._common.get(twin.id, ()):
            copied = replace(call, chip=chip.id)
            check = self.breaks.get(call.id)
            if check is None and self._legal_on_twins:
                result = self._evaluator.answered(copied, chip, self._search.env(copied))
                self._keep_legal(copied, result, chip.id, name)
            elif check is None:
                self.keep(copied, call.expect or OK, chip.id, name)
            else:
                self.breaks[self._add(copied, rejected(check.id), chip.id, name, common=False).id] = check
