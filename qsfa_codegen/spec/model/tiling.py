"""What the host tells the kernel."""

from __future__ import annotations

from msgspec import Struct

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.nodes import Expr, Type
from qsfa_codegen.spec.model.choice import Text
from qsfa_codegen.spec.model.dtypes import DtypeRef
from qsfa_codegen.spec.model.names import Let


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
