"""The tiling structs: their layout, which kernels compiled before rely on, and what the host writes there."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from qsfa_codegen.contract.calls import Result
from qsfa_codegen.diagnostics import Span
from qsfa_codegen.review.changes import Basis, Found, Impact
from qsfa_codegen.review.match import Matching, matching, renames
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.review.registry import rule
from qsfa_codegen.spec.model import Operator, Tiling, TilingField, TilingMember, TilingStruct


class _Field(Struct, frozen=True):
    """A field with the path that leads to it, which is its name here."""

    name: str
    ctype: str
    field: TilingField
    span: Span


def fields(operator: Operator) -> tuple[_Field, ...]:
    """Every field of the tiling structs, in memory order."""
    if operator.tiling is None or operator.tiling.data is None:
        return ()
    return tuple(_inside(operator.tiling.data.root, ""))


def _inside(struct: TilingStruct, path: str) -> Iterator[_Field]:
    for member in struct.members:
        if isinstance(member, TilingMember):
            yield from _inside(member.struct, f"{path}{member.name}.")
        else:
            yield _Field(f"{path}{member.name}", member.ctype, member, member.span)


class _Layouts(Struct, frozen=True):
    """Fields of both, and those that have only another name."""

    found: Matching[_Field]
    renamed: tuple[tuple[_Field, _Field], ...]

    @property
    def both(self) -> tuple[tuple[_Field, _Field], ...]:
        """Fields of both, under whatever name."""
        return (*self.found.both, *self.renamed)

    @property
    def removed(self) -> tuple[_Field, ...]:
        """Fields that are gone."""
        names = {old.name for old, _ in self.renamed}
        return tuple(f for f in self.found.removed if f.name not in names)

    @property
    def added(self) -> tuple[_Field, ...]:
        """New fields."""
        names = {new.name for _, new in self.renamed}
        return tuple(f for f in self.found.added if f.name not in names)


def _layouts(pair: Pair) -> _Layouts:
    old, new = fields(pair.before), fields(pair.after)
    found = matching(old, new)
    names = renames(old, new)
    before = {f.name: f for f in old}
    after = {f.name: f for f in new}
    pairs = [(before[was], after[name]) for was, name in names.items()]
    taken = {new.name for _, new in pairs}
    # Where names tell nothing, the place does, when type and value are the same.
    for gone in found.removed:
        at = old.index(gone)
        if gone.name in names or at >= len(new) or new[at].name in taken or new[at].name in before:
            continue
        if new[at].ctype == gone.ctype and pair.same_meaning((gone.field.value,), (new[at].field.value,)):
            pairs.append((gone, new[at]))
    return _Layouts(found, tuple(pairs))


def _tilings(pair: Pair) -> tuple[Tiling, Tiling] | None:
    old, new = pair.before.tiling, pair.after.tiling
    return None if old is None or new is None else (old, new)


@rule(
    "QD300",
    Impact.ARTEFACTS,
    "A tiling field was added",
    "The struct has another layout: kernels built before read other fields, or behind the end.",
)
def added(pair: Pair) -> Iterator[Found]:
    """New fields."""
    if _tilings(pair) is not None:
        for new in _layouts(pair).added:
            message = f"tiling field {new.name} was added"
            yield Found(f"tiling field {new.name}", message, "", new.ctype, pair.old.name_span, new.span)


@rule(
    "QD301",
    Impact.ARTEFACTS,
    "A tiling field was removed",
    "The struct has another layout, and kernels that read the field have nothing to read.",
)
def removed(pair: Pair) -> Iterator[Found]:
    """Fields that are gone."""
    if _tilings(pair) is not None:
        for old in _layouts(pair).removed:
            message = f"tiling field {old.name} was removed"
            yield Found(f"tiling field {old.name}", message, old.ctype, "", old.span, pair.after.name_span)


@rule(
    "QD302",
    Impact.ARTEFACTS,
    "A tiling field was renamed",
    "The memory stays as it is, but kernel sources name fields: they no longer compile.",
)
def renamed(pair: Pair) -> Iterator[Found]:
    """Fields of the same type with the same value at the same place."""
    for old, new in _layouts(pair).renamed:
        message = f"tiling field {old.name} is called {new.name}"
        yield Found(f"tiling field {new.name}", message, old.name, new.name, old.span, new.span)


@rule(
    "QD303",
    Impact.ARTEFACTS,
    "A tiling field moved",
    "Kernels built before read another field at its place.",
)
def moved(pair: Pair) -> Iterator[Found]:
    """Fields in another order."""
    for old, new in _layouts(pair).found.moved:
        before = [f.name for f in fields(pair.before)].index(new.name) + 1
        after = [f.name for f in fields(pair.after)].index(new.name) + 1
        message = f"tiling field {new.name} moved from place {before} to place {after}"
        yield Found(f"tiling field {new.name}", message, str(before), str(after), old.span, new.span)


@rule(
    "QD304",
    Impact.ARTEFACTS,
    "A tiling field has another type",
    "Its size and what its bytes mean change, and with them the places of the fields behind it.",
)
def retyped(pair: Pair) -> Iterator[Found]:
    """Fields of another C++ type."""
    for old, new in _layouts(pair).both:
        if old.ctype != new.ctype:
            message = f"tiling field {new.name} is {new.ctype}"
            witness = pair.evidence.rejected(f"{new.field.name}_fits")
            yield Found(
                f"tiling field {new.name}", message, old.ctype, new.ctype, old.span, new.span, witness
            )


class _Value:
    def __init__(self, old: str, new: str) -> None:
        self._paths = (old.split("."), new.split("."))
        self._name = new

    def __call__(self, result: Result) -> object:
        assert result.tiling is not None
        for path in self._paths:
            found: object = result.tiling.data
            for part in path:
                found = found.get(part) if isinstance(found, dict) else None
            if found is not None:
                return f"{self._name} is {found}"
        return f"{self._name} is not there"


@rule(
    "QD305",
    Impact.ARTEFACTS,
    "The host writes another value into a tiling field",
    "Kernels built before were written for what the field held.",
)
def value(pair: Pair) -> Iterator[Found]:
    """Fields of which a call is found that both accept and whose value differs."""
    for old, new in _layouts(pair).both:
        if pair.same_meaning((old.field.value,), (new.field.value,)):
            continue
        witness = pair.evidence.differs(new.field.name, _Value(old.name, new.name))
        if witness is not None:
            yield Found(
                f"tiling field {new.name}",
                f"the value of tiling field {new.name} changed",
                *pair.said((old.field.value,), (new.field.value,)),
                old.span,
                new.span,
                witness,
            )


@rule(
    "QD306",
    Impact.COMPATIBLE,
    "The value of a tiling field is written in another way",
    "No call was found that both contracts accept and for which the field holds something else.",
)
def value_rewritten(pair: Pair) -> Iterator[Found]:
    """Fields of which no call is found."""
    for old, new in _layouts(pair).both:
        if pair.alike(old.field.value, new.field.value) or pair.evidence.differs(
            new.field.name, _Value(old.name, new.name)
        ):
            continue
        yield Found(
            f"tiling field {new.name}",
            f"the value of tiling field {new.name} is written in another way",
            pair.quote(old.field.value.span),
            pair.quote(new.field.value.span),
            old.span,
            new.span,
            basis=Basis.SEARCHED,
        )


@rule(
    "QD307",
    Impact.ARTEFACTS,
    "A tiling struct is declared otherwise",
    "Kernel sources name the struct types, and alignment and style decide the layout.",
)
def declared(pair: Pair) -> Iterator[Found]:
    """Alignment, style, names of types, structs of the toolkit."""
    tilings = _tilings(pair)
    if tilings is None:
        return
    old, new = (t.data for t in tilings)
    if old is None or new is None:
        if old is not new:
            what = "removed" if new is None else "added"
            yield Found("tiling data", f"tiling data was {what}", "", "", tilings[0].span, tilings[1].span)
        return
    facts = [(("align", d.align), ("style", d.style), *_structs(d.root, "")) for d in (old, new)]
    if facts[0] != facts[1] and not _only_fields(facts):
        gone = [f"{n} {v}" for n, v in facts[0] if (n, v) not in facts[1]]
        come = [f"{n} {v}" for n, v in facts[1] if (n, v) not in facts[0]]
        yield Found(
            "tiling data",
            "tiling structs are declared otherwise",
            ", ".join(gone),
            ", ".join(come),
            old.root.span,
            new.root.span,
        )


def _only_fields(facts: list[tuple[tuple[str, object], ...]]) -> bool:
    return set(facts[0]) == set(facts[1])


def _structs(struct: TilingStruct, path: str) -> Iterator[tuple[str, object]]:
    yield f"struct {path}", struct.type_name
    if struct.library is not None:
        yield f"library of {path}", struct.library
    for member in struct.members:
        if isinstance(member, TilingMember):
            yield from _structs(member.struct, f"{path}{member.name}.")


@rule(
    "QD308",
    Impact.COMPATIBLE,
    "A tiling field is read by kernels now, or no longer",
    "The field stays where it is and holds what it did.",
)
def unused(pair: Pair) -> Iterator[Found]:
    """The mark of fields that no kernel reads."""
    for old, new in _layouts(pair).both:
        if old.field.unused != new.field.unused:
            left, right = ("unused" if f.field.unused else "read" for f in (old, new))
            message = f"tiling field {new.name} is {right}"
            yield Found(f"tiling field {new.name}", message, left, right, old.span, new.span)


@rule(
    "QD309",
    Impact.ARTEFACTS,
    "Tiling was added or removed",
    "Host code and kernel are built together by what tiling hands over.",
)
def listed(pair: Pair) -> Iterator[Found]:
    """A tiling section in one only."""
    old, new = pair.before.tiling, pair.after.tiling
    if (old is None) != (new is None):
        before = pair.old.name_span if old is None else old.span
        after = pair.after.name_span if new is None else new.span
        what = "removed" if new is None else "added"
        yield Found("tiling", f"tiling was {what}", "", "", before, after)


RULES = (added, removed, renamed, moved, retyped, value, value_rewritten, declared, unused, listed)
