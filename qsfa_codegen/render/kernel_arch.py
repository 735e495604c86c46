"""What a kernel's body is written with on one architecture: its numbers, pointers and offsets by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from qsfa_codegen.expr.limits import INT32_MAX
from qsfa_codegen.expr.nodes import Expr, Literal, Ref, RefKind
from qsfa_codegen.expr.prose import say
from qsfa_codegen.render.cpp import constant, variable
from qsfa_codegen.render.kernel_family import FamilyText, family_parts, family_text
from qsfa_codegen.render.kernel_text import TILING, KernelNames, KernelText
from qsfa_codegen.render.text import (
    INDENT,
    broken,
    comment_above,
    commented,
    cpp_comment,
    wrap_call,
    wrap_items,
)
from qsfa_codegen.render.words import words
from qsfa_codegen.spec.failure import MessageNames
from qsfa_codegen.spec.kernel_facts import region_share, region_size
from qsfa_codegen.spec.model import Text
from qsfa_codegen.spec.names import pascal, upper
from qsfa_codegen.spec.parameters import attr_ref

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Operator, PlanSpace, Record, WorkspaceTerm

_FUNCTION = "__aicore__ static inline"
_KIB = 1 << 10


class Space(Struct, frozen=True):
    """What the plan uses of an on-chip space: constants, and a proof that the parts fit the whole."""

    name: str
    lines: tuple[str, ...]
    proof: str


class Region(Struct, frozen=True):
    """A region of the workspace: where it starts, its bytes, and the bytes of one share."""

    comment: str
    functions: tuple[str, ...]


class RecordText(Struct, frozen=True):
    """A packed row: the byte offset of each field, and its bytes."""

    comment: str
    functions: tuple[str, ...]


class Argument(Struct, frozen=True):
    """A pointer that the entry hands over under the family's name for it."""

    role: str
    parameter: str
    name: str


def arch_parts(operator: Operator, arch: str) -> dict[str, Any]:
    """The parts of the header for ``arch``."""
    return _ArchWriter(operator, arch).parts()


class _ArchWriter:
    """Turns what the spec says of one architecture into the parts of a header."""

    def __init__(self, operator: Operator, arch: str) -> None:
        assert operator.kernel is not None
        assert operator.tiling is not None
        self._operator = operator
        self._names = KernelNames(operator, arch)
        self._roles = operator.kernel.roles
        self._plan = next((plan for plan in operator.kernel.plans if plan.arch == arch), None)
        self._lets = (*operator.lets, *operator.tiling.lets)
        self._terms = dict(operator.tiling.workspace).get(arch, ())

    def parts(self) -> dict[str, Any]:
        """What the template fills in."""
        plan = self._plan
        parameters = plan.parameters if plan else ()
        named = [(p.name.replace(".", "_"), self._names.spell(p.value), p.doc) for p in parameters]
        parts: dict[str, Any] = {
            "plan": [_constexpr(upper(name), spelt, doc) for name, spelt, doc in named if spelt.constant],
            "choices": [
                comment_above(doc.en if doc else "", INDENT) + _function(pascal(name), spelt)
                for name, spelt, doc in named
                if not spelt.constant
            ],
            "spaces": [self._space(space) for space in plan.spaces] if plan else [],
            "flags": list(self._flags()),
            "records": [self._record(record) for record in self._operator.records],
            "arguments": self._arguments(),
            "settings": list(self._settings()),
            "regions": list(self._regions()),
        }
        family = self._family()
        parts["family"] = family
        if family is not None:  # its own headers have the plan
            parts |= {"plan": [], "choices": [], "spaces": [], "flags": []}
        return {**parts, "constants": self._constants(parts), "accessors": self._accessors()}

    def _family(self) -> FamilyText | None:
        """The call in the family's words, where the family's own templates are the body."""
        if not family_parts(self._operator, self._names.arch):
            return None
        return family_text(self._operator, self._names.arch, self._names)

    def _constants(self, parts: dict[str, Any]) -> list[str]:
        """Constants of the spec that the parts name, then derived ones."""
        docs = {upper(let.name): let.doc for let in self._lets}
        derived = [
            _about(f"constexpr int64_t {name} = {text};", docs.get(name))
            for name, text in self._names.constants.items()
        ]
        named = words(f"{parts} {derived}")
        return [*(constant(const) for const in self._operator.consts if const.name in named), *derived]

    def _accessors(self) -> list[str]:
        return [
            _defined(f"{_FUNCTION} int64_t {name}(", [f"const TilingData &{TILING}"], field)
            for name, field in self._names.accessors.items()
        ]

    # ------------------------------------------------------------------ plan

    def _space(self, space: PlanSpace) -> Space:
        name = space.space.upper()
        total = f"{name}_BYTES"
        whole = Text(f"bytes of {name} that the plan may use", "")
        lines = [_constexpr(total, _in_kib(self._names.spell(space.total)), whole)]
        sizes = []
        for buffer in space.buffers:
            prefix = f"{name}_{upper(buffer.name)}"
            lines.append(_constexpr(f"{prefix}_COPIES", self._names.spell(buffer.copies)))
            lines.append(_constexpr(f"{prefix}_BYTES", _in_kib(self._names.spell(buffer.bytes)), buffer.doc))
            sizes.append(f"{prefix}_COPIES * {prefix}_BYTES")
        pieces = [f"{size} + " for size in sizes[:-1]] + sizes[-1:]
        proof = wrap_items("static_assert(", pieces, f" <= {total});") if sizes else ""
        return Space(name, tuple(lines), proof)

    def _flags(self) -> Iterator[str]:
        for number, flag in enumerate(self._plan.flags if self._plan else ()):
            name = f"FLAG_{upper(flag.name)}"
            yield _about(f"constexpr uint16_t {name} = {number};", flag.doc)
            if flag.credits is not None:
                yield _constexpr(f"{name}_CREDITS", self._names.spell(flag.credits))

    # ------------------------------------------------------------------ what the call brings

    def _arguments(self) -> list[Argument]:
        tensors = {i.name for i in self._operator.inputs} | {o.name for o in self._operator.outputs}
        return [Argument(role, target, variable(role)) for role, target in self._roles if target in tensors]

    def _settings(self) -> Iterator[str]:
        attrs = {attr.name: attr for attr in self._operator.attrs}
        for role, target in self._roles:
            if target in attrs:
                value = attr_ref(attrs[target], attrs[target].span)
                yield _function(pascal(role), self._names.direct(value) or self._names.spell(value))

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

    def _regions(self) -> Iterator[Region]:
        before = ""
        for term in self._terms:
            name = pascal(term.name)
            start = f"{before}Offset({TILING}) + {before}Bytes({TILING})" if before else "0"
            functions = (
                _region_function(f"{name}Offset", start, reads_tiling=bool(before)),
                self._size(f"{name}Bytes", term, term.bytes),
                self._size(f"{name}Share", term, region_share(term)),
            )
            yield Region(cpp_comment(self._said(term)), functions)
            before = name

    def _said(self, term: WorkspaceTerm) -> str:
        """What a region is for, and whose each share of it is."""
        said = [f"{term.name}: {term.doc.en}" if term.doc else term.name]
        if term.unused:
            said.append("the kernels of this package do not read it")
        elif isinstance(term.per, Ref) and term.per.kind is RefKind.PLATFORM:
            said.append(f"a share for each {term.per.name.upper()}")
        elif not isinstance(term.per, Literal):
            said.append(f"{say(term.per, 'en', MessageNames(self._operator), plain=True)} shares")
        return "; ".join(said)

    def _size(self, name: str, term: WorkspaceTerm, size: Expr) -> str:
        spelt = self._names.spell(region_size(term, size))
        return _region_function(name, spelt.text, spelt.reads_tiling)


def _constexpr(name: str, spelt: KernelText, doc: Text | None = None) -> str:
    return _about(broken(f"constexpr {spelt.type} {name} = ", spelt.text, ";", 0), doc)


def _about(declaration: str, doc: Text | None) -> str:
    return commented(declaration, doc.en if doc else "")


def _in_kib(spelt: KernelText) -> KernelText:
    """A number of bytes as people speak of memory: so many KiB."""
    size = int(spelt.text) if spelt.text.isdecimal() else 0
    if size == 0 or size % _KIB or size > INT32_MAX:
        return spelt
    return replace(spelt, text=f"{size // _KIB} * {_KIB}")


def _function(name: str, spelt: KernelText) -> str:
    """A function of the kernel class: of the tiling data where it reads that, and of what else it needs."""
    if spelt.constant:
        return broken(f"static constexpr {spelt.type} {name} = ", spelt.text, ";", INDENT)
    params = [f"const TilingData &{TILING}"] if spelt.reads_tiling else []
    params += spelt.parameters
    return _defined(f"{_FUNCTION} {spelt.type} {name}(", params, spelt.text)


def _region_function(name: str, text: str, reads_tiling: bool) -> str:
    """As ``_function``; those of the workspace all take the tiling data, so that callers need not know."""
    parameter = f"const TilingData &{TILING}" if reads_tiling else "const TilingData &"
    return _defined(f"{_FUNCTION} int64_t {name}(", [parameter], text)


def _defined(head: str, params: Sequence[str], text: str) -> str:
    margin = " " * INDENT
    body = broken("return ", text, ";", 2 * INDENT)
    return f"{wrap_call(head, params, ')', INDENT)}\n{margin}{{\n{margin}{margin}{body}\n{margin}}}"
