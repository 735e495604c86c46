"""The operator as a whole."""

from __future__ import annotations

from functools import cached_property
from typing import TypeVar

from msgspec import Struct

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.spec.model.attrs import Attr
from qsfa_codegen.spec.model.bindings import AclnnBinding, TorchBinding
from qsfa_codegen.spec.model.chips import Chip, Product, Registration
from qsfa_codegen.spec.model.choice import Text
from qsfa_codegen.spec.model.dtypes import DtypeMatrix, Record
from qsfa_codegen.spec.model.kernel import Kernel, Reference
from qsfa_codegen.spec.model.names import Const, Dim, EnumDef, Let, Rest
from qsfa_codegen.spec.model.rules import Check, Constraint, ContentRule
from qsfa_codegen.spec.model.serving import Serving
from qsfa_codegen.spec.model.tensors import Input, Output
from qsfa_codegen.spec.model.tiling import Tiling

T = TypeVar("T")


class Allowance(Struct, frozen=True):
    """A break that is on purpose: the code of the change, what it is about (None: anything), and why."""

    code: str
    subject: str | None
    reason: str
    span: Span


class Source(Struct, frozen=True):
    """Where the operator came from."""

    file: str  # as given, with forward slashes
    sha256: str


NamedThing = EnumDef | Const | Dim | Rest | Input | Attr | Output | Let | Record


class Operator(Struct, frozen=True, eq=False, dict=True):
    """Everything that is known about one operator. Compared by identity."""

    name: str  # op type
    snake: str
    category: str
    brief: Text
    formula: str
    graph_mode: bool
    license: str  # SPDX id of the generated files' license; empty: none is stated
    chips: tuple[Chip, ...]
    unsupported: tuple[Product, ...]
    registration: tuple[Registration, ...]
    enums: tuple[EnumDef, ...]
    consts: tuple[Const, ...]
    dims: tuple[Dim, ...]
    rests: tuple[Rest, ...]
    dtypes: DtypeMatrix
    records: tuple[Record, ...]
    inputs: tuple[Input, ...]
    attrs: tuple[Attr, ...]
    outputs: tuple[Output, ...]
    lets: tuple[Let, ...]
    constraints: tuple[Constraint, ...]
    contents: tuple[ContentRule, ...]
    tiling: Tiling | None
    kernel: Kernel | None
    reference: Reference | None
    aclnn: AclnnBinding
    torch: TorchBinding | None
    serving: Serving | None
    notes: tuple[Text, ...]
    emit: tuple[str, ...]  # artefact groups to write; all unless said
    allowed: tuple[Allowance, ...]  # breaks on purpose, for the review of an edit
    checks: tuple[Check, ...]
    source: Source
    name_span: Span

    @cached_property
    def _by_name(self) -> dict[tuple[type, str], object]:
        groups: tuple[tuple[NamedThing, ...], ...] = (
            self.enums,
            self.consts,
            self.dims,
            self.rests,
            self.inputs,
            self.attrs,
            self.outputs,
            self.lets,
            self.records,
        )
        return {(type(thing), thing.name): thing for group in groups for thing in group}

    def find(self, kind: type[T], name: str) -> T:
        """The object of class ``kind`` called ``name``; KeyError when there is none.

        ``operator.find(Attr, "head_width")``
        """
        found = self._by_name[kind, name]
        assert isinstance(found, kind)
        return found

    @property
    def archs(self) -> tuple[str, ...]:
        """Architectures of the chips, each once, in chip order."""
        return tuple(dict.fromkeys(c.arch for c in self.chips))
