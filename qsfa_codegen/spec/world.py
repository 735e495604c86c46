"""Evaluation over the declared domains instead of one call: what can be true of any legal call.

Names with a finite domain (enum and bool attributes, listed values, listed dims, presence of optional
inputs, dtypes) are enumerated; everything else is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from types import MappingProxyType
from typing import Any, NamedTuple

from qsfa_codegen.expr.evaluate import UNKNOWN, EvalError, Value, evaluate
from qsfa_codegen.expr.memo import once_an_operator
from qsfa_codegen.expr.nodes import Conditional, Expr, Logic, ParamQuery, Query, Ref, RefKind, Select, walk
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Attr, AttrType, CheckKind, Chip, Input, Operator, Presence, leaves
from qsfa_codegen.spec.paths import at_chip

Finite = tuple[Value, ...]
Point = Mapping["Leaf", Value]
ANYWHERE: Point = MappingProxyType({})
MAX_POINTS = 4096
MAX_JUDGEMENTS = 50_000
# Members of an enum are slow to look up, and these are looked up for every node that is evaluated.
_DIM, _PRESENT = RefKind.DIM, Query.PRESENT
_LETS = (RefKind.LET, RefKind.TILING_LET)


class Leaf(NamedTuple):
    """Something that a call decides: an attribute, a dim, or a fact about an input."""

    kind: RefKind | Query
    name: str


class World:
    """One chip of an operator; an evaluation environment at a point of the enumerated domains."""

    def __init__(self, operator: Operator, chip: Chip) -> None:
        self.chip = chip
        self.values: Mapping[str, Value] = {c.name: c.value for c in operator.consts}
        self._operator = operator
        self._lets = {n.name: n.value for n in operator.lets}
        if operator.tiling is not None:
            self._lets.update({n.name: n.value for n in operator.tiling.lets})
        self._dims = {d.name: d for d in operator.dims}
        self._attrs = {a.name: a for a in operator.attrs}
        self._fixed: dict[tuple[RefKind, str], Value] = {
            (RefKind.CHIP, "chip"): chip.id,
            (RefKind.ARCH, "arch"): chip.arch,
            **{(RefKind.CONST, c.name): c.value for c in operator.consts},
        }
        self._records = {r.name: r for r in operator.records}
        self._inputs = {i.name: i for i in operator.inputs}
        self._point: Mapping[Any, Value] = {}  # plain tuples find what stands at a leaf
        self._values: dict[str, Value | EvalError] = {}
        self._leaves: dict[tuple[RefKind, str], tuple[Leaf, ...]] = {}
        self._tests: dict[tuple[RefKind, str], tuple[Expr, ...]] = {}
        self._broken: dict[tuple[object, ...], frozenset[str]] = {}  # by point
        self._constraints = [c for c in operator.constraints if chip.id in c.chips]
        self._passed = {i.name for i in operator.inputs if i.presence is Presence.REQUIRED}
        presence = [c for c in operator.checks if c.kind is CheckKind.PRESENCE]
        self._presence = [c.require for c in presence if c.parameter not in self._passed]

    # ----------------------------------------------------------------- enumeration

    def points(self, exprs: Iterable[Expr], questions: int = 1, rules: bool = False) -> Iterator[Point]:
        """Every combination of values of what the expressions depend on, in a fixed order.

        With ``rules`` also of what decides whether a combination is legal. Domains that would make
        too many points are left unknown, the largest first: ``MAX_POINTS`` at most, fewer when there
        are many ``questions`` of the kind and many constraints to judge each point.
        """
        leaves = dict.fromkeys((*self.leaves(exprs), *(self._rule_leaves if rules else ())))
        axes = [(leaf, values) for leaf in leaves if (values := self._domain(leaf)) is not None]
        axes.sort(key=lambda axis: len(axis[1]))
        most = min(MAX_POINTS, MAX_JUDGEMENTS // (questions * (len(self._constraints) + 1)))
        kept, count = [], 1
        for leaf, values in axes:
            if count * max(len(values), 1) <= most:
                kept.append((leaf, values))
                count *= max(len(values), 1)
        for values in product(*(domain for _, domain in kept)):
            yield dict(zip((leaf for leaf, _ in kept), values, strict=True))

    def leaves(self, exprs: Iterable[Expr]) -> list[Leaf]:
        """What the expressions depend on, each once, in order of first use."""
        found: dict[Leaf, None] = {}
        for expr in exprs:
            for node in walk(expr):
                if isinstance(node, ParamQuery):
                    found[Leaf(node.query, node.param)] = None
                elif isinstance(node, Ref):
                    found.update(dict.fromkeys(self._leaves_behind(node)))
        return list(found)

    def _leaves_behind(self, node: Ref) -> tuple[Leaf, ...]:
        name = (node.kind, node.name)
        if name not in self._leaves:
            own = (Leaf(*name),) if node.kind in (RefKind.ATTR, RefKind.DIM) else ()
            self._leaves[name] = (*own, *self.leaves(self.behind(node)))
        return self._leaves[name]

    def case_tests(self, exprs: Iterable[Expr]) -> list[Expr]:
        """Everything that decides which part of the expressions is evaluated."""
        tests: dict[int, Expr] = {}
        for expr in exprs:
            for node in walk(expr):
                tests.update((id(test), test) for test in self._tests_at(node))
        return list(tests.values())

    def _tests_at(self, node: Expr) -> tuple[Expr, ...]:
        match node:
            case Select(selector=selector):
                return (selector,)
            case Conditional(test=test):
                return (test,)
            case Logic(operands=operands):
                return operands[:-1]
            case Ref():
                return self._tests_behind(node)
        return ()

    def _tests_behind(self, node: Ref) -> tuple[Expr, ...]:
        name = (node.kind, node.name)
        if name not in self._tests:
            self._tests[name] = tuple(self.case_tests(self.behind(node)))
        return self._tests[name]

    def behind(self, node: Ref) -> list[Expr]:
        """Expressions that a name stands for, here and on every other point."""
        match node.kind:
            case RefKind.LET | RefKind.TILING_LET:
                return [self._lets[node.name]]
            case RefKind.RECORD:
                return [self._records[node.name].elements]
            case RefKind.DIM:
                dim = self._dims[node.name]
                return [dim.value] if dim.derived is None else [dim.value, dim.derived]
            case _:
                return []

    def _domain(self, leaf: Leaf) -> Finite | None:
        match leaf.kind:
            case RefKind.ATTR:
                return attr_values(self._attrs[leaf.name], self.chip)
            case RefKind.DIM:
                values = self._dims[leaf.name].values
                return None if values is None else at_chip(values, self.chip)
            case Query.PRESENT:
                return _presence_values(self._inputs[leaf.name])
            case Query.DTYPE:
                return self._dtypes(self._inputs[leaf.name])
            case _:
                return None

    def _dtypes(self, param: Input) -> Finite | None:
        if param.dtype.column is None:
            return None if param.dtype.fixed is None else (param.dtype.fixed,)
        return tuple(dict.fromkeys(self._operator.dtypes.column(param.dtype.column, self.chip.id)))

    # ----------------------------------------------------------------- judging a point

    def move_to(self, point: Point) -> None:
        """Stand at ``point``: what is asked from now on is asked of it."""
        self._point = point
        self._values.clear()

    def possible(self, skip: str | None = None) -> bool:
        """Whether no rule of presence and no constraint (but ``skip``) is known to be broken here."""
        place = tuple(self._point.items())
        broken = self._broken.get(place)
        if broken is None:
            broken = self._broken[place] = frozenset(self._broken_here())
        return all(id == skip for id in broken)

    def _broken_here(self) -> Iterator[str]:
        """Ids of the constraints that are known to be broken; an empty one for rules of presence."""
        if any(self.known(require, True) is False for require in self._presence):
            yield ""
        for constraint in self._constraints:
            if self.known(constraint.when, True) is True and self.known(constraint.require, True) is False:
                yield constraint.id

    @cached_property
    def _rule_leaves(self) -> list[Leaf]:
        """What the constraints on this chip depend on, where they need attributes and presence alone."""
        exprs = [e for c in self._constraints for e in (c.when, c.require) if e is not None]
        return self.leaves(e for e in exprs if self._is_cheap(e))

    def _is_cheap(self, expr: Expr) -> bool:
        leaves = self.leaves([expr])
        return all(leaf.kind is RefKind.ATTR or leaf.kind is Query.PRESENT for leaf in leaves)

    def describe(self) -> str:
        """Where this world stands, for messages: the attributes that are fixed here."""
        parts = [f"{name} is {value}" for (kind, name), value in self._point.items() if kind is RefKind.ATTR]
        parts += [
            f"{name} is {'passed' if value else 'not passed'}"
            for (kind, name), value in self._point.items()
            if kind is _PRESENT and len(_presence_values(self._inputs[name])) > 1
        ]
        return " and ".join(sorted(parts)) or f"the chip is {self.chip.id}"

    def known(self, expr: Expr | None, default: Value) -> Value:
        """The value here, UNKNOWN where it has none; ``default`` for no expression."""
        if expr is None:
            return default
        try:
            return evaluate(expr, self)
        except EvalError:
            return UNKNOWN

    # ----------------------------------------------------------------- Env

    def ref(self, kind: RefKind, name: str) -> Value:
        """Value of a name."""
        if kind is _DIM:
            return self._dim(name)
        if kind in _LETS:
            return self._let(name)
        key = (kind, name)
        return self._fixed[key] if key in self._fixed else self._point.get(key, UNKNOWN)

    def _let(self, name: str) -> Value:
        """A derived value, worked out once a point."""
        if name not in self._values:
            try:
                self._values[name] = evaluate(self._lets[name], self)
            except EvalError as error:
                self._values[name] = error
        found = self._values[name]
        if isinstance(found, EvalError):
            raise found
        return found

    def _dim(self, name: str) -> Value:
        """What the point says; what ``is`` demands; otherwise unknown. Unbound where it does not exist."""
        dim = self._dims[name]
        evaluate(dim.value, self)
        found = self._point.get((_DIM, name), UNKNOWN)
        if found is UNKNOWN and dim.derived is not None:
            return evaluate(dim.derived, self)
        return found

    def query(self, query: Query, param: str, axis: int | None, tail: int = 0) -> Value:
        """What the point says of an input."""
        if query is _PRESENT and param in self._passed:
            return True
        return self._point.get((query, param), UNKNOWN)

    def contents(self, param: str) -> Sequence[int]:
        """Nothing is known of data."""
        return ()

    def call(self, function: str, args: tuple[Value, ...]) -> Value:
        """Sizes of packed rows where everything in them is known; nothing of the platform."""
        if not isinstance(args[0], str):
            return UNKNOWN
        if function == "elements":
            return evaluate(self._records[args[0]].elements, self)
        if function == "sizeof" and args[0] in DTYPES:
            return max(DTYPES[args[0]].bits // 8, 1)
        return UNKNOWN


@once_an_operator
def world_of(operator: Operator, chip: Chip) -> World:
    """The world of a chip, with what earlier questions found out."""
    return World(operator, chip)


@once_an_operator
def telling_chips(operator: Operator) -> tuple[Chip, ...]:
    """Chips that can differ from one another: one of each architecture, unless a rule names chips."""
    exprs = [e for c in operator.checks for e in (c.when, c.require) if e is not None]
    exprs += [let.value for let in operator.lets]
    named = any(isinstance(n, Ref) and n.kind is RefKind.CHIP for e in exprs for n in walk(e))
    return operator.chips if named else tuple({c.arch: c for c in operator.chips}.values())


def attr_values(attr: Attr, chip: Chip) -> Finite | None:
    """Every value that an attribute may have on a chip, where they are listed."""
    domain = None if attr.domain is None else at_chip(attr.domain, chip)
    if domain is not None and domain.values and not attr.lengths:
        return tuple(v.value for v in domain.values)
    return (False, True) if attr.type is AttrType.BOOL else None


def _presence_values(param: Input) -> Finite:
    return (True,) if set(leaves(param.presence)) == {Presence.REQUIRED} else (False, True)
