"""Calls whose int64 facts lie in known ranges, and those ranges."""

from __future__ import annotations

from random import Random

from qsfa_codegen.expr.bounds import Interval
from qsfa_codegen.expr.nodes import Expr, ParamQuery, Query, Ref, RefKind, Subscript
from tests.expr.trees import call
from tests.expr.world import World

LIMITS = {"A": Interval(0, 1000), "B": Interval(1, 64), "C": Interval(-50, 50)}
AXIS = Interval(1, 16)
ELEMENT = Interval(-3, 12)


def narrow(expr: Expr) -> Interval | None:
    """The ranges of facts that ``inside`` keeps to; the other axis is left open."""
    match expr:
        case Ref(kind=RefKind.DIM, name=name):
            return LIMITS[name]
        case ParamQuery(query=Query.DIM, axis=0):
            return AXIS
        case Subscript():
            return ELEMENT
    return None


def wide(expr: Expr) -> Interval | None:
    """Nothing known."""
    return None


def inside(random: Random) -> World:
    """A call whose values lie where ``narrow`` says."""
    world = call(random, lambda: random.randint(ELEMENT.low, ELEMENT.high))
    names = {name: _somewhere(random, limits) for name, limits in LIMITS.items()}
    facts = dict(world.facts)
    facts[Query.DIM, "x", 0] = _somewhere(random, AXIS)
    return World({**world.names, **names}, facts)


def _somewhere(random: Random, limits: Interval) -> int:
    ends = (limits.low, limits.high)
    return random.choice((*ends, random.randint(*ends), random.randint(*ends)))
