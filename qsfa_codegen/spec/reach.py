"""Which combinations of tiling-key arguments legal calls can reach, by enumeration of declared domains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from qsfa_codegen.expr.evaluate import UNKNOWN, EvalError, Value, evaluate
from qsfa_codegen.expr.nodes import Expr, Query, Ref, RefKind, walk
from qsfa_codegen.spec.model import Attr, AttrType, Chip, KeyArg, Operator
from qsfa_codegen.spec.paths import at_chip

Finite = tuple[Value, ...]


def reachable_keys(operator: Operator) -> tuple[tuple[int, ...], ...]:
    """Code of each key argument, for every reachable combination, in declaration order of the codes."""
    tiling = operator.tiling
    if tiling is None or tiling.key is None:
        return ()
    args = tiling.key.args
    found: set[tuple[int, ...]] = set()
    for chip in operator.chips:
        world = _World(operator, chip)
        axes = world.axes([arg.value for arg in args])
        for values in product(*(domain for _, domain in axes)):
            world.assign(dict(zip((name for name, _ in axes), values, strict=True)))
            if world.possible():
                found.update(product(*(world.codes(arg) for arg in args)))
    return tuple(sorted(found, key=lambda combination: _declared_order(args, combination)))


def _declared_order(args: Sequence[KeyArg], combination: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(
        arg.declared.index(code) if code in arg.declared else len(arg.declared)
        for arg, code in zip(args, combination, strict=True)
    )


class _World:
    """An evaluation environment in which only enumerated names are known."""

    def __init__(self, operator: Operator, chip: Chip) -> None:
        self._operator = operator
        self._chip = chip
        self._lets = {n.name: n.value for n in operator.lets}
        if operator.tiling is not None:
            self._lets.update({n.name: n.value for n in operator.tiling.lets})
        self._dims = {d.name: d for d in operator.dims}
        self._attrs = {a.name: a for a in operator.attrs}
        self._consts = {c.name: c.value for c in operator.consts}
        self._values: dict[str, Value] = {}

    def axes(self, exprs: Sequence[Expr]) -> list[tuple[str, Finite]]:
        """Names with a finite domain that the expressions depend on, with their values."""
        found: dict[str, Finite] = {}
        for name in self._leaves(exprs):
            domain = self._domain(name)
            if domain is not None:
                found[name] = domain
        return list(found.items())

    def _leaves(self, exprs: Sequence[Expr]) -> Iterator[str]:
        pending = list(exprs)
        seen: set[str] = set()
        while pending:
            for node in walk(pending.pop()):
                if not isinstance(node, Ref) or node.name in seen:
                    continue
                seen.add(node.name)
                if node.kind in (RefKind.LET, RefKind.TILING_LET):
                    pending.append(self._lets[node.name])
                elif node.kind is RefKind.DIM:
                    pending.extend(e for e in (self._dims[node.name].derived,) if e is not None)
                    yield node.name
                elif node.kind is RefKind.ATTR:
                    yield node.name

    def _domain(self, name: str) -> Finite | None:
        if name in self._attrs:
            return _attr_values(self._attrs[name], self._chip)
        values = self._dims[name].values
        return None if values is None else at_chip(values, self._chip)

    def assign(self, values: dict[str, Value]) -> None:
        """Take these values for this round."""
        self._values = values

    def possible(self) -> bool:
        """Whether no constraint is known to be broken."""
        return not any(
            self._known(c.when, True) is True and self._known(c.require, True) is False
            for c in self._operator.constraints
            if self._chip.id in c.chips
        )

    def codes(self, arg: KeyArg) -> tuple[int, ...]:
        """Codes that the argument can have; every declared one when it is not known."""
        value = self._known(arg.value, UNKNOWN)
        if value is UNKNOWN:
            return arg.declared
        if isinstance(value, str):
            enums = {e.name: e for e in self._operator.enums}
            return (enums[arg.enum or ""].label(value).code,)
        return (int(value),) if isinstance(value, int) else arg.declared

    def _known(self, expr: Expr | None, default: Value) -> Value:
        if expr is None:
            return default
        try:
            return evaluate(expr, self)
        except EvalError:
            return UNKNOWN

    # ----------------------------------------------------------------- Env

    def ref(self, kind: RefKind, name: str) -> Value:
        """Value of a name."""
        match kind:
            case RefKind.CHIP:
                return self._chip.id
            case RefKind.ARCH:
                return self._chip.arch
            case RefKind.CONST:
                return self._consts[name]
            case RefKind.LET | RefKind.TILING_LET:
                return evaluate(self._lets[name], self)
            case RefKind.DIM:
                derived = self._dims[name].derived
                if name not in self._values and derived is not None:
                    return evaluate(derived, self)
                return self._values.get(name, UNKNOWN)
            case _:
                return self._values.get(name, UNKNOWN)

    def query(self, query: Query, param: str, axis: int | None, tail: int = 0) -> Value:
        """Nothing is known of inputs."""
        return UNKNOWN

    def contents(self, param: str) -> Sequence[int]:
        """Nothing is known of data."""
        return ()

    def call(self, function: str, args: tuple[Value, ...]) -> Value:
        """Nothing is known of platform functions."""
        return UNKNOWN


def _attr_values(attr: Attr, chip: Chip) -> Finite | None:
    domain = None if attr.domain is None else at_chip(attr.domain, chip)
    if domain is not None and domain.values:
        return tuple(v.value for v in domain.values)
    return (False, True) if attr.type is AttrType.BOOL else None
