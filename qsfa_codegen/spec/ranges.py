"""Which int64 values the names of an operator can have in a call, as far as it has been checked."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import TYPE_CHECKING

from qsfa_codegen.expr.bounds import Facts, value_range
from qsfa_codegen.expr.interval import Interval, hull
from qsfa_codegen.expr.limits import INT64_MAX, INT64_MIN
from qsfa_codegen.expr.nodes import Call, Expr, Kind, ParamQuery, Query, Ref, RefKind
from qsfa_codegen.spec.columns import column_sizes
from qsfa_codegen.spec.model import Domain, Shape, leaves
from qsfa_codegen.spec.paths import accepted_labels

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Attr, Dim, Operator

UINT32_MAX = 2**32 - 1
_FULL = Interval(INT64_MIN, INT64_MAX)


class Checked(IntEnum):
    """How far the checks have come; each member includes those before it."""

    NOTHING = 0
    ATTRS = 1
    DIMS = 2


class Ranges:
    """Answers ``expr.bounds``; None where it knows no more than the type.

    ``checked`` says which domains hold. A count of platform resources is an unsigned 32-bit number,
    as the toolkit gives it.
    """

    def __init__(self, operator: Operator, checked: Checked = Checked.DIMS) -> None:
        self._operator = operator
        self._checked = checked
        self._attrs = {attr.name: attr for attr in operator.attrs}
        self._dims = {dim.name: dim for dim in operator.dims}
        self._consts = {const.name: const.value for const in operator.consts}
        self._lets = {let.name: let.value for let in operator.lets}
        if operator.tiling is not None:
            self._lets.update({let.name: let.value for let in operator.tiling.lets})
        self._enums = {enum.name: enum.labels for enum in operator.enums}
        self._records = {record.name: record for record in operator.records}
        self._shapes = {i.name: i.shape for i in operator.inputs}
        self._known: dict[tuple[RefKind, str], Interval | None] = {}

    def __call__(self, expr: Expr) -> Interval | None:
        """The interval of a name, a fact about an input or a call that only the operator knows."""
        match expr:
            case Ref(kind=kind, name=name):
                key = (kind, name)
                if key not in self._known:
                    self._known[key] = None  # two dims may bound each other: nothing is known meanwhile
                    self._known[key] = self._of_name(expr)
                return self._known[key]
            case ParamQuery(query=Query.NUMEL, param=param):
                return self._elements_of(param)
            case Call(function=function, args=args):
                return self._of_call(function, args)
        return None

    def _of_name(self, ref: Ref) -> Interval | None:
        match ref.kind:
            case RefKind.CONST:
                return Interval(self._consts[ref.name], self._consts[ref.name])
            case RefKind.PLATFORM:
                return Interval(0, UINT32_MAX)
            case RefKind.ATTR if self._checked >= Checked.ATTRS:
                return _attr_range(self._attrs[ref.name])
            case RefKind.DIM if self._checked >= Checked.DIMS:
                return self._dim_range(self._dims[ref.name])
            case RefKind.LET | RefKind.TILING_LET:
                return self._let_range(self._lets[ref.name]) if ref.type.kind is Kind.INT else None
        return None

    def _let_range(self, value: Expr) -> Interval:
        # Generated code goes on after a failure, with 0 for what failed, until it looks at the flag.
        return Facts(self, zero_on_failure=True).bound(value).values

    def _dim_range(self, dim: Dim) -> Interval:
        known = _FULL
        if dim.derived is not None:
            known = known.meet(value_range(dim.derived, self))
        if dim.minimum is not None:
            known = known.meet(Interval(value_range(dim.minimum, self).low, INT64_MAX))
        if dim.maximum is not None:
            known = known.meet(Interval(INT64_MIN, value_range(dim.maximum, self).high))
        if dim.values is not None:
            known = known.meet(_hull_of(size for sizes in leaves(dim.values) for size in sizes))
        return known

    def _of_call(self, function: str, args: tuple[Expr, ...]) -> Interval | None:
        match function, args:
            case "elements", (Ref(name=name),):
                return self._let_range(self._records[name].elements)
            case "offset", (Ref(name=name), field):
                return self._let_range(self._records[name].offset(getattr(field, "value", "")))
            case "sizeof", (Ref(kind=RefKind.COLUMN, name=name),):
                return _hull_of(column_sizes(self._operator, name))
            case "code", (Ref(kind=RefKind.ATTR, name=name),) if self._checked >= Checked.ATTRS:
                return self._codes(self._attrs[name])
            case "tsch_block_dim", (slices, _, _):
                # As many blocks as slices at most, or 0.
                return value_range(slices, self).join(Interval(0, 0))
        return None

    def _codes(self, attr: Attr) -> Interval | None:
        labels = accepted_labels(attr)
        if labels is None or attr.enum is None:
            return None
        return _hull_of(label.code for label in self._enums[attr.enum] if label.name in labels)

    def _elements_of(self, param: str) -> Interval | None:
        """A single axis holds as many elements as it is long, which cannot overflow."""
        shape = self._shapes.get(param)
        single = self._checked >= Checked.DIMS and isinstance(shape, Shape) and shape.rank == 1
        return _FULL if single else None


def _attr_range(attr: Attr) -> Interval | None:
    if attr.domain is None:
        return None
    found = [_domain_range(domain) for domain in leaves(attr.domain)]
    known = [interval for interval in found if interval is not None]
    return hull(known) if len(known) == len(found) else None


def _domain_range(domain: Domain) -> Interval | None:
    values = [named.value for named in domain.values]
    if values:
        whole = [value for value in values if isinstance(value, int)]
        return _hull_of(whole) if len(whole) == len(values) else None
    low = INT64_MIN if domain.minimum is None else domain.minimum
    above = low if domain.above is None else domain.above + 1
    high = INT64_MAX if domain.maximum is None else domain.maximum
    if not all(isinstance(bound, int) for bound in (low, above, high)):
        return None
    return Interval(int(max(low, above)), int(high))


def _hull_of(values: Iterable[int]) -> Interval:
    return hull(Interval(value, value) for value in values)
