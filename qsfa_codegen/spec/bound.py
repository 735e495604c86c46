"""An operator as one of its bindings presents it: pinned parameters as constants, and no chip known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec.structs import replace

from qsfa_codegen.expr.build import TRUE, all_of, any_of, compare, literal, present, strip
from qsfa_codegen.expr.memo import once_an_operator
from qsfa_codegen.expr.nodes import (
    BOOL,
    DTYPE,
    INT,
    Call,
    Compare,
    Contains,
    Expr,
    Literal,
    Logic,
    ParamQuery,
    Query,
    Ref,
    RefKind,
    Select,
    Subscript,
)
from qsfa_codegen.expr.rewrite import bottom_up, negate, substitute
from qsfa_codegen.expr.specialize import params, simplify, specialize
from qsfa_codegen.spec.by_chip import depends_on_chip
from qsfa_codegen.spec.model import (
    Attr,
    AttrValue,
    Check,
    CheckKind,
    Chip,
    Dim,
    DimItem,
    DtypeRef,
    Operator,
    Shape,
    Table,
    TorchBinding,
)
from qsfa_codegen.spec.parameters import always_passed, attr_ref

HasDtype = Callable[[str], bool]


@once_an_operator
def bound_operator(operator: Operator, binding: TorchBinding, has_dtype: HasDtype) -> Operator:
    """The operator with every parameter that the binding does not have replaced by what it is pinned to.

    ``has_dtype`` says which dtypes exist on the binding's side. Chip-dependent checks accept what
    some chip accepts. Checks that cannot fail any more are left out.
    """
    return _Bound(operator, binding, has_dtype).operator()


class _Bound:
    def __init__(self, operator: Operator, binding: TorchBinding, has_dtype: HasDtype) -> None:
        self._operator = operator
        self._has_dtype = has_dtype
        self._named = {b.source for b in (*binding.positional, *binding.keyword)}
        self._fixed: Mapping[str, AttrValue | None] = dict(binding.fixed)
        self._pinned = {a.name: a for a in operator.attrs if a.name not in self._named}
        self._absent = {i.name for i in operator.inputs if i.name not in self._named}

    def operator(self) -> Operator:
        operator = self._operator
        return replace(
            operator,
            checks=(*self._checks(), *self._one_chip()),
            dims=tuple(replace(dim, value=self._observed(dim)) for dim in operator.dims),
            lets=tuple(replace(let, value=self.expr(let.value)) for let in operator.lets),
            outputs=tuple(
                replace(o, shape=self._shape(o.shape), dtype=self._dtype(o.dtype)) for o in operator.outputs
            ),
        )

    # ----------------------------------------------------------------- expressions

    def expr(self, expr: Expr) -> Expr:
        """The expression with pinned parameters as constants."""
        return simplify(bottom_up(substitute(expr, self._constant_lets), self._bound))

    @cached_property
    def _constant_lets(self) -> dict[tuple[RefKind, str], Expr]:
        """Derived values that pinned parameters make constant."""
        found: dict[tuple[RefKind, str], Expr] = {}
        for let in self._operator.lets:
            value = simplify(bottom_up(substitute(let.value, found), self._bound))
            if isinstance(value, Literal):
                found[RefKind.LET, let.name] = value
        return found

    def _bound(self, node: Expr) -> Expr:
        match node:
            case Ref(kind=RefKind.ATTR, name=name) if name in self._pinned:
                return self._pinned_value(node, self._pinned[name])
            case Call(function="len", args=(Ref(kind=RefKind.ATTR, name=name),)) if name in self._pinned:
                return literal(len(self._elements(name)), node.span)
            case Subscript(base=Ref(name=name), index=index) if name in self._pinned:
                elements = self._elements(name)
                return literal(elements[index], node.span, node.type) if index < len(elements) else node
            case ParamQuery(query=Query.PRESENT, param=name) if name in self._absent:
                return literal(False, node.span)
            case Compare(op="==" | "!=" as op, left=left, right=right) if left.type == DTYPE:
                if self._is_foreign(left) or self._is_foreign(right):
                    return literal(op == "!=", node.span)
            case Contains(options=options, negated=negated) if node.item.type == DTYPE:
                kept = tuple(option for option in options if not self._is_foreign(option))
                return replace(node, options=kept) if kept else literal(negated, node.span)
        return node

    def _pinned_value(self, node: Ref, attr: Attr) -> Expr:
        value = self._value(attr)
        if isinstance(value, tuple) or value is None:
            return node
        return Literal(attr_ref(attr, node.span).type, node.span, value)

    def _elements(self, name: str) -> tuple[int | float | bool | str, ...]:
        value = self._value(self._pinned[name])
        return tuple(v for v in value if not isinstance(v, tuple)) if isinstance(value, tuple) else ()

    def _value(self, attr: Attr) -> AttrValue | None:
        fixed = self._fixed.get(attr.name)
        return attr.default if fixed is None else fixed

    def _is_foreign(self, expr: Expr) -> bool:
        return isinstance(expr, Literal) and expr.type == DTYPE and not self._has_dtype(str(expr.value))

    def _observed(self, dim: Dim) -> Expr:
        """Where a dim is observed; where that goes by the chip, the first of its inputs that is passed."""
        if not depends_on_chip(dim.value):
            return dim.value
        on_chips = (specialize(dim.value, chip.id, chip.arch) for chip in self._operator.chips)
        distinct = {strip(value): value for value in on_chips if not _is_nowhere(value)}
        found: Expr | None = None
        for value in reversed(distinct.values()):
            asked = [i for i in self._operator.inputs if i.name in params(value) and not always_passed(i)]
            test = all_of([present(i.name, dim.span) for i in asked], dim.span)
            found = value if test is None else Select(INT, dim.span, test, ((TRUE, value),), found)
        return dim.value if found is None else found

    # ----------------------------------------------------------------- checks

    def _checks(self) -> Iterator[Check]:
        for check in self._operator.checks:
            bound = self._on_any_chip(check)
            when = None if bound.when is None else self.expr(bound.when)
            require = self.expr(bound.require)
            if not (_is(when, False) or _is(require, True)):
                yield replace(bound, when=None if _is(when, True) else when, require=require)

    def _on_any_chip(self, check: Check) -> Check:
        if not _depends_on_chip(check):
            return check
        parts = [self._on_chip(check, chip) for chip in self._operator.chips]
        return replace(check, when=None, require=_any(parts))

    def _on_chip(self, check: Check, chip: Chip) -> Expr:
        """What the check demands of a call on one chip."""
        require = self.expr(specialize(check.require, chip.id, chip.arch))
        if check.when is None:
            return require
        return _any([self.expr(negate(specialize(check.when, chip.id, chip.arch))), require])

    def _one_chip(self) -> Iterator[Check]:
        """What chips differ in must be what one and the same chip takes.

        A call that no chip takes breaks one of these: of the chips that take all up to some check, the last
        ones break that check. It is then said of that check's parameter, with what rules out the others.
        """
        differing = [c for c in self._operator.checks if c.kind is not CheckKind.CHIP and _depends_on_chip(c)]
        groups = self._groups(differing)
        # Of two sorts of chips one takes what the check is about: then the other is out because of others.
        own_too = 0 if len(groups) == 2 else 1
        for number, check in enumerate(differing):
            for own, demands in enumerate(groups):
                others = [other for n, other in enumerate(groups) if n != own]
                if _is(demands[number], True) or not others or number == 0:
                    continue  # the first of them is what any chip takes, which is checked before
                excluded = [self._excluded(other[: number + own_too], check) for other in others]
                when = simplify(all_of(excluded, check.span) or literal(True, check.span))
                if not _is(when, False):
                    require = demands[number]
                    yield replace(check, kind=CheckKind.CONSTRAINT, when=when, require=require, message=None)

    def _groups(self, differing: Sequence[Check]) -> list[list[Expr]]:
        """For each sort of chips what it demands beyond what some chip demands, check by check."""
        found: dict[object, list[Expr]] = {}
        for chip in self._operator.chips:
            demands = [self._beyond_any(check, self._on_chip(check, chip)) for check in differing]
            found.setdefault(tuple(map(strip, demands)), demands)
        return list(found.values())

    def _beyond_any(self, check: Check, demand: Expr) -> Expr:
        anyone = self.expr(self._on_any_chip(check).require)
        return literal(True, check.span) if _same_demand(anyone, demand) else demand

    def _excluded(self, demands: Sequence[Expr], check: Check) -> Expr:
        """When a call is beyond what chips with these demands take."""
        whole = all_of([demand for demand in demands if not _is(demand, True)], check.span)
        return literal(False, check.span) if whole is None else simplify(negate(whole))

    # ----------------------------------------------------------------- outputs

    def _dtype(self, dtype: DtypeRef) -> DtypeRef:
        """A column that a pinned attribute chooses is a fixed dtype."""
        chooser = dict(self._operator.dtypes.select).get(dtype.column or "")
        value = self._value(self._pinned[chooser]) if chooser in self._pinned else None
        return DtypeRef(fixed=value) if isinstance(value, str) else dtype

    def _shape(self, choice: Shape | Table[Shape]) -> Shape | Table[Shape]:
        if not isinstance(choice, Table):
            items = tuple(
                replace(item, size=self.expr(item.size)) if isinstance(item, DimItem) and item.size else item
                for item in choice.items
            )
            return replace(choice, items=items)
        selector = self.expr(choice.selector)
        if isinstance(selector, Literal):
            label = str(selector.value).lower() if selector.type == BOOL else str(selector.value)
            taken = dict(choice.cases).get(label, choice.otherwise)
            assert taken is not None
            return self._shape(taken)
        cases = tuple((label, self._shape(value)) for label, value in choice.cases)
        otherwise = None if choice.otherwise is None else self._shape(choice.otherwise)
        return Table(selector, cases, otherwise, choice.span)


def _is_nowhere(value: Expr) -> bool:
    """Whether a table is left that has no case for what is already known."""
    return isinstance(value, Select) and isinstance(value.selector, Literal)


def _same_demand(first: Expr, second: Expr) -> bool:
    """Whether two demands are the same, in whatever order they list values."""
    return set(map(strip, _alternatives(first))) == set(map(strip, _alternatives(second)))


def _alternatives(expr: Expr) -> Iterator[Expr]:
    """Demands of which one must be met."""
    member = _membership(expr)
    if member is not None:
        yield from (compare("==", member.item, option, expr.span) for option in member.options)
    elif isinstance(expr, Logic) and expr.op == "or":
        for operand in expr.operands:
            yield from _alternatives(operand)
    else:
        yield expr


def _depends_on_chip(check: Check) -> bool:
    return any(depends_on_chip(e) for e in (check.when, check.require) if e is not None)


def _is(expr: Expr | None, value: bool) -> bool:
    return isinstance(expr, Literal) and expr.value is value


def _any(parts: list[Expr]) -> Expr:
    """Whether one of them holds; memberships of one value become one membership."""
    distinct = list({strip(part): part for part in parts}.values())
    always = next((part for part in distinct if _is(part, True)), None)
    if always is not None:
        return always
    members = [_membership(part) for part in distinct]
    first = members[0]
    if first is not None and all(m is not None and strip(m.item) == strip(first.item) for m in members):
        options = {strip(o): o for m in members if m is not None for o in m.options}
        return replace(first, options=tuple(_ordered(list(options.values()))))
    every = {strip(way): way for part in distinct for way in _operands(part)}
    joined = any_of(list(every.values()), distinct[0].span)
    assert joined is not None
    return simplify(joined)


def _operands(expr: Expr) -> Sequence[Expr]:
    return expr.operands if isinstance(expr, Logic) and expr.op == "or" else (expr,)


def _ordered(options: list[Expr]) -> list[Expr]:
    """Whole numbers from the lowest; others as they came."""
    numbers = [o.value if isinstance(o, Literal) and isinstance(o.value, int) else None for o in options]
    known = [n for n in numbers if n is not None]
    if len(known) < len(options):
        return options
    return [option for _, option in sorted(zip(known, options, strict=True), key=lambda pair: pair[0])]


def _membership(expr: Expr) -> Contains | None:
    match expr:
        case Contains(negated=False):
            return expr
        case Compare(op="==", left=left, right=Literal() as right):
            return Contains(BOOL, expr.span, left, (right,))
    return None
