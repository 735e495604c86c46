"""Calls that a spec implies: legal ones, their edges, and for each rule a call that breaks it alone.

What is expected of a call follows from how it was made (a legal choice, or the rule that was broken
on purpose), and the evaluator confirms it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import prod
from typing import NamedTuple

from msgspec.structs import replace

from qsfa_codegen.contract.breaking import Breaker, spelt
from qsfa_codegen.contract.calls import UNKNOWN_DIM, UNKNOWN_RANK, Call, InputArg, Stage, TensorArg
from qsfa_codegen.contract.evaluate import ContentCheck, Evaluator
from qsfa_codegen.contract.plan import Plan
from qsfa_codegen.contract.search import Blocked, Legal, Search
from qsfa_codegen.expr.nodes import Ref, RefKind, walk
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Attr, AttrValue, Check, CheckKind, Chip, Operator, Presence
from qsfa_codegen.spec.names import output_check

_OK: Mapping[str, object] = {"status": "ok"}
_BASES_TRIED = 8
_BASES_TRIED_FOR_CONSTRAINT = 3
_BASES_TRIED_FOR_FIELD = 2


class Unbroken(NamedTuple):
    """A rule for which no call was found, on any chip, that breaks it alone."""

    id: str
    reason: str


class Unreached(NamedTuple):
    """A combination of dtypes and enum values for which no legal call was found."""

    chip: str
    choice: str
    blocked_by: str


class Derivation(NamedTuple):
    """The calls in a fixed order, and what could not be derived."""

    calls: tuple[Call, ...]
    unbroken: tuple[Unbroken, ...]
    unreached: tuple[Unreached, ...]


def derive(operator: Operator, evaluator: Evaluator | None = None) -> Derivation:
    """Every call that the spec of ``operator`` implies. Same operator, same calls, same ids."""
    return _Deriver(evaluator or Evaluator(operator)).run()


class _Base(NamedTuple):
    """A legal call of one dtype row and one combination of enum values, and a name for the latter."""

    case: str
    legal: Legal


class _Deriver:
    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._operator = evaluator.operator
        self._search = Search(evaluator)
        self._breaker = Breaker(self._search)
        self._calls: dict[str, Call] = {}
        self._pool: list[_Base] = []  # the legal calls of the chip at hand
        self._common: dict[str, list[tuple[str, Call]]] = {}  # chip → what holds for its twins too
        self._attempts: dict[int, int] = {}  # check → legal calls that were changed
        self._done: set[int] = set()  # checks that some call breaks alone
        self._unbroken: list[Unbroken] = []
        self._unreached: list[Unreached] = []

    def run(self) -> Derivation:
        """Derive everything."""
        for chip in self._operator.chips:
            twin = self._twin(chip)
            if twin is None:
                self._derive(chip, first=chip is self._operator.chips[0])
            else:
                self._copy(twin, chip)
        return Derivation(tuple(self._calls.values()), self._never_broken(), tuple(self._unreached))

    def _twin(self, chip: Chip) -> Chip | None:
        """An earlier chip of which the same is true, as far as any rule can tell."""
        if any(_names_chips(rule.check) for rule in self._evaluator.rules):
            return None
        matrix = self._operator.dtypes
        alike = {c.id: (c.arch, [row.dtypes for row in matrix.rows_of(c.id)]) for c in self._operator.chips}
        twin = next(c for c in self._operator.chips if alike[c.id] == alike[chip.id])
        return None if twin is chip else twin

    def _copy(self, twin: Chip, chip: Chip) -> None:
        for name, call in self._common.get(twin.id, ()):
            self._keep(replace(call, chip=chip.id), call.expect or _OK, chip.id, name)
        same = [u._replace(chip=chip.id) for u in self._unreached if u.chip == twin.id]
        self._unreached.extend(same)

    def _derive(self, chip: Chip, *, first: bool) -> None:
        self._pool = []
        first_row, others = self._bases(chip)
        bases = [*first_row, *others]
        if not bases:
            return
        self._variants(first_row)
        self._attr_edges(bases)
        self._dim_edges(bases)
        self._rest_edges(bases)
        self._breaks(each_case=first)
        if first:
            self._once(first_row)

    def _never_broken(self) -> tuple[Unbroken, ...]:
        checks = (rule.check for rule in self._evaluator.rules if id(rule.check) not in self._done)
        found = [Unbroken(check.id, _vain(self._attempts.get(id(check), 0))) for check in checks]
        return tuple(dict.fromkeys((*found, *self._unbroken)))

    # ------------------------------------------------------------------ keeping

    def _legal(self, plan: Plan, pinned: Iterable[str], case: str, *name: str) -> _Base | Blocked:
        """Keep the legal call nearest to a plan; later it serves to be broken."""
        found = self._search.solve(plan, frozenset(pinned) | self._search.pinned)
        if isinstance(found, Blocked):
            return found
        self._keep(found.call, _OK, plan.chip.id, "ok", *name, common=True)
        base = _Base(case, found)
        self._pool.append(base)
        return base

    def _keep(
        self, call: Call, expect: Mapping[str, object], chip: str, *name: str, common: bool = False
    ) -> None:
        """Keep a call under a name that no other one has; ``common``: it holds for twins of the chip."""
        wanted = "_".join(part.lower() for part in (chip, *name) if part)
        id, number = wanted, 1
        while id in self._calls:
            number += 1
            id = f"{wanted}_{number}"
        kept = self._calls[id] = call.named(id, expect)
        if common:
            self._common.setdefault(chip, []).append((id[len(chip) + 1 :], kept))

    def _keep_broken(self, call: Call, id: str, *name: str, common: bool = False) -> None:
        self._keep(call, _rejected(id), call.chip, "breaks", id, *name, common=common)

    # ------------------------------------------------------------------ legal calls

    def _bases(self, chip: Chip) -> tuple[list[_Base], list[_Base]]:
        """A legal call for every dtype row and combination of enum values; the first row apart."""
        first: list[_Base] = []
        others: list[_Base] = []
        for number, row in enumerate(self._operator.dtypes.rows_of(chip.id) or (None,)):
            dtypes = () if row is None else row.dtypes
            for values, plan in self._search.cases(Plan(chip, dtypes)):
                case = "_".join(spelt(value) for value in values)
                found = self._legal(plan, (), case, *dict.fromkeys(dtypes), case)
                if isinstance(found, _Base):
                    (others if number else first).append(found)
                else:
                    choice = " ".join((*dtypes, case))
                    self._unreached.append(Unreached(chip.id, choice, found.check.id))
        return first, others

    def _variants(self, bases: Iterable[_Base]) -> None:
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
                self._legal(plan.with_passed(name, True), (name,), base.case, base.case, "with", name)
            if len(free) > 1:
                everything = plan._replace(passed={**plan.passed, **dict.fromkeys(free, True)})
                self._legal(everything, free, base.case, base.case, "with_all_optional")
            if ignored:
                reserved = plan._replace(passed={**plan.passed, **dict.fromkeys(ignored, True)})
                self._legal(reserved, ignored, base.case, base.case, "with_reserved")

    def _attr_edges(self, bases: list[_Base]) -> None:
        """Every listed value of an attribute and the ends of its range."""
        for attr in self._operator.attrs:
            if attr.name in self._search.pinned:
                continue
            domain = self._search.builder.attr_domain(attr.name, bases[0].legal.plan)
            for value in domain.edges():
                if value != domain.usual:
                    self._first_legal(bases, attr, value)

    def _first_legal(self, bases: list[_Base], attr: Attr, value: AttrValue) -> None:
        for base in bases[:_BASES_TRIED]:
            plan = base.legal.plan.with_attr(attr.name, value)
            if isinstance(self._legal(plan, (attr.name,), base.case, attr.name, spelt(value)), _Base):
                return

    def _dim_edges(self, bases: list[_Base]) -> None:
        """Every listed size of a dim and the ends of its range."""
        for dim in self._search.builder.free_dims:
            base = next((b for b in bases if self._search.has_dim(dim.name, b.legal)), None)
            if base is None:
                continue
            plan = base.legal.plan
            for size in self._search.builder.domain(dim.name, plan).edges():
                self._legal(plan.with_dim(dim.name, size), (dim.name,), base.case, dim.name, str(size))

    def _rest_edges(self, bases: list[_Base]) -> None:
        """The shortest and the longest run of each rest."""
        plan, case = bases[0].legal.plan, bases[0].case
        for rest in self._operator.rests:
            for length in dict.fromkeys((rest.min_rank, rest.max_rank)):
                dims = tuple(range(2, 2 + length))
                self._legal(plan.with_rest(rest.name, dims), (rest.name,), case, rest.name, f"{length}_dims")

    # ------------------------------------------------------------------ broken calls

    def _breaks(self, *, each_case: bool) -> None:
        """For every check a call that breaks it alone; with ``each_case`` in every case it depends on."""
        enums = frozenset(a.name for a in self._search.enums)
        for rule in self._evaluator.rules:
            check = rule.check
            depends = each_case and check.kind is not CheckKind.ATTR
            depends = depends and bool(self._search.reads[id(check)].attrs & enums)
            most = _BASES_TRIED_FOR_CONSTRAINT if check.kind is CheckKind.CONSTRAINT else _BASES_TRIED
            done: set[str] = set()  # cases; once there is one, every other case is tried once
            tried = 0
            broken = False
            for base in self._applying(check):
                if broken and base.case in done:
                    continue
                if tried == most or (broken and not depends):
                    break
                tried += 1
                alone = self._break(check, base, first=not broken)
                broken = broken or alone
                if broken:
                    done.add(base.case)
            if broken:
                self._done.add(id(check))
            self._attempts[id(check)] = self._attempts.get(id(check), 0) + tried

    def _applying(self, check: Check) -> Iterator[_Base]:
        """Legal calls to which the check applies; where there is none, one that is changed until it does."""
        found = False
        for base in self._pool:
            if self._search.applies(check, base.legal):
                found = True
                yield base
        if found:
            return
        reads = self._search.index.of((check.when,))
        for plan in self._search.moves(self._pool[0].legal.plan, reads):
            legal = self._search.solve(plan, reads.attrs)
            if isinstance(legal, Legal) and self._search.applies(check, legal):
                yield _Base("", legal)
                return

    def _break(self, check: Check, base: _Base, *, first: bool) -> bool:
        """Keep calls that break the check alone: one, or the first time all beside a declared domain."""
        several = first and check.kind in (CheckKind.ATTR, CheckKind.DIM) and bool(check.establishes)
        done = False
        for edit in self._breaker.edits(check, base.legal):
            broken = self._search.broken(edit.call, base.legal.call)
            if [b.check for b in broken] == [check]:
                case = base.case if check.kind is not CheckKind.ATTR else ""
                self._keep_broken(edit.call, check.id, edit.label, case, common=first)
                done = True
                if not several:
                    break
        return done

    # ------------------------------------------------------------------ once for an operator

    def _once(self, bases: list[_Base]) -> None:
        first = bases[0].legal
        self._unsupported_chip(first.call)
        self._attr_counts(first)
        self._fits(bases)
        self._allocated(first.call)
        self._contents()
        for base in bases:
            self._unknowns(base)

    def _unsupported_chip(self, call: Call) -> None:
        for product_family in self._operator.unsupported[:1]:
            elsewhere = replace(call, chip=product_family.id)
            self._keep(elsewhere, _rejected("chip"), "breaks_chip", product_family.id)

    def _attr_counts(self, legal: Legal) -> None:
        """Graphs that supply fewer attributes: as few as is legal, and one too few of the required."""
        attrs = self._operator.attrs
        calls = {count: replace(legal.call, attr_count=count) for count in range(len(attrs))}
        faults = {count: self._faults_of(call) for count, call in calls.items()}
        for attr in attrs:
            if attr.required:
                id = f"{attr.name}_presence"
                if faults[attr.index] == [id]:
                    self._keep_broken(calls[attr.index], id)
                else:
                    others = ", ".join(fault for fault in faults[attr.index] if fault != id)
                    reason = f"attributes are supplied in order: {others} breaks too"
                    self._unbroken.append(Unbroken(id, reason))
        fewest = next((count for count, found in faults.items() if not found), None)
        if fewest is not None:
            self._keep(calls[fewest], _OK, legal.plan.chip.id, "ok", f"{fewest}_attributes")

    def _faults_of(self, call: Call) -> list[str]:
        missing = [f"{name}_presence" for name in self._search.missing(call)]
        return missing + [broken.check.id for broken in self._search.broken(call)]

    def _fits(self, bases: list[_Base]) -> None:
        """For every tiling field that some size can overflow, a call that does."""
        for field in self._search.tiling_fields():
            for base in bases[:_BASES_TRIED_FOR_FIELD]:
                call = self._search.overflow(field, base.legal)
                if call is not None:
                    self._keep_broken(call, field.id, base.case)
                    break

    def _allocated(self, call: Call) -> None:
        """Outputs allocated as inferred, and each one with another shape or dtype."""
        right = dict(self._evaluator.evaluate(call).outputs)
        if not right:
            return
        self._keep(replace(call, outputs=right), _OK, call.chip, "ok_allocated")
        for name, tensor in right.items():
            other_shape = replace(tensor, shape=(*tensor.shape, 1))
            other_dtype = replace(tensor, dtype=next(d for d in DTYPES if d != tensor.dtype))
            for what, wrong in (("shape", other_shape), ("dtype", other_dtype)):
                broken = replace(call, outputs={**right, name: wrong})
                self._keep_broken(broken, output_check(name, what))

    def _contents(self) -> None:
        """For every rule about data that tiling checks, data that obeys it and data that does not."""
        for content in self._evaluator.contents:
            for base in self._pool:
                call = base.legal.call
                if all(isinstance(call.inputs.get(name), TensorArg) for name in content.inputs):
                    self._contents_of(content, call)
                    break

    def _contents_of(self, content: ContentCheck, call: Call) -> None:
        id = content.rule.id
        wanted = {True: _OK, False: _rejected(id)}
        for make in _DATA:
            inputs = dict(call.inputs)
            for name in content.inputs:
                tensor = call.inputs[name]
                assert isinstance(tensor, TensorArg)
                inputs[name] = TensorArg(tensor.dtype, tensor.shape, _as_dtype(tensor, make))
            filled = call.with_inputs(inputs)
            broken = [b.rule.id for b in self._evaluator.broken_contents(self._search.env(filled))]
            legal = not broken
            if legal in wanted and broken in ([], [id]):
                name = "ok" if legal else "breaks"
                self._keep(filled, wanted.pop(legal), call.chip, name, id)

    def _unknowns(self, base: _Base) -> None:
        """Shape inference with every dim unknown, and with each input's rank unknown."""
        call = replace(base.legal.call, stage=Stage.INFER)
        dims = {name: _each(arg, _unknown_dims) for name, arg in call.inputs.items()}
        self._keep(replace(call, inputs=dims), _OK, call.chip, "infer_unknown_dims", base.case)
        ranks = {name: _each(arg, _unknown_rank) for name, arg in call.inputs.items()}
        self._keep(replace(call, inputs=ranks), _OK, call.chip, "infer_unknown_ranks", base.case)


def _names_chips(check: Check) -> bool:
    exprs = (check.require,) if check.when is None else (check.when, check.require)
    return any(isinstance(n, Ref) and n.kind is RefKind.CHIP for expr in exprs for n in walk(expr))


def _vain(tried: int) -> str:
    if not tried:
        return "no legal call was found to which it applies"
    return f"{tried} legal calls were changed, and each change broke nothing or other rules too"


def _ascending(count: int) -> tuple[int, ...]:
    return tuple(range(count))


def _descending(count: int) -> tuple[int, ...]:
    return tuple(range(count, 0, -1))


def _negative(count: int) -> tuple[int, ...]:
    return (-1,) * count


def _ones(count: int) -> tuple[int, ...]:
    return (1,) * count


_DATA = (_ascending, _descending, _negative, _ones)


def _as_dtype(tensor: TensorArg, make: Callable[[int], tuple[int, ...]]) -> tuple[int, ...]:
    """Data for all elements of a tensor, flags as 0 and 1."""
    data = make(prod(tensor.shape))
    return tuple(value % 2 for value in data) if tensor.dtype == "bool" else data


def _rejected(id: str) -> Mapping[str, object]:
    return {"status": "rejected", "violations": [{"constraint": id}]}


def _each(arg: InputArg, change: Callable[[TensorArg], TensorArg]) -> InputArg:
    return change(arg) if isinstance(arg, TensorArg) else tuple(change(tensor) for tensor in arg)


def _unknown_dims(tensor: TensorArg) -> TensorArg:
    return TensorArg(tensor.dtype, (UNKNOWN_DIM,) * len(tensor.shape))


def _unknown_rank(tensor: TensorArg) -> TensorArg:
    return TensorArg(tensor.dtype, UNKNOWN_RANK)
