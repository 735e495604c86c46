"""What differs between chips, which shape inference and torch do not know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from qsfa_codegen.expr.nodes import Expr, Ref, RefKind, walk
from qsfa_codegen.expr.specialize import depends_on, refs, substitute
from qsfa_codegen.spec.model import Dim, Operator, Record

_SELECTORS = frozenset({RefKind.CHIP, RefKind.ARCH})


def depends_on_chip(expr: Expr) -> bool:
    """Whether an expression itself goes by the chip; checks say so wherever it matters to them."""
    return any(isinstance(n, Ref) and n.kind in _SELECTORS for n in walk(expr))


def chip_lets(operator: Operator) -> Mapping[tuple[RefKind, str], Expr]:
    """Derived values that go by the chip, written out."""
    values = {let.name: let.value for let in operator.lets}

    @cache
    def written_out(name: str) -> Expr:
        inner = {name for kind, name in refs(values[name]) if kind is RefKind.LET}
        return substitute(values[name], by_chip(inner))

    def by_chip(names: Iterable[str]) -> dict[tuple[RefKind, str], Expr]:
        found = {(RefKind.LET, name): written_out(name) for name in names}
        return {key: value for key, value in found.items() if depends_on_chip(value)}

    return by_chip(values)


def observes_chip(operator: Operator, exprs: Iterable[Expr]) -> bool:
    """Whether some of the expressions go by the chip, through derived values and observed sizes too."""
    lets = {let.name: let.value for let in operator.lets}

    def behind(kind: RefKind, name: str) -> Expr | None:
        match kind:
            case RefKind.LET:
                return lets[name]
            case RefKind.DIM:
                return operator.find(Dim, name).value
            case RefKind.RECORD:
                return operator.find(Record, name).elements
        return None

    return any(kind in _SELECTORS for expr in exprs for kind, _ in depends_on(expr, behind).refs)
