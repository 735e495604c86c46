"""Both contracts on one chip, and questions about all calls there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from qsfa_codegen.contract.calls import Call
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.review.solver.encode import Encoder
from qsfa_codegen.review.solver.legal import Rules, rules_of
from qsfa_codegen.review.solver.symbols import Symbols, UnsupportedError
from qsfa_codegen.review.units import Unit
from qsfa_codegen.spec.model import Chip, Presence, leaves

_TIMEOUT = 5000  # milliseconds for one question
_SHRINKING = 1500  # milliseconds for one step towards a smaller call
_STEPS = 20
_STRIDE = 1 << 10
_SEED = 1


class World:
    """Both contracts on one chip."""

    def __init__(self, pair: Pair, old: Chip, new: Chip) -> None:
        self._pair = pair
        self._chip = new
        self._symbols = Symbols()
        self._before = rules_of(Encoder(pair.before, old, self._symbols), pair.before, old)
        self._after = rules_of(Encoder(pair.after, new, self._symbols), pair.after, new)
        self._own = tuple(self._only_one_has())
        # A rule that cannot be told does not matter where both contracts have it word for word.
        self._untold = frozenset(
            id for id in self._before.untold | self._after.untold if not _same_rule(pair, id)
        )

    def ask(self, unit: Unit | None, *, narrower: bool, smallest: bool) -> Call | bool:
        """A call that tells the contracts apart, True when there is none, False when it is not known."""
        ours, theirs = (self._before, self._after) if narrower else (self._after, self._before)
        ids = _ids(theirs) if unit is None else unit.ids
        known = [term for id, term in ours.conditions if id in ids]
        changed = [
            term for id, term in theirs.conditions if id in ids and not any(z3.eq(term, k) for k in known)
        ]
        told = not ids & self._untold
        if not changed:
            return told
        legal = [term for _, term in ours.conditions]
        broken = z3.Not(z3.And(*changed))
        others = [term for id, term in theirs.conditions if id not in ids]
        # A call that breaks nothing else tells most; where there is none, any call will do.
        for wanted in ((broken, *others), (broken,)):
            answer, model = self._solved(*legal, *wanted)
            if answer == z3.sat:
                return self._smallest(model, *legal, *wanted) if smallest else self._call(model)
        return told and answer == z3.unsat

    def _solved(self, *conditions: Any, milliseconds: int = _TIMEOUT) -> tuple[Any, Any]:
        """Whether there is a call under all conditions, and one if there is."""
        solver = z3.Solver()
        solver.set("timeout", milliseconds)
        solver.set("random_seed", _SEED)
        solver.add(*self._symbols.domain(), *self._own, *conditions)
        answer = solver.check()
        return answer, solver.model() if answer == z3.sat else None

    def _smallest(self, model: Any, *conditions: Any) -> Call:
        """The smallest solution, as far as the solver finds out in a short time."""
        extent = self._symbols.extent(self._pair.after)
        low, high = 0, _number(model, extent)
        for _ in range(_STEPS):
            if low >= high:
                break
            # Large numbers are divided at once: small calls are likely, and quickly told.
            middle = min((low + high) // 2, low + _STRIDE)
            answer, found = self._solved(*conditions, extent <= middle, milliseconds=_SHRINKING)
            if answer == z3.sat:
                model, high = found, _number(found, extent)
            elif answer == z3.unsat:
                low = middle + 1
            else:
                break
        return self._call(model)

    def _call(self, model: Any) -> Call:
        return self._symbols.call(model, self._chip.id)

    def _only_one_has(self) -> Iterator[Any]:
        """What one version alone has is left out by callers of both, unless it must be given."""
        for param in (*self._pair.inputs.removed, *self._pair.inputs.added):
            if Presence.REQUIRED not in set(leaves(param.presence)):
                yield z3.Not(self._symbols.tensor(param).present)
        for attr in (*self._pair.attrs.removed, *self._pair.attrs.added):
            if attr.required or attr.default is None:
                continue
            encoder = Encoder(self._pair.after, self._chip, self._symbols)
            try:
                yield encoder.equals(attr, attr.default)
            except UnsupportedError:
                continue


def _ids(rules: Rules) -> frozenset[str]:
    return frozenset((*(id for id, _ in rules.conditions), *rules.untold))


def _same_rule(pair: Pair, id: str) -> bool:
    sides = []
    for operator in (pair.before, pair.after):
        checks = [check for check in operator.checks if check.id == id]
        sides.append([expr for check in checks for expr in (check.when, check.require)])
    return bool(sides[0]) and pair.same_meaning(sides[0], sides[1])


def _number(model: Any, term: Any) -> int:
    return int(model.eval(term, model_completion=True).as_long())
