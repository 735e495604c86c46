"""First pass over a spec: every name with its kind and type, before any expression is read."""

from __future__ import annotations

from qsfa_codegen.diagnostics import Related, Sink, Span
from qsfa_codegen.expr.nodes import (
    ARCH,
    BOOL,
    CHIP,
    DIMS,
    DTYPE,
    FLOAT,
    INT,
    RefKind,
    Type,
    enum_type,
)
from qsfa_codegen.expr.scope import ExternSymbol, Scope, Symbol
from qsfa_codegen.spec.attr_types import ATTR_TYPES
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import AttrType, Chip
from qsfa_codegen.spec.reader import Mapping, Node, Scalar, Sequence
from qsfa_codegen.spec.resolve.access import MalformedError, as_text, entries, items, keys, texts
from qsfa_codegen.spec.resolve.context import PLATFORM_VALUES, Context, LetTable, Symbols

EXTERN_TYPES = {"int64": INT, "bool": BOOL, "float": FLOAT}


def build_context(root: Mapping, chips: tuple[Chip, ...], faulty: frozenset[str], sink: Sink) -> Context:
    """The context with both scopes filled and every derived value noted for typing on demand.

    ``faulty`` are sections with errors in their form.
    """
    params = frozenset(keys(root.get("inputs")))
    records = _record_fields(root.get("records"))
    ambiguous = params.union(records, *records.values())
    lets = LetTable(sink, RefKind.LET, ambiguous)
    tiling_lets = LetTable(sink, RefKind.TILING_LET, ambiguous)
    symbols = Symbols(lets)
    tiling_symbols = Symbols(tiling_lets, symbols)
    declare = _Declarations(sink, symbols)
    tiling = root.get("tiling")
    enums = _enum_codes(root.get("enums"))
    scope = Scope(
        symbols=symbols,
        params=params,
        enums=enums,
        dtypes=frozenset(DTYPES),
        chips=frozenset(c.id for c in chips),
        archs=frozenset(c.arch for c in chips),
        records=records,
    )
    tiling_scope = Scope(
        symbols=tiling_symbols,
        params=params,
        enums=enums,
        dtypes=scope.dtypes,
        chips=scope.chips,
        archs=scope.archs,
        records=records,
        externs=_externs(tiling),
        groups=frozenset({"core", "tiling"}),
    )
    declare.all(root, enums)
    for key, span, node in _entries(root.get("let")):
        lets.nodes[key] = (span, node)
        declare.claim(key, span)
    for name in PLATFORM_VALUES:
        tiling_symbols.add(Symbol(RefKind.PLATFORM, name, INT))
    if isinstance(tiling, Mapping):
        for key, span, node in _entries(tiling.get("let")):
            tiling_lets.nodes[key] = (span, node)
            declare.claim(key, span)
    return Context(
        sink, root, chips, lets, tiling_lets, scope, symbols, tiling_scope, tiling_symbols, lost=set(faulty)
    )


class _Declarations:
    """Declares names and reports one that stands for two things."""

    def __init__(self, sink: Sink, symbols: Symbols) -> None:
        self._sink = sink
        self._symbols = symbols
        self._first: dict[str, Span] = {}

    def all(self, root: Mapping, enums: dict[str, dict[str, int]]) -> None:
        """Names of the spec except derived values, which are typed on demand."""
        for name, type, kind in (("chip", CHIP, RefKind.CHIP), ("arch", ARCH, RefKind.ARCH)):
            self._symbols.add(Symbol(kind, name, type))
        for name in _columns(root.get("dtypes")):
            self._symbols.add(Symbol(RefKind.COLUMN, name, DTYPE))
        for name in _rests(root.get("inputs")):
            self._symbols.add(Symbol(RefKind.REST, name, DIMS))
        for key, span, _ in _entries(root.get("consts")):
            self._declare(RefKind.CONST, key, INT, span)
        for key, span, _ in _entries(root.get("dims")):
            self._declare(RefKind.DIM, key, INT, span)
        for key, span, node in _entries(root.get("attrs")):
            self._declare(RefKind.ATTR, key, _attr_type(node, enums), span)

    def _declare(self, kind: RefKind, name: str, type: Type | None, span: Span) -> None:
        if not self.claim(name, span):
            return
        if type is None:
            self._symbols.lose(name, span)
        else:
            self._symbols.add(Symbol(kind, name, type))

    def claim(self, name: str, span: Span) -> bool:
        """Take a name; False (and an error) when something else has it."""
        reserved = name in DTYPES or name in PLATFORM_VALUES or name in ("chip", "arch")
        if reserved:
            self._sink.error("QS311", f"'{name}' is a word of the language", span, help="choose another name")
            return False
        first = self._first.setdefault(name, span)
        if first != span:
            self._sink.error(
                "QS312",
                f"'{name}' already names something else",
                span,
                help="consts, dims, attributes and derived values share one name space",
                related=(Related(first, "first used here"),),
            )
            return False
        return True


def _entries(node: Node | None) -> tuple[tuple[str, Span, Node], ...]:
    try:
        return entries(node)
    except MalformedError:
        return ()


def _attr_type(node: Node, enums: dict[str, dict[str, int]]) -> Type | None:
    if not isinstance(node, Mapping):
        return None
    enum, kind = node.get("enum"), node.get("type")
    if enum is not None:
        known = isinstance(enum, Scalar) and enum.text in enums
        return enum_type(as_text(enum)) if known else None
    try:
        return ATTR_TYPES[AttrType(kind.text)] if isinstance(kind, Scalar) else None
    except ValueError:
        return None


def _enum_codes(node: Node | None) -> dict[str, dict[str, int]]:
    codes: dict[str, dict[str, int]] = {}
    for name, _, body in _entries(node):
        labels: dict[str, int] = {}
        for label, _, value in _entries(body):
            code = value.get("code") if isinstance(value, Mapping) else None
            labels[label] = code.value if isinstance(code, Scalar) and isinstance(code.value, int) else 0
        codes[name] = labels
    return codes


def _record_fields(node: Node | None) -> dict[str, tuple[str, ...]]:
    return {
        name: tuple(key for key, _, _ in _entries(body.get("fields") if isinstance(body, Mapping) else None))
        for name, _, body in _entries(node)
    }


def _columns(node: Node | None) -> tuple[str, ...]:
    try:
        return texts(node.get("columns")) if isinstance(node, Mapping) else ()
    except MalformedError:
        return ()


def _rests(node: Node | None) -> tuple[str, ...]:
    """Names of all `rest` items anywhere in the inputs' shapes."""
    found: dict[str, None] = {}
    pending: list[Node] = [] if node is None else [node]
    while pending:
        current = pending.pop()
        if isinstance(current, Mapping):
            rest = current.get("rest")
            if isinstance(rest, Scalar):
                found[rest.text] = None
            pending.extend(entry.value for entry in current.entries)
        elif isinstance(current, Sequence):
            pending.extend(current.items)
    return tuple(sorted(found))


def _externs(tiling: Node | None) -> dict[str, ExternSymbol]:
    if not isinstance(tiling, Mapping):
        return {}
    found = {}
    for name, _, body in _entries(tiling.get("extern")):
        if isinstance(body, Mapping):
            returns = body.get("returns")
            result = EXTERN_TYPES.get(returns.text, INT) if isinstance(returns, Scalar) else INT
            args = items(body.get("args")) if isinstance(body.get("args"), Sequence) else ()
            found[name] = ExternSymbol(name, tuple(INT for _ in args), result)
    return found
