"""What a kernel can know of a call: its constants, the arguments of its key, the fields of its tiling data.

Everything that a spec says of a kernel is worked out from those. What they do not determine is either a
parameter of the function that needs it, or beyond the kernel: facts that only the host can ask for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import is_not

from msgspec import Struct

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.build import literal, product, strip
from qsfa_codegen.expr.memo import once_an_operator, once_each
from qsfa_codegen.expr.nodes import (
    ARCH,
    INT,
    Call,
    Compare,
    Conditional,
    Contains,
    Expr,
    Kind,
    Literal,
    ParamQuery,
    Ref,
    RefKind,
    Select,
    Subscript,
    children,
    walk,
)
from qsfa_codegen.expr.rewrite import substitute, with_children
from qsfa_codegen.expr.specialize import specialize
from qsfa_codegen.spec.columns import size_of_dtype, with_known_sizes
from qsfa_codegen.spec.layout import Entry, struct_layout
from qsfa_codegen.spec.model import Attr, Domain, KernelPlan, Operator, Record, WorkspaceTerm
from qsfa_codegen.spec.names import pascal, upper
from qsfa_codegen.spec.parameters import attr_ref

Name = tuple[RefKind, str]
LETS = (RefKind.LET, RefKind.TILING_LET)
_NUMBERS = (Kind.INT, Kind.FLOAT, Kind.BOOL, Kind.ENUM)
_HOST_CALLS = frozenset({"prod", "len", "tsch_block_dim", "starts_with", "ends_with", "is_finite"})


class Source(Struct, frozen=True):
    """Where a kernel finds a value: the template argument or the field that holds it. One of them is set."""

    argument: str | None
    entry: Entry | None


class Reads(Struct, frozen=True):
    """What an expression takes in a kernel.

    ``parameters`` are facts of the call that no field and no argument holds; whoever asks has to know them.
    ``beyond`` are parts that a kernel cannot compute at all.
    """

    tiling: bool
    key: bool
    parameters: tuple[Ref, ...]
    beyond: tuple[Expr, ...]

    @property
    def constant(self) -> bool:
        """Whether it is the same in every call and every compiled variant."""
        return not (self.tiling or self.key or self.parameters or self.beyond)


def _joined(parts: Iterable[Reads]) -> Reads:
    found = tuple(parts)
    parameters = {(ref.kind, ref.name): ref for part in found for ref in part.parameters}
    beyond = {strip(expr): expr for part in found for expr in part.beyond}
    return Reads(
        any(part.tiling for part in found),
        any(part.key for part in found),
        tuple(parameters.values()),
        tuple(beyond.values()),
    )


_NOTHING = Reads(False, False, (), ())
_KEY = Reads(False, True, (), ())


@once_an_operator
def kernel_facts(operator: Operator, arch: str) -> KernelFacts:
    """The facts of an architecture, shared by all who look at an operator's kernel."""
    return KernelFacts(operator, arch)


class KernelFacts:
    """What the kernel of one architecture knows."""

    def __init__(self, operator: Operator, arch: str) -> None:
        self._operator = operator
        self._arch = arch
        self._chips = [chip.id for chip in operator.chips if chip.arch == arch]
        self._known = once_each(self._find_known)
        self._reads = once_each(self._find_reads)
        self._externs: frozenset[str] = frozenset()
        self._held: dict[object, Source] = {}
        self._compound: dict[object, str] = {}
        self._named: dict[Name, Source] = {}
        self.lets = {let.name: let.value for let in operator.lets}
        if operator.tiling is not None:
            self.lets.update({let.name: let.value for let in operator.tiling.lets})
            self._externs = frozenset(extern.name for extern in operator.tiling.externs)
            self._tell(operator)
        self._fixed = {
            (RefKind.ATTR, attr.name): value
            for attr in operator.attrs
            if (value := _only_value(attr)) is not None
        }

    def _tell(self, operator: Operator) -> None:
        tiling = operator.tiling
        assert tiling is not None
        for arg in tiling.key.args if tiling.key is not None else ():
            self._hold(arg.value, Source(arg.name, None))
        for entry in struct_layout(tiling.data).entries if tiling.data is not None else ():
            self._hold(entry.field.value, Source(None, entry))

    def _hold(self, value: Expr, source: Source) -> None:
        if isinstance(value, Literal):
            return
        self._held.setdefault(strip(value), source)
        # A kernel knows the labels of an enum by their codes.
        named = value.args[0] if isinstance(value, Call) and value.function == "code" else value
        if isinstance(named, Ref):
            self._named.setdefault((named.kind, named.name), source)
        else:
            self._hold_compound(value, source)

    def _hold_compound(self, value: Expr, source: Source) -> None:
        """Let a name that no spec can have stand for the value, wherever it is part of another one."""
        name = f"{len(self._compound)} held"
        if self._compound.setdefault(strip(value), name) == name:
            self.lets[name] = value
            self._named[RefKind.TILING_LET, name] = source

    # ------------------------------------------------------------------ what is known

    def holder(self, expr: Expr) -> Source | None:
        """What holds the value of a whole expression; None when nothing does."""
        return None if isinstance(expr, Literal) else self._held.get(strip(expr))

    def named(self, kind: RefKind, name: str) -> Source | None:
        """What holds the value of a name; None when nothing does."""
        return self._named.get((kind, name))

    def known(self, expr: Expr) -> Expr:
        """``expr`` with what has one value in every call of this architecture as that value."""
        return self._known(expr)

    def _find_known(self, expr: Expr) -> Expr:
        here = self._here(self._with_holders(expr))
        return with_known_sizes(self._operator, substitute(here, self._fixed))

    def _with_holders(self, expr: Expr) -> Expr:
        name = self._compound.get(strip(expr))
        if name is not None:
            return Ref(expr.type, expr.span, RefKind.TILING_LET, name)
        old = children(expr)
        new = tuple(map(self._with_holders, old))
        return with_children(expr, new) if any(map(is_not, old, new)) else expr

    def _here(self, expr: Expr) -> Expr:
        """``expr`` on this architecture, which is compiled once for whatever chips have it."""
        first, *others = (specialize(expr, chip, self._arch) for chip in self._chips)
        if all(strip(other) == strip(first) for other in others):
            return first
        return substitute(expr, {(RefKind.ARCH, "arch"): literal(self._arch, expr.span, ARCH)})

    # ------------------------------------------------------------------ what is read

    def reads(self, expr: Expr) -> Reads:
        """What ``expr`` takes."""
        return self._reads(expr)

    def _find_reads(self, expr: Expr) -> Reads:
        source = self.holder(expr)
        if source is not None:
            return _of_source(source)
        return _joined(self._inside(self.known(expr)))

    def _inside(self, expr: Expr) -> Iterator[Reads]:
        for node in walk(expr):
            match node:
                case Ref():
                    yield self._of_name(node)
                case ParamQuery() | Subscript():
                    yield _beyond(node)
                case Call():
                    yield self._of_call(node)
                case Compare(left=item) | Contains(item=item) | Select(selector=item):
                    if item.type.kind in (Kind.DTYPE, Kind.DIMS, Kind.STRING, Kind.CHIP):
                        yield _beyond(node)

    def _of_name(self, ref: Ref) -> Reads:
        source = self.named(ref.kind, ref.name)
        if source is not None:
            return _of_source(source)
        if ref.kind in LETS:
            return self.reads(self.lets[ref.name])
        if ref.kind in (RefKind.CONST, RefKind.COLUMN, RefKind.RECORD):
            return _NOTHING
        return Reads(False, False, (ref,), ()) if ref.type.kind in _NUMBERS else _beyond(ref)

    def _of_call(self, call: Call) -> Reads:
        if call.function in _HOST_CALLS or call.function in self._externs:
            return _beyond(call)
        if call.function == "sizeof":
            return _KEY
        if call.function in ("elements", "offset"):
            return self.reads(record_part(self._operator, call))
        return _NOTHING


def _of_source(source: Source) -> Reads:
    return Reads(source.entry is not None, source.argument is not None, (), ())


def _beyond(expr: Expr) -> Reads:
    return Reads(False, False, (), (expr,))


def record_part(operator: Operator, call: Call) -> Expr:
    """What ``elements(record)`` or ``offset(record, field)`` stands for."""
    name = call.args[0]
    assert isinstance(name, Ref)
    record = operator.find(Record, name.name)
    if call.function == "elements":
        return record.elements
    field = call.args[1]
    assert isinstance(field, Literal)
    return record.offset(str(field.value))


def _only_value(attr: Attr) -> Literal | None:
    """The value of an attribute that accepts just one, on every chip."""
    if not isinstance(attr.domain, Domain) or len(attr.domain.values) != 1 or attr.enum is not None:
        return None
    (only,) = attr.domain.values
    return Literal(attr_ref(attr, attr.span).type, attr.span, only.value, constant=only.const or "")


# --------------------------------------------------------------------------- what a kernel is written with


class Use(Struct, frozen=True):
    """An expression that kernel code of one architecture holds; ``what`` says in which role.

    ``constant``: it must be a number before any call; ``told``: it may depend on nothing but the tiling data,
    the key and constants. Otherwise facts of the call become parameters.
    """

    what: str
    expr: Expr
    constant: bool = False
    told: bool = False


def kernel_uses(operator: Operator, arch: str) -> Iterator[Use]:
    """Every expression that the kernel code of ``arch`` is written with."""
    if operator.kernel is None or operator.tiling is None:
        return
    plan = next((plan for plan in operator.kernel.plans if plan.arch == arch), None)
    if plan is not None:
        yield from _plan_uses(plan)
    for record in operator.records:
        for field, offset in zip(record.fields, record.offsets, strict=True):
            yield Use(f"the offset of '{field.name}' in '{record.name}'", offset)
        yield Use(f"the size of '{record.name}'", record.size)
    attrs = {attr.name: attr for attr in operator.attrs}
    for role, target in operator.kernel.roles:
        if target in attrs:
            yield Use(f"role '{role}'", attr_ref(attrs[target], attrs[target].span))
    for term in dict(operator.tiling.workspace).get(arch, ()):
        what = f"the size of workspace '{term.name}'"
        yield Use(what, region_size(term, term.bytes), told=True)
        yield Use(what, region_size(term, region_share(term)), told=True)


def named_functions(operator: Operator) -> Iterator[tuple[str, str, Span]]:
    """Functions of the kernel class: (what one is for, its name, the place of what it is called after)."""
    kernel, tiling = operator.kernel, operator.tiling
    if kernel is None or tiling is None:
        return
    yield from (("the kernel body", name, kernel.span) for name in ("Init", "Process"))
    roles = {target: role for role, target in kernel.roles}
    for attr in operator.attrs:
        if attr.name in roles:
            yield f"role '{roles[attr.name]}'", pascal(roles[attr.name]), kernel.span
    for record in operator.records:
        what, name = f"record '{record.name}'", pascal(roles.get(record.name, record.name))
        yield from ((what, f"{name}{pascal(field.name)}Offset", field.span) for field in record.fields)
        yield what, f"{name}Bytes", record.span
    for plan in kernel.plans:
        yield from ((f"plan parameter '{p.name}'", pascal(p.name), plan.span) for p in plan.parameters)
    for _, terms in tiling.workspace:
        for term in terms:
            for part in ("Offset", "Bytes", "Share"):
                yield f"workspace '{term.name}'", f"{pascal(term.name)}{part}", term.span


def named_constants(operator: Operator, arch: str) -> Iterator[tuple[str, str, Span]]:
    """Constants of the kernel code of ``arch``: (what one is, its name, the place of its namesake)."""
    facts = kernel_facts(operator, arch)
    yield from ((f"const '{const.name}'", const.name, const.span) for const in operator.consts)
    lets = (*operator.lets, *(operator.tiling.lets if operator.tiling is not None else ()))
    for let in lets:
        if let.value.type == INT and facts.reads(let.value).constant:
            yield f"derived value '{let.name}'", upper(let.name), let.span
    plans = operator.kernel.plans if operator.kernel is not None else ()
    for plan in (plan for plan in plans if plan.arch == arch):
        for parameter in plan.parameters:
            if facts.reads(parameter.value).constant:
                yield f"plan parameter '{parameter.name}'", upper(parameter.name), plan.span
        for space in plan.spaces:
            yield f"space {space.space}", f"{space.space}_BYTES", space.span
            for buffer in space.buffers:
                start = f"{space.space}_{upper(buffer.name)}"
                yield f"buffer '{buffer.name}'", f"{start}_COPIES", buffer.span
                yield f"buffer '{buffer.name}'", f"{start}_BYTES", buffer.span
        for flag in plan.flags:
            yield f"flag '{flag.name}'", f"FLAG_{upper(flag.name)}", plan.span
            yield f"flag '{flag.name}'", f"FLAG_{upper(flag.name)}_CREDITS", plan.span


def _plan_uses(plan: KernelPlan) -> Iterator[Use]:
    for parameter in plan.parameters:
        yield Use(f"plan parameter '{parameter.name}'", parameter.value)
    for space in plan.spaces:
        yield Use(f"the total of {space.space}", space.total, constant=True)
        for buffer in space.buffers:
            yield Use(f"the copies of '{buffer.name}'", buffer.copies, constant=True)
            yield Use(f"the bytes of '{buffer.name}'", buffer.bytes, constant=True)
    for flag in plan.flags:
        if flag.credits is not None:
            yield Use(f"the credits of flag '{flag.name}'", flag.credits, constant=True)


def region_size(term: WorkspaceTerm, size: Expr) -> Expr:
    """Bytes of a workspace region, or of a part of it; 0 where the call has no such region."""
    if term.when is None:
        return size
    return Conditional(INT, term.span, term.when, size, literal(0, term.span))


def region_share(term: WorkspaceTerm) -> Expr:
    """Bytes of a workspace region that one core or group has."""
    return product([term.copies, term.count, size_of_dtype(term.dtype, term.span)], term.span)
