"""What an expression says on a chip, spelt so that two operators can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from msgspec.structs import replace

from qsfa_codegen.expr.build import strip
from qsfa_codegen.expr.memo import once_an_operator
from qsfa_codegen.expr.nodes import INT, Call, Contains, Expr, Literal, ParamQuery, Ref, RefKind, refs, walk
from qsfa_codegen.expr.rewrite import bottom_up, substitute
from qsfa_codegen.expr.specialize import specialize
from qsfa_codegen.review.form import bare
from qsfa_codegen.spec.model import Chip, Operator

_SELECTORS = (RefKind.CHIP, RefKind.ARCH, RefKind.ATTR)


def _sorted(node: Expr) -> Expr:
    """Accepted values in a fixed order: another one accepts the same."""
    if isinstance(node, Contains) and all(isinstance(option, Literal) for option in node.options):
        return replace(node, options=tuple(sorted(node.options, key=lambda o: repr(getattr(o, "value", "")))))
    return node


class Meaning:
    """The expressions of one operator on one chip.

    Two of them that are spelt alike have the same value on every call; the contrary does not hold.
    """

    def __init__(self, operator: Operator, chip: Chip) -> None:
        self._operator = operator
        self._chip = chip
        self._definitions: dict[tuple[str, str], object] = {}
        self._consts = {(RefKind.CONST, c.name): Literal(INT, c.span, c.value) for c in operator.consts}

    def text(self, expr: Expr | None) -> object:
        """The expression itself, with constants as numbers and without what other chips have."""
        return None if expr is None else strip(self.here(expr))

    def of(self, exprs: Iterable[Expr | None]) -> object:
        """The expressions and everything that they depend on."""
        found: dict[tuple[str, str], object] = {}
        texts = []
        for expr in exprs:
            texts.append(self.text(expr))
            if expr is not None:
                self._collect(self.here(expr), found)
        return (tuple(texts), tuple(sorted(found.items(), key=lambda item: item[0])))

    def here(self, expr: Expr) -> Expr:
        """What is left of an expression on the chip, constants as numbers."""
        return bottom_up(specialize(substitute(expr, self._consts), self._chip.id, self._chip.arch), _sorted)

    def _collect(self, expr: Expr, found: dict[tuple[str, str], object]) -> None:
        for node in walk(expr):
            for key in self._keys(node):
                if key in found:
                    continue
                inner, facts = self._behind(key)
                here = [self.here(part) for part in inner]
                found[key] = (tuple(strip(part) for part in here), facts)
                for part in here:
                    self._collect(part, found)

    def _keys(self, node: Expr) -> Iterator[tuple[str, str]]:
        match node:
            case Ref(kind=kind, name=name) if kind not in _SELECTORS:
                yield kind.value, name
            case ParamQuery(param=param):
                yield "input", param
            case Call(function="code", args=args) if args[0].type.enum:
                yield "enum", args[0].type.enum

    def _behind(self, key: tuple[str, str]) -> tuple[tuple[Expr, ...], object]:
        """The expressions behind a name, and what else it stands for."""
        kind, name = key
        operator = self._operator
        match kind:
            case "let" | "tiling let":
                return (self._lets[name],), None
            case "dim":
                return (next(d.value for d in operator.dims if d.name == name),), None
            case "record":
                record = next(r for r in operator.records if r.name == name)
                return (record.elements, *record.offsets), tuple(f.name for f in record.fields)
            case "rest":
                return (), bare(next(r for r in operator.rests if r.name == name))
            case "dtype column":
                matrix = operator.dtypes
                carriers = tuple(i.name for i in operator.inputs if i.dtype.column == name)
                return (), (carriers, dict(matrix.select).get(name), dict(matrix.unbound).get(name))
            case "platform":
                chip = self._chip
                return (), (chip.aic, chip.aiv, chip.ub, chip.libapi_workspace)
            case "enum":
                found = next(e for e in operator.enums if e.name == name)
                return (), tuple((label.name, label.code) for label in found.labels)
            case "input":
                param = next(i for i in operator.inputs if i.name == name)
                return (), (param.kind, param.empty_is_absent)
        return (), None

    @cached_property
    def _lets(self) -> Mapping[str, Expr]:
        tiling = self._operator.tiling
        return {n.name: n.value for n in (*self._operator.lets, *(tiling.lets if tiling is not None else ()))}


Name = tuple[RefKind, str]


@once_an_operator
def definitions(operator: Operator) -> Mapping[Name, Expr | int]:
    """What a name inside of a spec stands for."""
    tiling_lets = () if operator.tiling is None else operator.tiling.lets
    return {
        **{(RefKind.CONST, c.name): c.value for c in operator.consts},
        **{(RefKind.DIM, d.name): d.value if d.derived is None else d.derived for d in operator.dims},
        **{(RefKind.LET, n.name): n.value for n in operator.lets},
        **{(RefKind.TILING_LET, n.name): n.value for n in tiling_lets},
    }


def named(operator: Operator, exprs: Iterable[Expr]) -> tuple[Name, ...]:
    """Names that expressions depend on, those that they name themselves first."""
    known = definitions(operator)
    found: dict[Name, None] = {}
    pending = list(exprs)
    for expr in pending:
        for name in refs(expr):
            if name in known and name not in found:
                found[name] = None
                value = known[name]
                pending += [] if isinstance(value, int) else [value]
    return tuple(found)
