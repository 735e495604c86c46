"""Two versions of an operator side by side, as the rules of the review see them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.diagnostics import Span, split_lines
from qsfa_codegen.review import rename
from qsfa_codegen.review.form import bare_on
from qsfa_codegen.review.match import Matching, matching, renames
from qsfa_codegen.review.meaning import Meaning, Name, definitions, named
from qsfa_codegen.review.rename import renamed
from qsfa_codegen.spec.model import (
    Attr,
    Chip,
    Const,
    Constraint,
    ContentRule,
    Dim,
    EnumDef,
    Input,
    Let,
    Operator,
    Output,
    Record,
    Rest,
)

if TYPE_CHECKING:
    from qsfa_codegen.expr.nodes import Expr
    from qsfa_codegen.review.evidence import Evidence

_PASSES = 3


class _Column(Struct, frozen=True):
    name: str
    dtypes: tuple[tuple[str, ...], ...]


def _columns(operator: Operator) -> tuple[_Column, ...]:
    matrix = operator.dtypes
    return tuple(
        _Column(name, tuple(matrix.column(name, chip.id) for chip in operator.chips if dict(matrix.rows)))
        for name in matrix.columns
    )


def _tiling_lets(operator: Operator) -> tuple[Let, ...]:
    return () if operator.tiling is None else operator.tiling.lets


_KINDS: Mapping[str, Callable[[Operator], Sequence[Struct]]] = {
    rename.CONST: lambda o: o.consts,
    rename.ENUM: lambda o: o.enums,
    rename.COLUMN: _columns,
    rename.INPUT: lambda o: o.inputs,
    rename.ATTR: lambda o: o.attrs,
    rename.OUTPUT: lambda o: o.outputs,
    rename.RECORD: lambda o: o.records,
    rename.DIM: lambda o: o.dims,
    rename.REST: lambda o: o.rests,
    rename.LET: lambda o: o.lets,
    rename.TILING_LET: _tiling_lets,
    rename.CONSTRAINT: lambda o: o.constraints,
    rename.CONTENT: lambda o: o.contents,
}


class Pair:
    """The operator of the base and the one at hand.

    ``old`` is the base's as it was; ``before`` the same in the names of ``after``, with which it is
    compared. ``texts`` are the specs by the name of their file in spans.
    """

    def __init__(self, old: Operator, new: Operator, texts: Mapping[str, str], prove: bool = False) -> None:
        self.old = old
        self.after = new
        self.names: dict[str, dict[str, str]] = {kind: {} for kind in _KINDS}
        self.before = self._with_new_names(old)
        self.prove = prove
        self.told: set[str] = set()  # subjects of what rules have found so far
        self.codes: set[str] = set()  # and their codes
        self._lines = {name: split_lines(text) for name, text in texts.items()}

    def _with_new_names(self, before: Operator) -> Operator:
        """Names that depend on others are recognised once the others are."""
        for _ in range(_PASSES):
            unchanged = True
            for kind, things in _KINDS.items():
                found = renames(things(before), things(self.after))
                if found:
                    unchanged = False
                    self.names[kind].update(found)
                    before = renamed(before, {kind: found})
            if unchanged:
                break
        return before

    def old_name(self, kind: str, name: str) -> str:
        """What the thing that is called ``name`` now was called in the base."""
        return next((old for old, new in self.names[kind].items() if new == name), name)

    # ------------------------------------------------------------------ parts of the operators

    @cached_property
    def inputs(self) -> Matching[Input]:
        """Inputs of both."""
        return matching(self.before.inputs, self.after.inputs)

    @cached_property
    def attrs(self) -> Matching[Attr]:
        """Attributes of both."""
        return matching(self.before.attrs, self.after.attrs)

    @cached_property
    def outputs(self) -> Matching[Output]:
        """Outputs of both."""
        return matching(self.before.outputs, self.after.outputs)

    @cached_property
    def dims(self) -> Matching[Dim]:
        """Dims of both."""
        return matching(self.before.dims, self.after.dims)

    @cached_property
    def rests(self) -> Matching[Rest]:
        """Runs of axes of both."""
        return matching(self.before.rests, self.after.rests)

    @cached_property
    def consts(self) -> Matching[Const]:
        """Named numbers of both."""
        return matching(self.before.consts, self.after.consts)

    @cached_property
    def enums(self) -> Matching[EnumDef]:
        """Enums of both."""
        return matching(self.before.enums, self.after.enums)

    @cached_property
    def lets(self) -> Matching[Let]:
        """Derived values of both."""
        return matching(self.before.lets, self.after.lets)

    @cached_property
    def tiling_lets(self) -> Matching[Let]:
        """Derived values of both tilings."""
        return matching(_tiling_lets(self.before), _tiling_lets(self.after))

    @cached_property
    def records(self) -> Matching[Record]:
        """Packed rows of both."""
        return matching(self.before.records, self.after.records)

    @cached_property
    def constraints(self) -> Matching[Constraint]:
        """Rules between parameters of both."""
        return matching(self.before.constraints, self.after.constraints)

    @cached_property
    def contents(self) -> Matching[ContentRule]:
        """Rules about data of both."""
        return matching(self.before.contents, self.after.contents)

    @cached_property
    def chips(self) -> tuple[tuple[Chip, Chip], ...]:
        """Chips that both run on."""
        before = {chip.id: chip for chip in self.before.chips}
        return tuple((before[chip.id], chip) for chip in self.after.chips if chip.id in before)

    # ------------------------------------------------------------------ comparing

    @cached_property
    def meanings(self) -> tuple[tuple[Meaning, Meaning], ...]:
        """The languages of both on each chip of both."""
        return tuple((Meaning(self.before, old), Meaning(self.after, new)) for old, new in self.chips)

    def same_meaning(self, before: Sequence[Expr | None], after: Sequence[Expr | None]) -> bool:
        """Whether expressions and all that they depend on are spelt alike on the chips of both."""
        return all(old.of(before) == new.of(after) for old, new in self.meanings)

    def alike(self, before: object, after: object, *without: str) -> bool:
        """Whether things are written alike, words apart, as far as the chips of both go."""
        common = {new.id for _, new in self.chips}
        return all(
            bare_on(old, common, before, *without) == bare_on(new, common, after, *without)
            for old, new in self.chips
        )

    def said(self, before: Sequence[Expr], after: Sequence[Expr]) -> tuple[str, str]:
        """The texts of expressions; where they are the same, with what they name that changed."""
        old, new = (", ".join(self.quote(expr.span) for expr in side) for side in (before, after))
        if old != new:
            return old, new
        changed = [name for name in named(self.after, after) if not self._same_definition(name)]
        texts = []
        for operator in (self.before, self.after):
            known = definitions(operator)
            parts = [f"{name[1]} = {self._definition(known[name])}" for name in changed if name in known]
            texts.append(f"{old} where {', '.join(parts)}" if parts else old)
        return texts[0], texts[1]

    def _same_definition(self, name: Name) -> bool:
        old, new = definitions(self.before).get(name), definitions(self.after).get(name)
        return old is None or new is None or self.alike(old, new)

    def _definition(self, value: Expr | int) -> str:
        return str(value) if isinstance(value, int) else self.quote(value.span)

    @cached_property
    def evidence(self) -> Evidence:
        """Calls that the two contracts treat differently."""
        from qsfa_codegen.review.evidence import Evidence

        return Evidence(self)

    # ------------------------------------------------------------------ texts

    def quote(self, span: Span | None) -> str:
        """What stands at a place of one of the specs, in one line."""
        if span is None or span.file not in self._lines:
            return ""
        lines = self._lines[span.file][span.line - 1 : span.end_line]
        if not lines:
            return ""
        lines[-1] = lines[-1][: span.end_column - 1]
        lines[0] = lines[0][span.column - 1 :]
        return " ".join(" ".join(lines).split())

    def lines(self, file: str) -> Sequence[str]:
        """The lines of one of the specs."""
        return self._lines.get(file, ())

    def chips_of_base_only(self) -> Iterator[Chip]:
        """Chips that only the base runs on."""
        common = {new.id for _, new in self.chips}
        return (chip for chip in self.before.chips if chip.id not in common)
