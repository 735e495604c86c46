"""Calls that are derived once for an operator, from the legal calls of its first chip."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from msgspec.structs import replace

from qsfa_codegen.contract.calls import (
    UNKNOWN_DIM,
    UNKNOWN_RANK,
    Call,
    Stage,
    TensorArg,
    each_tensor,
)
from qsfa_codegen.contract.evaluate import ContentCheck
from qsfa_codegen.contract.kept import OK, Base, Kept, Unbroken, rejected
from qsfa_codegen.contract.search import Legal, Search
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.names import output_check

_BASES_TRIED_FOR_FIELD = 2


class SingleCalls:
    """Finds and keeps them."""

    def __init__(self, search: Search, kept: Kept) -> None:
        self._search = search
        self._kept = kept
        self._operator = search.operator
        self._evaluator = search.evaluator
        self.unbroken: list[Unbroken] = []

    def find(self, bases: list[Base]) -> None:
        """Keep everything that ``bases``, the legal calls of one dtype row, give."""
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
            self._kept.keep(elsewhere, rejected("chip"), "breaks_chip", product_family.id)

    def _attr_counts(self, legal: Legal) -> None:
        """Graphs that supply fewer attributes: as few as is legal, and one too few of the required."""
        attrs = self._operator.attrs
        calls = {count: replace(legal.call, attr_count=count) for count in range(len(attrs))}
        faults = {count: self._faults_of(call) for count, call in calls.items()}
        for attr in attrs:
            if attr.required:
                id = f"{attr.name}_presence"
                if faults[attr.index] == [id]:
                    self._kept.keep_broken(calls[attr.index], id)
                else:
                    others = ", ".join(fault for fault in faults[attr.index] if fault != id)
                    reason = f"attributes are supplied in order: {others} breaks too"
                    self.unbroken.append(Unbroken(id, reason))
        fewest = next((count for count, found in faults.items() if not found), None)
        if fewest is not None:
            self._kept.keep(calls[fewest], OK, legal.plan.chip.id, "ok", f"{fewest}_attributes")

    def _faults_of(self, call: Call) -> list[str]:
        missing = [f"{name}_presence" for name in self._search.missing(call)]
        return missing + [broken.check.id for broken in self._search.broken(call)]

    def _fits(self, bases: list[Base]) -> None:
        """For every tiling field that some size can overflow, a call that does."""
        for field in self._search.tiling_fields():
            for base in bases[:_BASES_TRIED_FOR_FIELD]:
                call = self._search.overflow(field, base.legal)
                if call is not None:
                    self._kept.keep_broken(call, field.id, base.case)
                    break

    def _allocated(self, call: Call) -> None:
        """Outputs allocated as inferred, and each one with another shape or dtype."""
        right = dict(self._evaluator.evaluate(call).outputs)
        if not right:
            return
        self._kept.keep(replace(call, outputs=right), OK, call.chip, "ok_allocated")
        for name, tensor in right.items():
            other_shape = replace(tensor, shape=(*tensor.shape, 1))
            other_dtype = replace(tensor, dtype=next(d for d in DTYPES if d != tensor.dtype))
            for what, wrong in (("shape", other_shape), ("dtype", other_dtype)):
                broken = replace(call, outputs={**right, name: wrong})
                self._kept.keep_broken(broken, output_check(name, what))

    def _contents(self) -> None:
        """For every rule about data that tiling checks, data that obeys it and data that does not."""
        for content in self._evaluator.contents:
            for base in self._kept.pool:
                call = base.legal.call
                if all(isinstance(call.inputs.get(name), TensorArg) for name in content.inputs):
                    self._contents_of(content, call)
                    break

    def _contents_of(self, content: ContentCheck, call: Call) -> None:
        id = content.rule.id
        wanted = {True: OK, False: rejected(id)}
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
                self._kept.keep(filled, wanted.pop(legal), call.chip, name, id)

    def _unknowns(self, base: Base) -> None:
        """Shape inference with every dim unknown, and with each input's rank unknown."""
        call = replace(base.legal.call, stage=Stage.INFER)
        dims = {name: each_tensor(arg, _unknown_dims) for name, arg in call.inputs.items()}
        self._kept.keep(replace(call, inputs=dims), OK, call.chip, "infer_unknown_dims", base.case)
        ranks = {name: each_tensor(arg, _unknown_rank) for name, arg in call.inputs.items()}
        self._kept.keep(replace(call, inputs=ranks), OK, call.chip, "infer_unknown_ranks", base.case)


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


def _unknown_dims(tensor: TensorArg) -> TensorArg:
    return TensorArg(tensor.dtype, (UNKNOWN_DIM,) * len(tensor.shape))


def _unknown_rank(tensor: TensorArg) -> TensorArg:
    return TensorArg(tensor.dtype, UNKNOWN_RANK)
