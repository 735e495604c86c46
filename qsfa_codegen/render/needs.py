"""What a set of expressions reads, through dims, derived values and records down to the call itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qsfa_codegen.expr.nodes import Call, Expr, ParamQuery, Ref, RefKind, walk
from qsfa_codegen.spec.model import DtypeRef, Presence

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Input, Operator


@dataclass(slots=True)
class Needs:
    """Names that are read, directly or through others; ``functions`` are those called by name."""

    found: dict[RefKind, set[str]] = field(default_factory=dict)
    inputs: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)

    def names(self, kind: RefKind) -> set[str]:
        """Names of one kind."""
        return self.found.get(kind, set())


def needs(operator: Operator, exprs: Iterable[Expr]) -> Needs:
    """What ``exprs`` read of a call of ``operator``."""
    result = Needs()
    expand = _Expansion(operator)
    pending = list(exprs)
    while pending:
        for node in walk(pending.pop()):
            if isinstance(node, ParamQuery):
                result.inputs.add(node.param)
            elif isinstance(node, Call):
                result.functions.add(node.function)
            elif isinstance(node, Ref):
                names = result.found.setdefault(node.kind, set())
                if node.name not in names:
                    names.add(node.name)
                    result.inputs.update(expand.inputs(node))
                    pending.extend(expand.exprs(node))
    return result


def carrier(operator: Operator, column: str) -> Input | None:
    """The input that tells a call's dtype of a column: one that is always passed, where there is one."""
    carriers = [i for i in operator.inputs if i.dtype == DtypeRef(column=column)]
    always = [i for i in carriers if i.presence is Presence.REQUIRED]
    return next(iter(always or carriers), None)


class _Expansion:
    def __init__(self, operator: Operator) -> None:
        self._operator = operator
        self._lets = {let.name: let for let in operator.lets}
        if operator.tiling is not None:
            self._lets.update({let.name: let for let in operator.tiling.lets})
        self._dims = {dim.name: dim for dim in operator.dims}
        self._records = {record.name: record for record in operator.records}
        self._rests = {rest.name: rest for rest in operator.rests}

    def exprs(self, node: Ref) -> Iterator[Expr]:
        """Expressions that a name stands for."""
        if node.kind in (RefKind.LET, RefKind.TILING_LET):
            yield self._lets[node.name].value
        elif node.kind is RefKind.DIM:
            yield self._dims[node.name].value
        elif node.kind is RefKind.RECORD:
            record = self._records[node.name]
            yield record.elements
            yield from record.offsets

    def inputs(self, node: Ref) -> Iterator[str]:
        """Inputs that a name is a fact about."""
        if node.kind is RefKind.REST:
            yield from self._observed(node.name)
        elif node.kind is RefKind.COLUMN:
            found = carrier(self._operator, node.name)
            if found is not None:
                yield found.name

    def _observed(self, rest: str) -> Iterator[str]:
        yield self._rests[rest].input
        for behind in self._rests[rest].rests_after:
            yield from self._observed(behind)
