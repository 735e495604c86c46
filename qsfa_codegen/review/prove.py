"""Two contracts compared for all calls, with the solver z3 (the extra ``prove``).

A legal call keeps every rule, has a value for each output, and fits into the tiling structs. Asked is
for a call that one contract takes and that breaks a changed rule of the other: where the solver says
that there is none, there is none.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call
from qsfa_codegen.expr.floats import single_precision
from qsfa_codegen.review.calls import Both, Translator
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.review.units import Unit
from qsfa_codegen.spec.model import AttrValue, Operator

if TYPE_CHECKING:
    from qsfa_codegen.review.solver.world import World


def available() -> bool:
    """Whether the solver is installed."""
    return find_spec("z3") is not None


class Direction(NamedTuple):
    """What is known of calls that only one contract takes: one of them, or that there is none.

    Neither: the solver did not find out.
    """

    call: Both | None = None
    none: bool = False

    def known(self, found: object) -> bool:
        """Whether the question is answered, be it by a call that was ``found`` otherwise."""
        return self.none or self.call is not None or found is not None


class Answer(NamedTuple):
    """Calls that are newly rejected, and calls that are newly accepted."""

    narrower: Direction
    wider: Direction


class Prover:
    """Asks the solver about one pair of operators; what both have in common is worked out once.

    With ``smallest`` a call that is found for a group of rules is a small one.
    """

    def __init__(self, pair: Pair, *, smallest: bool = True) -> None:
        self._pair = pair
        self._shrinks = smallest
        self._translator = Translator(pair)
        self._worlds: list[World] | None = None

    def compare(self, unit: Unit | None) -> Answer:
        """What the change of one group of rules (None: of all) means, on every chip of both."""
        return Answer(self._ask(unit, narrower=True), self._ask(unit, narrower=False))

    def _ask(self, unit: Unit | None, *, narrower: bool) -> Direction:
        none = True
        for world in self._all_worlds():
            found = world.ask(unit, narrower=narrower, smallest=self._shrinks and unit is not None)
            if isinstance(found, Call):
                both = self._translated(world, found, narrower=narrower)
                if both is not None:
                    return Direction(call=both)
                none = False
            elif not found:
                none = False
        return Direction(none=none)

    def _translated(self, world: World, call: Call, *, narrower: bool) -> Both | None:
        operator = self._pair.before if narrower else self._pair.after
        written = _written(operator, call)
        return self._translator.of_before(written) if narrower else self._translator.of_after(written)

    def _all_worlds(self) -> list[World]:
        """A world for each chip of both of which something else is true than of the others."""
        if self._worlds is None:
            from qsfa_codegen.review.solver.world import World

            self._worlds = []
            seen: list[object] = []
            for (old, new), meanings in zip(self._pair.chips, self._pair.meanings, strict=True):
                operators = (self._pair.before, self._pair.after)
                exprs = [[e for c in o.checks for e in (c.when, c.require)] for o in operators]
                facts = tuple(m.of(e) for m, e in zip(meanings, exprs, strict=True))
                told = (facts, *(replace(chip, id="", soc="", product=None) for chip in (old, new)))
                if told not in seen:
                    seen.append(told)
                    self._worlds.append(World(self._pair, old, new))
        return self._worlds


def _as_passed(default: AttrValue | None) -> AttrValue | None:
    """A default as the host gets it: floats have 32 bits."""
    return single_precision(default) if isinstance(default, float) else default


def _written(operator: Operator, call: Call) -> Call:
    """The call as a caller writes it: of this operator's parameters, without what is the default."""
    inputs = {i.name: call.inputs[i.name] for i in operator.inputs if i.name in call.inputs}
    attrs = {
        a.name: call.attrs[a.name]
        for a in operator.attrs
        if a.name in call.attrs and (a.required or call.attrs[a.name] != _as_passed(a.default))
    }
    return replace(call, inputs=inputs, attrs=attrs)
