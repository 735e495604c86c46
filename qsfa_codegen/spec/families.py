"""Families of kernels that the program can compute on the CPU, and what each needs to be told.

A family is an algorithm; a spec says which of its parameters plays which role in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum

from msgspec import Struct

from qsfa_codegen.expr.nodes import BOOL, Ref, RefKind
from qsfa_codegen.spec.model import Attr, AttrType, Kernel, Operator, Record, Reference


class Kind(Enum):
    """What can play a role; the value is its name in messages."""

    INPUT = "an input"
    INT = "an int attribute"
    FLOAT = "a float attribute"
    OUTPUT = "an output"
    RECORD = "a record"
    TRUTH = "a derived value that is true or false"


class Family(Struct, frozen=True):
    """Roles by their kinds, the function that computes, and predicates on the data of a call."""

    name: str
    function: str
    required: Mapping[str, Kind]
    optional: Mapping[str, Kind]
    predicates: frozenset[str]

    @property
    def roles(self) -> Mapping[str, Kind]:
        """Every role."""
        return {**self.required, **self.optional}


_SPARSE_MLA = Family(
    name="sparse_mla",
    function="attend",
    required={
        "q": Kind.INPUT,
        "kv": Kind.INPUT,
        "row": Kind.RECORD,
        "indices": Kind.INPUT,
        "scale": Kind.FLOAT,
        "out": Kind.OUTPUT,
    },
    optional={
        "v": Kind.INPUT,
        "table": Kind.INPUT,
        "q_lens": Kind.INPUT,
        "kv_lens": Kind.INPUT,
        "block_tokens": Kind.INT,
        "causal": Kind.TRUTH,
        "row_max": Kind.OUTPUT,
        "row_sum": Kind.OUTPUT,
    },
    predicates=frozenset({"indices_below_kv_length", "used_blocks_in_cache"}),
)
FAMILIES: Mapping[str, Family] = {family.name: family for family in (_SPARSE_MLA,)}


def reference_family(operator: Operator) -> Family | None:
    """The family whose function is the operator's reference."""
    if operator.reference is None:
        return None
    return FAMILIES.get(operator.reference.python.partition(".")[0])


def problems(operator: Operator) -> Iterator[str]:
    """What keeps the reference of a known family from being computed."""
    family, reference, kernel = reference_family(operator), operator.reference, operator.kernel
    if family is None or reference is None:
        return
    if kernel is None or kernel.family != family.name:
        yield f"the reference is of the family '{family.name}', the kernel is not"
        return
    yield from _of_function(family, reference)
    yield from _of_roles(operator, family, kernel)
    for rule in operator.contents:
        home, _, name = (rule.predicate or "").partition(".")
        if home == family.name and name not in family.predicates:
            yield f"the family '{family.name}' has no predicate '{name}'"


def _of_function(family: Family, reference: Reference) -> Iterator[str]:
    function = reference.python.partition(".")[2]
    if function != family.function:
        yield f"the family '{family.name}' has no function '{function}', only '{family.function}'"


def _of_roles(operator: Operator, family: Family, kernel: Kernel) -> Iterator[str]:
    roles = dict(kernel.roles)
    for role, kind in family.roles.items():
        if role not in roles:
            if role in family.required:
                yield f"the family '{family.name}' has a role '{role}' that nothing plays"
        elif not _plays(operator, kind, roles[role]):
            yield f"role '{role}' of the family '{family.name}' must be {kind.value}, '{roles[role]}' is not"
    record = next((r for r in operator.records if r.name == roles.get("row")), None)
    if record is not None:
        yield from _of_row(operator, record, roles)


def _plays(operator: Operator, kind: Kind, name: str) -> bool:
    match kind:
        case Kind.INPUT:
            return any(i.name == name for i in operator.inputs)
        case Kind.OUTPUT:
            return any(o.name == name for o in operator.outputs)
        case Kind.RECORD:
            return any(r.name == name for r in operator.records)
        case Kind.TRUTH:
            return any(let.name == name and let.value.type == BOOL for let in operator.lets)
    wanted = AttrType.INT if kind is Kind.INT else AttrType.FLOAT
    return any(a.name == name and a.type is wanted for a in operator.attrs)


def _of_row(operator: Operator, record: Record, roles: Mapping[str, str]) -> Iterator[str]:
    """A row is a quantised field with its scales, and one field in the dtype of Q."""
    query, cache = (next((i for i in operator.inputs if i.name == roles.get(r)), None) for r in ("q", "kv"))
    plain = plain_fields(record)
    if record.dequant is None:
        yield f"record '{record.name}' does not say how it is dequantised"
    elif len(plain) != 1 or (query is not None and query.dtype != _dtype(record, plain[0])):
        yield f"record '{record.name}' must have one field in the dtype of role 'q' beside those of `dequant`"
    if cache is not None and cache.record != record.name:
        yield f"the last dim of '{cache.name}' must be the record '{record.name}'"


def plain_fields(record: Record) -> list[str]:
    """Fields that are neither quantised nor scales, in memory order."""
    own = () if record.dequant is None else (record.dequant.field, record.dequant.by)
    return [field.name for field in record.fields if field.name not in own]


def plain_attr(operator: Operator, record: Record) -> Attr | None:
    """The attribute with the number of elements of the plain field; None where no attribute has it."""
    name = plain_fields(record)[0]
    count = next(field.count for field in record.fields if field.name == name)
    if not isinstance(count, Ref) or count.kind is not RefKind.ATTR:
        return None
    return operator.find(Attr, count.name)


def _dtype(record: Record, name: str) -> object:
    return next(field.dtype for field in record.fields if field.name == name)
