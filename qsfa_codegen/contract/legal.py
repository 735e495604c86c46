"""Legal calls that a spec implies: every choice that it offers, and the edges of its domains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from math import prod
from typing import NamedTuple

from qsfa_codegen.contract.breaking import spelt
from qsfa_codegen.contract.kept import Base, Kept
from qsfa_codegen.contract.plan import Plan
from qsfa_codegen.contract.search import Search
from qsfa_codegen.expr.nodes import INT, Expr, Ref, RefKind
from qsfa_codegen.spec.model import (
    Attr,
    AttrValue,
    Chip,
    DimItem,
    Operator,
    Presence,
)
from qsfa_codegen.spec.paths import walk_choice

_BASES_TRIED = 8
_MOST_FORMS = 16


class Unreached(NamedTuple):
    """A combination of dtypes and enum values for which no legal call was found."""

    chip: str
    choice: str
    blocked_by: str


class _Form(NamedTuple):
    """One choice that changes shapes: an attribute's value, or the option of an input (no attribute)."""

    name: str
    value: AttrValue
    is_attr: bool
    usual: bool

    def chosen(self, plan: Plan) -> Plan:
        """``plan`` with this choice."""
        if self.is_attr:
            return plan.with_attr(self.name, self.value)
        assert isinstance(self.value, int)
        return plan.with_option(self.name, self.value)


class LegalCalls:
    """Finds them for one chip after the other, and keeps them."""

    def __init__(self, search: Search, kept: Kept) -> None:
        self._search = search
        self._kept = kept
        self._operator = search.operator
        exprs = tuple(_shape_exprs(search.operator))
        self._shaping = search.index.of(exprs).attrs - search.pinned
        self._reached: set[tuple[str, AttrValue]] = set()  # values of attributes, on the chip at hand
        self._rows_of: dict[str, list[list[Base]]] = {}
        self.unreached: list[Unreached] = []

    def find(self, chip: Chip) -> list[Base]:
        """Keep the legal calls of ``chip``; returns those of the first dtype row that has any."""
        rows = self.rows(chip)
        self._reached = set()
        bases = [base for row in rows for base in row]
        if not bases:
            return []
        first = next(row for row in rows if row)
        self._variants(first)
        for row in rows:
            for base in row if row is first else row[:1]:
                self._forms(base, named=row is not first)
        self._attr_edges(bases)
        self._dim_edges(bases)
        self._rest_edges(bases)
        return first

    def rows(self, chip: Chip) -> list[list[Base]]:
        """For every dtype row a legal call for each combination of enum values; found and kept once."""
        known = self._rows_of.get(chip.id)
        if known is None:
            self._kept.pool = []
            known = self._rows_of[chip.id] = list(self._rows(chip))
        return known

    def _rows(self, chip: Chip) -> Iterator[list[Base]]:
        for row in self._operator.dtypes.rows_of(chip.id) or (None,):
            bases: list[Base] = []
            dtypes = () if row is None else row.dtypes
            for values, plan in self._search.cases(Plan(chip, dtypes)):
                case = "_".join(spelt(value) for value in values)
                found = self._kept.legal(plan, (), case, *dict.fromkeys(dtypes), case)
                if isinstance(found, Base):
                    bases.append(found)
                else:
                    choice = " ".join((*dtypes, case))
                    self.unreached.append(Unreached(chip.id, choice, found.id))
            yield bases

    def _variants(self, bases: Iterable[Base]) -> None:
        """Each optional input passed where the usual call leaves it out; reserved ones passed."""
        ignored = [i.name for i in self._operator.inputs if i.presence is Presence.IGNORED]
        for base in bases:
            plan = base.legal.plan
            free = [
                name
                for name in self._search.optional
                if self._search.builder.presence(name, plan) is Presence.OPTIONAL
            ]
            for name in free:
                self._kept.legal(plan.with_passed(name, True), (name,), base.case, base.case, "with", name)
            if len(free) > 1:
                everything = plan._replace(passed={**plan.passed, **dict.fromkeys(free, True)})
                self._kept.legal(everything, free, base.case, base.case, "with_all_optional")
            if ignored:
                reserved = plan._replace(passed={**plan.passed, **dict.fromkeys(ignored, True)})
                self._kept.legal(reserved, ignored, base.case, base.case, "with_reserved")

    def _attr_edges(self, bases: list[Base]) -> None:
        """Every listed value of an attribute and the ends of its range."""
        for attr in self._operator.attrs:
            if attr.name in self._search.pinned:
                continue
            domain = self._search.builder.attr_domain(attr.name, bases[0].legal.plan)
            for value in domain.edges():
                if value != domain.usual and (attr.name, value) not in self._reached:
                    self._first_legal(bases, attr, value)

    def _first_legal(self, bases: list[Base], attr: Attr, value: AttrValue) -> None:
        for base in bases[:_BASES_TRIED]:
            plan = base.legal.plan.with_attr(attr.name, value)
            if isinstance(self._kept.legal(plan, (attr.name,), base.case, attr.name, spelt(value)), Base):
                return

    def _dim_edges(self, bases: list[Base]) -> None:
        """Every listed size of a dim and the ends of its range."""
        for name in (dim.name for dim in self._search.builder.free_dims):
            base = next((b for b in bases if self._search.has_dim(name, b.legal)), None)
            if base is None:
                continue
            plan = base.legal.plan
            for size in self._search.builder.domain(name, plan).edges():
                self._kept.legal(plan.with_dim(name, size), (name,), base.case, name, str(size))

    def _rest_edges(self, bases: list[Base]) -> None:
        """The shortest and the longest run of each rest."""
        plan, case = bases[0].legal.plan, bases[0].case
        for rest in self._operator.rests:
            for length in dict.fromkeys((rest.min_rank, rest.max_rank)):
                changed = plan.with_rest(rest.name, tuple(range(2, 2 + length)))
                self._kept.legal(changed, (rest.name,), case, rest.name, f"{length}_dims")

    # ------------------------------------------------------------------ forms of shapes

    def _forms(self, base: Base, *, named: bool) -> None:
        """Every combination of what shapes depend on beside enums; one by one where they are too many."""
        plan = base.legal.plan
        axes = [axis for axis in (*self._attr_axes(plan), *self._option_axes(base)) if len(axis) > 1]
        if prod(map(len, axes)) <= _MOST_FORMS:
            combined = list(product(*axes))
        else:
            combined = [(form,) for axis in axes for form in axis]
        dtypes = dict.fromkeys(plan.row) if named else ()
        for forms in combined:
            changed = [form for form in forms if not form.usual]
            if changed:
                self._form(base, changed, (*dtypes, base.case))

    def _form(self, base: Base, forms: Iterable[_Form], name: tuple[str, ...]) -> None:
        plan = base.legal.plan
        for form in forms:
            plan = form.chosen(plan)
        attrs = [form.name for form in forms if form.is_attr]
        labels = [self._label(form, plan) for form in forms]
        found = self._kept.legal(plan, attrs, base.case, *name, *labels)
        if isinstance(found, Base):
            self._reached.update((form.name, form.value) for form in forms if form.is_attr)

    def _label(self, form: _Form, plan: Plan) -> str:
        if form.is_attr:
            return f"{form.name}_{spelt(form.value)}"
        sizes = self._sizes(form.name, plan)
        others = self._sizes(form.name, plan.with_option(form.name, 0))
        differing = [size for size, other in zip(sizes, others, strict=True) if size != other]
        return f"{form.name}_{spelt(tuple(differing))}"

    def _sizes(self, name: str, plan: Plan) -> tuple[int, ...]:
        """The shape of an input that ``plan`` passes; empty where it has no value."""
        arg = self._search.arg(name, plan)
        if isinstance(arg, tuple):
            arg = next(iter(arg), None)
        return () if arg is None else arg.shape

    def _attr_axes(self, plan: Plan) -> Iterator[list[_Form]]:
        for attr in self._operator.attrs:
            if attr.name not in self._shaping:
                continue
            domain = self._search.builder.attr_domain(attr.name, plan)
            if domain.listed:
                yield [_Form(attr.name, v, True, v == domain.usual) for v in domain.edges()]

    def _option_axes(self, base: Base) -> Iterator[list[_Form]]:
        for name, count in self._search.builder.options.items():
            if name in base.legal.call.inputs:
                yield [_Form(name, option, False, option == 0) for option in range(count)]


def _shape_exprs(operator: Operator) -> Iterator[Expr]:
    """What the shapes of inputs and outputs depend on."""
    shapes = (*(i.shape for i in operator.inputs), *(o.shape for o in operator.outputs))
    for choice in shapes:
        for path, shape in walk_choice(choice) if choice is not None else ():
            yield from (case.selector for case in path)
            for item in shape.items:
                if isinstance(item, DimItem):
                    yield from item.options
                    if item.size is not None:
                        yield item.size
                    if item.dim is not None:
                        yield Ref(INT, item.span, RefKind.DIM, item.dim)
