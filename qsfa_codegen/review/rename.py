"""An operator with other names: everything that stands for a renamed thing follows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from qsfa_codegen.expr.nodes import Call, Literal, ParamQuery, Ref, RefKind, Type
from qsfa_codegen.spec import model
from qsfa_codegen.spec.lower import lower
from qsfa_codegen.spec.model import Operator, Text

S = TypeVar("S", bound=Struct)

Names = Mapping[str, Mapping[str, str]]
"""Kind of thing → old name → new name."""

INPUT, ATTR, OUTPUT, DIM, REST = "input", "attribute", "output", "dim", "rest"
LET, TILING_LET, CONST, ENUM, RECORD, COLUMN = "let", "tiling let", "const", "enum", "record", "dtype column"
CONSTRAINT, CONTENT = "constraint", "rule about data"
_PARAMETER = f"{INPUT}|{ATTR}"
_ANY = f"{INPUT}|{ATTR}|{OUTPUT}|{RECORD}"

_REFS = {
    RefKind.CONST: CONST,
    RefKind.DIM: DIM,
    RefKind.ATTR: ATTR,
    RefKind.LET: LET,
    RefKind.TILING_LET: TILING_LET,
    RefKind.COLUMN: COLUMN,
    RefKind.RECORD: RECORD,
    RefKind.REST: REST,
}

# The fields that hold names, and what the names are of. A field of pairs has a kind for each side.
_FIELDS: Mapping[tuple[type, str], str | tuple[str, str]] = {
    (model.EnumDef, "name"): ENUM,
    (model.Const, "name"): CONST,
    (model.Dim, "name"): DIM,
    (model.Dim, "doc_name"): DIM,
    (model.Definer, "input"): INPUT,
    (model.Rest, "name"): REST,
    (model.Rest, "input"): INPUT,
    (model.Rest, "rests_after"): REST,
    (model.DtypeMatrix, "columns"): COLUMN,
    (model.DtypeMatrix, "select"): (COLUMN, ATTR),
    (model.DtypeMatrix, "unbound"): (COLUMN, COLUMN),
    (model.Record, "name"): RECORD,
    (model.DtypeRef, "column"): COLUMN,
    (model.DtypeRef, "follow"): INPUT,
    (model.DimItem, "dim"): DIM,
    (model.RestItem, "name"): REST,
    (model.Shape, "like"): INPUT,
    (model.Input, "name"): INPUT,
    (model.Input, "record"): RECORD,
    (model.Output, "name"): OUTPUT,
    (model.Output, "alias"): INPUT,
    (model.Attr, "name"): ATTR,
    (model.Attr, "enum"): ENUM,
    (model.NamedValue, "const"): CONST,
    (model.Let, "name"): LET,
    (model.Constraint, "id"): CONSTRAINT,
    (model.Constraint, "blame"): _PARAMETER,
    (model.ContentRule, "id"): CONTENT,
    (model.ContentRule, "names"): _PARAMETER,
    (model.KeyArg, "enum"): ENUM,
    (model.Kernel, "roles"): ("", _ANY),
    (model.Decode, "sizes"): (DIM, ""),
    (model.BoundParam, "source"): _PARAMETER,
    (model.TorchBinding, "fixed"): (_PARAMETER, ""),
    (model.TorchBinding, "returns"): (OUTPUT, ""),
    (model.Serving, "passes"): (ATTR, ""),
    (ParamQuery, "param"): INPUT,
    (Type, "enum"): ENUM,
}
_QUOTED = re.compile(r"`([A-Za-z_][A-Za-z0-9_]*)`")


def renamed(operator: Operator, names: Names) -> Operator:
    """``operator`` with other names; checks are worked out anew."""
    if not any(names.values()):
        return operator
    changed = _Renaming(names).struct(operator)
    return replace(changed, checks=lower(changed))


class _Renaming:
    def __init__(self, names: Names) -> None:
        self._names = names
        self._all = {old: new for kind in names.values() for old, new in kind.items()}
        self._lets_of_tiling = False

    def struct(self, thing: S) -> S:
        """The same thing with new names."""
        if isinstance(thing, Text):
            return type(thing)(self._text(thing.en), self._text(thing.zh))
        if isinstance(thing, model.Tiling):
            return self._tiling(thing)
        fields = {}
        for name in thing.__struct_fields__:
            if name == "checks":
                continue
            old = getattr(thing, name)
            new = self._field(thing, name, old)
            if new is not old:
                fields[name] = new
        return replace(thing, **fields) if fields else thing

    def _tiling(self, tiling: S) -> S:
        """The derived values of tiling have names of their own."""
        self._lets_of_tiling = True
        fields = {name: self._value(getattr(tiling, name)) for name in tiling.__struct_fields__}
        self._lets_of_tiling = False
        return replace(tiling, **fields)

    def _field(self, thing: Struct, name: str, value: object) -> object:
        if isinstance(thing, Ref) and name == "name":
            return self._name(_REFS.get(thing.kind, ""), value)
        if isinstance(thing, Call) and name == "args" and isinstance(thing.args[0], Literal):
            first = replace(thing.args[0], value=self._name(INPUT, thing.args[0].value))
            return (first, *map(self._value, thing.args[1:]))
        kind = _FIELDS.get((type(thing), name))
        if kind is None:
            return self._value(value)
        if isinstance(kind, tuple):
            assert isinstance(value, tuple)
            return tuple((self._name(kind[0], left), self._name(kind[1], right)) for left, right in value)
        if kind == LET and self._lets_of_tiling:
            kind = TILING_LET
        return (
            tuple(self._name(kind, v) for v in value) if isinstance(value, tuple) else self._name(kind, value)
        )

    def _name(self, kinds: str, name: object) -> object:
        if isinstance(name, str):
            for kind in kinds.split("|"):
                if name in self._names.get(kind, {}):
                    return self._names[kind][name]
        return name

    def _value(self, value: object) -> object:
        if isinstance(value, Struct):
            return self.struct(value)
        if isinstance(value, tuple):
            new = tuple([self._value(item) for item in value])
            return new if any(a is not b for a, b in zip(new, value, strict=True)) else value
        return value

    def _text(self, text: str) -> str:
        return _QUOTED.sub(lambda found: f"`{self._all.get(found[1], found[1])}`", text)
