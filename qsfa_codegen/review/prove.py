"""Two contracts compared for all calls, with the solver z3 (the extra ``prove``).

A legal call keeps every rule, has a value for each output, and fits into the tiling structs. Asked is
for a call that one contract takes and that breaks a changed rule of the other: where the solver says
that there is none, there is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call
from qsfa_codegen.review.calls import Both, Translator
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.review.units import Unit
from qsfa_codegen.spec.model import Check, Chip, DtypeRef, Operator, Output, Presence, Shape, Table, leaves

if TYPE_CHECKING:
    from qsfa_codegen.expr.nodes import Expr
    from qsfa_codegen.review.encode import Encoder

_TIMEOUT = 5000  # milliseconds for one question
_SHRINKING = 1500  # milliseconds for one step towards a smaller call
_STEPS = 20
_STEP = 1024
_SEED = 1


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
        self._worlds: list[_World] | None = None

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

    def _translated(self, world: _World, call: Call, *, narrower: bool) -> Both | None:
        operator = self._pair.before if narrower else self._pair.after
        written = _written(operator, call)
        return self._translator.of_before(written) if narrower else self._translator.of_after(written)

    def _all_worlds(self) -> list[_World]:
        """A world for each chip of both of which something else is true than of the others."""
        if self._worlds is None:
            self._worlds = []
            seen: list[object] = []
            for (old, new), meanings in zip(self._pair.chips, self._pair.meanings, strict=True):
                operators = (self._pair.before, self._pair.after)
                exprs = [[e for c in o.checks for e in (c.when, c.require)] for o in operators]
                facts = tuple(m.of(e) for m, e in zip(meanings, exprs, strict=True))
                told = (facts, *(replace(chip, id="", soc="", product=None) for chip in (old, new)))
                if told not in seen:
                    seen.append(told)
                    self._worlds.append(_World(self._pair, old, new))
        return self._worlds


def _written(operator: Operator, call: Call) -> Call:
    """The call as a caller writes it: of this operator's parameters, without what is the default."""
    inputs = {i.name: call.inputs[i.name] for i in operator.inputs if i.name in call.inputs}
    attrs = {
        a.name: call.attrs[a.name]
        for a in operator.attrs
        if a.name in call.attrs and (a.required or call.attrs[a.name] != a.default)
    }
    return replace(call, inputs=inputs, attrs=attrs)


class _Rules(NamedTuple):
    """What makes a call legal: conditions by the id of their rule, and rules that cannot be told."""

    conditions: tuple[tuple[str, Any], ...]
    untold: frozenset[str]


class _World:
    """Both contracts on one chip."""

    def __init__(self, pair: Pair, old: Chip, new: Chip) -> None:
        from qsfa_codegen.review.encode import Encoder
        from qsfa_codegen.review.symbols import Symbols

        self._pair = pair
        self._chip = new
        self._symbols = Symbols()
        self._before = _rules(Encoder(pair.before, old, self._symbols), pair.before, old)
        self._after = _rules(Encoder(pair.after, new, self._symbols), pair.after, new)
        self._own = tuple(self._only_one_has())
        # A rule that cannot be told does not matter where both contracts have it word for word.
        self._untold = frozenset(
            id for id in self._before.untold | self._after.untold if not _same_rule(pair, id)
        )

    def ask(self, unit: Unit | None, *, narrower: bool, smallest: bool) -> Call | bool:
        """A call that tells the contracts apart, True when there is none, False when it is not known."""
        import z3

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
        import z3

        solver = z3.Solver()
        solver.set("timeout", milliseconds)
        solver.set("random_seed", _SEED)
        solver.add(*self._symbols.domain(), *self._own, *conditions)
        answer = solver.check()
        return answer, solver.model() if answer == z3.sat else None

    def _smallest(self, model: Any, *conditions: Any) -> Call:
        """The smallest solution, as far as the solver finds out in a short time."""
        import z3

        extent = self._symbols.extent(self._pair.after)
        low, high = 0, _number(model, extent)
        for _ in range(_STEPS):
            if low >= high:
                break
            # Large numbers are divided at once: small calls are likely, and quickly told.
            middle = min((low + high) // 2, low + _STEP)
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
        import z3

        from qsfa_codegen.review.encode import Encoder
        from qsfa_codegen.review.symbols import UnsupportedError

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


def _ids(rules: _Rules) -> frozenset[str]:
    return frozenset((*(id for id, _ in rules.conditions), *rules.untold))


def _same_rule(pair: Pair, id: str) -> bool:
    sides = []
    for operator in (pair.before, pair.after):
        checks = [check for check in operator.checks if check.id == id]
        sides.append([expr for check in checks for expr in (check.when, check.require)])
    return bool(sides[0]) and pair.same_meaning(sides[0], sides[1])


def _number(model: Any, term: Any) -> int:
    return int(model.eval(term, model_completion=True).as_long())


def _rules(encoder: Encoder, operator: Operator, chip: Chip) -> _Rules:
    from qsfa_codegen.review.symbols import UnsupportedError

    conditions: list[tuple[str, Any]] = []
    untold: set[str] = set()
    for id, make in _all_rules(encoder, operator, chip):
        try:
            conditions.append((id, make()))
        except UnsupportedError:
            untold.add(id)
    return _Rules(tuple(conditions), frozenset(untold))


def _all_rules(encoder: Encoder, operator: Operator, chip: Chip) -> Iterator[tuple[str, Any]]:
    for check in operator.checks:
        yield check.id, lambda check=check: _holds(encoder, check)
    for output in operator.outputs:
        yield f"{output.name}_shape", lambda output=output: _has_value(encoder, output)
    yield from _tiling(encoder, operator, chip)


def _holds(encoder: Encoder, check: Check) -> Any:
    """A rule that fails to have a value is broken, as when the contract is run."""
    import z3

    require = encoder.of(check.require)
    kept = z3.And(require.ok, require.term)
    if check.when is None:
        return kept
    when = encoder.of(check.when)
    return z3.And(when.ok, z3.Implies(when.term, kept))


def _has_value(encoder: Encoder, output: Output) -> Any:
    from qsfa_codegen.review.encode import both

    return both(_shape_ok(encoder, output.shape), _dtype_ok(encoder, output.dtype))


def _dtype_ok(encoder: Encoder, dtype: DtypeRef) -> Any:
    from qsfa_codegen.review.encode import YES

    if dtype.column is not None:
        return encoder.column(dtype.column).ok
    return YES if dtype.follow is None else encoder.passed(dtype.follow)


def _shape_ok(encoder: Encoder, shape: Shape | Table[Shape]) -> Any:
    import z3

    from qsfa_codegen.review.encode import both

    if not isinstance(shape, Table):
        return both(*(encoder.size_ok(item) for item in shape.items))
    selector = encoder.of(shape.selector)
    found = z3.BoolVal(False) if shape.otherwise is None else _shape_ok(encoder, shape.otherwise)
    for label, case in reversed(shape.cases):
        found = z3.If(encoder.is_case(shape.selector, label), _shape_ok(encoder, case), found)
    return both(selector.ok, found)


def _tiling(encoder: Encoder, operator: Operator, chip: Chip) -> Iterator[tuple[str, Any]]:
    from qsfa_codegen.contract.tiling import TilingRule
    from qsfa_codegen.expr.limits import INT64_MAX, UINT32_MAX

    tiling = operator.tiling
    if tiling is None:
        return
    for field in TilingRule(operator, tiling).fields:
        if field.low is not None and field.high is not None and field.value is not None:
            limits = (field.low, field.high)
            yield field.id, lambda f=field, limits=limits: _between(encoder, f.value, *limits)
    key = tiling.key
    for arg in () if key is None else key.args:
        yield "key_fits", lambda arg=arg: _declared(encoder, arg.value, arg.declared)
    if key is not None and key.plain is not None:
        yield "key_fits", lambda: _between(encoder, key.plain, 0, 2**64 - 1)
    terms = dict(tiling.workspace).get(chip.arch, ())
    yield "workspace_fits", lambda: _workspace(encoder, [(t.when, t.bytes) for t in terms], chip, INT64_MAX)
    if tiling.block_dim is not None:
        yield "block_dim_fits", lambda: _between(encoder, tiling.block_dim, 0, UINT32_MAX)


def _between(encoder: Encoder, expr: Expr | None, low: int, high: int) -> Any:
    import z3

    assert expr is not None
    value = encoder.stored(expr)
    return z3.And(value.ok, value.term >= low, value.term <= high)


def _declared(encoder: Encoder, expr: Expr, codes: tuple[int, ...]) -> Any:
    import z3

    value = encoder.stored(expr)
    return z3.And(value.ok, z3.Or(*(value.term == code for code in codes)))


def _workspace(encoder: Encoder, terms: list[tuple[Expr | None, Expr]], chip: Chip, high: int) -> Any:
    import z3

    total: Any = z3.IntVal(chip.libapi_workspace)
    ok: list[Any] = []
    for when, size in terms:
        value = encoder.of(size)
        if when is None:
            total, ok = total + value.term, [*ok, value.ok]
            continue
        test = encoder.of(when)
        total = total + z3.If(test.term, value.term, 0)
        ok += [test.ok, z3.Implies(test.term, value.ok)]
    return z3.And(*ok, total >= 0, total <= high)
