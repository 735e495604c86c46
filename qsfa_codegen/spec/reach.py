"""Which combinations of tiling-key arguments legal calls can reach, by enumeration of declared domains."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from qsfa_codegen.expr.evaluate import UNKNOWN
from qsfa_codegen.spec.model import KeyArg, Operator
from qsfa_codegen.spec.world import World, telling_chips, world_of

MAX_KEYS = 4096


def reachable_keys(operator: Operator) -> tuple[tuple[int, ...], ...] | None:
    """Code of each key argument, for every reachable combination, in declaration order of the codes.

    None when there are more than ``MAX_KEYS``.
    """
    tiling = operator.tiling
    if tiling is None or tiling.key is None:
        return ()
    args = tiling.key.args
    found: set[tuple[int, ...]] = set()
    for chip in telling_chips(operator):
        world = world_of(operator, chip)
        for point in world.points(arg.value for arg in args):
            world.move_to(point)
            if world.possible():
                codes = [_codes(operator, world, arg) for arg in args]
                if prod(map(len, codes)) > MAX_KEYS:
                    return None
                found.update(product(*codes))
                if len(found) > MAX_KEYS:
                    return None
    return tuple(sorted(found, key=lambda combination: _declared_order(args, combination)))


def _declared_order(args: Sequence[KeyArg], combination: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(
        arg.declared.index(code) if code in arg.declared else len(arg.declared)
        for arg, code in zip(args, combination, strict=True)
    )


def _codes(operator: Operator, world: World, arg: KeyArg) -> tuple[int, ...]:
    """Codes that the argument can have here; every declared one when that cannot be told."""
    value = world.known(arg.value, UNKNOWN)
    if isinstance(value, str):
        enum = next(e for e in operator.enums if e.name == arg.enum)
        return next(((label.code,) for label in enum.labels if label.name == value), arg.declared)
    return (int(value),) if isinstance(value, int) else arg.declared
