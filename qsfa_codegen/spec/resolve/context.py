"""What every part of the resolver shares: the scope, the sink, and reading of expressions and tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from qsfa_codegen.diagnostics import Sink, Span
from qsfa_codegen.expr.nodes import (
    BOOL,
    FLOAT,
    INT,
    Conditional,
    Expr,
    Kind,
    Literal,
    RefKind,
    Select,
    Type,
)
from qsfa_codegen.expr.parse import parse
from qsfa_codegen.expr.scope import Scope, Symbol
from qsfa_codegen.spec.model import Chip, Let, Table, Text
from qsfa_codegen.spec.reader import Mapping as MapNode
from qsfa_codegen.spec.reader import Node, Scalar
from qsfa_codegen.spec.resolve.access import MalformedError, as_mapping, as_text, entries, items, need
from qsfa_codegen.spec.resolve.order import RingError, in_order

T = TypeVar("T")
U = TypeVar("U")

PLATFORM_VALUES = ("aic", "aiv", "ub_size", "libapi_workspace")
OTHERWISE = "else"
MAX_NESTED = 2
_DOC_KEYS = frozenset({"en", "zh", "doc"})
# A text in quotes, a function, or a name, which alone is caught.
_NAME = re.compile(r"""(?:"[^"]*"|'[^']*'|[A-Za-z_]\w*\s*\(|([A-Za-z_]\w*))""")
MALFORMED = "QS300"


class Symbols(Mapping[str, Symbol]):
    """Names of the spec; a derived value is typed when something first names it.

    A name whose definition cannot be read ends what uses it: MalformedError.
    """

    def __init__(self, lets: LetTable, parent: Symbols | None = None) -> None:
        self._fixed: dict[str, Symbol] = {}
        self._lost: dict[str, Span] = {}
        self._lets = lets
        self._parent = parent

    def add(self, symbol: Symbol) -> None:
        """Declare a name."""
        self._fixed[symbol.name] = symbol

    def lose(self, name: str, span: Span) -> None:
        """Declare a name of which not even the type can be told."""
        self._lost[name] = span

    def __getitem__(self, name: str) -> Symbol:
        if name in self._lost:
            raise unreadable(name, self._lost[name])
        if name in self._fixed:
            return self._fixed[name]
        if name in self._lets:
            return self._lets.symbol(name)
        if self._parent is not None:
            return self._parent[name]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        yield from self._fixed
        yield from self._lets
        if self._parent is not None:
            yield from self._parent

    def __len__(self) -> int:
        return len(list(iter(self)))


class LetTable(Struct):
    """The derived values of one section, typed on demand; a ring is reported once.

    ``ambiguous`` names mean something else as arguments of some functions: inputs, records, fields.
    """

    sink: Sink
    kind: RefKind
    ambiguous: frozenset[str]
    nodes: dict[str, tuple[Span, Node]] = field(default_factory=dict)
    done: dict[str, Let | None] = field(default_factory=dict)
    building: list[str] = field(default_factory=list)
    build: Callable[[str, Span, Node], Let] | None = None

    def __contains__(self, name: object) -> bool:
        return name in self.nodes

    def __iter__(self) -> Iterator[str]:
        return iter(self.nodes)

    def let(self, name: str) -> Let | None:
        """The derived value called ``name``; None when it could not be resolved."""
        if name not in self.done:
            try:
                for needed in in_order(name, self._needs):
                    if needed not in self.done:
                        self._resolve(needed)
            except RingError as error:
                self._report_ring(error.ring)
        return self.done.get(name)

    def _needs(self, name: str) -> Iterator[str]:
        """Derived values that the text of one names, as far as they are still to be resolved."""
        for word in _words(self.nodes[name][1]):
            if word in self.nodes and word not in self.done and word not in self.ambiguous:
                yield word

    def symbol(self, name: str) -> Symbol:
        """The name with the type of its value; MalformedError when that cannot be told."""
        let = None
        if name in self.building:
            self._report_ring(self.building[self.building.index(name) :])
        elif len(self.building) > MAX_NESTED:
            self._report_depth(name)
        else:
            let = self.let(name)
        if let is None:
            raise unreadable(name, self.nodes[name][0])
        return Symbol(self.kind, name, let.value.type)

    def _resolve(self, name: str) -> None:
        assert self.build is not None
        span, node = self.nodes[name]
        self.building.append(name)
        try:
            self.done[name] = self.build(name, span, node)
        except MalformedError as error:
            self.done[name] = None
            report(self.sink, error)
        finally:
            self.building.pop()

    def _report_depth(self, name: str) -> None:
        self.sink.error(
            "QS307",
            f"'{name}' builds on too many others that are called like inputs or records",
            self.nodes[name][0],
            help="give them names of their own",
        )

    def _report_ring(self, ring: list[str]) -> None:
        self.done.update(dict.fromkeys(ring))
        self.sink.error(
            "QS301",
            f"'{ring[0]}' is defined by itself: {' → '.join((*ring, ring[0]))}",
            self.nodes[ring[0]][0],
            help="break the ring: one of these values must come from a dim, an attribute or a const",
        )


def _words(node: Node) -> Iterator[str]:
    """Names in the expressions of a derived value."""
    pending = [node]
    for current in pending:
        if isinstance(current, MapNode):
            pending.extend(entry.value for entry in current if entry.key not in _DOC_KEYS)
        elif isinstance(current, Scalar):
            yield from filter(None, _NAME.findall(current.text))
        else:
            pending.extend(current.items)


def unreadable(name: str, span: Span) -> MalformedError:
    """What ends the users of a name whose own definition has an error."""
    return MalformedError(span, f"'{name}' cannot be read", told=True)


def report(sink: Sink, error: MalformedError) -> None:
    """Say why an object was dropped, unless that was said already."""
    if not error.told:
        sink.error(MALFORMED, error.message, error.span)


class Context(Struct):
    """State of one resolve run.

    ``losses`` counts what could not be read, ``lost`` names sections of which something could not:
    what seems missing then may be among it, and is no error of its own.
    """

    sink: Sink
    root: MapNode
    chips: tuple[Chip, ...]
    lets: LetTable
    tiling_lets: LetTable
    scope: Scope
    symbols: Symbols
    tiling_scope: Scope
    tiling_symbols: Symbols
    lost: set[str] = field(default_factory=set)
    losses: int = 0

    @property
    def chip_ids(self) -> tuple[str, ...]:
        """Ids of the operator's chips."""
        return tuple(c.id for c in self.chips)

    @property
    def archs(self) -> tuple[str, ...]:
        """Architectures of the operator's chips, each once."""
        return tuple(dict.fromkeys(c.arch for c in self.chips))

    # ----------------------------------------------------------------- expressions

    def expr(self, node: Node, want: Type | None = None, *, tiling: bool = False) -> Expr:
        """A value that may be an expression, a ``{by, of}`` table or a ``cases`` list."""
        return self.expr_in(node, want, self.tiling_scope if tiling else self.scope)

    def expr_of(self, value: int, span: Span) -> Expr:
        """An integer that a default of the language supplies."""
        return Literal(INT, span, value)

    def contents_expr(self, node: Node) -> Expr:
        """A condition that may also look into tensors."""
        groups = frozenset({"core", "contents"})
        return self.expr_in(node, BOOL, replace(self.scope, groups=groups))

    def expr_in(self, node: Node, want: Type | None, scope: Scope) -> Expr:
        """As ``expr``, in a scope of the caller's."""
        if isinstance(node, MapNode):
            if node.get("cases") is not None:
                return self._cases(node, want, scope)
            return self._select(node, want, scope)
        if not isinstance(node, Scalar):
            raise MalformedError(node.span, "expected an expression")
        plain = _plain_literal(node, want)
        return plain if plain is not None else self.parse(node, want, scope)

    def parse(self, node: Scalar, want: Type | None, scope: Scope) -> Expr:
        """The text of a scalar as an expression."""
        expr = parse(node.text, text_span(node), scope, self.sink, want)
        if expr is None:
            raise MalformedError(node.span, "the expression could not be read", told=True)
        return expr

    def _select(self, node: MapNode, want: Type | None, scope: Scope) -> Expr:
        selector = self.selector(node, scope)
        cases: list[tuple[str, Expr]] = []
        otherwise: Expr | None = None
        found: Type | None = None
        for label, span, value in self.labelled(selector, need(node, "of"), scope):
            expr = self.expr_in(value, want, scope)
            found = found or want or expr.type
            self._same_type(expr, found, span)
            if label == OTHERWISE:
                otherwise = expr
            else:
                cases.append((label, expr))
        return Select(found or INT, node.span, selector, tuple(cases), otherwise)

    def _same_type(self, expr: Expr, want: Type, span: Span) -> None:
        if expr.type != want:
            self.sink.error(
                "QS302",
                f"this case is {expr.type}, an earlier one is {want}",
                span,
                help="every case of a table must have the same type",
            )

    def _cases(self, node: MapNode, want: Type | None, scope: Scope) -> Expr:
        branches = [as_mapping(item) for item in items(node.get("cases"))]
        others = [branch for branch in branches if OTHERWISE in branch]
        if len(others) != 1 or others[0] is not branches[-1]:
            raise self.malformed(
                "QS303",
                node.span if not others else others[0].span,
                "a `cases` list ends with `- {else: value}`",
                None if not others else "nothing after the first `else` is ever tried",
            )
        result = self.expr_in(need(branches[-1], OTHERWISE), want, scope)
        for branch in reversed(branches[:-1]):
            test = self.expr_in(need(branch, "when"), BOOL, scope)
            value = self.expr_in(need(branch, "value"), want or result.type, scope)
            result = Conditional(value.type, branch.span, test, value, result)
        return result

    # ----------------------------------------------------------------- tables

    def choice(self, node: Node, leaf: Callable[[Node], T]) -> T | Table[T]:
        """A value or a ``{by, of}`` table of values, each read by ``leaf``."""
        if not (isinstance(node, MapNode) and node.get("by") is not None and node.get("of") is not None):
            return leaf(node)
        selector = self.selector(node, self.scope)
        cases: list[tuple[str, T | Table[T]]] = []
        otherwise: T | Table[T] | None = None
        for label, _, value in self.labelled(selector, need(node, "of"), self.scope):
            inner = self.choice(value, leaf)
            if label == OTHERWISE:
                otherwise = inner
            else:
                cases.append((label, inner))
        return Table(selector, tuple(cases), otherwise, node.span)

    def selector(self, node: MapNode, scope: Scope) -> Expr:
        """The ``by`` of a table."""
        by = need(node, "by")
        if not isinstance(by, Scalar) or not isinstance(by.value, str):
            raise MalformedError(by.span, "expected a selector")
        expr = self.parse(by, None, scope)
        if expr.type.kind not in (Kind.ENUM, Kind.BOOL, Kind.CHIP, Kind.ARCH, Kind.DTYPE):
            raise self.malformed(
                "QS304",
                by.span,
                f"a table cannot go by {as_text(by)}, which is {expr.type}",
                "a selector is an enum or bool attribute, chip, arch, a dtype column or a bool let",
            )
        return expr

    def labelled(self, selector: Expr, of: Node, scope: Scope) -> list[tuple[str, Span, Node]]:
        """The cases of a table, labels checked against what the selector can be; unknown ones dropped."""
        allowed = self.labels(selector.type, scope)
        found = []
        for label, span, value in entries(of):
            if label != OTHERWISE and label not in allowed:
                self.losses += 1
                self.sink.error(
                    "QS305",
                    f"'{label}' is not a value of {selector.type}",
                    span,
                    help=f"cases are {', '.join(allowed)} or else",
                )
                continue
            found.append((label, span, value))
        return found

    def labels(self, type: Type, scope: Scope) -> tuple[str, ...]:
        """Case labels that a selector of this type can have, in a fixed order."""
        match type.kind:
            case Kind.BOOL:
                return ("true", "false")
            case Kind.CHIP:
                return self.chip_ids
            case Kind.ARCH:
                return self.archs
            case Kind.DTYPE:
                return tuple(sorted(scope.dtypes))
            case _:
                return tuple(scope.enums.get(type.enum or "", ()))

    def per_chip(self, node: Node | None) -> list[tuple[str, Node]]:
        """``{chip or arch or all: value}`` as (chip id, value) for each chip of the operator."""
        given = {key: (span, value) for key, span, value in entries(node)}
        known = {*self.chip_ids, *self.archs, "all"}
        for key, (span, _) in given.items():
            if key not in known:
                self.sink.error(
                    "QS306",
                    f"'{key}' is neither a chip nor an architecture of this operator",
                    span,
                    help=f"use {', '.join((*self.chip_ids, *self.archs))} or all",
                )
        found = []
        for chip in self.chips:
            for key in (chip.id, chip.arch, "all"):
                if key in given:
                    found.append((chip.id, given[key][1]))
                    break
        return found

    def chips_named(self, node: Node | None) -> tuple[str, ...]:
        """Chips that a list of chip ids and architectures means; all when nothing is said."""
        if node is None:
            return self.chip_ids
        wanted = set()
        for item in items(node):
            name = as_text(item)
            if name not in self.chip_ids and name not in self.archs:
                self.sink.error(
                    "QS306",
                    f"'{name}' is neither a chip nor an architecture of this operator",
                    item.span,
                    help=f"use {', '.join((*self.chip_ids, *self.archs))}",
                )
            wanted.add(name)
        return tuple(c.id for c in self.chips if c.id in wanted or c.arch in wanted)

    # ----------------------------------------------------------------- documentation

    def text(self, node: Node) -> Text:
        """A sentence in both languages; a missing one is reported."""
        mapping = as_mapping(node)
        parts = {}
        for lang in ("en", "zh"):
            value = mapping.get(lang)
            if value is None or not as_text(value).strip():
                place = node.span if value is None else value.span
                self.sink.error("QS310", f"the text has no '{lang}'", place, help="give both en and zh")
                parts[lang] = ""
            else:
                parts[lang] = as_text(value).strip()
        return Text(parts["en"], parts["zh"])

    def doc(self, node: Node) -> Text | None:
        """The ``doc: {en, zh}`` of an object, or its own ``en`` and ``zh``; None without either."""
        if not isinstance(node, MapNode):
            return None
        doc = node.get("doc")
        if doc is not None:
            return self.text(doc)
        if node.get("en") is not None or node.get("zh") is not None:
            return self.text(node)
        return None

    # ----------------------------------------------------------------- errors

    def malformed(self, code: str, span: Span, message: str, help: str | None = None) -> MalformedError:
        """Record an error and return what ends the object it is about."""
        self.sink.error(code, message, span, help)
        return MalformedError(span, message, told=True)

    def each(self, node: Node | None, build: Callable[[str, Span, Node], T]) -> tuple[T, ...]:
        """Build an object for each entry of a mapping; one that cannot be built does not stop the rest."""
        built = []
        for key, span, value in entries(node):
            try:
                built.append(build(key, span, value))
            except MalformedError as error:
                self._lose(error)
        return tuple(built)

    def all(self, node: Node | None, build: Callable[[Node], T]) -> tuple[T, ...]:
        """As ``each``, for the items of a list."""
        built = []
        for item in items(node):
            try:
                built.append(build(item))
            except MalformedError as error:
                self._lose(error)
        return tuple(built)

    def section(self, name: str, build: Callable[[Node], T], otherwise: U) -> T | U:
        """As ``attempt``, for a section of the spec; notes when something of it could not be read."""
        before = self.losses
        made = self.attempt(self.root.get(name), build, otherwise)
        if self.losses > before:
            self.lost.add(name)
        return made

    def attempt(self, node: Node | None, build: Callable[[Node], T], otherwise: U) -> T | U:
        """What ``build`` makes of a node; ``otherwise`` where there is none, or it cannot be read."""
        try:
            return otherwise if node is None else build(node)
        except MalformedError as error:
            self._lose(error)
            return otherwise

    def _lose(self, error: MalformedError) -> None:
        self.losses += 1
        report(self.sink, error)


def text_span(node: Scalar) -> Span:
    """Where the characters of a scalar stand: inside the quotes when it has some on one line."""
    span = node.span
    if node.quoted and span.line == span.end_line:
        return replace(span, column=span.column + 1, end_column=span.end_column - 1)
    return span


def _plain_literal(node: Scalar, want: Type | None) -> Expr | None:
    """YAML numbers and truth values need no parsing."""
    value = node.value
    if isinstance(value, bool):
        if want == INT:
            return Literal(INT, node.span, int(value))
        return Literal(BOOL, node.span, value)
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return Literal(FLOAT, node.span, float(value)) if want == FLOAT else Literal(INT, node.span, value)
    if isinstance(value, float):
        return Literal(FLOAT, node.span, value)
    return None
