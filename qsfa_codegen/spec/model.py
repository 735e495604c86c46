"""The operator as everything after the resolver sees it: typed, frozen, no YAML, no strings to parse.

Order in ``inputs``, ``attrs``, ``outputs``, struct fields and key arguments is an interface of the
operator: nothing may sort it. Every object that a person wrote keeps the span where it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from functools import cached_property
from typing import Generic, TypeVar

from msgspec import Struct

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.nodes import Expr, Type

T = TypeVar("T")

# --------------------------------------------------------------------------- small pieces


class Text(Struct, frozen=True):
    """A sentence in both languages."""

    en: str
    zh: str


class Table(Struct, Generic[T], frozen=True):
    """``{by: selector, of: {label: value}}``; labels as in ``expr.nodes.Select``."""

    selector: Expr
    cases: tuple[tuple[str, T | Table[T]], ...]
    otherwise: T | Table[T] | None
    span: Span


def leaves(choice: T | Table[T]) -> Iterator[T]:
    """Every value a choice can take, in file order."""
    if not isinstance(choice, Table):
        yield choice
        return
    for _, value in choice.cases:
        yield from leaves(value)
    if choice.otherwise is not None:
        yield from leaves(choice.otherwise)


# --------------------------------------------------------------------------- chips


class Chip(Struct, frozen=True):
    """A chip of chips.yaml: true of the chip, not of the operator. Sizes in bytes, counts per device."""

    id: str  # A2
    soc: str  # ascend910b: the SoC config name
    arch: str  # arch22
    npu_arch: str  # DAV_2201
    cce_aicore: int  # value of __CCE_AICORE__ in kernel code
    product: Text
    aic: int
    aiv: int
    ub: int
    l1: int
    l0a: int
    l0b: int
    l0c: int
    dtypes: tuple[str, ...]
    libapi_workspace: int


class Product(Struct, frozen=True):
    """A product family that documentation lists as not supported."""

    id: str
    name: Text


class Registration(Struct, frozen=True):
    """OpAICoreConfig of one chip: flags in file order, then extension entries in file order."""

    chip: str
    flags: tuple[tuple[str, bool], ...]
    ext: tuple[tuple[str, str], ...]


# --------------------------------------------------------------------------- names with a home


class EnumLabel(Struct, frozen=True):
    """One label of an enum, with the code that attributes, tiling fields and keys share."""

    name: str
    code: int
    doc: Text | None
    span: Span


class EnumDef(Struct, frozen=True):
    """A set of labels."""

    name: str
    labels: tuple[EnumLabel, ...]
    span: Span

    def label(self, name: str) -> EnumLabel:
        """The label called ``name``; KeyError when there is none."""
        for label in self.labels:
            if label.name == name:
                return label
        raise KeyError(name)


class Const(Struct, frozen=True):
    """A number with a name and a reason; becomes a constexpr."""

    name: str
    value: int
    doc: Text
    span: Span


class Dim(Struct, frozen=True):
    """A named size.

    ``value`` is the size observed at the defining input (a Select over layouts where it depends);
    ``derived`` is what ``is:`` demands of it. Domain members are None where nothing was said;
    ``minimum`` is 1 unless said otherwise, and None for a derived dim.
    """

    name: str
    doc_name: str
    doc: Text | None
    value: Expr
    derived: Expr | None
    minimum: Expr | None
    maximum: Expr | None
    multiple_of: Expr | None
    values: tuple[int, ...] | Table[tuple[int, ...]] | None
    definers: tuple[Definer, ...]
    span: Span


class Case(Struct, frozen=True):
    """A table selector has (or, negated, has none of) these labels."""

    selector: Expr
    labels: tuple[str, ...]
    negated: bool = False


class Definer(Struct, frozen=True):
    """Where a dim gets its size on one path of table cases (empty: always).

    An axis of an input, or the length of a list input when ``axis`` is None.
    """

    path: tuple[Case, ...]
    input: str
    axis: int | None


class Rest(Struct, frozen=True):
    """The run of axes that a `rest` item names, as observed at its defining input.

    It begins after ``fixed_before`` axes and leaves ``fixed_after`` axes plus the length of the
    runs ``rests_after`` at the end.
    """

    name: str
    input: str
    fixed_before: int
    fixed_after: int
    rests_after: tuple[str, ...]
    min_rank: int
    max_rank: int
    span: Span


class DtypeRow(Struct, frozen=True):
    """One compiled kernel variant: a dtype name for each column."""

    dtypes: tuple[str, ...]
    span: Span


class DtypeMatrix(Struct, frozen=True):
    """Columns and, per chip, rows in registration order."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[DtypeRow, ...]], ...]  # chip id → rows
    select: tuple[tuple[str, str], ...]  # column → dtype attribute that chooses it
    unbound: tuple[tuple[str, str], ...]  # column → column to use when its optional input is absent
    span: Span

    def rows_of(self, chip: str) -> tuple[DtypeRow, ...]:
        """Rows of the chip called ``chip``."""
        return dict(self.rows)[chip]

    def column(self, name: str, chip: str) -> tuple[str, ...]:
        """Dtypes of column ``name`` in registration order, one for each row."""
        index = self.columns.index(name)
        return tuple(row.dtypes[index] for row in self.rows_of(chip))


class RecordField(Struct, frozen=True):
    """A field of a packed row; ``dtype`` is a column or a dtype, ``count`` its elements."""

    name: str
    dtype: DtypeRef
    count: Expr
    align: int
    doc: Text | None
    span: Span


class Record(Struct, frozen=True):
    """A packed row: fields in memory order. ``elements`` is its size in units of ``unit``."""

    name: str
    unit: DtypeRef
    fields: tuple[RecordField, ...]
    elements: Expr
    offsets: tuple[Expr, ...]  # byte offset of each field
    size: Expr  # bytes
    dequant: Dequant | None
    doc: Text | None
    span: Span

    def offset(self, field: str) -> Expr:
        """The byte offset of the field called ``field``; StopIteration when there is none."""
        return next(at for part, at in zip(self.fields, self.offsets, strict=True) if part.name == field)


class Dequant(Struct, frozen=True):
    """How a record's quantised field becomes float: ``field`` × ``by``, one scale a ``tile``."""

    field: str
    by: str
    tile: Expr


# --------------------------------------------------------------------------- parameters


class DtypeRef(Struct, frozen=True):
    """Exactly one is set: a fixed dtype, a column, or (Follow) the input whose dtype it has."""

    fixed: str | None = None
    column: str | None = None
    follow: str | None = None


class Presence(Enum):
    """Whether a caller passes an input."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    ABSENT = "absent"
    IGNORED = "ignored"  # reserved: registered, never read, never checked


class Registered(Enum):
    """ParamType / AttrType in the operator definition."""

    REQUIRED = "REQUIRED"
    OPTIONAL = "OPTIONAL"
    DYNAMIC = "DYNAMIC"


class Contiguous(Enum):
    """AutoContiguous, IgnoreContiguous, or neither."""

    AUTO = "auto"
    IGNORE = "ignore"
    NONE = "none"


class ValueDepend(Enum):
    """ValueDepend of the definition: none, OPTIONAL or REQUIRED."""

    NONE = "none"
    OPTIONAL = "optional"
    REQUIRED = "required"


class DimItem(Struct, frozen=True):
    """One axis of a shape.

    ``dim`` names a dim of the spec; otherwise ``size`` is an expression that must hold, and with
    ``options`` the size must be one of several (which never defines anything).
    """

    span: Span
    dim: str | None = None
    size: Expr | None = None
    options: tuple[Expr, ...] = ()


class RestItem(Struct, frozen=True):
    """A run of axes with a name; with ``ones`` as many axes, each of size 1."""

    span: Span
    name: str
    min_rank: int
    max_rank: int
    ones: bool = False


ShapeItem = DimItem | RestItem


class Shape(Struct, frozen=True):
    """Axes in order.

    ``like`` names the input whose whole shape this is, where that shape has runs of axes: the sizes are
    then those of that input, whatever else the runs are observed at.
    """

    items: tuple[ShapeItem, ...]
    span: Span
    like: str | None = None

    @property
    def rank(self) -> int | None:
        """Number of axes; None where a rest item leaves it open."""
        return None if any(isinstance(i, RestItem) for i in self.items) else len(self.items)


class InputKind(Enum):
    """What stands at an input's place: a tensor, a list of tensors, a scalar or a list of scalars."""

    TENSOR = "tensor"
    TENSOR_LIST = "tensor list"
    SCALAR = "scalar"
    SCALAR_LIST = "scalar list"


class Input(Struct, frozen=True):
    """A tensor input; ``shape`` None means that nothing is said (scalars, reserved inputs)."""

    name: str
    index: int
    kind: InputKind
    registered: Registered
    presence: Presence | Table[Presence]
    empty_is_absent: bool
    dtype: DtypeRef
    shape: Shape | Table[Shape] | None
    storage: Shape | None  # what tiling and kernel see, where it differs from the origin shape
    format: str
    unknown_format: str | None
    contiguous: Contiguous
    value_depend: ValueDepend
    mutated: bool
    record: str | None  # the last dim is this record
    count: Expr | None  # list inputs
    was: tuple[str, ...]
    doc: Text | None
    span: Span


class Output(Struct, frozen=True):
    """A tensor output; ``alias`` names the input whose memory it is."""

    name: str
    index: int
    registered: Registered
    dtype: DtypeRef
    shape: Shape | Table[Shape]
    alias: str | None
    format: str
    unknown_format: str | None
    contiguous: Contiguous
    was: tuple[str, ...]
    doc: Text | None
    span: Span


class AttrType(Enum):
    """Types of attributes; DTYPE is registered as Int and holds a ge::DataType code."""

    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    STR = "str"
    DTYPE = "dtype"
    LIST_INT = "list_int"
    LIST_FLOAT = "list_float"
    LIST_BOOL = "list_bool"
    LIST_STR = "list_str"
    LIST_LIST_INT = "list_list_int"


AttrScalar = int | float | bool | str
AttrValue = AttrScalar | tuple[AttrScalar, ...] | tuple[tuple[int, ...], ...]


class NamedValue(Struct, frozen=True):
    """An accepted value and, where it has one, its name."""

    value: AttrScalar
    name: str | None


class Domain(Struct, frozen=True):
    """What the contract accepts of one attribute, or of each element of a list attribute.

    ``values`` empty means that only the bounds (and ``finite``) count. Bounds are inclusive unless
    ``above`` (exclusive lower bound).
    """

    values: tuple[NamedValue, ...] = ()
    minimum: int | float | None = None
    maximum: int | float | None = None
    above: int | float | None = None
    finite: bool = False


class DefaultTrap(Struct, frozen=True):
    """The registered default is rejected on these chips, on purpose."""

    chips: tuple[str, ...]
    doc: Text
    span: Span


class Attr(Struct, frozen=True):
    """An attribute. ``default`` is what is registered (None: nothing is)."""

    name: str
    index: int
    type: AttrType
    required: bool
    default: AttrValue | None
    enum: str | None
    domain: Domain | Table[Domain] | None
    lengths: tuple[int, ...]  # list attributes: accepted numbers of elements; empty: any
    trap: DefaultTrap | None
    chips: tuple[str, ...]  # chips it exists on; all of the operator's unless said
    was: tuple[str, ...]
    doc: Text | None
    span: Span


# --------------------------------------------------------------------------- derived values, rules


class Let(Struct, frozen=True):
    """A derived value, evaluated on use, once."""

    name: str
    value: Expr
    doc: Text | None
    span: Span


class Constraint(Struct, frozen=True):
    """A cross-parameter rule as written; ``at_infer`` when shape inference checks it too."""

    id: str
    when: Expr | None
    require: Expr
    blame: str
    message: Text | None
    at_infer: bool
    chips: tuple[str, ...]
    doc: Text | None
    span: Span


class ContentRule(Struct, frozen=True):
    """A rule about tensor data: an expression over contents, or a named predicate with prose."""

    id: str
    when: Expr | None
    require: Expr | None
    predicate: str | None
    names: tuple[str, ...]
    at_tiling: bool
    doc: Text | None
    span: Span


# --------------------------------------------------------------------------- tiling


class TilingField(Struct, frozen=True):
    """A field of a tiling struct: C++ type, value, and whether any kernel reads it."""

    name: str
    ctype: str  # uint32, int64, float, …: the spec's spelling
    value: Expr
    unused: bool
    span: Span


class TilingStruct(Struct, frozen=True):
    """A struct type; members are fields or nested structs, in memory order.

    ``library`` names the toolkit call that fills a struct of the toolkit's own, which has no members here.
    """

    type_name: str
    members: tuple[TilingField | TilingMember, ...]
    span: Span
    library: str | None = None


class TilingMember(Struct, frozen=True):
    """A nested struct."""

    name: str
    struct: TilingStruct


class TilingData(Struct, frozen=True):
    """The root struct; ``style`` is "plain" (standard-layout struct) or "macro" (BEGIN_TILING_DATA_DEF)."""

    root: TilingStruct
    align: int
    style: str


class KeyArg(Struct, frozen=True):
    """A template argument of the tiling key; ``declared`` codes in declaration order."""

    name: str
    kind: str  # bool or uint
    bits: int
    enum: str | None
    declared: tuple[int, ...]
    value: Expr
    span: Span


class TilingKey(Struct, frozen=True):
    """Template arguments with their legal combinations, or a plain integer expression.

    ``listed`` says that the spec lists the combinations; otherwise they are what legal calls can reach.
    """

    args: tuple[KeyArg, ...]
    legal: tuple[tuple[int, ...], ...]  # code of each argument
    listed: bool
    plain: Expr | None
    span: Span


class WorkspaceTerm(Struct, frozen=True):
    """``per × copies × count × sizeof(dtype)`` bytes when ``when`` holds."""

    name: str
    per: Expr
    copies: Expr
    count: Expr
    dtype: DtypeRef
    when: Expr | None
    unused: bool
    doc: Text | None
    bytes: Expr  # the product, without ``when``
    span: Span


class Extern(Struct, frozen=True):
    """A pure function with a C++ and a Python form."""

    name: str
    args: tuple[str, ...]
    returns: Type
    cpp: str
    python: str
    span: Span


class Tiling(Struct, frozen=True):
    """What the host tells the kernel."""

    lets: tuple[Let, ...]
    data: TilingData | None
    key: TilingKey | None
    workspace: tuple[tuple[str, tuple[WorkspaceTerm, ...]], ...]  # arch → terms in order
    block_dim: Expr | None
    schedule_mode: int  # 0 normal, 1 batch
    externs: tuple[Extern, ...]
    span: Span


# --------------------------------------------------------------------------- kernel, bindings


class PlanBuffer(Struct, frozen=True):
    """A buffer of an on-chip space."""

    name: str
    copies: Expr
    bytes: Expr
    doc: Text | None
    span: Span


class PlanSpace(Struct, frozen=True):
    """What a plan uses of one on-chip space (UB, L1, L0A, L0B, L0C); ``total`` in bytes."""

    space: str
    total: Expr
    buffers: tuple[PlanBuffer, ...]
    span: Span


class PlanParameter(Struct, frozen=True):
    """A parameter of the kernel family; its name begins with those of its groups, joined by dots."""

    name: str
    value: Expr
    doc: Text | None


class PlanFlag(Struct, frozen=True):
    """A counting flag between cores; ``credits`` at the start, None for none."""

    name: str
    credits: Expr | None
    doc: Text | None


class KernelPlan(Struct, frozen=True):
    """What the kernel family needs to know for one architecture."""

    arch: str
    parameters: tuple[PlanParameter, ...]
    spaces: tuple[PlanSpace, ...]
    flags: tuple[PlanFlag, ...]
    span: Span


class Kernel(Struct, frozen=True):
    """Which kernel family, which role each parameter plays in it, and its plans."""

    family: str
    roles: tuple[tuple[str, str], ...]
    plans: tuple[KernelPlan, ...]
    task_type: str  # mix_aic_1_2, aiv, …
    span: Span


class Tolerance(Struct, frozen=True):
    """Accepted error of one dtype."""

    dtype: str
    rtol: float
    atol: float


class Reference(Struct, frozen=True):
    """The registered reference implementation and its tolerances."""

    python: str
    tolerances: tuple[Tolerance, ...]
    span: Span


class BoundParam(Struct, frozen=True):
    """One parameter of a binding, in the binding's order.

    ``source`` names the operator's parameter; None for a reserved one that the operator does not
    have. ``default`` as the binding registers it when ``has_default``. ``value_map`` turns the
    binding's strings into attribute values; ``convert`` names another form (``int_array``).
    """

    name: str
    source: str | None
    has_default: bool
    default: AttrValue | None
    reason: str | None
    type: str | None
    value_map: tuple[tuple[str, AttrScalar], ...]
    convert: str | None
    span: Span


class AclnnBinding(Struct, frozen=True):
    """``style``: "auto" (CANN generates aclnn), "wrapper" (ours over aclnnInner…), "handwritten"."""

    style: str
    name: str  # aclnnFusedThing
    inner: str  # aclnnInnerFusedThing
    parameters: tuple[BoundParam, ...]  # empty: the operator's own
    derived: tuple[tuple[str, Expr], ...]
    span: Span


class TorchBinding(Struct, frozen=True):
    """The torch operator: schema order, pinned parameters and what it returns."""

    library: str
    namespace: str
    name: str
    positional: tuple[BoundParam, ...]
    keyword: tuple[BoundParam, ...]
    fixed: tuple[tuple[str, AttrValue | None], ...]
    returns: tuple[tuple[str, str], ...]  # output → name in the binding
    span: Span


# --------------------------------------------------------------------------- lowered checks


class CheckKind(Enum):
    """Kinds of checks, in the fixed order of checking."""

    CHIP = "chip"
    ATTR = "attr"
    PRESENCE = "presence"
    DTYPE = "dtype"
    RANK = "rank"
    DIM = "dim"
    CONSTRAINT = "constraint"


class Fact(Struct, frozen=True):
    """Something a check establishes and others rely on.

    Kinds: "attr" (accepted), "input" (passed as demanded), "dtype", "rank" (of an input; its sizes may be
    read), "dim" (in its domain).
    """

    kind: str
    name: str


class Check(Struct, frozen=True):
    """One rule of the contract, lowered to an expression; every engine runs these in this order.

    A call violates it when ``when`` holds (None: always) and ``require`` does not. A violated check
    spoils ``establishes``; a check that reads a spoilt fact is skipped. ``describe`` renders as the
    sentence for people: what is allowed.
    """

    id: str
    kind: CheckKind
    parameter: str  # the blamed input, attribute or dim's input
    when: Expr | None
    require: Expr
    at_infer: bool
    establishes: tuple[Fact, ...]
    message: Text | None  # None: derive from ``require``
    span: Span


class Source(Struct, frozen=True):
    """Where the operator came from."""

    file: str  # as given, with forward slashes
    sha256: str


# --------------------------------------------------------------------------- the operator

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
    notes: tuple[Text, ...]
    emit: tuple[str, ...]  # artefact groups to write; all unless said
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
