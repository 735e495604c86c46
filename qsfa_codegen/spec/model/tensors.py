"""Inputs and outputs, and their shapes."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.nodes import Expr
from qsfa_codegen.spec.model.choice import Table, Text
from qsfa_codegen.spec.model.dtypes import DtypeRef


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
