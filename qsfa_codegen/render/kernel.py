"""The kernel: its entry with the dispatch, and per architecture what the kernel's body is written with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qsfa_codegen.expr.nodes import Expr, RefKind
from qsfa_codegen.render.artefact import Artefact
from qsfa_codegen.render.cpp import constant, variable
from qsfa_codegen.render.kernel_text import TILING, KernelNames, KernelText, column_type
from qsfa_codegen.render.needs import needs
from qsfa_codegen.render.text import INDENT, cpp_comment, wrap_call, wrap_items
from qsfa_codegen.render.tiling_key import has_template_key, key_file, tiling_key
from qsfa_codegen.render.tiling_struct import NAMESPACE, PLAIN, has_struct_file, struct_file
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Attr, DtypeRef, Record
from qsfa_codegen.spec.names import camel, pascal, upper

if TYPE_CHECKING:
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.model import (
        Chip,
        Kernel,
        KernelPlan,
        Operator,
        PlanSpace,
        TilingData,
        WorkspaceTerm,
    )

_FUNCTION = "__aicore__ static inline"


@dataclass(frozen=True, slots=True)
class Space:
    """What the plan uses of an on-chip space: constants, and a proof that the parts fit the whole."""

    name: str
    lines: tuple[str, ...]
    proof: str


@dataclass(frozen=True, slots=True)
class Region:
    """A region of the workspace: where it starts, its bytes, and the bytes of one core's part."""

    comment: str
    functions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Argument:
    """A pointer that the entry hands over under the family's name for it."""

    role: str
    parameter: str
    name: str


@dataclass(frozen=True, slots=True)
class Dispatch:
    """The compiled dtype rows of one architecture: a test over the dtype macros, and the call it leads to."""

    macro: int
    arch: str
    branches: tuple[tuple[str, str], ...]


def has_kernel(operator: Operator) -> bool:
    """Whether the operator's kernel can be written: it gets its sizes from the tiling data."""
    tiling = operator.tiling
    if operator.kernel is None or tiling is None or tiling.data is None:
        return False
    return tiling.data.style != PLAIN or has_struct_file(operator)


def template_parameters(operator: Operator) -> list[str]:
    """Parameters of the kernel class: a type for each dtype column, then the key's arguments."""
    types = [f"typename {column_type(column)}" for column in operator.dtypes.columns]
    return [*types, *key_parameters(operator)]


def key_parameters(operator: Operator) -> list[str]:
    """The key's arguments as template parameters."""
    key = tiling_key(operator)
    return [f"int {arg.name}" for arg in key.args] if key is not None else []


# --------------------------------------------------------------------------- per architecture


def _render_arch(operator: Operator, plan: KernelPlan, templates: Templates) -> str:
    writer = _ArchWriter(operator, plan)
    parts = writer.parts()
    return templates.render(
        "op_kernel/arch/op_kernel.h.j2",
        guard=f"{upper(operator.name)}_{upper(plan.arch)}_KERNEL_H",
        snake=operator.snake,
        namespace=f"{operator.name}Kernel",
        struct_file=struct_file(operator) if has_struct_file(operator) else None,
        tiling_type=tiling_type(operator),
        template=wrap_call("template <", template_parameters(operator), ">"),
        **parts,
    )


def tiling_type(operator: Operator) -> str:
    """The kernel's name of the tiling data; in the macro style the toolkit writes it into no namespace."""
    data = _data(operator)
    return f"{NAMESPACE}::{data.root.type_name}" if data.style == PLAIN else data.root.type_name


def _data(operator: Operator) -> TilingData:
    assert operator.tiling is not None
    assert operator.tiling.data is not None
    return operator.tiling.data


def _kernel(operator: Operator) -> Kernel:
    assert operator.kernel is not None
    return operator.kernel


class _ArchWriter:
    """Turns one plan into the parts of a header."""

    def __init__(self, operator: Operator, plan: KernelPlan) -> None:
        self._operator = operator
        self._plan = plan
        self._names = KernelNames(operator)
        self._roles = _kernel(operator).roles

    def parts(self) -> dict[str, object]:
        """What the template fills in."""
        named = [(name.replace(".", "_"), self._names.spell(expr)) for name, expr in self._plan.parameters]
        return {
            "constants": self._constants(),
            "plan": [_constexpr(upper(name), spelt) for name, spelt in named if spelt.constant],
            "choices": [_function(pascal(name), spelt) for name, spelt in named if not spelt.constant],
            "spaces": [self._space(space) for space in self._plan.spaces],
            "flags": list(self._flags()),
            "records": [self._record(record) for record in self._operator.records],
            "arguments": self._arguments(),
            "settings": list(self._settings()),
            "regions": list(self._regions()),
        }

    def _constants(self) -> list[str]:
        used = needs(self._operator, self._exprs()).names(RefKind.CONST)
        return [constant(const) for const in self._operator.consts if const.name in used]

    def _exprs(self) -> Iterator[Expr]:
        yield from (expr for _, expr in self._plan.parameters)
        for space in self._plan.spaces:
            yield space.total
            yield from (expr for buffer in space.buffers for expr in (buffer.copies, buffer.bytes))
        yield from (credits for _, credits in self._plan.flags if credits is not None)
        for term in self._terms():
            yield from (part for part in (term.bytes, term.when) if part is not None)
        for record in self._operator.records:
            yield from (record.size, *record.offsets)

    # ------------------------------------------------------------------ plan

    def _space(self, space: PlanSpace) -> Space:
        total = f"{upper(space.space)}_BYTES"
        lines = [_constexpr(total, self._names.spell(space.total))]
        sizes = []
        for buffer in space.buffers:
            prefix = f"{upper(space.space)}_{upper(buffer.name)}"
            lines.append(_constexpr(f"{prefix}_COPIES", self._names.spell(buffer.copies)))
            lines.append(_constexpr(f"{prefix}_BYTES", self._names.spell(buffer.bytes)))
            sizes.append(f"{prefix}_COPIES * {prefix}_BYTES")
        pieces = [f"{size} + " for size in sizes[:-1]] + sizes[-1:]
        proof = wrap_items("static_assert(", pieces, f" <= {total});") if sizes else ""
        return Space(space.space, tuple(lines), proof)

    def _flags(self) -> Iterator[str]:
        for number, (name, credits) in enumerate(self._plan.flags):
            yield f"constexpr uint16_t FLAG_{upper(name)} = {number};"
            if credits is not None:
                yield _constexpr(f"FLAG_{upper(name)}_CREDITS", self._names.spell(credits))

    # ------------------------------------------------------------------ what the call brings

    def _arguments(self) -> list[Argument]:
        tensors = {p.name for p in (*self._operator.inputs, *self._operator.outputs)}
        return [
            Argument(role, target, variable(role)) for role, target in self._roles if target in tensors
        ]

    def _settings(self) -> Iterator[str]:
        attrs = {attr.name: attr for attr in self._operator.attrs}
        for role, target in self._roles:
            if target in attrs:
                spelt = self._names.spell(attr_ref(attrs[target], attrs[target].span))
                yield _function(pascal(role), spelt)

    def _record(self, record: Record) -> RecordText:
        played = {target: role for role, target in self._roles}
        name = pascal(played.get(record.name, record.name))
        functions = [
            _function(f"{name}{pascal(part.name)}Offset", self._names.spell(offset))
            for part, offset in zip(record.fields, record.offsets, strict=True)
        ]
        functions.append(_function(f"{name}Bytes", self._names.spell(record.size)))
        doc = f"{record.name}: {record.doc.en}" if record.doc else record.name
        return RecordText(cpp_comment(doc), tuple(functions))

    # ------------------------------------------------------------------ workspace

    def _terms(self) -> tuple[WorkspaceTerm, ...]:
        assert self._operator.tiling is not None
        return dict(self._operator.tiling.workspace).get(self._plan.arch, ())

    def _regions(self) -> Iterator[Region]:
        before = ""
        for term in self._terms():
            name = pascal(term.name)
            doc = f"{term.name}: {term.doc.en}" if term.doc else term.name
            start = f"{before}Offset({TILING}) + {before}Bytes({TILING})" if before else "0"
            functions = (
                _region_function(f"{name}Offset", start, reads_tiling=bool(before)),
                self._size(f"{name}Bytes", term, term.bytes),
                self._size(f"{name}Share", term, product([term.copies, term.count, _size_of(term)], term.span)),
            )
            yield Region(cpp_comment(doc + ("; no kernel reads it" if term.unused else "")), functions)
            before = name

    def _size(self, name: str, term: WorkspaceTerm, size: Expr) -> str:
        if term.when is not None:
            size = Conditional(INT, term.span, term.when, size, literal(0, term.span))
        spelt = self._names.spell(size)
        if spelt.parameters:
            missing = ", ".join(spelt.parameters)
            raise ValueError(f"no tiling field tells the kernel {missing}, which the size of {term.name} needs")
        return _region_function(name, spelt.text, spelt.reads_tiling)


def _size_of(term: WorkspaceTerm) -> Expr:
    return size_of_dtype(term.dtype, term.span)


def _constexpr(name: str, spelt: KernelText) -> str:
    return broken(f"constexpr {spelt.type} {name} = ", spelt.text, ";", 0)


def _function(name: str, spelt: KernelText) -> str:
    """A function of the kernel class: of the tiling data where it reads that, and of what else it needs."""
    if spelt.constant:
        return broken(f"static constexpr {spelt.type} {name} = ", spelt.text, ";", INDENT)
    params = [f"const TilingData &{TILING}"] if spelt.reads_tiling else []
    params += [f"int64_t {parameter}" for parameter in spelt.parameters]
    return _defined(f"{_FUNCTION} {spelt.type} {name}(", params, spelt.text)


def _region_function(name: str, text: str, reads_tiling: bool) -> str:
    """As ``_function``; all functions of the workspace take the tiling data, so that callers need not know."""
    parameter = f"const TilingData &{TILING}" if reads_tiling else "const TilingData &"
    return _defined(f"{_FUNCTION} int64_t {name}(", [parameter], text)


def _defined(head: str, params: Sequence[str], text: str) -> str:
    margin = " " * INDENT
    body = broken("return ", text, ";", 2 * INDENT)
    return f"{wrap_call(head, params, ')', INDENT)}\n{margin}{{\n{margin}{margin}{body}\n{margin}}}"


# --------------------------------------------------------------------------- the entry


def _render_entry(operator: Operator, templates: Templates) -> str:
    tensors = (*operator.inputs, *operator.outputs)
    arguments = [variable(p.name) for p in operator.inputs] + _output_names(operator)
    roles = [(role, dict(zip((t.name for t in tensors), arguments, strict=True)).get(target)) for role, target in _kernel(operator).roles]
    return templates.render("op_kernel/op.cpp.j2", snake=operator.snake)
