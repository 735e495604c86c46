"""A small vocabulary for expression tests: names of every kind, and a call to evaluate them on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from qsfa_codegen.diagnostics import Diagnostic, Sink, Span
from qsfa_codegen.expr.evaluate import UNKNOWN, EvalError, Value
from qsfa_codegen.expr.nodes import (
    BOOL,
    DIMS,
    DTYPE,
    FLOAT,
    INT,
    STRING,
    Expr,
    Query,
    RefKind,
    Type,
    enum_type,
    list_type,
)
from qsfa_codegen.expr.parse import parse
from qsfa_codegen.expr.scope import ExternSymbol, Scope, Symbol

MODE = enum_type("Mode")
SPAN = Span("spec.yaml", 1, 1, 1, 1)
CODES = {"ROW": 0, "COL": 5, "TILE": 7}
SIZES = {"int8": 1, "float16": 2, "float32": 4, "bool": 1}

_SYMBOLS = (
    Symbol(RefKind.DIM, "A", INT),
    Symbol(RefKind.DIM, "B", INT),
    Symbol(RefKind.DIM, "C", INT),
    Symbol(RefKind.CONST, "LIMIT", INT),
    Symbol(RefKind.ATTR, "step", INT),
    Symbol(RefKind.ATTR, "mode", MODE),
    Symbol(RefKind.ATTR, "other_mode", MODE),
    Symbol(RefKind.ATTR, "scale", FLOAT),
    Symbol(RefKind.ATTR, "flag", BOOL),
    Symbol(RefKind.ATTR, "title", STRING),
    Symbol(RefKind.ATTR, "mask", list_type(BOOL)),
    Symbol(RefKind.ATTR, "sizes", list_type(INT)),
    Symbol(RefKind.LET, "wide", BOOL),
    Symbol(RefKind.COLUMN, "t", DTYPE),
    Symbol(RefKind.REST, "ROWS", DIMS),
)

SCOPE = Scope(
    symbols={symbol.name: symbol for symbol in _SYMBOLS},
    params=frozenset({"x", "y", "lengths"}),
    enums={"Mode": CODES, "Other": {"ROW": 1, "ELSE": 2}},
    dtypes=frozenset(SIZES),
    chips=frozenset({"A2", "A3", "A5"}),
    archs=frozenset({"arch22", "arch35"}),
    records={"row": ("nope", "rope")},
    externs={"halves": ExternSymbol("halves", (INT,), INT)},
)
TILING = Scope(
    **{**{f: getattr(SCOPE, f) for f in SCOPE.__struct_fields__}, "groups": frozenset({"core", "tiling"})}
)
CONTENTS = Scope(
    **{**{f: getattr(SCOPE, f) for f in SCOPE.__struct_fields__}, "groups": frozenset({"core", "contents"})}
)


def diagnose(
    text: str, want: Type | None = None, scope: Scope = SCOPE
) -> tuple[Expr | None, list[Diagnostic]]:
    """Parse ``text`` as if it stood unquoted at line 7, column 1."""
    sink = Sink()
    expr = parse(text, Span("spec.yaml", 7, 1, 7, 1 + len(text)), scope, sink, want)
    return expr, list(sink)


def typed(text: str, want: Type | None = None, scope: Scope = SCOPE) -> Expr:
    """The tree of a text that has to be right."""
    expr, found = diagnose(text, want, scope)
    assert expr is not None, [d.message for d in found]
    assert not found
    return expr


@dataclass(frozen=True)
class World:
    """A call: values of names, facts about inputs, contents."""

    names: Mapping[str, Value] = field(default_factory=dict)
    facts: Mapping[tuple[Query, str, int | None], Value] = field(default_factory=dict)
    data: Mapping[str, Sequence[int]] = field(default_factory=dict)
    values: Mapping[str, Value] = field(default_factory=dict)

    def ref(self, kind: RefKind, name: str) -> Value:
        if name not in self.names:
            raise EvalError("unbound", detail=name)
        return self.names[name]

    def query(self, query: Query, param: str, axis: int | None, tail: int = 0) -> Value:
        return self.facts[query, param, axis]

    def contents(self, param: str) -> Sequence[int]:
        return self.data[param]

    def call(self, function: str, args: tuple[Value, ...]) -> Value:
        assert UNKNOWN not in args
        match function, args:
            case "code", ("Mode", str(label)):
                return CODES[label]
            case "sizeof", (str(dtype),):
                return SIZES[dtype]
            case "elements", ("row",):
                return 656
            case "offset", ("row", str(name)):
                return {"nope": 0, "rope": 512}[name]
            case "tsch_block_dim", (int(slices), int(), int()):
                return slices
            case "halves", (int(value),):
                return value * 2**62
        raise AssertionError((function, args))
