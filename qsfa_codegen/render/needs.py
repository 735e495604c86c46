"""What a set of expressions reads, through dims, derived values and records down to the call itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.expr.build import ref, strip
from qsfa_codegen.expr.memo import once_an_operator, once_each
from qsfa_codegen.expr.nodes import INT, Expr, ParamQuery, Query, Ref, RefKind, walk
from qsfa_codegen.expr.rewrite import written_out
from qsfa_codegen.expr.specialize import Dependencies, depends_on
from qsfa_codegen.spec.columns import column_dtype
from qsfa_codegen.spec.model import Dim, Record, Rest

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Check, Operator


_SIZES = (Query.DIM, Query.NUMEL, Query.DIMS)


class Needs(Struct, frozen=True):
    """Names and inputs that are read, directly or through others."""

    refs: frozenset[tuple[RefKind, str]]
    inputs: frozenset[str]

    def names(self, *kinds: RefKind) -> frozenset[str]:
        """Names of some kinds."""
        return frozenset(name for kind, name in self.refs if kind in kinds)


def needs(operator: Operator, exprs: Iterable[Expr]) -> Needs:
    """What ``exprs`` read of a call of ``operator``."""
    found = list(map(_dependencies(operator), exprs))
    refs = frozenset(ref for part in found for ref in part.refs)
    asked = (name for part in found for name in part.params)
    carriers = (name for kind, name in refs for name in _inputs_behind(operator, kind, name))
    return Needs(refs, frozenset((*asked, *carriers)))


def size_leaves(operator: Operator, expr: Expr) -> list[Expr]:
    """The sizes of inputs that ``expr`` asks for, through derived values and records, each once."""
    lets: dict[tuple[RefKind, str], Expr] = {(RefKind.LET, let.name): let.value for let in operator.lets}
    found = {
        strip(node): node
        for node in walk(written_out(expr, lets))
        if (isinstance(node, Ref) and node.kind in (RefKind.DIM, RefKind.REST))
        or (isinstance(node, ParamQuery) and node.query in _SIZES)
    }
    behind = (
        ref(RefKind.DIM, name, INT, expr.span) for name in sorted(needs(operator, [expr]).names(RefKind.DIM))
    )
    return list({**found, **{strip(node): node for node in behind if strip(node) not in found}}.values())


def exprs_of(check: Check) -> tuple[Expr, ...]:
    """The expressions of a check."""
    return (check.require,) if check.when is None else (check.when, check.require)


@once_an_operator
def _dependencies(operator: Operator) -> Callable[[Expr], Dependencies]:
    """What an expression of the operator depends on, worked out once for each."""
    lets = {let.name: let.value for let in operator.lets}
    if operator.tiling is not None:
        lets.update({let.name: let.value for let in operator.tiling.lets})

    def definition(kind: RefKind, name: str) -> Expr | None:
        match kind:
            case RefKind.LET | RefKind.TILING_LET:
                return lets[name]
            case RefKind.DIM:
                return operator.find(Dim, name).value
            case RefKind.RECORD:
                return operator.find(Record, name).elements
            case RefKind.COLUMN:
                return column_dtype(operator, name, operator.dtypes.span)
        return None

    return once_each(lambda expr: depends_on(expr, definition))


def _inputs_behind(operator: Operator, kind: RefKind, name: str) -> Iterator[str]:
    """Inputs that a name is a fact about, though no expression asks them."""
    if kind is RefKind.REST:
        rest = operator.find(Rest, name)
        yield rest.input
        for behind in rest.rests_after:
            yield from _inputs_behind(operator, kind, behind)
