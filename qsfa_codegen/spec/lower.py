"""From declarations to one ordered list of checks, which every engine runs.

Order: attributes, presence, dtype, rank, dims, then constraints in file order. What a check needs to
make sense is checked before it, so that one mistake of a caller gives one violation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product as combinations
from typing import TypeVar

from msgspec.structs import replace

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.build import (
    TRUE,
    all_of,
    any_of,
    arch,
    arith,
    call,
    chip,
    compare,
    dim,
    dtype_of,
    literal,
    negation,
    present,
    rank_of,
    ref,
    size_of,
    strip,
    total,
)
from qsfa_codegen.expr.nodes import (
    BOOL,
    CHIP,
    DIMS,
    DTYPE,
    INT,
    Contains,
    Expr,
    Literal,
    ParamQuery,
    Query,
    Ref,
    RefKind,
    Select,
    Subscript,
    Type,
)
from qsfa_codegen.expr.specialize import substitute
from qsfa_codegen.spec.by_chip import chip_lets, depends_on_chip
from qsfa_codegen.spec.model import (
    Attr,
    AttrScalar,
    AttrType,
    Case,
    Check,
    CheckKind,
    Constraint,
    Definer,
    Dim,
    DimItem,
    Domain,
    Fact,
    Input,
    InputKind,
    Operator,
    Presence,
    RestItem,
    Shape,
    Table,
    leaves,
)
from qsfa_codegen.spec.parameters import always_passed, attr_ref, never_checked
from qsfa_codegen.spec.paths import Path, accepted_labels, axes, condition, covers, merged, walk_choice
from qsfa_codegen.spec.uses import Uses, output_uses

T = TypeVar("T")


def lower(operator: Operator) -> tuple[Check, ...]:
    """Every check of the operator in the order of checking."""
    uses = output_uses(operator)
    checks = (
        *_attr_checks(operator, uses),
        *_presence_checks(operator, uses),
        *_dtype_checks(operator),
        *_rank_checks(operator, uses),
        *_Dims(operator, uses).checks(),
        *(_constraint(c, operator) for c in operator.constraints),
    )
    lets = chip_lets(operator)
    return tuple(_with_chips_said(check, lets) for check in checks) if lets else checks


def _with_chips_said(check: Check, lets: Mapping[tuple[RefKind, str], Expr]) -> Check:
    """The check with derived values that go by the chip written out: engines must see that it needs it."""
    when = None if check.when is None else substitute(check.when, lets)
    require = substitute(check.require, lets)
    known = not any(depends_on_chip(expr) for expr in (when, require) if expr is not None)
    return replace(check, when=when, require=require, at_infer=check.at_infer and known)


def choice_expr(choice: T | Table[T], leaf: Callable[[T], Expr], type: Type) -> Expr:
    """A table of declarations as a table of expressions."""
    if not isinstance(choice, Table):
        return leaf(choice)
    cases = tuple((label, choice_expr(value, leaf, type)) for label, value in choice.cases)
    otherwise = None if choice.otherwise is None else choice_expr(choice.otherwise, leaf, type)
    return Select(type, choice.span, choice.selector, cases, otherwise)


# --------------------------------------------------------------------------- attributes


def _attr_checks(operator: Operator, uses: Uses) -> Iterator[Check]:
    for attr in operator.attrs:
        for require in _attr_requirements(attr, operator):
            yield Check(
                id=f"{attr.name}_value",
                kind=CheckKind.ATTR,
                parameter=attr.name,
                when=None,
                require=require,
                at_infer=attr.name in uses.attrs and not depends_on_chip(require),
                establishes=(Fact("attr", attr.name),),
                message=None,
                span=attr.span,
            )


def _attr_requirements(attr: Attr, operator: Operator) -> Iterator[Expr]:
    span = attr.span
    if attr.lengths:
        length = call("len", (attr_ref(attr, span),), INT, span)
        yield _one_of(length, [literal(n, span) for n in attr.lengths], span)
    if attr.domain is not None and not _is_everything(attr):
        accepted = choice_expr(attr.domain, lambda domain: _accepted(attr, domain), BOOL)
        yield _only_on_its_chips(attr, accepted, operator)
    elif len(attr.chips) < len(operator.chips):
        yield _only_on_its_chips(attr, literal(True, span), operator)


def _is_everything(attr: Attr) -> bool:
    """Both truth values are accepted: nothing to check."""
    return attr.type is AttrType.BOOL and isinstance(attr.domain, Domain) and len(attr.domain.values) == 2


def _accepted(attr: Attr, domain: Domain) -> Expr:
    span = attr.span
    base = attr_ref(attr, span)
    if attr.lengths and base.type.item is not None:
        elements = [Subscript(base.type.item, span, base, index) for index in range(min(attr.lengths))]
        parts = [in_domain(element, domain, span) for element in elements]
        return all_of(parts, span) or literal(True, span)
    return in_domain(base, domain, span)


def in_domain(value: Expr, domain: Domain, span: Span) -> Expr:
    """Whether a value is in a domain."""
    if value.type == BOOL and len(domain.values) > 1:
        return literal(True, span)
    if domain.values:
        return _one_of(value, [_typed(v.value, value.type, span) for v in domain.values], span)
    parts: list[Expr] = []
    if domain.finite:
        parts.append(call("is_finite", (value,), BOOL, span))
    for op, bound in ((">=", domain.minimum), (">", domain.above), ("<=", domain.maximum)):
        if bound is not None:
            parts.append(compare(op, value, literal(bound, span), span))
    return all_of(parts, span) or literal(True, span)


def _typed(value: AttrScalar, type: Type, span: Span) -> Literal:
    return Literal(type, span, value)


def _one_of(value: Expr, options: Sequence[Expr], span: Span) -> Expr:
    if len(options) == 1:
        return compare("==", value, options[0], span)
    return Contains(BOOL, span, value, tuple(options))


def _only_on_its_chips(attr: Attr, accepted: Expr, operator: Operator) -> Expr:
    """On a chip that does not have the attribute only its default may be passed."""
    if len(attr.chips) == len(operator.chips) or attr.default is None or isinstance(attr.default, tuple):
        return accepted
    base = attr_ref(attr, attr.span)
    unchanged = compare("==", base, _typed(attr.default, base.type, attr.span), attr.span)
    cases = tuple((name, accepted) for name in attr.chips)
    return Select(BOOL, attr.span, chip(attr.span), cases, unchanged)


# --------------------------------------------------------------------------- presence and dtype


def _presence_checks(operator: Operator, uses: Uses) -> Iterator[Check]:
    for param in operator.inputs:
        if not any(p in (Presence.REQUIRED, Presence.ABSENT) for p in leaves(param.presence)):
            continue
        require = choice_expr(param.presence, lambda p, i=param: _presence(i, p), BOOL)  # type: ignore[misc]
        yield Check(
            id=f"{param.name}_presence",
            kind=CheckKind.PRESENCE,
            parameter=param.name,
            when=None,
            require=require,
            at_infer=param.name in uses.inputs | uses.carriers and not depends_on_chip(require),
            establishes=(Fact("input", param.name),),
            message=None,
            span=param.span,
        )


def _presence(param: Input, presence: Presence) -> Expr:
    passed = present(param.name, param.span)
    match presence:
        case Presence.REQUIRED:
            return passed
        case Presence.ABSENT:
            return negation(passed, param.span)
        case _:
            return literal(True, param.span)


def _when_passed(param: Input) -> tuple[Expr, ...]:
    return () if always_passed(param) else (present(param.name, param.span),)


def _dtype_checks(operator: Operator) -> Iterator[Check]:
    for param in operator.inputs:
        if never_checked(param):
            continue
        yield Check(
            id=f"{param.name}_dtype",
            kind=CheckKind.DTYPE,
            parameter=param.name,
            when=all_of(_when_passed(param), param.span),
            require=_dtype_requirement(operator, param),
            at_infer=False,
            establishes=(Fact("dtype", param.name),),
            message=None,
            span=param.span,
        )
    yield from _row_check(operator)


def _dtype_requirement(operator: Operator, param: Input) -> Expr:
    actual, span = dtype_of(param.name, param.span), param.span
    if param.dtype.follow is not None:
        return compare("==", actual, dtype_of(param.dtype.follow, span), span)
    if param.dtype.fixed is not None:
        return compare("==", actual, literal(param.dtype.fixed, span, DTYPE), span)
    column = param.dtype.column or ""
    first = _first_of_column(operator, column)
    if first is param:
        return _in_column(operator, column, actual)
    same_dtype = compare("==", actual, dtype_of(first.name, span), span)
    if always_passed(first):
        return same_dtype
    absent = negation(present(first.name, span), span)
    agrees = any_of([absent, same_dtype], span)
    parts = [_in_column(operator, column, actual), *((agrees,) if agrees is not None else ())]
    return all_of(parts, span) or same_dtype


def _in_column(operator: Operator, column: str, actual: Expr) -> Expr:
    """Whether a dtype is one of a column's, chip by chip where they differ."""
    span = actual.span
    spelled: dict[frozenset[str], Expr] = {}

    def options(chip_id: str) -> Expr:
        names = tuple(dict.fromkeys(operator.dtypes.column(column, chip_id)))
        accepted = _one_of(actual, [literal(name, span, DTYPE) for name in names], span)
        return spelled.setdefault(frozenset(names), accepted)

    return by_chip(operator, options, span)


def _first_of_column(operator: Operator, column: str) -> Input:
    """The input that tells the dtype of a column: the first that is always passed, else the first."""
    found = [i for i in operator.inputs if i.dtype.column == column and not never_checked(i)]
    return next((i for i in found if always_passed(i)), found[0])


def by_chip(operator: Operator, value: Callable[[str], Expr], span: Span) -> Expr:
    """A value per chip as the simplest table: plain, by arch, or by chip."""
    found = {c.id: value(c.id) for c in operator.chips}
    if len({strip(v) for v in found.values()}) == 1:
        return found[operator.chips[0].id]
    per_arch: dict[str, Expr] = {}
    for c in operator.chips:
        per_arch.setdefault(c.arch, found[c.id])
    if all(strip(found[c.id]) == strip(per_arch[c.arch]) for c in operator.chips):
        return Select(BOOL, span, arch(span), tuple(per_arch.items()), None)
    return Select(BOOL, span, chip(span), tuple(found.items()), None)


def _row_check(operator: Operator) -> Iterator[Check]:
    """Rows that are not every combination of their columns need a check of their own."""
    matrix = operator.dtypes
    if all(_is_product([r.dtypes for r in rows]) for _, rows in matrix.rows):
        return
    carriers = {column: _carrier(operator, column) for column in matrix.columns}
    told = {column: carrier for column, carrier in carriers.items() if carrier is not None}
    known = _in_rows(operator, told)
    if len(told) > 1:
        yield _row_check_of(operator, list(told.values())[-1], None, known)
    for column in matrix.columns:
        optional = next((i for i in operator.inputs if i.dtype.column == column), None)
        if column in told or optional is None or never_checked(optional):
            continue
        carrier = dtype_of(optional.name, optional.span)
        when = all_of([present(optional.name, optional.span), known], optional.span)
        yield _row_check_of(operator, carrier, when, _in_rows(operator, told | {column: carrier}))


def _row_check_of(operator: Operator, blamed: Expr, when: Expr | None, require: Expr) -> Check:
    name = blamed.param if isinstance(blamed, ParamQuery) else getattr(blamed, "name", "")
    span = operator.inputs[0].span
    return Check("dtype_row", CheckKind.DTYPE, name, when, require, False, (), None, span)


def _in_rows(operator: Operator, carriers: Mapping[str, Expr]) -> Expr:
    """Whether some row has the dtypes that the carriers of these columns have."""
    matrix = operator.dtypes
    span = operator.inputs[0].span
    used = [index for index, column in enumerate(matrix.columns) if column in carriers]
    values = [carriers[matrix.columns[index]] for index in used]

    def in_rows(chip_id: str) -> Expr:
        rows = dict.fromkeys(tuple(r.dtypes[i] for i in used) for r in matrix.rows_of(chip_id))
        return any_of([_row_matches(values, row, span) for row in rows], span) or literal(True, span)

    return by_chip(operator, in_rows, span)


def _is_product(rows: Sequence[tuple[str, ...]]) -> bool:
    pools = [dict.fromkeys(column) for column in zip(*rows, strict=True)]
    return len(set(combinations(*pools))) == len(set(rows))


def _carrier(operator: Operator, column: str) -> Expr | None:
    """What tells a call's dtype of a column: its first input that is always passed, or an attribute."""
    for param in operator.inputs:
        if param.dtype.column == column and always_passed(param):
            return dtype_of(param.name, param.span)
    chooser = dict(operator.dtypes.select).get(column)
    for attr in operator.attrs:
        if attr.name == chooser:
            return attr_ref(attr, attr.span)
    return None


def _row_matches(carriers: Sequence[Expr], row: Sequence[str], span: Span) -> Expr:
    parts = [
        compare("==", carrier, literal(name, span, DTYPE), span)
        for carrier, name in zip(carriers, row, strict=True)
    ]
    return all_of(parts, span) or literal(True, span)


# --------------------------------------------------------------------------- rank


def _rank_checks(operator: Operator, uses: Uses) -> Iterator[Check]:
    for param in operator.inputs:
        if never_checked(param) or param.shape is None:
            continue
        rank = _RankRule(operator, param)
        require = choice_expr(param.shape, rank.requirement, BOOL)
        yield Check(
            id=f"{param.name}_rank",
            kind=CheckKind.RANK,
            parameter=param.name,
            when=all_of(_when_passed(param), param.span),
            require=require,
            at_infer=param.name in uses.inputs and not depends_on_chip(require),
            establishes=(Fact("rank", param.name),),
            message=None,
            span=param.span,
        )


class _RankRule:
    def __init__(self, operator: Operator, param: Input) -> None:
        self._param = param
        self._own = {r.name for r in operator.rests if r.input == param.name}

    def requirement(self, shape: Shape) -> Expr:
        span = shape.span
        actual = rank_of(self._param.name, span)
        if shape.like is not None:
            return compare("==", actual, rank_of(shape.like, span), span)
        rests = [item for item in shape.items if isinstance(item, RestItem)]
        fixed = len(shape.items) - len(rests)
        foreign = [r for r in rests if r.name not in self._own]
        lengths = [_rest_length(rest.name, span) for rest in foreign]
        known = total([*([literal(fixed, span)] if fixed or not lengths else []), *lengths], span)
        own = [r for r in rests if r.name in self._own]
        if not own:
            return compare("==", actual, known, span)
        low, high = own[0].min_rank, own[0].max_rank
        if not foreign:
            return _between(actual, literal(fixed + low, span), literal(fixed + high, span), span)
        least = arith("+", known, literal(low, span), span) if low else known
        most = arith("+", known, literal(high, span), span)
        return _between(actual, least, most, span)


def _between(value: Expr, low: Expr, high: Expr, span: Span) -> Expr:
    bounds = [compare(">=", value, low, span), compare("<=", value, high, span)]
    return all_of(bounds, span) or literal(True, span)


def _rest_length(name: str, span: Span) -> Expr:
    return call("len", (ref(RefKind.REST, name, DIMS, span),), INT, span)


# --------------------------------------------------------------------------- dims


class _Dims:
    """Domains of dims, then every place where a dim stands again."""

    def __init__(self, operator: Operator, uses: Uses) -> None:
        self._operator = operator
        self._uses = uses
        self._accepted = labels_of(operator)
        self._definers = {d.name: d.definers for d in operator.dims}

    def checks(self) -> Iterator[Check]:
        for d in self._operator.dims:
            for name, definers in _by_input(d.definers):
                yield from self._domain(d, name, definers)
        for param in self._operator.inputs:
            if not never_checked(param) and param.shape is not None:
                yield from self._occurrences(param)

    def _domain(self, d: Dim, name: str, definers: Sequence[Definer]) -> Iterator[Check]:
        when = self._any([x.path for x in definers], d.span)
        size = dim(d.name, d.span)
        parts = _domain_parts(d, size)
        if parts:
            yield self._dim_check(f"{d.name}_value", d, name, when, all_of(parts, d.span))
        if d.derived is not None:
            yield self._dim_check(f"{name}_shape", d, name, when, compare("==", size, d.derived, d.span))

    def _dim_check(self, id: str, d: Dim, name: str, when: Expr | None, require: Expr | None) -> Check:
        assert require is not None
        at_infer = (d.name, name) in self._uses.dims and not depends_on_chip(require)
        return Check(id, CheckKind.DIM, name, when, require, at_infer, (Fact("dim", d.name),), None, d.span)

    def _any(self, paths: Sequence[Path], span: Span) -> Expr | None:
        """The condition that one of several paths holds; None when that is always so."""
        path = merged(paths, self._accepted)
        if path is not None:
            return condition(path, span)
        parts = [condition(p, span) for p in paths]
        return any_of([p for p in parts if p is not None], span)

    def _occurrences(self, param: Input) -> Iterator[Check]:
        """One check for each axis that repeats a size, the cases that demand the same together.

        A list's own defining axes count too: every tensor of it must have the sizes of the first.
        """
        grouped: dict[object, tuple[Expr, list[Path], Span]] = {}
        assert param.shape is not None
        for count in self._count_demand(param):
            grouped[strip(count)] = (count, [()], param.span)
        for path, shape in walk_choice(param.shape):
            for require in self._demands(param, path, shape):
                grouped.setdefault(strip(require), (require, [], require.span))[1].append(path)
        for require, paths, span in grouped.values():
            case = self._any(paths, span)
            when = all_of([*_when_passed(param), *((case,) if case is not None else ())], span)
            yield Check(
                f"{param.name}_shape", CheckKind.DIM, param.name, when, require, False, (), None, span
            )

    def _demands(self, param: Input, path: Path, shape: Shape) -> Iterator[Expr]:
        if shape.like is not None:
            mine, theirs = (
                ParamQuery(DIMS, shape.span, Query.DIMS, name, 0) for name in (param.name, shape.like)
            )
            yield compare("==", mine, theirs, shape.span)
            return
        for axis, item in axes(shape):
            require = self._demand(param, axis, item, path, shape)
            if require is not None:
                yield require

    def _demand(
        self, param: Input, axis: int, item: DimItem | RestItem, path: Path, shape: Shape
    ) -> Expr | None:
        if isinstance(item, RestItem):
            return self._rest_demand(param, axis, item, shape)
        size = size_of(param.name, axis, item.span)
        if item.dim is not None:
            if self._defines(item.dim, param, axis, path) and param.kind is not InputKind.TENSOR_LIST:
                return None
            return compare("==", size, dim(item.dim, item.span), item.span)
        if item.size is not None:
            return compare("==", size, item.size, item.span)
        return Contains(BOOL, item.span, size, item.options)

    def _count_demand(self, param: Input) -> Iterator[Expr]:
        """How many tensors a list has, unless that is what defines the number."""
        count = param.count
        if count is None or (isinstance(count, Ref) and self._defines(count.name, param, None, ())):
            return
        actual = ParamQuery(INT, param.span, Query.COUNT, param.name)
        yield compare("==", actual, count, param.span)

    def _defines(self, name: str, param: Input, axis: int | None, path: Path) -> bool:
        return any(
            d.input == param.name and d.axis == axis and covers((*path, *_path_when_passed(param)), d.path)
            for d in self._definers.get(name, ())
        )

    def _rest_demand(self, param: Input, axis: int, item: RestItem, shape: Shape) -> Expr | None:
        rests = [i for i in shape.items if isinstance(i, RestItem)]
        if any(r.name == item.name and r.input == param.name for r in self._operator.rests):
            return None
        run = ref(RefKind.REST, item.name, DIMS, item.span)
        behind = len(shape.items) - 1 - shape.items.index(item)
        if len(rests) == 1:
            dims = ParamQuery(DIMS, item.span, Query.DIMS, param.name, axis, behind)
            return compare("==", dims, run, item.span)
        whole = ParamQuery(DIMS, item.span, Query.DIMS, param.name, 0, 0)
        name = "ends_with" if behind == 0 else "starts_with"
        return call(name, (whole, run), BOOL, item.span)


def labels_of(operator: Operator) -> dict[str, frozenset[str] | None]:
    """Every label that a selector can have in a legal call, by the selector's name."""
    accepted = {a.name: accepted_labels(a) for a in operator.attrs}
    chips = frozenset(c.id for c in operator.chips)
    return {**accepted, "chip": chips, "arch": frozenset(operator.archs)}


def _path_when_passed(param: Input) -> Path:
    """Cases that hold whenever the input is passed."""
    paths = [path for path, presence in walk_choice(param.presence) if presence is not Presence.ABSENT]
    return (*(paths[0] if len(paths) == 1 else ()), Case(present(param.name, param.span), (TRUE,)))


def _by_input(definers: Sequence[Definer]) -> Iterator[tuple[str, list[Definer]]]:
    grouped: dict[str, list[Definer]] = {}
    for definer in definers:
        grouped.setdefault(definer.input, []).append(definer)
    yield from grouped.items()


def _domain_parts(d: Dim, size: Expr) -> list[Expr]:
    parts: list[Expr] = []
    if d.minimum is not None:
        parts.append(compare(">=", size, d.minimum, d.span))
    if d.maximum is not None:
        parts.append(compare("<=", size, d.maximum, d.span))
    if d.multiple_of is not None:
        rest = arith("%", size, d.multiple_of, d.span)
        parts.append(compare("==", rest, literal(0, d.span), d.span))
    if d.values is not None:
        parts.append(choice_expr(d.values, lambda values: _sizes(size, values, d.span), BOOL))
    return parts


def _sizes(size: Expr, values: tuple[int, ...], span: Span) -> Expr:
    return _one_of(size, [literal(v, span) for v in values], span)


# --------------------------------------------------------------------------- constraints


def _constraint(rule: Constraint, operator: Operator) -> Check:
    conditions: list[Expr] = []
    if len(rule.chips) < len(operator.chips):
        options = [literal(name, rule.span, CHIP) for name in rule.chips]
        conditions.append(_one_of(chip(rule.span), options, rule.span))
    if rule.when is not None:
        conditions.append(rule.when)
    return Check(
        rule.id,
        CheckKind.CONSTRAINT,
        rule.blame,
        all_of(conditions, rule.span),
        rule.require,
        rule.at_infer,
        (),
        rule.message,
        rule.span,
    )
